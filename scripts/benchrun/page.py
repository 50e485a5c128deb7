# SPDX-License-Identifier: GPL-2.0-or-later
"""page - what plugins/README.md says of host instructions: written from a run, and a run held against it. A row's line begins with its text."""

import os
import re

from . import report, rows

PAGE = os.path.join("plugins", "README.md")
MOST = 1.01  # so many times what the page says a row may cost
RATIO = 3    # which cell of a line

NAMES = {row.text: row.name for row in rows.ROWS}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("| ") else []


def said(text):
    """{row: ratio} of the page; a row of which it says nothing is not there."""
    found = {}
    for line in text.splitlines():
        words = cells(line)
        if len(words) == 6 and words[0] in NAMES and words[RATIO]:
            found[NAMES[words[0]]] = float(words[RATIO])
    return found


def qemu_of(text):
    """The QEMU that the page's numbers are of."""
    found = re.search(r"QEMU emulator version .*?\)(?=\.)", text)
    return found and found[0]


def written(text, counts, qemu):
    """The page with what has been counted in it; what was measured in time stays."""
    lines = text.splitlines(keepends=True)
    for i, line in enumerate(lines):
        words = cells(line)
        name = NAMES.get(words[0]) if len(words) == 6 else None
        if name in counts.counts:
            words[RATIO:] = report.instruction_cells(rows.BY_NAME[name], counts)
            lines[i] = f"| {' | '.join(words)} |\n"
    text = "".join(lines)
    old = qemu_of(text)
    return text.replace(old, qemu) if old else text


def above(counts, ratios):
    """What a run shows that costs more than the page says, a line each."""
    lines = []
    for row in rows.ROWS:
        ratio, says = counts.ratio(row.name), ratios.get(row.name)
        if ratio and says and ratio > MOST * says:
            lines.append(f"{row.name}: {ratio:.3f} times plain TCG's instructions; {PAGE} says {says:.3f}")
    return lines
