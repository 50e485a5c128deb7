# SPDX-License-Identifier: GPL-2.0-or-later
"""occupancy - which share of its time a program on four nodes is in which state: collected while it runs, and held against the truth.

  words(out, steps, rows, ...)        the cluster's command line; also: the Ethernet's properties, and delays of strips (network.py)
  collect(out, steps, rows, ...)      runs it; what comes of the collection network is shown meanwhile. Found
  read(out, steps, ...)               Found again, from the files of out
  table(found)                        a row (HEADER) for each state of each node in each phase
  complaints(found, table)            what does not hold that should
  kept(found)                         what has not been collected as it was written
  show(page, found, table), report(found, table)

The cards' samples go to node 0 (collect=0), whose chardev is a pipe. mkcollect reads it while the nodes run, and Occupancy what mkcollect writes. The truth is marks.c's:
an instruction is 16 ns, and no processor is ever halted while the program runs.
"""

import collections
import concurrent.futures
import csv
import io
import itertools
import os
import shutil
import signal
import subprocess
import sys

from guestrun.demo import ROOT, TOOLS, tool
from studyrun import guest
from studyrun.page import data, quoted, say

from measure import ENTER, EXIT, ICOUNT, PROGRAMS

NODES = 4
COLUMNS = 64
ROWS = [32, 64, 96, 128]
PATIENCE = "1800"  # s; a busy host may take so long
TICK_NS = 100
PHASES = {"1": "uneven", "2": "even"}
STATES = {"3": "compute", "4": "send", "5": "wait"}
REST = "rest"
SHARES = [*STATES.values(), REST]
LIVE_NS = 20_000_000  # of the samples' time, from one line to the next
UNSEEN = 10**18  # no line
NEAR = 0.1  # points, in a phase of 0.2 s and more: an interrupt of 80 us can come between a mark and its sample

HEADER = ["phase", "node", "rows", "state", "visits", "time_us", "share_percent", "true_share_percent", "error_points"]
Found = collections.namedtuple("Found", "seen true said stream")


def phases_of(delays):
    """{number: name} of the phases of strips: of a run without delays, and of one for each of them."""
    found = dict(PHASES)
    for run, delay in enumerate(delays, 1):
        found |= {str(10 * run + int(number)): f"{name} {delay}" for number, name in PHASES.items()}
    return found


class Occupancy:
    """Adds up the time in the innermost state, as the samples come. Times are whole numbers; of each node in their order."""

    def __init__(self, names=PHASES):
        self.names = names  # phases, by number
        self.open = collections.defaultdict(list)  # by node: states that are entered, the outermost a phase
        self.last = {}
        self.spans = collections.defaultdict(list)  # by node: (start, end, phase, state)
        self.visits = collections.Counter()
        self.phases = {}  # (node, phase): [start, end]
        self.samples = collections.Counter()
        self.strays = []

    def add(self, node, time, kind, state):
        states = self.open[node]
        self.samples[node] += 1
        if states:
            self.spans[node].append((self.last[node], time, self.names[states[0]], STATES.get(states[-1], REST)))
        self.last[node] = time
        if kind == ENTER and state in (STATES if states else self.names):
            states.append(state)
            if state in STATES:
                self.visits[node, self.names[states[0]], STATES[state]] += 1
            else:
                self.phases[node, self.names[state]] = [time, None]
        elif kind == EXIT and states and states[-1] == state:
            states.pop()
            if state in self.names:
                self.phases[node, self.names[state]][1] = time
        else:
            self.strays.append((node, time, kind, state))

    def times(self, node, phase, since=None, until=None):
        """{state: time}"""
        found = dict.fromkeys(SHARES, 0)
        for start, end, which, state in self.spans[node]:
            if which == phase or phase is None:
                start, end = max(start, start if since is None else since), min(end, end if until is None else until)
                found[state] += max(end - start, 0)
        return found


