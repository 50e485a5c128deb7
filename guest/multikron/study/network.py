# SPDX-License-Identifier: GPL-2.0-or-later
"""network - a slower network, simulated by delays at each message, beside a network that is slower.

  slower_of(quick)               how many times slower
  words(out, slower)             the command line of the nodes on such a network; on the one that is fast (1) with all delays
  collect(out, quick)            {how many times slower: Found}, 1 first; read(out, quick): the same of what it has left in out
  table(found)                   a row (HEADER) for each phase and network
  shares(found)                  a row (SHARE_HEADER) for each state of each node in each of them
  complaints(found)              what does not hold that should
  show(page, found), report(found)

On the fast network strips runs without delays, and then as if each slower one were there, in two ways: loop, a delay of the same length behind each
exchange, and held, which lets a message count as come when it would have. Rate and latency are slower by the same factor.
"""

import os

from studyrun.chart import colour, curves
from studyrun.page import say

import occupancy
from occupancy import NODES, PHASES, SHARES

ICOUNT = 0  # an instruction takes 1 ns: a node has sent before a message is there, even on the fast network. Else what comes in holds up what goes out
STEPS = 20
ROWS = [64, 64, 64, 320]  # the last node's neighbour waits for it: a message may take longer before anybody has to wait longer
RATE, LATENCY = 1000, 5000  # Mbit/s, ns: the fastest perfboard-lan. The slowest has 20 times the latency
SLOWER, QUICK = [2, 5, 10, 20], [20]
ROW = 8 + 4 * (occupancy.COLUMNS + 2)  # bytes: when it was sent, and a row
FRAME = 8 + 14 + 20 + 32 + ROW + 4  # preamble, Ethernet, IP, TCP with its option of timestamps; check sequence
GAP = 12  # between two frames
WAYS = ["held", "loop"]

MESSAGE_NEAR = 1  # percent, of what a message takes
TIME_NEAR = 3  # percent, of a phase with messages that are held
SHARE_NEAR = 3  # points, of such a phase
TOLD_APART = 10  # times slower, and more: there sending and waiting have their shares, too. What comes in interrupts a node that sends, on the fast network
TRUE_NEAR = 1  # points, of samples and marks, in a phase of 2 ms and more: an interrupt of 5 us can come between a mark and its sample
LEAST_FACTOR = 2.5  # of the even phase on the slowest network

HEADER = ["phase", "slower", "message_us", "expected_message_us", "time_us", "factor", "held_factor", "held_error_percent", "loop_factor",
          "loop_error_percent"]
SHARE_HEADER = ["phase", "slower", "node", "state", "fast_percent", "slow_percent", "held_percent", "held_error_points", "loop_percent",
                "loop_error_points"]


def slower_of(quick):
    return QUICK if quick else SLOWER


def link_ns(slower, size):
    return slower * size * 8000 // RATE


def message_ns(slower):
    """To the switch, in it, and from it."""
    return 2 * link_ns(slower, FRAME) + slower * LATENCY


def delay(way, slower):
    more = message_ns(slower) - message_ns(1)
    return f"loop={more}" if way == "loop" else f"held={more},{link_ns(slower, FRAME + GAP)}"


def delays(slower):
    return [delay(way, factor) for way in WAYS for factor in SLOWER] if slower == 1 else []


def arguments(slower):
    """Of occupancy's words and collect, behind the folder."""
    return STEPS, ROWS, f"rate={RATE // slower},latency={LATENCY * slower}", delays(slower), ICOUNT


def folder(out, slower):
    return os.path.join(out, f"slower-{slower}")


def words(out, slower):
    return occupancy.words(out, *arguments(slower))


def collect(out, quick):
    found = {}
    for slower in [1, *slower_of(quick)]:
        say(f"booting {NODES} nodes on a network {slower} times slower" if slower > 1 else f"booting {NODES} nodes on a fast network")
        found[slower] = occupancy.collect(folder(out, slower), *arguments(slower), occupancy.UNSEEN)
    return found


def read(out, quick):
    return {slower: occupancy.read(folder(out, slower), STEPS, delays(slower), ICOUNT) for slower in [1, *slower_of(quick)]}


