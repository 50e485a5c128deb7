# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of perfboard run and shell, for the parser. What they may be is in options.py."""

from .arch import ARCHS
from .boards import BOARDS, PROFILER

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
UNITS = {"K": KIB, "M": MIB, "G": GIB, "T": 1 << 40}
OUT_MOST = 16 * GIB  # what the firmware finds a place for beside the boards
MEM_DEFAULT = 512 * MIB
TIMEOUT = 300
SMP_MOST = 255  # of QEMU's machine pc, and of the boards
ICOUNT_MOST = 10
LOG_LEAST, LOG_MOST = 64 * KIB, 1 << 50
LOG_SIZES = "64K to 1024T, or 0: no limit"


def text_of_size(number):
    for unit in ("G", "M", "K"):
        if number >= UNITS[unit] and number % UNITS[unit] == 0:
            return f"{number // UNITS[unit]}{unit}"
    return str(number)


def memory_of(arch, least=None):
    """What --mem may be. least: bytes."""
    steps = "whole megabytes" if arch.mem_step == MIB else f"multiples of {text_of_size(arch.mem_step)}"
    return f"{steps}, {text_of_size(least or arch.mem_least)} or more"


def add_machine(p):
    g = p.add_argument_group("the machine")
    g.add_argument("--arch", default="x86_64", metavar="ARCH", help=f"the guest's: {' or '.join(ARCHS)} (%(default)s)")
    g.add_argument("--board", action="append", default=[], metavar="BOARD",
                   help=f"NAME[,PROPERTY=VALUE...], with what it needs besides, in a slot that is free; repeatable; "
                   f"NAME: {', '.join(b.name for b in BOARDS)}")
    g.add_argument("--device", action="append", default=None, metavar="DEV",
                   help="as QEMU's -device; repeatable. Without --board and --device: " + " or ".join("; ".join(a.boards) for a in ARCHS.values()))
    g.add_argument("--no-boards", action="store_true", help="no plugin and no boards")
    g.add_argument("--icount", metavar="SHIFT", help=f"2^SHIFT ns per instruction, 0 to {ICOUNT_MOST}; repeatable")
    g.add_argument("--mem", metavar="SIZE", help=f"guest memory, {memory_of(ARCHS['x86_64'])} (ppc64: {memory_of(ARCHS['ppc64'])}; {text_of_size(MEM_DEFAULT)}, "
                   "and what large files of --add need); more, if the guest's file system does not fit")
    nodes = {b.name: b.vcpus for b in BOARDS if b.vcpus > 1}
    g.add_argument("--smp", metavar="N", help=f"vCPUs, 1 to {SMP_MOST} (1; with --board {' or '.join(nodes)}, whose nodes they are, {max(nodes.values())})")
    g.add_argument("--kernel", metavar="FILE", help="default: the one that the guest's drivers were built for, else the one that guest/linux/kernel finds. "
                   "Or another one, for which the guest's drivers are built, once: such as 6.12 or linux-image-..., a package of those that this "
                   "machine's apt knows, got with its headers and installed nowhere; a FILE whose headers are in /lib/modules/RELEASE, or that "
                   "folder; DIR, in which one was built (scripts/kernel). What its checkers report is a warning")
    g.add_argument("--initramfs", metavar="FILE", help="another guest of ours; default: the one that scripts/build makes, or that is made at first use")
    g.add_argument("--append", default="", metavar="WORDS", help="more for the kernel's command line")
    g.add_argument("--plugin", metavar="SO", help="perfboard.so, with options after a comma")
    g.add_argument("--qemu", metavar="PROGRAM", help="default: " + " or ".join(a.qemu for a in ARCHS.values()))
    g.add_argument("--qemu-arg", action="append", default=[], metavar="ARG", help="repeatable; one word each")
    g.add_argument("--lan", metavar="NODE/NODES", help="on the Ethernet of a cluster, with names and addresses: what `perfboard cluster --lan` gives each node")
    g.add_argument("--show", action="store_true", help="print QEMU's command line first")


def add_files(p):
    g = p.add_argument_group("files of yours")
    g.add_argument("--module", action="append", default=[], metavar="KO",
                   help="NAME.ko[,PARAMETER=VALUE...]: loaded before the command, after the guest's own; repeatable. A driver of ours "
                   "of the same name or for the same PCI device stays out")
    g.add_argument("--without", action="append", default=[], metavar="NAME", help="a driver of ours that stays out; repeatable")
    g.add_argument("--add", action="append", default=[], metavar="FILE",
                   help="FILE[=DEST]: a file or folder for the guest, in /root, where the command starts, or at DEST; repeatable")
    g.add_argument("--add-package", action="append", default=[], metavar="NAME",
                   help="a Debian package for the guest, with what it depends on, got by this machine's apt and installed nowhere: pciutils, strace...; repeatable")
    g.add_argument("--share", action="append", default=[], metavar="DIR",
                   help="DIR[=DEST]: a folder of this machine, to which nobody but you can come, in the guest, live and both ways, in /mnt by its name, or at DEST; "
                   "repeatable. What this machine does there is no part of a run that --icount repeats; not together with --record")
    g.add_argument("--share-ro", action="append", default=[], metavar="DIR", help="the same, and the guest cannot write there")
    g.add_argument("--stdin", metavar="FILE", help="what the command reads from its standard input, -: what is on this one's, to its end (nothing)")
    g.add_argument("--get", action="append", default=[], metavar="PATH",
                   help="PATH[=FILE]: a file of the guest, fetched after the command; repeatable")
    g.add_argument("--out", metavar="DIR", help="where hostput's files and those of --get go (made if missing)")
    g.add_argument("--out-size", default="256M", metavar="SIZE", help="room for them, a power of two, "
                   f"{text_of_size(ARCHS['x86_64'].out_least)} (ppc64: {text_of_size(ARCHS['ppc64'].out_least)}) to "
                   f"{text_of_size(OUT_MOST)} (%(default)s)")


