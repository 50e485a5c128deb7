# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a command spends its instructions, cycles and misses: exact, by function and line, in every program and in the kernel.

  perfboard profile [options of perfboard run] -- COMMAND...     run it, and print the table
  perfboard profile FILE...                                      of what --save, or perfboard run --profile, has kept; several are added up

Nothing is sampled: each instruction's count is how often it was executed, by the blocks that the POWER2 board counts; its cycles are those that the
board's model of POWER2's pipelines gives it. With --misses each miss of the board's caches and TLBs stands at its instruction, and cycles
include what misses cost. The command needs nothing and does not notice; with --icount two runs are the same to the last instruction.

  perfboard profile --icount 4 --add-package lua5.4 --add fib.lua -- lua5.4 fib.lua
  perfboard profile --misses --board power2,dcache=32K,dcache-ways=8,dcache-line=64 --save run.json -- ./mine
  perfboard profile --annotate mine_loop run.json                 its source and its instructions, with counts
  perfboard profile --callgrind callgrind.out run.json            for KCachegrind and callgrind_annotate
  perfboard profile --diff before.json after.json                 what has changed, by function
"""

import argparse
import os

from guestrun import arguments
from guestrun import options as given
from guestrun.boards import PROFILER

from . import Refused, profile_data, profile_formats, run
from .profile_symbols import KERNEL

TAKES_COMMAND = True
EPILOG = "Exit status: of a command its own, or perfboard run's; 1: --diff has found a difference; 2: an option is wrong."
PREFIX = "perfboard: "
MOST_PROGRAMS = 6  # in the lines above a table


def options(parser):
    parser.add_argument("--save", dest="profile", metavar="FILE", help="keep the profile of the command")
    parser.add_argument("--misses", dest="profile_misses", action="store_true", help="of the command: what each instruction misses in the board's caches and TLBs, too")
    parser.add_argument("--calls", dest="profile_calls", action="store_true", help="of the command: who called whom, too; for whole stacks, and for KCachegrind's graphs")
    parser.add_argument("--marked", dest="profile_marked", action="store_true", help="of the command: only while the process mark is set (p2run --scope marked; in a function with its --segment)")
    parser.add_argument("--events", dest="profile_events", metavar="FROM:TO", help="of the command: only from the trace event with the data FROM, which a board takes, to the one with TO")
    parser.add_argument("--by", metavar="COUNT", default="instructions", help="what to sort by and to give shares of: instructions, cycles, tlb-misses ... (%(default)s)")
    parser.add_argument("--top", metavar="N", default="20", help="how many functions or lines to print, 1 to 1000000 (%(default)s)")
    parser.add_argument("--program", metavar="NAME", help="of this program alone")
    parser.add_argument("--only", metavar="PART", choices=("user", "kernel"), help="user or kernel: that alone")
    parser.add_argument("--within", metavar="FUNCTION", help="only what it and those that it calls execute, of a profile with --calls; instructions alone")
    parser.add_argument("--lines", action="store_true", help="by line of source instead of by function, where the debugger's data is there")
    parser.add_argument("--annotate", metavar="FUNCTION", help="its lines and instructions, with their counts")
    parser.add_argument("--csv", action="store_true", help="the table as CSV, all of it")
    parser.add_argument("--callgrind", metavar="OUT", help="write a file for KCachegrind; -: standard output, as of the next two")
    parser.add_argument("--folded", metavar="OUT", help="write folded stacks, for flame graphs")
    parser.add_argument("--speedscope", metavar="OUT", help="write a file for speedscope")
    parser.add_argument("--diff", action="store_true", help="the first FILE and the second; each may be several with commas between, whose spread says what is the same")
    parser.add_argument("profiles", metavar="FILE", nargs="*", help="a profile")
    arguments.add(parser)


def number(option, text, most):
    return given.whole(option, text, 1, most)


def chosen(profile, args):
    """Its rows, as far as they are wanted."""
    names = {entry[2] for entry in profile.programs.values()}
    if args.program is not None and args.program not in names:
        raise Refused(f"--program {args.program}: legal are {', '.join(sorted(names)) or 'none, as nothing was executed'}")
    return [row for row in profile.rows if (args.program is None or profile.programs[row.program][2] == args.program)
            and (args.only is None or row.kernel == (args.only == "kernel"))]


def within(profile, rows, function):
    """A profile of instructions with a row for each function of each program that is executed below this one."""
    if not profile.calls:
        raise Refused(f"--within {function}: legal with a profile that has calls (--calls)")
    programs, inside, sums = {row.program for row in rows}, set(), {}
    own = profile_formats.own_instructions(profile)
    for number, (above, kind, _, file, name, *_), program in profile_formats.nodes(profile, programs):
        if above in inside or kind == "f" and name == function:
            inside.add(number)
            key = (program, file == KERNEL or kind != "f", file or KERNEL, name)
            sums[key] = sums.get(key, 0) + own[number]
    if not inside:
        raise Refused(f"--within {function}: no such function has called or returned")
    found = [profile_data.Row(p, kernel, file, name, 0, 0, "", 0, "", [n]) for (p, kernel, file, name), n in sorted(sums.items()) if n]
    return profile_data.Profile(profile.machine, profile.region, ["instructions"], profile.programs, found)


def shown(n):
    return f"{n:,}"


def share(n, total):
    return f"{100 * n / total:5.1f} %" if total else "    - %"


def widths(profile, rows):
    """Of the columns in which these counts stand."""
    return [max([len(name), *(len(shown(counts[i])) for counts in rows)]) for i, name in enumerate(profile.counts)]


def header(profile, wide):
    return f"{'share':>7}  " + "  ".join(f"{name:>{w}}" for name, w in zip(profile.counts, wide))


def cells(counts, total, by, wide):
    """A line of a table, as far as it is numbers; total: of which the share is."""
    return share(counts[by], total) + "  " + "  ".join(f"{shown(n):>{w}}" for n, w in zip(counts, wide))


def of_size(n):
    return f"{n >> 10} KB" if n >= 1024 and n % 1024 == 0 else f"{n} B"


def about(profile):
    """What the counts are of, in lines."""
    m = profile.machine
    if "tlb-misses" in profile.counts:
        yield (f"data cache {of_size(m['dcache'])}, {m['dcache-ways']} ways, lines of {of_size(m['dcache-line'])}; instruction cache {of_size(m['icache'])}, "
               f"{m['icache-ways']} ways, {of_size(m['icache-line'])}; TLBs {m['tlb']} and {m['itlb']} entries, {m['tlb-ways']} and {m['itlb-ways']} ways")
        yield f"cycles: of {PROFILER.name}'s pipelines, and {m['dcache-penalty']} for a miss of the data cache, {m['icache-penalty']} of the instruction cache, {m['tlb-penalty']} of a TLB"
    elif "cycles" in profile.counts:
        yield f"cycles: of {PROFILER.name}'s pipelines, as if all accesses were hits (--misses has them)"
    if lost := sum(row.counts[0] for row in profile.rows if not row.address):
        yield f"0x0: {shown(lost)} {profile.counts[0]} have no address: of what came behind the first 1,048,576 instructions, each process's its own"
    if profile.region != "whole":
        yield {"begun": "the command had not ended: counts are until the machine did"}.get(profile.region, "the command never began")


def place(row, lines):
    """What a row of the table is of: (function or line, object)."""
    if lines:
        return f"{row.file}:{row.line}" if row.line else row.function or "?", row.object
    return row.function or f"{row.address & ~0xfff:#x}", row.object


def table(profile, rows, args):
    """Lines of it."""
    by, top = profile.index(args.by), number("--top", args.top, 1000000)
    sums = profile_data.grouped(rows, lambda row: (profile.programs[row.program][2], *place(row, args.lines)))
    total = profile_data.add(sums.values()) if sums else [0] * len(profile.counts)
    order = sorted(sums.items(), key=lambda item: (-item[1][by], item[0]))
    what = "line" if args.lines else "function"
    if args.csv:
        yield ",".join([*profile.counts, what, "object", "program"])
        for (program, name, file), counts in order:
            yield ",".join([*map(str, counts), *('"%s"' % word.replace('"', '""') for word in (name, file, program))])
        return
    programs = {}  # [its own, the kernel's for it]
    for (program, _, file), counts in sums.items():
        programs.setdefault(program, [0, 0])[file == KERNEL] += counts[by]
    ranked = sorted(programs.items(), key=lambda item: (-sum(item[1]), item[0]))
    for program, (own, kernel) in ranked[:MOST_PROGRAMS]:
        yield f"{program}: {shown(own)} {args.by} of its own, {shown(kernel)} of the kernel for it"
    if rest := ranked[MOST_PROGRAMS:]:
        yield f"{len(rest)} more programs: {shown(sum(n[0] for _, n in rest))} of their own, {shown(sum(n[1] for _, n in rest))} of the kernel for them"
    yield from about(profile)
    wide = widths(profile, [total])
    yield ""
    yield f"{header(profile, wide)}  {what}"
    for (program, name, file), counts in order[:top]:
        where = f"{file} ({program})" if file == KERNEL else file
        yield f"{cells(counts, total[by], by, wide)}  {name}  {where}"
    rest = order[top:]
    if rest:
        yield f"{cells(profile_data.add(c for _, c in rest), total[by], by, wide)}  {len(rest)} more (--top)"
    yield f"{cells(total, total[by], by, wide)}  in all"


def source(file):
    try:
        with open(file, encoding="utf-8", errors="replace") as f:
            return f.read().splitlines()
    except OSError:
        return []


def annotate(profile, rows, args):
    """Lines: the function's source as far as it is here, each line before its instructions."""
    by = profile.index(args.by)
    own = [row for row in rows if row.function == args.annotate]
    if not own:
        near = sorted({row.function for row in rows if args.annotate.lower() in row.function.lower()})[:10]
        raise Refused(f"--annotate {args.annotate}: no such function was executed" + (f"; there are {', '.join(near)}" if near else ""))
    yield from about(profile)
    for file in sorted({row.object for row in own}):
        here = [row for row in own if row.object == file]
        total = sum(row.counts[by] for row in here)
        merged = profile_data.grouped(here, lambda row: (row.address, row.file, row.line, row.code))
        wide = widths(profile, merged.values())
        yield ""
        yield f"{args.annotate}, {file}"
        yield header(profile, wide)
        before = None
        for (address, name, line, code), counts in sorted(merged.items()):
            if line and (name, line) != before:
                text = source(name)
                words = text[line - 1].strip() if 0 < line <= len(text) else ""
                yield f"{os.path.basename(name)}:{line}  {words}"
            before = (name, line)
            yield f"{cells(counts, total, by, wide)}    {address:x}  {code}"


