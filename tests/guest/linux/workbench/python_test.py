# SPDX-License-Identifier: GPL-2.0-or-later
"""The module perfboard for Python, with pytest: a machine that is asked, broken on purpose, and that breaks by itself.

Environment: PERFBOARD_SO, PERFBOARD_INITRAMFS, QEMU; POWER: words for a POWER guest as well.
"""
import json
import os
import re
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, "scripts", "python"))
import perfboard  # noqa: E402


@pytest.fixture(scope="module")
def machine():
    with perfboard.Machine(board="surfboard", timeout=1200) as m:
        yield m


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


def test_errors_on_purpose():
    identity = "hexdump -n 4 -e '1/4 \"%08x\"' /sys/bus/pci/devices/0000:00:02.0/config"
    with perfboard.Machine(board=["multikron,cpus=0", "multikron,cpus=1"], smp=2, timeout=1200) as m:
        assert sorted(m.boards()) == ["multikron@02.0", "multikron@03.0"]
        before = m.run(identity).output
        m.inject("multikron@02.0", "gone", True)
        assert m.run(identity).output == "ffffffff" != before
        m.inject("multikron@02.0", "gone", False)
        assert m.run(identity).output == before
        with pytest.raises(ValueError, match="inject-irq' not found"):
            m.inject("multikron@02.0", "irq", "pulse")  # it has no such line


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


def test_a_wrong_option():
    with pytest.raises(ValueError, match="^--board nonesuch: legal are"):
        perfboard.Machine(board="nonesuch")
    with pytest.raises(ValueError, match="^--icount 77: legal are 0 to 10"):
        perfboard.Machine(icount=77)


@pytest.mark.skipif(not os.environ.get("POWER"), reason="no POWER guest here")
def test_power():
    with perfboard.Machine(**json.loads(os.environ["POWER"]), arch="ppc64", board="multikron", timeout=1200) as m:
        assert m.run("uname -m").output == "ppc64le\n"
        assert m.boards().keys() == {"multikron"}
