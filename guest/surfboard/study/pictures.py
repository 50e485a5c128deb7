# SPDX-License-Identifier: GPL-2.0-or-later
"""pictures - the kinds of figures of the paper's 4.3 and 4.4.1, of a program's traces, on a page.

  of_program(page, "lu", {"off": [traces of a run, ...], "on": [...]})
  joint(page, "radix", traces)
"""

import collections

from studyrun.chart import colour, curves

RUNS = ["#041f4a", "#2f6db3", "#4292c6", "#c1402f", "#e08214"]
COLOURS = {"off": "#2f6db3", "on": "#c1402f"}
PALETTE = ["set palette defined (0 '#9ecae1', 1 '#4292c6', 2 '#08519c', 3 '#041f4a')", "set logscale cb", "set cblabel 'packets'"]


def plot(settings, series, style):
    """series: {title: (gnuplot's words for its colour, rows)}"""
    return curves([(title, rows, f"{style} {words}") for title, (words, rows) in series.items()], ["set key top right", *settings])


def of_program(page, name, runs):
    """runs: {combining: a Traces for each run}"""
    many = f", {len(runs['on'])} runs" if len(runs["on"]) > 1 else ""
    both = {f"combining {combine}": (colour(COLOURS[combine]), of) for combine, of in runs.items()}
    page.picture(plot(["set logscale xy", "set xlabel 'latency, us'", "set ylabel 'packets'"],
                      {t: (words, [row for run in of for row in run.counts("latHist").items() if row[0]]) for t, (words, of) in both.items()}, "with points pt 7 ps 0.3"),
                 f"{name.upper()}: distribution of latency{many}.")
    page.picture(plot(["set logscale xy", "set xrange [0.8:1200]", "set xlabel 'words in a packet'", "set ylabel 'packets'"],
                      {t: (words, [row for run in of for row in run.counts("sizeHist").items()]) for t, (words, of) in both.items()}, "with points pt 7 ps 0.4"),
                 f"{name.upper()}: distribution of packet size{many}.")
    for combine, of in runs.items():
        series = {f"run {number}" if many else f"combining {combine}": (colour(RUNS[number - 1] if many else COLOURS[combine]), [row for row in run.over_time() if row[1]])
                  for number, run in enumerate(of[:len(RUNS)], 1)}
        page.picture(plot(["set logscale y", "set xlabel 'time of receipt, us'", "set ylabel 'latency, us'"], series, "with points pt 7 ps 0.2"),
                     f"{name.upper()}, combining {combine}: latency over time{many}.")


def map_of(page, points, settings, caption):
    page.picture(plot([*PALETTE, "set logscale y", "set ylabel 'latency, us'", "set key off", *settings],
                      {"packets": ("lc palette", [(x, y, count) for (x, y), count in sorted(points.items()) if y])}, "using 1:2:3 with points pt 5 ps 0.5"), caption)


def joint(page, name, traces):
    by_sender, by_size = collections.Counter(), collections.Counter()
    for packet in traces.at(0):
        near = float(f"{packet.latency:.2g}")
        by_sender[packet.sender, near] += 1
        by_size[packet.words, near] += 1
    last = int(max(sender for sender, _ in by_sender))
    map_of(page, by_sender, [f"set xrange [0:{last + 1}]", "set xtics 1", "set xlabel 'sender'"],
           f"{name.upper()}, combining on: joint distribution of latency and sender, node 0 (Figure 161).")
    map_of(page, by_size, ["set logscale x", "set xrange [0.8:1200]", "set xlabel 'words in a packet'"],
           f"{name.upper()}, combining on: joint distribution of latency and size, node 0 (Figure 162).")
