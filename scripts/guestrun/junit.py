# SPDX-License-Identifier: GPL-2.0-or-later
"""The verdict as the XML that JUnit has made the rule: one test case, and the console as its output.

A test that the console tells of in TAP or KTAP (a kernel's self-tests, KUnit) is a case of its own, its class what the tests around it are
called. The verdict is of the command alone: whether a failed test fails the run is for the command to say.
"""

import dataclasses
import re

from workbench import plain
from workbench.output import Output

from . import verdict

KINDS = {verdict.UNREACHED: "scenario", verdict.UNSAID: "unsaid", verdict.NO_BOOT: "no boot", verdict.MODULE: "module", verdict.TRANSFER: "transfer", verdict.PANIC: "panic",
         verdict.OOPS: "oops", verdict.WARNED: "warning", verdict.LOCKUP: "lockup", verdict.TIMED_OUT: "timeout", verdict.FAILED: "failed"}
CONSOLE_MOST = 1 << 20  # characters, the last ones
CASES_MOST, DEPTH_MOST = 10000, 64
# Behind # or blanks what a test consists of.
RESULT = re.compile(r"([# \t]*)(not )?ok (?:(\d+)\b *(?:- *)?|- )([^#]*)(?:#\s*((?i:SKIP|TODO|XFAIL))\w*\s*(.*)|#.*)?")


def legal(text):
    """Without what is for a terminal, or XML cannot hold."""
    return re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", plain(text.replace("\r", "")))


@dataclasses.dataclass
class Case:
    depth: int
    name: str
    kind: str    # "", failure, skipped
    why: str     # what stands behind # SKIP
    more: list   # what a failed one's neighbours say of it: behind it as in TAP, or before it as KUnit does
    parts: list  # Cases

    def ends(self, around=()):
        """(Case, what it is a part of) of those that have no parts; of this one, too, if it failed and none of them has."""
        inner = [found for part in self.parts for found in part.ends((*around, self.name))]
        own = not self.parts or self.kind == "failure" and not any(case.kind == "failure" for case, _ in inner)
        return inner + [(self, around)] * own


def cases(console):
    """[(Case, what it is a part of)] of the console's TAP, where a result stands behind those of its parts, which are indented."""
    waiting, last, more, count = [], None, [], 0
    for line in console.splitlines():
        stamp = verdict.STAMP.match(line)
        line = line[stamp.end():] if stamp else line
        if not (result := RESULT.fullmatch(line)):
            if line.strip().startswith("#") and len(more) < 40:
                more.append(line.strip())
            continue
        before, failed, number, name, directive, why = result.groups()
        depth = min(len(re.sub("# ?", "    ", before)), DEPTH_MOST)
        if last and last.kind == "failure":
            last.more, more = last.more + more, []
        kind = "skipped" if directive else "failure" if failed else ""
        at = len(waiting)  # who waits is in the order of depth
        while at and waiting[at - 1].depth > depth:
            at -= 1
        last = Case(depth, name.strip() or f"test {number}", kind, (why or "").strip(), more if failed else [], waiting[at:])
        waiting[at:], more = [last], []
        if (count := count + 1) == CASES_MOST:
            break
    if last and last.kind == "failure":
        last.more += more
    return [found for case in waiting for found in case.ends()]


def kind(found):
    """What failed; a command that ended with one of our statuses has no more than its status."""
    if (found.line or "").startswith("stopped by "):
        return "stopped"
    return KINDS[found.status] if found.status in KINDS and not (found.line or "").startswith("the command's own") else "status"


def text(name, found, seconds, console, log=()):
    """name: of the test; seconds: how long it took on this machine; log: the kernel's, from what went wrong on."""
    from xml.sax.saxutils import escape, quoteattr  # it loads urllib: a tenth of a second of each run that wants no file

    failed = found.status != 0
    console = legal(console)
    tests = cases(console)
    failures, skipped = (sum(case.kind == what for case, _ in tests) for what in ("failure", "skipped"))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuite name="perfboard" tests="{1 + len(tests)}" failures="{failed + failures}" errors="0" skipped="{skipped}" time="{seconds:.3f}">',
             f'  <testcase classname="perfboard" name={quoteattr(legal(name))} time="{seconds:.3f}">']
    if failed:
        said = legal(found.line or f"the command's status is {found.status}")
        status = f"; status {found.status}" if found.line else ""
        lines.append(f'    <failure type={quoteattr(kind(found))} message={quoteattr(said)}>{escape(said)}{status}'
                     + "".join(f"\n{escape(legal(line))}" for line in log) + "</failure>")
    lines += [f"    <system-out>{escape(console[-CONSOLE_MOST:])}</system-out>", "  </testcase>"]
    for case, around in tests:
        lines.append(f"  <testcase classname={quoteattr('.'.join(around) or 'perfboard')} name={quoteattr(case.name)}" + ("/>" if not case.kind else ">"))
        if case.kind == "failure":
            lines.append(f"    <failure>{escape(chr(10).join(case.more) or 'not ok')}</failure>")
        elif case.kind:
            lines.append(f"    <skipped message={quoteattr(case.why)}/>")
        lines += ["  </testcase>"] if case.kind else []
    lines += ["</testsuite>", ""]
    return "\n".join(lines)


def write(path, patience, *what):
    """patience: seconds for somebody to read, if it is a pipe."""
    with Output(path, patience) as f:
        f.write(text(*what).encode())
