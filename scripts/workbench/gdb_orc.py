# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of an x86 kernel, for gdb (gdb_guest.py): the kernel keeps tables that say, for each address, where the caller's frame is.

    Orc(first, rows)            where two tables begin, one behind the other
    install(orc)                gdb uses it from now on, and a backtrace ends where nothing more is known

The first has 32-bit offsets from each of its own words to code, in order; the second a row of six bytes for each: two offsets, the registers
that they begin from, and a kind. Their numbers have changed twice since 6.1 (arch/x86/include/asm/orc_types.h). Which they are is told from
what most rows have: the stack pointer, and a call.
"""

import collections
import struct

import gdb
import gdb.FrameDecorator
import gdb.unwinder

KERNEL = 1 << 63  # addresses from here on are the kernel's
SAMPLE = 600  # rows; the first ones are of unusual code
ROW = struct.Struct("<hhH")
SIX_1 = {0: None, 1: "prev", 2: "rdx", 3: "rdi", 4: "rbp", 5: "rsp", 6: "r10", 7: "r13", 8: "*rbp", 9: "*rsp"}
SEVEN = {0: None, 1: "rax", 2: "rdx", 3: "rsp", 4: "rbp", 5: "rdi", 6: "r10", 7: "r13", 8: "prev", 9: "*rsp", 10: "*rbp"}
REGISTERS = {5: SIX_1, 3: SEVEN}  # by the number of the stack pointer
OLD, NEW = {0: "call", 1: "regs", 2: "partial"}, {0: None, 1: "end", 2: "call", 3: "regs", 4: "partial"}
KINDS = {0: OLD, 2: NEW}          # by the number of a call
OLD_END = 1 << 10
# struct pt_regs
REGS = ("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi", None, "rip", None, None, "rsp")
IRET = ("rip", None, None, "rsp")


def read(address, count):
    return bytes(gdb.selected_inferior().read_memory(address, count))


def word(address):
    return struct.unpack("<Q", read(address, 8))[0]


class Orc:
    def __init__(self, first, rows):
        self.first, self.count, self.rows, self.numbers, self.range = first, (rows - first) // 4, rows, None, None

    def code(self, n):
        at = self.first + 4 * n
        return at + struct.unpack("<i", read(at, 4))[0]

    def covers(self, pc):
        """Whether it is in the kernel itself: of modules gdb knows what their files say."""
        if not self.range and pc >= KERNEL:
            self.range = range(self.code(0), self.code(self.count - 1))
        return self.range and pc in self.range

    def row(self, pc):
        """(offset of the stack pointer, of rbp, the registers that they begin from, kind); kind None: nothing is known."""
        if not self.numbers:
            flags = [f for _, _, f in ROW.iter_unpack(read(self.rows + self.count // 2 * ROW.size, SAMPLE * ROW.size))]
            commonest = (collections.Counter(values).most_common(1)[0][0] for values in ((f & 15 for f in flags), (f >> 8 & 3 for f in flags)))
            self.numbers = tuple(known.get(n, {}) for known, n in zip((REGISTERS, KINDS), commonest))
        low, high = 0, self.count
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.code(middle) <= pc else (low, middle)
        registers, kinds = self.numbers
        sp, bp, flags = ROW.unpack(read(self.rows + low * ROW.size, ROW.size))
        kind = "end" if kinds is OLD and flags & OLD_END else kinds.get(flags >> 8 & (3 if kinds is OLD else 7))
        return sp, bp, registers.get(flags & 15), registers.get(flags >> 4 & 15), kind

    def caller(self, pc, value):
        """{register: value} of the caller's frame; its rip is 0 at the end, and where nothing is known. value(name): a register's, of this frame."""
        sp_at, bp_at, sp_from, bp_from, kind = self.row(pc)
        if kind in (None, "end") or sp_from in (None, "prev"):
            return {"rip": 0, "rsp": value("rsp"), "rbp": value("rbp")}
        if sp_from == "*rsp":
            sp = word(value("rsp")) + sp_at
        else:
            sp = value(sp_from.lstrip("*")) + sp_at
            sp = word(sp) if sp_from == "*rbp" else sp
        if kind == "call":
            found = {"rip": word(sp - 8), "rsp": sp, "rbp": value("rbp")}
        else:
            names = REGS if kind == "regs" else IRET
            found = {name: v for name, v in zip(names, struct.unpack(f"<{len(names)}Q", read(sp, 8 * len(names)))) if name}
        if bp_from:
            found["rbp"] = word((sp if bp_from == "prev" else value("rbp")) + bp_at)
        return found


class Id:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class Kernel(gdb.unwinder.Unwinder):
    def __init__(self, orc):
        super().__init__("perfboard")
        self.orc, self.interrupted = orc, set()

    def __call__(self, frame):
        def value(name):
            return int(frame.read_register(name)) % (1 << 64)

        here = value("rsp"), value("rip")
        # A call can be the last instruction of its function; what was interrupted, or runs now, is where it is.
        called = frame.level() and here not in self.interrupted
        try:
            if not self.orc.covers(here[1]):
                return None
            found = self.orc.caller(here[1] - called, value)
        except gdb.error:  # a register or memory that is not known
            return None
        if len(found) > 3:
            self.interrupted.add((found["rsp"], found["rip"]))
        info = frame.create_unwind_info(Id(frame.read_register("rsp"), frame.read_register("rip")))
        for name, saved in found.items():
            info.add_saved_register(name, gdb.Value(saved).cast(frame.read_register(name).type))
        return info


class Unknown(gdb.FrameDecorator.FrameDecorator):
    def function(self):
        return "??"


class Known:
    """Of a backtrace the frames up to the first that is a program's of which gdb has no functions: what is behind that is guessed."""
    name, enabled, priority = "perfboard", True, 100

    def filter(self, frames):
        for frame in frames:
            pc = frame.inferior_frame().pc()
            if not pc:
                return
            if pc < KERNEL and not frame.inferior_frame().name():
                yield Unknown(frame)
                return
            yield frame


def install(orc):
    kernel, known = Kernel(orc), Known()
    gdb.unwinder.register_unwinder(None, kernel)
    gdb.frame_filters[known.name] = known
    gdb.events.stop.connect(lambda _: kernel.interrupted.clear())
