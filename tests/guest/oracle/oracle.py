# SPDX-License-Identifier: GPL-2.0-or-later
"""oracle - what the guest has read of MULTIKRON's counters, against what the oracle plugin has counted.

The guest says "# read COUNTER VALUE" (or "read COUNTER VALUE"), in the order in which it has read each counter; the plugin's
file has a line "COUNTER VALUE" for each of these loads. The card counts from when it is told to, the plugin from
the start: so differences between loads of one counter are compared, from the first on. What the program clears after each load the plugin
clears too: then the values are compared, all but the first, as what the monitor counts begins with the first access to the card, in the block behind it.
"""
import re


def _by_counter(pairs):
    found = {}
    for counter, value in pairs:
        found.setdefault(int(counter), []).append(int(value))
    return found


def compare(console, path, inputs, cleared=False):
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
        my_first, its_first, what = (0, 0, "") if cleared else (mine[0], its[0], " since the first")
        for i in range(1, len(mine)):
            if (mine[i] - my_first) % (1 << 32) == (its[i] - its_first) % (1 << 32):
                equal += 1
                continue
            wrong.append(f"counter {counter}: load {i}: {mine[i] - my_first}{what}, the oracle has {its[i] - its_first}")
            break
    return wrong, equal
