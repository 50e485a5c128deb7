# SPDX-License-Identifier: GPL-2.0-or-later
"""The module perfboard for Python, with pytest: a machine that is asked, broken on purpose, and that breaks by itself; and what perfboard monitor shows of it.

Environment: PERFBOARD_SO, PERFBOARD_INITRAMFS, QEMU; EDGE: edge.c for the guest; POWER: words for a POWER guest as well.
"""
import json
import os
import re
import subprocess
import tempfile
import time

import pytest

import perfboard
from checks import on_a_terminal

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, "scripts")


@pytest.fixture(scope="module")
def machine():
    with perfboard.Machine(board="surfboard", timeout=1200) as m:
        yield m


@pytest.fixture(scope="module")
def socket():
    """Of a machine of which nobody here asks anything: its monitor talks to one at a time."""
    with tempfile.TemporaryDirectory(prefix="monitor-") as folder:
        socket = os.path.join(folder, "qmp")
        command = "echo 'PCLR = 1f' | surf >/dev/null; echo ready; while :; do sleep 1; done"
        with perfboard.Machine(board="surfboard", monitor=socket, command=command, timeout=1200) as m:
            m.expect("ready")
            yield socket


def watch(socket, *words):
    return [os.path.join(SCRIPTS, "perfboard"), "monitor", socket, *words]


def watched(socket, *words):
    return subprocess.run(watch(socket, *words), capture_output=True, text=True, timeout=600)


def refused(done, reason):
    assert done.returncode == 2 and reason in done.stderr and done.stderr.count("\n") == 1, done


def test_commands(machine):
    assert machine.run("echo out; echo err >&2; exit 3") == perfboard.Result(3, "out\nerr\n", "")
    assert machine.run("head -c 100000 /dev/zero | tr '\\0' x; echo; echo 'it'\"'\"'s'").output == "x" * 100000 + "\nit's\n"
    assert machine.run("cat").output == ""  # nobody types
    with pytest.raises(perfboard.Broken, match="^false: status 1"):
        machine.run("false", check=True)
    for wrong in ("", " ", "x" * 30000):
        with pytest.raises(ValueError, match="legal are"):
            machine.run(wrong)


def test_registers(machine):
    assert sorted(machine.boards()) == ["shrimp", "surfboard"]
    machine.run("echo 'PCLR = 1f' | surf", check=True)
    register = machine.register("surfboard", "PCLR")
    assert (register, register.fields) == (0x1f, {"LED": 1, "CAT": 15})
    assert machine.get("surfboard", "leds") >> 9 & 1
    clock = machine.register("shrimp", "CLKL")
    machine.until(lambda: machine.register("shrimp", "CLKL") != clock)
    with pytest.raises(perfboard.Unknown, match="no register PCLX; there are .*PCLR"):
        machine.register("surfboard", "PCLX")
    with pytest.raises(perfboard.Unknown, match="multikron: the machine has shrimp, surfboard"):
        machine.register("multikron", "RC[0]")
    with pytest.raises(ValueError, match="legal are none, stuck-high, stuck-low, pulse"):
        machine.inject("surfboard", "irq", "up")


def test_the_console(machine):
    machine.run("(echo one; echo two 2; echo three) >/dev/console", check=True)
    machine.expect("one")
    assert machine.expect(re.compile(r"two (\d)"))[1] == "2"
    machine.expect("three")
    with pytest.raises(perfboard.Broken, match="before the console said 'one'"):
        machine.expect("one", seconds=0.1)


