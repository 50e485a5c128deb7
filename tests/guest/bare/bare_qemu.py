# SPDX-License-Identifier: GPL-2.0-or-later
"""bare_qemu - the machine that the bare-metal programs run on, for bare_run and bare_snap."""
import argparse
import contextlib
import os
import re
import shlex
import subprocess

from guestrun import arch
from script import load


def parser(doc):
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program")
    p.add_argument("--qemu", default=os.environ.get("QEMU", "qemu-system-x86_64"))
    p.add_argument("--plugin", help="perfboard.so, with options after a comma")
    p.add_argument("--first", metavar="PLUGIN", help="one more, loaded before perfboard.so: so it is called after it")
    p.add_argument("--machine", default="pc")
    p.add_argument("--module", help="file for the program (-initrd)")
    p.add_argument("--sni", default="slot=1,node=1,nodes=4", help="properties of shrimp-sni")
    p.add_argument("--surfboard", default="slot=2", help="properties of surfboard")
    p.add_argument("--without-boards", action="store_true")
    p.add_argument("--multikron", action="append", metavar="PROPERTIES",
                   help="a multikron card instead of the EISA boards (repeatable; '' for none)")
    p.add_argument("--device", action="append", metavar="DEVICE", help="these instead of the EISA boards (repeatable)")
    p.add_argument("--power", action="store_true", help="the program is for POWER, on pseries (with --device or --multikron)")
    p.add_argument("--smp", type=int, default=1)
    p.add_argument("--shift", type=int, default=5, help="2^N ns an instruction (%(default)s)")
    p.add_argument("--no-icount", action="store_true", help="free-running")
    p.add_argument("--reboot", action="store_true", help="the program may reset the machine")
    p.add_argument("--expect-status", type=int, default=0)
    p.add_argument("--timeout", type=float, default=600, metavar="S", help="host seconds that end a hang (%(default)s)")
    p.add_argument("--extra", default="", help="more QEMU arguments")
    return p


def network(properties):
    return ["-device", "i82375", "-device", "shrimp-sni," + properties]


def boots(a):
    """How many, for what must be the same each time. One is enough for a single processor: what its program says is known beforehand."""
    return 2 if a.smp > 1 and not a.no_icount else 1


def command(a, streams=()):
    """QEMU's words; streams: a file for the network of each MULTIKRON card that names no chardev."""
    c = [a.qemu, *([*arch.PSERIES, "-m", "256"] if a.power else ["-M", a.machine + ",accel=tcg", "-m", "128"]), "-smp", str(a.smp),
         "-display", "none", "-nodefaults", "-d", "guest_errors,unimp"]
    c += (["-bios", a.program, "-serial", "stdio"] if a.power else
          ["-kernel", a.program, "-debugcon", "stdio", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"])
    if not a.reboot:
        c.append("-no-reboot")
    if not a.no_icount:
        c += ["-icount", f"shift={a.shift},sleep=off", "-rtc", "clock=vm,base=1999-03-02", "-seed", "1"]
    c += ["-plugin", a.first] if a.first else []
    if a.multikron or a.device or not a.without_boards:
        c += ["-plugin", a.plugin]
    for i, properties in enumerate(a.multikron or []):
        if i < len(streams) and "chardev=" not in properties:
            c += ["-chardev", f"file,id=mk{i},path={streams[i]}"]
            properties = ",".join(filter(None, [f"chardev=mk{i}", properties]))
        c += ["-device", ",".join(filter(None, [f"multikron,id=mk{i}", properties]))]
    for device in a.device or []:
        c += ["-device", device]
    if not (a.multikron or a.device or a.without_boards):
        c += [*network(a.sni), "-device", "surfboard," + a.surfboard]
    if a.module:
        c += ["-initrd", f"{a.module} {os.path.basename(a.module)}"]
    return c + shlex.split(a.extra)


@contextlib.contextmanager
def crowded():
    """What is started meanwhile has one processor of the host, beside busy loops."""
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2)]
    try:
        yield
    finally:
        os.sched_setaffinity(0, processors)
        for loop in loops:
            loop.kill()
            loop.wait()


def script(name):
    """One of the programs beside this file, as a module."""
    return load(os.path.join(os.path.dirname(os.path.abspath(__file__)), name))


def verdict(name, wrong, good="passed"):
    """Says what is wrong, or that it is good; the exit status."""
    for w in wrong:
        print(f"{name}: {w}")
    print(f"{name}:", "failed" if wrong else good)
    return 1 if wrong else 0


def program_status(returncode):
    """isa-debug-exit ends QEMU with 2 * status + 1; anything else is QEMU's own."""
    return returncode >> 1 if returncode > 0 and returncode & 1 else None


def status_of(a, text, returncode):
    """The program's, or None. POWER's machine has no such device: the program says its status in its last line."""
    if not a.power:
        return program_status(returncode)
    found = re.search(r"^# status (\d+)\n\Z", text, re.M)
    return int(found[1]) if found and returncode == 0 else None
