# SPDX-License-Identifier: GPL-2.0-or-later
"""What gdb runs in itself for a guest (debugger.py): a module's functions and lines are known as soon as the kernel loads it.

Nothing is known of the kernel's structures but what has been the same since 2.6: a module's begins with its state, its place in the list of
modules, and its name. Somewhere behind it is a pointer to the module's own symbol table as it is in memory, which says where each section
lies. It is known by its symbols.
"""

import collections
import json
import os
import struct
import sys

import gdb

sys.path.insert(0, os.path.dirname(__file__))
from gdb_orc import KERNEL, Orc, install, read, word  # noqa: E402

LIST, NAME, NAME_BYTES = 8, 24, 56
SEARCHED = 2048      # bytes of a module's structure
MOST_SYMBOLS, MOST_NAMES = 1 << 14, 1 << 19
SYMBOL = struct.Struct("<IBBHQQ")
NOWHERE = 1 << 56    # nothing is there

with open(os.environ["PERFBOARD_GDB"]) as described:
    GUEST = json.load(described)
added = {}           # module's name: {section: address} that gdb has


def read_some(address, count):
    """As many of these bytes as are there."""
    data = b""
    try:
        while len(data) < count:
            step = min(count - len(data), 4096 - (address + len(data)) % 4096)
            data += read(address + len(data), step)
    except gdb.MemoryError:
        pass
    return data


def text(data, at):
    return data[at:data.find(b"\0", at)].decode(errors="replace")


def sections(table, symbols):
    """{section: address}, if a symbol table of this module's is there; else {}."""
    try:
        at, count, strings = struct.unpack("<QQQ", read(table, 24))
        count &= 0xffffffff
        if at < KERNEL or strings < KERNEL or not 1 < count <= MOST_SYMBOLS:
            return {}
        rows = list(SYMBOL.iter_unpack(read(at, count * SYMBOL.size)))
        if any(rows[0]) or (last := max(row[0] for row in rows)) > MOST_NAMES:
            return {}
        names = read_some(strings, last + 256)
    except gdb.MemoryError:
        return {}
    votes = collections.defaultdict(collections.Counter)
    for name, _, _, _, value, _ in rows:
        if known := symbols.get(text(names, name)):
            votes[known[0]][value - known[1]] += 1
    if any(len(counted) > 1 for counted in votes.values()):
        return {}  # of another build of this module
    return {section: next(iter(counted)) for section, counted in votes.items()}


def name_of(module):
    return text(read(module + NAME, NAME_BYTES) + b"\0", 0)


def copy_of(name):
    """The file of this module that gdb has."""
    return os.path.join(os.path.dirname(os.environ["PERFBOARD_GDB"]), os.path.basename(GUEST["modules"][name]["file"]))


def place(name, places):
    """Makes that file: each section says itself where it lies. gdb 16 has the lines of all sections in .text, if they say 0."""
    with open(GUEST["modules"][name]["file"], "rb") as f:
        data = bytearray(f.read())
    headers, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    names, = struct.unpack_from("<Q", data, headers + names * size + 24)
    for header in range(headers, headers + count * size, size):
        section = text(data, names + struct.unpack_from("<I", data, header)[0])
        if section in places:
            struct.pack_into("<Q", data, header + 16, places[section])
    with open(copy_of(name) + ".part", "wb") as f:
        f.write(data)
    os.replace(f.name, copy_of(name))


def put(name, where):
    """gdb knows this module there, and nowhere else. where: {}: it is gone."""
    if added.get(name, {}) == where:
        return
    file = copy_of(name)
    if added.pop(name, None):
        gdb.execute(f'remove-symbol-file "{file}"', to_string=True)
    if where:
        added[name] = where
        # Where a section is not in memory, gdb would put it in the way of others.
        nowhere = {s: NOWHERE + (n << 24) for n, s in enumerate(sorted({s for s, _ in GUEST["modules"][name]["symbols"].values()} - set(where)))}
        places = {".text": NOWHERE, **nowhere, **where}
        place(name, places)
        words = [f"-s {section} {address:#x}" for section, address in sorted(places.items()) if section != ".text"]
        gdb.execute(f'add-symbol-file "{file}" {places[".text"]:#x} {" ".join(words)}', to_string=True)


def add(module):
    """A module whose structure is there."""
    name = name_of(module)
    if not (known := GUEST["modules"].get(name)):
        return
    pointers = struct.unpack(f"<{SEARCHED // 8}Q", read_some(module, SEARCHED).ljust(SEARCHED, b"\0"))
    where = max((sections(p, known["symbols"]) for p in pointers if p >= KERNEL), key=len, default={})
    if where:
        put(name, where)


class Loaded(gdb.Breakpoint):
    def stop(self):
        try:
            module = int(gdb.parse_and_eval("$" + GUEST["register"])) % (1 << 64)
            forget(name_of(module))
            add(module)
        except (gdb.error, ValueError, struct.error) as e:
            print(f"perfboard: a module's place is not known: {e}")
        return False


def loaded():
    """The structures of the modules that the kernel has."""
    at = word(GUEST["list"])
    while at != GUEST["list"] and at >= KERNEL:
        yield at - LIST
        at = word(at)


def forget(but):
    """Where the modules that have gone were, and the first functions of the others, something else may be by now."""
    names = {name_of(module) for module in loaded()} if GUEST["list"] else set(added)
    for name in set(added) - {but}:
        put(name, {s: a for s, a in added[name].items() if not s.startswith(".init")} if name in names else {})


for command in GUEST["quietly"]:
    try:
        gdb.execute(command, to_string=True)
    except gdb.error as e:
        print(e)
if all(GUEST["orc"]):
    install(Orc(*GUEST["orc"]))
gdb.execute(GUEST["connect"], to_string=not GUEST["here"])
if GUEST["loaded"] and GUEST["modules"]:
    Loaded(f"*{GUEST['loaded']:#x}", internal=True)
if GUEST["here"] and GUEST["list"] and GUEST["modules"]:
    try:
        for one in loaded():
            add(one)
    except gdb.MemoryError:
        pass  # it has not come so far
