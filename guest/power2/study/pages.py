# SPDX-License-Identifier: GPL-2.0-or-later
"""pages - the parts of the study's page: text, tables and pictures of what the other files have measured.

  workloads(page, rows, units) of workloads.table()
  intruded(page, rows)         of intrusion.measured()
  scheduled(page, rows)        of schedule.measured()
  findings(page, wrong)        what should hold, and what does not
  as_text(rows)                the most important measures, for standard output
"""

from studyrun.chart import bars, colour, curves
from studyrun.page import quoted, verdict

import intrusion
import schedule

COLOURS = ["#7a7a7a", "#c1402f", "#d9a02b", "#2f6db3", "#4f9a51", "#8a5fa8"]
SHORT = ["cpi", "cpi_machine", "cpi_dcache", "cpi_tlb", "cpi_icache", "dcache_miss_ratio", "flops_per_cycle", "branch_held"]
CPI = {"cpi_machine": "without misses", "cpi_dcache": "data cache", "cpi_tlb": "TLB reloads", "cpi_icache": "instruction cache"}


def number(value):
    if not isinstance(value, float):
        return "" if value is None else value
    return f"{value:.2f}" if abs(value) >= 10 else f"{value:.3f}"


def stacked(rows, names, label):
    """A bar for each row, of the columns `names` one on another. names: {column: what it is called}"""
    return bars({f"{row['workload']} {row['variant']}": [row[name] or 0 for name in names] for row in rows},
                {text: colour(rgb) for text, rgb in zip(names.values(), COLOURS)},
                ["set xtics rotate by -40", "set yrange [0:]", f"set ylabel {quoted(label)}"], stacked=True)


def workloads(page, rows, units):
    page.title("Workloads")
    page.text("The paper names as uses of the monitor a single benchmark such as SPEC's li, numerical analysis, and transactions (TPC); it has no numbers "
              "of them, and points to other papers. Here: a Lisp interpreter that places queens on a board, as li does; a bank's transactions with a hash "
              "table, an index, and a log on a file; and four floating-point kernels. Each one verifies its result. Each is counted in its inner part, with "
              "what the kernel does for it meanwhile, by private counters. Events that do not fit into one value of MMCR do not take turns: the inner part "
              "runs once for each value, so no count is an estimate.")
    page.text("The node is a thin one: 64 KB of data cache in 4 ways, lines of 64 bytes. Plain: as one writes it down. Layout: other places in memory, or "
              "another order. Blocked: parts that stay in the cache. Unrolled: blocked as well (sparse: the layout), and more at once in registers.")
    measures = [name for name in rows[0] if name not in ("workload", "variant")]
    half = sum(row["workload"] in ("lisp", "transactions", "dense") for row in rows)
    for part in filter(None, (rows[:half], rows[half:])):  # beside each other they are too wide
        page.table("Derived measures (workloads.csv; the counts: counts.csv)", ["", *(f"{row['workload']} {row['variant']}" for row in part)],
                   [[name + units[name], *(number(row[name]) for row in part)] for name in measures])
    page.picture(stacked(rows, CPI, "cycles for each instruction"), "The CPI, and what it is made of.")
    floating = [row for row in rows if row["flops_per_cycle"] > 0.01]
    page.picture(stacked(floating, {"flops_per_cycle": "operations of a cycle; the peak is four"}, "floating-point operations of a cycle"),
                 "Operations of a cycle. The unrolled product of matrices has a higher CPI than the blocked one, and does more than twice as many "
                 "operations in a cycle: it needs fewer instructions.")


def intruded(page, rows):
    page.title("Intrusion")
    page.text("The paper (Command line tools): with the counters reset, a program run, and the counters read there is \"no intrusion at all\"; with hooks "
              "that dump the counters into the trace, depending on how many are enabled, data gathering is \"slightly intrusive (in the neighborhood of "
              "10%)\". Here: instructions between two marks of the program, counted from outside by a plugin of QEMU's that needs no monitor; the "
              "program's, the kernel's, and those of other processes that read the log.")
    page.table("Intrusion (intrusion.csv)", ["program", "with", "its hooks", "problem state", "privileged state", "more", "%", "for each hook"],
               [[row["program"], intrusion.text(row["way"]), *list(row.values())[2:]] for row in rows])
    page.picture(dearer(rows), "What hooks cost, by how many instructions of the program lie between two of them.")
    page.text("Ten percent are reached where a program has a hook about every " +
              " and every ".join(f"{spacing} instructions ({program})" for program, spacing in intrusion.ten_percent(rows).items()) +
              ". So the paper's figure is one of how densely a program is hooked, and not of the monitor.")