def diff(args):
    """(lines, whether anything differs)."""
    if len(args.profiles) != 2:
        raise Refused(f"--diff: legal are two FILEs, each perhaps several with commas between; here are {len(args.profiles)}")
    sides = []
    for text in args.profiles:
        found = [profile_data.load(path) for path in text.split(",")]
        sides.append([profile_data.grouped(chosen(p, args), lambda row: (row.function, row.object)) for p in found])
        by = [p.index(args.by) for p in found]
        sides[-1] = [{key: counts[i] for key, counts in sums.items()} for sums, i in zip(sides[-1], by)]
    rows = []
    for key in {key for side in sides for sums in side for key in sums}:
        before, after = ([sums.get(key, 0) for sums in side] for side in sides)
        differs = max(before) < min(after) or max(after) < min(before)
        rows.append((sum(after) / len(after) - sum(before) / len(before), key, before, after, differs))
    rows.sort(key=lambda row: (-abs(row[0]), row[1]))

    def spread(many):
        return shown(many[0]) if min(many) == max(many) else f"{shown(min(many))} to {shown(max(many))}"

    lines = [(f"{row[0]:+,.0f}", spread(row[2]), spread(row[3]), "differs" if row[4] else "same", f"{row[1][0] or '?'}  {row[1][1]}") for row in rows if row[4] or row[0]]
    lines = [("change", "before", "after", "", f"function, by {args.by}"), *lines[:number("--top", args.top, 1000000)]]
    wide = [max(len(line[i]) for line in lines) for i in range(4)]
    text = [f"{a:>{wide[0]}}  {b:>{wide[1]}}  {c:>{wide[2]}}  {d:{wide[3]}}  {e}" for a, b, c, d, e in lines]
    if len(lines) == 1:
        text = [f"the same: each of {len(rows)} functions, by {args.by}"]
    return text, any(row[4] for row in rows)


