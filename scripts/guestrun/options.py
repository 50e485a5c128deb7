# SPDX-License-Identifier: GPL-2.0-or-later
"""What perfboard run accepts. Whatever is wrong is said in one line (option, value, legal range), with status 2."""

import math
import os
import re
import shlex
import shutil
import sys
import tempfile

from workbench import Refused, places

from . import image, login, machine, overlay, plug, verdict
from .arch import ARCHS
from .boards import BOARDS

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
UNITS = {"K": KIB, "M": MIB, "G": GIB, "T": 1 << 40}
MEM_LEAST = 192 * MIB  # below, the default initramfs does not fit
OUT_MOST = 16 * GIB  # what the firmware finds a place for beside the boards
MEM_DEFAULT = 512 * MIB
NODES = 4
TIMEOUT = 300
SMP_MOST = 255  # of QEMU's machine pc, and of the boards
ICOUNT_MOST = 10
INITRAMFS_STARTS = (b"070701", b"070702", b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh", b"\x89LZO",
                    b"\x02\x21\x4c\x18", b"\x5d\0\0")


def text_of_size(number):
    for unit in ("G", "M", "K"):
        if number >= UNITS[unit] and number % UNITS[unit] == 0:
            return f"{number // UNITS[unit]}{unit}"
    return str(number)


def size(text, default_unit):
    """Bytes, or None if it is no size."""
    found = re.fullmatch(r"([0-9]+)([KMGTkmgt]?)", text)
    return int(found[1]) * UNITS.get(found[2].upper(), default_unit) if found else None


def this_memory():
    """Bytes of RAM and swap that this machine has."""
    with open("/proc/meminfo") as f:
        return sum(int(n) * KIB for n in re.findall(r"^(?:MemTotal|SwapTotal):\s+([0-9]+) kB", f.read(), re.M))


def whole(option, text, least, most):
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise Refused(f"{option} {text}: legal are {least} to {most}")
    return int(text)


def memory(text):
    number, most = size(text, MIB), this_memory()
    if number is None or number % MIB or not MEM_LEAST <= number <= most:
        raise Refused(f"--mem {text}: legal are whole megabytes, {text_of_size(MEM_LEAST)} to {most // MIB}M "
                      "(this machine's memory), with M or G")
    return number


def out_size(text, least):
    number = size(text, 1)
    if not number or number & (number - 1) or not least <= number <= OUT_MOST:
        raise Refused(f"--out-size {text}: legal are powers of two, {text_of_size(least)} to "
                      f"{text_of_size(OUT_MOST)}, with K, M or G")
    return number


def seconds(option, text):
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise Refused(f"{option} {text}: legal are seconds, more than 0")
    return number