def dearer(rows):
    series = []
    for n, program in enumerate(dict.fromkeys(row["program"] for row in rows), 1):
        mine = intrusion.of(rows, program)
        whole = mine[intrusion.NONE]["problem"] + mine[intrusion.NONE]["privileged"]
        points = [(whole / row["hooks"], row["percent"]) for row in mine.values() if row["hooks"]]
        series.append((program, points, f"with linespoints pt 7 ps 0.6 lw 2 {colour(COLOURS[n])}"))
    series.append(("the paper: about 10 %", "10", f"with lines dashtype 3 {colour(COLOURS[0])}"))
    return curves(series, ["set logscale xy", "set key right top", "set xlabel 'instructions from one hook to the next'",
                           "set ylabel 'the run has more instructions by, %'"])


def scheduled(page, rows):
    page.title("A scheduler that uses the counters")
    page.text("The paper only suggests it (Introduction): \"Process scheduling is an area for which adaptation to workload could enhance system "
              "performance.\" Four processes yield behind each piece of work, on two processors with a data cache each. In each of three phases another two "
              "of them are hungry: their data fill three quarters of a wide node's cache. Two hungry ones on one processor take the cache from each other "
              "at each piece; a hungry one beside one that is not loses little. Each fixed distribution is the wrong one in one of the phases.")
    page.text("The scheduler is a program in problem state. It reads each process's private counters every 20 ms. If two processes on one processor both "
              "miss more than 25 times in 1000 instructions, one of them changes places with a process of the other processor. The measure is cycles of the "
              "POWER2's own; the guest's time knows of no misses.")
    other, ours = rows[0], rows[-1]
    looks, gain = ours["scheduler_cycles"] - other["scheduler_cycles"], other["cycles"] - ours["cycles"]
    page.text("The scheduler's own cycles stand beside those of the four processes, and are no part of the gain. Its looks cost "
              f"{looks:,} cycles more than to wait does, and the processes do with {gain:,} less than with '{schedule.TEXT[other['way']]}': with phases as short as "
              f"these it {'pays' if looks < gain else 'does not pay'} as a program of its own.")
    page.table("Scheduling (schedule.csv)", ["distribution", "cycles", "the scheduler's", "instructions", "data cache misses", "moves", "CPI",
                                               "misses in 1000", "more cycles, %"],
               [[schedule.TEXT[row["way"]], *list(row.values())[1:]] for row in rows])
    page.picture(cycles_and_misses(rows), "Cycles of all processes, and misses of the data cache.")


def cycles_and_misses(rows):
    return bars({row["way"]: [row["cycles"] / 1e6, row["dcache_mis"] / 1e3] for row in rows},
                {"cycles": colour(COLOURS[3]), "misses": f"axes x1y2 {colour(COLOURS[1])}"},
                ["set border 11", "set yrange [0:]", "set y2range [0:]", "set y2tics", "set ylabel 'millions of cycles'", "set y2label 'thousands of misses'"])


def findings(page, wrong):
    page.title("What should hold")
    page.text("The CPI is the sum of its parts. Layout lowers the data cache's misses, blocking lowers them again; unrolling needs fewer loads for an "
              "operation and does more operations in a cycle. In the interpreter and the transactions nothing is dispatched in more of the cycles since a "
              "branch waits than in any floating-point kernel; the transactions miss the instruction cache most, and have most in the kernel. Counters cost "
              "less than two percent, and the program itself executes the same; the log costs more, hooks more still, each one about the same, and ten "
              "percent lie between seldom and often. The counters' scheduler lets the processes do with fewer cycles "
              f"than Linux's choice and each fixed distribution do, by {schedule.GAIN} % at least, and with at most {schedule.FEWER} of their misses. "
              + verdict(wrong))


def as_text(rows, intruded_rows, scheduled_rows):
    lines = [f"{'':24}" + "".join(f"{name:>18}" for name in SHORT)]
    lines += [f"{row['workload'] + ' ' + row['variant']:24}" + "".join(f"{number(row[name]):>18}" for name in SHORT) for row in rows]
    lines += ["", "Intrusion, in percent of the program's instructions"]
    lines += [f"{row['program']:14}{intrusion.text(row['way']):52}{row['hooks']:>8} hooks{row['percent']:>9} %" for row in intruded_rows]
    lines += ["", "Scheduling"]
    lines += [f"{schedule.TEXT[row['way']]:40}{row['cycles']:>12} cycles{row['dcache_mis']:>10} misses{row['moves']:>4} moves" for row in scheduled_rows]
    return "\n".join(lines)
