# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a guest in the distribution's QEMU with the boards plugged in, run a command, power off.

  perfboard run [options] -- COMMAND...                        a guest of ours; the exit status is the command's
  perfboard run [options]                                      a shell on its console
  perfboard run [options] --kernel K --initrd I                an image of yours; how it ended is the exit status
  perfboard run [options] --disk IMG [-- COMMAND...]           the same; the command is typed at its console

The console goes to standard output. Files that the guest gives away with `hostput NAME < file`
land in --out. A file that an option names is replaced as a whole at the end, and one behind a
symbolic link likewise; a device, a pipe or a socket is written to. With --icount a run repeats bit for bit: virtual time then comes from counted
instructions, and nothing that the machine contains depends on the host's clock.

  perfboard run --icount 4 --board multikron -- mk status                       counts that repeat
  perfboard run --module my.ko,debug=1 --add mytest --log access.log -- ./mytest    a driver of yours and its test
  perfboard run --junit report.xml --timeout 60 --disk image.qcow2 --snapshot -- dmesg
  perfboard run --gdb --module my.ko --ex 'break my_probe' --ex continue -- true

Environment: QEMU (binary; with --arch ppc64 QEMU_PPC64), PERFBOARD_SO, PERFBOARD_KERNEL, PERFBOARD_INITRAMFS; options win.
"""

import argparse
import contextlib
import dataclasses
import errno
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from guestrun import arguments, console, image, junit, login, machine, monitor, overlay, transfer, verdict
from guestrun import options as given

from . import Refused, debugger, output, places, plain, profile_kernel, profile_symbols, raw, recording, safe, text_of
from . import monitor as watching

TAKES_COMMAND = True
EPILOG = verdict.manual()
PREFIX = "perfboard: "
ENDS = 60  # host seconds that QEMU has to end when it is asked to; then it is killed

options = arguments.add


class Errors(threading.Thread):
    """Hands QEMU's standard error on, line by line, and keeps lines in which it says that a file is not whole. That it ends because this program or Ctrl-C
    told it to is no news."""

    LOST = re.compile(r"\S+: (?:warning: )?(.*=.*: the (?:log|waveforms|samples) ends? here|coverage is not written: .*)")
    UNWANTED = os.strerror(errno.EPIPE)  # who read it has enough
    TOLD = re.compile(rf"\S+: terminating on signal (?:2|15 from pid {os.getpid()})\b.*")

    def __init__(self, file):
        super().__init__(daemon=True)
        self.file, self.lost = file, []
        self.start()

    def run(self):
        to = raw(sys.stderr)
        for data in self.file:
            line = data.rstrip(b"\n").decode(errors="replace")
            if self.TOLD.fullmatch(line):
                continue
            with contextlib.suppress(OSError):
                to.write(data)
                to.flush()
            if (found := self.LOST.fullmatch(line)) and self.UNWANTED not in found[1]:
                self.lost.append(found[1])


@dataclasses.dataclass
class Run:
    """A machine, what it was made for, and who looks at it."""

    args: argparse.Namespace   # as options.check() leaves them
    folder: str | None = None  # for its files
    names: str | None = None   # the kernel's, for gdb
    errors: Errors | None = None
    session: debugger.Session | None = None


def start(words, run):
    """QEMU."""
    args = run.args
    if args.show:
        print(shlex.join(words), flush=True)
    if args.gdb:
        print(f"perfboard: the machine waits for gdb: target remote {os.path.abspath(args.gdb)}", file=sys.stderr, flush=True)
    try:
        if args.record is not None:
            qemu = recording.Recorder(args.record, words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            run.errors = Errors(qemu.stderr)
            recording.keep_modules(args.record, [path for path, _ in args.module])
            return qemu
        if args.interactive:
            return subprocess.Popen(words)
        qemu = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, process_group=0 if args.gdb == "" else None)
        run.errors = Errors(qemu.stderr)
        if args.gdb == "":
            run.session = debug(run, qemu)
        return qemu
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


def own_drivers(args):
    """Our drivers that the guest has, with the debugger's data if they are there with them."""
    if args.guest.drivers is None:
        return places.drivers(args.arch)
    kept = [glob.glob(os.path.join(glob.escape(os.path.dirname(path)), "kbuild", "*", "driver", name)) for name, path in args.guest.drivers.items()]
    return [path for paths in kept for path in paths] + list(args.guest.drivers.values())


def debug(run, qemu):
    """gdb for a machine that has just been started."""
    args, socket = run.args, machine.gdb_socket(run.folder)
    try:
        while not os.path.exists(socket) and qemu.poll() is None:
            time.sleep(0.02)
        modules = [] if args.image else [path for path, _ in args.module] + own_drivers(args)
        return debugger.Session(args.arch, socket, run.folder, run.names, modules, args.symbols, args.ex, args.batch)
    except BaseException:
        stop(qemu)
        raise


