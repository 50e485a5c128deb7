# SPDX-License-Identifier: GPL-2.0-or-later
"""intrusion - what each way to use the monitor costs the program that is watched, in instructions.

  measured(out, names)        [{column of HEADER: value}], of two machines: without the card, and with it. names: of the programs
  ten_percent(rows)           {program: instructions of the program from one hook to the next, at which hooks cost 10 %}
  complaints(rows)            what does not hold that should

The truth is marks.so's, which needs no monitor: instructions between two marks of the program, the kernel's and other processes' too.
"""

import os
import re

import measure

HEADER = ["program", "way", "hooks", "problem", "privileged", "more", "percent", "instructions_per_hook"]
EVENTS = "-e instructions,cycles"
KERNEL = "/sys/module/power2/parameters/hooks"
NONE, IDLE, COUNTERS, MARKED, PRIVATE, LOG = "none", "idle", "counters", "marked", "private", "log"
KERNEL_HOOKS = "kernel"
# A program, and at each how many-th of its items (a transaction, a call of a Lisp function) there is a hook.
PROGRAMS = {"transactions": ("transactions bank", (64, 16, 4, 1)), "lisp": ("lisp queens", (64, 16, 4))}
TEXT = {NONE: "no monitor in the machine", IDLE: "a monitor, nobody counts", COUNTERS: "the machine's counters (p2set, p2read)",
        MARKED: "counters of the marked (p2run --scope marked)", PRIVATE: "private counters (p2run)", LOG: "a log of switches (p2trace record)",
        KERNEL_HOOKS: "the log, and the kernel's hooks at each system call"}
HOOK_SPREAD = 1.5  # how far the cost of a hook differs with how often there is one: reading the log comes in pieces


def user(every):
    return f"every {every}"


def text(way):
    if way in TEXT:
        return TEXT[way]
    every = way.split()[1]
    return "the log, and a hook at each item" if every == "1" else f"the log, and a hook at each {every}th item"


def commands(program):
    """{way: command}, in the machine that has the card."""
    words, often = PROGRAMS[program]
    run = f"p2study run {words}"
    record = f"p2trace record --hooks {EVENTS} -o log {run}"
    return {
        IDLE: run,
        COUNTERS: f"p2set {EVENTS} && {run} && p2read >/dev/null && p2set --off",
        MARKED: f"p2run --scope marked {EVENTS} -o /dev/null {run}",
        PRIVATE: f"p2run {EVENTS} -o /dev/null {run}",
        LOG: f"p2trace record {EVENTS} -o log {run}",
        **{user(every): f"{record} {every}" for every in often},
        KERNEL_HOOKS: f"echo sys_enter,sys_exit >{KERNEL} && {record} && echo >{KERNEL}",
    }


def name_of(program, way):
    return f"{program}-{way.replace(' ', '-')}"


def watched(names):
    """{what the guest gives away: command}."""
    return {name_of(name, way): command for name in names for way, command in commands(name).items()}


def measured(out, names):
    keys = [(name, way) for name in names for way in commands(name)]
    alone = {name: f"p2study run {PROGRAMS[name][0]}" for name in names}
    measure.boot(os.path.join(out, "alone"), alone, device=None, marks=True)
    said = measure.boot(os.path.join(out, "watched"), watched(names), marks=True)
    truth = dict(zip(names, measure.between_marks(os.path.join(out, "alone"))))
    found = dict(zip(keys, measure.between_marks(os.path.join(out, "watched"))))
    if len(truth) != len(names) or len(found) != len(keys):
        raise SystemExit(f"study: the marks are those of {len(truth)} and {len(found)} runs, not of {len(names)} and {len(keys)}")
    rows = []
    for name in names:
        rows += table(name, truth[name], {way: counts for (program, way), counts in found.items() if program == name},
                      {way: int(re.search(r"^hooks (\d+)$", said[name_of(name, way)], re.M)[1]) for program, way in keys if program == name})
    return rows


def table(name, truth, found, hooks):
    """hooks: {way: how many the program came to}."""
    whole = sum(truth)
    rows = [dict(zip(HEADER, [name, NONE, 0, *truth, 0, "0.00", ""]))]
    for way, counts in found.items():
        more = sum(counts) - whole
        each = f"{(sum(counts) - sum(found[LOG])) / hooks[way]:.0f}" if hooks[way] else ""
        rows.append(dict(zip(HEADER, [name, way, hooks[way], *counts, more, f"{round(100 * more / whole, 2) + 0:.2f}", each])))
    return rows


def of(rows, program):
    return {row["way"]: row for row in rows if row["program"] == program}


def ten_percent(rows):
    found = {}
    for program in dict.fromkeys(row["program"] for row in rows):
        costs = [int(row["instructions_per_hook"]) for row in of(rows, program).values() if row["hooks"]]
        if costs:
            found[program] = 10 * costs[-1]
    return found


def complaints(rows):
    for program in dict.fromkeys(row["program"] for row in rows):
        mine = of(rows, program)
        percent = {way: float(row["percent"]) for way, row in mine.items()}
        for way, limit in ((IDLE, 0.5), (COUNTERS, 2), (MARKED, 2), (PRIVATE, 2)):
            if abs(percent[way]) > limit:
                yield f"{program}: {TEXT[way]}: {percent[way]} %, more than {limit} %"
            if mine[way]["problem"] != mine[NONE]["problem"]:
                yield f"{program}: {TEXT[way]}: {mine[way]['problem']} instructions in problem state, {mine[NONE]['problem']} without a monitor"
        hooked = [way for way in mine if mine[way]["hooks"]]
        order = [percent[way] for way in (PRIVATE, LOG, *hooked)]
        if order != sorted(set(order)):
            yield f"{program}: private counters, the log, and hooks, the more of them the later, cost {order} %"
        costs = [int(mine[way]["instructions_per_hook"]) for way in hooked]
        if not 0 < max(costs) <= HOOK_SPREAD * min(costs):
            yield f"{program}: a hook costs {costs} instructions by how often there is one"
        if not percent[hooked[0]] < 10 < percent[hooked[-1]]:
            yield f"{program}: hooks cost {percent[hooked[0]]} to {percent[hooked[-1]]} %: 10 % is not among it"
