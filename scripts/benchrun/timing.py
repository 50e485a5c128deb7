# SPDX-License-Identifier: GPL-2.0-or-later
"""timing - the sort's wall time in a Linux guest, as a ratio to plain TCG.

A round boots plain TCG before and after each group of other rows (of one row; with --quick of three). What a boot counts
for is its fastest sort. A ratio is that sort's time over the mean of its two neighbours' with plain TCG, so that a machine
that speeds up or slows down does not show.
"""

import csv
import os
import re
import shlex

from . import children, rows
from .row import CLOCK


class Boot:
    def __init__(self, times, sums, counters):
        self.times, self.sums, self.counters = times, sums, counters
        self.best = min(times)


class Results:
    """What has been measured so far. Each sort's time goes to the CSV file as it comes."""

    def __init__(self, csv_path=None):
        self.times, self.ratios, self.counters = {}, {}, {}
        self.rounds = 0
        self._sum = None
        self._file = open(csv_path, "w", newline="") if csv_path else None
        self._write(["round", "configuration", "sort", "ns"])

    def _write(self, row):
        if self._file:
            csv.writer(self._file).writerow(row)
            self._file.flush()

    def add(self, n, row, boot):
        self._sum = self._sum or boot.sums
        if boot.sums != self._sum or int(min(boot.sums), 16) == 0:
            raise children.Failed(f"{row.name}: keys sorted to {boot.sums}, not to {self._sum}")
        for i, ns in enumerate(boot.times):
            self._write([n, row.name, i + 1, ns])
        self.times.setdefault(row.name, []).append(boot.best / 1e9)
        self.counters.setdefault(row.name, {}).update(boot.counters)

    def add_ratio(self, row, ratio):
        self.ratios.setdefault(row.name, []).append(ratio)


def initramfs(root, build):
    """A guest with the drivers and radix, and nothing that could run beside it."""
    guest = os.path.join(build, "guest")
    path = os.path.join(build, "bench.cpio")
    words = [os.path.join(root, "guest", "initramfs", "build"), path]
    words += [w for board in rows.OF_BOARDS for m in board.MODULES for w in ("--module", os.path.join(guest, f"{m}.ko"))]
    words += [w for board in rows.OF_BOARDS for p in board.PROGRAMS for w in ("--bin", os.path.join(guest, *p))]
    done = children.run(words)
    if done.returncode:
        raise children.Failed(f"{shlex.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return path


def boot(row, args, root, build, image):
    words = [os.path.join(root, "scripts", "guest-run"), "--quiet", "--initramfs", image,
             "--append", CLOCK + ("" if row.devices else " perfboard.noload")]
    words += row.guest_run(build) + ["--", row.command(args.keys, args.runs)]
    done = children.run(words)
    found = re.findall(r"^radix (\d+) (\d+) ([0-9a-f]{16})$", done.stdout, re.M)
    if done.returncode or len(found) != args.runs:
        raise children.Failed(f"{row.name}: {shlex.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    if wrong := row.check_linux(done.stdout):
        raise children.Failed(f"{row.name}: {wrong}:\n{done.stdout}")
    counters = dict((k, int(v)) for line in re.findall(r"^counters (.*)$", done.stdout, re.M)
                    for k, v in re.findall(r"(\w+) (\d+)", line))
    return Boot([int(ns) for _, ns, _ in found], {s for _, _, s in found}, counters)


def measure(chosen, args, results, boot_row):
    """boot_row(row) boots it once. What is there when this is cut is in results."""
    plain = rows.BY_NAME[rows.PLAIN]
    others = [row for row in chosen if row is not plain and row.timed]

    def one(n, row):
        b = boot_row(row)
        results.add(n, row, b)
        return b.best

    for n in range(1, args.repeats + 1):
        before = one(n, plain)
        # With --quick once is enough for QEMU's own plugins: one of them boots Linux in half a minute.
        todo = [row for row in others if n == 1 or not args.quick or not row.foreign]
        for first in range(0, len(todo), args.group):
            group = [(row, one(n, row)) for row in todo[first:first + args.group]]
            after = one(n, plain)
            for row, best in group:
                ratio = 2 * best / (before + after)
                results.add_ratio(row, ratio)
                children.say(f"round {n} of {args.repeats}: {row.name} {best / 1e9:.3f} s, ratio {ratio:.3f} "
                             f"(plain TCG {before / 1e9:.3f} and {after / 1e9:.3f} s)")
            before = after
        results.rounds = n
