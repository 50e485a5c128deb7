# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of scripts/bench with a MULTIKRON, and what an event costs the program that records it."""

import os
import re
import shlex

from benchrun import children
from benchrun.row import CLOCK, Row

# What mkcost calls the ways to record an event.
WAYS = {
    "mk_trace": "MK_TRACE: a store to MULTIKRON's sample page",
    "mk_resource": "MK_RESOURCE: with the 16 counters",
    "mk_filtered": "MK_TRACE that the filter discards",
    "mk_count": "MK_COUNT: a software count",
    "pipe": "write(2) of 16 bytes to a pipe",
    "trace_marker": "write(2) of 16 bytes to ftrace's trace_marker",
}


def row(place, name, text, *sources, **more):
    """sources: what its counters 0, 1, ... count."""
    counters = "0" if len(sources) == 1 else f"0-{len(sources) - 1}"

    def check(said):
        if not all(int(said.get(f"counter {i}", 0)) > 0 for i, s in enumerate(sources) if s not in ("exceptions", "interrupts")):
            return "a counter has not counted"

    # Counters that have not counted would make the row a lie.
    def check_linux(text):
        return next((f"{s} were not counted" for i, s in enumerate(sources) if not re.search(rf"^{i},.*,[1-9]\d*$", text, re.M)), None)

    if sources:
        more.update(word="counting", check=check, check_linux=check_linux,
                    linux=f"mk mux {counters} ext && mk enable {counters} && {{}} && mk disable {counters} && mk --csv counter")
    return Row(place, f"mk-{name}", text, devices=[",".join(["multikron"] + [f"ext{i}={s}" for i, s in enumerate(sources)])], **more)


ROWS = [
    row(100, "card", "MULTIKRON there, nothing counted", aim=1.01, quick=True),
    row(110, "insns", "MULTIKRON counts instructions", "instructions"),
    row(120, "branches", "MULTIKRON counts branches", "branches"),
    row(130, "memory", "MULTIKRON counts loads and stores", "loads", "stores", quick=True, held=True),
    row(140, "caught", "MULTIKRON counts exceptions and interrupts", "exceptions", "interrupts"),
    row(150, "dcache", "MULTIKRON counts data cache misses", "dcache-misses", aim=1.8, quick=True, held=True),
    row(160, "tlb", "MULTIKRON counts TLB misses", "tlb-misses", aim=1.4, quick=True, held=True),
]
MODULES = ("multikron",)
PROGRAMS = (("multikron", "mkcost"), ("tools", "mk"))
MODELS = ("bench-multikron", {
    "trace": "mk_write, a trace sample and its 16 elements",
    "trace_discarded": "mk_write, a trace sample that the filter discards",
    "trace_overrun": "mk_write, a trace sample that overruns",
    "resource": "mk_write, a resource sample and its 80 elements",
    "external_fifo": "mk_write, a trace sample behind a full external FIFO",
})


def more(root, build, image):
    """Instructions under icount, host time without."""
    costs = {}
    for unit, options in (("instructions", ["--icount", "4"]), ("ns", ["--append", CLOCK])):
        words = [os.path.join(root, "scripts", "guest-run"), "--quiet", "--initramfs", image, "--device", "multikron",
                 "--plugin", os.path.join(build, "perfboard.so")] + options + ["--", "mkcost 20000 5"]
        done = children.run(words)
        found = dict(re.findall(r"^ns_per_event_(\w+)=([\d.]+)$", done.stdout, re.M))
        if done.returncode or not WAYS.keys() <= found.keys():
            raise children.Failed(f"{shlex.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        costs[unit] = {way: float(found[way]) / (16 if unit == "instructions" else 1) for way in WAYS}
    print("\nAn event, as the program in the guest sees it: instructions, and the host's time (least of 5 rounds of 20000)\n")
    print(f"{'instructions':>13}{'host ns':>9}")
    for way, text in WAYS.items():
        print(f"{costs['instructions'][way]:13.1f}{costs['ns'][way]:9.0f}  {text}")
