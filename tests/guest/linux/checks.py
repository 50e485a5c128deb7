# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests in Python share: checks that count their failures, and programs that are typed at, a running machine's devices."""
import os
import pty
import select
import sys
import time

PATIENCE = 1500  # seconds: ends a hang, nothing else
count = failed = 0


def check(name, good, more=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}" + ("" if good else f"\n# {more!r}"), flush=True)


def fail(text):
    sys.exit(f"FAILED: {text}")


def same(what, got, wanted):
    """Else the test ends."""
    if got != wanted:
        fail(f"{what}: {got}, expected {wanted}")
    print(f"ok: {what}: {got}", flush=True)


def finish():
    """The exit status."""
    print(f"1..{count}")
    return 1 if failed else 0


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def wait(machine, condition):
    """Until the guest's shell finds it so."""
    machine.run(f"for i in $(seq 3000); do {condition} && exit 0; usleep 100000; done; exit 1", check=True)


def unplug(machine, device="hot"):
    machine.monitor.do("device_del", id=device)
    assert machine.monitor.event({"DEVICE_DELETED"}, 300), "the guest has not let it go"


def on_a_terminal(words, steps, **environment):
    """(status, what it said) of a program with a terminal of its own. steps, which are taken away: (whether it has said enough, what is typed then)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(words[0], words, {**os.environ, **environment})
    said, end = b"", time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                said += os.read(terminal, 65536)
            except OSError:  # the other side has ended
                break
        if steps and steps[0][0](said):
            os.write(terminal, steps.pop(0)[1])
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said
