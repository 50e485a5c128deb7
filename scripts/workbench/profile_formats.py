# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles as other programs read them.

  callgrind   valgrind's format (KCachegrind, callgrind_annotate), all counts, by instruction and line
  folded      PROGRAM;OBJECT;FUNCTION COUNT: FlameGraph, inferno
  speedscope  JSON, for speedscope.app
"""

import json
import sys

from . import output, profile_data


def _write(path, text):
    if path == "-":
        sys.stdout.write(text)
        return
    with output.Output(path) as out:
        out.write(text.encode())


def callgrind(profile, rows, path, _):
    """The file of a row without one is unknown; positions are the addresses in the objects, and lines."""
    lines = ["# callgrind format", "version: 1", "creator: perfboard profile", "positions: instr line", "events: " + " ".join(profile.counts), ""]
    for (file, source, name), found in sorted(_by(rows, lambda r: (r.object, r.file, r.function)).items()):
        lines += [f"ob={file}", f"fl={source or '???'}", f"fn={name or '???'}"]
        sums = profile_data.grouped(found, lambda r: (r.address, r.line))
        lines += [f"{address:#x} {line} " + " ".join(map(str, counts)) for (address, line), counts in sorted(sums.items())]
    total = profile_data.add(row.counts for row in rows) if rows else [0] * len(profile.counts)
    _write(path, "\n".join([*lines, "", "totals: " + " ".join(map(str, total)), ""]))


def _by(rows, key):
    found = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def stacks(profile, rows, by):
    """{(frame, ...): count}, the outermost first."""
    sums = profile_data.grouped(rows, lambda r: (profile.programs[r.program][2], r.object, r.function or "?"))
    return {key: counts[by] for key, counts in sums.items() if counts[by]}


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
