# SPDX-License-Identifier: GPL-2.0-or-later
"""bare - the machine of a program of tests/bench that has no operating system. It says what it has found on the debug console, and a run repeats."""

import os

PASSED = 1  # QEMU's status: the debug exit device ends it with 2 * 0 + 1


def machine(qemu, build, program, shift):
    return [qemu, "-M", "pc,accel=tcg", "-m", "128", "-display", "none", "-nodefaults",
            "-kernel", os.path.join(build, "tests", "bench", program), "-debugcon", "stdio",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-no-reboot",
            "-icount", f"shift={shift},sleep=off", "-rtc", "clock=vm,base=1999-03-02", "-seed", "1"]
