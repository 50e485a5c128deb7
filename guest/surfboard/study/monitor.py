# SPDX-License-Identifier: GPL-2.0-or-later
"""monitor - a program beside a SurfBoard that traces it, one whose cables are out, and none: does watching change anything?

  said = run(perfboard, svmbench, folder, args, watched)   {way: each node's keys}
  rows(said)                                               a line of the table for each way and node
  findings(said)

With its cables out the guest, the driver and the commands are the same: all that could make a difference is that the board hears, counts and stores. So
everything must be the same, virtual time to the nanosecond. Without a board the machine starts in another way, and nobody gives the board's commands. So
the parallel phase begins elsewhere between two timer interrupts, which end combining: results and words must be the same, packets and time nearly.
"""

import os

import measure

PROGRAM, NODES = "ocean --size 32 --steps 1", 2
HEARS, OUT, NONE = "traces", "cables out", "no board"
BOARDS = {HEARS: ("--device", measure.BOARD), OUT: ("--device", measure.BOARD + ",inject-drop=4294967295"), NONE: ("--without", "surf")}
COUNTS = ("TECR", "WCDR")  # the board's own
SAME = ("result", "largest", "missing", "txw", "read_faults", "write_faults", "fetches", "invalidations")
NEAR = 1  # percent
HEADER = ["board", "node", "elapsed_ns", "packets_sent", "words_sent", "packets_counted_by_the_board", "result"]


def run(perfboard, svmbench, folder, args, watched):
    """watched: the options by which svmbench starts and stops the board."""
    said = {}
    for way, board in BOARDS.items():
        program = PROGRAM if way == NONE else f"{PROGRAM} {watched}"
        status, text, said[way] = measure.on_nodes(perfboard, svmbench, NODES, program, measure.SHORT,
                                                   os.path.join(folder, "monitor-" + way.replace(" ", "-")), args, board=board)
        if status:
            raise SystemExit(f"study: {PROGRAM}, {way}: status {status}\n{text}{said[way]}")
    return said


def rows(said):
    for way, nodes in said.items():
        for number, node in enumerate(nodes):
            yield [way, number, node["elapsed_ns"], node["txp"], node["txw"], node.get("TECR", ""), node["result"]]


def different(one, other, names=None):
    """Which keys differ, on all nodes together."""
    pairs = list(zip(one, other))
    return [name for a, b in pairs for name in names or {*a, *b} - {*COUNTS} if a.get(name) != b.get(name)]


def findings(said):
    hears, out, none = (said[way] for way in (HEARS, OUT, NONE))
    heard, not_heard = measure.total(hears, "TECR"), measure.total(out, "TECR")
    yield measure.Finding("monitor", "packets that the board has counted, and none with its cables out", heard, heard > 0 == not_heard)
    other = different(hears, out)
    yield measure.Finding("monitor", "its cables in or out: nothing differs, virtual time to the nanosecond", len(other), not other)
    other = different(hears, none, SAME)
    yield measure.Finding("monitor", "a board or none: the same results and words", len(other), not other)
    more = max(abs(int(a["elapsed_ns"]) / int(b["elapsed_ns"]) - 1) * 100 for a, b in zip(hears, none))
    yield measure.Finding("monitor", f"a board or none: virtual time within {NEAR} %", more, more < NEAR)