def add_images(p):
    g = p.add_argument_group("an image of yours, instead of a guest of ours",
                             "Its status is told from its kernel's last words, from whether it switches the machine off, and from these:")
    g.add_argument("--initrd", metavar="FILE", help="with --kernel, or with the guest's kernel")
    g.add_argument("--disk", action="append", default=[], metavar="IMG", help="raw or qcow2; without --kernel and --initrd the machine boots from it; repeatable")
    g.add_argument("--snapshot", action="store_true", help="what is written to the disks is forgotten at the end")
    g.add_argument("--login", metavar="USER", help="USER[:PASSWORD] for a COMMAND, which is typed at the image's serial console (root)")
    g.add_argument("--expect", metavar="TEXT", help="success as soon as the console says TEXT; a failure if it never does")
    g.add_argument("--reject", metavar="TEXT", help="a failure, status 1, as soon as the console says TEXT")
    g.add_argument("--exit-device", action="store_true",
                   help="the status is what the image writes to port 0xf4, 0 to 127 (QEMU's isa-debug-exit); the machine ends with it")
    g.add_argument("--boot-timeout", metavar="S", help="host seconds until the console must have said something (--timeout)")


def add_looks(p):
    g = p.add_argument_group("looking at the boards")
    g.add_argument("--log", metavar="FILE", help="each access to a register, as perfboard log reads it; -: into QEMU's own log. "
                   "A pipe or a device gets a stream, without functions; a pipe's reader is waited for, no longer than --timeout")
    g.add_argument("--log-format", metavar="FORMAT", choices=("text", "json"), help="text or json (text)")
    g.add_argument("--log-size", metavar="SIZE", help=f"how long it may be: {LOG_SIZES} (256M). Of a file that is full the first half and what came "
                   "last are kept, and a line says how much is not; a stream ends there")
    g.add_argument("--log-filter", metavar="PATTERNS", help="what to keep, with ; between; ! in front of one: what to leave out")
    g.add_argument("--symbols", metavar="FILES", help="vmlinux, my.ko@ADDRESS and the like, with commas between: what a log's functions are "
                   "looked up in, besides the guest's own /proc/kallsyms; none: the log keeps its addresses. Also for that gdb")
    g.add_argument("--coverage", metavar="FILE", help="what of each board was used, as perfboard coverage reads it; one that is there is added to")
    g.add_argument("--profile", metavar="FILE", help="how often each instruction of the command and of the kernel was executed, and its cycles in the pipelines "
                   f"of --board {PROFILER.name}, as perfboard profile reads it; of a guest of ours")
    g.add_argument("--profile-marked", action="store_true", help="only while the process mark is set (p2run --scope marked; in a function with its --segment); not together with --profile-calls")
    g.add_argument("--profile-events", metavar="FROM:TO", help="only from the trace event with the data FROM, which a board takes, to the one with TO; not together with --profile-calls")
    g.add_argument("--profile-calls", action="store_true", help="who called whom, too")
    g.add_argument("--profile-misses", action="store_true", help="what each of them missed in the board's caches and TLBs, too")
    g.add_argument("--scenario", metavar="FILE", help="errors on purpose, each at its virtual time")
    g.add_argument("--gdb", nargs="?", const="", metavar="SOCKET", help="gdb, before the first instruction; it knows the kernel's functions, and a module's "
                   "lines when it is loaded. With SOCKET: wait there for one's own, `target remote SOCKET`, in a folder that only you may enter, as the line carries QEMU's monitor. No time-out then but --timeout's")
    g.add_argument("--ex", action="append", default=[], metavar="COMMAND", help="a command for that gdb, when it has connected (repeatable)")
    g.add_argument("--batch", action="store_true", help="that gdb ends after the commands of --ex; the machine then goes on without")
    g.add_argument("--monitor", nargs="?", const="", metavar="SOCKET", help="perfboard monitor may watch, at SOCKET, in a folder that only you may enter (one of its own choice)")
    g.add_argument("--record", metavar="FILE", help="what perfboard replay runs again; with --icount (4)")


def add_ending(p):
    g = p.add_argument_group("how it ends")
    g.add_argument("--timeout", metavar="S", help=f"host seconds, more than 0 (PERFBOARD_TIMEOUT, which a slow host may want, or {TIMEOUT}; a shell: none)")
    g.add_argument("--junit", metavar="FILE", help="the verdict for a CI, as JUnit's XML, and each test of which the console tells in TAP or KTAP")
    g.add_argument("--allow-taint", action="store_true",
                   help="a kernel that warns, oopses or locks up goes on, and the status is the command's")
    g.add_argument("--files", metavar="DIR", help="what the two serial ports of a guest of ours say goes into DIR/console and DIR/records, behind what is there")
    g.add_argument("--quiet", action="store_true",
                   help="standard output is the command's, byte for byte; the boot is shown only if it fails")


def add(p):
    """The options of perfboard run."""
    for part in (add_machine, add_files, add_images, add_looks, add_ending):
        part(p)