def out_folder(path):
    """Made if it is missing, and tried: what the guest hands over must not be lost at the end."""
    try:
        os.makedirs(path, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as e:
        raise Refused(f"--out {path}: {e.strerror}; legal is a folder that can be written, or made") from None
    return path


def file(option, path, starts, at, what):
    """A file that can be read and looks like what it is to be."""
    try:
        with open(path, "rb") as f:
            f.seek(at)
            head = f.read(8)
    except OSError as e:
        raise Refused(f"{option} {path}: {e.strerror}; legal is {what}") from None
    if not head.startswith(starts):
        raise Refused(f"{option} {path}: legal is {what}, which this file is not")
    return path


def kernel(option, path, arch):
    start, at = arch.kernel
    return file(option, path, (start,), at, arch.kernel_text)


def program(option, name, arch):
    if not shutil.which(name):
        raise Refused(f"{option} {name}: no such program; legal is the name or path of a {arch.qemu}")
    return name


def architecture(name):
    if name not in ARCHS:
        raise Refused(f"--arch {name}: legal are {' and '.join(ARCHS)}")
    return ARCHS[name]


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
    g.add_argument("--mem", metavar="SIZE", help=f"guest memory, {text_of_size(MEM_LEAST)} or more ({text_of_size(MEM_DEFAULT)}, "
                   "and what large files of --add need)")
    g.add_argument("--smp", metavar="N", help=f"vCPUs, 1 to {SMP_MOST} (1; with --board sci or smile, whose nodes they are, {NODES})")
    g.add_argument("--kernel", metavar="FILE", help="default: the one that guest/linux/kernel finds")
    g.add_argument("--initramfs", metavar="FILE", help="another guest of ours; default: the one that scripts/build makes, or that is made at first use")
    g.add_argument("--append", default="", metavar="WORDS", help="more for the kernel's command line")
    g.add_argument("--plugin", metavar="SO", help="perfboard.so, with options after a comma")
    g.add_argument("--qemu", metavar="PROGRAM", help="default: " + " or ".join(a.qemu for a in ARCHS.values()))
    g.add_argument("--qemu-arg", action="append", default=[], metavar="ARG", help="repeatable; one word each")
    g.add_argument("--show", action="store_true", help="print QEMU's command line first")


def add_files(p):
    g = p.add_argument_group("files of yours")
    g.add_argument("--module", action="append", default=[], metavar="KO",
                   help="NAME.ko[,PARAMETER=VALUE...]: loaded before the command, after the guest's own; repeatable. A driver of ours "
                   "of the same name or for the same PCI device stays out")
    g.add_argument("--without", action="append", default=[], metavar="NAME", help="a driver of ours that stays out; repeatable")
    g.add_argument("--add", action="append", default=[], metavar="FILE",
                   help="FILE[=DEST]: a file or folder for the guest, in /root, where the command starts, or at DEST; repeatable")
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
    g.add_argument("--log", metavar="FILE", help="each access to a register, as perfboard log reads it; -: into QEMU's own log")
    g.add_argument("--log-format", metavar="FORMAT", choices=("text", "json"), help="text or json (text)")
    g.add_argument("--log-filter", metavar="PATTERNS", help="what to keep, with ; between; ! in front of one: what to leave out")
    g.add_argument("--symbols", metavar="FILES", help="vmlinux, my.ko@ADDRESS and the like, with commas between: what a log's functions are "
                   "looked up in, besides the guest's own /proc/kallsyms; none: the log keeps its addresses")
    g.add_argument("--coverage", metavar="FILE", help="what of each board was used, as perfboard coverage reads it; one that is there is added to")
    g.add_argument("--scenario", metavar="FILE", help="errors on purpose, each at its virtual time")
    g.add_argument("--gdb", nargs="?", const="1234", metavar="PORT", help="wait for gdb's `target remote :PORT` (1234) before the first "
                   "instruction; no time-out then but --timeout's")
    g.add_argument("--monitor", nargs="?", const="", metavar="SOCKET", help="perfboard monitor may watch, at SOCKET (one of its own choice)")
    g.add_argument("--record", metavar="FILE", help="what perfboard replay runs again; with --icount (4)")


def add_ending(p):
    g = p.add_argument_group("how it ends")
    g.add_argument("--timeout", metavar="S", help=f"host seconds, more than 0 ({TIMEOUT}; a shell: none)")
    g.add_argument("--junit", metavar="FILE", help="the verdict for a CI, as JUnit's XML")
    g.add_argument("--allow-taint", action="store_true",
                   help="a kernel that warns, oopses or locks up goes on, and the status is the command's")
    g.add_argument("--quiet", action="store_true",
                   help="standard output is the command's, byte for byte; the boot is shown only if it fails")


def add(p):
    """The options of perfboard run."""
    for part in (add_machine, add_files, add_images, add_looks, add_ending):
        part(p)


def shell_line(words):
    """The shell's line for the guest out of the words after -- (None: no --)."""
    if words is None:
        return None
    if not any(words):
        raise Refused("nothing after --; legal is a command, or no -- for a shell")
    # One word is a shell's line as it stands; of several, each is a word of its own.
    return words[0] if len(words) == 1 else shlex.join(words)


def chosen(args, name, variable, default):
    """(the option's value, or the variable's, or the default; what to call it when it is wrong)"""
    value = getattr(args, name)
    if value is not None:
        return value, "--" + name
    if os.environ.get(variable):
        return os.environ[variable], variable
    return default, "--" + name


def added(pair):
    """(file here, path in the guest) of --add."""
    source, _, target = pair.partition("=")
    if not os.path.exists(source) or not os.access(source, os.R_OK):
        raise Refused(f"--add {pair}: {source or 'nothing'} cannot be read; legal is FILE or FILE=DEST")
    base = os.path.basename(os.path.abspath(source))
    if target.endswith("/"):
        target += base
    target = os.path.normpath(os.path.join("/root", target or base))
    if target in ("/", "//") or target.startswith("/perfboard"):
        raise Refused(f"--add {pair}: legal is a DEST of yours, not {target}")
    return source, target


def fetched(pair, out):
    """(path in the guest, file here) of --get."""
    source, _, target = pair.partition("=")
    if not source or any(c in source for c in "\n\r") or source != source.strip() or source.endswith("/"):
        raise Refused(f"--get {pair!r}: legal is PATH or PATH=FILE, a file of the guest")
    target = os.path.join(out or "", target or os.path.basename(source))
    writable("--get", target)
    return source, target


def writable(option, path):
    """What is brought to this machine must not be lost at the end."""
    folder = os.path.dirname(os.path.abspath(path))
    if not path or os.path.isdir(path) or not os.path.isdir(folder) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise Refused(f"{option} {path}: legal is a file that can be written")


def module(word):
    """(file, [parameters]) of --module."""
    path, *parameters = word.split(",")
    if not path.endswith(".ko"):
        raise Refused(f"--module {word}: legal is NAME.ko, with parameters after commas")
    if any(" " in p or not p for p in parameters):
        raise Refused(f"--module {word}: legal are parameters without blanks")
    file("--module", path, (b"\x7fELF",), 0, "a module of the kernel, NAME.ko")
    return path, parameters


def check_files(args):
    args.module = [module(word) for word in args.module]
    args.add = [added(pair) for pair in args.add]
    if args.out is not None:
        args.out = out_folder(args.out)
    args.get = [fetched(pair, args.out) for pair in args.get]


def check_devices(args, arch):
    if args.no_boards and (args.device or args.board):
        option, value = ("--device", args.device[0]) if args.device else ("--board", args.board[0])
        raise Refused(f"{option} {value}: not together with --no-boards")
    if args.device and not all(args.device):
        raise Refused("--device '': legal is a device of QEMU, with its properties after commas")
    if args.no_boards:
        for name in ("log", "coverage", "scenario"):
            if getattr(args, name) is not None:
                raise Refused(f"--{name} {getattr(args, name)}: not together with --no-boards")
    words = plug.devices(args.board, arch.buses) + (args.device or [])
    if args.board == [] and args.device is None:
        words = arch.boards
    return words


def check_looks(args):
    for name in ("log", "coverage"):
        if getattr(args, name) is not None and (name, args.log) != ("log", "-"):
            writable("--" + name, getattr(args, name))
    for name in ("log_format", "log_filter", "symbols"):
        if getattr(args, name) is not None and args.log is None:
            raise Refused(f"--{name.replace('_', '-')} {getattr(args, name)}: only together with --log")
    if args.scenario is not None:
        try:
            with open(args.scenario, "rb"):
                pass
        except OSError as e:
            raise Refused(f"--scenario {args.scenario}: {e.strerror}; legal is a file") from None
    # The guest's symbols are fetched after the command.
    args.kallsyms = args.log not in (None, "-") and args.symbols != "none" and not args.image


def check_boot(args, arch):
    """What the machine boots: a guest of ours, or an image."""
    if not args.image or image.direct(args):
        value, name = chosen(args, "kernel", "PERFBOARD_KERNEL", None)
        args.kernel = kernel(name, value or places.kernel(args.arch), arch)
    if not args.image:
        value, name = chosen(args, "initramfs", "PERFBOARD_INITRAMFS", None)
        args.initramfs = file(name, value or places.initramfs(args.arch), INITRAMFS_STARTS, 0, "a cpio archive, compressed or not")


def check_times(args):
    endless = args.interactive or args.gdb is not None
    args.timeout = seconds("--timeout", args.timeout) if args.timeout is not None else math.inf if endless else TIMEOUT
    args.boot_timeout = seconds("--boot-timeout", args.boot_timeout) if args.boot_timeout is not None else math.inf
    if args.monitor is not None and args.record is not None:
        raise Refused("--monitor with --record: legal is one of them, as a recording does not hold what is asked from outside")
    if args.gdb is not None:
        args.gdb = whole("--gdb", args.gdb, 1, 65535)
    if args.junit is not None:
        writable("--junit", args.junit)
        if args.interactive:
            raise Refused(f"--junit {args.junit}: legal with a command or an image only")


def check_overlay(args, grow):
    args.overlay, args.left_out = None, []
    if args.image:
        if args.words is not None and len(args.text) > login.COMMAND_MOST:
            raise Refused(f"the command is {len(args.text)} characters long; legal for an image are {login.COMMAND_MOST}")
        return
    if overlay.needed(args) or machine.command_line_left(args) < 0:
        args.overlay, args.left_out = overlay.make(args)
        if grow:
            args.mem += 2 * args.overlay.size() // MIB * MIB  # the archive, and what it is unpacked to
    if (left := machine.command_line_left(args)) < 0:
        raise Refused(f"--append is {-left} characters too long for the kernel's command line of {machine.COMMAND_LINE_MAX}")


def check(args):
    """All of it: options and args.words become what machine.words() needs. Raises Refused."""
    args.text = shell_line(args.words)
    args.kernel_given = args.kernel is not None
    args.image = image.check(args)
    args.interactive = args.text is None and (args.command == "shell" or not args.image)
    if args.command == "shell" and args.text is not None:
        raise Refused("--: legal with perfboard run only; a shell has no command")
    arch = architecture(args.arch)
    if args.record is not None and args.icount is None:
        args.icount = "4"
    if args.icount is not None:
        args.icount = whole("--icount", args.icount, 0, ICOUNT_MOST)
    nodes = any(plug.board_of(word, arch.buses).name in ("sci", "smile") for word in args.board)
    args.smp = whole("--smp", args.smp, 1, SMP_MOST) if args.smp is not None else NODES if nodes else 1
    grow, args.mem = args.mem is None, memory(args.mem if args.mem is not None else text_of_size(MEM_DEFAULT))
    args.out_size = out_size(args.out_size, arch.out_least)
    check_times(args)
    args.devices = check_devices(args, arch)
    if any(ord(c) < 32 for c in args.append):
        raise Refused(f"--append {args.append!r}: legal are words in one line")
    check_boot(args, arch)
    value, name = chosen(args, "plugin", "PERFBOARD_SO", places.plugin())
    args.plugin = value
    if not args.no_boards:
        file(name, value.split(",")[0], (b"\x7fELF",), 0, "perfboard.so (ninja -C build perfboard.so makes it)")
    value, name = chosen(args, "qemu", "QEMU" if args.arch == "x86_64" else "QEMU_PPC64", arch.qemu)
    args.qemu = program(name, value, arch)
    check_looks(args)
    check_files(args)
    check_overlay(args, grow)
    return args


def free_bytes(folder):
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize


def hands_over(args):
    """Whether the guest has files for this machine."""
    return args.out is not None or bool(args.get) or args.kallsyms


def work_folder(args):
    """Where the console and the transfer memory are kept: in memory if there is room, else on the disk."""
    needed = machine.ROOM_LEAST + (args.out_size if hands_over(args) else 0)
    if args.overlay:
        needed += os.path.getsize(args.initramfs) + args.overlay.size()
    seen = []
    for folder in ("/dev/shm", tempfile.gettempdir()):
        if os.path.isdir(folder) and os.access(folder, os.W_OK):
            free = free_bytes(folder)
            if free > needed:
                return folder
            seen.append(f"{folder} has {free // MIB}M")
    raise Refused(f"--out-size {text_of_size(args.out_size)}: legal is what fits beside {machine.ROOM_LEAST // MIB}M "
                  f"of console: {', '.join(seen) or 'no folder for temporary files'}")


def fail(text, status=verdict.USAGE):
    sys.stdout.flush()
    print(f"perfboard: {text}", file=sys.stderr)
    sys.exit(status)
