# SPDX-License-Identifier: GPL-2.0-or-later
"""The boards, as hw/boards lists them."""

import dataclasses

from workbench import places


@dataclasses.dataclass
class Board:
    name: str     # of its folders
    bus: str      # eisa or pci
    device: str   # what -device takes
    module: str   # the guest's driver, or None
    plugged: str  # its device with properties, if it is plugged in by default, or None; ARCH:... there only
    needs: str = None  # names of other boards, with commas between, or None
    told_by: str = None  # the property by which several of them differ, or None
    vcpus: int = 1       # how many a guest with it gets
    profiles: str = None  # yes: it makes profiles

    def __post_init__(self):
        self.vcpus = int(self.vcpus or 1)


def read(path=None):
    with open(path or places.boards(), encoding="ascii") as f:
        lines = [line.split() for line in f if not line.startswith("#")]
    return [Board(*(None if word == "-" else word for word in words)) for words in lines]


BOARDS = read()
BRIDGES = ("i82375",)
PROFILER = next(b for b in BOARDS if b.profiles)
WITHOUT_REGISTERS = (*BRIDGES, "perfboard-lan")  # nobody looks at their accesses


def plugged(arch, buses):
    """What a machine with these buses gets by default: devices with their properties."""
    words = [b.plugged for b in BOARDS if b.plugged and b.bus in buses]
    return [w.removeprefix(arch + ":") for w in words if ":" not in w or w.startswith(arch + ":")]
