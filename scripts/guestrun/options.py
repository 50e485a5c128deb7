# SPDX-License-Identifier: GPL-2.0-or-later
"""What perfboard run accepts. Whatever is wrong is said in one line (option, value, legal range), with status 2."""

import dataclasses
import math
import os
import re
import shlex
import shutil
import sys
import tempfile

from workbench import Refused, debugger, flush, output, places

from . import debian_kernel, device_args, image, lan, login, machine, overlay, packages, share, tree, verdict
from .arch import ARCHS
from .arguments import (ICOUNT_MOST, KIB, LOG_LEAST, LOG_MOST, LOG_SIZES, MEM_DEFAULT, MIB, OUT_MOST, SMP_MOST,
                        TIMEOUT, UNITS, memory_of, text_of_size)

INITRAMFS_STARTS = (b"070701", b"070702", b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh", b"\x89LZO",
                    b"\x02\x21\x4c\x18", b"\x5d\0\0")


@dataclasses.dataclass
class Guest:
    """What a guest of ours gets besides its file system."""

    drivers: dict | None = None         # ours, built for --kernel DIR
    kallsyms: bool = False              # it hands its kernel's symbols over, for a log
    share_modules: list = dataclasses.field(default_factory=list)
    lan_driver: bytes | None = None
    archive: overlay.Archive | None = None  # a second one
    left_out: list = dataclasses.field(default_factory=list)  # modules of ours


def size(text, default_unit):
    """Bytes, or None if it is no size."""
    found = re.fullmatch(r"([0-9]{1,19})([KMGTkmgt]?)", text)
    return int(found[1]) * UNITS.get(found[2].upper(), default_unit) if found else None


def this_memory():
    """Bytes of RAM and swap that this machine has."""
    with open("/proc/meminfo") as f:
        return sum(int(n) * KIB for n in re.findall(r"^(?:MemTotal|SwapTotal):\s+([0-9]+) kB", f.read(), re.M))


def whole(option, text, least, most):
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise Refused(f"{option} {text}: legal are {least} to {most}")
    return int(text)


def memory(text, arch, least):
    number, most = size(text, MIB), this_memory()
    if number is None or number % arch.mem_step or not least <= number <= most:
        why = "" if least == arch.mem_least else ", since the guest's file system is unpacked into half of what the kernel leaves"
        raise Refused(f"--mem {text}: legal are {memory_of(arch, least).removesuffix(' or more')} to {most // MIB}M "
                      f"(this machine's memory), with M or G{why}")
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


