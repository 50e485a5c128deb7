# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of scripts/perfboard: NAME is the module NAME.py, with dashes as underscores.

Its docstring is what --help says, the first line what `perfboard --help` says. options(parser) adds its options,
main(args) does it and returns the exit status. What the user got wrong raises Refused: one line, and status 2.
"""

COMMANDS = ["coverage"]


class Refused(Exception):
    """A line for the user, which names the option, the value and the legal range; the command ends with status 2."""
