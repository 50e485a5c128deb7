# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's words for the guest: the machine, its boards, the kernel's command line."""

import os
import re

from . import device_args, lan, overlay, share
from .arch import ARCHS

# A command's machine ends at the first oops, and at a lockup; the verdict then says which it was.
STRICT_ARGS = "oops=panic softlockup_panic=1"
# What the guest reports beside the console (guest/initramfs/init).
RECORDS_ARG = "perfboard.records="
COMMAND_LINE_MAX = 2047
SPEAKS = re.compile(r"i82375,(.*,)?rom=on(,|$)")
PROFILE = "profile"  # what the board writes for --profile; and .kernel, what it reads
ROOM_LEAST = 16 << 20  # bytes free where the console is written


def command_line(args):
    arch = ARCHS[args.arch]
    words = ["console=" + arch.consoles[0], arch.kernel_args]
    if args.icount is None:
        words.append(arch.free_args)
    text = args.text if not args.guest.archive else overlay.command(args)
    if text is not None:
        words.append(RECORDS_ARG + arch.consoles[1])
        if not args.allow_taint:
            words.append(STRICT_ARGS)
    words.append(args.append)
    if text is not None:
        words.append(overlay.line(text))
    return " ".join(w for w in words if w)


def command_line_left(args):
    """Characters; less than 0: it is too long."""
    return COMMAND_LINE_MAX - len(command_line(args))


def machine_words(args):
    """The machine as such."""
    arch = ARCHS[args.arch]
    q = [args.qemu]
    # What a bridge's ROM says comes where the BIOS speaks (firmware/eisa): on the console, if there is no screen.
    bios = ",graphics=off" if any(SPEAKS.match(device) for device in args.devices) else ""
    q += ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", arch.machine + ",accel=tcg" + bios]
    q += ["-m", f"{args.mem >> 20}M", "-smp", str(args.smp)]
    if args.icount is not None:
        q += ["-icount", f"shift={args.icount},sleep=off", "-rtc", "clock=vm,base=2026-01-01", "-seed", "1"]
    return q + list(arch.more)


def serial_words(console=None, records=None, append=False):
    """The serial ports. Files: a full pipe would hold the guest's serial port back for as long as the reader takes. append: what is in them stays."""
    def to(path, name):
        if append:
            return ["-chardev", f"file,id={name},append=on,path={device_args.escaped(path)}", "-serial", f"chardev:{name}"]
        return ["-serial", f"file:{path}"]

    return (to(console, "console") if console else ["-serial", "mon:stdio"]) + (to(records, "records") if records else [])


def gdb_socket(folder):
    return os.path.join(folder, "gdb")


def board_words(args, folder=None):
    """The plugin, the boards, and who looks at them. folder: of the run, for what the plugin tells at its end: unreached, what --scenario has left,
    and pending, interrupt lines that nobody took back. A recording has no place for them."""
    if args.no_boards:
        return []
    scenario = f",scenario={device_args.escaped(args.scenario)}" if args.scenario is not None else ""
    if folder and args.record is None:
        for name in (["unreached"] if scenario else []) + ["pending"]:
            scenario += f",{name}={device_args.escaped(os.path.join(folder, name))}"
    q = ["-plugin", args.plugin + scenario]
    looks = {"log": args.log, "log-format": args.log_format, "log-size": args.log_size, "log-filter": args.log_filter, "coverage": args.coverage}
    for device in device_args.looked_at(args.devices, looks):
        q += ["-device", device]
        if folder and args.profile is not None and device_args.profiles(device):
            where = device_args.escaped(os.path.join(folder, PROFILE))
            q[-1] += f",profile={where},profile-kernel={where}.kernel" + "".join(
                f",profile-{what}=on" for what in ("misses", "calls", "marked") if getattr(args, "profile_" + what)) + (
                f",profile-events={args.profile_events}" if args.profile_events else "")
    return q + lan.words(args.lan)


def listener_words(args, folder=None):
    """For those who look from outside."""
    q = []
    if args.gdb is not None:
        path = device_args.escaped(args.gdb or gdb_socket(folder))
        q = ["-chardev", f"socket,id=perfboard-gdb,path={path},server=on,wait=off", "-gdb", "chardev:perfboard-gdb", "-S"]
    return q + (["-qmp", f"unix:{device_args.escaped(args.monitor)},server=on,wait=off"] if args.monitor is not None else [])


def words(args, console=None, records=None, memory=None, initrd=None, folder=None):
    """A guest of ours. console, records, memory, initrd: files. Without a console it is QEMU's standard input and output."""
    q = machine_words(args) + serial_words(console, records, args.files is not None)
    if memory:
        q += ["-object", f"memory-backend-file,id=host,share=on,mem-path={memory},size={args.out_size}",
              "-device", "ivshmem-plain,memdev=host,addr=1e.0"]
    q += board_words(args, folder) + share.words(args.share)
    q += ["-kernel", args.kernel, "-initrd", initrd or args.initramfs, "-append", command_line(args)]
    return q + listener_words(args, folder) + args.qemu_arg
