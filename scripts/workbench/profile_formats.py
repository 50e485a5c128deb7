# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles as other programs read them.

  callgrind   valgrind's format (KCachegrind, callgrind_annotate), all counts, by instruction and line
  folded      PROGRAM;OBJECT;FUNCTION COUNT: FlameGraph, inferno
  speedscope  JSON, for speedscope.app
"""

import json
import sys

from . import output, profile_data
from .profile_symbols import KERNEL


def _write(path, text):
    if path == "-":
        sys.stdout.write(text)
        return
    with output.Output(path) as out:
        out.write(text.encode())


def callgrind(profile, rows, path, _):
    """The file of a row without one is unknown; positions are the addresses in the objects, and lines. Of calls instructions alone are known."""
    lines = ["# callgrind format", "version: 1", "creator: perfboard profile", "positions: instr line", "events: " + " ".join(profile.counts), ""]
    called, places = _calls(profile, {row.program for row in rows}), {}
    for row in rows:
        places.setdefault((row.object, row.function), (row.file, row.begin, row.line))
    for (file, name), found in sorted(_by(rows, lambda r: (r.object, r.function)).items()):
        for source, own in sorted(_by(found, lambda r: r.file).items()):
            lines += [f"ob={file}", f"fl={source or '???'}", f"fn={name or '???'}"]
            sums = profile_data.grouped(own, lambda r: (r.address, r.line))
            lines += [f"{address:#x} {line} " + " ".join(map(str, counts)) for (address, line), counts in sorted(sums.items())]
        for (to_file, to_name), (times, insns) in sorted(called.pop((file, name), {}).items()):
            source, begin, line = places.get((to_file, to_name), ("", 0, 0))
            lines += [f"cob={to_file}", f"cfi={source or '???'}", f"cfn={to_name or '???'}", f"calls={times} {begin:#x} {line}",
                      f"{places[file, name][1]:#x} {places[file, name][2]} {insns}" + " 0" * (len(profile.counts) - 1)]
    total = profile_data.add(row.counts for row in rows) if rows else [0] * len(profile.counts)
    _write(path, "\n".join([*lines, "", "totals: " + " ".join(map(str, total)), ""]))


def nodes(profile, programs):
    """(number, node, its program) of those of these programs, whoever is above before what is below."""
    of = [0] * len(profile.calls)
    for number, node in enumerate(profile.calls):
        of[number] = of[node[0]] if node[0] else node[2]
        if number and of[number] in programs:
            yield number, node, of[number]


def _calls(profile, programs):
    """{caller: {callee: [times, instructions until it returned]}}; each is (object, function). Of a recursion the outermost call has the instructions."""
    found = {}
    for _, (above, kind, _, file, name, times, insns), _ in nodes(profile, programs):
        caller = way = profile.calls[above]
        if kind == "f" and caller[1] == "f":
            while way[1] and tuple(way[3:5]) != (file, name):
                way = profile.calls[way[0]]
            sums = found.setdefault((caller[3], caller[4]), {}).setdefault((file, name), [0, 0])
            sums[0] += times
            sums[1] += 0 if way[1] else insns
    return found


def _by(rows, key):
    found = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def own_instructions(profile):
    """Of each node of calls: without those that it calls."""
    own = [call[-1] for call in profile.calls]
    for above, *_, insns in profile.calls:
        own[above] -= insns
    return own


KINDS = {"k": KERNEL, "i": "[interrupt]", "x": "[exception]"}


def stacks(profile, rows, by):
    """{(frame, ...): count}, the outermost first: from calls, if they are known; they count instructions."""
    if not profile.calls or by != profile.counts.index("instructions"):
        sums = profile_data.grouped(rows, lambda r: (profile.programs[r.program][2], r.object, r.function or "?"))
        return {key: counts[by] for key, counts in sums.items() if counts[by]}
    ways, found, own = [()] * len(profile.calls), {}, own_instructions(profile)
    wanted = {(row.program, row.kernel) for row in rows}
    for number, (above, kind, _, file, name, *_), program in nodes(profile, {row.program for row in rows}):
        frame = (name or "?",) if kind == "f" else (KINDS[kind],) if kind in KINDS else ()
        ways[number] = (ways[above] or (profile.programs[program][2],)) + frame
        if own[number] > 0 and (program, file == KERNEL if kind == "f" else kind in KINDS) in wanted:
            found[ways[number]] = found.get(ways[number], 0) + own[number]
    return found


def folded(profile, rows, path, by):
    _write(path, "".join(f"{';'.join(f.replace(';', ':') for f in key)} {n}\n" for key, n in sorted(stacks(profile, rows, by).items())))


def speedscope(profile, rows, path, by):
    found = sorted(stacks(profile, rows, by).items())
    frames = {name: n for n, name in enumerate(dict.fromkeys(f for key, _ in found for f in key))}
    weights = [n for _, n in found]
    _write(path, json.dumps({
        "$schema": "https://www.speedscope.app/file-format-schema.json", "name": profile.counts[by], "exporter": "perfboard profile",
        "shared": {"frames": [{"name": name} for name in frames]},
        "profiles": [{"type": "sampled", "name": profile.counts[by], "unit": "none", "startValue": 0, "endValue": sum(weights),
                      "samples": [[frames[f] for f in key] for key, _ in found], "weights": weights}]}) + "\n")


WRITERS = {"callgrind": callgrind, "folded": folded, "speedscope": speedscope}
