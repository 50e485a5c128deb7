# SPDX-License-Identifier: GPL-2.0-or-later
"""chart - what Page.picture() wants of a study's chart: bars, and curves.

  page.picture(bars({"write": [800, 3]}, {"events": colour("#2f6db3"), "lost": colour("#c1402f")}, ["set ylabel 'times'"]), "what it shows")
  page.picture(curves([("way", [(1, 800), (2, 900)], "with lines"), ("limit", "850", "with lines")], ["set logscale x"]), "what it shows")

Settings and styles are gnuplot's words. Settings come behind those that all charts share, so they may change them.
"""

from studyrun.page import data, quoted

AXES = ["set tics nomirror", "set border 3"]
BARS = [*AXES, "set grid y lc rgb '#dddddd'", "set style data histograms", "set style fill solid 1 noborder", "set key outside top center horizontal"]
CURVES = [*AXES, "set grid lc rgb '#dddddd'"]


def colour(rgb):
    return f"lc rgb '{rgb}'"


def bars(clusters, series, settings, stacked=False):
    """A cluster of bars, or a stack, for each name. clusters: {name: [a value for each of series, or "NaN"]}. series: {title: style of its bars}"""
    style = ["set style histogram rowstacked", "set boxwidth 0.7"] if stacked else ["set style histogram clustered gap 1", "set boxwidth 0.9"]

    def words(folder):
        path = data(folder, "bars", (f'"{name}" ' + " ".join(map(str, values)) for name, values in clusters.items()))
        plots = [f"{path} using {n}:xtic(1) {how} title {quoted(title)}" for n, (title, how) in enumerate(series.items(), 2)]
        return "\n".join([*BARS, *style, *settings, "plot " + ", ".join(plots)])
    return words


def curves(series, settings):
    """series: [(title, or None; points, or a function of x in gnuplot's words; the style)]"""
    def words(folder):
        plots = []
        for number, (title, points, how) in enumerate(series):
            what = points if isinstance(points, str) else data(folder, f"curve-{number}", (" ".join(map(str, point)) for point in points))
            plots.append(f"{what} {how} " + (f"title {quoted(title)}" if title else "notitle"))
        return "\n".join([*CURVES, *settings, "plot " + ", ".join(plots)])
    return words