class Live:
    """Shows the shares since the last line."""

    def __init__(self, occupancy, step):
        self.occupancy, self.step, self.next = occupancy, step, None

    def at(self, time):
        self.next = self.next or time + self.step
        while time >= self.next:
            text = []
            for node in range(NODES):
                times = self.occupancy.times(node, None, self.next - self.step, self.next)
                all_of = sum(times.values())
                text += [f"node {node} " + (" ".join(f"{name} {100 * t / all_of:3.0f}" for name, t in times.items() if name != REST) if all_of else "-")]
            print("  " + "   ".join(text) + "  %", file=sys.stderr, flush=True)
            self.next += self.step


def words(out, steps, rows, lan="", delays=(), icount=ICOUNT):
    strips = os.path.join(PROGRAMS, "strips")
    return [os.path.join(ROOT, "scripts", "perfboard"), "cluster", "-n", str(NODES), "--lan", *([lan] if lan else []), "--join", "boot", "--patience", PATIENCE,
            "--quiet", "--timeout", "1800", "--icount", str(icount), "--out", out, "--add", f"{strips}=/bin/strips", "--device", "multikron,collect=0,chardev=mk",
            "--qemu-arg=-chardev", f"--qemu-arg=file,id=mk,path={os.path.join(out, 'stream-{node}.mk')}",
            *guest.watched(os.path.join(out, "marks-{node}")), "--",
            "echo 0 >/proc/sys/kernel/randomize_va_space; strips " + " ".join(map(str, [steps, COLUMNS, *rows, *delays])) + " >said && hostput said <said"]


def follow(lines, live):
    """What mkcollect writes, as it comes."""
    for row in csv.DictReader(lines):
        time = int(row["ticks"]) * TICK_NS
        live.at(time)
        live.occupancy.add(int(row["node"]), time, row["kind"], row["id"])


def collect(out, steps, rows, lan="", delays=(), icount=ICOUNT, step=LIVE_NS):
    """step: of the samples' time, from one line that is shown to the next."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    os.mkfifo(os.path.join(out, "stream-0.mk"))
    seen = Occupancy(phases_of(delays))
    nodes = subprocess.Popen(words(out, steps, rows, lan, delays, icount), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    reader = subprocess.Popen(["sh", "-c", 'tee "$1/collect.mk" <"$1/stream-0.mk" | "$0"', os.path.join(TOOLS, "mkcollect"), out],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        try:
            live = pool.submit(follow, reader.stdout, Live(seen, step))
            text = nodes.communicate()[0]
            if nodes.returncode:
                raise SystemExit(f"study: the nodes failed ({nodes.returncode}):\n{text}")
            live.result()
        except BaseException:
            nodes.terminate()
            os.killpg(reader.pid, signal.SIGTERM)  # it may wait for a writer
            raise
    complaint = reader.communicate()[1]
    if reader.returncode:
        raise SystemExit(f"study: mkcollect: status {reader.returncode}\n{complaint}")
    say("strips has run on all nodes")
    for node in range(NODES):
        for phase in seen.names.values():
            if not all(seen.phases.get((node, phase), [None])):
                raise SystemExit(f"study: node {node}: the {phase} phase has no beginning, or no end, in what was collected")
    return Found(seen, truth(out, steps, seen.names, icount), [said(out, node) for node in range(NODES)], os.path.join(out, "collect.mk"))


def replayed(stream, phases=PHASES, skip=None):
    """What mkcollect's lines of a file add up to, without the one at `skip`."""
    lines = tool("mkcollect", stream).decode().splitlines()
    seen = Occupancy(phases)
    follow([line for n, line in enumerate(lines) if n != skip], Live(seen, UNSEEN))
    return seen


def read(out, steps, delays=(), icount=ICOUNT):
    """What collect has found, from its files."""
    stream, phases = os.path.join(out, "collect.mk"), phases_of(delays)
    return Found(replayed(stream, phases), truth(out, steps, phases, icount), [said(out, node) for node in range(NODES)], stream)


def events(steps, phases):
    """A node's, in the program's order."""
    step = [(kind, state) for state in ("4", "5", "3") for kind in (ENTER, EXIT)]
    return [event for phase in phases for event in [(ENTER, phase), *step * steps, (EXIT, phase)]]


