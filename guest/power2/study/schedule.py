# SPDX-License-Identifier: GPL-2.0-or-later
"""schedule - a scheduler that uses the counters, beside Linux's and beside each fixed distribution.

  measured(out, ways)       [{column of HEADER: value}], one for each way; the last one is COUNTERS
  complaints(rows)          what does not hold that should

The processes and the scheduler are schedule.c. What counts are cycles: virtual time knows of no misses.
"""

import measure

HEADER = ["way", "cycles", "scheduler_cycles", "instructions", "dcache_mis", "moves", "cpi", "misses_per_1000", "cycles_against_counters_percent"]
COUNTERS = "counters"
FIXED = ["together-1", "together-2", "together-3"]
WAYS = ["default", *FIXED, COUNTERS]
TEXT = {"default": "Linux chooses", "together-1": "processes 0 and 1 on one processor", "together-2": "processes 0 and 2 on one processor",
        "together-3": "processes 0 and 3 on one processor", COUNTERS: "by the counters"}
# How soon behind a phase's beginning a look comes is not the scheduler's to choose: guests that differ by a file's size gave 4.1 to 5.8 percent, and 0.50
# to 0.61. Where nobody fights for the cache it is less than 0, and 1.
GAIN = 2  # percent more cycles, at least, that any other way needs
FEWER = 0.75  # of its misses at most
DEVICE = "power2-pm,node=wide"  # beside an array of 192 KB there is room for what the kernel needs at a switch


def commands(ways):
    return {f"schedule-{way}": f"p2schedule {way}" for way in ways}


def measured(out, ways):
    return table(measure.boot(out, commands(ways), device=DEVICE, smp=2).values())


def table(texts):
    rows = []
    for text in texts:
        way, *numbers = text.strip().split(",")
        cycles, own, instructions, misses, moves = map(int, numbers)
        rows.append(dict(zip(HEADER, [way, cycles, own, instructions, misses, moves, f"{cycles / instructions:.4f}", f"{1000 * misses / instructions:.3f}"])))
    ours = rows[-1]["cycles"]
    return [{**row, HEADER[-1]: f"{100 * (row['cycles'] / ours - 1):.2f}"} for row in rows]


def complaints(rows):
    ours = rows[-1]
    for row in rows[:-1]:
        if float(row[HEADER[-1]]) < GAIN:
            yield f"scheduling: {row['way']} needs {row[HEADER[-1]]} % more cycles than the counters' scheduler, less than {GAIN} %"
        if ours["dcache_mis"] > FEWER * row["dcache_mis"]:
            yield f"scheduling: {ours['dcache_mis']} misses with the counters' scheduler, more than {FEWER} of {row['dcache_mis']} with {row['way']}"
    if not ours["moves"]:
        yield "scheduling: the counters' scheduler has moved no process"
