# SPDX-License-Identifier: GPL-2.0-or-later
"""shares - which share of its time the program spends in each function, by samples, against what is known.

  table(runs)                HEADER
  complaints(runs, rows)     what does not hold that should

perf takes a sample each 250 us and sees the kernel: its shares are of the program's own instructions. gprof's way sees where a signal
finds the program: the kernel's work is the function's that asked for it. The truth is the instructions between the marks, of the run that
is not measured, in the same sense.

If samples were drawn by chance, a share p of n of them would be off by sqrt(p (1 - p) / n): one sigma.
"""

import math
import re

from measure import FUNCTIONS, ICOUNT, ORDERS, TICK_NS, symbols

HEADER = ["order", "way", "samples", "function", "exact_percent", "sampled_percent", "error_points", "sigmas"]
KERNEL = 1 << 63
FAULTS_IN = "touch"


def addresses(way, text):
    """Of the samples, as far as they are the program's."""
    pattern = r"^sample ([0-9a-f]+)$" if way == "itimer" else r"^\s*([0-9a-f]+)\s*$"
    return [a for a in (int(word, 16) for word in re.findall(pattern, text, re.M)) if a < KERNEL]


def sampled(way, text):
    """{function: samples}, and how many there are."""
    places = symbols()
    all_of_them = addresses(way, text)
    return {name: sum(start <= a < start + size for a in all_of_them) for name, (start, size, _) in places.items()}, len(all_of_them)


def exact(run, way):
    """{function: share} of the user's instructions, or of all."""
    if way == "itimer":
        return by_weight(run.calls, lambda call: call[1] + call[2], 0)
    return by_weight(run.calls, lambda call: call[1], sum(call[1] for call in run.others))


def by_weight(calls, weight, others):
    total = sum(map(weight, calls)) + others
    return {name: sum(weight(call) for call in calls if call[0] == name) / total for name in FUNCTIONS}


def table(runs):
    for order in ORDERS:
        for way in ("record", "itimer"):
            truth = exact(runs["alone"][order], way)
            found, n = sampled(way, runs[way][order].text)
            for name, share in truth.items():
                told = found[name] / n if n else 0
                sigma = math.sqrt(share * (1 - share) / n) if n else 0
                yield dict(zip(HEADER, [order, way, n, name, f"{100 * share:.3f}", f"{100 * told:.3f}", f"{100 * (told - share):.3f}",
                                        f"{(told - share) / sigma:.2f}" if sigma else ""]))


HOLDS = ["perf's samples are off by no more than chance would have them where rounds are mixed (4 sigmas), but for touch, which page faults "
         "interrupt: it has at least twice its share.",
         "ITIMER_PROF gives a sample a tick at most, where four are asked for; in step with the tick its shares are off by more than 5 sigmas."]


def complaints(runs, rows):
    def worst(order, way):
        return max(abs(float(row["sigmas"])) for row in rows if (row["order"], row["way"]) == (order, way))
    for row in rows:
        if (row["order"], row["way"]) != ("mixed", "record"):
            continue
        if row["function"] == FAULTS_IN and float(row["sampled_percent"]) < 2 * float(row["exact_percent"]):
            yield f"perf's samples of mixed rounds have {row['function']} right: {row['sampled_percent']} %"
        if row["function"] != FAULTS_IN and abs(float(row["sigmas"])) > 4:
            yield f"perf's samples of mixed rounds are off by {row['sigmas']} sigmas for {row['function']}"
    for order in ORDERS:
        ticks = (sum(call[1] + call[2] for call in runs["itimer"][order].calls) << ICOUNT) / TICK_NS
        samples = sampled("itimer", runs["itimer"][order].text)[1]
        if samples > ticks + 1:
            yield f"{order}: ITIMER_PROF has given {samples} samples in {ticks:.1f} ticks"
    if worst("step", "itimer") < 5:
        yield f"ITIMER_PROF's samples in step with the tick are off by no more than {worst('step', 'itimer')} sigmas"
