# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's words for the guest: the machine, its boards, the kernel's command line."""

import base64
import os

from .arch import ARCHS

# A command's machine ends at the first oops, and at a lockup; the verdict then says which it was.
STRICT_ARGS = "oops=panic softlockup_panic=1"
# What the guest reports beside the console (guest/initramfs/init).
RECORDS_ARG = "perfboard.records="
COMMAND_LINE_MAX = 2047
ROOM_LEAST = 16 << 20  # bytes free where the console is written


def command_line(args):
    arch = ARCHS[args.arch]
    words = ["console=" + arch.consoles[0], arch.kernel_args]
    if args.icount is None:
        words.append(arch.free_args)
    if args.text is not None:
        words.append(RECORDS_ARG + arch.consoles[1])
        if not args.allow_taint:
            words.append(STRICT_ARGS)
    words.append(args.append)
    if args.text is not None:
        words.append("perfboard.b64=" + base64.b64encode(os.fsencode(args.text)).decode())
    return " ".join(w for w in words if w)


def words(args, console=None, records=None, memory=None):
    """console, records, memory: files. Without them the console is QEMU's standard input and output."""
    arch = ARCHS[args.arch]
    q = [args.qemu]
    q += ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", arch.machine + ",accel=tcg"]
    q += ["-m", f"{args.mem >> 20}M", "-smp", str(args.smp)]
    if args.icount is not None:
        q += ["-icount", f"shift={args.icount},sleep=off", "-rtc", "clock=vm,base=2026-01-01", "-seed", "1"]
    q += arch.more
    if console is None:
        q += ["-serial", "mon:stdio"]
    else:
        # Files: a full pipe would hold the guest's serial port back for as long as the reader takes.
        q += ["-serial", f"file:{console}", "-serial", f"file:{records}"]
    if memory:
        q += ["-object", f"memory-backend-file,id=host,share=on,mem-path={memory},size={args.out_size}",
              "-device", "ivshmem-plain,memdev=host,addr=1e.0"]
    if not args.no_boards:
        q += ["-plugin", args.plugin]
        for device in arch.boards if args.device is None else args.device:
            q += ["-device", device]
    q += ["-kernel", args.kernel, "-initrd", args.initramfs, "-append", command_line(args)]
    return q + args.qemu_arg
