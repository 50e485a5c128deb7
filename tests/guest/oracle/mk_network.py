# SPDX-License-Identifier: GPL-2.0-or-later
"""mk_network - what a MULTIKRON's network gave, for tests. A decoder of its own: mkdump has its own tests."""
import struct

DATA, PARITY, END, EVENT = 0x00ff, 0x0100, 0x0200, 0x8000  # hw/multikron/stream.h
RESETS = (1, 2)
NODE = 0x8080
TRACE, RESOURCE = 2, 3
LENGTH = {TRACE: 16, RESOURCE: 80}


def node_of(word):
    return (word >> 8 & 0x7f) << 7 | word & 0x7f


def decode(data):
    """(samples since each reset: lists of (type, CPU ID, source, data); complaints) of a stream."""
    runs, wrong, sample = [[]], [], bytearray()
    for at, (word,) in enumerate(struct.iter_unpack("<H", data[:len(data) & ~1])):
        if word & EVENT:
            if word & DATA not in RESETS or word & ~(EVENT | DATA):
                wrong.append(f"word {at}: event {word:#x}")
            runs.append([])
            sample = bytearray()  # what was under way is cut off
            continue
        if bin(word & (DATA | PARITY)).count("1") % 2 == 0 or word & ~(DATA | PARITY | END):
            wrong.append(f"word {at}: element {word:#x}")
        sample.append(word & DATA)
        kind = sample[0] >> 3 & 3
        if bool(word & END) != (len(sample) == LENGTH.get(kind)):
            wrong.append(f"word {at}: end {word >> 9 & 1} at element {len(sample)} of a sample of type {kind}")
        if word & END:
            runs[-1].append((kind, sample[0] >> 5, int.from_bytes(sample[6:10], "big"),
                             int.from_bytes(sample[10:16], "big")))
            sample = bytearray()
    if sample or len(data) % 2:
        wrong.append(f"the stream ends within a sample, after {len(sample)} elements")
    return runs, wrong
