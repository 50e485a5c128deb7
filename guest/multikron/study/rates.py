# SPDX-License-Identifier: GPL-2.0-or-later
"""rates - samples at rising rates: what MULTIKRON takes, loses and delays, and whether the knee lies where the paper's numbers put it.

  MACHINES                           the paper's chip, and others with a longer FIFO and with a slower network
  runs(machine, quick)               what flood does there
  words(out, machine, runs)          the guest's command line
  measured(out, machine, quick)      boots it: (machine, rows, bursts), of HEADER and BURST_HEADER
  complaints(machine, rows, bursts)                        what does not hold that should
  show(page, results), report(results)                     results: [(machine, rows, bursts)]

A program that sends a sample each `period` instructions has sent for a time of its own: sent * period instructions. In a timer's interrupt nobody sends,
and the network goes on for as long as the FIFO has something. So rates are for a second of the program's own time (and of its waiting).
"""

import collections
import math
import os

from studyrun.chart import colour, curves
from studyrun.guest import boot

import measure

ICOUNT = 3  # an instruction takes 8 ns: the knees lie at whole instructions, and a burst has left the processor before a sample has left the chip
INSTRUCTION_NS = 1 << ICOUNT
CLOCK_NS, TICK_NS = 20, 100  # of the node clock, in which the chip counts waits, and of the Timestamp
WHOLE = 5  # instructions that are whole node clocks: each wait is counted in whole clocks, and would else be counted as too long

Machine = collections.namedtuple("Machine", "name folder card byte_ns depth")
PAPER = Machine("the paper's", "rates", "", 40, 8)  # "up to 25 million data bytes per second" (abstract); 8 levels are ours: "a small internal FIFO" (p. 5)
MACHINES = [PAPER, Machine("FIFO of 16", "rates-fifo", ",fifo-depth=16", 40, 16),
            Machine("half the network", "rates-network", ",free=fifo,free-size=1,free-rate=12500000", 80, 8)]
BYTES = {"trace": 16, "resource": 80, "mixed": (80 + 4 * 16) / 5}  # Tables 6 and 7
PAPER_SAYS = {"trace": "1.5 million", "resource": "0.3 million"}  # page 2
SAMPLES = {"trace": 8000, "resource": 2000, "mixed": 8000}
COUNT, BURST = "count", "burst"
COUNTS, COUNT_PERIODS = 8000, [400, 80, 8]
PERCENT = [400, 200, 150, 125, 110, 105, 95, 90, 80, 70, 60, 50, 40, 30, 20, 10]  # a period, of the one at the limit
QUICK = [200, 50]
BURSTS = 20

Run = collections.namedtuple("Run", "kind wait period samples")
Ran = collections.namedtuple("Ran", "run sent overruns waited_ns ns received")
HEADER = ["machine", "kind", "if_full", "period", "offered_per_s", "limit_per_s", "sent", "received", "lost", "lost_percent", "waited_ns", "time_ns", "received_per_s"]
BURST_HEADER = ["machine", "fifo_depth", "burst", "sent", "received", "lost", "lost_of_a_burst"]
INTERRUPTS = 0.1  # of the time, at most
NEAR = 0.01  # a rate: the FIFO's content at the end, and what leaves it during interrupts


def sample_ns(machine, kind):
    return BYTES[kind] * machine.byte_ns


def at_limit(machine, kind):
    """Instructions from one sample to the next."""
    return round(sample_ns(machine, kind) / INSTRUCTION_NS)


def runs(machine, quick=False):
    found = []
    percent = QUICK if quick else PERCENT
    for kind, samples in SAMPLES.items():
        limit = at_limit(machine, kind)
        periods = {limit - 1, limit, limit + 1, *(round(limit * p / 100) for p in percent)}
        found += [Run(kind, "discard", period, samples) for period in sorted(periods, reverse=True)]
        whole = {WHOLE * round(limit * p / 100 / WHOLE) for p in percent}
        found += [Run(kind, "wait", period, samples) for period in sorted(whole, reverse=True)]
    found += [Run(COUNT, "discard", period, COUNTS) for period in COUNT_PERIODS]
    sizes = range(machine.depth - 1, machine.depth + 3) if quick else [1, 2, 4, *range(6, 11), 12, 14, 16, 18]
    return found + [Run(BURST, "discard", size, size * BURSTS) for size in sizes]


def words(out, machine, runs):
    script = [f"flood {number} {run.kind} {run.wait} {run.period} {run.samples}" for number, run in enumerate(runs, 1)]
    return measure.guest(out, ["echo 0 >/proc/sys/kernel/randomize_va_space", *script], ["flood"], ICOUNT, machine.card)


