# SPDX-License-Identifier: GPL-2.0-or-later
"""window - what the window plugin (tests/guest/oracle/window.c) has written.

    dumps = window.read(path)                 in the order in which they were made; the last one is the machine's end
    dumps[0].value                            what the guest stored to the mark
    gone = dumps[1] - dumps[0]                what happened in between
    gone.counts[(vcpu, page)]                 [loads, stores, locks, unlocks]
    window.transactions(gone.counts, homes)   {(page, source, destination): [reads, writes, locks, unlocks]} of SMiLE's adapters
"""
KINDS = 4


class Dump:
    def __init__(self, value, vcpu, counts):
        self.value, self.vcpu, self.counts = value, vcpu, counts

    def __sub__(self, before):
        counts = {}
        for at, now in self.counts.items():
            gone = [n - m for n, m in zip(now, before.counts.get(at, [0] * KINDS))]
            if any(gone):
                counts[at] = gone
        return Dump(self.value, self.vcpu, counts)


def read(path):
    dumps, whole = [], True
    with open(path) as f:
        for line in f:
            words = line.split()
            if words[0] == "mark":
                dumps.append(Dump(int(words[3]), int(words[2]), {}))
                whole = False
            elif words[0] == "end":
                dumps.append(Dump(None, None, {}))
                whole = False
            elif words[0] == ".":
                whole = True
            else:
                vcpu, page, *counts = map(int, words)
                dumps[-1].counts[vcpu, page] = counts
    if not whole:
        raise ValueError(f"{path}: the last dump is cut off")
    return dumps


def transactions(counts, homes):
    """What leaves a node: accesses to pages of another home. Without write-combining. homes: by page."""
    return {(page, vcpu, homes[page]): kinds for (vcpu, page), kinds in counts.items() if homes[page] != vcpu}
