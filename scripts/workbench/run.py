# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a guest in the distribution's QEMU with the boards plugged in, run a command, power off.

  perfboard run [options] -- COMMAND...                        a guest of ours; the exit status is the command's
  perfboard run [options]                                      a shell on its console
  perfboard run [options] --kernel K --initrd I                an image of yours; how it ended is the exit status
  perfboard run [options] --disk IMG [-- COMMAND...]           the same; the command is typed at its console

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

from guestrun import arguments, console, image, junit, login, machine, monitor, overlay, transfer, verdict
from guestrun import options as given

from . import Refused, places, recording
from . import monitor as watching

TAKES_COMMAND = True
EPILOG = verdict.manual()
PREFIX = "perfboard: "
ENDS = 60  # host seconds that QEMU has to end when it is asked to; then it is killed

options = arguments.add


def start(words, args):
    if args.show:
        print(shlex.join(words), flush=True)
    if args.gdb is not None:
        print(f"perfboard: the machine waits for gdb: target remote localhost:{args.gdb}", file=sys.stderr, flush=True)
    try:
        if args.record is not None:
            return recording.Recorder(args.record, words, stdin=subprocess.DEVNULL)
        return subprocess.Popen(words, stdin=None if args.interactive else subprocess.DEVNULL)
    except OSError as e:
        raise Refused(f"--qemu {args.qemu}: {e.strerror}") from None


def stop(qemu, ask=None):
    """QEMU ends by itself, so that what it writes is whole. ask: a gentler way than a signal, if it is there."""
    if qemu.poll() is None:
        if not (ask and ask()):
            qemu.terminate()
        try:
            qemu.wait(ENDS)
        except subprocess.TimeoutExpired:
            qemu.kill()
    qemu.wait()


def watch(qemu, view, args, work, more=lambda: None, ask=None):
    """Shows the console until the machine ends; why QEMU had to be stopped, or None. more: asked again and again; a verdict ends it."""
    begin = time.monotonic()
    killed = None
    try:
        while qemu.poll() is None and not killed:
            killed = more()
            if not view.poll():
                time.sleep(0.02)
            passed = time.monotonic() - begin
            if killed:
                break
            if passed > args.timeout:
                killed = verdict.Verdict(verdict.TIMED_OUT, f"no end after {args.timeout:g} s (--timeout): QEMU killed")
            elif passed > args.boot_timeout and not view.any:
                killed = verdict.Verdict(verdict.TIMED_OUT, f"none after {args.boot_timeout:g} s (--boot-timeout): QEMU killed")
            elif (free := given.free_bytes(work)) < machine.ROOM_LEAST:
                killed = verdict.Verdict(verdict.FAILED, f"{work}: {free >> 20} MB are free, {machine.ROOM_LEAST >> 20} are "
                                         "needed for the console and the files: QEMU killed")
    finally:
        stop(qemu, ask)
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
    """The log's addresses become functions: those of the guest's kernel and modules, and of --symbols. Not at the price of a line."""
    kallsyms = os.path.join(work, "kallsyms")
    if not args.kallsyms and args.symbols in (None, "none") or args.log in (None, "-") or not os.path.exists(args.log):
        return
    symbols = [*([kallsyms] if os.path.exists(kallsyms) else []), *filter(None, [args.symbols])]
    if not symbols:
        print(f"perfboard: {args.log}: without functions, as the guest ended before it handed its symbols over", file=sys.stderr)
        return
    words = [os.path.join(places.SCRIPTS, "perfboard"), "log", "--symbols", ",".join(symbols),
             "--json" if args.log_format == "json" else "--text", args.log]
    part = transfer.temporary(args.log)
    try:
        with open(part, "wb") as out:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode == 0 and lines(part) == lines(args.log):
            os.replace(part, args.log)
        else:
            said = done.stderr.strip().split("\n")[-1] or f"status {done.returncode}"
            print(f"perfboard: {args.log}: without functions: {said}", file=sys.stderr)
    finally:
        if os.path.lexists(part):
            os.unlink(part)


def lines(path):
    with open(path, "rb") as f:
        return sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b""))


def complain(args, view, found):
    """On standard error what the reader has not seen yet, and the verdict's line last."""
    sys.stdout.flush()
    records = view.records
    if args.quiet:
        if not records.started and found.status:
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


