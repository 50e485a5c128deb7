# SPDX-License-Identifier: GPL-2.0-or-later
"""children - programs that are run, and ended when bench is cut; the machine of one that has no operating system."""

import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import threading

PASSED = 1  # QEMU's status: the debug exit device ends it with 2 * 0 + 1
# As root, too, where Open MPI would refuse.
MPI = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Failed(Exception):
    """bench ends with this line."""


class Cut(Exception):
    """SIGINT or SIGTERM has come."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


_running = set()
_lock = threading.Lock()
_cut = None  # once a signal has come nothing more is started


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def catch_signals():
    def cut(number, _frame):
        global _cut
        if _cut:
            return  # a second signal must not cut the table short
        _cut = Cut(number)
        raise _cut
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, cut)


def run(words, **options):
    """subprocess.run() with the output as text; a session of its own, so that the terminal's Ctrl-C does not reach it."""
    with _lock:
        if _cut:
            raise _cut
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 start_new_session=True, **options)
        _running.add(child)
    try:
        out, err = child.communicate()
        return subprocess.CompletedProcess(words, child.returncode, out, err)
    except BaseException:
        end_all()
        raise
    finally:
        with _lock:
            _running.discard(child)


@contextlib.contextmanager
def pool(workers):
    """Threads that run programs. Whatever cuts this ends them."""
    threads = concurrent.futures.ThreadPoolExecutor(workers)
    try:
        yield threads
    except BaseException:
        threads.shutdown(wait=False, cancel_futures=True)
        end_all()
        raise
    threads.shutdown()


def end_all():
    with _lock:
        children = list(_running)
    for child in children:
        if child.poll() is None:
            child.terminate()
    for child in children:
        try:
            child.wait(30)
        except subprocess.TimeoutExpired:
            child.kill()


def bare_machine(qemu, build, program, shift):
    """QEMU's words. The program, of tests/bench, says what it has found on the debug console, and a run repeats."""
    return [qemu, "-M", "pc,accel=tcg", "-m", "128", "-display", "none", "-nodefaults",
            "-kernel", os.path.join(build, "tests", "bench", program), "-debugcon", "stdio",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-no-reboot",
            "-icount", f"shift={shift},sleep=off", "-rtc", "clock=vm,base=1999-03-02", "-seed", "1"]
