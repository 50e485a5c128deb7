#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The study's findings (guest/surfboard/study/traces.py, monitor.py), of small traces and counts made here: each holds with what it is about, and fails without.

PERFBOARD_BUILD: the build folder, for the utilities.
"""

import os
import tempfile
import unittest

import study_check

study_check.study("surfboard", "study")
import monitor  # noqa: E402
import traces  # noqa: E402


def written(folder, nodes):
    """Traces of nodes, each a list of (time, sender, latency, words), in us."""
    paths = []
    for packets in nodes:
        paths.append(os.path.join(folder, f"{len(os.listdir(folder))}.trace"))
        with open(paths[-1], "w") as f:
            for index, (time, sender, latency, words) in enumerate(sorted(packets)):
                f.write(f"{index:06X} {sender << 26 | round(latency * 10):08X} {words % 1024 << 18:08X} {round(time * 10):08X} 0004800F\n")
    return traces.Traces(paths)


def failed(program, off, on):
    with tempfile.TemporaryDirectory() as folder:
        return [finding.what for finding in traces.findings(program, written(folder, off), written(folder, on)) if not finding.holds]


def ramp(start, packets, words=2):
    """A sender's FIFO fills: each packet comes 2 us later, and has waited 1 us more."""
    return [(start + 2 * i, 1, 5 + i, words) for i in range(packets)]


OCEAN_OFF = [ramp(0, 100) + ramp(1000, 100), ramp(0, 100)]
OCEAN_ON = [ramp(0, 20) + [(500 + 50 * i, 1, 30, 62) for i in range(5)] + [(2000 + 50 * i, 1, 6, 8) for i in range(5)], ramp(0, 20)]
ROWS, OPEN, RAMPS, FAR = ("combining alone makes packets of 17 words and more that are neither pages nor lists of them", "and these have been open longer than packets of 3 to 16 words",
                          "without combining latencies climb through more packets in a row", "without combining 99 % of latencies reach more than twice as far")


class Ocean(unittest.TestCase):
    def test_holds(self):
        self.assertEqual(failed("ocean", OCEAN_OFF, OCEAN_ON), [])

    def test_combining_is_not_what_does_it(self):
        self.assertEqual(failed("ocean", OCEAN_OFF, OCEAN_OFF), [ROWS, OPEN, RAMPS, FAR])
        self.assertEqual(failed("ocean", OCEAN_ON, OCEAN_ON), [ROWS, OPEN, RAMPS, FAR])

    def test_pages_are_no_rows(self):
        pages = [[(time, sender, latency, 1024 if words == 62 else words) for time, sender, latency, words in OCEAN_ON[0]], OCEAN_ON[1]]
        self.assertEqual(failed("ocean", OCEAN_OFF, pages), [ROWS, OPEN])

    def test_who_is_across_is_no_neighbour(self):
        across = [[(time, 3 if i % 5 == 0 else sender, latency, words) for i, (time, sender, latency, words) in enumerate(node)] for node in OCEAN_ON]
        self.assertIn("packets of the nodes whose parts of the grid lie beside it, %", failed("ocean", OCEAN_OFF, across))

    def test_ramps_of_two_senders_are_not_one(self):
        late = [[(time, 1 + i % 2, latency, words) for i, (time, _, latency, words) in enumerate(OCEAN_OFF[0])]]
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(written(folder, late).ramp(), 50)
            self.assertEqual(written(folder, OCEAN_OFF).ramp(), 100)


def radix(bursts=2, spread=20, late=()):
    """late: a sender's latency times so much."""
    factor = dict(late)
    return [[(burst * 2000 + 3 * i + sender, sender, (5 + spread * i) * factor.get(sender, 1), 1) for burst in range(bursts) for i in range(30) for sender in (1, 2, 3)]]


class Radix(unittest.TestCase):
    def test_holds(self):
        self.assertEqual(failed("radix", radix(), radix()), [])

    def test_cycles(self):
        for bursts in (1, 3):
            self.assertEqual(failed("radix", radix(), radix(bursts)), ["packets come in two cycles"])
            self.assertEqual(failed("radix", radix(bursts), radix()), ["packets come in two cycles"])

    def test_one_latency(self):
        self.assertEqual(failed("radix", radix(), radix(spread=0.1)), ["latencies of packets of one word differ by a factor of more than 10"])

    def test_the_senders_place(self):
        self.assertEqual(failed("radix", radix(), radix(late=[(3, 1.2)])), [])
        self.assertEqual(failed("radix", radix(), radix(late=[(3, 1.5)])), ["medians of latency from each sender are alike within a factor of 1.25"])


class Monitor(unittest.TestCase):
    @staticmethod
    def node(**more):
        return {"result": "right", "txw": "100", "txp": "9", "elapsed_ns": "1000000", "TECR": "5", "WCDR": "50"} | more

    def failed(self, hears=(), out=(), none=()):
        """How many findings, by their place, if a node of these ways says something else."""
        said = {monitor.HEARS: [self.node(), self.node(**dict(hears))], monitor.OUT: [self.node(TECR="0"), self.node(TECR="0", **dict(out))],
                monitor.NONE: [self.node(txp="8"), self.node(**dict(none))]}
        return [place for place, finding in enumerate(monitor.findings(said)) if not finding.holds]

    def test_holds(self):
        self.assertEqual(self.failed(), [])

    def test_it_costs_a_nanosecond(self):
        self.assertEqual(self.failed(hears={"elapsed_ns": "1000001"}), [1])

    def test_a_packet_more_or_another_word(self):
        self.assertEqual(self.failed(out={"txp": "8"}), [1])
        self.assertEqual(self.failed(out={"more": "1"}), [1])

    def test_without_a_board(self):
        self.assertEqual(self.failed(none={"txw": "101"}), [2])
        self.assertEqual(self.failed(none={"elapsed_ns": "1010200"}), [3])
        self.assertEqual(self.failed(none={"elapsed_ns": "989000"}), [3])

    def test_cables_that_are_in(self):
        said = {way: [self.node()] for way in monitor.BOARDS}
        self.assertFalse(next(monitor.findings(said)).holds)


class Lu(unittest.TestCase):
    def test_has_none(self):
        self.assertEqual(failed("lu", radix(), radix()), [])


if __name__ == "__main__":
    unittest.main()
