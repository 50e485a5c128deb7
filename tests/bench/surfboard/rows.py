# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of scripts/bench with the SNI, to which it is all the same who listens, and the utilities' speed."""

import os
import resource
import statistics
import tempfile
import time

from benchrun import children
from benchrun.row import Row


def boards(more=""):
    return ["i82375", "shrimp-sni,slot=1,node=1,nodes=4" + more, "surfboard,slot=2"]


ROWS = [
    Row(10, "idle", "boards and drivers there, no page mapped", devices=boards(), aim=1.01, quick=True),
    Row(30, "stores", "snooping stores", mode="stores", devices=boards(), aim=1.0, quick=True, held=True),
    Row(50, "all", "snooping loads and stores, no cache model", mode="all", devices=boards(",l1d-size=0,l2-size=0"), aim=1.25, quick=True,
        held=True),
    Row(60, "cached", "snooping loads and stores, with the cache model", mode="all", devices=boards(), aim=1.7, quick=True,
        held=True),
]
MODULES = ("surf", "sni")
PROGRAMS = (("shrimp", "radix"),)
MODELS = ("bench-models", {
    "surf_packet_counted/words": "surf_packet, word count",
    "surf_packet_counted/trace": "surf_packet, word count and trace",
    "sni_bus_write_word/combining": "sni_bus_write, combining",
    "sni_bus_write_word/not_combining": "sni_bus_write, a packet each",
    "sni_bus_read_idle": "sni_bus_read",
    "cache_load_span/level_1/4096": "cache_load, hit in level 1",
    "cache_load_span/level_2/131072": "cache_load, hit in level 2",
    "cache_load_span/bus/4194304": "cache_load, miss",
})

PIPE = ("traceFilter --sender 1-3 {}", "rxtVlat", "reduceXY --size 9,4 --resolution 100")  # three in four entries stay
BLOCK, BLOCKS = 1 << 16, 64  # 4 M entries of 16 bytes: 64 MB
ROUNDS = 3


def full_trace(blocks):
    """A file's text: a packet for each tick of the clock."""
    entry = "$${:04X} {:08X} {:08X} @@@@{:04X} 00048001\n"
    block = "".join(entry.format(i, i % 4 << 26 | i * 2654435761 >> 16 & 0x3FFF, (1 + i % 16) << 18, i) for i in range(BLOCK)).encode()
    for b in range(blocks):
        yield block.replace(b"$$", b"%02X" % b).replace(b"@@@@", b"%04X" % b)


def host(build, blocks=BLOCKS):
    def cpu():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        trace = os.path.join(folder, "full.trace")
        with open(trace, "wb") as f:
            f.writelines(full_trace(blocks))
        pipe = " | ".join(os.path.join(build, "guest", "tools", stage).format(trace) for stage in PIPE)
        times = []
        for _ in range(ROUNDS):
            children.say("utilities")
            before = time.monotonic(), cpu()
            done = children.run(["bash", "-o", "pipefail", "-c", pipe])
            times.append((time.monotonic() - before[0], cpu() - before[1]))
            if done.returncode or not done.stdout:
                raise children.Failed(f"{pipe}: status {done.returncode}\n{done.stderr}")
    wall, used = (statistics.median(column) for column in zip(*times))
    entries = blocks * BLOCK
    print(f"\nThe utilities, a trace of {entries * 16 >> 20} MB ({entries} entries) through {' | '.join(stage.split()[0] for stage in PIPE)}\n")
    print(f"{'s':>8}{'CPU s':>8}{'M entries/s':>13}\n{wall:8.1f}{used:8.1f}{entries / wall / 1e6:13.2f}")