def simulated(phase, way, slower):
    """The phase's name on the fast network."""
    return f"{phase} {delay(way, slower)}"


def message_us(found):
    """Between neighbours, both ways: the mean."""
    times = [told[name] / 1000 for told in found.said for name in ("above", "below") if name in told]
    return sum(times) / len(times)


def table(found):
    rows, fast = [], found[1]
    for phase in PHASES.values():
        plain = occupancy.lasted(fast.seen, phase)
        for slower, slow in found.items():
            time = occupancy.lasted(slow.seen, phase)
            row = [phase, slower, f"{message_us(slow):.1f}", f"{message_us(fast) + (message_ns(slower) - message_ns(1)) / 1000:.1f}", f"{time / 1000:.1f}",
                   f"{time / plain:.3f}"]
            for way in WAYS:
                other = occupancy.lasted(fast.seen, simulated(phase, way, slower)) if slower > 1 else 0
                row += [f"{other / plain:.3f}", f"{100 * (other / time - 1):.2f}"] if other else ["", ""]
            rows.append(dict(zip(HEADER, row)))
    return rows


def shares(found):
    rows, fast = [], found[1].seen
    for phase in PHASES.values():
        for slower in list(found)[1:]:
            for node in range(NODES):
                was, true, held, loop = (occupancy.percent(seen.times(node, name)) for seen, name in (
                    (fast, phase), (found[slower].seen, phase), *((fast, simulated(phase, way, slower)) for way in WAYS)))
                rows += [dict(zip(SHARE_HEADER, [phase, slower, node, state, *(f"{number:.2f}" for number in (
                    was[state], true[state], held[state], held[state] - true[state], loop[state], loop[state] - true[state]))])) for state in SHARES]
    return rows


def complaints(found):
    for slower, each in found.items():
        yield from (f"{slower} times slower: {line}" for line in occupancy.kept(each))
        for phase in each.seen.names.values():
            for node in range(NODES):
                seen, true = (occupancy.percent(story.times(node, phase)) for story in (each.seen, each.true))
                yield from (f"{slower} times slower: node {node}: {phase}: {state} {seen[state]:.2f} %, in truth {true[state]:.2f} %"
                            for state in SHARES if abs(seen[state] - true[state]) > TRUE_NEAR)
    rows = table(found)
    for row in rows:
        if abs(float(row["message_us"]) / float(row["expected_message_us"]) - 1) > MESSAGE_NEAR / 100:
            yield f"{row['slower']} times slower: a message takes {row['message_us']} us, not {row['expected_message_us']}"
        if row["slower"] > 1 and abs(float(row["held_error_percent"])) > TIME_NEAR:
            yield (f"{row['slower']} times slower: {row['phase']}: with messages held it takes {row['held_factor']} times as long, "
                   f"on that network {row['factor']}")
    for row in shares(found):
        known = row["state"] not in ("send", "wait") or row["slower"] >= TOLD_APART
        if known and abs(float(row["held_error_points"])) > SHARE_NEAR:
            yield (f"{row['slower']} times slower: {row['phase']}: node {row['node']}: {row['state']} {row['held_percent']} % with messages held, "
                   f"on that network {row['slow_percent']} %")
    yield from curves_hold(rows)


def curves_hold(rows):
    """That a slower network makes a difference; and which."""
    uneven, even = ([row for row in rows if row["phase"] == phase] for phase in PHASES.values())
    factors = [float(row["factor"]) for row in even]
    if factors != sorted(set(factors)) or factors[-1] < LEAST_FACTOR:
        yield f"on slower networks the even phase takes {factors} times as long: not longer each time, or less than {LEAST_FACTOR} times in the end"
    for slow, alike in zip(uneven[1:], even[1:]):
        if float(slow["factor"]) >= float(alike["factor"]):
            yield (f"{slow['slower']} times slower: where nodes wait for one of them it takes {slow['factor']} times as long, "
                   f"not less than {alike['factor']}")
        if float(slow["loop_error_percent"]) <= abs(float(slow["held_error_percent"])):
            yield (f"{slow['slower']} times slower: where nodes wait for one of them delays that are always the same are off by "
                   f"{slow['loop_error_percent']} %, not more than {slow['held_error_percent']} %")


