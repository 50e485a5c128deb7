# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a recording again: the same instructions, accesses and interrupts; stop at an access by its name; go back in time.

  perfboard run --record F [options] -- COMMAND       makes the folder F
  perfboard replay F                                  runs it again, and compares all that it writes with the recording
  perfboard replay F --log FILE                       the same, with each access to a register in FILE (perfboard log)
  perfboard replay F --until 'HTCR.TRG=1' --gdb       gdb before the instruction of the guest that sets TRG

A recording that was made with --log has the names of the kernel's and the modules' functions, for the line of --until. gdb has them by itself,
with the lines of the source of what perfboard build-module made, and of the guest's own drivers.

In gdb `continue` goes to the next such access, `reverse-continue` to the one before, `reverse-stepi` back by an instruction.
`monitor qom-set PATH break PATTERN` names another access; PATH is a board's, as --until prints it.

Patterns: [BOARD[@UNIT]:][read|write|any] REGISTER[[INDEX]][.FIELD][=VALUE], or irq, irq=1, mistake [NAME], effect [NAME], reset, none.
No word in front: a write. An event stops the machine behind the instruction, as it is known only then.

The recording needs the same QEMU, plugin, kernel and initramfs; another one is refused. A machine with several processors runs
again as well, but gdb cannot go back in it: QEMU replays one processor only.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import time

from . import Refused, debugger, gdb_line, places, qmp, raw, recording, symbols
from .run import stop

DIFFERS = 1        # exit status
UNMET = 1
FAILED = 125
BEGINNING = "perfboard-beginning"
PREFIX = "perfboard replay: "

EPILOG = """Exit status: 0: as recorded, or stopped where --until says, or gdb's own; 1: what was written differs, or the access of --until
did not come; 2: an option is wrong, or the recording does not fit; 124: --timeout; 125: QEMU failed."""


def options(parser):
    parser.add_argument("recording", metavar="F", help="folder that perfboard run --record has made")
    parser.add_argument("--until", metavar="PATTERN", help="stop before the guest's instruction that makes this access")
    parser.add_argument("--count", metavar="N", type=int, default=1, help="at the Nth time (1)")
    parser.add_argument("--gdb", nargs="?", const="", metavar="SOCKET", help="gdb, there; with SOCKET, in a folder that only you may enter: wait there for one's own, "
                        "`target remote SOCKET`")
    parser.add_argument("--ex", action="append", default=[], metavar="COMMAND", help="a command for that gdb, when it has connected (repeatable)")
    parser.add_argument("--batch", action="store_true", help="that gdb ends after the commands of --ex")
    parser.add_argument("--symbols", metavar="FILES", help="vmlinux, my.ko@ADDRESS for that gdb; also kallsyms for the line of --until; commas between")
    parser.add_argument("--log", metavar="FILE", help="each access to a register; -: none is written that was not recorded")
    parser.add_argument("--log-format", choices=("text", "json"), help="text or json (text)")
    parser.add_argument("--log-size", metavar="SIZE", help="how long it may be: 64K to 1024T, or 0: no limit (256M)")
    parser.add_argument("--log-filter", metavar="PATTERNS", help="what to keep, with ; between; ! in front of one: what to leave out")
    parser.add_argument("--out", metavar="DIR", help="keep what the replay writes (console, chardevs, logs) in DIR")
    parser.add_argument("--qemu", help="default: the one of the recording")
    parser.add_argument("--timeout", metavar="S", type=float, default=600, help="host seconds without gdb, more than 0 (600)")
    parser.add_argument("--quiet", action="store_true", help="the console is not shown")
    parser.add_argument("--show", action="store_true", help="print QEMU's command line first")


