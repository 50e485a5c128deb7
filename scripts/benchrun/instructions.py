# SPDX-License-Identifier: GPL-2.0-or-later
"""instructions - how many instructions the host executes for the sort: a busy neighbour does not change that.

The emulator runs under Valgrind's callgrind, with a program without an operating system (tests/bench/radix.c) that
sorts between two bytes on the debug console. Callgrind writes down its counts whenever QEMU puts a byte there. What
counts is the translated code and all that it calls: QEMU's helpers and the plugin's callbacks. These repeat exactly.
What QEMU does beside that (translation, timers, the main loop) does not count, since it depends on the host's clock;
nor what libraries do for it without a helper in between (memory, locks).
"""

import concurrent.futures
import glob
import os
import re
import shlex
import tempfile

from . import children, rows

CONSOLE = "qemu_chr_fe_write_all"  # QEMU exports it; a byte for the debug console goes through it
TRANSLATED = "???"  # where callgrind sees code that no file holds
MARK = "helper_outb"  # what the program's marks call: devices, the big lock
LOADS_AND_STORES = "mk-memory"  # the row that tells how many accesses the sort makes


class Count:
    """Host instructions of one run of the sort: in translated code, and in what it calls, by file."""

    def __init__(self, code, called, said):
        self.code, self.called, self.said = code, called, said
        self.total = code + sum(called.values())


def read(path):
    """(instructions of translated code, {file: instructions of what that calls}) of a file of callgrind's."""
    names, functions, code, called = {}, {}, 0, {}
    here = target = function = None
    of_call = False
    with open(path, errors="replace") as lines:
        for line in lines:
            if m := re.match(r"(c?ob)=\((\d+)\)(?: (.*))?$", line):
                name = names.setdefault(m[2], m[3])
                if m[1] == "ob":
                    here = name
                else:
                    target = name
            elif line.startswith("fn="):
                target = here
                if m := re.match(r"fn=\((\d+)\) (.*)$", line):
                    functions[m[1]] = m[2]
            elif m := re.match(r"cfn=\((\d+)\)(?: (.*))?$", line):
                function = functions.setdefault(m[1], m[2])
            elif line.startswith("calls="):
                of_call = True
            elif line[:1].isdigit() or line[:1] in "+-*":
                n = int(line.split()[-1])
                if here == TRANSLATED and not of_call:
                    code += n
                elif here == TRANSLATED and target != TRANSLATED and function != MARK:
                    file = os.path.basename(target)
                    if not file.startswith("lib"):
                        called[file] = called.get(file, 0) + n
                if of_call:
                    of_call, target = False, here
    return code, called


def command(row, qemu, build, out):
    return ["setarch", "-R",  # no address space randomisation
            "valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}",
            f"--dump-before={CONSOLE}"] + children.bare_machine(qemu, build, "radix.elf", shift=5) + row.qemu(build)


def check(row, done):
    """What the program has said, as {first word: rest}."""
    said = dict(re.findall(r"^(\w+(?: \d+(?= \d))?) (.+)$", done.stdout, re.M))
    wrong = None
    if done.returncode != children.PASSED:
        wrong = f"status {done.returncode}"
    elif "sum" not in said or int(said["sum"], 16) == 0:
        wrong = "the keys are not sorted"
    elif row.mode != "none" and said.get("snooped") != "1":
        wrong = "a store to the mapped page was not snooped"
    wrong = wrong or row.check(said)
    if wrong:
        raise children.Failed(f"{row.name}: {shlex.join(done.args)}: {wrong}\n{done.stdout}{done.stderr}")
    return said


def count(row, qemu, build):
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        out = os.path.join(folder, "out")
        done = children.run(command(row, qemu, build, out))
        said = check(row, done)
        # The second dump: from the byte before the sort to the one behind it; a file for each thread.
        found = [read(path) for path in glob.glob(f"{out}.2-*")]
    code, called = max(found, default=(0, {}), key=lambda c: c[0])
    if not code:
        raise children.Failed(f"{row.name}: callgrind has written no counts of translated code\n{done.stderr}")
    return Count(code, called, said)


class Results:
    def __init__(self):
        self.counts = {}  # by the row's name

    def accesses(self):
        """The sort's loads and stores; None: not counted yet."""
        c = self.counts.get(LOADS_AND_STORES)
        return c and int(c.said["counter 0"]) + int(c.said["counter 1"])

    def ratio(self, name):
        plain, c = self.counts.get(rows.BY_NAME[name].plain), self.counts.get(name)
        return c.total / plain.total if plain and c else None

    def extra(self, name, part=lambda c: c.total):
        """Instructions for each access beyond plain TCG's."""
        plain, c, n = self.counts.get(rows.PLAIN), self.counts.get(name), self.accesses()
        if rows.BY_NAME[name].computing:
            return None
        return (part(c) - part(plain)) / n if plain and c and n else None


def measure(chosen, results, count_row):
    """count_row(row) counts one. What is there when this is cut is in results."""
    wanted = rows.with_bases(chosen + [rows.BY_NAME[rows.PLAIN], rows.BY_NAME[LOADS_AND_STORES]])
    sums = {}
    with children.pool(os.cpu_count()) as pool:
        futures = {pool.submit(count_row, row): row for row in wanted}
        for future in concurrent.futures.as_completed(futures):
            row, c = futures[future], future.result()
            if sums.setdefault(row.plain, c.said["sum"]) != c.said["sum"]:
                raise children.Failed(f"{row.name}: the result is {c.said['sum']}, not as in other configurations")
            results.counts[row.name] = c
            children.say(f"{row.name}: {c.total} instructions")
