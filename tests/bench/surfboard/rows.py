# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of scripts/bench with the SNI, to which it is all the same who listens."""

from benchrun.row import Row


def boards(more=""):
    return ["i82375", "shrimp-sni,slot=1,node=1,nodes=4" + more, "surfboard,slot=2"]


ROWS = [
    Row(10, "idle", "boards and drivers there, no page mapped", devices=boards(), aim=1.01, quick=True,
        front=("boards there, nothing observed", "–")),
    Row(30, "stores", "snooping stores", mode="stores", devices=boards(), aim=1.06, quick=True, held=True,
        front=("stores watched, a few pages of interest", "an empty callback on each store: {empty-stores}")),
    Row(50, "all", "snooping loads and stores, no cache model", mode="all", devices=boards(",l1d-size=0,l2-size=0"), aim=1.6, quick=True,
        held=True, front=("every load and store looked at, by physical address", "`mem` with address {mem-hwaddr}, `hotpages` {hotpages}")),
    Row(60, "cached", "snooping loads and stores, with the cache model", mode="all", devices=boards(), aim=(1.6, "empty"), quick=True,
        held=True, front=("with a cache model", "`cache` {qemu-cache}")),
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
