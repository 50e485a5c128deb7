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


def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
        if data["format"] != FORMAT:
            raise ValueError
        texts = data["texts"]
        rows = [Row(p, bool(k), texts[o], texts[f], b, a, texts[s], n, c, counts) for p, k, o, f, b, a, s, n, c, *counts in data["rows"]]
        if any(len(row.counts) != len(data["counts"]) for row in rows):
            raise ValueError
        calls = [[a, k, p, texts[o], texts[f], times, insns] for a, k, p, o, f, times, insns in data["calls"]]
        if any(not 0 <= call[0] <= number for number, call in enumerate(calls)):
            raise ValueError
        return Profile(data["machine"], data["region"], data["counts"], {int(k): v for k, v in data["programs"].items()}, rows, calls)
    except OSError as e:
        raise Refused(f"{path}: {e.strerror}; legal is a file that perfboard run --profile has written") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
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
