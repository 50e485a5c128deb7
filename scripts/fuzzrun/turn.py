# SPDX-License-Identifier: GPL-2.0-or-later
"""One target's turn under libFuzzer, and what it says of itself."""

import os
import re
import resource
import subprocess
import time
from dataclasses import dataclass

from fuzzrun import build, corpus

MAX_LEN = 4096
SAY_EACH = 60  # seconds
PROGRESS = re.compile(r"^#(\d+)\s.*cov: (\d+) .*corp: (\d+)/")
STAT = re.compile(r"^stat::(\w+):\s+(\d+)")
WRITTEN = re.compile(r"Test unit written to (\S+)")


@dataclass
class Result:
    target: build.Target
    seconds: int = 0       # of the clock
    cpu: float = 0         # of a processor, which on a busy machine is less
    executions: int = 0
    operations: int = 0
    edges: int = 0
    inputs: int = 0
    found: str = None      # the input that ended it
    stopped: bool = False  # by Ctrl-C


def read(result, line):
    """A line of libFuzzer's. Executions and operations are those of a whole turn."""
    if m := PROGRESS.match(line):
        result.edges, result.inputs = int(m[2]), int(m[3])
    if m := STAT.match(line):
        if m[1] == "number_of_executed_units":
            result.executions = int(m[2])
        if m[1] == "operations":
            result.operations = int(m[2])
    if m := WRITTEN.search(line):
        result.found = m[1]


def _cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(target, cache, seconds, seed):
    found = os.path.join(cache, "found", target.name)
    os.makedirs(found, exist_ok=True)
    log = os.path.join(cache, "log")
    os.makedirs(log, exist_ok=True)
    words = [target.program, corpus.begin(target, cache, seed), f"-max_total_time={seconds}", f"-max_len={MAX_LEN}", "-len_control=0", f"-seed={seed}",
             "-print_final_stats=1", "-timeout=600", "-rss_limit_mb=2048", f"-artifact_prefix={found}/"]
    result = Result(target)
    began = said = time.monotonic()
    used = _cpu()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", cwd=cache)
    try:
        with open(os.path.join(log, target.name), "w") as whole:
            for line in child.stderr:
                whole.write(line)
                read(result, line)
                now = time.monotonic()
                if now - said >= SAY_EACH:
                    said = now
                    print(f"fuzz: {target.name}: {int(now - began)} of {seconds} s, {result.edges} edges, {result.inputs} inputs", flush=True)
        status = child.wait()
    except KeyboardInterrupt:
        child.terminate()
        child.wait()
        result.stopped, status = True, 0
    result.seconds, result.cpu = round(time.monotonic() - began), _cpu() - used
    if status and not result.found:
        result.found = f"(status {status}, no input; {os.path.join(log, target.name)})"
    if not status:
        result.found = None  # an input that was slow on this machine
    if result.found or result.stopped:
        result.executions = result.operations = 0
    print(f"fuzz: {target.name}: {result.seconds} s ({result.cpu:.0f} s of a processor), {result.executions} inputs, {result.operations} operations, {result.edges} edges" +
          (", ENDED" if result.found else ", stopped" if result.stopped else ""), flush=True)
    return result
