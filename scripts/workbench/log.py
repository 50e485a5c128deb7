# SPDX-License-Identifier: GPL-2.0-or-later
"""Read an access log (log=FILE on a board, or perfboard run --log): filter it, name the functions, convert it, compare two.

  perfboard log run.log --filter 'HTCR;mistake'           what fits one of the patterns
  perfboard log run.log --symbols vmlinux,my.ko@ADDRESS   each program counter with its function; also a copy of /proc/kallsyms
  perfboard log run.json --text                           JSON lines as text; --json: text as JSON lines
  perfboard log run.log --filter 'read ISCR' --count      how many accesses and events fit
  perfboard log node-0.log node-1.log                     several as one, in the order of virtual time, with each line's file in front
  perfboard log run.log --diff other.log                  the first accesses that differ; status 1 if any does

Patterns are those of log-filter (hw/inspect/pattern.h), with ; between; ! in front of one: what to leave out. A text log shows of a
write the fields that changed, so a pattern with a field and a value needs JSON lines there. Lines that are no access log's, as in a
log that is QEMU's own as well, are left out and counted; a file without any other is refused.

What came again and again is one line, which ends with how often and until when; --count counts it as often. A line that begins with #
says what had no room (--log-size), and stays whatever the patterns are.
"""

import difflib
import heapq
import itertools
import sys
import tempfile

from . import Refused, logline, pattern

CONTEXT = 3
KINDS = ("effect", "irq", "mistake", "injected", "reset")  # in a line of JSON
MOST_COMPARED = 20000  # lines between the first and the last difference, of which each is looked for in the other log


def options(parser):
    parser.add_argument("files", metavar="FILE", nargs="+", help="a log; -: standard input")
    parser.add_argument("--filter", metavar="PATTERNS", help="what to keep")
    parser.add_argument("--symbols", metavar="FILES", help="vmlinux, my.ko@ADDRESS, kallsyms; commas between")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="as text")
    form.add_argument("--json", action="store_true", help="as JSON lines")
    form.add_argument("--count", action="store_true", help="how many there are, instead of them")
    parser.add_argument("--diff", metavar="OTHER", help="compare with another log, of either format")
    parser.add_argument("--ignore", metavar="WHAT", action="append", choices=("time", "cpu", "pc"), default=[],
                        help="what may differ: time, cpu or pc (repeatable)")


def lines(name):
    """(number, text) of a log's lines."""
    try:
        file = sys.stdin if name == "-" else open(name, encoding="utf-8", errors="surrogateescape")
        with file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\n")
    except OSError as e:
        raise Refused(f"{name}: {e.strerror}") from None


def entries(name, wanted, found=None):
    """What a log has, as logline.Entry; what the filter leaves out is left out. found: its lines, if they are read already."""
    good, others, first = 0, 0, None
    for number, line in found if found is not None else lines(name):
        entry = logline.parse(line)
        if entry is None:
            # A log that was cut off ends in the middle of a line.
            first = first or (number, line[:60])
            others += 1
            continue
        good, entry.line = good + 1, number
        if wanted.keeps(entry):
            yield entry
    if others and not good:
        raise Refused(f"{name}: this is no access log: line {first[0]} is {first[1]!r}, and no other is better")
    if others:
        print(f"perfboard log: {name}:{first[0]}: no line of an access log: {first[1]!r}" + (f", and {others - 1} more" if others > 1 else ""), file=sys.stderr)


def kept(name):
    """The log's lines, to be read more than once."""
    if name != "-":
        return lambda: lines(name)
    copy = tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogateescape")
    copy.writelines(text + "\n" for _, text in lines(name))

    def again():
        copy.seek(0)
        return ((number, text.rstrip("\n")) for number, text in enumerate(copy, 1))
    return again


def sole(found):
    """Boards that are the log's only one of their kind. JSON always says which it is, text where there are several."""
    units = {}
    for entry in found:
        if entry and not entry.note():
            units.setdefault(entry.board, set()).add(entry.unit)
    return {board for board, seen in units.items() if len(seen) == 1}


