# SPDX-License-Identifier: GPL-2.0-or-later
"""workloads - the paper's derived measures of programs of the kinds that it names, and what blocking, unrolling and layout do.

  command(workload)             what the guest is to run
  table(texts)                  [{"workload":, "variant":, measure: number}], of what the commands have written; {measure: " [unit]"}
  counts(texts)                 (header, rows) of the counts themselves
  complaints(rows)              what does not hold that should

The measures are those of guest/power2/rules and of mix.rules beside this file, by p2reduce.
"""

import csv
import io
import os

from guestrun.demo import tool

HERE = os.path.dirname(os.path.realpath(__file__))
WORKLOADS = ["lisp", "transactions", "dense", "stencil", "sparse", "fft"]
FLOATING = WORKLOADS[2:]
RULES = ["cpi", "misses", "mflops", "utilisation", os.path.join(HERE, "mix.rules")]
EVENTS = ("accesses cycles dcache_castouts dcache_held dcache_load_mis dcache_mis dcache_store_mis dispatch_0 flops fp_fma fpu0_busy fpu1_busy fpu_pairs "
          "fxu0_busy fxu1_busy fxu_pairs held_branch icache_held icache_mis instructions loads lost machine_cycles mem_bus_busy stores tlb_held tlb_mis "
          "fx_arith fx_compare fp_arith load_instructions store_instructions branches system_calls fpu_held_result").split()
KEY = ("workload", "variant")


def command(workload):
    return f"p2study counts {workload} {','.join(EVENTS)}"


def table(texts):
    rows, units = [], {}
    for text in texts:
        words = [word for rule in RULES for word in ("-r", rule)]
        reduced = tool("p2reduce", *words, "--by", ",".join(KEY), "--csv", data=text.encode()).decode()
        for line in csv.DictReader(io.StringIO(reduced)):
            name = tuple(line[key] for key in KEY)
            if not rows or tuple(rows[-1][key] for key in KEY) != name:
                rows.append(dict(zip(KEY, name)))
            rows[-1][line["rule"]] = float(line["mean"]) if line["mean"] else None
            units[line["rule"]] = f" [{line['unit']}]" if line["unit"] else ""
    return rows, units


def counts(texts):
    lines = [list(csv.reader(line for line in text.splitlines() if not line.startswith("#"))) for text in texts]
    return lines[0][0], [row for part in lines for row in part[1:]]


# Of the variant on the left a measure is at most so many times that of the variant on the right.
BETTER = [
    ("dense", "layout", "plain", "dcache_misses_per_1000", 0.25),
    ("dense", "blocked", "layout", "dcache_misses_per_1000", 0.25),
    ("dense", "blocked", "plain", "cpi", 0.5),
    ("dense", "plain", "unrolled", "flops_per_cycle", 0.25),
    ("dense", "unrolled", "blocked", "memory_per_flop", 0.5),
    ("stencil", "layout", "plain", "dcache_misses_per_1000", 0.25),
    ("stencil", "blocked", "layout", "dcache_misses_per_1000", 0.5),
    ("stencil", "blocked", "unrolled", "flops_per_cycle", 0.8),
    ("stencil", "unrolled", "blocked", "memory_per_flop", 0.9),
    ("sparse", "layout", "plain", "dcache_misses_per_1000", 0.5),
    ("sparse", "layout", "unrolled", "flops_per_cycle", 0.8),
    ("fft", "layout", "plain", "dcache_misses_per_1000", 0.9),
    ("fft", "blocked", "layout", "dcache_misses_per_1000", 0.5),
    ("fft", "unrolled", "blocked", "memory_per_flop", 0.8),
]
# A workload's measure is above that of all others; OTHERS: but for these.
MOST = [("lisp", "branch_held"), ("transactions", "branch_held"), ("transactions", "icache_misses_per_1000"), ("transactions", "privileged")]
OTHERS = {"branch_held": ("lisp", "transactions")}
PARTS = ("cpi_machine", "cpi_dcache", "cpi_tlb", "cpi_icache")
NEAR = 0.02  # each value of MMCR has a run of its own, and the timer's interrupts differ between them


def complaints(rows):
    known = {tuple(row[key] for key in KEY): row for row in rows}
    for row in rows:
        if abs(sum(row[part] for part in PARTS) / row["cpi"] - 1) > NEAR:
            yield f"{row['workload']}, {row['variant']}: the parts of the CPI are {[row[part] for part in PARTS]}, all of it {row['cpi']}"
    for workload, better, worse, measure, factor in BETTER:
        if (workload, better) in known and not known[workload, better][measure] <= factor * known[workload, worse][measure]:
            yield (f"{workload}: {measure} is {known[workload, better][measure]} with '{better}', more than {factor} of "
                   f"{known[workload, worse][measure]} with '{worse}'")
    for workload, measure in MOST:
        mine = [row[measure] for row in rows if row["workload"] == workload]
        most = max((row[measure] for row in rows if row["workload"] not in OTHERS.get(measure, workload)), default=0)
        if mine and not min(mine) > most:
            yield f"{workload}: {measure} is {min(mine)}, elsewhere {most}"
    for row in rows:
        if row["workload"] not in FLOATING and row["floating_point"] > 0.1:
            yield f"{row['workload']}: {row['floating_point']} % of the instructions are floating-point arithmetic"
