# SPDX-License-Identifier: GPL-2.0-or-later
"""Watch the boards of a running machine: registers decoded, counters with rates, interrupt line, LEDs, last accesses.

  perfboard run --monitor [options] -- COMMAND     in one terminal
  perfboard monitor                                in another: the machine that was started last
  perfboard monitor SOCKET                         any QEMU with -qmp unix:SOCKET,server=on,wait=off
  perfboard monitor --once                         one screen as text; --count N: N of them

LEDs are their numbers, 0 is 10, a dot is dark. Keys: n and p: the next and the previous board; arrows: up and down; space: stand still, go on; q: the end.

A rate is a register's change by second of the machine's virtual time. Arrays of registers show the elements that are not 0, and
neighbours that are the same as one.
Watching keeps the last accesses of each board in QEMU (its property recent), which costs the machine a little, and changes nothing of
what a guest sees. A machine under --icount stays repeatable only if nobody watches.
"""

import glob
import itertools
import json
import os
import time

from . import Refused, logline, places, qmp, safe

RECENT = 16
GREETING = 10  # seconds that QEMU has to greet


def folder():
    """Where machines that were started with --monitor listen."""
    return os.path.join(os.environ.get("XDG_RUNTIME_DIR") or "/tmp", f"perfboard-{os.getuid()}")


def new_socket():
    """A path for a machine that starts now."""
    os.makedirs(folder(), mode=0o700, exist_ok=True)
    return places.own_socket("--monitor", os.path.join(folder(), f"{os.getpid()}.qmp"))


def options(parser):
    parser.add_argument("socket", metavar="SOCKET", nargs="?", help="of QEMU's -qmp; default: the newest machine of perfboard run --monitor")
    parser.add_argument("--board", metavar="NAME", action="append", help="only boards of this name; repeatable")
    parser.add_argument("--interval", metavar="S", type=float, default=1.0, help="host seconds between two looks, 0.1 to 3600 (1)")
    parser.add_argument("--once", action="store_true", help="print one screen as text and end")
    parser.add_argument("--count", metavar="N", type=int, help="print N screens as text and end")


def connect(path):
    """The machine at a socket, or the newest that answers."""
    if not path and os.path.lexists(folder()) and not places.closed(folder()):
        raise Refused(f"{folder()}: somebody else can put a socket there; legal is a folder that only you may enter (mode 0700), or the socket of QEMU's -qmp")
    paths = [path] if path else sorted(glob.glob(os.path.join(folder(), "*.qmp")), key=os.path.getmtime, reverse=True)
    watched = []
    for candidate in paths:
        try:
            machine = qmp.Monitor(candidate, lambda: False, GREETING)
            machine.silence = None
            return machine
        except qmp.Silent:
            watched.append(candidate)
        except qmp.Foreign as e:
            raise Refused(f"{candidate}: {e}") from None
        except (qmp.Gone, OSError):
            continue
    if watched:
        raise Refused(f"{watched[0]}: somebody watches this machine already, and its QEMU talks to one at a time (no greeting for {GREETING} s)")
    raise Refused(f"{path}: no QEMU listens there" if path else
                  "no machine listens; start one with perfboard run --monitor, or name the socket of QEMU's -qmp")


class Board:
    """A board as seen last, and the time before that."""

    def __init__(self, machine, path):
        self.machine, self.path = machine, path
        self.now = self.before = self.leds = None

    def get(self, name):
        return self.machine.do("qom-get", path=self.path, property=name)

    def look(self):
        self.before, self.now = self.now, json.loads(self.get("registers"))
        try:
            self.leds = self.get("leds")
        except qmp.Gone:
            raise
        except qmp.Error:
            self.leds = None  # it has none

    def watch(self):
        """Has the board keep its last accesses; what it kept before, for unwatch()."""
        self.kept = self.get("recent")
        if self.kept < RECENT:
            self.machine.do("qom-set", path=self.path, property="recent", value=RECENT)

    def unwatch(self):
        if self.kept < RECENT:
            self.machine.do("qom-set", path=self.path, property="recent", value=self.kept)

    def title(self):
        leds = "" if self.leds is None else "  LEDs " + "".join(str(n % 10) if self.leds >> n - 1 & 1 else "." for n in range(1, 11))
        unit = "@" + self.now["unit"] if self.now["unit"] else ""
        return f"{self.now['board']}{unit}  interrupt line {self.now['irq']}{leds}  at {self.now['ns'] / 1e9:.6f} s"


def key(register):
    return register["reg"], register.get("part"), register.get("index")


def name(register, last=None):
    """last: the index up to which an array's elements are the same."""
    part = "" if "part" not in register else f"{register['part']}."
    upto = "" if last in (None, register.get("index")) else f"..{last}"
    index = "" if "index" not in register else f"[{register['index']}{upto}]"
    return f"{part}{register['reg']}{index}"


