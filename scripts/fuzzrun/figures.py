# SPDX-License-Identifier: GPL-2.0-or-later
"""How much each target has run so far: FIGURES.md in the tree, and what has come since in .cache/fuzz/figures."""

import json
import os

AIM = 110_000_000  # operations for each board, as the VDF study of QEMU's devices had
HEAD = """# What the fuzzers have run so far

Under libFuzzer, ASan and UBSan; `scripts/fuzz --keep` adds to it. An operation is what `operations` in [input.h](input.h) counts: an access, a
packet, a step of time, a reset, a snapshot; for a reader a text. The aim is 110,000,000 for each board.

"""
TITLES = ["target", "part", "CPU minutes", "inputs", "operations", "edges", "corpus"]


def _row(cells):
    return "| " + " | ".join(str(c) for c in cells) + " |"


def _of_tree(root):
    """target -> [seconds of a processor, inputs, operations, edges, corpus]"""
    try:
        with open(os.path.join(root, "tests", "fuzz", "FIGURES.md")) as f:
            rows = [[c.strip() for c in line.strip("| \n").split("|")] for line in f if line.startswith("| ")]
    except FileNotFoundError:
        return {}
    found = {}
    for r in rows:
        if len(r) == len(TITLES) and r[0] not in (TITLES[0], "---"):
            found[r[0]] = [60 * float(r[2])] + [int(c.replace(",", "")) for c in r[3:]]
    return found


def _of_cache(cache):
    try:
        with open(os.path.join(cache, "figures")) as f:
            return json.load(f)
    except FileNotFoundError:
        return {}


def _sum(a, b):
    return [x + y for x, y in zip(a[:3], b[:3])] + [max(a[3], b[3]), b[4] or a[4]]


def _write(cache, figures):
    path = os.path.join(cache, "figures")
    with open(path + ".part", "w") as f:
        json.dump(figures, f, indent=1)
    os.replace(path + ".part", path)


def add(cache, target, result):
    if result.found or result.stopped:
        return
    figures = _of_cache(cache)
    figures[target.name] = _sum(figures.get(target.name, [0] * 5),
                                [result.cpu, result.executions, result.operations, result.edges, result.inputs])
    _write(cache, figures)


def so_far(root, cache, targets):
    tree, new = _of_tree(root), _of_cache(cache)
    return {t: _sum(tree.get(t.name, [0] * 5), new.get(t.name, [0] * 5)) for t in sorted(targets, key=lambda t: (t.part, t.name))}


def _cells(target, f):
    return [target.name, target.part, f"{f[0] / 60:.1f}"] + [f"{n:,}" for n in f[1:]]


def keep(root, cache, targets):
    figures = so_far(root, cache, targets)
    parts = {}
    for t, f in figures.items():
        parts[t.part] = parts.get(t.part, 0) + f[2]
    with open(os.path.join(root, "tests", "fuzz", "FIGURES.md"), "w") as out:
        out.write(HEAD)
        rows = [TITLES, ["---"] * 2 + ["---:"] * 5] + [_cells(t, f) for t, f in figures.items()]
        out.write("\n".join(_row(r) for r in rows))
        out.write("\n\nOperations so far: " + ", ".join(f"{p} {n:,}" for p, n in parts.items()) + ".\n")
    _write(cache, {})


def table(figures, results):
    """Text: what ran now, and what has run so far."""
    now = {r.target.name: r for r in results}
    lines = [f"{'target':<18}{'CPU min':>9}{'inputs':>14}{'operations':>16}{'edges':>8}{'corpus':>8}  ended   operations so far"]
    parts = {}
    for t, f in figures.items():
        parts[t.part] = parts.get(t.part, 0) + f[2]
        r = now.get(t.name)
        if not r and results:
            continue
        cells = (f"{r.cpu / 60:>9.1f}{r.executions:>14,}{r.operations:>16,}{r.edges:>8,}{r.inputs:>8,}  {'yes' if r.found else 'no':<5}"
                 if r else f"{'-':>9}{'-':>14}{'-':>16}{f[3]:>8,}{f[4]:>8,}  {'-':<5}")
        lines.append(f"{t.name:<18}{cells}{f[2]:>20,}")
    for part, n in parts.items():
        lines.append(f"so far, {part}: {n:,} operations ({100 * n / AIM:.1f} % of {AIM:,})")
    return "\n".join(lines)
