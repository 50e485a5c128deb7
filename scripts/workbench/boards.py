# SPDX-License-Identifier: GPL-2.0-or-later
"""List the boards; with NAME, say what one is, what it needs and what its properties are.

  perfboard boards
  perfboard boards surfboard

NAME is what perfboard run --board takes. What a board is, and its properties, are what QEMU says of the device.

Environment: QEMU, PERFBOARD_SO.
"""

import os
import re
import subprocess

from guestrun import options as given
from guestrun.arch import ARCHS
from guestrun.boards import BOARDS

from . import Refused, places

NONE = "", []


def options(p):
    p.add_argument("board", nargs="?", metavar="BOARD", help=f"one of them: {', '.join(b.name for b in BOARDS)}")


def said():
    """{device: (what it is, lines of its properties)}"""
    qemu, plugin = os.environ.get("QEMU") or ARCHS["x86_64"].qemu, os.environ.get("PERFBOARD_SO") or places.plugin()
    given.program("QEMU", qemu, ARCHS["x86_64"])
    given.plugin("PERFBOARD_SO", plugin)
    done = subprocess.run([qemu, "-plugin", plugin + ",help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Refused((done.stderr.strip().splitlines() or [f"{qemu} ended with status {done.returncode}"])[-1])
    parts = re.split(r"^-device (\S+): (.*)\n", done.stdout, flags=re.M)[1:]
    return {device: (what, re.findall(r"^  .*", lines, re.M)) for device, what, lines in zip(*[iter(parts)] * 3)}


def main(args):
    b = next((b for b in BOARDS if b.name == args.board), None)
    if args.board is not None and not b:
        raise Refused(f"{args.board}: legal are {', '.join(b.name for b in BOARDS)}")
    devices = said()
    if not b:
        print("BOARD      DRIVER     PLUGGED IN  WHAT")
        for b in BOARDS:
            plugged = "no" if not b.plugged else f"on {b.plugged.partition(':')[0]}" if ":" in b.plugged else "yes"
            print(f"{b.name:<10} {b.module or '-':<10} {plugged:<11} {devices.get(b.device, NONE)[0]}")
        return 0
    what, properties = devices.get(b.device, NONE)
    print(f"{b.name}: {what}")
    print(f"  perfboard run --board {b.name}[,PROPERTY=VALUE...]")
    print(f"  in QEMU's words: -device {b.device}, on bus {b.bus}" + (f", with {' and '.join(b.needs.split(','))}" if b.needs else ""))
    print(f"  the guest's driver: {b.module}.ko" if b.module else "  it needs no driver")
    print(f"  its manual: {places.page('hw', b.name, 'README.md')}")
    print("properties:")
    print("\n".join(properties))
    return 0