def watch(qemu, view, run, more=lambda: None, ask=None):
    """Shows the console until the machine ends; why QEMU had to be stopped, or None. more: asked again and again; a verdict ends it."""
    begin, args = time.monotonic(), run.args
    killed = None
    try:
        while qemu.poll() is None and not killed:
            killed = more()
            if run.session:
                run.session.poll()
            if not view.poll():
                time.sleep(0.02)
            passed = time.monotonic() - begin
            if killed:
                break
            if passed > args.timeout:
                killed = verdict.Verdict(verdict.TIMED_OUT, f"no end after {args.timeout:g} s (--timeout): QEMU killed")
            elif passed > args.boot_timeout and not view.any:
                killed = verdict.Verdict(verdict.TIMED_OUT, f"none after {args.boot_timeout:g} s (--boot-timeout): QEMU killed")
            elif (free := given.free_bytes(run.folder)) < machine.ROOM_LEAST:
                killed = verdict.Verdict(verdict.FAILED, f"{run.folder}: {free >> 20} MB are free, {machine.ROOM_LEAST >> 20} are "
                                         "needed for the console and the files: QEMU killed")
    except (KeyboardInterrupt, SystemExit) as error:  # there is a verdict all the same
        killed = verdict.stopped(error)
    finally:
        stop(qemu, ask)
        if run.errors:
            run.errors.join()
        if run.session and killed:
            run.session.stop()
    more()  # QEMU may have said its last words and ended since it was asked
    view.finish()
    if run.session:
        run.session.wait()
    return killed


def take_files(memory, args, folder):
    """What went wrong, or None."""
    fetched = {overlay.transfer_name(n): target for n, (_, target) in enumerate(args.get)}
    if args.guest.kallsyms:
        fetched.update((name, os.path.join(folder, name)) for name in overlay.KALLSYMS)
    left = []

    def target(name):
        if name in fetched:
            return fetched[name]
        if args.out is None:
            left.append(name)
            return None
        return os.path.join(args.out, name)

    try:
        for path, size in transfer.split(memory, target, args.timeout):
            if not args.quiet and not path.startswith(folder):
                print(f"perfboard: {safe(path)}: {size} bytes")
    except transfer.Damaged as e:
        return f"files from the guest: {e}"
    return f"files from the guest: {safe(left[0])}: left there, as there is no --out" if left else None


def annotate(run):
    """The log's addresses become functions: those of the guest's kernel and modules, and of --symbols. Not at the price of a line."""
    args = run.args
    if args.symbols == "none" or args.log in (None, "-") or not os.path.exists(args.log):
        return
    if run.errors and any(line.startswith("log=") for line in run.errors.lost):  # it is not whole, and has said so
        return
    if not output.is_file(args.log):
        print(f"perfboard: {args.log}: without functions, as it is no regular file", file=sys.stderr)
        return
    if not args.guest.kallsyms and args.symbols is None:
        return
    own = [os.path.join(run.folder, name) for name in overlay.KALLSYMS]
    symbols = [*filter(os.path.exists, own), *filter(None, [args.symbols])]
    if not symbols:
        print(f"perfboard: {args.log}: without functions, as the guest ended before it handed its symbols over", file=sys.stderr)
        return
    words = [os.path.join(places.SCRIPTS, "perfboard"), "log", "--symbols", ",".join(symbols),
             "--json" if args.log_format == "json" else "--text", args.log]
    with output.Output(args.log) as out:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode or lines(out.name()) != lines(args.log):
            out.discard()
            said = done.stderr.strip().split("\n")[-1] or f"status {done.returncode}"
            print(f"perfboard: {args.log}: without functions: {said}", file=sys.stderr)


def keep_symbols(args, folder):
    """A recording has the guest's functions, if the guest hands them over (for --log): those of its end, else of the command's start."""
    own = [path for path in (os.path.join(folder, name) for name in overlay.KALLSYMS) if os.path.exists(path)]
    if args.record is not None and own:
        shutil.copyfile(own[-1], os.path.join(args.record, recording.KALLSYMS))


def lines(path):
    with open(path, "rb") as f:
        return sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b""))


def complain(args, view, found, left):
    """On standard error what the reader has not seen yet, and the verdict's line last."""
    sys.stdout.flush()
    records = view.records
    if args.quiet:
        if not records.started and found.status:
            print(plain(view.boot()), file=sys.stderr)
        for module in records.modules:
            print(f"perfboard: {module}", file=sys.stderr)
        if verdict.complaint(view.after.decode(errors="replace")):
            print(plain(view.after.decode(errors="replace")).rstrip(), file=sys.stderr)
    for line in records.log:
        print(line, file=sys.stderr)
    if args.allow_taint and (waived := verdict.damage(records.taint or 0, records.log)):
        print(f"perfboard: waived by --allow-taint: {waived.line}", file=sys.stderr)
    for line in [*left, *filter(None, [found.line])]:
        print(f"perfboard: {line}", file=sys.stderr)


