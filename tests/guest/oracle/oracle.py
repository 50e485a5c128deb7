# SPDX-License-Identifier: GPL-2.0-or-later
"""oracle - what the guest has read of MULTIKRON's counters, against what the oracle plugin has counted.

The guest says "# read COUNTER VALUE" (or "read COUNTER VALUE"), in the order in which it has read each counter; the plugin's
file has a line "COUNTER VALUE" for each of these loads. The card counts from when it is told to, the plugin from
the start: so differences between loads of one counter are compared, from the first on.
"""
import re


def _by_counter(pairs):
    found = {}
    for counter, value in pairs:
        found.setdefault(int(counter), []).append(int(value))
    return found


def compare(console, path, inputs):
    """Complaints, and how many differences were equal. inputs: counter numbers that the plugin knows."""
    said = _by_counter(re.findall(r"^(?:# )?read (\d+) (\d+)\r?$", console, re.M))
    with open(path) as f:
        counted = _by_counter(line.split() for line in f)
    wrong, equal = [], 0
    for counter in inputs:
        mine, its = said.get(counter, []), counted.get(counter, [])
        if len(mine) != len(its) or len(mine) < 2:
            wrong.append(f"counter {counter}: the guest tells of {len(mine)} loads, the oracle of {len(its)}")
            continue
        for i in range(1, len(mine)):
            if (mine[i] - mine[0]) % (1 << 32) == (its[i] - its[0]) % (1 << 32):
                equal += 1
                continue
            wrong.append(f"counter {counter}: load {i}: {mine[i] - mine[0]} since the first, the oracle has {its[i] - its[0]}")
            break
    return wrong, equal
