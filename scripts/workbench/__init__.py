# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of scripts/perfboard: NAME is the module NAME.py, with dashes as underscores.

Its docstring is what --help says, the first line what `perfboard --help` says. options(parser) adds its options,
main(args) does it and returns the exit status. What the user got wrong raises Refused: one line, and status 2.
EPILOG, if it has one, ends --help. With TAKES_COMMAND = True what stands after the first -- is args.words (None: no --).
With PASSES_ON = True options that it does not know are args.more.
PREFIX, if it has one, is what its lines for the user begin with instead of "perfboard NAME: ".
"""

import codecs
import errno
import os
import re
import sys

COMMANDS = [
    "run",
    "shell",
    "boards",
    "build-module",
    "log",
    "coverage",
    "profile",
    "monitor",
    "replay",
    "cluster",
]


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def text_of(error):
    """An OSError in a line, with the file's name. What has none and did not fit was on its way to standard output."""
    name = error.filename or ("standard output" if error.errno in FULL else None)
    return f"{name}: {error.strerror}" if name else str(error)


TERMINALS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])")


def plain(text):
    """Without what is for a terminal: colours, the cursor, titles."""
    return TERMINALS.sub("", text)


def safe(text, but=""):
    """Text of a guest, a peer, a file or another user, for a terminal: what is no character to see becomes an escape like \\x1b, but for those in `but`."""
    bare = text
    for kept in but:
        bare = bare.replace(kept, "")
    if bare.isprintable():
        return text
    return "".join(c if c in but or c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class Guarded:
    """A stream that has what is written to it, text or UTF-8, made safe."""

    def __init__(self, stream, but):
        self.stream, self.but = stream, but
        self.decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode

    def write(self, data):
        text = safe(data if isinstance(data, str) else self.decode(data), self.but)
        code = self.stream.encoding or "utf-8"  # a terminal's may lack the character
        return self.stream.write(text.encode(code, "backslashreplace").decode(code))

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __getattr__(self, name):
        return getattr(self.stream, name)


def progress(text, quiet=False):
    """A line on standard error before what takes long; of a quiet run on a terminal only."""
    if not quiet or sys.stderr.isatty():
        print(f"perfboard: {text}", file=sys.stderr, flush=True)


def guard():
    """Whatever this program prints from here on is safe. Its own sequences for a terminal go to the stream behind (unguarded())."""
    sys.stdout, sys.stderr = (stream and Guarded(unguarded(stream), "\t\n") for stream in (sys.stdout, sys.stderr))  # None: it is closed


def unguarded(stream):
    return getattr(stream, "stream", stream)


def raw(stream):
    """Where a guest's own bytes go: a file or a pipe has them as they are."""
    return Guarded(unguarded(stream), "\t\n\r") if stream.isatty() else stream.buffer


def flush():
    """What standard output does not take is lost now; else the interpreter complains of it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Refused(Exception):
    """A line for the user, which names the option, the value and the legal range; the command ends with status 2."""