def truth(out, steps, phases=PHASES, icount=ICOUNT):
    true, expected = Occupancy(phases), events(steps, phases)
    for node in range(NODES):
        marks = guest.marks(os.path.join(out, f"marks-{node}"))
        if len(marks) != len(expected):
            raise SystemExit(f"study: node {node}: {len(marks)} marks, not {len(expected)}")
        for (problem, privileged, _), event in zip(marks, expected):
            true.add(node, problem + privileged << icount, *event)
    return true


def said(out, node):
    with open(os.path.join(out, f"node-{node}", "said"), encoding="ascii") as f:
        return {key: int(value) for key, value in map(str.split, f)}


def percent(times):
    return {state: 100 * time / sum(times.values()) for state, time in times.items()}


def rows_of(rows, phase):
    return rows if phase == PHASES["1"] else [sum(rows) // NODES] * NODES


def table(found, rows):
    lines = []
    for phase in PHASES.values():
        for node, height in enumerate(rows_of(rows, phase)):
            times = found.seen.times(node, phase)
            shares, true = percent(times), percent(found.true.times(node, phase))
            lines += [dict(zip(HEADER, [phase, node, height, state, found.seen.visits[node, phase, state] or "", f"{times[state] / 1000:.1f}",
                                        f"{shares[state]:.3f}", f"{true[state]:.3f}", f"{round(shares[state] - true[state], 3) + 0:.3f}"])) for state in SHARES]
    return lines


def lasted(occupancy, phase):
    """From when the first node begins it to when the last one ends it."""
    spans = [occupancy.phases[node, phase] for node in range(NODES)]
    return max(end for _, end in spans) - min(start for start, _ in spans)


def tool_times(found):
    """mkstat's own times of the states, of all phases."""
    text = tool("mkstat", "--csv", "states", found.stream).decode()
    return {(int(row["node"]), STATES[row["state"]]): round(1000 * float(row["self_us"])) for row in csv.DictReader(io.StringIO(text)) if row["state"] in STATES}


def share_of(lines, phase, state):
    """By node."""
    return [float(line["share_percent"]) for line in lines if line["phase"] == phase and line["state"] == state]


def kept(found):
    for node, told in enumerate(found.said):
        if not found.seen.samples[node] == told["events"] == found.true.samples[node] or told["overruns"]:
            yield (f"node {node}: {told['events']} samples written, {found.seen.samples[node]} collected, {told['overruns']} overruns, "
                   f"{found.true.samples[node]} marks")
    for node, time, kind, state in found.seen.strays + found.true.strays:
        yield f"node {node}: at {time} ns state {state}: {kind} out of its order"
    for (node, phase), (start, end) in sorted(found.seen.phases.items()):
        if end is None or sum(found.seen.times(node, phase).values()) != end - start:
            yield f"node {node}: the states' times of the {phase} phase do not add up to its time"


def complaints(found, lines):
    yield from kept(found)
    for key, time in tool_times(found).items():
        if found.seen.times(key[0], None)[key[1]] != time:
            yield f"node {key[0]}: {key[1]}: {found.seen.times(key[0], None)[key[1]]} ns, mkstat says {time}"
    for line in lines:
        if abs(float(line["error_points"])) > NEAR:
            yield f"node {line['node']}: {line['phase']}: {line['state']} {line['share_percent']} %, in truth {line['true_share_percent']} %"
    yield from balance(found, lines)


def balance(found, lines):
    """What state occupancy is for: it shows who waits for whom, and that alike strips are better."""
    uneven, even = PHASES.values()
    compute, wait = share_of(lines, uneven, "compute"), share_of(lines, uneven, "wait")
    if compute != sorted(set(compute)) or wait != sorted(set(wait), reverse=True):
        yield f"with more rows a node does not compute more and wait less: {compute} and {wait} %"
    spread = {phase: max(shares) - min(shares) for phase in (uneven, even) for shares in [share_of(lines, phase, "compute")]}
    if spread[even] > spread[uneven] / 2:
        yield f"with alike strips the nodes' computing differs by {spread[even]:.1f} points, with others by {spread[uneven]:.1f}"
    if lasted(found.seen, even) >= lasted(found.seen, uneven):
        yield f"with alike strips it takes {lasted(found.seen, even)} ns, with others {lasted(found.seen, uneven)}"


# --- what it looks like ---

COLOURS = {"compute": "#2f6db3", "send": "#d9a02b", "wait": "#c1402f"}
WINDOWS = 40


def bounds(found):
    """Of all nodes' samples: they have one time."""
    times = [time for span in found.seen.phases.values() for time in span]
    return min(times), max(times)


def over_time(found):
    """A row of stacked boxes for each node."""
    def words(folder):
        first, last = bounds(found)
        edges = [first + (last - first) * n // WINDOWS for n in range(WINDOWS + 1)]
        lines = [f"set multiplot layout {NODES},1 margins 0.08,0.86,0.16,0.97 spacing 0.05", "set style fill solid 1 noborder",
                 f"set boxwidth {(last - first) / 1e6 / WINDOWS}",
                 "set yrange [0:100]", "set ytics 50", "set tics nomirror out", "set border 3", f"set xrange [0:{(last - first) / 1e6}]", "unset key"]
        for node in range(NODES):
            rows = []
            for since, until in zip(edges, edges[1:]):
                times = found.seen.times(node, None, since, until)
                heights = itertools.accumulate(100 * times[state] / (until - since) for state in COLOURS)
                rows.append(" ".join([f"{((since + until) / 2 - first) / 1e6:.3f}", *(f"{height:.2f}" for height in heights)]))
            path = data(folder, f"node-{node}", rows)
            plots = [f"{path} using 1:{n + 2} with boxes lc rgb '{COLOURS[state]}' title {quoted(state)}" for n, state in reversed(list(enumerate(COLOURS)))]
            lines += [f"set ylabel 'node {node}, %'", *(["set key at graph 1.02, graph 0.98 left top"] if node == 0 else ["unset key"]),
                      *(["set xlabel 'ms'", "set format x '%g'"] if node == NODES - 1 else ["set format x ''"]), "plot " + ", ".join(plots)]
        return "\n".join([*lines, "unset multiplot"])
    return words


def show(page, found, lines):
    page.title("State occupancy of a program on four nodes")
    page.text("Four machines, each with a card, relax a grid of which each has a strip. Before each step a node sends its outermost rows to its neighbours, over TCP, and waits for "
              "theirs. It does all of it twice: first with strips of 32, 64, 96 and 128 rows, then with strips that are all alike. "
              "At each change of state a node stores a sample. The samples go over the collection network to node 0, and out of its card into a pipe; the table was added up, and shown, while the nodes ran. All cards have one time (the paper's "
              "synchronized timestamps, page 2).")
    page.text("The truth is known from outside: a node that waits asks again and again, so its processor is never halted, and its instructions, 16 ns each, are its time. Rest: what lies "
              "between one state and the next.")
    page.table("Occupancy (occupancy.csv)", ["phase", "node", "rows", "state", "visits", "time, us", "share, %", "in truth, %", "error, points"],
               [list(line.values()) for line in lines])
    uneven, even = (lasted(found.seen, phase) / 1e6 for phase in PHASES.values())
    page.picture(over_time(found), f"Shares of time, {WINDOWS} slices. The first phase takes {uneven:.1f} ms, the second {even:.1f} ms. "
                 "White: the rest, and before and behind a node's own time.")
    page.text(f"The four programs have written {sum(told['events'] for told in found.said)} samples; {sum(found.seen.samples.values())} were collected.")


def report(found, lines):
    print(f"{'phase':8}{'node':>5}{'rows':>6}  " + "".join(f"{state + ', %':>14}{'in truth':>10}" for state in SHARES))
    for phase in PHASES.values():
        for node in range(NODES):
            mine = [line for line in lines if (line["phase"], line["node"]) == (phase, node)]
            print(f"{phase:8}{node:>5}{mine[0]['rows']:>6}  " + "".join(f"{line['share_percent']:>14}{line['true_share_percent']:>10}" for line in mine))
    print("the phases take " + " and ".join(f"{lasted(found.seen, phase) / 1e6:.3f} ms" for phase in PHASES.values()))
