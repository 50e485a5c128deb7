# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of scripts/perfboard: NAME is the module NAME.py, with dashes as underscores.

Its docstring is what --help says, the first line what `perfboard --help` says. options(parser) adds its options,
main(args) does it and returns the exit status. What the user got wrong raises Refused: one line, and status 2.
EPILOG, if it has one, ends --help. With TAKES_COMMAND = True what stands after the first -- is args.words (None: no --).
PREFIX, if it has one, is what its lines for the user begin with instead of "perfboard NAME: ".
"""

COMMANDS = [
    "run",
    "shell",
    "build-module",
    "log",
    "coverage",
    "monitor",
    "replay",
]


class Refused(Exception):
    """A line for the user, which names the option, the value and the legal range; the command ends with status 2."""
