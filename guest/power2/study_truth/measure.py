# SPDX-License-Identifier: GPL-2.0-or-later
"""measure - boots a guest, has the program known run in each order under each way of measuring, and reads what came of it.

  boot(out, ways, rounds)     one guest; its files in out
  read(out, ways, rounds)     {way: {order: Run}}, the order BASE among them, and the marks before the first way begins

A Run: `calls`, for each call of the program its function and the instructions that the machine has executed in it, (user, kernel); `others`, the
same of what main does before and behind; `text`, what the way has said. The instructions are those that the plugin marks.so counts from outside, which costs the guest nothing.
"""

import collections
import os
import re
import shutil
import subprocess

from guestrun.demo import BUILD, GUEST_RUN
from studyrun import guest

ICOUNT = 4  # an instruction takes 2^ICOUNT ns
BUILT = os.path.join(BUILD, "guest", "power2", "study_truth")
KNOWN = os.path.join(BUILT, "known")
WAYS = ["alone", "monitor", "fit", "stat", "software", "record", "itimer", "functions", "filtered", "calls", "table"]
EACH_SET = ["monitor", "fit"]  # these run once for each set
BASE = "base"  # mixed, few rounds: what a program has besides its rounds is in it, too
ORDERS = ["mixed", "phased", "step"]
# Each a unit's groups that can be set at once; of the FXU there are three.
SETS = [["instructions", "branches", "fx_mul", "fx_div", "dcache_load_mis"], ["fx_load", "fx_store"],
        ["load_instructions", "store_instructions"]]
EVENTS = [name for names in SETS for name in names]
# As in known.c: the function, its turns in a call, instructions of a turn.
FUNCTIONS = {"compute": (12000, 2), "load": (5000, 3), "multiply": (3000, 3), "miss": (1024, 4), "store": (1000, 3), "divide": (200, 5),
             "touch": (8, 4), "rare": (20, 3)}
PAUSE, TICK = "pause", "tick"  # its other calls
PAUSE_EACH, STEP, TOUCH_PAGES = 4, 3, 2048
TICK_NS = 4000000  # of the kernel's clock
FEW = 3  # rounds of the base, and of the run before all ways

Run = collections.namedtuple("Run", "calls others text")


def sequence(order, rounds):
    """The program's calls, in its order."""
    if order == BASE:
        order, rounds = "mixed", FEW
    together = {"mixed": 1, "phased": rounds, "step": STEP}[order]
    for first in range(0, rounds, together):
        yield from [TICK] * (order == "step")
        for name in FUNCTIONS:
            yield from [name] * together
        yield from [PAUSE for n in range(first, first + together) if n % PAUSE_EACH == 0]


def symbols():
    """{function: (address, size, offset in the file)}"""
    def lines(*words):
        return subprocess.run([*words, KNOWN], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    text = next(line.split() for line in lines("objdump", "-h", "-w") if line.split()[1:2] == [".text"])
    shift = int(text[5], 16) - int(text[3], 16)
    found = {words[3]: [int(word, 16) for word in words[:2]] for words in map(str.split, lines("nm", "-S")) if len(words) == 4}
    return {name: (*found[name], found[name][0] + shift) for name in FUNCTIONS}


def words(out, ways, rounds):
    """The guest's command line: the same for all ways but the contents of the file `ways`."""
    perf = shutil.which("perf")
    if not perf:
        raise SystemExit("study: there is no perf on this machine (Debian: linux-perf); the guest gets this machine's")
    probes = ",".join(f"{name}:{offset:#x}" for name, (_, _, offset) in symbols().items())
    command = f"sh /tests/ways.sh {FEW:04} {rounds:04} {','.join(EVENTS)} {'/'.join(map(','.join, SETS))} {probes}"
    return [GUEST_RUN, "--quiet", "--timeout", "3000", "--initramfs", os.path.join(BUILT, "initramfs-truth.cpio"), "--icount", str(ICOUNT), "--smp", "1",
            "--mem", "512M", "--device", "power2-pm",
            *guest.watched(os.path.join(out, "marks")), "--out", out, "--add", ways,
            "--add", f"{perf}=/bin/perf", "--", f"sh -e -c '{command} >said; hostput said <said'"]


def boot(out, ways, rounds):
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "ways")
    with open(path, "w") as f:
        f.write(f"{' '.join(ways):99}\n")
    guest.boot(words(out, path, rounds), f"study: {' '.join(ways)}")


def spans(marks, names):
    """[(name, user, kernel)]: what is between one mark and the next."""
    return [(name, b[0] - a[0], b[1] - a[1]) for name, (a, b) in zip(names, zip(marks, marks[1:]), strict=True)]


def read(out, ways, rounds):
    marks = [mark[:2] for mark in guest.marks(os.path.join(out, "marks"))]
    with open(os.path.join(out, "said"), encoding="ascii") as f:
        said = re.split(r"^way (.*)\n", f.read(), flags=re.M)
    at = 3 + len(list(sequence(BASE, rounds)))
    before, runs = marks[:at], {}
    for key, text in zip(said[1::2], said[2::2]):
        way, order = key.split()
        names = ["setup", *sequence(order, rounds), "end"]
        for n in range(len(SETS) if way in EACH_SET else 1):
            setup, *calls, end = spans(marks[at:at + len(names) + 1], names)
            at += len(names) + 1
            if n == 0:
                runs.setdefault(way, {})[order] = Run(calls, [setup, end], text)
    if at != len(marks) or list(runs) != ways or not all(list(orders) == [BASE, *ORDERS] for orders in runs.values()):
        raise SystemExit(f"study: {' '.join(ways)}: {len(marks)} marks, {at} expected; {len(said) // 2} runs")
    return runs, before