def read(out, runs):
    with open(os.path.join(out, "said"), encoding="ascii") as f:
        said = [list(map(int, line.split()[1:])) for line in f if line.startswith("flood ")]
    if [number for number, *_ in said] != list(range(1, len(runs) + 1)):
        raise SystemExit(f"study: {len(said)} of {len(runs)} floods have said something")
    arrived = collections.Counter(row["id"] for row in measure.card_samples(out))
    return [Ran(run, sent, overruns, waited * CLOCK_NS, ticks * TICK_NS, counted if run.kind == COUNT else arrived[str(number)])
            for run, (number, sent, overruns, waited, counted, ticks) in zip(runs, said)]


def measured(out, machine, quick=False):
    """(machine, rows, bursts)"""
    wanted = runs(machine, quick)
    os.makedirs(out, exist_ok=True)
    boot(words(out, machine, wanted))
    found = read(out, wanted)
    return machine, table(machine, found), burst_table(machine, found)


def own_ns(ran):
    return ran.sent * ran.run.period * INSTRUCTION_NS


def table(machine, found):
    rows = []
    for ran in found:
        run = ran.run
        if run.kind != BURST:
            limit = round(1e9 / sample_ns(machine, run.kind)) if run.kind in SAMPLES else ""
            rows.append(dict(zip(HEADER, [
                machine.name, run.kind, run.wait, run.period, round(1e9 / (run.period * INSTRUCTION_NS)), limit,
                ran.sent, ran.received, ran.overruns, f"{100 * ran.overruns / ran.sent:.2f}", ran.waited_ns, ran.ns,
                round(1e9 * ran.received / (own_ns(ran) + ran.waited_ns))])))
    return rows


def burst_table(machine, found):
    return [dict(zip(BURST_HEADER, [machine.name, machine.depth, ran.run.period, ran.sent, ran.received, ran.overruns, f"{ran.overruns / BURSTS:.2f}"]))
            for ran in found if ran.run.kind == BURST]


def knee(rows, kind):
    """The shortest period at which nothing is lost, and the longest at which something is; 0: none."""
    mine = [row for row in rows if row["kind"] == kind and row["if_full"] == "discard"]
    return (min((row["period"] for row in mine if not row["lost"]), default=0),
            max((row["period"] for row in mine if row["lost"]), default=0))


def taken(machine, kind, period, sent):
    """How many of those sent faster than the network is get through: one FIFO (Trace) that is never empty; one level of shadow registers, which are
    occupied until a sample's last byte has gone (p. 8, Table 3B). None: not worked out."""
    each, own = sample_ns(machine, kind), period * INSTRUCTION_NS
    if kind == "trace":
        return machine.depth + sent * own / each
    # Within a clock of a multiple it depends on where in the clock the sample is sent.
    times = each / own
    return None if kind == "mixed" or abs(times - round(times)) < 2 * CLOCK_NS / own else sent / math.ceil(times)


def complaints(machine, rows, bursts):
    def far(number, wanted):
        return abs(number / wanted - 1) > NEAR

    for row in [*rows, *bursts]:
        what = f"{machine.name}: {row.get('kind', 'burst')} {row.get('period', row.get('burst'))}"
        if row["sent"] != row["received"] + row["lost"]:
            yield f"{what}: {row['sent']} sent are not {row['received']} received and {row['lost']} lost"
    for kind in SAMPLES:
        limit = at_limit(machine, kind)
        if knee(rows, kind) != (limit, limit - 1):
            yield f"{machine.name}: {kind}: the knee lies between {knee(rows, kind)} instructions a sample, not between {limit} and {limit - 1}"
    for row in rows:
        if row["kind"] == COUNT:
            if row["received"] != row["sent"]:
                yield f"{machine.name}: {row['received']} of {row['sent']} software counts are counted"
            continue
        what = f"{machine.name}: {row['kind']}, {row['if_full']}, a sample each {row['period']} instructions"
        faster = row["period"] < at_limit(machine, row["kind"])
        if row["if_full"] == "wait":
            if row["lost"]:
                yield f"{what}: {row['lost']} are lost in spite of the wait"
            if bool(row["waited_ns"]) != faster:
                yield f"{what}: waited {row['waited_ns']} ns"
            alone = row["sent"] * row["period"] * INSTRUCTION_NS + row["waited_ns"]
            if not alone - 2 * TICK_NS <= row["time_ns"] <= alone * (1 + INTERRUPTS):
                yield f"{what}: it takes {row['time_ns']} ns; its instructions and its waiting are {alone} ns"
            if far(row["received_per_s"], min(row["limit_per_s"], row["offered_per_s"])):
                yield f"{what}: {row['received_per_s']} come in a second, not {min(row['limit_per_s'], row['offered_per_s'])}"
        else:
            if row["waited_ns"]:
                yield f"{what}: waited, and should not"
            wanted = taken(machine, row["kind"], row["period"], row["sent"]) if faster else row["sent"]
            if wanted and far(row["received"], wanted):
                yield f"{what}: {row['received']} of {row['sent']} come, not {wanted:.0f}"
    for row in bursts:
        most = max(0, row["burst"] - machine.depth) * BURSTS
        # While a timer's interrupt lasts a burst's samples leave; there is one such burst at most.
        if not most * (BURSTS - 1) / BURSTS <= row["lost"] <= most:
            yield f"{machine.name}: bursts of {row['burst']}: {row['lost']} are lost, not {most}"


