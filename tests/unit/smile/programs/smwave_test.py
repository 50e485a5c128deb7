#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""smwave_test SMWAVE - what smwave reads, draws and refuses. How a picture looks is for the eye.

read.vcd is what SmileWaves.WithLatencyTheResponseComesLater of qtest-smile records: a remote read and its response.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

SMWAVE = os.path.abspath(sys.argv.pop())
VCD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read.vcd")


class SmWave(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_it(self, *words, data=None):
        done = subprocess.run([SMWAVE, *words], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr.decode()

    def refused(self, code, text, *words, data=None):
        status, out, err = self.run_it(*words, data=data)
        self.assertEqual((status, out), (code, b""), err)
        self.assertIn(text, err)

    def test_the_states_of_a_read_and_its_response(self):
        status, out, err = self.run_it("--text", VCD)
        self.assertEqual((status, err), (0, ""))
        words = out.decode().split()
        self.assertEqual([w for w in words if w.startswith("decode_state")],
                         [f"decode_state={s}" for s in ("IDLE", "BD1", "BD2", "IDLE", "BD1", "BD2", "IDLE")])
        self.assertEqual([w for w in words if w.startswith("frl_state")],
                         [f"frl_state={s}" for s in ("Idle", "Forward", "Busy", "Idle", "Forward", "Busy", "Idle")])
        self.assertIn("page_number=5", words)
        self.assertIn("page_offset=49", words)

    def test_a_window(self):
        all_of_it = self.run_it("--text", VCD)[1].decode().splitlines()
        times = [int(line.split()[0]) for line in all_of_it]
        _, out, _ = self.run_it("--text", "--start", str(times[3]), "--stop", str(times[6]), VCD)
        self.assertEqual(out.decode().splitlines(), all_of_it[3:7])

    @unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
    def test_a_picture(self):
        status, out, err = self.run_it("-o", "a.png", "--width", "900", VCD)
        self.assertEqual((status, out, err), (0, b"", ""))
        with open(os.path.join(self.folder, "a.png"), "rb") as f:
            head = f.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", head[16:]), (900, 90 + 34 * 15))

    @unittest.skipUnless(shutil.which("vcd2fst") and shutil.which("fst2vcd"), "needs GTKWave's tools")
    def test_gtkwave_reads_the_same(self):
        there, back = os.path.join(self.folder, "there.fst"), os.path.join(self.folder, "back.vcd")
        subprocess.run(["vcd2fst", VCD, there], check=True, stdout=subprocess.DEVNULL)
        with open(back, "wb") as f:
            subprocess.run(["fst2vcd", there], check=True, stdout=f)
        self.assertEqual(self.run_it("--text", back), self.run_it("--text", VCD))

    def test_from_standard_input(self):
        with open(VCD, "rb") as f:
            status, out, _ = self.run_it("--text", "-", data=f.read())
        self.assertEqual((status, out), (0, self.run_it("--text", VCD)[1]))

    def test_what_is_no_dump(self):
        self.refused(1, "no such file".capitalize(), "missing.vcd")
        self.refused(1, "no VCD", "-", data=b"hello world")
        self.refused(1, "no VCD", "-", data=b"$timescale 1ps $end")
        self.refused(1, "no VCD", "-", data=b"$var wire 1 ! a $end #5 1! #4 0!")
        self.refused(1, "no VCD", "-", data=b"$var wire 1 ! a")
        binary = os.path.join(self.folder, "binary")
        with open(binary, "wb") as f:
            f.write(b"\xff\xfe")
        self.refused(1, "no text", binary)
        self.refused(1, "nothing changes", "--start", "5000000", VCD)

    def test_wrong_options(self):
        self.refused(2, "--width: '5': legal are 300", "--width", "5", VCD)
        self.refused(2, "--start", "--start", "-1", VCD)
        copy = os.path.join(self.folder, "copy.vcd")
        shutil.copy(VCD, copy)
        self.refused(2, "would be lost", "-o", copy, copy)
        self.assertEqual(os.path.getsize(copy), os.path.getsize(VCD))


unittest.main()
