# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine with Perfboard's boards, for pytest or any other program: it boots, is asked, is broken on purpose, and ends.

    import perfboard

    def test_my_driver():
        with perfboard.Machine(board="surfboard", module="my.ko", icount=4) as m:
            assert m.run("cat /sys/class/misc/my/state").output == "idle\\n"
            m.inject("surfboard", "irq", "stuck-high")
            m.run("echo 1 >/sys/class/misc/my/start", check=True)
            m.until(lambda: m.register("surfboard", "ISCR").fields["TP"])

It is `perfboard run` that boots the machine, so the options, the verdict and the guest are those of its manual page. A machine with
command= runs that and ends with it; one without waits for run(). An option that is wrong is a ValueError, a name that the machine
does not have is Unknown, and a machine that breaks is Broken: an AssertionError, which pytest counts as a failure. Each says what happened.

What is asked of a running machine is asked at a moment of this host, with --icount as well. What is to repeat bit for bit is a command=
with `--scenario`, and nothing asked meanwhile.
"""

import base64
import collections
import importlib.util
import json
import os
import re
import signal
import subprocess
import tempfile
import time

__all__ = ["Broken", "Machine", "Register", "Result", "Unknown"]

USAGE = 2  # perfboard run's status when an option is wrong
READY = b"ready\n"
COMMAND_MOST = 32768  # bytes of a command for run(): what the guest's serial port keeps for a reader that is late
PORTS = {"x86_64": "ttyS2", "ppc64": "hvc2"}  # behind the console and the records
# Reads "WORD COMMAND" (base64) and answers "WORD STATUS BYTES" and the output. No kernel message can come between, as none goes there.
AGENT = ("mkdir -p /tmp; exec 3<>/dev/{port}; stty raw -echo <&3; echo ready >&3; "
         "while read -r word text <&3; do [ $word != end ] || exit 0; "
         "(eval \"$(echo $text | base64 -d)\") >/tmp/$word 2>&1 </dev/null 3<&-; "
         "echo $word $? $(wc -c </tmp/$word) >&3; cat /tmp/$word >&3; rm /tmp/$word; done")


class Broken(AssertionError):
    """The machine has ended or broken where it should not have: its verdict, and the last of its console, safe to show on a terminal."""

    def __str__(self):
        return safe(super().__str__(), "\t\n")


class Unknown(LookupError):
    """The machine has no such board, register or property."""


class Result(collections.namedtuple("Result", "status output verdict")):
    """What a command or a machine ended with. verdict: perfboard run's last line of it, or ''."""


class Register(int):
    """A register's value; fields: {name: value}."""

    def __new__(cls, value, fields):
        made = super().__new__(cls, value)
        made.fields = fields
        return made


