# SPDX-License-Identifier: GPL-2.0-or-later
"""What guest-run accepts. Whatever is wrong is said in one line (option, value, legal range), with status 2."""

import argparse
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from . import machine, verdict
from .arch import ARCHS

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
UNITS = {"K": KIB, "M": MIB, "G": GIB, "T": 1 << 40}
MEM_LEAST = 192 * MIB  # below, the default initramfs does not fit
OUT_MOST = 16 * GIB  # what the firmware finds a place for beside the boards
SMP_MOST = 255  # of QEMU's machine pc, and of the boards
ICOUNT_MOST = 10
INITRAMFS_STARTS = (b"070701", b"070702", b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh", b"\x89LZO",
                    b"\x02\x21\x4c\x18", b"\x5d\0\0")


class Refused(Exception):
    """A line for the user; guest-run ends with status 2."""


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


def seconds(text):
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise Refused(f"--timeout {text}: legal are seconds, more than 0")
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


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message.removeprefix("argument ") + " (--help lists the options)")


def parser(doc):
    p = Parser(prog="guest-run", description=doc, epilog=verdict.manual(), allow_abbrev=False,
               formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--arch", default="x86_64", metavar="ARCH", help=f"the guest's: {' or '.join(ARCHS)} (%(default)s)")
    p.add_argument("--icount", metavar="SHIFT", help=f"2^SHIFT ns per instruction, 0 to {ICOUNT_MOST}; repeatable")
    p.add_argument("--out", metavar="DIR", help="where hostput's files go (made if missing)")
    p.add_argument("--out-size", default="256M", metavar="SIZE", help="room for them, a power of two, "
                   f"{text_of_size(ARCHS['x86_64'].out_least)} (ppc64: {text_of_size(ARCHS['ppc64'].out_least)}) to "
                   f"{text_of_size(OUT_MOST)} (%(default)s)")
    p.add_argument("--mem", default="512M", metavar="SIZE",
                   help=f"guest memory, {text_of_size(MEM_LEAST)} or more (%(default)s)")
    p.add_argument("--smp", default="1", metavar="N", help=f"vCPUs, 1 to {SMP_MOST} (%(default)s)")
    p.add_argument("--timeout", default="300", metavar="S", help="host seconds, more than 0 (%(default)s)")
    p.add_argument("--allow-taint", action="store_true",
                   help="a kernel that warns, oopses or locks up goes on, and the status is the command's")
    p.add_argument("--device", action="append", default=None, metavar="DEV",
                   help="boards, instead of: " + " or ".join("; ".join(a.boards) for a in ARCHS.values()))
    p.add_argument("--no-boards", action="store_true", help="no plugin and no boards")
    p.add_argument("--plugin", metavar="SO", help="perfboard.so, with options after a comma")
    p.add_argument("--kernel", help="default: the one that guest/linux/kernel finds")
    p.add_argument("--initramfs", help="default: " + " or ".join(a.initramfs for a in ARCHS.values()))
    p.add_argument("--append", default="", metavar="WORDS", help="more for the kernel's command line")
    p.add_argument("--qemu", help="default: " + " or ".join(a.qemu for a in ARCHS.values()))
    p.add_argument("--qemu-arg", action="append", default=[], metavar="ARG", help="repeatable; one word each")
    p.add_argument("--quiet", action="store_true",
                   help="standard output is the command's, byte for byte; the boot is shown only if it fails")
    p.add_argument("--show", action="store_true", help="print QEMU's command line first")
    return p


def split_command(argv):
    """guest-run's own words, and the shell's line for the guest (None: a shell on the console)."""
    if "--" not in argv:
        return argv, None
    at = argv.index("--")
    own, command = argv[:at], argv[at + 1:]
    if not any(command):
        raise Refused("nothing after --; legal is a command, or no -- for a shell")
    # One word is a shell's line as it stands; of several, each is a word of its own.
    return own, command[0] if len(command) == 1 else shlex.join(command)


def chosen(args, name, variable, default):
    """(the option's value, or the variable's, or the default; what to call it when it is wrong)"""
    value = getattr(args, name)
    if value is not None:
        return value, "--" + name
    if os.environ.get(variable):
        return os.environ[variable], variable
    return default, "--" + name


def parse(argv, doc, root):
    """Options and the command, all checked; raises Refused."""
    own, text = split_command(argv)
    p = parser(doc)
    args, more = p.parse_known_args(own)
    if more:
        raise Refused(f"{more[0]}: no such option (--help lists them); a command comes after --")
    args.text = text
    arch = architecture(args.arch)
    if args.icount is not None:
        args.icount = whole("--icount", args.icount, 0, ICOUNT_MOST)
    args.smp = whole("--smp", args.smp, 1, SMP_MOST)
    args.mem = memory(args.mem)
    args.out_size = out_size(args.out_size, arch.out_least)
    args.timeout = seconds(args.timeout)
    if args.no_boards and args.device:
        raise Refused(f"--device {args.device[0]}: not together with --no-boards")
    if args.device and not all(args.device):
        raise Refused("--device '': legal is a device of QEMU, with its properties after commas")
    if any(ord(c) < 32 for c in args.append):
        raise Refused(f"--append {args.append!r}: legal are words in one line")
    value, name = chosen(args, "kernel", "PERFBOARD_KERNEL", None)
    args.kernel = kernel(name, value or default_kernel(root, args.arch), arch)
    value, name = chosen(args, "initramfs", "PERFBOARD_INITRAMFS", os.path.join(root, arch.initramfs))
    args.initramfs = file(name, value, INITRAMFS_STARTS, 0, "a cpio archive, compressed or not")
    value, name = chosen(args, "plugin", "PERFBOARD_SO", os.path.join(root, "build", "perfboard.so"))
    args.plugin = value
    if not args.no_boards:
        file(name, value.split(",")[0], (b"\x7fELF",), 0, "perfboard.so (ninja -C build perfboard.so makes it)")
    value, name = chosen(args, "qemu", "QEMU" if args.arch == "x86_64" else "QEMU_PPC64", arch.qemu)
    args.qemu = program(name, value, arch)
    over = len(machine.command_line(args)) - machine.COMMAND_LINE_MAX
    if over > 0:
        raise Refused(f"the command and --append are {over} characters too long for the kernel's command line of "
                      f"{machine.COMMAND_LINE_MAX}: put the command into a script of the initramfs")
    if args.out is not None:
        args.out = out_folder(args.out)
    return args


def default_kernel(root, arch):
    found = subprocess.run([os.path.join(root, "guest", "linux", "kernel"), "--arch", arch],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if found.returncode:
        raise Refused(f"--kernel: none given, and {found.stderr.strip()}")
    return found.stdout.strip()


def free_bytes(folder):
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize


def work_folder(args):
    """Where the console and the transfer memory are kept: in memory if there is room, else on the disk."""
    needed = machine.ROOM_LEAST + (args.out_size if args.out is not None else 0)
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
    print(f"guest-run: {text}", file=sys.stderr)
    sys.exit(status)