def merged(files):
    profiles = [profile_data.load(path) for path in files]
    for path, other in zip(files[1:], profiles[1:]):
        if other.counts != profiles[0].counts or other.machine != profiles[0].machine:
            raise Refused(f"{path}: it counts other things than {files[0]}, or in other caches; legal are profiles of one kind")
        shift = max(profiles[0].programs, default=0) + 1
        profiles[0].programs.update({n + shift: entry for n, entry in other.programs.items()})
        profiles[0].rows += [row._replace(program=row.program + shift) for row in other.rows]
        behind = len(profiles[0].calls)
        profiles[0].calls += [[above and above + behind, kind, program + shift, *more] for above, kind, program, *more in other.calls]
    if not all(p.calls for p in profiles):
        profiles[0].calls = []  # of some of the counts only
    return profiles[0]


SHORT = {"profile": "--save", **{"profile_" + what: "--" + what for what in ("misses", "calls", "marked", "events")}}


def check(args):
    """What can be known before anything runs."""
    number("--top", args.top, 1000000)
    outputs = {"--" + name: getattr(args, name) for name in profile_formats.WRITERS if getattr(args, name) is not None}
    for option, path in outputs.items():
        if path != "-":
            given.writable(option, path)
    if args.words is not None:
        if args.profiles or args.diff:
            raise Refused(f"{args.profiles[0] if args.profiles else '--diff'}: legal without a command only")
        if args.profile is not None:
            given.writable("--save", args.profile)
        profile_data.Profile(counts=profile_data.COUNTS if args.profile_misses else profile_data.COUNTS[:2]).index(args.by)
        return
    if not args.profiles:
        raise Refused("legal is a FILE, or -- and a COMMAND (--help has examples)")
    of_command = argparse.ArgumentParser(add_help=False)
    arguments.add(of_command)
    for action in of_command._actions:
        if getattr(args, action.dest) != action.default:
            raise Refused(f"{SHORT.get(action.dest, action.option_strings[-1])}: legal with a command only, which comes after --")
    if args.diff:
        for option in (*(f"--{name}" for name in ("lines", "annotate", "csv") if getattr(args, name)), *outputs):
            raise Refused(f"{option}: not together with --diff")


def main(args):
    check(args)
    status = 0
    if args.diff:
        lines, differs = diff(args)
        print("\n".join(lines))
        return int(differs)
    if args.words is None:
        profile = merged(args.profiles)
    else:
        args.profile, args.profiled = args.profile or os.devnull, None
        status, profile = run.main(args), args.profiled
        if profile is None:
            return status
    rows = chosen(profile, args)
    for name, write in profile_formats.WRITERS.items():
        if (path := getattr(args, name)) is not None:
            write(profile, rows, path, profile.index(args.by))
    if args.within is not None:
        profile = within(profile, rows, args.within)
        rows = profile.rows
    if args.annotate is not None:
        print("\n".join(annotate(profile, rows, args)))
    elif "-" not in (args.callgrind, args.folded, args.speedscope):
        print("\n".join(table(profile, rows, args)))
    return status
