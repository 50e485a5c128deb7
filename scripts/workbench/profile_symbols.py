# SPDX-License-Identifier: GPL-2.0-or-later
"""From what the board has counted (plugins/profile.h) to functions and lines of source: the guest's own files, out of the archives that it was
booted with, by binutils, with its separate debug files, if they were put there or are installed here; the kernel and its modules by the names that the guest has handed over.

Functions of a file without symbols are told apart by its tables for exceptions, which say where each begins, and named by that: fn_5020.
"""

import bisect
import collections
import functools
import os
import pathlib
import re
import tempfile
import urllib.parse

from guestrun import machine, overlay
from guestrun.arch import ARCHS

from . import profile_data, progress, symbols

KERNEL = "[kernel]"
FRAME = re.compile(r" FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)")
CODE = re.compile(r"^ +([0-9a-f]+):\t(.*)$")
BUILD_ID = re.compile(r"Build ID: ([0-9a-f]{4,})")
LOAD = re.compile(r"^  LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+)")


class Files:
    """The guest's files as it was booted with them."""

    def __init__(self, args):
        self.args, self.first = args, None
        self.more = args.guest.archive.entries if args.guest.archive else {}

    def _entry(self, path):
        """(mode, bytes or a path here), or None."""
        if path in self.more:
            return self.more[path]
        if self.first is None:
            self.first = overlay.members(self.args.initramfs, lambda name: not name.startswith("lib/modules/"))
        return (0o100755, self.first[path]) if path in self.first else None

    def read(self, path):
        """The bytes of a file, or None. The kernel tells paths without links; in an archive a folder on the way may be one."""
        for source, target in self.args.share + self.args.share_ro:
            if path.startswith(target.rstrip("/") + "/"):
                path_here = os.path.join(source, path[len(target.rstrip("/")) + 1:])
                return self._here(path_here)
        name = path.lstrip("/")
        _, data = self._entry(name if name in self.more else self.names.get(name, name)) or (0, None)
        return self._here(data) if isinstance(data, str) else data

    @staticmethod
    def _here(path):
        return pathlib.Path(path).read_bytes() if os.path.isfile(path) else None

    @functools.cached_property
    def names(self):
        """{path without links: path} of the archive."""
        return {self.real(name): name for name in self.more}

    def real(self, path):
        """A path of the archive without links to folders on its way."""
        done = []
        for part in path.split("/")[:-1]:
            done.append(part)
            mode, data = self.more.get("/".join(done), (0, b""))
            if mode & 0o170000 == 0o120000 and isinstance(data, bytes):
                done = os.path.normpath(os.path.join("/", *done[:-1], os.fsdecode(data))).strip("/").split("/")
        return "/".join([*done, path.split("/")[-1]])


class Object:
    """A file of the guest with code. What is not known of an address is "", 0 or no name."""

    def __init__(self, path, files, arch, work):
        data = files.read(path) if path.startswith("/") else None
        self.path, self.loads, self.table, self.starts = path, [], [], []
        self.cross = ARCHS[arch].cross
        self.file = self.debug = None
        if data is not None and data[:4] == b"\x7fELF":
            self.file = os.path.join(work, f"object-{len(os.listdir(work))}")
            with open(self.file, "wb") as f:
                f.write(data)
            self.debug = self.file
            if identity := next((m[1] for m in map(BUILD_ID.search, self._run("readelf", "-nW")) if m), None):
                name = f"/usr/lib/debug/.build-id/{identity[:2]}/{identity[2:]}.debug"
                if (separate := files.read(name)) is not None:
                    self.debug = self.file + ".debug"
                    with open(self.debug, "wb") as f:
                        f.write(separate)
                elif os.path.exists(name):
                    self.debug = name
            self._read()

    def _run(self, program, *words, text=None, file=None):
        return symbols.binutils(program, *words, file or self.file, text=text).splitlines()

    def _read(self):
        self.loads = [tuple(int(n, 16) for n in m.groups()) for m in map(LOAD.match, self._run("readelf", "-lW")) if m]
        rows = list(symbols.elf_functions(self.debug, False))
        if not rows:
            rows = [(int(w[1], 16), int(w[2], 0), w[7].split("@")[0]) for w in map(str.split, self._run("readelf", "-W", "--dyn-syms"))
                    if len(w) > 7 and w[3] in ("FUNC", "IFUNC") and w[6] != "UND"]
        known = {at for at, _, _ in rows}
        frames = [(int(m[1], 16), int(m[2], 16)) for m in map(FRAME.search, self._run("readelf", "-W", "--debug-dump=frames")) if m]
        rows += [(at, end - at, f"fn_{at:x}") for at, end in frames if at not in known]
        # Of several names for one place the first that does not look private.
        best = {}
        for at, size, name in sorted(rows, key=lambda r: (r[0], r[2].startswith("_"), r[2])):
            best.setdefault(at, (at, size, name))
        self.table = sorted(best.values())
        self.starts = [row[0] for row in self.table]

    def address(self, offset):
        """As the file's own symbols have it, of an offset in the file."""
        return next((offset - at + virtual for at, virtual, size in self.loads if at <= offset < at + size), offset)

    def function(self, address):
        """(name, where it begins)."""
        i = bisect.bisect_right(self.starts, address) - 1 if self.table else -1
        if i >= 0 and (address < self.table[i][0] + self.table[i][1] or not self.table[i][1]):
            return self.table[i][2], self.table[i][0]
        return "", 0

    def lines(self, addresses):
        """{address: (file, line)}, where the file has the debugger's data."""
        if not self.file:
            return {}
        said = self._run(f"{self.cross}addr2line", "-e", text="".join(f"{a:#x}\n" for a in addresses), file=self.debug) if self._has_lines() else []
        found = {}
        for address, line in zip(addresses, said):
            name, _, number = line.split(" (")[0].rpartition(":")
            if number.isdigit() and name != "??":
                found[address] = (name, int(number))
        return found

    def _has_lines(self):
        return any(".debug_line" in line for line in self._run("readelf", "-SW", file=self.debug))

    def code(self, addresses):
        """{address: instruction}."""
        if not self.file:
            return {}
        wanted, found = set(addresses), {}
        for m in map(CODE.match, self._run(f"{self.cross}objdump", "-d", "--no-show-raw-insn", "-w")):
            if m and (at := int(m[1], 16)) in wanted:
                found[at] = re.sub(r"\s+", " ", m[2].split("#")[0].split(" <")[0]).strip()
        return found