# --- what it looks like ---

COLOURS = {"trace": "#2f6db3", "resource": "#c1402f", "mixed": "#4f9a51"}


def knees(results):
    """Of each machine and kind: samples a second, computed and measured."""
    for machine, rows, _ in results:
        for kind in SAMPLES:
            good, bad = (round(1e9 / (period * INSTRUCTION_NS)) if period else "none" for period in knee(rows, kind))
            fastest = max(row["received_per_s"] for row in rows if row["kind"] == kind and row["if_full"] == "wait")
            yield [machine.name, kind, PAPER_SAYS.get(kind, "") if machine is PAPER else "", round(1e9 / sample_ns(machine, kind)), good, bad, fastest]


def received(rows):
    series = []
    for kind, rgb in COLOURS.items():
        for wait, style, what in (("discard", "linespoints pt 7 ps 0.5 lw 2", ""), ("wait", "points pt 4 ps 0.8", ", waits")):
            mine = [row for row in rows if row["kind"] == kind and row["if_full"] == wait]
            points = [(row["offered_per_s"] / 1e6, row["received_per_s"] / 1e6) for row in mine]
            series.append((kind + what, points, f"with {style} {colour(rgb)}"))
        series.append((None, str(mine[0]["limit_per_s"] / 1e6), f"with lines dashtype 3 {colour(rgb)}"))
    return curves(series, ["set logscale xy", "set key outside right", "set xrange [0.05:20]", "set yrange [0.05:2]", "set xlabel 'samples sent, million a second'",
                           "set ylabel 'samples received, million a second'"])


def show(page, results):
    page.title("Rates, and what is lost behind the FIFO")
    page.text("The program flood sends samples at a rate that is exact to an instruction of 8 ns. It counts what it has sent; what has come is counted in what "
              "has left the network; what was lost is the chip's Overrun Counter. These three must agree. "
              "The paper's network takes up to 25 million bytes a second (abstract), so a trace sample of 16 bytes (Table 6) takes 640 ns and a resource sample of 80 bytes (Table 7) 3200 ns; the paper says about 1.5 and 0.3 million samples a "
              "second (page 2). Mixed: each fifth sample is a resource sample. Rates are for a second of the program's own time, without timer interrupts.")
    page.text("Count: software counts of a resource counter, stores like the others. They have no limit: what is too frequent for samples the paper counts (page 3).")
    page.text("Two other machines show that it is the network and the FIFO that make the limits: a FIFO of 16 samples takes longer bursts at the same rate, a network half as fast "
              "half the rate with the same bursts. The paper's FIFO is small; that it has 8 levels here is an inference.")
    page.table("The knee: samples a second", ["machine", "samples", "the paper says", "by its numbers", "none lost at", "some lost at", "with the wait"], list(knees(results)))
    _, rows, _ = results[0]
    page.picture(received(rows), "The paper's machine: samples sent and received. Dotted: the limit by the paper's numbers. Trace samples go through a FIFO: "
                 "beyond the limit as many come as before. Resource samples have one level of shadow registers: a sample that comes a little too early is lost, and "
                 "the next is in time, so half of them come, then a third, a fourth. Of the mixed ones more trace samples come the more resource samples are lost. "
                 "Squares: with the wait of CSR bit 2 none is lost, and the program takes longer.")
    names = ["samples", "if full", "instructions", "sent a second", "limit", "sent", "received", "lost", "lost, %", "waited, ns", "time, ns", "received a second"]
    page.table("Rates, the paper's machine (rates.csv has all)", names, [[value for name, value in row.items() if name != "machine"] for row in rows])
    page.table("Bursts: samples as fast as the processor stores, and a pause behind each burst (bursts.csv)",
               ["machine", "FIFO", "a burst", "sent", "received", "lost", "lost of a burst"], [list(row.values()) for *_, bursts in results for row in bursts])


def report(results):
    print(f"{'machine':18}{'samples':10}{'computed':>10}{'none lost':>11}{'some lost':>11}{'with the wait':>15}")
    for machine, kind, _, limit, good, bad, fastest in knees(results):
        print(f"{machine:18}{kind:10}{limit:>10}{good:>11}{bad:>11}{fastest:>15}")
