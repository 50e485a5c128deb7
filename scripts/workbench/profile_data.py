# SPDX-License-Identifier: GPL-2.0-or-later
"""A profile's file: JSON, whole in itself, so that it can be read where the guest's files are not.

    profile = load(path)                    raises Refused
    for row in profile.rows: ...            an instruction of a program
    for function in functions(profile): ...
"""

import collections
import json

from . import Refused, output

FORMAT = "perfboard-profile 1"
# What a miss costs, by the property of the board that says it.
PENALTIES = {"dcache-load-misses": "dcache-penalty", "dcache-store-misses": "dcache-penalty", "tlb-misses": "tlb-penalty", "itlb-misses": "tlb-penalty",
             "icache-misses": "icache-penalty"}
COUNTS = ["instructions", "cycles", *PENALTIES]
MACHINE = [*(cache + what for cache in ("dcache", "icache") for what in ("", "-ways", "-line", "-penalty")), "tlb", "tlb-ways", "itlb", "itlb-ways", "tlb-penalty"]


class Row(collections.namedtuple("Row", "program kernel object function begin address file line code counts")):
    """An instruction: whether it is the kernel's; what it is mapped from; its function and where that begins; its place in the object, or its address;
    its line of source (0: not known) and what it is as the assembler has it, if that is known; its counts in the order of Profile.counts."""


class Profile:
    def __init__(self, machine=None, region="whole", counts=(), programs=None, rows=(), calls=()):
        self.machine, self.region, self.counts = machine or {}, region, list(counts)
        self.programs, self.rows, self.calls = programs or {}, list(rows), list(calls)

    def index(self, name):
        if name not in self.counts:
            raise Refused(f"--by {name}: legal are {', '.join(self.counts)}" + ("" if "tlb-misses" in self.counts else "; more with --misses"))
        return self.counts.index(name)

    def total(self):
        return add(row.counts for row in self.rows) if self.rows else [0] * len(self.counts)


def add(many):
    return [sum(column) for column in zip(*many)]


def save(profile, path):
    texts = {}  # of what stands in many rows
    rows = [[row.program, int(row.kernel), *(texts.setdefault(t, len(texts)) for t in (row.object, row.function)), row.begin, row.address,
             texts.setdefault(row.file, len(texts)), row.line, row.code, *row.counts] for row in profile.rows]
    calls = [[*call[:3], *(texts.setdefault(t, len(texts)) for t in call[3:5]), *call[5:]] for call in profile.calls]
    with output.Output(path) as out:
        out.write(json.dumps({"format": FORMAT, "machine": profile.machine, "region": profile.region, "counts": profile.counts, "programs": profile.programs,
                              "texts": list(texts), "rows": rows, "calls": calls}, separators=(",", ":")).encode())


def _check(values, kinds):
    """Raises ValueError if they are not of these kinds."""
    if len(values) != len(kinds) or any(type(v) is not kind for v, kind in zip(values, kinds)):
        raise ValueError


def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
        if data["format"] != FORMAT:
            raise ValueError
        texts, counts, programs, calls = data["texts"], data["counts"], {int(k): v for k, v in data["programs"].items()}, []
        rows = [Row(p, bool(k), texts[o], texts[f], b, a, texts[s], n, c, counts) for p, k, o, f, b, a, s, n, c, *counts in data["rows"]]
        misses = MACHINE if "tlb-misses" in counts else ()
        _check([data["machine"][name] for name in misses], [int] * len(misses))
        _check([data["region"], *counts], [str] * (1 + len(counts)))
        for entry in programs.values():
            _check(entry, (int, int, str))
        for row in rows:
            _check([programs[row.program] and 0, *row[1:-1], *row.counts], (int, bool, str, str, int, int, str, int, str, *[int] * len(counts)))
        for above, kind, program, file, function, *sums in data["calls"]:
            calls.append([above, kind, program, texts[file], texts[function], *sums])
        for number, call in enumerate(calls):
            _check(call, (int, str, int, str, str, int, int))
            if not 0 <= call[0] < max(number, 1):
                raise ValueError
        if counts[:2] != COUNTS[:2]:
            raise ValueError
        return Profile(data["machine"], data["region"], counts, programs, rows, calls)
    except OSError as e:
        raise Refused(f"{path}: {e.strerror}; legal is a file that perfboard run --profile has written") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise Refused(f"{path}: this is no profile; legal is a file that perfboard run --profile has written") from None


def grouped(rows, key):
    """{key(row): counts}."""
    sums = {}
    for row in rows:
        k = key(row)
        if (into := sums.get(k)) is None:
            sums[k] = list(row.counts)
        else:
            for i, n in enumerate(row.counts):
                into[i] += n
    return sums
