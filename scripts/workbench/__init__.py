# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of scripts/perfboard: NAME is the module NAME.py, with dashes as underscores.

Its docstring is what --help says, the first line what `perfboard --help` says. options(parser) adds its options,
main(args) does it and returns the exit status. What the user got wrong raises Refused: one line, and status 2.
EPILOG, if it has one, ends --help. With TAKES_COMMAND = True what stands after the first -- is args.words (None: no --).
With PASSES_ON = True options that it does not know are args.more.
PREFIX, if it has one, is what its lines for the user begin with instead of "perfboard NAME: ".
"""

import errno
import os
import sys

COMMANDS = [
    "run",
    "shell",
    "build-module",
    "log",
    "coverage",
    "monitor",
    "replay",
    "cluster",
]


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def text_of(error):
    """An OSError in a line, with the file's name. What has none and did not fit was on its way to standard output."""
    name = error.filename or ("standard output" if error.errno in FULL else None)
    return f"{name}: {error.strerror}" if name else str(error)


def flush():
    """What standard output does not take is lost now; else the interpreter complains of it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Refused(Exception):
    """A line for the user, which names the option, the value and the legal range; the command ends with status 2."""
