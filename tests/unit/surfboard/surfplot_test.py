#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""surfplot_test SURFPLOT - pictures of each kind, in both formats, and what is refused. How a picture looks is for the eye."""
import os
import shutil
import sys
import unittest

from programs import Program

PAIRS = "0.0,4.6\n1.1,4.7\n2.3,216.0\n"
JOINT = "1,46,500\n0,2084,12\n1023,4095,1\n"


class SurfPlot(Program):
    program = os.path.abspath(sys.argv.pop())

    def run_it(self, *words, data=""):
        return super().run_it(*words, data=data.encode())

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_each_kind(self):
        for kind, data in {"time": PAIRS, "latency": PAIRS, "size": PAIRS, "map": JOINT, "3d": JOINT}.items():
            with self.subTest(kind):
                code, picture, err = self.run_it(kind, "-o", "-", "--width", "600", data=data)
                self.assertEqual((code, err), (0, ""))
                self.assertEqual(self.size(picture), (600, 400))
                self.assertEqual(self.run_it(kind, "-o", "a.svg", "--linear", data=data), (0, b"", ""))
                self.assertIn(b"<svg", self.read("a.svg"))

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_several_files_a_heading_and_a_zoom(self):
        self.file("a", "time,latency\n" + PAIRS)
        self.file("b", PAIRS)
        code, _, err = self.run_it("time", "first=a", "--x", "1-2", "--y", "-10", "--title", "it's a title", "-o", "both.svg", "b")
        self.assertEqual((code, err), (0, ""))
        text = self.read("both.svg").decode()
        for word in ("first", "it's a title", "latency (us)"):
            self.assertIn(word, text)

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_a_size_of_0_is_1024_words(self):
        self.assertEqual(self.run_it("map", "--x", "1024-", data=JOINT, *["-o", "a.png"])[0], 0)
        code, _, err = self.run_it("map", "--x", "-0.5", data=JOINT)
        self.assertEqual((code, err), (1, "surfplot: -: none of 3 lines lies in the part that is shown\n"))

    def test_refused(self):
        self.file("a", PAIRS)
        for words, data, code, *said in [
                (["time", "none"], "", 1, "none: No such file or directory"),
                (["time"], "", 1, "-: nothing in it"),
                (["time"], "1,2\n3\n", 1, "-:2: 3: expected 2 numbers"),
                (["time"], "1,2\n3,x\n", 1, "-:2: 3,x: expected 2 numbers"),
                (["map"], PAIRS, 1, "-:1: 0.0,4.6: expected 3 numbers"),
                (["time", "--x", "5-"], PAIRS, 1, "none of 3 lines"),
                (["map", "a", "a"], "", 2, "map is of one file"),
                (["cake"], "", 2, "cake"),
                (["time", "--x", "5-4"], PAIRS, 2, "'5-4'", "LO-HI"),
                (["time", "--x", "-"], PAIRS, 2, "'-'"),
                (["time", "--width", "299"], PAIRS, 2, "300 to 10000"),
                (["time", "a", "-o", "a"], "", 2, "a is an input")]:
            with self.subTest(words):
                status, out, err = self.run_it(*words, data=data)
                self.assertEqual((status, out), (code, b""), err)
                for word in said:
                    self.assertIn(word, err)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a"], "nothing is written")


if __name__ == "__main__":
    unittest.main()
