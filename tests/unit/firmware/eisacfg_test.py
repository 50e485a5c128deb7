#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""eisacfg_test EISACFG - what is wrong with a configuration file is told with its line, and what a good one asks for is printed. The boards' own: eisa_cfg_test.cc."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

EISACFG = os.path.abspath(sys.argv.pop())
GOOD = """; a board that is none
BOARD
  ID = "ABC1230"
  NAME = "Nothing at all"
  MFR = "Nobody"
  CATEGORY = "OTH"
  SLOT = EISA
IOPORT(1) = 0Z485h
  SIZE = BYTE
IOPORT(2) = 0ZC84h
  SIZE = BYTE
FUNCTION = "Window"
  CHOICE = "Automatic"
    LINK
      MEMORY = 64K
        ADDRESS = 0D0000000h | 0D0010000h
      IRQ = 5 | 9
        SHARE = YES
        TRIGGER = LEVEL
      INIT = IOPORT(1) LOC(1 0) 01 | 10
FUNCTION = "Board"
  CHOICE = "Enabled"
    FREE
      INIT = IOPORT(2) LOC(0) 1
  CHOICE = "Not"
    DISABLE = YES
    FREE
      INIT = IOPORT(2) LOC(0) 0
"""
SAYS = """ABC1230  Nothing at all
  Window                       64K of memory at D0000000 | D0010000, and IRQ 5 | 9, by level, may be shared
  Board                        nothing
                               or does without: nothing
  written, in this order       n485 nC84
"""


