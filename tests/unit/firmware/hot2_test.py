#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hot2_test HOT2C HOT2D - what the programs do with files, and their exit codes. What an image holds: hot_test.cc."""
import os
import sys
import unittest

from programs import Program

HOT2D, HOT2C = os.path.abspath(sys.argv.pop()), os.path.abspath(sys.argv.pop())
GOOD = "design static\nrevision 3\npci 133E:4000 class 118000\ntitle a test\n"
DESCRIBED = "design   static\nrevision 3\npci      133E:4000 class 118000\ntitle    a test\n"


class Hot2(Program):
    def run_it(self, program, *words, **more):
        self.program = program
        return super().run_it(*words, **more)

    def image(self):
        code, image, err = self.run_it(HOT2C, data=GOOD.encode())
        self.assertEqual((code, err, len(image)), (0, "", 179233))
        return image

    def test_version(self):
        for program in (HOT2C, HOT2D):
            code, out, err = self.run_it(program, "--version")
            self.assertEqual((code, out.startswith(os.path.basename(program).encode() + b" (Perfboard) "), err), (0, True, ""))

    def test_there_and_back(self):
        source = self.file("a.hot", GOOD.encode())
        self.assertEqual(self.run_it(HOT2C, source, "-o", "a.bit"), (0, b"", ""))
        code, text, err = self.run_it(HOT2D, "a.bit")
        self.assertEqual((code, err), (0, ""))
        first, rest = text.decode().split("\n", 1)
        self.assertEqual(first, "# XC4062XLA: 2339 frames of 613 bits, 1433860 bits in all, length count 1433853")
        self.assertEqual(rest, DESCRIBED)
        again = self.file("b.hot", text)
        self.assertEqual(self.run_it(HOT2C, again, "-o", "b.bit"), (0, b"", ""))
        self.assertEqual(self.read("a.bit"), self.read("b.bit"))

    def test_out_of_an_erased_flash(self):
        self.assertEqual(self.run_it(HOT2D, data=self.image() + b"\xff" * 1000)[0], 0)
        code, out, err = self.run_it(HOT2D, data=self.image() + b"\0")
        self.assertEqual((code, out), (1, b""))
        self.assertIn("padding behind the stream", err)

    def test_damage_is_named(self):
        image = bytearray(self.image())
        image[500] ^= 1
        code, out, err = self.run_it(HOT2D, self.file("bad.bit", image))
        self.assertEqual((code, out), (1, b""))
        self.assertRegex(err, r"bad\.bit: bit \d+: check bit \d of frame 6: .*damaged")

    def test_another_card(self):
        code, image, _ = self.run_it(HOT2C, data=GOOD.replace("4000", "4001").encode())
        self.assertEqual(code, 0)
        self.assertIn(b"# for no FPGA of this card", self.run_it(HOT2D, data=image)[1])

    def test_an_error_leaves_the_image_alone(self):
        old = self.file("a.bit", b"precious")
        code, _, err = self.run_it(HOT2C, self.file("a.hot", b"design both\n"), "-o", old)
        self.assertEqual(code, 1)
        self.assertIn("a.hot:1:8: no design 'both'", err)
        code, _, err = self.run_it(HOT2C, "missing.hot", "-o", old)
        self.assertEqual(code, 1)
        self.assertIn("missing.hot", err)
        self.assertEqual(self.run_it(HOT2C, "a.hot", "-o", "a.hot")[0], 2)
        self.assertEqual(self.run_it(HOT2C, "--what")[0], 2)
        self.assertEqual(self.run_it(HOT2D, "missing.bit")[0], 1)
        self.assertEqual(self.read(old), b"precious")


unittest.main()