def check(args):
    if args.timeout <= 0:
        raise Refused(f"--timeout {args.timeout:g}: legal are seconds, more than 0")
    if args.count < 1:
        raise Refused(f"--count {args.count}: legal is 1 or more")
    if args.count != 1 and args.until is None:
        raise Refused(f"--count {args.count}: legal with --until only")
    if args.gdb:
        places.own_socket("--gdb", args.gdb)
    debugger.check(args)
    for name in ("log_format", "log_size", "log_filter"):
        if getattr(args, name) is not None and args.log is None:
            raise Refused(f"--{name.replace('_', '-')} {getattr(args, name)}: legal with --log only")
    if args.log_size is not None:
        from guestrun import options as given
        args.log_size = str(given.log_size(args.log_size))
    if args.until is not None and not args.until.strip():
        raise Refused("--until: the pattern is empty")
    if args.out is not None:
        try:
            os.makedirs(args.out, exist_ok=True)
        except OSError as e:
            raise Refused(f"--out {args.out}: {e.strerror}") from None


def with_log(words, args):
    """The boards' words with a log of the user's instead of the recorded one."""
    from guestrun import boards
    devices = {b.device for b in boards.BOARDS}
    own = {"log": args.log, "log-format": args.log_format, "log-size": args.log_size, "log-filter": args.log_filter}
    made = []
    for option, word in zip([None, *words], words):
        if option == "-device" and word.split(",")[0] in devices and word.split(",")[0] not in ("i82375",):
            parts = [p for p in recording.split(word) if p.partition("=")[0] not in own]
            word = ",".join(parts + [f"{key}={recording.quoted(value)}" for key, value in own.items() if value is not None])
        made.append(word)
    return made


class Machine:
    """QEMU, replaying. work: a folder for its sockets and files."""

    def __init__(self, args, work):
        self.args, self.work = args, work
        self.found = recording.read(args.recording)
        self.back = self.found["kind"] == recording.RR
        self.stops = args.until is not None or args.gdb is not None
        self.goes_back = self.back and args.gdb is not None
        qemu = recording.check_qemu(args.recording, self.found, args.qemu or self.found["qemu"]["path"])
        self.outputs = [os.path.join(args.out or work, f"output-{i}") for i in range(len(self.found["outputs"]))]
        for output, path in zip(self.found["outputs"], self.outputs):
            if os.path.exists(path):
                os.unlink(path)  # coverage is added to what a file has
            if output["what"] == "a serial port":
                open(path, "wb").close()
        words = recording.put_together(self.found, self.outputs)
        if args.log is not None:
            words = with_log(words, args)
        if self.back:
            words += recording.rr_words(args.recording, "replay", words)
        if self.goes_back:
            words += self._snapshot_words()
            self._keep_the_beginning(qemu, words)
            words += ["-icount", f"rrsnapshot={BEGINNING}"]
        self._start(qemu, words + (self._debug_words() if self.stops else []))

    def _start(self, qemu, words):
        if self.args.show:
            print(shlex.join([qemu, *words]), flush=True)
        try:
            self.qemu = subprocess.Popen([qemu, *words], stdin=subprocess.DEVNULL, process_group=0 if self.args.gdb == "" else None)
        except OSError as e:
            raise Refused(f"--qemu {qemu}: {e.strerror}") from None

    def _keep_the_beginning(self, qemu, words):
        """A snapshot of the machine before its first instruction, which is what gdb goes back from.

        It is there before gdb is: else QEMU would make one when gdb connects, wherever the machine then stands. From a snapshot in the
        midst of a replay QEMU does not always go on.
        """
        self._start(qemu, words + self._monitor_words())
        with self.monitor() as monitor:
            said = monitor.people(f"savevm {BEGINNING}")
            monitor.do("quit")
        self.qemu.wait()
        if said:
            raise Refused(f"--gdb: QEMU makes no snapshot of this machine, and gdb cannot go back without: {said}")

    def _snapshot_words(self):
        disk = os.path.join(self.work, "snapshots")
        try:
            subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", disk, "0"], check=True)
        except OSError as e:
            raise Refused(f"--gdb: qemu-img (package qemu-utils) makes the file of the snapshots: {e.strerror}") from None
        # A peer of the files' memory cannot be in a snapshot, its master can; the guest sees no difference.
        return ["-drive", f"if=none,id=perfboard-snapshots,format=qcow2,cache=unsafe,file={recording.quoted(disk)}",
                "-global", "ivshmem-plain.master=on"]

    def _monitor_words(self):
        return ["-S", "-chardev", f"socket,id=perfboard-qmp,path={self.socket('qmp')},server=on,wait=off",
                "-mon", "chardev=perfboard-qmp,mode=control"]

    def _debug_words(self):
        words = self._monitor_words()
        if self.args.gdb is None:
            return words
        words.append("-no-shutdown")  # at the end one may still go back
        path = recording.quoted(self.args.gdb or self.socket("gdb-qemu"))
        return words + ["-chardev", f"socket,id=perfboard-gdb,path={path},server=on,wait=off", "-gdb", "chardev:perfboard-gdb"]

    def socket(self, name):
        return os.path.join(self.work, name)

    def console(self):
        """The recorded console, if it is a file."""
        for i, output in enumerate(self.found["outputs"]):
            if output["what"] == "a serial port":
                return self.outputs[i]
        return None

    def monitor(self):
        try:
            return qmp.Monitor(self.socket("qmp"), lambda: self.qemu.poll() is None)
        except qmp.Gone:
            self.qemu.wait()
            raise

    def differences(self):
        """(what was compared, what is not as recorded)."""
        same, other = [], []
        for output, path in zip(self.found["outputs"], self.outputs):
            if "sha256" not in output or output["what"] == "coverage" or self.args.log is not None and output["what"] == "log":
                continue
            text = f"{output['what']} ({output['bytes']} bytes)"
            now = recording.identity(path) if os.path.isfile(path) else {"sha256": "", "bytes": 0}
            if now["sha256"] == output["sha256"]:
                same.append(text)
            else:
                other.append(f"{text}: {first_difference(now, output)}")
        return same, other


