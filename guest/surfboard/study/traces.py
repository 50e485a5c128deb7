# SPDX-License-Identifier: GPL-2.0-or-later
"""traces - what the SurfBoards' traces of a run say, by the utilities of B.2.2, and what must hold of them.

  traces = Traces([path of node 0's, ...])
  traces.counts("latHist")               {latency: packets}, all nodes; sizeHist: {words: packets}
  traces.over_time()                     (time of receipt, latency), us, at node 0, a dot for each
  traces.packets                         all nodes' Packets, in the order of time
  findings("ocean", without, with_)      of two Traces
"""

import collections
import functools
import statistics
from typing import NamedTuple

from guestrun.demo import tool

from measure import Finding

PAGE = 1024        # words
SHORT = (3, 16)    # words
ROW = (17, 1023)   # of a grid, or a part of one
BURST_GAP = 500    # us without a packet are between bursts
NEIGHBOURS = 1, 2  # of node 0 on a grid that four nodes divide
LIKE = 1.25        # medians that are one another's within this factor are alike


class Packet(NamedTuple):
    time: float     # us, as latency
    node: float
    sender: float
    latency: float
    words: float
    page: float


class Traces:
    def __init__(self, paths):
        self.paths = paths

    def counts(self, utility):
        found = collections.Counter()
        for path in self.paths:
            for value, count in numbers(tool(utility, path)):
                found[value] += int(count)
        return dict(sorted(found.items()))

    def over_time(self):
        with open(self.paths[0], "rb") as f:
            points = tool("rxtVlat", data=f.read())  # from standard input only, as in the paper
        return numbers(tool("reduceXY", "--size", "9,4", "--resolution", "100", data=points))

    @functools.cached_property
    def packets(self):
        return [Packet(*row) for row in numbers(tool("traceMerge", *self.paths))]

    def at(self, node):
        return [p for p in self.packets if p.node == node]

    def latencies(self, least, most):
        """Of packets of so many words."""
        return sorted(p.latency for p in self.packets if least <= p.words <= most)

    def ramp(self):
        """How many packets in a row, at most, from one node to another, each have no less latency than the one before."""
        last, length, longest = {}, collections.Counter(), 0
        for p in self.packets:
            way = p.node, p.sender
            length[way] = length[way] + 1 if p.latency >= last.get(way, 0) else 1
            last[way], longest = p.latency, max(longest, length[way])
        return longest

    def bursts(self):
        """How often node 0 receives a tenth of its packets or more with no gap."""
        times = [p.time for p in self.at(0)]
        sizes = [0]
        for before, time in zip(times[:1] + times, times):
            if time - before > BURST_GAP:
                sizes.append(0)
            sizes[-1] += 1
        return sum(10 * size >= len(times) for size in sizes)

    def by_sender(self):
        """{sender: median latency, us} at node 0. Up to four nodes are one row of the mesh: a node's number is its coordinate."""
        found = collections.defaultdict(list)
        for p in self.at(0):
            found[int(p.sender)].append(p.latency)
        return {sender: statistics.median(found[sender]) for sender in sorted(found)}


def numbers(csv):
    return [tuple(float(number) for number in line.split(",")) for line in csv.decode().split()]


def share(values, part):
    """The one behind so much of all; they are in order."""
    return values[int(part * len(values))] if values else float("nan")


def of_ocean(off, on):
    """4.3.3: what combining makes; 4.3.4: senders' FIFOs without it."""
    lists = {p.words for p in off.packets}  # of pages: deliberate updates of the same lengths with combining
    rows, short = sorted(p.latency for p in on.packets if ROW[0] <= p.words <= ROW[1] and p.words not in lists), on.latencies(*SHORT)
    yield "combining alone makes packets of 17 words and more that are neither pages nor lists of them", len(rows), rows
    longer = share(rows, 0.5) / share(short, 0.5)
    yield "and these have been open longer than packets of 3 to 16 words", longer, longer > 1
    near = 100 * sum(p.sender in NEIGHBOURS for p in on.packets) / len(on.packets)
    yield "packets of the nodes whose parts of the grid lie beside it, %", near, near > 90
    longer = off.ramp() / on.ramp()
    yield "without combining latencies climb through more packets in a row", longer, longer > 1
    longer = share(off.latencies(1, PAGE), 0.99) / share(on.latencies(1, PAGE), 0.99)
    yield "without combining 99 % of latencies reach more than twice as far", longer, longer > 2


def of_radix(off, on):
    """4.3.5: two cycles of permutation and sort; 4.4.1, Figures 161 and 162."""
    cycles = off.bursts(), on.bursts()
    yield "packets come in two cycles", max(cycles), cycles == (2, 2)
    single = on.latencies(1, 1)
    spread = share(single, 0.99) / share(single, 0.01)
    yield "latencies of packets of one word differ by a factor of more than 10", spread, spread > 10
    medians = on.by_sender().values()
    if len(medians) > 1:
        spread = max(medians) / min(medians)
        yield f"medians of latency from each sender are alike within a factor of {LIKE}", spread, spread <= LIKE


OF = {"ocean": of_ocean, "radix": of_radix}


def findings(program, off, on):
    for what, number, holds in OF.get(program, lambda off, on: ())(off, on):
        yield Finding(program, what, number, bool(holds))
