# SPDX-License-Identifier: GPL-2.0-or-later
"""measure - boots the guest, has relax measured in every way, and reads what came of it.

  boot(out, runs, steps, icount)     one guest; files in out. runs: [(way, columns, what the way wants besides...)]
  read(out, runs, steps, icount)     [Run]
  guest(out, script, ...)            any guest's command line

Times are in nanoseconds; `program` are the instructions that are not the kernel's. Of a run there are two stories: `seen`, what the way
itself has recorded, and `true`, the times at which the marks were executed, which the plugin marks.so knows from outside. Both are a list of (time, kind, state) for each thread.
"""

import collections
import csv
import io
import os
import re
import subprocess

from guestrun.demo import BUILD, GUEST_RUN, tool
from studyrun.guest import boot as guest_boot, marks as marks_of, watched

ICOUNT = 4  # an instruction takes 2^ICOUNT ns
WAYS = ["none", "memory", "card", "marker", "write"]
PROGRAMS = os.path.join(BUILD, "guest", "multikron")
ROWS = (4, 8, 12, 16)  # of relax's threads
ENTER, EXIT = "enter", "exit"
KINDS = {"1": ENTER, "2": EXIT}
ROW, BARRIER = "1", "2"

Run = collections.namedtuple("Run", "way columns instructions program ns true seen overrun")


def events(rows, steps):
    """Of a thread."""
    return steps * (2 * rows + 2)


def words(out, runs, steps, icount=ICOUNT):
    """The guest's command line."""
    script = ["echo 0 >/proc/sys/kernel/randomize_va_space"]  # else a program lies elsewhere in each run
    for way, *more in runs:
        script += [f"echo run {way}", " ".join(map(str, [f"relax-{way}", steps, *more]))]
        if way == "marker":
            script += ["grep -e tracing_mark_write -e entries-written /sys/kernel/tracing/trace"]
    programs = [f"relax-{way}" for way in sorted({run[0] for run in runs})]
    return guest(out, script, programs, icount, "", watched(os.path.join(out, "marks")))


def guest(out, script, programs, icount, card, more=()):
    """The command line of a guest with one processor and a card; what the script says is in out/said, what leaves the card in out/card.mk."""
    adds = [word for program in programs for word in ("--add", f"{os.path.join(PROGRAMS, program)}=/bin/{program}")]
    return [GUEST_RUN, "--quiet", "--timeout", "1200", "--icount", str(icount), "--smp", "1", "--device", f"multikron{card},chardev=mk",
            "--qemu-arg=-chardev", f"--qemu-arg=file,id=mk,path={os.path.join(out, 'card.mk')}", *more, "--out", out, *adds, "--",
            "set -e; { " + "; ".join(script) + "; } >said; hostput said <said"]


def boot(out, runs, steps, icount=ICOUNT):
    os.makedirs(out, exist_ok=True)
    guest_boot(words(out, runs, steps, icount))


def by_thread(samples, steps):
    """samples: (thread's name, time, kind, state). A list of threads, which their numbers of events tell apart; None: not all are there."""
    threads = collections.defaultdict(list)
    for name, *sample in samples:
        threads[name].append(tuple(sample))
    found = sorted(threads.values(), key=len)
    return found if [len(thread) for thread in found] == [events(rows, steps) for rows in ROWS] else None


def true_samples(lines, steps, icount):
    """The marks do not say of which event they are: of each thread they are in the program's order."""
    threads = by_thread([(name, problem + privileged << icount) for problem, privileged, name in lines], steps)
    if not threads:
        raise SystemExit("study: the marks are not those of four threads")
    for rows, thread in zip(ROWS, threads):
        step = [(ENTER, ROW), (EXIT, ROW)] * rows + [(ENTER, BARRIER), (EXIT, BARRIER)]
        yield [(time, *step[i % len(step)]) for i, (time,) in enumerate(thread)]


def recorded(text):
    """What relax has printed, and ftrace after it."""
    for thread, ns, kind, state in re.findall(r"^sample (\d+) (\d+) (\d) (\d)$", text, re.M):
        yield thread, int(ns), KINDS[kind], state
    for task, seconds, micros, kind, state in re.findall(r"-(\d+) +\[\d+\] \S+ +(\d+)\.(\d{6}): tracing_mark_write: (\d) (\d)$", text, re.M):
        yield task, 1000 * (1000000 * int(seconds) + int(micros)), KINDS[kind], state


def card_samples(out):
    """mkdump's lines of what has left the card. Its status says that something is wrong; how many samples are missing is looked at later."""
    try:
        text = tool("mkdump", "--csv", os.path.join(out, "card.mk"))
    except subprocess.CalledProcessError as e:
        text = e.output
    return list(csv.DictReader(io.StringIO(text.decode())))


def collected(rows):
    for row in rows:
        yield row["source"], round(1000 * float(row["time_us"])), row["kind"], row["id"]


def read(out, runs, steps, icount=ICOUNT):
    each = sum(events(rows, steps) for rows in ROWS)
    marks = marks_of(os.path.join(out, "marks"))
    with open(os.path.join(out, "said"), encoding="ascii") as f:
        said = re.split(r"^run .*\n", f.read(), flags=re.M)[1:]
    card = card_samples(out) if any(way == "card" for way, *_ in runs) else []
    if len(said) != len(runs) or len(marks) != each * len(runs):
        raise SystemExit(f"study: {len(said)} of {len(runs)} runs, {len(marks)} marks")
    found = []
    for (way, columns, *_), text in zip(runs, said):
        mine, marks = marks[:each], marks[each:]
        samples = list(recorded(text))
        lost = int((re.findall(r"^overrun (\d+)$", text, re.M) or [0])[0])
        if way == "card":
            samples, card = list(collected(card[:each - lost])), card[each - lost:]
        program, kernel = (last - first for first, last in list(zip(mine[0], mine[-1]))[:2])
        found.append(Run(way, columns, program + kernel, program, program + kernel << icount, list(true_samples(mine, steps, icount)),
                         by_thread(samples, steps), lost))
    return found
