# SPDX-License-Identifier: GPL-2.0-or-later
"""Patterns of accesses and events, as hw/inspect/pattern.h has them, for the lines of a log.

    Filter.of("--filter", "HTCR.TRG=1; !surfboard:read *").keeps(entry)       raises Refused
"""

import dataclasses
import re

from . import Refused

LEGAL = "it is [BOARD[@UNIT][/N]:][read|write|any] REG[[INDEX]][.FIELD][=VALUE], or irq, mistake, effect, injected, reset or none"
NAME = r"[A-Za-z0-9_-]+"
BOARD = re.compile(rf"^({NAME})(?:@([^/:]+))?(?:/([0-9]+))?$")
RELATION = re.compile(r"^(.*?)\s*(!=|=|<|>)\s*(0[xX][0-9a-fA-F]+|[0-9]+)$")
REGISTER = re.compile(rf"^(\*|{NAME})(?:\[(0[xX][0-9a-fA-F]+|[0-9]+)\])?(?:\.({NAME}))?$")
EVENTS = {"irq": False, "reset": False, "none": False, "mistake": True, "effect": True, "injected": True}
HOLDS = {"=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b}


def number(text):
    return int(text, 16) if text[:2] in ("0x", "0X") else int(text)


@dataclasses.dataclass
class Pattern:
    whole: str
    board: str = ""
    unit: str = ""
    part: int = None
    kind: str = "access"
    op: str = "write"
    name: str = ""
    index: int = None
    field: str = ""
    relation: str = ""
    value: int = 0

    def holds(self, value):
        return not self.relation or HOLDS[self.relation](value, self.value)

    def of_board(self, entry):
        return (not self.board or self.board == entry.board) and (not self.unit or self.unit == entry.unit or not entry.unit)

    def fits(self, entry):
        if not self.of_board(entry):
            return False
        if self.kind == "none":
            return any(p.reg is None for p in entry.parts)
        if self.kind != "access":
            return any(self.fits_event(e) for e in entry.events)
        if entry.op == "event" or self.op not in ("any", entry.op):
            return False
        return any(self.fits_part(entry, p) for p in entry.parts)

    def fits_event(self, e):
        if e.kind != self.kind:
            return False
        if self.kind == "irq":
            return self.holds(e.value)
        return (not self.name or e.name == self.name) and self.holds(e.value)

    def fits_part(self, entry, p):
        if p.reg is None or self.name not in ("*", p.reg) or self.index is not None and self.index != p.index:
            return False
        if self.part is not None and self.part != p.part:
            return False
        if not self.field:
            return self.holds(p.data)
        if p.fields is not None:
            return self.field in p.fields and self.holds(p.fields[self.field])
        if entry.op == "read":
            return self.holds({name: value for name, value, _ in p.shown}.get(self.field, 0))
        if self.relation:
            raise Refused(f"--filter {self.whole}: a text log does not say all that was written; legal with a log of JSON lines")
        return any(name == self.field for name, _, _ in p.shown)


def parse(option, whole):
    def wrong(what=LEGAL):
        return Refused(f"{option} {whole.strip()}: {what}")

    p, text = Pattern(whole.strip()), whole.strip()
    if ":" in text:
        board, _, text = text.partition(":")
        if not (found := BOARD.match(board.strip())):
            raise wrong("in front of ':' a board's name must stand")
        p.board, p.unit, p.part = found[1], found[2] or "", int(found[3]) if found[3] else None
        text = text.strip()
    if re.search(r"[=!<>]", text):
        if not (found := RELATION.match(text)):
            raise wrong("a number must stand behind =, !=, < or >")
        text, p.relation, p.value = found[1].strip(), found[2], number(found[3])
    words = text.split()
    if words and words[0] in EVENTS and (len(words) == 1 or EVENTS[words[0]] and len(words) == 2):
        p.kind, p.name = words[0], "".join(words[1:])
        if p.relation and p.kind in ("reset", "none"):
            raise wrong("it has no value")
        return p
    if len(words) == 2 and words[0] in ("read", "write", "any"):
        p.op = words.pop(0)
    if len(words) != 1 or not (found := REGISTER.match(words[0])):
        raise wrong()
    p.name, p.index, p.field = found[1], number(found[2]) if found[2] else None, found[3] or ""
    return p


@dataclasses.dataclass
class Filter:
    keep: list
    leave_out: list

    @classmethod
    def of(cls, option, text):
        found = cls([], [])
        for word in (text or "").split(";"):
            word = word.strip()
            if word.startswith("!"):
                found.leave_out.append(parse(option, word[1:]))
            elif word:
                found.keep.append(parse(option, word))
        return found

    def keeps(self, entry):
        if any(p.fits(entry) for p in self.leave_out):
            return False
        return not self.keep or any(p.fits(entry) for p in self.keep)