class EisaCfg(unittest.TestCase):
    def run_it(self, *words, data="", **more):
        done = subprocess.run([EISACFG, *words], input=data, capture_output=True, text=True, **more)
        return done.returncode, done.stdout, done.stderr

    def test_good(self):
        self.assertEqual(self.run_it("-", data=GOOD), (0, SAYS, ""))
        self.assertTrue(self.run_it("--version")[1].startswith("eisacfg (Perfboard) "))

    def test_tables(self):
        code, out, err = self.run_it("--c", "-", data=GOOD)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(".function = 0, .irq = 9, .memories = 1, .memory = { { 0xd0010000, 0x10000 }, }, .value = { 2, 0, }", out)
        self.assertIn('.id = 0x30124304, .name = "ABC1230", .functions = 2, .ports = 2, .port = { 0x485, 0xc84, }, .first = 0, .end = 3', out)
        self.assertEqual(out.count(".function ="), 3, "nobody chooses to do without")

    def test_page(self):
        root = os.environ["PERFBOARD_ROOT"]
        with open(os.path.join(root, "firmware", "eisa", "README.md"), encoding="utf-8") as f:
            shown = re.findall(r"^    \$ eisacfg '(.*)'\n((?:    .*\n)+)", f.read(), re.M)
        self.assertTrue(shown)
        for name, output in shown:
            self.assertEqual(self.run_it(name, cwd=root), (0, re.sub("^    ", "", output, flags=re.M), ""))

    def refused(self, old, new, line, *words):
        self.assertEqual(GOOD.count(old), 1, old)
        code, out, err = self.run_it("-", data=GOOD.replace(old, new))
        self.assertEqual((code, out), (1, ""), err)
        self.assertTrue(err.startswith(f"-:{line}: " if line else "-: "), err)
        self.assertEqual(len(err.splitlines()), 1)
        for word in words:
            self.assertIn(word, err)

    def test_lines(self):
        for old, new, line, *words in [
                ("BOARD\n", "", 2, "BOARD"),
                ('ID = "ABC1230"', 'ID = "abc1230"', 3, "three letters"),
                ('ID = "ABC1230"', "ID = ABC1230", 3, "quotes"),
                ('NAME = "Nothing at all"', 'HELP = "x"', 4, "come first"),
                ('"OTH"', '"OTHER"', 6, "three letters"),
                ("SLOT = EISA", "COLOUR = RED", 7, "COLOUR", "SLOT"),
                ("SLOT = EISA", 'ID = "ABC1230"', 7, "twice"),
                ("0Z485h", "0485h", 8, "0Z"),
                ("0Z485h", "0Z1485h", 8, "0ZFFFh"),
                ("0Z485h\n  SIZE = BYTE", "0Z485h\n  SIZE = WORD", 9, "SIZE = BYTE"),
                ("IOPORT(2) = 0ZC84h", "IOPORT(1) = 0ZC84h", 10, "twice"),
                ("64K", "65M", 15, "64M"),
                ("64K", "0", 15, "64M"),
                ("0D0000000h", "D0000000h", 16, "begins with a digit"),
                ("0D0000000h", "0D0000000", 16, "ends with h"),
                ("0D0000000h", "0D00000000h", 16, "0xffffffff"),
                ("0D0000000h", "0D0008000h", 16, "multiple"),
                ("0D0000000h | ", "| ", 16, "missing"),
                ("IRQ = 5", "IRQ = 16", 17, "15"),
                ("SHARE = YES", "SHADE = YES", 18, "SHADE"),
                ("SHARE = YES", "SHARE = NO", 18, "legal is YES"),
                ("TRIGGER = LEVEL", "TRIGGER = EDGE", 19, "legal is LEVEL"),
                ("MEMORY = 64K", "MEMORY = 64K\n        SHARE = YES", 16, "legal is NO"),
                ("IOPORT(1) LOC(1 0)", "IOPORT(3) LOC(1 0)", 20, "IOPORT(3)"),
                ("LOC(1 0)", "LOC(0 1)", 20, "highest"),
                ("LOC(1 0)", "LOC(8 0)", 20, "7"),
                ("LOC(1 0)", "LOC()", 20, "LOC"),
                ("LOC(1 0)", "LOX(1 0)", 20, "INIT"),
                ("01 | 10", "01 | 12", 20, "12"),
                ("01 | 10", "01 | 1", 20, "2 bits"),
                ('CHOICE = "Enabled"\n', "", 22, "CHOICE"),
                ('CHOICE = "Automatic"', 'CHOICE = ""', 13, "quotes")]:
            with self.subTest(new):
                self.refused(old, new, line, *words)

    def test_as_a_whole(self):
        for old, new, *words in [
                ("| 0D0010000h", "", "ADDRESS", "1", "2"),
                ("IRQ = 5 | 9", "IRQ = 5", "IRQ"),
                ("        TRIGGER = LEVEL\n", "", "IRQ without TRIGGER"),
                ("IOPORT(2) LOC(0) 0", "IOPORT(2) LOC(1) 0", "other bits"),
                ("IOPORT(1) LOC(1 0) 01 | 10", "IOPORT(2) LOC(1 0) 01 | 10", "another one sets"),
                ("    LINK\n", "    FREE\n", "FREE")]:
            with self.subTest(new):
                self.refused(old, new, 0, *words)
        self.assertEqual(self.run_it("-", data="")[:2], (1, ""))
        self.assertEqual(self.run_it("-", data=GOOD[:GOOD.index("FUNCTION")])[:2], (1, ""))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            good = os.path.join(folder, "good")
            with open(good, "w") as f:
                f.write(GOOD)
            self.assertEqual(self.run_it(good, good), (0, 2 * SAYS, ""))
            self.assertEqual(self.run_it(good, "-o", good)[0], 2)
            self.assertEqual(self.run_it()[0], 2)
            code, _, err = self.run_it(os.path.join(folder, "none"))
            self.assertEqual((code, err), (1, f"eisacfg: {folder}/none: No such file or directory\n"))
            self.assertEqual(self.run_it(good, "-o", os.path.join(folder, "out")), (0, "", ""))
            with open(os.path.join(folder, "out")) as f:
                self.assertEqual(f.read(), SAYS)


if __name__ == "__main__":
    unittest.main()
