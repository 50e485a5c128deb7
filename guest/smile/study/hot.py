# SPDX-License-Identifier: GPL-2.0-or-later
"""hot - how many regions each program comes back to, out of its own structure: where its curve must bend.

  hot(name, size, words)    [Set(what, least, most)]: regions of that Max_Range; which are at home, and pass no B-Link, depends on the node
  findings(name, size, curve)    (what must be seen in the curve, is it?)

A region that is passed from its begin holds its first word and Max_Range behind it. Homes are round robin on four nodes: of four pages
that lie together one is at home.
"""

import collections

from curves import per_thousand

PAGE, DOUBLE, NODES = 4096, 8, 4
BLOCK = 16  # of LU: rows
HALF = 0.5

Set = collections.namedtuple("Set", "what least most")


def regions(size, words):
    """Of so many bytes that lie together."""
    return -(-size // (4 * (words + 1)))


def lu(size, words):
    """The innermost loops pass, for each column of the left block, over the own block and over a row of the upper one."""
    block = regions(BLOCK * BLOCK * DOUBLE, words)
    column = min(BLOCK, block)
    row = regions(BLOCK * DOUBLE, words)
    yield Set("the own block, a column of the left one, a row of the upper one; at least one of the first two is remote",
              min(block, column) + row, block + column + row)


def stencil(size, words):
    """A rectangle of the grid lies together, in five pages, of which the first and the fifth are at home."""
    side = size // 2
    row = regions(side * DOUBLE, words)
    yield Set("three rows of the rectangle, two of which come again in the next line", 2 * row, 3 * row + 2)
    own = 3 * regions(PAGE, words)
    rim = min(side, regions(side * side * DOUBLE, words))
    yield Set("the remote pages of the rectangle, with the neighbours' rims", own, own + row + rim)


def radix(size, words):
    """Keys go to places all over the other array. A region there begins anywhere, and reaches to both sides."""
    pages = regions(4 * size, 1023) * (NODES - 1) // NODES
    yield Set("the remote pages of the array where keys are stored", pages * max(1, PAGE // 4 // (2 * words + 1)),
              pages * regions(PAGE, words) + 1)


def ocean(size, words):
    """Of each field's rows a rectangle has half. Relaxing reads three rows of the solution and one of the right side."""
    row = regions(size // 2 * DOUBLE, words)
    yield Set("two rows of the solution, which come again, and one of the right side", 2 * row, 4 * (row + 1))
    field = min(size // 2 * row, regions(size // 2 * (size + 1) * DOUBLE, words))  # each row's half has regions of its own
    yield Set("solution and right side of the largest rectangle", field, 2 * (field + row + 1))


def sparse(size, words):
    """A row's elements are passed one after another, and the vector is read all over."""
    streams = 3  # the row's elements, their columns, and the row's begin or its element of the result
    yield Set("what is passed: columns, values, the row's own; each comes again behind an element of the vector", streams + 1, 2 * (streams + 1))
    pages = -(-DOUBLE * size // PAGE)
    remote = pages * (NODES - 1) // NODES
    yield Set("the vector's remote pages, and what is passed: columns, values, rows", remote * max(1, PAGE // 4 // (2 * words + 1)),
              (remote + 1) * regions(PAGE, words) + streams)


def hot(name, size, words):
    return list({"lu": lu, "stencil": stencil, "radix": radix, "ocean": ocean, "sparse": sparse}[name](size, words))


def findings(name, size, curve):
    for words, row in sorted(curve.items()):
        entries, sets = sorted(row), hot(name, size, words)
        for found in sets:
            small = [n for n in entries if n < found.least]
            large = [n for n in entries if n >= found.most]
            if small and large:
                before, behind = (per_thousand(row, n) for n in (small[-1], large[0]))
                yield (f"{name}, Max_Range {words}: {found.least} to {found.most} regions ({found.what}): {large[0]} entries save more than half of "
                       f"the swaps that {small[-1]} have", behind < HALF * before)
        if all(found.least > entries[-1] for found in sets):
            yield (f"{name}, Max_Range {words}: {min(found.least for found in sets)} regions and more: no table saves half of the swaps",
                   per_thousand(row, entries[-1]) > HALF * per_thousand(row, entries[0]))
