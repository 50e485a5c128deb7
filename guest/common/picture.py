# SPDX-License-Identifier: GPL-2.0-or-later
"""What the programs share that draw with gnuplot.

  fail(text, code=1)            a line in the program's name, and the end
  quoted(text)                  for gnuplot
  draw(script, output)          script(folder, picture): gnuplot's words, and files of its own in the folder
"""

import errno
import os
import shutil
import subprocess
import sys
import tempfile


def fail(text, code=1):
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)
    sys.exit(code)


def quoted(text):
    """In single quotes; gnuplot's markup characters lose their meaning by noenhanced."""
    return "'" + text.replace("'", "''") + "'"


def install(picture, output):
    """Moves the picture to its place. A file that stands there is replaced at once, or stays as it is."""
    if output in ("-", "/dev/stdout"):
        with open(picture, "rb") as f:
            shutil.copyfileobj(f, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    place = os.path.realpath(output)
    if os.path.exists(place) and not os.path.isfile(place):
        with open(picture, "rb") as f, open(place, "wb") as special:
            shutil.copyfileobj(f, special)
        return
    if os.path.exists(place) and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    hidden = os.path.join(os.path.dirname(place), f".perfboard-{os.getpid()}")
    try:
        with open(picture, "rb") as f, open(hidden, "xb") as copy:
            shutil.copyfileobj(f, copy)
        os.replace(hidden, place)
    except OSError:
        if os.path.exists(hidden):
            os.unlink(hidden)
        raise


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
