# SPDX-License-Identifier: GPL-2.0-or-later
"""profilers - how many instructions each function of the program is, as profilers say, against its text.

  measured(out, rounds)           {way: {function: instructions}}, of the program in rounds that are mixed: perfboard profile in a guest of its own, and
                                  cachegrind on this machine, if it is here
  table(found, runs, rounds)      HEADER
  complaints(rows)                what does not hold that should

perf's samples are shares: what it would say is that share of all the program's instructions.
"""

import os
import re
import shutil

from guestrun.demo import PERFBOARD, run
from studyrun import guest
from workbench import profile_data

import shares
from measure import BUILT, FUNCTIONS, ICOUNT, KNOWN

ORDER, NAME = "mixed", os.path.basename(KNOWN)
HEADER = ["function", "text", "profile", "cachegrind", "record"]
HOLDS = "perfboard profile has each function's instructions as the program's text says, and so has cachegrind; perf's samples have them for no function."


def profile(out, rounds):
    path = os.path.join(out, "profile.json")
    guest.boot([PERFBOARD, "run", "--quiet", "--timeout", "3000", "--initramfs", os.path.join(BUILT, "initramfs-truth.cpio"), "--icount", str(ICOUNT), "--mem", "512M",
                "--board", "power2", "--profile", path, "--", f"{NAME} {ORDER} {rounds}"], "study: profile")
    found = profile_data.load(path)
    sums = profile_data.grouped([row for row in found.rows if found.programs[row.program][2] == NAME and not row.kernel], lambda row: row.function)
    return {name: counts[0] for name, counts in sums.items()}


def cachegrind(out, rounds):
    path, found, name = os.path.join(out, "cachegrind"), {}, None
    run(["valgrind", "-q", "--tool=cachegrind", f"--cachegrind-out-file={path}", KNOWN, ORDER, str(rounds)], "cachegrind", name="study: cachegrind")
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("fn="):
                name = line[3:].strip()
            elif re.match(r"\d", line):
                found[name] = found.get(name, 0) + int(line.split()[1])
    return found


def measured(out, rounds):
    os.makedirs(out, exist_ok=True)
    return {"profile": profile(out, rounds), "cachegrind": cachegrind(out, rounds) if shutil.which("valgrind") else {}}


def table(found, runs, rounds):
    samples, n = shares.sampled("record", runs["record"][ORDER].text)
    for name, (turns, each) in FUNCTIONS.items():
        told = [found[way].get(name, "") for way in ("profile", "cachegrind")]
        yield dict(zip(HEADER, [name, rounds * (turns * each + 2), *told, round(sum(found["profile"].values()) * samples[name] / n) if n else ""]))


def complaints(rows):
    for row in rows:
        for way in ("profile", "cachegrind"):
            if row[way] not in (row["text"], "") or way == "profile" and row[way] == "":
                yield f"{row['function']}: {way} has {row[way]} instructions, its text {row['text']}"
        if row["record"] == row["text"]:
            yield f"{row['function']}: perf's samples say {row['record']} instructions, which is right"
