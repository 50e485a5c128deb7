# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions by their addresses: from an ELF file, a module with its address, or a kernel's /proc/kallsyms.

    table = Symbols.of("vmlinux,my.ko@ffffffffc0202000,kallsyms")     raises Refused
    table.name(0xffffffffc0202a85)                                    "surf_write+0x15", or ""
"""

import bisect
import collections
import re
import struct
import subprocess

from . import Refused

FARTHEST = 1 << 20  # bytes behind a symbol without a size that may still be its
CODE_KINDS = "tTwW"
ET_REL = (b"\1\0", b"\0\1")  # e_type in both byte orders
SHT_SYMTAB, STT_FUNC = 2, 2
KALLSYMS = re.compile(r"^([0-9a-f]{8,16}) (\S) (\S+)(?:\s+\[([^\]]+)\])?$")
MODULES = re.compile(r"^(\S+) ([0-9]{1,19}) [0-9]+ \S+ \S+ 0x([0-9a-f]{8,16})\b")


class Symbols:
    def __init__(self):
        self.found = []  # (address, bytes or 0, name)
        self.starts, self.without = None, ()

    @classmethod
    def of(cls, text, without=()):
        """text: files with commas between; FILE@ADDRESS (hex): a module whose .text is there. without: modules of a kallsyms to leave out."""
        table = cls()
        table.without = without
        for word in filter(None, text.split(",")):
            path, at, address = word.rpartition("@") if re.search(r"@(0x)?[0-9a-fA-F]+$", word) else (word, "", "")
            table.add(path, int(address, 16) if at else None, word)
        return table

    def add(self, path, address, word):
        try:
            with open(path, "rb") as f:
                data = f.read()
        except OSError as e:
            raise Refused(f"--symbols {word}: {e.strerror}") from None
        if data[:4] == b"\x7fELF":
            self._elf(path, data, address, word)
        elif address is None and KALLSYMS.match(data[:400].split(b"\n")[0].decode(errors="replace")):
            self._kallsyms(data, word)
        else:
            raise Refused(f"--symbols {word}: legal are ELF files (vmlinux, my.ko@ADDRESS) and a copy of /proc/kallsyms")
        self.starts = None

    def _kallsyms(self, data, word):
        """/proc/modules may follow. Behind a module's last byte nothing is its function's: there its init section was, whose symbols go."""
        lines = data.decode(errors="replace").splitlines()
        ends = {m[1]: int(m[3], 16) + int(m[2]) for m in map(MODULES.match, lines) if m}
        rows = [(int(m[1], 16), ends.get(m[4]), m[3]) for m in map(KALLSYMS.match, lines)
                if m and m[2] in CODE_KINDS and m[4] not in self.without]
        if not any(address for address, _, _ in rows):
            raise Refused(f"--symbols {word}: all addresses are 0: it was read without the right to see them")
        self.found += [(address, end - address if end and end > address else 0, name) for address, end, name in rows]

    def _elf(self, path, data, address, word):
        from guestrun import overlay
        overlay.check_whole("--symbols", path)  # nm does not say it
        relocatable = data[16:18] in ET_REL
        try:
            rows = list(elf_functions(path, relocatable))
        except OSError as e:
            raise Refused(f"--symbols {word}: nm (package binutils): {e.strerror}") from None
        if relocatable and address is None:
            raise Refused(f"--symbols {word}: a module needs the address of its .text, FILE@ADDRESS "
                          "(/sys/module/NAME/sections/.text in the guest)")
        if not relocatable and address is not None:
            raise Refused(f"--symbols {word}: a program has its own addresses; legal is FILE without @ADDRESS")
        if not rows:
            raise Refused(f"--symbols {word}: it has no symbols (a stripped or damaged file)")
        self.found += [((address or 0) + value, size, name) for value, size, name in rows]

    def place(self, pc):
        """(function, where it begins) of an address; ("", pc): none is known."""
        if self.starts is None:
            self.found.sort(key=lambda s: (s[0], s[1], s[2]))
            self.starts = [s[0] for s in self.found]
        i = bisect.bisect_right(self.starts, pc) - 1
        if i < 0:
            return "", pc
        address, size, name = self.found[i]
        return (name, address) if pc - address < (size or FARTHEST) else ("", pc)

    def name(self, pc):
        """FUNCTION+OFFSET of an address, or "" if none is known."""
        name, address = self.place(pc)
        return name and f"{name}+{pc - address:#x}"


def binutils(*words, text=None):
    """What one of these programs prints; text: its standard input. Raises OSError if it is not there."""
    return subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout


def elf_symbols(path):
    """(name, address, kind as nm has it, type, bytes, section) of each symbol that a section has, but not the debugger's.

    By nm, which reads a kernel's 100,000 symbols in half a second; Debian's pyelftools takes four.
    """
    for line in binutils("nm", "--format=sysv", "--", path).splitlines():
        name, *words = map(str.strip, line.rsplit("|", 6))
        if len(words) == 6 and len(words[1]) == 1 and words[1] not in "nNU" and not words[5].startswith("*"):
            value, kind, what, size, _, section = words
            yield name, int(value, 16), kind, what, int(size or "0", 16), section


def elf_functions(path, relocatable):
    """(address, bytes, name) of each function. Of a relocatable file those in .text only."""
    for name, value, kind, what, size, section in elf_symbols(path):
        if kind not in CODE_KINDS or what not in ("FUNC", "NOTYPE") or relocatable and section != ".text":
            continue
        if what == "FUNC" or size or not name.startswith((".", "$")):
            yield value, size, name


def module_symbols(path):
    """{name: (section, address in it)} of what a module has in memory, for names that it has once."""
    rows = list(elf_symbols(path))
    times = collections.Counter(name for name, *_ in rows)
    return {name: (section, value) for name, value, _, _, _, section in rows if times[name] == 1}


def addresses(kallsyms, names):
    """{name: address} of those of the kernel's own symbols that a copy of /proc/kallsyms has."""
    with open(kallsyms, errors="replace") as f:
        rows = (m for m in map(KALLSYMS.match, map(str.rstrip, f)) if m and not m[4])
        return {m[3]: int(m[1], 16) for m in rows if m[3] in names}


def elf_of(table, arch):
    """An ELF file with these functions, for gdb. arch: as gdb has it. By hand: Debian's libraries for Python read ELF and do not write it."""
    rows = sorted(set(table.found))
    low, high = rows[0][0], rows[-1][0] + FARTHEST
    ends = [address for address, _, _ in rows[1:]] + [high]
    strings, symbols = bytearray(b"\0"), bytearray(24)
    for (address, size, name), end in zip(rows, ends):
        symbols += struct.pack("<IBBHQQ", len(strings), STT_FUNC, 0, 1, address, size or min(end - address, FARTHEST))
        strings += name.encode() + b"\0"
    titles = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    at = [64, 64 + len(symbols), 64 + len(symbols) + len(strings)]
    # name, type, flags, address, offset, bytes, link, info, alignment, bytes of an entry
    sections = [(0,) * 10, (1, 8, 6, low, 64, high - low, 0, 0, 1, 0), (7, SHT_SYMTAB, 0, 0, at[0], len(symbols), 3, 1, 8, 24),
                (15, 3, 0, 0, at[1], len(strings), 0, 0, 1, 0), (23, 3, 0, 0, at[2], len(titles), 0, 0, 1, 0)]
    machine = 21 if arch.startswith("powerpc") else 62
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, low, 0, at[2] + len(titles), 0, 64, 0, 0, 64, len(sections), 4)
    return head + symbols + strings + titles + b"".join(struct.pack("<IIQQQQIIQQ", *s) for s in sections)