def first_difference(now, output):
    return f"{now['bytes']} bytes now" if now["bytes"] != output["bytes"] else "other bytes of the same number"


class Shown:
    """A file as it grows, to standard output."""

    def __init__(self, path, quiet):
        self.file, self.to = open(path, "rb") if path and not quiet else None, raw(sys.stdout)

    def poll(self):
        if self.file and (data := self.file.read()):
            self.to.write(data)
            self.to.flush()


def run_through(machine, args):
    shown = Shown(machine.console(), args.quiet)
    end = time.monotonic() + args.timeout
    while machine.qemu.poll() is None:
        shown.poll()
        time.sleep(0.02)
        if time.monotonic() > end:
            stop(machine.qemu)
            print(f"perfboard replay: no end after {args.timeout:g} s (--timeout): QEMU killed", file=sys.stderr)
            return 124
    shown.poll()
    status = machine.qemu.returncode
    if status != machine.found["status"] and not (status >= 0 and machine.found["status"] < 0):
        print(f"perfboard replay: QEMU ended with status {status}; in the recording it was {machine.found['status']}", file=sys.stderr)
        return FAILED
    same, other = machine.differences()
    for line in other:
        print(f"perfboard replay: not as recorded: {line}", file=sys.stderr)
    if not other and not args.quiet:
        print(f"perfboard replay: as recorded: {', '.join(same) or 'nothing was written'}")
    return DIFFERS if other else 0


# --- to an access --------------------------------------------------------------


def set_break(monitor, pattern):
    """Boards that know the pattern: (path, type). Raises Refused if none does."""
    known, why = [], []
    for path, kind in qmp.boards(monitor):
        try:
            monitor.do("qom-set", path=path, property="break", value=pattern)
            known.append((path, kind))
        except qmp.Gone:
            raise
        except qmp.Error as e:
            why.append(str(e))
    if not known:
        raise Refused(f"--until {pattern}: " + ("; ".join(dict.fromkeys(why)) or "the machine has no boards"))
    return known


def functions(args):
    """The functions that --until's line may name: of the recording, and of --symbols."""
    return symbols.Symbols.of(",".join(filter(None, [recording.kallsyms(args.recording), args.symbols])))


