# SPDX-License-Identifier: GPL-2.0-or-later
"""curves - the paper's design study (Sec. IV), out of what smstudy says: swaps against entries of the range table.

  read(path)              {Max_Range: {entries: (swaps, events)}}
  per_thousand(row, n)    swaps of 1000 events with n entries; row: of one Max_Range
  panel(study, folder)    gnuplot's words for a picture, a curve for each Max_Range; its files go into the folder
"""

import collections
import re

from studyrun.picture import COLOURS, STYLE, data, fail

FLOOR = 0.001  # what the picture shows for no swaps at all, on its logarithmic scale


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except (OSError, UnicodeDecodeError) as e:
        fail(f"{path}: {getattr(e, 'strerror', None) or 'no text'}")
    found = collections.defaultdict(dict)
    for m in re.finditer(r"^entries=(\d+) range=(\d+) cards=\d+ events=(\d+) replaced=(\d+) ", text, re.M):
        entries, words, events, replaced = map(int, m.groups())
        found[words][entries] = (replaced, events)
    if not found:
        fail(f"{path}: no line of smstudy's in it")
    return found


def per_thousand(row, n):
    swaps, events = row[n]
    return 1000 * swaps / max(events, 1)


def panel(study, folder):
    text = ["set logscale x 2", "set logscale y 10", STYLE, "set xlabel 'entries'", "set ylabel 'swaps of 1000 events'",
            "set key bottom left Left reverse samplen 2 width 1 font 'sans,9'", f"set yrange [{FLOOR}:1000]", "set xrange [3.4:75]",
            "set xtics (4, 8, 16, 32, 64)", "set format y '%g'",
            f"set ytics add ('0' {FLOOR})",
            "set object 1 rectangle from 16,graph 0 to 32,graph 1 fc rgb '#f4f0e0' fs solid noborder behind"]
    plots = []
    for i, (words, row) in enumerate(sorted(study.items())):
        path = data(folder, str(words), (f"{n} {max(per_thousand(row, n), 1.5 * FLOOR if swaps else FLOOR)}" for n, (swaps, _) in sorted(row.items())))
        plots.append(f"{path} with linespoints pt 7 ps 0.8 lw 1.6 lc rgb '{COLOURS[i % 6]}' title '{words}'")
    return "\n".join([*text, "plot " + ", ".join(plots)])