def guest(args, work):
    """A guest of ours, from the start to the verdict: (Verdict, Console)."""
    memory = os.path.join(work, "memory") if given.hands_over(args) else None
    initrd = None
    if args.overlay:
        initrd = os.path.join(work, "initrd")
        overlay.join(args.initramfs, args.overlay, initrd)
        if args.left_out and not args.quiet:
            print(f"perfboard: stays out: {', '.join(args.left_out)}", flush=True)
    files = [console.create(work, "console"), console.create(work, "records")]
    view = console.Console(files[0], console.Records(files[1]), args.quiet, sys.stdout.buffer)
    if args.interactive:
        files[0] = None
    qemu = start(machine.words(args, *files, memory, initrd), args)
    killed = watch(qemu, view, args, work)
    trouble = take_files(memory, args, work) if memory and os.path.exists(memory) else None
    if view.records.missing:
        trouble = "; ".join(f"--get {text}" for text in view.records.missing)
    if args.interactive and not killed and view.records.status is None:  # poweroff -f, or what the terminal has shown
        return qemu_ended(qemu.returncode), view
    found = verdict.judge(view.records, qemu.returncode, view.text(), view.after.decode(errors="replace"),
                          trouble, args.allow_taint)
    if killed:
        found = verdict.of_killed(killed, found)
    if trouble and found.line != trouble:
        print(f"perfboard: {trouble}", file=sys.stderr)
    return found, view


def own_image(args, work):
    """An image of the user's that runs by itself: (Verdict, Console)."""
    file = console.create(work, "console")
    view = console.Plain(file, console.Records(console.create(work, "records")), args.quiet, sys.stdout.buffer)
    listener = monitor.Monitor(work)

    def more():
        listener.poll()
        said = image.spoken(args, view.text())
        return None if said is None else verdict.Verdict(said, None)

    qemu = start(image.words(args, machine.serial_words(file) + listener.words()), args)
    killed = watch(qemu, view, args, work, more, listener.quit)
    listener.poll()
    return image.judge(args, qemu.returncode, listener, view.text(), killed), view


def logged_in(args, work):
    """A command on an image of the user's: (Verdict, Console)."""
    files = [console.create(work, "console"), console.create(work, "records")]
    view = console.Console(files[0], console.Records(files[1]), args.quiet, sys.stdout.buffer)
    terminal = login.Login(work, args.text, args.login or "root", files)

    def more():
        terminal.poll()
        return terminal.failed

    qemu = start(image.words(args, terminal.words()), args)
    killed = watch(qemu, view, args, work, more)
    found = verdict.judge(view.records, qemu.returncode, view.text(), view.after.decode(errors="replace"), None, args.allow_taint)
    if killed:
        last = "" if view.records.started else f"; the command had not started{image.last_line(view.text())}"
        nothing = not view.any and killed.status == verdict.TIMED_OUT
        killed = verdict.Verdict(verdict.NO_BOOT, f"nothing came on the console: {killed.line}") if nothing else killed._replace(line=killed.line + last)
        found = verdict.of_killed(killed, found)
    return found, view


def qemu_ended(status):
    return verdict.unfinished(None, status, "") if status else verdict.Verdict(0, None)


def plain_shell(args):
    """A shell with nothing before and nothing after it: no files, no records."""
    words = image.words(args, machine.serial_words()) if args.image else machine.words(args)
    found = qemu_ended(start(words, args).wait())
    if found.line:
        given.fail(found.line, found.status)
    return 0


def whole(args):
    """Everything else."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="perfboard-", dir=given.work_folder(args)) as work:
        kind = guest if not args.image else own_image if args.text is None else logged_in
        found, view = kind(args, work)
        annotate(args, work)
    complain(args, view, found)
    if args.junit is not None:
        name = args.text or " ".join(os.path.basename(f) for f in (args.initrd, *args.disk) if f)
        junit.write(args.junit, name, found, time.monotonic() - begin, view.text() + view.after.decode(errors="replace"))
    return found.status


def main(args):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that QEMU goes too
    given.check(args)
    if args.monitor == "":
        args.monitor = watching.new_socket()
    try:
        simple = args.interactive and (args.image or not args.overlay and args.out is None)
        return plain_shell(args) if simple else whole(args)
    except BrokenPipeError:
        raise
    except OSError as error:
        given.fail(error, verdict.FAILED)
    finally:
        if args.monitor is not None and os.path.exists(args.monitor):
            os.unlink(args.monitor)  # QEMU leaves it when it is killed
