# SPDX-License-Identifier: GPL-2.0-or-later
"""What the programs share that draw with gnuplot.

  fail(text, code=1)             a line in the program's name, and the end
  parser(doc), number(least, most), output_option(p), width_option(p)     for argparse
  text_of(path)                  what is in a file, or in standard input
  keep(files, output)            ends the program if it would write over what it reads
  quoted(text)                   for gnuplot
  STYLE, GRID                    how each picture looks, in gnuplot's words; lines of a grid
  legend_rows(names, room)       how many rows a legend has above a panel so many pixels wide, LEGEND_ROW pixels each
  data(folder, name, lines)      a file for gnuplot; its name, quoted
  draw(words, output)            words(folder): width, height, and gnuplot's words behind terminal and output
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from workbench import guard
from workbench.output import Output

guard()  # what a program prints of its input
NAME = os.path.basename(sys.argv[0])
COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#edc948", "#76b7b2", "#ff9da7", "#9c755f", "#86bcb6", "#d4a6c8", "#8cd17d", "#f1ce63"]

LEGEND_ROW = 16
GRID = "lt 1 lc rgb '#e4e4e4' lw 0.6"
STYLE = f"set tics out nomirror; set border 3 lc rgb '#666666'; set grid x y {GRID}"


def fail(text, code=1):
    print(f"{NAME}: {text}", file=sys.stderr)
    sys.exit(code)


def parser(doc):
    return argparse.ArgumentParser(prog=NAME, description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def number(least, most):
    def convert(text):
        if not re.fullmatch("[0-9]{1,20}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}': legal are {least} to {most}")
        return int(text)
    return convert


def output_option(p):
    p.add_argument("-o", "--output", default=f"{NAME}.png", metavar="FILE", help="PNG to write (%(default)s)")


def width_option(p, width=1200):
    p.add_argument("--width", type=number(300, 10000), default=width, metavar="PIXELS", help="(%(default)s)")


def text_of(path, encoding="utf-8"):
    try:
        with sys.stdin if path == "-" else open(path, encoding=encoding) as f:
            return f.read()
    except (OSError, UnicodeDecodeError) as e:
        fail(f"{path}: {getattr(e, 'strerror', None) or 'no text'}")


def keep(files, output, what="an input"):
    for file in files:
        if os.path.isfile(file) and os.path.exists(output) and os.path.samefile(file, output):
            fail(f"--output: {output} is {what}: it would be lost", 2)


def quoted(text):
    """In single quotes; gnuplot's markup characters lose their meaning by noenhanced."""
    return "'" + text.replace("'", "''") + "'"


def legend_rows(names, room):
    """gnuplot makes all entries as wide as the longest, behind its sample."""
    each = 8 * max(map(len, names), default=0) + 60
    return -(-len(names) // max(1, int(room / each)))


def install(picture, output):
    """Copies the picture to its place, which is as every other tool's (scripts/workbench/output.py)."""
    with open(picture, "rb") as f, Output("/dev/stdout" if output == "-" else output) as place:
        shutil.copyfileobj(f, place)


def data(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(line + "\n" for line in lines)
    return quoted(path)


def need_gnuplot():
    if not shutil.which("gnuplot"):
        fail("gnuplot is not installed")


def draw(words, output, kind="pngcairo", font=10):
    need_gnuplot()
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "picture.png")
        width, height, text = words(folder)
        head = [f"set terminal {kind} size {width},{height} font 'sans,{font}' background '#ffffff' noenhanced", f"set output {quoted(picture)}",
                "set encoding utf8"]
        if subprocess.run(["gnuplot"], input="\n".join([*head, *text]) + "\n", text=True).returncode:
            fail("gnuplot failed")
        try:
            install(picture, output)
        except OSError as e:
            fail(f"{output}: {e.strerror}")
