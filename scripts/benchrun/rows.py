# SPDX-License-Identifier: GPL-2.0-or-later
"""rows - the configurations that are compared: those without a board, and what each board's tests/bench/NAME/rows.py says.

Such a file has ROWS, and what else there is of its board, by the names in `Board`."""

import dataclasses
import importlib.util
import os
from typing import Callable

from guestrun.boards import BOARDS

from .row import COMPUTING, PLAIN, Network, Row

FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tests", "bench")


@dataclasses.dataclass
class Board:
    ROWS: list
    MODULES: tuple = ()   # drivers of the Linux guest
    PROGRAMS: tuple = ()  # its programs, as folder and file
    MODELS: tuple = ()    # (a program of tests/bench that measures models' speed, {what it calls a benchmark: what a table does})
    SCALE: Network | None = None  # its network without QEMU
    more: Callable = lambda root, build, image: None  # what else is measured in a Linux guest
    host: Callable | None = None  # (build, less than all): measures its programs on the host, without a guest


def read(name):
    """What a board's folder says; None: nothing."""
    path = os.path.join(FOLDER, name, "rows.py")
    if not os.path.exists(path):
        return None
    spec = importlib.util.spec_from_file_location(f"rows_of_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Board(**{f.name: getattr(module, f.name) for f in dataclasses.fields(Board) if hasattr(module, f.name)})


OF_BOARDS = [board for board in (read(b.name) for b in BOARDS) if board]
ROWS = [
    Row(0, PLAIN, "plain TCG, no plugin", quick=True),
    Row(20, "empty-stores", "the limit: an empty callback on each store", plugin="bench-empty,stores=on", quick=True),
    Row(40, "empty", "the limit: an empty callback on each access", plugin="bench-empty", quick=True),
    Row(400, COMPUTING, "plain TCG, an arithmetic loop", computing=True, quick=True),
    Row(500, "mem-inline", "QEMU's `mem`, inline", plugin="qemu-mem,inline=on"),
    Row(510, "mem-callback", "QEMU's `mem`, callback", plugin="qemu-mem,callback=on"),
    Row(520, "mem-hwaddr", "QEMU's `mem`, callback with physical address", plugin="qemu-mem,callback=on,haddr=on", quick=True),
    Row(530, "hotpages", "QEMU's `hotpages`", plugin="qemu-hotpages", quick=True),
    Row(540, "qemu-cache", "QEMU's `cache`", plugin="qemu-cache", quick=True),
] + [row for board in OF_BOARDS for row in board.ROWS]
ROWS.sort(key=lambda row: row.place)
BY_NAME = {row.name: row for row in ROWS}
HELD = tuple(row.name for row in ROWS if row.held)


def with_bases(chosen):
    """Those rows, and what their ratios are to."""
    needed = {row.plain for row in chosen}
    return [row for row in ROWS if row in chosen or row.name in needed]
