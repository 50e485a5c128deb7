# SPDX-License-Identifier: GPL-2.0-or-later
"""what a driver has never touched: reads the files that coverage= writes

Adds up all FILEs and prints, for each board, how much of it the driver has reached, what it has not, and what it has done wrong. The
board that was accessed most comes first.
With a threshold the exit status is 1 if a board is below it, for CI; what the user got wrong is 2.

A list of what need not be covered (--ignore) has lines

    BOARD: KIND NAME: REASON

with KIND as in the first column of the output, and * in NAME for any characters. What it names is no part of the percentage.

With the access log of the same runs (--log) each item has the places that covered it: three of them with --all and at a mistake, all in
--html. With the driver's own file, as perfboard build-module makes it (--module), a place has its line of source, and the board that this
driver has accessed most comes first. A JSON log knows more of an access than a text log. Conditions and sequences are of several
accesses, and have no place.

    perfboard run --board surfboard --module my.ko --log run.log --coverage cover.json -- true
    perfboard coverage --html cover.html --threshold 80 cover.json
    perfboard coverage --all --log run.log --module my.ko cover.json
"""

import sys

from workbench import Refused
from workbench.coverage_data import FAULTS, KINDS, dump, first, ignore, load_all, percent, replace, share, shown, times, verdict
from workbench.coverage_html import page
from workbench.coverage_places import find


def options(parser):
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file that coverage= or --merge has written")
    parser.add_argument("--html", metavar="OUT", help="write a page that needs no network and no other file")
    parser.add_argument("--merge", metavar="OUT", help="write what the files are together; OUT may be one of them")
    parser.add_argument("--log", metavar="FILE", action="append", default=[], help="the access log of the same run: who covered what (repeatable)")
    parser.add_argument("--module", metavar="FILE", action="append", default=[], help="the driver under test, for the lines of its source (repeatable)")
    parser.add_argument("--ignore", metavar="LIST", action="append", default=[], help="what need not be covered, and why (repeatable)")
    parser.add_argument("--threshold", metavar="PERCENT", help="exit with 1 if a board is below it (0 to 100)")
    parser.add_argument("--board", metavar="NAME", action="append", help="these boards alone (repeatable)")
    parser.add_argument("--only", metavar="KIND,...", help="count these kinds alone: " + ", ".join(KINDS))
    parser.add_argument("--forbid-mistakes", action="store_true", help="exit with 1 if the driver has made a mistake")
    parser.add_argument("--exact", action="store_true", help="exit with 1 if a line of LIST names what is covered")
    parser.add_argument("--all", action="store_true", help="print what is covered as well, with counts")


def places(item):
    """The first three, in a few words."""
    shown = [f"{p.text} ({p.count})" for p in item.places[:3]] + [f"{len(item.places) - 3} more"] * (len(item.places) > 3)
    return ", ".join(shown)


def table(name, items, everything):
    """The board's lines, in an order that does not depend on counts."""
    covered, total = share(items)
    ignored = sum(1 for i in items if i.ignored)
    yield f"{name}: {shown(percent(items))} % covered ({covered} of {total}" + (f"; {ignored} ignored)" if ignored else ")")
    for kind, (heading, _) in KINDS.items():
        of_kind = [i for i in items if i.kind == kind]
        if of_kind:
            covered, total = share(of_kind)
            yield f"  {heading:22} {covered:5} of {total:5}  {shown(percent(of_kind)):>5} %"
    kinds = [k for k in KINDS if any(i.kind == k for i in items)]
    wide = max([len(i.name) for i in items if i.missing() or everything] + [8])
    told = [i for k in kinds for i in items if i.kind == k and i.missing()]
    if told:
        yield "  not covered:"
    for i in told:
        yield f"    {i.kind:9} {i.name:{wide}}  {verdict(items, i)}"
    if everything:
        yield "  covered:"
        for i in (i for k in kinds for i in items if i.kind == k and i.count):
            yield f"    {i.kind:9} {i.name:{wide}}  {i.count:<6} {places(i)}".rstrip()
        if ignored:
            yield "  ignored:"
        for i in (i for k in kinds for i in items if i.kind == k and i.ignored):
            yield f"    {i.kind:9} {i.name:{wide}}  {i.ignored}"
    for kind, heading in FAULTS.items():
        done = [i for i in items if i.kind == kind and i.count]
        if done:
            yield f"  {heading}:"
        for i in done:
            source = (f" ({i.source})" if i.source else "") + (f"; {places(i)}" if i.places else "")
            yield f"    {i.kind:9} {i.name:{wide}}  {times(i.count)}: {i.text}{source}"


def threshold_of(text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 100:
        raise Refused(f"--threshold {text}: legal are 0 to 100 (percent)")
    return value


def main(args):
    threshold = None if args.threshold is None else threshold_of(args.threshold)
    only = args.only.split(",") if args.only is not None else list(KINDS)
    for kind in only:
        if kind not in KINDS:
            raise Refused(f"--only {args.only}: {kind!r} is no kind; legal are {', '.join(KINDS)}")
    if args.module and not args.log:
        raise Refused(f"--module {args.module[0]}: legal with --log only, which has the accesses")
    boards = load_all(args.files)
    if args.merge:
        replace(args.merge, dump(boards))
    for name in args.board or []:
        if name not in boards:
            raise Refused(f"--board {name}: the files do not have it; legal are {', '.join(boards)}")
    mine = find(boards, args.log, args.module)
    boards = {name: boards[name] for name in first(boards, mine) if not args.board or name in args.board}
    idle = [line for path in args.ignore for line in ignore(boards, path)]
    boards = {name: [i for i in items if i.kind in FAULTS or i.kind in only] for name, items in boards.items()}
    if args.html:
        replace(args.html, page(boards))
    for name, items in boards.items():
        print("\n".join(table(name, items, args.all)))
    status = 1 if idle and args.exact else 0
    sys.stdout.flush()
    for line in idle:
        print(f"perfboard coverage: {line}", file=sys.stderr)
    for name, items in boards.items():
        if threshold is not None and percent(items) < threshold:
            print(f"perfboard coverage: {name}: {shown(percent(items))} % is below the threshold of {args.threshold} %", file=sys.stderr)
            status = 1
        mistakes = sum(i.count for i in items if i.kind in ("mistake", "narrow"))
        if args.forbid_mistakes and mistakes:
            print(f"perfboard coverage: {name}: the driver has made mistakes: {mistakes}", file=sys.stderr)
            status = 1
    return status
