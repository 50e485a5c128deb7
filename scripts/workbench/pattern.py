# SPDX-License-Identifier: GPL-2.0-or-later
"""Patterns of accesses and events, as hw/inspect/pattern.h has them, for the lines of a log.

    Filter.of("--filter", "HTCR.TRG=1; !surfboard:read *").keeps(entry)       raises Refused

A second implementation, as what it looks at is another thing: a line, whose text leaves out much of the access, and perhaps of a board
that this Perfboard does not know.

What no board has is refused, as the boards refuse it. A board that is not Perfboard's may have any name: then the pattern names the
board, and Filter.check() refuses it if the log has none of it.
"""

import dataclasses
import functools
import json
import re

from . import Refused, places

LEGAL = "it is [BOARD[@UNIT][/N]:][read|write|any] REG[[INDEX]][.FIELD][=VALUE], or irq, mistake, effect, injected, reset or none"
NAME = r"[A-Za-z0-9_-]+"
NAMES = r"[A-Za-z0-9_*-]+"  # * for any characters
NUMBER = r"0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20}"
BOARD = re.compile(rf"^({NAME})(?:@([^/:]+))?(?:/([0-9]{{1,9}}))?$")
RELATION = re.compile(rf"^(.*?)\s*(!=|=|<|>)\s*({NUMBER})$")
REGISTER = re.compile(rf"^({NAMES})(?:\[({NUMBER})\])?(?:\.({NAMES}))?$")
EVENTS = {"irq": False, "reset": False, "none": False, "mistake": True, "effect": True, "injected": True}
HOLDS = {"=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b}


@functools.cache
def wanted(name):
    return re.compile(".*".join(map(re.escape, name.split("*"))))


def fits(name, one):
    return wanted(name).fullmatch(one) is not None


@functools.cache
def boards():
    """What each board of Perfboard has, as its manual program prints it (hw/model/manual.h)."""
    found = {}
    with open(places.boards(), encoding="utf-8") as f:
        for name in (line.split()[0] for line in f if line.strip() and not line.startswith("#")):
            try:
                with open(places.names(name), encoding="utf-8") as names:
                    found[name] = json.load(names)
            except FileNotFoundError:
                pass  # one without registers: the bridge
            except (OSError, ValueError, RecursionError) as e:
                raise Refused(f"{places.names(name)}: {getattr(e, 'strerror', None) or 'it is no list of names'}") from None
    if not found:
        raise Refused(f"{places.names('*')}: there are none; scripts/build makes them")
    return found


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

    def wrong(self, board):
        """What this board lacks that the pattern names, and what is legal; None: nothing."""
        if self.kind != "access":
            legal = board.get({"mistake": "mistakes", "effect": "effects"}.get(self.kind, self.kind), [])
            if not self.name or any(fits(self.name, name) for name in legal):
                return None
            return f"there is no such {'property' if self.kind == 'injected' else self.kind}; legal are {', '.join(legal)}"
        named = [r for r in board["registers"] if fits(self.name, r["name"])]
        if not named:
            return f"there is no such register; legal are {', '.join(dict.fromkeys(r['name'] for r in board['registers']))}"
        having = [r for r in named if not self.field or any(fits(self.field, f) for f in r["fields"])]
        if not having:
            return f"{self.name} has no such field; legal are {', '.join(dict.fromkeys(f for r in named for f in r['fields']))}"
        most = max(r["entries"] for r in having)
        if self.index is None or self.index < most:
            return None
        return f"legal are [0] to [{most - 1}]" if most else f"{self.name} is no array"

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
        return (not self.name or fits(self.name, e.name)) and self.holds(e.value)

    def fits_part(self, entry, p):
        if p.reg is None or not fits(self.name, p.reg) or self.index is not None and self.index != p.index:
            return False
        if self.part is not None and self.part != p.part:
            return False
        if not self.field:
            return self.holds(p.data)
        if p.fields is not None:
            return any(fits(self.field, name) and self.holds(value) for name, value in p.fields.items())
        if entry.op == "read":
            values = [value for name, value, _ in p.shown if fits(self.field, name)]
            return any(map(self.holds, values)) or len(values) == 0 and self.holds(0)
        if self.relation:
            raise Refused(f"--filter {self.whole}: a text log does not say all that was written; legal with a log of JSON lines")
        return any(fits(self.field, name) for name, _, _ in p.shown)


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
        return known(option, p)
    if len(words) == 2 and words[0] in ("read", "write", "any"):
        p.op = words.pop(0)
    if len(words) != 1 or not (found := REGISTER.match(words[0])):
        raise wrong()
    p.name, p.index, p.field = found[1], number(found[2]) if found[2] else None, found[3] or ""
    return known(option, p)


def known(option, p):
    """p, unless no board can have what it names."""
    of = boards()
    if p.board in of:
        if why := p.wrong(of[p.board]):
            raise Refused(f"{option} {p.whole}: {p.board}: {why}")
    elif not p.board:
        why = {name: p.wrong(board) for name, board in of.items()}
        if all(why.values()):
            raise Refused(f"{option} {p.whole}: no board has it. " + "; ".join(f"{name}: {said}" for name, said in why.items()) +
                          ". Of a board of your own: BOARD: in front")
    return p


@dataclasses.dataclass
class Filter:
    option: str
    keep: list
    leave_out: list
    seen: set = dataclasses.field(default_factory=set)  # boards

    @classmethod
    def of(cls, option, text):
        found = cls(option, [], [])
        for word in (text or "").split(";"):
            word = word.strip()
            if word.startswith("!"):
                found.leave_out.append(parse(option, word[1:]))
            elif word:
                found.keep.append(parse(option, word))
        return found

    def check(self):
        """At the log's end: patterns of a board that nobody knows."""
        for p in self.keep + self.leave_out:
            if p.board and p.board not in boards() and p.board not in self.seen:
                raise Refused(f"{self.option} {p.whole}: the log has no board {p.board}; legal are {', '.join(sorted(set(boards()) | self.seen))}")

    def keeps(self, entry):
        if entry.note():
            return True  # what fits may be missing there
        self.seen.add(entry.board)
        if any(p.fits(entry) for p in self.leave_out):
            return False
        return not self.keep or any(p.fits(entry) for p in self.keep)
