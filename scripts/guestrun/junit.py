# SPDX-License-Identifier: GPL-2.0-or-later
"""The verdict as the XML that JUnit has made the rule: one test case, and the console as its output."""

import re

from workbench.output import Output

from . import verdict

KINDS = {verdict.UNREACHED: "scenario", verdict.UNSAID: "unsaid", verdict.NO_BOOT: "no boot", verdict.MODULE: "module", verdict.TRANSFER: "transfer", verdict.PANIC: "panic",
         verdict.OOPS: "oops", verdict.WARNED: "warning", verdict.LOCKUP: "lockup", verdict.TIMED_OUT: "timeout", verdict.FAILED: "failed"}
CONSOLE_MOST = 1 << 20  # characters, the last ones


def legal(text):
    """Without what XML cannot hold."""
    return re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text.replace("\r", ""))


def kind(found):
    """What failed; a command that ended with one of our statuses has no more than its status."""
    if (found.line or "").startswith("stopped by "):
        return "stopped"
    return KINDS[found.status] if found.status in KINDS and not (found.line or "").startswith("the command's own") else "status"


def text(name, found, seconds, console, log=()):
    """name: of the test; seconds: how long it took on this machine; log: the kernel's, from what went wrong on."""
    from xml.sax.saxutils import escape, quoteattr  # it loads urllib: a tenth of a second of each run that wants no file

    failed = found.status != 0
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuite name="perfboard" tests="1" failures="{int(failed)}" errors="0" skipped="0" time="{seconds:.3f}">',
             f'  <testcase classname="perfboard" name={quoteattr(legal(name))} time="{seconds:.3f}">']
    if failed:
        said = legal(found.line or f"the command's status is {found.status}")
        lines.append(f'    <failure type={quoteattr(kind(found))} message={quoteattr(said)}>{escape(said)}; status {found.status}'
                     + "".join(f"\n{escape(legal(line))}" for line in log) + "</failure>")
    lines += [f"    <system-out>{escape(legal(console[-CONSOLE_MOST:]))}</system-out>", "  </testcase>", "</testsuite>", ""]
    return "\n".join(lines)


def write(path, patience, *what):
    """patience: seconds for somebody to read, if it is a pipe."""
    with Output(path, patience) as f:
        f.write(text(*what).encode())
