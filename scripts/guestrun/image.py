# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel, initrd or disk of the user's: nothing of ours is in the guest, so what it was is told from outside.

How it ended comes from the console (what a kernel says when it breaks), from QEMU's monitor (switched off, or reset),
from the exit device if it has one, and from the texts of --expect and --reject.
"""

import os

from workbench import Refused

from . import machine, verdict
from .arch import ARCHS

EXIT_PORT = 0xf4
QCOW2 = b"QFI\xfb"
SAID, REJECTED = 0, 1


def is_image(args):
    return args.initrd is not None or bool(args.disk)


def check(args):
    """Options that only an image has, or must not have. Raises Refused."""
    if not is_image(args):
        for name in ("expect", "reject", "login", "boot_timeout"):
            if getattr(args, name) is not None:
                raise Refused(f"--{name.replace('_', '-')} {getattr(args, name)}: legal with --initrd or --disk only")
        for name in ("snapshot", "exit_device"):
            if getattr(args, name):
                raise Refused(f"--{name.replace('_', '-')}: legal with --initrd or --disk only")
        return False
    for name in ("module", "add", "add_package", "share", "share_ro", "get", "without"):
        if getattr(args, name):
            raise Refused(f"--{name.replace('_', '-')} {getattr(args, name)[0]}: not together with --initrd or --disk, a guest that is not ours")
    for name in ("initramfs", "out", "files", "stdin"):
        if getattr(args, name) is not None:
            raise Refused(f"--{name} {getattr(args, name)}: not together with --initrd or --disk, a guest that is not ours")
    if args.append and not direct(args):
        raise Refused(f"--append {args.append}: legal with --kernel or --initrd only: a disk that boots has its own command line")
    if args.exit_device and args.arch != "x86_64":
        raise Refused("--exit-device: legal with --arch x86_64 only")
    for path in [args.initrd, *args.disk]:
        if path is not None and not os.access(path, os.R_OK):
            raise Refused(f"--{'initrd' if path == args.initrd else 'disk'} {path}: cannot be read; legal is a file")
    if args.login is not None and args.words is None:
        raise Refused("--login: legal with a command after -- only")
    return True


def direct(args):
    """Whether QEMU loads the kernel, and no firmware does."""
    return args.initrd is not None or args.kernel_given


def drive(path, snapshot):
    with open(path, "rb") as f:
        form = "qcow2" if f.read(4) == QCOW2 else "raw"
    return f"file={path.replace(',', ',,')},if=virtio,format={form}" + (",snapshot=on" if snapshot else "")


def command_line(args):
    arch = ARCHS[args.arch]
    words = ["console=" + arch.consoles[0], arch.image_args]
    if args.icount is None:
        words.append(arch.free_args)
    if not args.allow_taint:
        words.append(machine.STRICT_ARGS)
    return " ".join(filter(None, [*words, args.append]))


def words(args, serial, folder=None):
    """The whole machine; serial: the words for its console; folder: the run's."""
    q = machine.machine_words(args) + serial + machine.board_words(args, folder)
    q += [w for path in args.disk for w in ("-drive", drive(path, args.snapshot))]
    if direct(args):
        q += ["-kernel", args.kernel, *(["-initrd", args.initrd] if args.initrd is not None else []), "-append", command_line(args)]
    if args.exit_device:
        q += ["-device", f"isa-debug-exit,iobase={EXIT_PORT:#x},iosize=4"]
    return q + machine.listener_words(args, folder) + args.qemu_arg


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"; the console's last line: {lines[-1][:200]}" if lines else ""


def spoken(args, text):
    """Whether the console has said a text that ends the run: SAID, REJECTED or None."""
    if args.reject is not None and args.reject in text:
        return REJECTED
    return SAID if args.expect is not None and args.expect in text else None


def how_it_ended(args, returncode, monitor, text, killed):
    """The verdict without what the kernel said."""
    if args.exit_device and monitor.greeted and returncode > 0 and returncode & 1:
        status = returncode >> 1
        return verdict.Verdict(status, f"the command's own status is {status}" if status in verdict.MEANING else None)
    if (said := spoken(args, text)) is not None:
        line = next((line.strip() for line in text.splitlines() if args.reject and args.reject in line), None)
        return verdict.Verdict(said, f"the console said: {line}" if said == REJECTED else None)
    if not text.strip("\0\r\n\t ") and (killed is None or killed.status == verdict.TIMED_OUT) and not (returncode > 0):
        return verdict.Verdict(verdict.NO_BOOT, "nothing came on the console: " + (killed.line if killed else "the machine ended"))
    if killed:
        return killed._replace(line=killed.line + last_line(text))
    if returncode:
        return verdict.unfinished(None, returncode, "")
    if monitor.reason != "guest-shutdown":
        return verdict.Verdict(verdict.FAILED, f"the machine was not switched off ({monitor.reason or 'for an unknown reason'}){last_line(text)}")
    if args.expect is not None:
        return verdict.Verdict(verdict.UNSAID, f"the machine was switched off; its console had not said {args.expect!r} (--expect)")
    if args.exit_device:
        return verdict.Verdict(verdict.FAILED, "the machine was switched off, and had told the exit device nothing (--exit-device)")
    return verdict.Verdict(0, None)


def judge(args, returncode, monitor, text, killed):
    """The verdict on a machine whose guest is not ours."""
    found = how_it_ended(args, returncode, monitor, text, killed)
    said = verdict.complaint(text)
    if not said or killed and killed.status == verdict.FAILED:
        return found
    if args.allow_taint and verdict.last_words(text) is None:
        line = f"waived by --allow-taint: {said[1]}" if not found.line else found.line
        return found._replace(line=line)
    more = f"; the image's status was {found.status}" if found.status < verdict.UNREACHED and found.status != verdict.USAGE else ""
    return verdict.Verdict(said[0], f"{verdict.WORDS[said[0]]}: {said[1]}{more}")