def _home():
    """The folder of the command and its parts: in a source tree or installed."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    for folder in (here, os.path.join(os.path.dirname(os.path.dirname(here)), "share", "perfboard")):
        if os.path.exists(os.path.join(folder, "workbench", "qmp.py")):
            return folder
    raise ImportError(f"no command perfboard belongs to {__file__}")


def _load(name):
    spec = importlib.util.spec_from_file_location("perfboard." + name, os.path.join(_home(), "workbench", name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


qmp, safe = _load("qmp"), _load("__init__").safe


def words(options):
    """Keywords as options of perfboard run: icount=4, no_boards=True, add=["a", "b"]. None and False are left out."""
    found = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                found.append(option)
            elif one is not None and one is not False:
                found.append(f"{option}={os.fspath(one) if isinstance(one, os.PathLike) else one}")
    return found


class Machine:
    """A machine that runs. more: words for perfboard run as they are; options: its options by name (words() above)."""

    def __init__(self, *more, command=None, perfboard=None, **options):
        self._folder = tempfile.TemporaryDirectory(prefix="perfboard-python-")
        self._commands = self._monitor = self._end = None
        self._asked = self._seen = self._taken = 0
        self._boards = {}
        self._busy = True  # until the guest listens
        self._paths = {name: os.path.join(self._folder.name, name) for name in ("qmp", "said", "errors", "typed", "answers")}
        own = [] if "monitor" in options else ["--monitor", self._paths["qmp"]]
        self._socket = options.get("monitor") or self._paths["qmp"]
        if command is None:
            arch = options.get("arch") or "x86_64"
            command = AGENT.format(port=PORTS.get(arch, PORTS["x86_64"]))
            own += self._serial_port()
        with open(self._paths["said"], "wb") as said, open(self._paths["errors"], "wb") as errors:
            self._process = subprocess.Popen([perfboard or os.path.join(_home(), "perfboard"), "run", "--quiet", *words(options), *own, *more,
                                              "--", command], stdin=subprocess.DEVNULL, stdout=said, stderr=errors)
        if self._commands is not None:
            try:
                self._until(lambda: self._answers().startswith(READY), "it had booted")
            except BaseException:
                self.stop()
                raise
            self._taken, self._busy = len(READY), False

    def _serial_port(self):
        os.mkfifo(self._paths["typed"])
        open(self._paths["answers"], "wb").close()
        self._commands = os.open(self._paths["typed"], os.O_RDWR)
        return ["--qemu-arg=-chardev", f"--qemu-arg=file,id=perfboard-python,path={self._paths['answers']},input-path={self._paths['typed']}",
                "--qemu-arg=-serial", "--qemu-arg=chardev:perfboard-python"]

    # --- the machine

    @property
    def alive(self):
        return self._process.poll() is None

    @property
    def pid(self):
        """Of perfboard run, which ends the machine when it is ended."""
        return self._process.pid

    def wait(self):
        """Until the machine ends by itself: Result of perfboard run."""
        if self._end is None:
            status = self._process.wait()
            self._end = Result(status, self.console, self._verdict())
            if self._monitor:
                self._monitor.close()
            if self._commands is not None:
                os.close(self._commands)
            self._commands = self._monitor = None
            self._folder.cleanup()
        return self._end

    def stop(self):
        """Ends the machine: Result. A machine without command= is switched off by its guest, and the verdict is on all that it did."""
        if self.alive and self._commands is not None and not self._busy:
            os.write(self._commands, b"end\n")
        elif self.alive:
            self._process.send_signal(signal.SIGTERM)
        return self.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        own = self._commands is not None
        found = self.stop()
        if kind is None and own and found.status:
            raise Broken(f"{found.verdict or f'perfboard run ended with status {found.status}'}\n{found.output[-2000:]}")

    def _text(self, name):
        try:
            with open(self._paths[name], "rb") as f:
                return f.read()
        except FileNotFoundError:
            return b""

    def _answers(self):
        return self._text("answers")

    def _verdict(self):
        lines = [line for line in self._text("errors").decode(errors="replace").splitlines() if line.startswith("perfboard: ")]
        return lines[-1].removeprefix("perfboard: ") if lines else ""

    def _until(self, condition, what, seconds=None):
        begin = time.monotonic()
        while True:
            alive = self.alive  # before the look: what came last is looked at, too
            if found := condition():
                return found
            if not alive and self._process.returncode == USAGE:
                raise ValueError(self._verdict())
            if not alive:
                said = self.console[-2000:] or self._text("errors").decode(errors="replace")[-2000:]
                raise Broken(f"the machine ended before {what}: {self._verdict() or f'status {self._process.returncode}'}\n{said}")
            if seconds is not None and time.monotonic() - begin > seconds:
                raise Broken(f"{seconds} s have passed before {what}\n{self.console[-2000:]}")
            time.sleep(0.02)

    # --- its console

    @property
    def console(self):
        """What the guest has said on its console since the command started: with command= that command's output, and the kernel's."""
        return self._end.output if self._end else self._text("said").decode(errors="replace")

    def expect(self, text, seconds=None):
        """Waits until the console says text, a string or a compiled pattern, behind what was expected last. Returns the text or the match.

        seconds: of this host, at most; without, the machine's own --timeout ends it."""
        def found():
            said = self.console[self._seen:]
            if isinstance(text, re.Pattern):
                match = text.search(said)
                self._seen += match.end() if match else 0
                return match
            at = said.find(text)
            self._seen += at + len(text) if at >= 0 else 0
            return text if at >= 0 else None

        return self._until(found, f"the console said {text.pattern if isinstance(text, re.Pattern) else text!r}", seconds)

    def until(self, condition, seconds=None):
        """Asks condition() again and again until it is true, and returns what it gave."""
        return self._until(condition, "what was waited for came true", seconds)

    # --- its guest

    def run(self, command, check=False):
        """Runs a shell's line in the guest, in a shell of its own: Result with its output, both streams. check: a status but 0 raises Broken."""
        if self._commands is None:
            raise ValueError("run(): legal with a machine without command= that is not stopped")
        word, text = f"c{self._asked}", base64.b64encode(os.fsencode(command))
        if not command.strip() or len(text) > COMMAND_MOST:
            raise ValueError(f"run(): a command of {len(command)} characters; legal are 1 to {COMMAND_MOST * 3 // 4} bytes (longer: add=)")
        self._asked += 1
        os.write(self._commands, word.encode() + b" " + text + b"\n")

        self._busy = True
        status, output = self._until(self._answer, f"the command ended: {command}")
        self._busy = False
        if check and status:
            raise Broken(f"{command}: status {status}\n{output[-2000:]}")
        return Result(status, output, "")

    def _answer(self):
        """(status, output) of the command that runs, once all of it is there."""
        head, end, rest = self._answers()[self._taken:].partition(b"\n")
        if not end or len(rest) < int(head.split()[2]):
            return None
        _, status, size = (int(n) if n.isdigit() else n for n in head.split())
        self._taken += len(head) + 1 + size
        return status, rest[:size].decode(errors="replace")

    # --- its boards

    @property
    def monitor(self):
        """QEMU's monitor: monitor.do("query-status"), monitor.people("info qtree"). One may talk to it at a time."""
        if self._monitor is None:
            self._monitor = qmp.Monitor(self._socket, lambda: self.alive)
        return self._monitor

    def boards(self):
        """{name: QOM path}; of boards of one name NAME@UNIT, as a log calls them."""
        found = collections.defaultdict(dict)
        for path, _ in qmp.boards(self.monitor):
            told = json.loads(self.monitor.do("qom-get", path=path, property="registers"))
            found[told["board"]][told["unit"]] = path
        return {name if len(units) == 1 else f"{name}@{unit}": path for name, units in found.items() for unit, path in units.items()}

    def _board(self, name):
        if name not in self._boards:
            self._boards = self.boards()
        if name not in self._boards:
            raise Unknown(f"{name}: the machine has {', '.join(sorted(self._boards)) or 'no board'}")
        return self._boards[name]

    def get(self, board, name):
        """A property of a board: leds, registers, inject-irq..."""
        try:
            return self.monitor.do("qom-get", path=self._board(board), property=name)
        except qmp.Gone:
            raise
        except qmp.Error as e:
            raise Unknown(f"{board}: {e}") from None

    def set(self, board, name, value):
        """Sets a property of a board."""
        try:
            self.monitor.do("qom-set", path=self._board(board), property=name, value=value)
        except qmp.Gone:
            raise
        except qmp.Error as e:
            raise ValueError(f"{board} {name} {value}: {e}") from None

    def registers(self, board):
        """{name: Register}. A register of an array is NAME[INDEX], one of a part PART.NAME. Looking at them changes nothing in the board."""
        found = {}
        for r in json.loads(self.get(board, "registers"))["registers"]:
            name = (f"{r['part']}." if "part" in r else "") + r["reg"] + (f"[{r['index']}]" if "index" in r else "")
            found[name] = Register(r["value"], r["fields"])
        return found

    def register(self, board, name):
        """A register's value, with its fields."""
        found = self.registers(board)
        if name not in found:
            raise Unknown(f"{board}: no register {name}; there are {', '.join(found)}")
        return found[name]

    def inject(self, board, name, value):
        """Breaks a board on purpose from now on: the property inject-NAME ("Errors on purpose" in the board's manual page)."""
        self.set(board, "inject-" + name, value)
