#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""README.md's lines of an access log are ends of lines of guest/TUTORIAL.md, whose output is a real run's (linux-tutorial)."""
import os
import unittest

ROOT = os.environ.get("PERFBOARD_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def lines(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read().splitlines()


class Heart(unittest.TestCase):
    def test_the_log_is_the_tutorials(self):
        shown = [line.removeprefix("    ... ") for line in lines("README.md") if line.startswith("    ... [")]
        tutorial = lines("guest/TUTORIAL.md")
        self.assertGreaterEqual(len(shown), 3)
        for line in shown:
            self.assertTrue(any(other.endswith(line) for other in tutorial), line)


if __name__ == "__main__":
    unittest.main()
