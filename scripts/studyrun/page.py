# SPDX-License-Identifier: GPL-2.0-or-later
"""page - what a study writes: one page that needs no other file, and tables as CSV files.

  page = Page("Title")
  page.text("A paragraph.")
  page.table("Caption", ["way", "events"], [["write", 800]])
  page.picture(lambda folder: "gnuplot's words", "what it shows")      chart.py has the usual ones
  page.block("a command line")
  page.write(path)
  write_csv(path, header, rows)
  say("what it does now")                        progress, with the time so far, to standard error
  verdict(wrong)                                 whether what should hold does, for the page; wrong: what does not
  status_of(wrong)                               the study's; to standard output what does not hold

Text is text: what means something in HTML is escaped.
"""

import csv
import html
import io
import os
import sys
import tempfile
import time

from studyrun.picture import data, draw, quoted  # noqa: F401
from workbench.output import Output

STYLE = """body { font: 15px/1.45 sans-serif; max-width: 76em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } caption { text-align: left; font-weight: bold; padding: .3em 0 }
th, td { padding: .2em .8em; border-bottom: 1px solid #ddd; text-align: right; font-variant-numeric: tabular-nums } th:first-child, td:first-child { text-align: left }
pre { background: #f4f4f4; padding: .6em } pre, div { overflow-x: auto } svg { max-width: 100%; height: auto }"""
SIZE = (900, 420)
START = time.monotonic()


class Page:
    def __init__(self, title):
        self.parts = []
        self.head = html.escape(title)

    def title(self, text):
        self.parts.append(f"<h2>{html.escape(text)}</h2>")

    def text(self, text):
        self.parts.append(f"<p>{html.escape(text)}</p>")

    def block(self, text):
        self.parts.append(f"<pre>{html.escape(text)}</pre>")

    def table(self, caption, header, rows):
        def line(cells, tag):
            return "<tr>" + "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in cells) + "</tr>"
        self.parts.append("\n".join([f"<div><table><caption>{html.escape(caption)}</caption>", line(header, "th"),
                                     *(line(row, "td") for row in rows), "</table></div>"]))

    def picture(self, words, caption):
        """words(folder): what gnuplot is told behind its terminal and output; files of its own go into the folder."""
        with tempfile.TemporaryDirectory(prefix="study-") as folder:
            path = os.path.join(folder, "picture.svg")
            draw(lambda files: (*SIZE, [words(files)]), path, "svg", 12)
            with open(path, encoding="utf-8") as f:
                drawn = f.read()
        self.parts.append(f"<figure>{drawn[drawn.index('<svg'):]}<figcaption>{html.escape(caption)}</figcaption></figure>")

    def write(self, path):
        page = (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{self.head}</title>\n<style>{STYLE}</style></head>\n'
                f"<body><h1>{self.head}</h1>\n" + "\n".join(self.parts) + "\n</body></html>\n")
        with Output(path) as f:
            f.write(page.encode())


def write_csv(path, header, rows):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    with Output(path) as f:
        f.write(text.getvalue().encode())


def verdict(wrong):
    return "It does not: " + "; ".join(wrong) if wrong else "All of it holds."


def status_of(wrong):
    for line in wrong:
        print(f"study: wrong: {line}")
    return int(bool(wrong))


def say(text):
    print(f"study: {text} ({time.monotonic() - START:.0f} s)", file=sys.stderr, flush=True)