# --- what it looks like ---

LABELS = {"held": "messages held", "loop": "always the same delay"}
STYLES = {"held": "linespoints pt 7 ps 0.5 lw 2", "loop": "lines lw 1 dashtype 2"}
COLOURS = ["#c1402f", "#2f6db3"]


def against_slowness(rows):
    """A phase's time: two lines of the fast network, and points for slower ones."""
    series = []
    for phase, rgb in zip(PHASES.values(), COLOURS):
        mine = [row for row in rows if row["phase"] == phase]
        for way in WAYS:
            points = [(row["slower"], row[f"{way}_factor"] or row["factor"]) for row in mine]
            series.append((f"{phase} strips, {LABELS[way]}", points, f"with {STYLES[way]} {colour(rgb)}"))
        slower = [(row["slower"], row["factor"]) for row in mine[1:]]
        series.append((f"{phase} strips, a slower network", slower, f"with points pt 4 ps 1.2 lw 2 {colour(rgb)}"))
    return curves(series, ["set key left top", "set xrange [1:]", "set xlabel 'how many times slower the network is'", "set ylabel 'time of the phase, times'"])


def show(page, found):
    rows = table(found)
    page.title("Time dilation: a slower network")
    page.text(f"Four nodes relax a grid, as above, with strips of {', '.join(map(str, ROWS))} rows and with strips that are all alike. On a network of "
              f"{RATE} Mbit/s they do it without delays, and then as if the network were slower by a factor, in its rate and in its latency. In one way a node "
              "executes a loop when its neighbours' rows have come, always as long as a message takes longer on that network; MULTIKRON's timestamp says how "
              "long the loop takes. In the other a message is held: each has MULTIKRON's timestamp of when it was sent, and counts as come when the slower "
              "network would have brought it, which is known since all cards have one time. How long a message takes on the fast network the nodes measure "
              "first; how much more on another follows from the bytes of its frame.")
    page.text("A slower network: the same program without delays on a network that is that slow. All times and shares are those of MULTIKRON's samples. A "
              "message takes: from the timestamp in front of send(2) to that behind recv(2), TCP's instructions among them, which are no slower on any "
              "network.")
    page.text("With alike strips each step is longer by what its messages are. Where three nodes wait for one, a message is under way while that one "
              "computes: until its neighbour's rows come too late, nobody has to wait longer. The delay that is always the same knows nothing of that, "
              "and says too much; nor of two messages that share a node's link, and with alike strips it says too little. A message that is held knows both.")
    page.text("What no delay of a program moves is the kernel's work. On the fast network a message can come while its receiver still sends, and what "
              f"receiving takes counts as sending; on a slower one it comes while the receiver waits. So on those less than {TOLD_APART} times slower computing "
              "has its share, but sending and waiting have theirs only together.")
    page.table("A slower network (network.csv)", ["strips", "slower", "a message, us", "expected", "time, us", "times", "held", "error, %", "loop",
                                                  "error, %"], [list(row.values()) for row in rows])
    page.picture(against_slowness(rows), "Time of the phase against the network's. Points: networks that are slower.")
    page.table("Waiting, % (network-shares.csv has all states)", ["strips", "slower", "node", "fast network", "slower network", "held", "error, points",
                                                                  "loop", "error, points"],
               [[value for name, value in row.items() if name != "state"] for row in shares(found) if row["state"] == "wait"])


def report(found):
    print(f"{'strips':8}  slower  message, us  expected  slower network    held  error, %    loop  error, %")
    for row in table(found):
        print(f"{row['phase']:8}{row['slower']:>8}{row['message_us']:>13}{row['expected_message_us']:>10}{row['factor']:>16}{row['held_factor']:>8}"
              f"{row['held_error_percent']:>10}{row['loop_factor']:>8}{row['loop_error_percent']:>10}")
    errors = {way: max(abs(float(row[f"{way}_error_points"])) for row in shares(found)) for way in WAYS}
    print("shares of states are off by at most " + " and ".join(f"{error:.1f} points ({LABELS[way]})" for way, error in errors.items()))
