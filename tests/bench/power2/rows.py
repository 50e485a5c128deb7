# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of scripts/bench with a POWER2 monitor, which Linux on x86 does not look at."""

import os

from benchrun.row import Row


PROFILE = f"profile={os.devnull}"  # a machine without Linux: all of it


def row(place, name, text, counts="idle", computing=False, profile=None, **more):
    """counts: classes, misses; idle: nobody has looked at it."""
    def check(said):
        if counts != "idle" and not int(said.get("counter 10", 0)):
            return "no instruction was counted"
        if counts == "misses" and not computing and not int(said.get("counter 7", 0)):
            return "no miss was counted"

    return Row(place, f"power2-{name}", text, devices=["power2-pm,stalls=off" + ("," + profile if profile else "")], word=counts, computing=computing, check=check,
               timed=counts == "idle" and not profile, **more)


ROWS = [
    row(300, "card", "POWER2's monitor there, nobody has looked at it", aim=1.01),
    row(310, "classes", "POWER2's monitor counts instructions by class, and cycles by its pipelines", "classes", aim=1.1, quick=True),
    row(320, "misses", "POWER2's monitor counts data cache and TLB misses too", "misses", aim=1.45, quick=True, held=True),
    row(330, "profile", "a profile by instruction", profile=PROFILE, aim=1.1, quick=True),
    row(340, "profile-misses", "a profile with misses", profile=PROFILE + ",profile-misses=on", aim=2.0, quick=True),
    row(350, "profile-calls", "a profile with calls", profile=PROFILE + ",profile-calls=on", quick=True),
    row(410, "classes-arithmetic", "the loop: classes and pipelines", "classes", True, aim=1.3, quick=True),
    row(420, "misses-arithmetic", "the loop: data cache and TLB misses too", "misses", True, aim=1.25, quick=True),
]
MODELS = ("bench-power2-machine", {
    "p2_block/4": "machine_run, a block of 4 integer instructions",
    "p2_block/64": "machine_run, a block of 64",
    "p2_body/daxpy": "machine_run, the body of a loop, 19 instructions, half of them floating-point",
    "p2_body/roots": "machine_run, 16 square roots that wait for each other",
    "p2_settling/daxpy": "machine_run, the loop from an empty pipeline until its pipelines repeat",
})