def place(monitor, table):
    """Where the machine stands, in a line."""
    status = monitor.people("info registers")
    pc = next((word.partition("=")[2] for word in status.split() if word.startswith(("RIP=", "EIP="))), None)
    if pc is None:
        words = status.split()
        pc = words[words.index("NIP") + 1] if "NIP" in words else "?"
    at = monitor.people("x/i 0x" + pc).split("\n")[0] if pc != "?" else ""
    instruction = at.partition(":")[2].strip()
    name = table.name(int(pc, 16)) if pc != "?" else ""
    count = monitor.people("info replay").rpartition("count = ")[2] if "count" in monitor.people("info replay") else ""
    return (f"{pc.lower().lstrip('0') or '0'}" + (f" {name}" if name else "") + (f": {' '.join(instruction.split())}" if instruction else "")
            + (f"; instruction {count}" if count else ""))


def go(monitor, machine, args):
    """Runs to the access. None: it stands there; else the exit status."""
    known = set_break(monitor, args.until)
    shown = Shown(machine.console(), args.quiet)
    end = time.monotonic() + args.timeout
    left = args.count
    monitor.do("cont")
    while True:
        came = monitor.event({"STOP", "SHUTDOWN"}, 0.2)
        shown.poll()
        if came is None:
            if time.monotonic() > end:
                print(f"perfboard replay: --until {args.until}: not there after {args.timeout:g} s (--timeout): QEMU killed", file=sys.stderr)
                return 124
            continue
        if came[0] == "SHUTDOWN" or monitor.do("query-status")["status"] == "shutdown":
            raise qmp.Gone("the machine was switched off")
        if monitor.do("query-status")["status"] != "debug":
            continue
        left -= 1
        if not left:
            print(f"perfboard replay: {args.until}: at {place(monitor, functions(args))}", flush=True)
            for path, kind in known:
                print(f"perfboard replay: {kind}: {path}", flush=True)
            return None
        monitor.do("cont")


# --- gdb -------------------------------------------------------------------------


def session(machine, args):
    """gdb, connected."""
    found = machine.found
    arch = "ppc64" if "ppc64" in os.path.basename(found["qemu"]["path"]) else "x86_64"
    names = recording.kallsyms(args.recording)
    if not names and (kernel := recording.word_of(found, "-kernel")) and (initrd := recording.word_of(found, "-initrd")):
        names = debugger.kernel_names(kernel, arch, found["qemu"]["path"], initrd)
    gdb_line.Line(machine.socket("gdb"), machine.socket("gdb-qemu"), f"{PREFIX}the recording ends here\n")
    return debugger.Session(arch, machine.socket("gdb"), machine.work, names, recording.modules(args.recording) + places.drivers(arch), args.symbols,
                            args.ex, args.batch, here=True)


def end(monitor):
    """Of a machine whose end nobody wants to see."""
    try:
        monitor.do("quit")
    except qmp.Gone:  # gdb's `kill` was first
        pass


def with_gdb(machine, args):
    with machine.monitor() as monitor:
        if not machine.back:
            print("perfboard replay: the machine has several processors: gdb can go on, and not back", file=sys.stderr)
        if args.until is not None and (status := go(monitor, machine, args)) is not None:
            return status
        if args.gdb:
            print(f"perfboard replay: the machine waits for gdb: target remote {os.path.abspath(args.gdb)}", flush=True)
            machine.qemu.wait()
            return 0
        status = session(machine, args).wait()
        end(monitor)
        return status


def until(machine, args):
    with machine.monitor() as monitor:
        status = go(monitor, machine, args)
        end(monitor)
        return 0 if status is None else status


def main(args):
    check(args)
    with tempfile.TemporaryDirectory(prefix="perfboard-replay-") as work:
        machine = Machine(args, work)
        try:
            if args.gdb is not None:
                return with_gdb(machine, args)
            return until(machine, args) if args.until is not None else run_through(machine, args)
        except qmp.Gone:
            if machine.qemu.poll() is None or machine.qemu.returncode == 0:
                print(f"perfboard replay: --until {args.until}: the recording ends before it", file=sys.stderr)
                return UNMET
            print(f"perfboard replay: QEMU ended with status {machine.qemu.returncode}", file=sys.stderr)
            return FAILED
        finally:
            stop(machine.qemu)