def _read(path):
    """(region, {property of the board: value}, names of counts, {number: (pid, parent, name)}, {number: (bias, path)}, rows, calls) of the board's file."""
    region, about, counts, programs, images, rows, calls = None, {}, [], {}, {}, [], []
    with open(path, encoding="ascii", errors="replace") as f:
        for words in map(str.split, f):
            if words[0] == "perfboard-profile":
                region = words[3]
            elif words[0] == "machine":
                about = {name: int(value) for name, _, value in (w.partition("=") for w in words[1].split(","))}
            elif words[0] == "counts":
                counts = words[1:]
            elif words[0] == "program":
                programs[int(words[1])] = (int(words[2]), int(words[3]), urllib.parse.unquote(words[4]).replace("%", "?"))
            elif words[0] == "image":
                images[int(words[1])] = (int(words[2], 16), urllib.parse.unquote(words[3]))
            elif words[0] == "call":
                calls.append((int(words[2]), words[3], int(words[4]), int(words[5]), int(words[6], 16), int(words[7]), int(words[8])))
            elif words[0] == "row":
                rows.append((int(words[1]), words[2] == "k", int(words[3]), int(words[4], 16), [int(n) for n in words[6:]]))
    return region, about, counts, programs, images, rows, calls


def add_penalties(rows, counts, about):
    """Where misses are known, cycles are those of the pipelines and what misses cost, as the board counts them (hw/power2/README.md)."""
    costs = [(counts.index(name), about[cost]) for name, cost in profile_data.PENALTIES.items() if name in counts]
    for *_, n in rows:
        n[1] += sum(n[at] * cost for at, cost in costs)


class Guest:
    """Where the guest's code is from, and what it is called there."""

    def __init__(self, args, images, names, work):
        self.files, self.images, self.arch, self.work = Files(args), images, args.arch, work
        self.kernel, self.objects = symbols.Symbols.of(",".join(names)), {}

    def object(self, path):
        if path not in self.objects:
            self.objects[path] = Object(path, self.files, self.arch, self.work)
        return self.objects[path]

    def place(self, kernel, image, address):
        """(object's path, function, where that begins, address in the object)."""
        if kernel:
            return KERNEL, *self.kernel.place(address), address
        bias, path = self.images.get(image, (0, "[anonymous]"))
        one = self.object(path)
        at = one.address(address - bias) if image else address
        return path, *one.function(at), at

    def rows(self, rows):
        """As profile_data has them, those of an object together."""
        found = collections.defaultdict(list)
        for program, kernel, image, address, counts in rows:
            path, name, begin, at = self.place(kernel, image, address)
            found[path].append((program, kernel, name, begin, at, counts))
        for path, own in sorted(found.items()):
            addresses = [] if path == KERNEL else sorted({at for *_, at, _ in own})
            lines, code = (self.object(path).lines(addresses), self.object(path).code(addresses)) if addresses else ({}, {})
            for program, kernel, name, begin, at, counts in own:
                yield profile_data.Row(program, kernel, path, name, begin, at, *lines.get(at, ("", 0)), code.get(at, ""), counts)

    def calls(self, calls):
        """Nodes as profile_data has them: [above, kind, program, object, function, calls, instructions]. What the board tells apart by instructions is one
        function here."""
        made, numbers, mine = [[0, "", 0, "", "", 0, 0]], {}, [0]
        known = {}
        for above, kind, program, image, address, times, insns in calls:
            if (where := known.get((kind, image, address))) is None:
                where = known[kind, image, address] = self.place(kind == "fk", image, address)[:2] if kind[0] == "f" else ("", "")
            key = (mine[above], kind[0], program, *where)
            if (number := numbers.get(key)) is None:
                number = numbers[key] = len(made)
                made.append([*key, 0, 0])
            made[number][5] += times
            made[number][6] += insns
            mine.append(number)
        return made


def keep(args, work, names):
    """Writes what --profile names, and returns it. names: copies of /proc/kallsyms."""
    raw = os.path.join(work, machine.PROFILE)
    if not os.path.exists(raw) or not os.path.getsize(raw):
        return None
    progress("finds the functions of what was executed", args.quiet)
    region, about, counts, programs, images, rows, calls = _read(raw)
    add_penalties(rows, counts, about)
    with tempfile.TemporaryDirectory(prefix="objects-", dir=work) as objects:
        guest = Guest(args, images, names, objects)
        made, called = list(guest.rows(rows)), guest.calls(calls) if calls else []
    used = {row.program for row in made} | {call[2] for call in called}
    made = profile_data.Profile(about, region, counts, {n: list(p) for n, p in programs.items() if n in used}, made, called)
    profile_data.save(made, args.profile)
    return made
