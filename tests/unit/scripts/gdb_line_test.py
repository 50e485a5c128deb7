#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What gdb hears at a recording's end (scripts/workbench/gdb_line.py), with a gdb and a QEMU that only pretend."""

import os
import socket
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.environ["PERFBOARD_ROOT"], "scripts"))
sys.dont_write_bytecode = True
from workbench.gdb_line import Line, packet  # noqa: E402

TEXT = "it ends here\n"
OFF = packet(b"T03thread:p01.01;")
SAID = packet(b"O" + TEXT.encode().hex().encode()) + packet(b"T05thread:p01.01;replaylog:end;")


class Ends(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gdb-line-")
        self.addCleanup(folder.cleanup)
        here, there = (os.path.join(folder.name, name) for name in ("gdb", "qemu"))
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(there)
        listener.listen()
        Line(here, there, TEXT)
        self.gdb = socket.socket(socket.AF_UNIX)
        self.gdb.connect(here)
        self.qemu, _ = listener.accept()
        for end in (self.gdb, self.qemu, listener):
            self.addCleanup(end.close)
        for end in (self.gdb, self.qemu):
            end.settimeout(60)

    def hears(self, end, wanted):
        got = b""
        while len(got) < len(wanted):
            got += end.recv(len(wanted) - len(got))
        self.assertEqual(got, wanted)

    def test_before_the_end_all_goes_through(self):
        for sender, receiver, data in ((self.gdb, self.qemu, packet(b"vCont;c:p1.-1")), (self.qemu, self.gdb, b"+"), (self.qemu, self.gdb, packet(b"T05thread:p01.01;")),
                                       (self.gdb, self.qemu, b"+" + packet(b"g"))):
            sender.sendall(data)
            self.hears(receiver, data)

    def test_a_packet_in_parts(self):
        for n in range(len(OFF)):
            self.qemu.sendall(OFF[n:n + 1])
        self.hears(self.gdb, SAID)

    def test_onward_is_answered_each_time(self):
        self.qemu.sendall(OFF)
        self.hears(self.gdb, SAID)
        self.gdb.sendall(b"++")
        self.hears(self.qemu, b"+")  # QEMU has sent one packet
        for word in (b"vCont;c:p1.-1", b"vCont;s:p1.1;c:p1.-1", b"c", b"C05"):
            self.gdb.sendall(packet(word))
            self.hears(self.gdb, b"+" + SAID)
            self.gdb.sendall(b"++" + packet(b"g"))
            self.hears(self.qemu, packet(b"g"))

    def test_back_is_qemus(self):
        self.qemu.sendall(OFF)
        self.hears(self.gdb, SAID)
        for data in (packet(b"bc"), packet(b"vCont;c:p1.-1")):
            self.gdb.sendall(b"++" * (data == packet(b"bc")) + data)
            self.hears(self.qemu, b"+" * (data == packet(b"bc")) + data)


if __name__ == "__main__":
    unittest.main()
