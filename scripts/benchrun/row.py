# SPDX-License-Identifier: GPL-2.0-or-later
"""row - a configuration that is compared, and how it is started; a network of which bench --scale scales the nodes without QEMU."""

import dataclasses
import os

PLAIN = "tcg"
# A clock that counts QEMU's virtual time: the Linux guest calibrates its TSC anew in each boot.
CLOCK = "clocksource=hpet"
COMPUTING = "arithmetic"  # plain TCG too, with the loop that computes in registers


class Row:
    """A row of the table, and its place there. aim: a ratio."""

    def __init__(self, place, name, text, *, mode="none", aim=None, devices=(), plugin=None, word=None, linux="{}", vcpus=1, timed=True,
                 computing=False, quick=False, held=False, check=lambda said: None, check_linux=lambda text: None):
        self.place, self.name, self.text, self.mode, self.aim, self.quick, self.vcpus = place, name, text, mode, aim, quick, vcpus
        self.devices = list(devices)  # boards, with their properties
        self.plugin = plugin    # a plugin of tests/bench, with options
        self.foreign = bool(plugin) and plugin.startswith("qemu-")  # QEMU's own, which is slow
        self.word = word or mode      # what the program without an operating system is told
        self.linux = linux      # what the Linux guest runs around the sort
        self.computing = computing  # the arithmetic loop instead of the sort
        self.plain = COMPUTING if computing else PLAIN  # what its ratio is to
        self.timed = timed and not computing  # in Linux, too
        self.held = held        # a test counts it, and holds it against the page
        # What is wrong with what the program without an operating system has said, {first word: rest}; with what Linux has. None: nothing.
        self.check, self.check_linux = check, check_linux

    def command(self, keys, runs):
        """What the Linux guest runs."""
        return self.linux.format(f"radix {keys} {runs} {self.mode}")

    def plugin_words(self, build):
        """The word behind -plugin; None: no plugin."""
        if self.devices:
            return os.path.join(build, "perfboard.so")
        if not self.plugin:
            return None
        name, _, options = self.plugin.partition(",")
        return ",".join(filter(None, [os.path.join(build, "tests", "bench", f"{name}.so"), options]))

    def smp(self, option):
        return [option, str(self.vcpus)] if self.vcpus > 1 else []

    def guest_run(self, build):
        """Options of scripts/guest-run."""
        plugin = self.plugin_words(build)
        if self.devices:
            return [w for d in self.devices for w in ("--device", d)] + ["--plugin", plugin] + self.smp("--smp")
        return ["--no-boards"] + (["--qemu-arg=-plugin", f"--qemu-arg={plugin}"] if plugin else [])

    def qemu(self, build):
        """Options of QEMU, for the program without an operating system."""
        plugin = self.plugin_words(build)
        words = ["-plugin", plugin] if plugin else []
        words += [w for d in self.devices for w in ("-device", d)] + self.smp("-smp")
        return words + ["-append", " ".join((["arithmetic"] if self.computing else []) + [self.word])]


@dataclasses.dataclass
class Network:
    """The programs bench-NAME, and over MPI bench-NAME-mpi."""

    name: str
    most: int    # nodes
    queue: bool  # all of it can be run in one queue of events, too
