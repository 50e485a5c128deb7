# SPDX-License-Identifier: GPL-2.0-or-later
"""rows - the configurations that are compared, and how each is started."""

import os

SNI = "shrimp-sni,slot=1,node=1,nodes=4"
NO_CACHES = ",l1d-size=0,l2-size=0"
PLAIN = "tcg"
COMPUTING = "arithmetic"  # plain TCG too, with the loop that computes in registers


class Row:
    """A row of the table. aim: a ratio, or (factor, name): so many times the ratio of that row."""

    def __init__(self, name, text, *, mode="none", aim=None, sni=None, plugin=None, sources=None, smile=None, power2=None,
                 computing=False, quick=False):
        self.name, self.text, self.mode, self.aim, self.quick = name, text, mode, aim, quick
        self.sni = sni          # properties of an SNI
        self.plugin = plugin    # a plugin of tests/bench, with options
        self.foreign = bool(plugin) and plugin.startswith("qemu-")  # QEMU's own, which is slow
        self.sources = sources  # event sources that a MULTIKRON's counters 0, 1, ... count
        self.smile = smile      # where the keys are while a SMiLE monitor counts: outside of the window, home or remote
        self.power2 = power2    # what a POWER2 monitor counts: classes, misses; idle: nobody has looked at it
        self.computing = computing  # the arithmetic loop instead of the sort
        self.plain = COMPUTING if computing else PLAIN  # what its ratio is to
        # In Linux radix knows no window, and no monitor of a POWER2.
        self.timed = smile in (None, "outside") and not computing and power2 in (None, "idle")

    def command(self, keys, runs):
        """What the Linux guest runs."""
        text = f"radix {keys} {runs} {self.mode}"
        if self.sources:
            counters = "0" if len(self.sources) == 1 else f"0-{len(self.sources) - 1}"
            # Counters that have not counted would make the row a lie.
            text = (f"mk mux {counters} ext && mk enable {counters} && {text} && mk disable {counters} && "
                    "mk --csv counter")
        if self.smile:
            text = f"smile start && {text} && smile stop"
        return text

    def devices(self):
        if self.power2:
            return ["power2-pm,stalls=off"]
        if self.smile:
            return ["smile-sci", "smile-hwm,node=0"]
        if self.sources is not None:
            return [",".join(["multikron"] + [f"ext{i}={source}" for i, source in enumerate(self.sources)])]
        return ["i82375", self.sni, "surfboard,slot=2"] if self.sni else []

    def plugin_words(self, build):
        """The word behind -plugin; None: no plugin."""
        if self.devices():
            return os.path.join(build, "perfboard.so")
        if not self.plugin:
            return None
        name, _, options = self.plugin.partition(",")
        return ",".join(filter(None, [os.path.join(build, "tests", "bench", f"{name}.so"), options]))

    def guest_run(self, build):
        """Options of scripts/guest-run."""
        plugin = self.plugin_words(build)
        if self.devices():
            more = ["--smp", "2"] if self.smile else []
            return [w for d in self.devices() for w in ("--device", d)] + ["--plugin", plugin] + more
        return ["--no-boards"] + (["--qemu-arg=-plugin", f"--qemu-arg={plugin}"] if plugin else [])

    def qemu(self, build):
        """Options of QEMU, for the program without an operating system."""
        plugin = self.plugin_words(build)
        words = ["-plugin", plugin] if plugin else []
        words += [w for d in self.devices() for w in ("-device", d)]
        words += ["-smp", "2"] if self.smile else []  # a node is a processor; the second one sleeps
        load = ["arithmetic"] if self.computing else []
        watched = f"smile {self.smile}" if self.smile else "counting" if self.sources else self.power2 or self.mode
        return words + ["-append", " ".join(load + [watched])]


ROWS = [
    Row(PLAIN, "plain TCG, no plugin", quick=True),
    Row("idle", "boards and drivers there, no page mapped", sni=SNI, aim=1.01, quick=True),
    Row("empty-stores", "the limit: an empty callback on each store", plugin="bench-empty,stores=on", quick=True),
    Row("stores", "snooping stores", mode="stores", sni=SNI, aim=1.06, quick=True),
    Row("empty", "the limit: an empty callback on each access", plugin="bench-empty", quick=True),
    Row("all", "snooping loads and stores, no cache model", mode="all", sni=SNI + NO_CACHES, aim=1.6, quick=True),
    Row("cached", "snooping loads and stores, with the cache model", mode="all", sni=SNI, aim=(1.6, "empty"), quick=True),
    Row("mk-card", "MULTIKRON there, nothing counted", sources=[], aim=1.01, quick=True),
    Row("mk-insns", "MULTIKRON counts instructions", sources=["instructions"]),
    Row("mk-branches", "MULTIKRON counts branches", sources=["branches"]),
    Row("mk-memory", "MULTIKRON counts loads and stores", sources=["loads", "stores"], quick=True),
    Row("mk-caught", "MULTIKRON counts exceptions and interrupts", sources=["exceptions", "interrupts"]),
    Row("mk-dcache", "MULTIKRON counts data cache misses", sources=["dcache-misses"], quick=True),
    Row("mk-tlb", "MULTIKRON counts TLB misses", sources=["tlb-misses"], quick=True),
    Row("smile-outside", "SMiLE counts, keys in ordinary memory", smile="outside", aim=1.3, quick=True),
    Row("smile-home", "SMiLE counts, keys in the window, at home", smile="home", quick=True),
    Row("smile-remote", "SMiLE counts, each access to a key crosses the network", smile="remote", quick=True),
    Row("power2-card", "POWER2's monitor there, nobody has looked at it", power2="idle", aim=1.01),
    Row("power2-classes", "POWER2's monitor counts instructions by class, and cycles by its pipelines", power2="classes", aim=1.1,
        quick=True),
    Row("power2-misses", "POWER2's monitor counts data cache and TLB misses too", power2="misses", aim=2.0, quick=True),
    Row(COMPUTING, "plain TCG, an arithmetic loop", computing=True, quick=True),
    Row("power2-classes-arithmetic", "the loop: classes and pipelines", power2="classes", computing=True, aim=1.3, quick=True),
    Row("power2-misses-arithmetic", "the loop: data cache and TLB misses too", power2="misses", computing=True, aim=1.3,
        quick=True),
    Row("mem-inline", "QEMU's `mem`, inline", plugin="qemu-mem,inline=on"),
    Row("mem-callback", "QEMU's `mem`, callback", plugin="qemu-mem,callback=on"),
    Row("mem-hwaddr", "QEMU's `mem`, callback with physical address", plugin="qemu-mem,callback=on,haddr=on", quick=True),
    Row("hotpages", "QEMU's `hotpages`", plugin="qemu-hotpages", quick=True),
    Row("qemu-cache", "QEMU's `cache`", plugin="qemu-cache", quick=True),
]
# Those that a test counts, and holds against the page.
HELD = ("stores", "all", "cached", "mk-dcache", "mk-tlb", "smile-outside", "smile-home", "power2-misses")
BY_NAME = {row.name: row for row in ROWS}


def with_bases(chosen, aims=False):
    """Those rows, and what their ratios are to; what their aims are to."""
    needed = {row.plain for row in chosen} | {row.aim[1] for row in chosen if aims and isinstance(row.aim, tuple)}
    return [row for row in ROWS if row in chosen or row.name in needed]


def aim_of(row, ratio_of):
    """The row's aim as a number; None: it has none, or the row that it is measured by has no ratio."""
    if not isinstance(row.aim, tuple):
        return row.aim
    factor, name = row.aim
    ratio = ratio_of(name)
    return ratio and factor * ratio
