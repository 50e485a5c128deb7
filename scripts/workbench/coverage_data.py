# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that coverage= writes: read, added up, and held against a list of what need not be covered.

A file is JSON: {"perfboard-coverage": 1, "boards": {BOARD: [ITEM, ...]}}; hw/inspect/coverage.h says what an item counts. Boards are
added up item by item; two files in which a board has other items are of different versions, which is refused.
"""

import dataclasses
import json
import re

from guestrun.boards import BOARDS
from workbench import Refused
from workbench.output import Output
from workbench.pattern import fits

VERSION = 1
# What a driver is to reach: kind, heading, what is said of an item that was not.
KINDS = {
    "read": ("fields read", "never read"),
    "written": ("fields written", "never written"),
    "value": ("values of fields seen", "never seen"),
    "set": ("w1c bits seen set", "never read as 1"),
    "cleared": ("w1c bits cleared", "never cleared"),
    "raised": ("conditions raised", "never raised"),
    "enabled": ("conditions enabled", "never enabled"),
    "serviced": ("conditions serviced", "never serviced"),
    "sequence": ("sequences walked", "never begun"),
    "effect": ("side effects caused", "never happened"),
    "injection": ("errors on purpose met", "never used"),
}
# What it should not do; no part of a percentage.
FAULTS = {"mistake": "mistakes", "narrow": "writes ignored for their width", "nothing": "accesses where nothing answers"}


@dataclasses.dataclass
class Item:
    """One thing of a board, and how often it was covered. ignored: the reason why it need not be, or "". places: coverage_places.Place."""
    kind: str
    name: str
    count: int
    text: str
    source: str
    steps: list  # of a sequence: [pattern, how often it was come to]
    ignored: str = ""
    places: list = dataclasses.field(default_factory=list)

    def same(self, other):
        return (self.kind, self.name, [s[0] for s in self.steps]) == (other.kind, other.name, [s[0] for s in other.steps])

    def counts(self):
        """Whether it is part of a percentage."""
        return self.kind in KINDS

    def missing(self):
        return self.counts() and not self.count and not self.ignored


def natural(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 64


def item_of(value):
    """An Item of a JSON value; ValueError if it is none."""
    steps = value.get("steps", []) if isinstance(value, dict) else None
    if (steps is None or not natural(value.get("count")) or value.get("kind") not in KINDS | FAULTS or
            any(not isinstance(value.get(k), str) for k in ("name", "text", "source")) or not isinstance(steps, list) or
            any(not isinstance(s, list) or len(s) != 2 or not isinstance(s[0], str) or not natural(s[1]) for s in steps)):
        raise ValueError
    return Item(value["kind"], value["name"], value["count"], value["text"], value["source"], [list(s) for s in steps])


def load(path):
    """Boards of a file, {name: [Item]}; Refused, if it cannot be read or is none."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except (OSError, UnicodeDecodeError) as e:
        raise Refused(f"{path}: {e.strerror if isinstance(e, OSError) else 'this is no file of coverage'}") from None
    if not text:
        raise Refused(f"{path}: it is empty: the machine that was to write it has not ended, or was killed")
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or "perfboard-coverage" not in data:
            raise ValueError
        if data["perfboard-coverage"] != VERSION:
            raise Refused(f"{path}: this file of coverage is of another version than {VERSION}")
        return {name: [item_of(v) for v in items] for name, items in data["boards"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused(f"{path}: this is no file of coverage") from None


def load_all(paths):
    """All files added up."""
    boards, first = {}, {}
    for path in paths:
        for name, items in load(path).items():
            if name not in boards:
                boards[name], first[name] = items, path
                continue
            old = boards[name]
            if len(old) != len(items) or any(not a.same(b) for a, b in zip(old, items)):
                raise Refused(f"{path}: {name} has other items than in {first[name]}: different versions of Perfboard made them")
            for a, b in zip(old, items):
                a.count += b.count
                a.steps = [[s[0], s[1] + t[1]] for s, t in zip(a.steps, b.steps)]
    return dict(sorted(boards.items()))


def dump(boards):
    """The text of a file that holds these; as hw/inspect/coverage_file.cc prints it."""
    def compact(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def line(item):
        fields = {"kind": item.kind, "name": item.name, "count": item.count}
        if item.steps:
            fields["steps"] = item.steps
        return compact(fields | {"text": item.text, "source": item.source})
    text = ",\n".join(compact(name) + ": [" + ",".join("\n" + line(i) for i in items) + "]" for name, items in boards.items())
    return f'{{"perfboard-coverage": {VERSION}, "boards": {{{text}}}}}\n'


def replace(path, text):
    """The file is the whole text, or what it was."""
    try:
        with Output(path) as f:
            f.write(text.encode())
    except OSError as e:
        raise Refused(f"{path}: {e.strerror}") from None


def ignore(boards, path):
    """Marks what the list names. Returns lines of the list that are not needed, since what they name is covered.

    A line is BOARD: KIND NAME: REASON, and * in NAME stands for any characters. Empty lines and lines that begin with # say nothing.
    Boards that the files do not have are passed over; what the board does not have is refused.
    """
    try:
        with open(path, encoding="utf-8") as f:
            lines = f.read().splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise Refused(f"--ignore {path}: {e.strerror if isinstance(e, OSError) else 'this is no text'}") from None
    idle = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        at = f"{path}:{number}"
        m = re.fullmatch(r"\s*([^:\s]+):\s+(\S+)\s+(.+?):\s+(\S.*?)\s*", line)
        if not m:
            raise Refused(f"{at}: {line.strip()!r}: a line is BOARD: KIND NAME: REASON")
        board, kind, name, reason = m.groups()
        if kind not in KINDS:
            raise Refused(f"{at}: {kind!r} is no kind; legal are {', '.join(KINDS)}")
        if board not in boards:
            continue
        named = [i for i in boards[board] if i.kind == kind and fits(name, i.name)]
        if not named:
            raise Refused(f"{at}: {board} has no {kind} {name}")
        if all(i.count for i in named):
            idle.append(f"{at}: {board}: {kind} {name} is covered; the line can go")
        for i in named:
            if not i.count:
                i.ignored = reason
    return idle


def accesses(items):
    """Of registers; each field of one counts, so the field that was touched most stands for its register."""
    most = {}
    for i in items:
        if i.kind in ("read", "written", "set", "cleared"):
            key = i.kind in ("read", "set"), i.name.partition(".")[0]
            most[key] = max(most.get(key, 0), i.count)
    return sum(most.values()) + sum(i.count for i in items if i.kind in ("narrow", "nothing"))


def first(boards, mine):
    """The boards' names: that which the driver (mine: its accesses) has used most is the one under test. What nobody used is as in the list of boards."""
    listed = [b.name for b in BOARDS]
    return sorted(boards, key=lambda b: (-mine.get(b, 0), -accesses(boards[b]), listed.index(b) if b in listed else len(listed)))


def share(items):
    """Covered, and all that counts; what is ignored is neither."""
    counted = [i for i in items if i.counts() and not i.ignored]
    return sum(1 for i in counted if i.count), len(counted)


def percent(items):
    """0 to 100. Of nothing it is 100."""
    covered, total = share(items)
    return 100.0 * covered / total if total else 100.0


def shown(value):
    """A percentage for people: never 100 for what is less."""
    return f"{int(value * 10) / 10:.1f}"


def times(count):
    return "once" if count == 1 else f"{count} times"


def verdict(items, item):
    """What is to be said of an item that is not covered, with what its relatives tell."""
    of = {i.kind: i.count for i in items if i.name == item.name}
    never = KINDS[item.kind][1]
    if item.kind == "cleared" and of.get("set"):
        return f"read as 1 {times(of['set'])}, {never}"
    if item.kind in ("enabled", "serviced") and of.get("raised"):
        return f"raised {times(of['raised'])}, {never}"
    if item.kind == "sequence":
        reached = sum(1 for s in item.steps if s[1])
        if reached:
            return f"walked to step {reached} of {len(item.steps)}; then comes {item.steps[reached][0]}"
    return never
