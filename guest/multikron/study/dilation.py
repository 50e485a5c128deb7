# SPDX-License-Identifier: GPL-2.0-or-later
"""dilation - a slower processor, simulated by calibrated delays, beside a processor that is slower.

  runs(columns), slow_runs(columns)     for measure.py; the latter on a machine whose instructions take longer
  table(runs, slow)                     a row (HEADER) for each run; slow: {dilation: runs on such a machine}
  complaints(rows)                      what does not hold that should

Behind each row of the grid is a delay that makes the row take D times as long. A run's time is to be its time without delays,
(D - 1) times what the rows take of that, and what the kernel takes more. What the kernel does is not dilated, but in a longer run its
timer interrupts more often: up to 2 % of the time on Linux 6.1, 9 % on 7.2.
"""

import statistics

from measure import EXIT, ICOUNT, ROW
from perturbation import row_ns

HEADER = ["columns", "dilation", "time_ns", "kernel_ns", "row_ns", "row_factor", "time_factor", "expected_factor", "slower_machine_factor", "error_percent"]
DILATIONS = [100, 150, 200, 300, 400, 600, 800]  # percent
SLOW = {200: ICOUNT + 1, 400: ICOUNT + 2, 800: ICOUNT + 3}
NEAR = 0.01  # how far from what is expected


def runs(columns):
    return [("dilate", n, dilation) for n in columns for dilation in DILATIONS]


def slow_runs(columns):
    return [("dilate", n, 100) for n in columns]


def behind_rows(run):
    """The times from the end of a row to the next event: the delay, and what the loop over the rows costs."""
    return [after[0] - time for thread in run.true for (time, kind, state), after in zip(thread, thread[1:]) if (kind, state) == (EXIT, ROW)]


def kernel_ns(run):
    return run.instructions - run.program << ICOUNT


def table(found, slow):
    rows, plain = [], {}
    for run, (_, columns, dilation) in zip(found, runs(dict.fromkeys(run.columns for run in found))):
        behind = behind_rows(run)
        row, gap = row_ns(run.true), statistics.median(behind)
        one, plain_row, plain_gap = plain.setdefault(columns, (run, row, gap))
        row += gap - plain_gap
        more = kernel_ns(run) - kernel_ns(one)
        expected = 1 + ((dilation / 100 - 1) * plain_row * len(behind) + more) / one.ns
        slower = [other.ns / one.ns for other in slow.get(dilation, []) if other.columns == columns]
        factor = run.ns / one.ns
        rows.append(dict(zip(HEADER, [columns, dilation / 100, run.ns, kernel_ns(run), int(row), f"{row / plain_row:.3f}", f"{factor:.3f}", f"{expected:.3f}",
                                      f"{slower[0]:.3f}" if slower else "", f"{100 * (factor / slower[0] - 1):.2f}" if slower else ""])))
    return rows


def complaints(rows):
    for row in rows:
        for name, wanted, text in (("row_factor", row["dilation"], "a row"), ("time_factor", row["expected_factor"], "the run")):
            if abs(float(row[name]) / float(wanted) - 1) > NEAR:
                yield f"{row['columns']} columns, dilated {row['dilation']} times: {text} takes {row[name]} times as long, not {wanted}"
    for dilation in dict.fromkeys(row["dilation"] for row in rows if row["error_percent"] != ""):
        errors = [abs(float(row["error_percent"])) for row in rows if row["dilation"] == dilation]
        if errors != sorted(errors, reverse=True):
            yield f"dilated {dilation} times: with more work between the kernel's the errors are {errors}, not smaller"
