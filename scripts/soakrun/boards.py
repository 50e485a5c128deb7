# SPDX-License-Identifier: GPL-2.0-or-later
"""What soak does with each board: guest/BOARD/soak. A line is a word and what belongs to it:

  card VENDOR:DEVICE         a PCI card; behind the errors on purpose it may have lost its BARs, and is looked for anew
  job NAME COMMAND           what a guest does with it, over and over; afterwards it must still work
  storm DEVICE,PROPERTY...   as hostile guests have it (hostile.py); storm-ppc64: on POWER, if it is another there
  storm-either NAME=A|B      a property of that device, by chance
  recent                     what it keeps of the newest accesses is asked for
  own-kernel NAME|NAME       its tests linux-BOARD-NAME that are no tests of another kernel (debug_kernel.py)
"""

import os

from guestrun.boards import BOARDS, BRIDGES

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def lines(board, word):
    """What belongs to that word in the board's file."""
    path = os.path.join(ROOT, "guest", board.name, "soak")
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as f:
        return [rest.strip() for first, _, rest in (line.partition(" ") for line in f) if first.strip() == word]


def every(word):
    return [rest for board in BOARDS for rest in lines(board, word)]


def storm(buses, arch=""):
    """Devices of a machine with these buses."""
    found = []
    for board in BOARDS:
        if board.bus in buses:
            words = lines(board, "storm-" + arch) or lines(board, "storm")
            found += words or [board.device] * (board.device in BRIDGES)
    return found


def either(device):
    """[(name, values)] of its properties that are by chance."""
    words = [rest for board in BOARDS if board.device == device for rest in lines(board, "storm-either")]
    return [(name, values.split("|")) for name, _, values in (word.partition("=") for word in words)]
