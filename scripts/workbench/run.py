# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a guest in the distribution's QEMU with the boards plugged in, run a command, power off.

  perfboard run [options] -- COMMAND...     the exit status is the command's
  perfboard run [options]                   a shell on the console

The console goes to standard output. Files that the guest gives away with `hostput NAME < file`
land in --out. With --icount a run repeats bit for bit: virtual time then comes from counted
instructions, and nothing that the machine contains depends on the host's clock.

Environment: QEMU (binary; with --arch ppc64 QEMU_PPC64), PERFBOARD_SO, PERFBOARD_KERNEL, PERFBOARD_INITRAMFS; options win.
"""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from guestrun import console, machine, overlay, transfer, verdict
from guestrun import options as given

from . import Refused, places

TAKES_COMMAND = True
EPILOG = verdict.manual()
PREFIX = "perfboard: "


def start(words, args):
    if args.show:
        print(shlex.join(words), flush=True)
    try:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL if args.text is not None else None)
    except OSError as e:
        raise Refused(f"--qemu {args.qemu}: {e.strerror}") from None


def watch(qemu, view, args, work):
    """Shows the console until the machine ends; why QEMU had to be killed, or None."""
    end = time.monotonic() + args.timeout
    killed = None
    try:
        while qemu.poll() is None and not killed:
            if not view.poll():
                time.sleep(0.02)
            if time.monotonic() > end:
                killed = verdict.Verdict(verdict.TIMED_OUT, f"no end after {args.timeout:g} s (--timeout): QEMU killed")
            elif (free := given.free_bytes(work)) < machine.ROOM_LEAST:
                killed = verdict.Verdict(verdict.FAILED, f"{work}: {free >> 20} MB are free, {machine.ROOM_LEAST >> 20} are "
                                         "needed for the console and the files: QEMU killed")
    finally:
        if qemu.poll() is None:
            qemu.kill()
        qemu.wait()
    view.finish()
    return killed


def take_files(memory, args, work):
    """What went wrong, or None."""
    fetched = {overlay.transfer_name(n): target for n, (_, target) in enumerate(args.get)}
    if args.kallsyms:
        fetched[overlay.KALLSYMS] = os.path.join(work, "kallsyms")
    left = []

    def target(name):
        if name in fetched:
            return fetched[name]
        if args.out is None:
            left.append(name)
            return None
        return os.path.join(args.out, name)

    try:
        for path, size in transfer.split(memory, target):
            if not args.quiet and not path.startswith(work):
                print(f"perfboard: {path}: {size} bytes")
    except transfer.Damaged as e:
        return f"files from the guest: {e}"
    return f"files from the guest: {left[0]}: left there, as there is no --out" if left else None


def annotate(args, work):
    """The log's addresses become functions: those of the guest's kernel and modules, and of --symbols."""
    kallsyms = os.path.join(work, "kallsyms")
    if not os.path.exists(kallsyms) or not os.path.exists(args.log):
        return
    words = [os.path.join(places.SCRIPTS, "perfboard"), "log", "--symbols", ",".join([kallsyms, *filter(None, [args.symbols])])]
    words += ["--json" if args.log_format == "json" else "--text", args.log]
    part = transfer.temporary(args.log)
    try:
        with open(part, "wb") as out:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=out)
        if done.returncode == 0:
            os.replace(part, args.log)
        else:
            print(f"perfboard: {args.log}: without functions, as perfboard log ended with status {done.returncode}", file=sys.stderr)
    finally:
        if os.path.lexists(part):
            os.unlink(part)


def complain(args, view, found):
    """On standard error what the reader has not seen yet, and the verdict's line last."""
    sys.stdout.flush()
    records = view.records
    if args.quiet:
        if not records.started:
            print(view.boot(), file=sys.stderr)
        for module in records.modules:
            print(f"perfboard: {module}", file=sys.stderr)
        if verdict.complaint(view.after.decode(errors="replace")):
            print(view.after.decode(errors="replace").rstrip(), file=sys.stderr)
    for line in records.log:
        print(line, file=sys.stderr)
    if args.allow_taint and (waived := verdict.damage(records.taint or 0, records.log)):
        print(f"perfboard: waived by --allow-taint: {waived.line}", file=sys.stderr)
    if found.line:
        print(f"perfboard: {found.line}", file=sys.stderr)


def boot(args, work):
    """The guest's command, from the start to the verdict; its status."""
    memory = os.path.join(work, "memory") if given.hands_over(args) else None
    initrd = None
    if args.overlay:
        initrd = os.path.join(work, "initrd")
        overlay.join(args.initramfs, args.overlay, initrd)
        if args.left_out and not args.quiet:
            print(f"perfboard: stays out: {', '.join(args.left_out)}", flush=True)
    interactive = args.text is None
    files = [None if interactive else console.create(work, "console"), console.create(work, "records")]
    view = console.Console(files[0] or console.create(work, "none"), console.Records(files[1]), args.quiet, sys.stdout.buffer)
    qemu = start(machine.words(args, *files, memory, initrd), args)
    killed = watch(qemu, view, args, work)
    trouble = take_files(memory, args, work) if memory and os.path.exists(memory) else None
    if view.records.missing:
        trouble = "; ".join(f"--get {text}" for text in view.records.missing)
    if args.kallsyms:
        annotate(args, work)
    if interactive and not killed and view.records.status is None:  # poweroff -f, or what the terminal has shown
        return qemu_status(qemu.returncode)
    found = verdict.judge(view.records, qemu.returncode, view.text(), view.after.decode(errors="replace"),
                          trouble, args.allow_taint)
    if killed:
        found = verdict.of_killed(killed, found)
    if trouble and found.line != trouble:
        print(f"perfboard: {trouble}", file=sys.stderr)
    complain(args, view, found)
    return found.status


def plain_shell(args):
    """A shell with nothing before and nothing after it: no files, no records."""
    return qemu_status(start(machine.words(args), args).wait())


def qemu_status(status):
    if status:
        given.fail(verdict.unfinished(None, status, "").line, verdict.FAILED)
    return 0


def main(args):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that QEMU goes too
    given.check(args)
    try:
        if args.text is None and not args.overlay and args.out is None:
            return plain_shell(args)
        with tempfile.TemporaryDirectory(prefix="perfboard-", dir=given.work_folder(args)) as work:
            return boot(args, work)
    except BrokenPipeError:
        raise
    except OSError as error:
        given.fail(error, verdict.FAILED)


options = given.add
