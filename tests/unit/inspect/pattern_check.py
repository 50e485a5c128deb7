#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the cases of pattern_test.cc, and prints what the patterns of the commands (scripts/workbench/pattern.py) make of them: of a line of JSON,
and of the text made of it, which may leave it open."""

import sys

from workbench import Refused, logline, pattern


def fits(p, line):
    try:
        return {int(p.fits(logline.parse(line)))}
    except Refused:
        return set()


for row in sys.stdin:
    text, _, line = row.partition("\t")
    try:
        p = pattern.parse("--filter", text)
    except Refused:
        print("-", end="")
        continue
    print(*(fits(p, line) | fits(p, logline.text_of(logline.parse(line)))), sep="/", end="")
