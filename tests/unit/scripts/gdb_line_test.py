# SPDX-License-Identifier: GPL-2.0-or-later
"""What gdb hears at a recording's end (scripts/workbench/gdb_line.py), with a gdb and a QEMU that only pretend."""
import socket
import types

import pytest

from workbench.gdb_line import Line, packet

TEXT = "it ends here\n"
OFF = packet(b"T03thread:p01.01;")
SAID = packet(b"O" + TEXT.encode().hex().encode()) + packet(b"T05thread:p01.01;replaylog:end;")


@pytest.fixture
def line(folder):
    here, there = str(folder / "gdb"), str(folder / "qemu")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as gdb:
        listener.bind(there)
        listener.listen()
        Line(here, there, TEXT)
        gdb.connect(here)
        with listener.accept()[0] as qemu:
            for end in (gdb, qemu):
                end.settimeout(60)
            yield types.SimpleNamespace(gdb=gdb, qemu=qemu)


def hears(end, wanted):
    got = b""
    while len(got) < len(wanted):
        got += end.recv(len(wanted) - len(got))
    assert got == wanted


def test_before_the_end_all_goes_through(line):
    gdb, qemu = line.gdb, line.qemu
    for sender, receiver, data in ((gdb, qemu, packet(b"vCont;c:p1.-1")), (qemu, gdb, b"+"), (qemu, gdb, packet(b"T05thread:p01.01;")),
                                   (gdb, qemu, b"+" + packet(b"g"))):
        sender.sendall(data)
        hears(receiver, data)


def test_a_packet_in_parts(line):
    for n in range(len(OFF)):
        line.qemu.sendall(OFF[n:n + 1])
    hears(line.gdb, SAID)


def test_onward_is_answered_each_time(line):
    line.qemu.sendall(OFF)
    hears(line.gdb, SAID)
    line.gdb.sendall(b"++")
    hears(line.qemu, b"+")  # QEMU has sent one packet
    for word in (b"vCont;c:p1.-1", b"vCont;s:p1.1;c:p1.-1", b"c", b"C05"):
        line.gdb.sendall(packet(word))
        hears(line.gdb, b"+" + SAID)
        line.gdb.sendall(b"++" + packet(b"g"))
        hears(line.qemu, packet(b"g"))


def test_back_is_qemus(line):
    line.qemu.sendall(OFF)
    hears(line.gdb, SAID)
    for data in (packet(b"bc"), packet(b"vCont;c:p1.-1")):
        line.gdb.sendall(b"++" * (data == packet(b"bc")) + data)
        hears(line.qemu, b"+" * (data == packet(b"bc")) + data)
