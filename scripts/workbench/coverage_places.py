# SPDX-License-Identifier: GPL-2.0-or-later
"""Where in the code an item of coverage was covered: by the access logs of the same runs, and the debugger's data of the driver under test.

    find(boards, ["run.log"], ["my.ko"])    each Item gets its places; returns {board: accesses by my.ko}. Raises Refused

A function of the log is the module's by its name. An inlined function has its caller in front, and one of a header is left out: that readl()
reads is no news. Text has less than JSON: of an access of a part of a register, and of values written, only the fields that it shows.
"""

import collections
import dataclasses
import os
import re
import sys

from guestrun.arch import CROSS
from workbench import Refused, log, pattern, symbols

POWER = b"\x15\0"  # an ELF file's machine
NARROW = re.compile(r"less than (\d+) bytes")


@dataclasses.dataclass
class Place:
    """ns, and line in the log: the first access from there."""
    text: str   # "my_irq my.c:31", "my_start my.c:70 > my_put my.c:12", or a function alone
    mine: bool  # of the driver under test
    log: str
    line: int
    ns: int
    count: int = 0


class Module:
    """Lines of a module's functions."""

    def __init__(self, path):
        try:
            with open(path, "rb") as f:
                head = f.read(20)
        except OSError as e:
            raise Refused(f"--module {path}: {e.strerror}") from None
        self.path, self.cross, self.known = path, CROSS if head[18:20] == POWER else "", {}
        if head[:4] != b"\x7fELF" or head[16:18] not in symbols.ET_REL or ".debug_line" not in self._run("readelf", "-SW", path):
            raise Refused(f"--module {path}: legal is a module with the debugger's data, as perfboard build-module makes it")
        rows = [row for row in symbols.elf_symbols(path) if row[3] == "FUNC"]
        times = collections.Counter(row[0] for row in rows)
        self.symbols = {name: (section, value, size) for name, value, _, _, size, section in rows if times[name] == 1}

    def _run(self, *words, text=None):
        try:
            return symbols.binutils(*words, text=text)
        except OSError as e:
            raise Refused(f"--module {self.path}: {words[0]} (package binutils): {e.strerror}") from None

    def look_up(self, functions):
        """known: the place of each FUNCTION+OFFSET that is the module's."""
        asked, frames = collections.defaultdict(dict), {}
        for whole in functions:
            name, _, offset = whole.partition("+")
            section, value, size = self.symbols.get(name, ("", 0, 0))
            if int(offset or "0", 16) < size:
                asked[section][value + int(offset or "0", 16)] = whole
        for section, addresses in asked.items():
            said = self._run(self.cross + "addr2line", "-afi", "-j", section, "-e", self.path, text="".join(f"{a:#x}\n" for a in addresses))
            for at, *lines in (part.splitlines() for part in re.split(r"^0x", said, flags=re.M)[1:]):
                found = [(function, os.path.normpath(source.split(" (")[0])) for function, source in zip(lines[::2], lines[1::2])]
                if found[-1][1].rpartition(":")[2].isdigit():
                    frames[addresses[int(at, 16)]] = [f for f in found if ".h:" not in f[1]][::-1] or found[-1:]
        folders = {os.path.dirname(source) for found in frames.values() for _, source in found}
        above = os.path.commonpath(folders) if folders and all(map(os.path.isabs, folders)) else ""  # what all have in front says nothing
        self.known = {whole: " > ".join(f"{function} {os.path.relpath(source, above) if above else source}" for function, source in found)
                      for whole, found in frames.items()}


class Items:
    """A board's items by what an entry of a log has."""

    def __init__(self, items):
        self.fields, self.of = collections.defaultdict(set), {(i.kind, i.name): i for i in items}
        for i in items:
            reg, dot, field = i.name.partition(".")
            if dot and i.kind in ("read", "written", "set", "cleared"):
                self.fields[reg].add(field)

    def of_part(self, op, part):
        """(kind, name) of what an access of a register covers."""
        narrow = self.of.get(("narrow", part.reg))
        if op == "write" and narrow and part.bytes < int(NARROW.search(narrow.text)[1]):
            return [("narrow", part.reg)]
        values = {name: value for name, value, _ in part.shown} | (part.fields or {})
        cleared, found = {name for name, _, gone in part.shown if gone}, []
        for field in self.fields[part.reg]:
            name, full = field.partition("[")[0], f"{part.reg}.{field}"
            if name not in values and (part.fields is not None or part.bytes < 4):
                continue
            found.append(("read" if op == "read" else "written", full))
            value = values.get(name, 0 if op == "read" else None)  # text leaves out of a read what is 0
            if value if op == "read" else name in cleared:
                found.append(("set" if op == "read" else "cleared", full))
            if (op == "write") == (("written", full) in self.of):
                found.append(("value", f"{full}={value}"))
        return found

    def of_entry(self, entry):
        found = {key for part in entry.parts if part.reg for key in self.of_part(entry.op, part)}
        found |= {("nothing", entry.window) for part in entry.parts if not part.reg}
        found |= {("injection" if e.kind == "injected" else e.kind, e.name) for e in entry.events if e.kind != "injected" or e.value}
        return [self.of[key] for key in found if key in self.of]


def find(boards, logs, modules):
    modules = [Module(path) for path in modules]
    tables = {name: Items(items) for name, items in boards.items()}
    raw, mine, left_out = collections.defaultdict(dict), collections.Counter(), 0  # raw: {id of an item: {where: Place}}
    for path in logs:
        for entry in log.entries(path, pattern.Filter.of("--log", None)):
            left_out += entry.times if entry.note() else 0
            if entry.note() or entry.board not in tables:
                continue
            where = entry.function or ("no instruction" if entry.pc is None else f"{entry.pc:x}")
            mine[entry.board, where] += entry.times
            for item in tables[entry.board].of_entry(entry):
                raw[id(item)].setdefault(where, Place("", False, path, entry.line, entry.ns)).count += entry.times
    known = {}
    for module in modules:
        module.look_up({where for _, where in mine})
        known |= module.known
        if not module.known:
            raise Refused(f"--module {module.path}: the log has no access by one of its functions; perfboard run names them in --log FILE")
    for item in (i for items in boards.values() for i in items if i.count):
        places = {}
        for where, place in raw[id(item)].items():
            place.text, place.mine = known.get(where, where.partition("+")[0]), where in known
            if (first := places.setdefault(place.text, place)) is not place:
                first.count += place.count
        item.places = sorted(places.values(), key=lambda p: (not p.mine, -p.count, p.text))
    if left_out:
        print(f"perfboard coverage: {' '.join(logs)}: {left_out} accesses and events are left out (--log-size), and have no place", file=sys.stderr)
    return {board: sum(n for (b, where), n in mine.items() if b == board and where in known) for board in boards}