def show(args, name, wanted, table):
    """(ns, line) of what is kept of a log. A note has the time of the line before."""
    again = kept(name) if args.text else None
    only = sole(logline.parse(line) for _, line in again()) if again else set()
    ns = 0
    for entry in entries(name, wanted, again and again()):
        if entry.board in only and entry.json and "n" in entry.json:  # the board's line; one that was made of text says what text says
            entry.unit = ""
        if table and entry.pc is not None:
            entry.function = table.name(entry.pc) or entry.function
        as_json = args.json or entry.json and not args.text
        ns = ns if entry.note() else entry.ns
        yield ns, logline.json_of(entry) if as_json else logline.text_of(entry)


def show_all(args, wanted):
    table = None
    if args.symbols:
        from . import symbols
        table = symbols.Symbols.of(args.symbols)

    def named(name):
        front = f"{name}: " if len(args.files) > 1 else ""
        return ((ns, front + line) for ns, line in show(args, name, wanted, table))

    # Of one time: in the order of the files.
    for _, line in heapq.merge(*map(named, args.files), key=lambda found: found[0]):
        sys.stdout.write(line + "\n")
    wanted.check()
    return 0


def count(args, wanted):
    all_of, missing = 0, 0
    for entry in itertools.chain(*(entries(name, wanted) for name in args.files)):
        if entry.note():
            missing += entry.times
        else:
            all_of += entry.times
    wanted.check()
    print(all_of)
    if missing:
        print(f"perfboard log: {' '.join(args.files)}: {missing} accesses and events are left out (--log-size), and are not counted", file=sys.stderr)
    return 0


def comparable(entry, ignore, alone, mixed):
    """A line without what may differ. alone: boards that are the only one of their kind; text leaves out which one that is.

    mixed: text is compared with JSON, which does not say which fields are only written, nor in which order an effect, an interrupt and a
    mistake came. So what was written counts, and its fields do not; and of the interrupt line its last level.
    """
    if mixed:
        entry.text = None
        last = [e for e in entry.events if e.kind == "irq"][-1:]
        entry.events = sorted([e for e in entry.events if e.kind != "irq"] + last, key=lambda e: KINDS.index(e.kind))
        for part in entry.parts if entry.op == "write" else []:
            part.shown = []
    if entry.board in alone:
        entry.unit = ""
    text = logline.text_of(entry, function=False, times="time" not in ignore)
    if entry.note():
        return text
    words = logline.columns(text)
    return " ".join("" if what in ignore else words[what] for what in ("time", "cpu", "pc", "rest"))


def told(found):
    """So many accesses and events; a line may stand for several."""
    return sum(entry.times for entry in found if not entry.note())


def compare(args, wanted):
    found = [list(entries(name, wanted)) for name in (args.files[0], args.diff)]
    wanted.check()
    mixed = len({entry.json is not None for side in found for entry in side}) > 1
    one, other = ([comparable(entry, args.ignore, alone, mixed) for entry in side] for side, alone in zip(found, map(sole, found)))
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))
    if same == len(one) == len(other):
        print(f"the same: {told(found[0])} accesses and events")
        return 0
    least = min(len(one), len(other)) - same
    tail = sum(1 for _ in itertools.takewhile(lambda n: one[-n] == other[-n], range(1, least + 1)))
    a, b = (side[max(same - CONTEXT, 0):len(side) - tail + min(tail, CONTEXT)] for side in (one, other))
    mine, others = (side[same:len(side) - tail] for side in found)
    print(f"{told(found[0][:same])} accesses and events are the same, then {args.files[0]} has {told(mine)} and {args.diff} {told(others)} "
          f"of their own or in another order; the last {told(found[0][len(one) - tail:])} are the same")
    if max(len(a), len(b)) > MOST_COMPARED:
        a, b = a[:2 * CONTEXT + 1], b[:2 * CONTEXT + 1]
    for line in difflib.unified_diff(a, b, args.files[0], args.diff, n=CONTEXT, lineterm=""):
        if not line.startswith("@@"):
            print(line)
    return 1


def main(args):
    wanted = pattern.Filter.of("--filter", args.filter)
    if args.ignore and not args.diff:
        raise Refused(f"--ignore {args.ignore[0]}: legal with --diff only")
    if args.diff and (args.symbols or args.text or args.json or args.count):
        raise Refused("--diff: not together with --symbols, --text, --json or --count")
    if len(args.files) > 1 and (args.diff or args.json):
        raise Refused(f"{args.files[1]}: --diff and --json take one log")
    if args.files.count("-") > 1:
        raise Refused("-: standard input is read once")
    return compare(args, wanted) if args.diff else count(args, wanted) if args.count else show_all(args, wanted)