def rate(new, old, ns):
    """A register's change by second, as text; nothing if it did not change."""
    if old is None or ns <= 0 or new == old:
        return ""
    each = (new - old) * 1e9 / ns
    return f"{each:+.6g}/s"


def rows(board):
    """(register, its change as text, last index) of what there is to show: neighbours in an array that are the same are one row."""
    old = {key(r): r["value"] for r in board.before["registers"]} if board.before else {}
    ns = board.now["ns"] - board.before["ns"] if board.before else 0
    found = []
    # Words of an array's elements come in turn (OPT0[0], OPT1[0], OPT0[1] ...): elements of one word together.
    words = {}
    for r in board.now["registers"]:
        words.setdefault(key(r)[:2], []).append(r)
    for r in itertools.chain.from_iterable(words.values()):
        change = rate(r["value"], old.get(key(r)), ns)
        if "index" in r and not r["value"] and not change:
            continue
        if found and "index" in r and not change and not found[-1][1]:
            other, _, last = found[-1]
            if last is not None and key(r) == (*key(other)[:2], last + 1) and r["value"] == other["value"]:
                found[-1] = (other, "", last + 1)
                continue
        found.append((r, change, r.get("index")))
    return found


def register_lines(board):
    for r, change, last in rows(board):
        fields = r["fields"]
        alone = len(fields) == 1 and list(fields.values())[0] == r["value"]
        decoded = "" if alone else " ".join(f"{f}={logline.value_text(v)}" for f, v in fields.items() if v)
        yield f"  {name(r, last):16} {r['value']:08x} {r['value'] if alone else '':>10} {change:>14}  {decoded}".rstrip()


def lines(board):
    """The board's screen."""
    yield board.title()
    yield from register_lines(board)
    if board.now["recent"]:
        yield "  last accesses:"
        yield from (logline.text_of(logline.of_json(access)) for access in board.now["recent"])


def look(boards):
    for board in boards:
        board.look()


def as_text(boards, args, count):
    for n in range(count):
        if n:
            time.sleep(args.interval)
            print()
        look(boards)
        for board in boards:
            print(*lines(board), sep="\n", flush=True)


def on_screen(boards, args):
    import curses

    def show(screen):
        curses.use_default_colors()
        curses.curs_set(0)
        which, top, still = 0, 0, False
        while True:
            if not still:
                look(boards)
            height, width = screen.getmaxyx()
            head = "  ".join(f"[{b.now['board']}]" if b is boards[which] else b.now["board"] for b in boards)
            text = list(lines(boards[which]))
            top = max(0, min(top, len(text) - height + 2))
            screen.erase()
            screen.insnstr(0, 0, safe(head) + ("  (standing still)" if still else ""), width - 1, curses.A_REVERSE)
            for row, line in enumerate(text[top:top + height - 1]):
                screen.insnstr(row + 1, 0, safe(line), width - 1, curses.A_BOLD if line == text[0] else 0)
            screen.refresh()
            screen.timeout(int(args.interval * 1000))
            pressed = screen.getch()
            if pressed == ord("q"):
                return
            if pressed in (ord("n"), ord("p"), ord("\t")):
                which, top = (which + (-1 if pressed == ord("p") else 1)) % len(boards), 0
            elif pressed in (curses.KEY_DOWN, curses.KEY_NPAGE):
                top += 1 if pressed == curses.KEY_DOWN else height - 2
            elif pressed in (curses.KEY_UP, curses.KEY_PPAGE):
                top -= 1 if pressed == curses.KEY_UP else height - 2
            elif pressed == ord(" "):
                still = not still

    curses.wrapper(show)


def main(args):
    if not 0.1 <= args.interval <= 3600:
        raise Refused(f"--interval {args.interval:g}: legal are 0.1 to 3600 seconds")
    if args.count is not None and args.count < 1:
        raise Refused(f"--count {args.count}: legal are numbers from 1 on")
    with connect(args.socket) as machine:
        try:
            boards = [Board(machine, path) for path, kind in qmp.boards(machine)]
            look(boards)
            known = sorted({b.now["board"] for b in boards})
            if wrong := [n for n in args.board or [] if n not in known]:
                raise Refused(f"--board {wrong[0]}: the machine has {', '.join(known) or 'no board'}")
            boards = [b for b in boards if not args.board or b.now["board"] in args.board]
            if not boards:
                raise Refused("the machine has no board")
            for board in boards:
                board.watch()
            try:
                if args.once or args.count:
                    as_text(boards, args, args.count or 1)
                else:
                    on_screen(boards, args)
            finally:
                for board in boards:
                    board.unwatch()
        except qmp.Gone:
            return 0  # the machine has ended, and so does the watching
    return 0