def guest(run):
    """A guest of ours, from the start to the verdict: (Verdict, Console)."""
    args, work = run.args, run.folder
    memory = os.path.join(work, "memory") if given.hands_over(args) else None
    initrd = None
    if args.guest.archive:
        initrd = os.path.join(work, "initrd")
        overlay.join(args.initramfs, args.guest.archive, initrd)
        if args.guest.left_out and not args.quiet:
            print(f"perfboard: stays out: {', '.join(args.guest.left_out)}", flush=True)
    files = [console.create(args.files or work, name) for name in console.NAMES]
    view = console.Console(files[0], console.Records(files[1]), args.quiet, raw(sys.stdout))
    if args.interactive:
        files[0] = None
    qemu = start(machine.words(args, *files, memory, initrd, work), run)
    killed = watch(qemu, view, run)
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


def own_image(run):
    """An image of the user's that runs by itself: (Verdict, Console)."""
    args, work = run.args, run.folder
    file = console.create(work, "console")
    view = console.Plain(file, console.Records(console.create(work, "records")), args.quiet, raw(sys.stdout))
    listener = monitor.Monitor(work)

    def more():
        listener.poll()
        said = image.spoken(args, view.text())
        return None if said is None else verdict.Verdict(said, None)

    qemu = start(image.words(args, machine.serial_words(file) + listener.words(), work), run)
    killed = watch(qemu, view, run, more, listener.quit)
    return image.judge(args, qemu.returncode, listener, view.text(), killed), view


def logged_in(run):
    """A command on an image of the user's: (Verdict, Console)."""
    args, work = run.args, run.folder
    files = [console.create(work, "console"), console.create(work, "records")]
    view = console.Console(files[0], console.Records(files[1]), args.quiet, raw(sys.stdout))
    terminal = login.Login(work, args.text, args.login or "root", files)

    def more():
        terminal.poll()
        return terminal.failed

    qemu = start(image.words(args, terminal.words(), work), run)
    killed = watch(qemu, view, run, more)
    found = verdict.judge(view.records, qemu.returncode, view.text(), view.after.decode(errors="replace"), None, args.allow_taint)
    if killed:
        last = "" if view.records.started else f"; the command had not started{image.last_line(view.text())}"
        nothing = not view.any and killed.status == verdict.TIMED_OUT
        killed = verdict.Verdict(verdict.NO_BOOT, f"nothing came on the console: {killed.line}") if nothing else killed._replace(line=killed.line + last)
        found = verdict.of_killed(killed, found)
    return found, view


def told_at_end(path):
    """Lines of a file in which the plugin tells of the machine's end."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            return f.read().splitlines()
    except FileNotFoundError:  # nothing to tell, QEMU was killed, or it was not asked
        return []


def qemu_ended(status):
    return verdict.unfinished(None, status, "") if status else verdict.Verdict(0, None)


def plain_shell(args):
    """A shell with nothing before and nothing after it: no files, no records."""
    words = image.words(args, machine.serial_words()) if args.image else machine.words(args)
    found = qemu_ended(start(words, Run(args)).wait())
    if found.line:
        given.fail(found.line, found.status)
    return 0


def whole(args):
    """Everything else."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="perfboard-", dir=given.work_folder(args)) as work:
        run = Run(args, work)
        if args.gdb == "" and not args.image or args.profile is not None:
            run.names = debugger.kernel_names(args.kernel, args.arch, args.qemu, args.initramfs, args.quiet)
        if args.profile is not None:
            profile_kernel.describe(args.arch, run.names, own_drivers(args), os.path.join(work, machine.PROFILE + ".kernel"))
        kind = guest if not args.image else own_image if args.text is None else logged_in
        try:
            with output.read_pipe(args.log, args.timeout):
                found, view = kind(run)
            annotate(run)
            keep_symbols(args, work)
            if args.profile is not None:
                args.profiled = profile_symbols.keep(args, work, [run.names, *filter(os.path.exists, (os.path.join(work, name) for name in overlay.KALLSYMS))])
            found = verdict.of_pending(found, told_at_end(os.path.join(work, "pending")))
            found = verdict.not_whole(found, run.errors.lost if run.errors else [])
            found, left = verdict.of_scenario(found, told_at_end(os.path.join(work, "unreached")))
            complain(args, view, found, left)
            log = view.records.log
            said = view.whole() + view.after.decode(errors="replace")
        except output.NoReader as e:
            found, said = verdict.Verdict(verdict.TIMED_OUT, f"--log {args.log}: {e.strerror} (--timeout)"), ""
            log = []
            print(f"perfboard: {found.line}", file=sys.stderr)
    if args.junit is not None:
        name = args.text or " ".join(os.path.basename(f) for f in (args.initrd, *args.disk) if f)
        junit.write(args.junit, args.timeout, name, found, time.monotonic() - begin, said, log)
    return found.status


def main(args):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that QEMU goes too
    given.check(args)
    if args.monitor == "":
        args.monitor = watching.new_socket()
    try:
        simple = args.interactive and (args.image or not args.guest.archive and args.out is None)
        return plain_shell(args) if simple else whole(args)
    except BrokenPipeError:
        raise
    except OSError as error:
        given.fail(text_of(error), verdict.FAILED)
    finally:
        for path in filter(None, (args.monitor, args.gdb)):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)  # QEMU leaves it when it is killed
