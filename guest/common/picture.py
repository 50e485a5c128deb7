# SPDX-License-Identifier: GPL-2.0-or-later
"""What the programs share that draw with gnuplot.

  fail(text, code=1)            a line in the program's name, and the end
  number(least, most)           of an option, for argparse
  quoted(text)                  for gnuplot
  draw(script, output)          script(folder, picture): gnuplot's words, and files of its own in the folder
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), *[os.pardir] * 2, "scripts"))
from workbench import guard  # noqa: E402
from workbench.output import Output  # noqa: E402

guard()  # what a program prints of its input


def fail(text, code=1):
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)
    sys.exit(code)


def number(least, most):
    def convert(text):
        if not re.fullmatch("[0-9]{1,20}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}': legal are {least} to {most}")
        return int(text)
    return convert


def quoted(text):
    """In single quotes; gnuplot's markup characters lose their meaning by noenhanced."""
    return "'" + text.replace("'", "''") + "'"


def install(picture, output):
    """Copies the picture to its place, which is as every other tool's (scripts/workbench/output.py)."""
    with open(picture, "rb") as f, Output("/dev/stdout" if output == "-" else output) as place:
        shutil.copyfileobj(f, place)


def need_gnuplot():
    if not shutil.which("gnuplot"):
        fail("gnuplot is not installed")


def draw(script, output):
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "picture.png")
        done = subprocess.run(["gnuplot"], input=script(folder, picture), text=True)
        if done.returncode:
            fail("gnuplot failed")
        try:
            install(picture, output)
        except OSError as e:
            fail(f"{output}: {e.strerror}")
