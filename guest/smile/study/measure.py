# SPDX-License-Identifier: GPL-2.0-or-later
"""measure - the two guests of the study, and what came of them.

  study(out, programs)             monitors of all sizes on each node's B-Link; a program is {name: options of smbench}
  Design(out, name)                .curve: {Max_Range: {entries: (swaps, events)}}; .wrong: what was not counted as the program counts itself
  places(out, programs, rounds)    each program with its pages in places that stay, and so many rounds with pages, or threads, that move (smile adapt)
  Places(out, name, rounds)        remote accesses in a round, by place; what adapt did. threads.py has those with threads in different places

A node is a processor of the guest.
"""

import collections
import csv
import io
import os
import re
import sys

from guestrun.demo import GUEST_RUN, ROOT
from studyrun.guest import boot

sys.path.insert(0, os.path.join(ROOT, "guest", "smile", "host"))
import curves  # noqa: E402

NODES, ICOUNT = 4, 4
ENTRIES = (4, 8, 16, 32, 64)
RANGES = (15, 63, 255, 1023)
HERE = os.path.dirname(os.path.abspath(__file__))
INTERVAL = 0.001  # s of virtual time between two looks of smile adapt, if it comes to that
MARGIN = 25  # percent: its hysteresis


def words(out, monitors, commands, adds=()):
    found = [GUEST_RUN, "--quiet", "--timeout", "3000", "--icount", str(ICOUNT), "--smp", str(NODES), "--out", out, "--device", "smile-sci"]
    found += [word for monitor in monitors for word in ("--device", f"smile-hwm,{monitor}")]
    return found + [word for add in adds for word in ("--add", add)] + ["--", " && ".join(commands)]


def read(out, name):
    with open(os.path.join(out, name), encoding="utf-8") as f:
        return f.read()


# --- the design study -------------------------------------------------------------------

def study_words(out, programs):
    ranges = " ".join(map(str, RANGES))
    return words(out, [f"node={node},entries={n}" for n in ENTRIES for node in range(NODES)],
                 [f"smile-study {name} '{ranges}' {options}" for name, options in programs.items()])


def study(out, programs):
    os.makedirs(out, exist_ok=True)
    boot(study_words(out, programs))


class Design:
    def __init__(self, out, name):
        self.curve = curves.read(os.path.join(out, f"{name}.study"))
        self.remote = [int(n) for n in re.findall(r"^remote=(\d+)$", read(out, f"{name}.study"), re.M)]
        self.verified = len(re.findall(r"^verified=", read(out, f"{name}.study"), re.M))

    def wrong(self):
        if self.verified != len(RANGES):
            yield f"{self.verified} of {len(RANGES)} runs have verified their result"
        for words_, remote in zip(RANGES, self.remote):
            counted = {n: events for n, (_, events) in self.curve[words_].items() if events != remote}
            if counted:
                yield f"Max_Range {words_}: {remote} accesses are remote, monitors have counted {counted}"


# --- locality as a service ----------------------------------------------------------------

FIXED = ("block", "first-touch", "best")
LEARN = 4  # intervals: a page is seen and moves, rests (smile adapt's --rest 2), and moves once more


def places_words(out, programs, rounds):
    return words(out, [f"node={node}" for node in range(NODES)],
                 [f"sh ./places {name} {rounds} {INTERVAL} {MARGIN} {options}" for name, options in programs.items()],
                 [os.path.join(HERE, "places")])


def places(out, programs, rounds):
    os.makedirs(out, exist_ok=True)
    boot(places_words(out, programs, rounds))


def crossed(text):
    return {(int(row["page"]), int(row["source"])): int(row["count"]) for row in csv.DictReader(io.StringIO(text))}


def intervals(out, name, how):
    """[(number, remote accesses, moves)] of a run of smile adapt."""
    return [tuple(map(int, row.values())) for row in csv.DictReader(io.StringIO(read(out, f"{name}.{how}.intervals")))]


def round_of(text):
    """Remote accesses of the first round, as the program counts it."""
    return int(re.search(r"^round 1: local \d+ remote (\d+)$", text, re.M)[1])


def bound(all_, home, intervals_):
    """Remote accesses of a round, if `home` of all can be at home: as long as nothing else is better by the margin all stays, and nothing is at home
    while adapt learns."""
    return all_ - home / (1 + MARGIN / 100) + LEARN / len(intervals_) * all_


class Places:
    def __init__(self, out, name, rounds):
        self.name, self.rounds = name, rounds
        # Each access is remote in one of the two runs at least.
        self.shifted, self.robin = (crossed(read(out, f"{name}.{place}.own")) for place in ("shifted", "round-robin"))
        self.use = {**self.shifted, **self.robin}
        self.by_page = collections.defaultdict(list)
        for (page, _), n in self.use.items():
            self.by_page[page].append(n)
        self.text = {place: read(out, f"{name}.{place}.text") for place in ("round-robin", "shifted", *FIXED, "dry", "adapt")}
        self.intervals = {how: intervals(out, name, how) for how in ("adapt", "dry")}

    def remote(self, place):
        return round_of(self.text[place])

    def all(self):
        return sum(self.use.values())

    def least(self):
        """The best that pages can have which stay: each where it is used most."""
        return self.all() - sum(max(counts) for counts in self.by_page.values())

    def bound(self):
        return bound(self.all(), self.all() - self.least(), self.intervals["adapt"])

    def adapted(self):
        """Remote accesses while pages move, all rounds' mean, as the monitors count them."""
        return sum(remote for _, remote, _ in self.intervals["adapt"]) / self.rounds

    def watched(self):
        """Of the round in which adapt only looks on."""
        return sum(remote for _, remote, _ in self.intervals["dry"])

    def moved(self):
        return sum(moved for _, _, moved in self.intervals["adapt"])

    def wrong(self):
        for place, text in self.text.items():
            if "verified=" not in text:
                yield f"{self.name}, {place}: the result is not verified"
        if any(self.robin[at] != self.shifted[at] for at in self.robin.keys() & self.shifted.keys()):
            yield f"{self.name}: two runs do not make the same accesses"