def out_folder(path, option="--out"):
    """Made if it is missing, and tried: what the guest hands over must not be lost at the end."""
    try:
        os.makedirs(path, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as e:
        raise Refused(f"{option} {path}: {e.strerror}; legal is a folder that can be written, or made") from None
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


def plugin(option, value):
    file(option, value.split(",")[0], (b"\x7fELF",), 0, "perfboard.so (ninja -C build perfboard.so makes it)")


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
    if overlay.is_private(target) and (os.path.isdir(source) or os.stat(source).st_mode & 0o077):
        raise Refused(f"--add {pair}: others can read {source}; legal for a module's parameters is a file of mode 0600")
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
    if not path or not output.can_be_written(path):
        raise Refused(f"{option} {path}: legal is a file that can be written")


def standard_input(path):
    """All of it: the guest has it before it starts."""
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as f:
            return f.read()
    except OSError as e:
        raise Refused(f"--stdin {path}: {e.strerror}; legal is a file, or -") from None


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
    if args.files is not None:
        args.files = out_folder(args.files, "--files")
    args.get = [fetched(pair, args.out) for pair in args.get]
    share.check(args)
    share.check_written(args)


def check_packages(args):
    """After what needs no network."""
    if args.add_package:
        if args.arch != "x86_64":
            raise Refused(f"--add-package {args.add_package[0]}: legal with --arch x86_64 only: apt here has packages of this machine's architecture")
        args.add_package = packages.get("--add-package", args.add_package, args.quiet)


def check_stdin(args):
    """Last of all checks: it may wait for what comes."""
    if args.stdin is not None:
        if args.text is None:
            raise Refused(f"--stdin {args.stdin}: legal with a command only")
        args.stdin = standard_input(args.stdin)


def check_devices(args, arch):
    if args.no_boards and (args.device or args.board):
        option, value = ("--device", args.device[0]) if args.device else ("--board", args.board[0])
        raise Refused(f"{option} {value}: not together with --no-boards")
    if args.device and not all(args.device):
        raise Refused("--device '': legal is a device of QEMU, with its properties after commas")
    if args.no_boards:
        for name in ("log", "coverage", "profile", "scenario"):
            if getattr(args, name) is not None:
                raise Refused(f"--{name} {getattr(args, name)}: not together with --no-boards")
    words = device_args.devices(args.board, arch.buses) + (args.device or [])
    if args.board == [] and args.device is None:
        words = arch.boards
    if args.profile is not None and not any(map(device_args.profiles, words)):
        words = words + device_args.devices([device_args.PROFILER.name], arch.buses)
    return words


def log_size(text):
    """Bytes; 0: no limit."""
    number = size(text, 1)
    if number is None or number and not LOG_LEAST <= number <= LOG_MOST:
        raise Refused(f"--log-size {text}: legal are {LOG_SIZES}")
    return number


def check_looks(args):
    for name in ("log", "coverage", "profile"):
        if getattr(args, name) is not None and (name, args.log) != ("log", "-"):
            writable("--" + name, getattr(args, name))
    for name in ("log_format", "log_size", "log_filter", "symbols"):
        if getattr(args, name) is not None and args.log is None and not (name == "symbols" and args.gdb == ""):
            raise Refused(f"--{name.replace('_', '-')} {getattr(args, name)}: only together with --log")
    for name in ("profile_marked", "profile_events"):
        if getattr(args, name) and args.profile_calls:
            raise Refused(f"--{name.replace('_', '-')} with --profile-calls: legal is one of them")
    if args.profile_events and not re.fullmatch(r"[0-9]{1,15}:[0-9]{1,15}", args.profile_events):
        raise Refused(f"--profile-events {args.profile_events}: legal is FROM:TO, two numbers up to 281474976710655")
    for name in ("profile_misses", "profile_calls", "profile_marked", "profile_events"):
        if getattr(args, name) and args.profile is None:
            raise Refused(f"--{name.replace('_', '-')}: only together with --profile")
    if args.profile is not None:
        for name, given in (("--record", args.record), ("--gdb", args.gdb), ("an image of yours", args.image or None), ("a shell", args.interactive or None)):
            if given is not None:
                raise Refused(f"{name}: not together with a profile; legal is a command in a guest of ours")
    if args.log_size is not None:
        args.log_size = str(log_size(args.log_size))
    if args.scenario is not None:
        try:
            with open(args.scenario, "rb"):
                pass
        except OSError as e:
            raise Refused(f"--scenario {args.scenario}: {e.strerror}; legal is a file") from None
    # The guest's symbols are fetched after the command, and a stream has then gone by.
    args.guest.kallsyms = args.profile is not None or (
        args.log not in (None, "-") and output.is_file(args.log) and args.symbols != "none" and not args.image)


def initramfs(args):
    """The path of the guest of ours that args.initramfs, the environment or this tree names; raises Refused."""
    value, name = chosen(args, "initramfs", "PERFBOARD_INITRAMFS", None)
    return file(name, value or places.initramfs(args.arch), INITRAMFS_STARTS, 0, "a guest of ours, a cpio archive, compressed or not")


def check_boot(args, arch):
    """What the machine boots: a guest of ours, or an image."""
    release = None
    if not args.image:
        args.initramfs = initramfs(args)
        if "perfboard.noload" not in args.append.split():
            release = overlay.drivers_release(args.initramfs)
    if not args.image or image.direct(args):
        value, name = chosen(args, "kernel", "PERFBOARD_KERNEL", None)
        if value and args.arch == "x86_64" and debian_kernel.is_named(value):
            value = debian_kernel.find(name, value, args.quiet)
        if value and tree.is_tree(value):
            args.kernel = kernel(name, tree.image(name, value, args.arch), arch)
            if not args.image:
                args.guest.drivers = tree.drivers(name, value, args.quiet) if release else {}
            return
        args.kernel = kernel(name, value or places.kernel(args.arch, release), arch)
        this = overlay.kernel_release(args.kernel)
        if release and this and this != release:
            if not (folder := tree.of_kernel(args.kernel, this)):
                raise Refused(f"{name} {args.kernel}: the guest's drivers are for the kernel {release}, and this one is {this}; legal is that kernel, "
                              f"or one whose headers are in /lib/modules/{this}/build (on a Debian the package linux-headers-{this})")
            tree.image(name, folder, args.arch)
            args.guest.drivers = tree.drivers(name, folder, args.quiet)


def check_times(args):
    endless = args.interactive or args.gdb is not None
    value, name = chosen(args, "timeout", "PERFBOARD_TIMEOUT", TIMEOUT)
    args.timeout = math.inf if endless and args.timeout is None else seconds(name, value)
    args.boot_timeout = seconds("--boot-timeout", args.boot_timeout) if args.boot_timeout is not None else math.inf
    if args.monitor is not None and args.record is not None:
        raise Refused("--monitor with --record: legal is one of them, as a recording does not hold what is asked from outside")
    if args.gdb is not None and args.record is not None:
        raise Refused("--gdb with --record: legal is one of them; perfboard replay --gdb has gdb for a recording")
    for name in ("gdb", "monitor"):
        if getattr(args, name):
            places.own_socket("--" + name, getattr(args, name))
    debugger.check(args)
    if args.gdb == "":
        if args.interactive:
            raise Refused("--gdb: legal with a command or an image only, as the terminal is gdb's; --gdb SOCKET is for one in another terminal")
        debugger.find(args.arch)
    if args.junit is not None:
        writable("--junit", args.junit)
        if args.interactive:
            raise Refused(f"--junit {args.junit}: legal with a command or an image only")


def check_overlay(args):
    if args.image:
        if args.words is not None and len(args.text) > login.COMMAND_MOST:
            raise Refused(f"the command is {len(args.text)} characters long; legal for an image are {login.COMMAND_MOST}")
        return
    if overlay.needed(args) or machine.command_line_left(args) < 0:
        args.guest.archive, args.guest.left_out = overlay.make(args)
    if (left := machine.command_line_left(args)) < 0:
        raise Refused(f"--append is {-left} characters too long for the kernel's command line of {machine.COMMAND_LINE_MAX}")


def check_memory(args, arch):
    least = arch.mem_least if args.image else overlay.memory_least(args, arch)
    if args.mem is not None:
        args.mem = memory(args.mem, arch, least)
    else:
        more = 2 * args.guest.archive.size() // MIB * MIB if args.guest.archive else 0  # the archive, and what it is unpacked to
        args.mem = max(MEM_DEFAULT + -(-more // arch.mem_step) * arch.mem_step, least)


def check(args):
    """All of it: options and args.words become what machine.words() needs. Raises Refused."""
    args.guest, args.text = Guest(), shell_line(args.words)
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
    vcpus = max((device_args.board_of(word, arch.buses).vcpus for word in args.board), default=1)
    args.smp = whole("--smp", args.smp, 1, SMP_MOST) if args.smp is not None else vcpus
    args.out_size = out_size(args.out_size, arch.out_least)
    check_times(args)
    args.devices = check_devices(args, arch)
    lan.check(args)
    if any(ord(c) < 32 for c in args.append):
        raise Refused(f"--append {args.append!r}: legal are words in one line")
    check_boot(args, arch)
    value, name = chosen(args, "plugin", "PERFBOARD_SO", places.plugin())
    args.plugin = value
    if not args.no_boards:
        plugin(name, value)
    value, name = chosen(args, "qemu", "QEMU" if args.arch == "x86_64" else "QEMU_PPC64", arch.qemu)
    args.qemu = program(name, value, arch)
    check_looks(args)
    check_files(args)
    check_packages(args)
    share.find_modules(args)
    lan.find_driver(args)
    check_stdin(args)
    check_overlay(args)
    check_memory(args, arch)
    return args


def free_bytes(folder):
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize


def hands_over(args):
    """Whether the guest has files for this machine."""
    return args.out is not None or bool(args.get) or args.guest.kallsyms


def work_folder(args):
    """Where the console and the transfer memory are kept: in memory if there is room, else on the disk."""
    needed = machine.ROOM_LEAST + (args.out_size if hands_over(args) else 0)
    if args.guest.archive:
        needed += os.path.getsize(args.initramfs) + args.guest.archive.size()
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
    flush()
    print(f"perfboard: {text}", file=sys.stderr)
    sys.exit(status)