def test_what_a_monitor_shows(socket):
    done = watched(socket, "--count", "2", "--interval", "0.5")
    assert done.returncode == 0, done
    assert re.search(r"^  PCLR +0000001f +LED=1 CAT=0xf$", done.stdout, re.M)
    assert re.search(r"^surfboard@\d+  interrupt line 0  LEDs .{9}0  at ", done.stdout, re.M)
    clock = re.findall(r"^  CLKL +[0-9a-f]{8} +\d+ +\+([0-9.e+]+)/s", done.stdout, re.M)
    assert abs(float(clock[-1]) / 1e7 - 1) < 1e-4, done  # the SNI's, of 10 MHz
    for words, reason in ((["--board", "power2"], "the machine has"), (["--interval", "0"], "legal are 0.1 to 3600"), (["--count", "0"], "from 1 on")):
        refused(watched(socket, *words), reason)


def test_a_monitor_on_a_terminal(socket):
    """Another board by a key, and the end by a key."""
    status, said = on_a_terminal(watch(socket, "--interval", "0.2"), [(lambda said: b"interrupt line" in said, b"n"), (lambda said: b"PCLR" in said, b"q")],
                                 TERM="xterm")
    assert status == 0, said


def test_one_monitor_at_a_time(socket):
    with subprocess.Popen(watch(socket, "--count", "100000"), stdout=subprocess.PIPE, text=True) as first:
        first.stdout.readline()
        done = watched(socket, "--once")
        first.terminate()
        first.communicate()
    refused(done, "somebody watches this machine already")
    refused(watched(socket + "-of-nobody"), "no QEMU listens")


def again_and_again(m):
    """Boards are looked at and let alone. The guest jumps to an instruction at the edge of memory, so nearly always the block that QEMU translated last was
    given up: the moment that pb_ops_forget() (hw/qemu/tcg/ops.h) is for. QEMU crashed in a translation when boards were looked at on a busy host."""
    m.run("(while :; do /root/edge 1000; done) >/dev/null 2>&1 &")
    for n in (16, 0) * 100:
        for board in m.boards():
            m.set(board, "recent", n)
        time.sleep(0.02)
    assert m.monitor.do("query-status")["status"] == "running"


def test_errors_on_purpose_and_looks():
    identity = "hexdump -n 4 -e '1/4 \"%08x\"' /sys/bus/pci/devices/0000:00:02.0/config"
    with perfboard.Machine(board=["multikron,cpus=0", "multikron,cpus=1"], smp=2, timeout=1200, add=os.environ["EDGE"]) as m:
        assert sorted(m.boards()) == ["multikron@02.0", "multikron@03.0"]
        before = m.run(identity).output
        m.inject("multikron@02.0", "gone", True)
        assert m.run(identity).output == "ffffffff" != before
        m.inject("multikron@02.0", "gone", False)
        assert m.run(identity).output == before
        with pytest.raises(ValueError, match="inject-irq' not found"):
            m.inject("multikron@02.0", "irq", "pulse")  # it has no such line
        again_and_again(m)


def test_a_command_of_its_own():
    m = perfboard.Machine(board="multikron", icount=4, timeout=1200, command="echo ready; sleep 2; echo done; exit 4")
    m.expect("ready")
    assert m.wait() == perfboard.Result(4, "ready\ndone\n", "") and m.stop() == m.wait() and not m.alive
    with pytest.raises(ValueError, match="without command="):
        m.run("true")


def test_a_machine_that_breaks():
    with pytest.raises(perfboard.Broken, match="the kernel panicked while the command ran: .*sysrq"):
        with perfboard.Machine(board="multikron", icount=4, timeout=1200) as m:
            m.run("echo c >/proc/sysrq-trigger")
    with pytest.raises(perfboard.Broken, match="the kernel panicked"):
        with perfboard.Machine(board="multikron", icount=4, timeout=1200) as m:
            m.run("(sleep 1; echo c >/proc/sysrq-trigger) &")
            m.expect("never said")


@pytest.mark.skipif(not os.environ.get("POWER"), reason="no POWER guest here")
def test_power():
    with perfboard.Machine(**json.loads(os.environ["POWER"]), arch="ppc64", board="multikron", timeout=1200) as m:
        assert m.run("uname -m").output == "ppc64le\n"
        assert m.boards().keys() == {"multikron"}
