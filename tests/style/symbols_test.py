#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""That tests/style/symbols complains where it should: what nm would say of made-up objects."""

import os
import unittest

from script import load, tree

HERE = os.path.dirname(os.path.abspath(__file__))
symbols = load("symbols")


class Symbols(unittest.TestCase):
    def complaints(self, *calls):
        """Of (source that calls, source that is called) for each call."""
        lines = []
        for n, (user, there) in enumerate(calls):
            lines += [f"{user}.o:                 U f{n}", f"{there}.o:0000000000000010 T f{n}"]
        with tree({"hw/boards": "radio pci\ntuner pci\n"}) as root:
            sources = {f"{source}.o": source for call in calls for source in call}
            return symbols.Calls(symbols.includes.Tree(root), sources, "\n".join(lines)).check()

    def test_downwards(self):
        self.assertEqual(self.complaints(
            ("hw/radio/radio.cc", "hw/model/table.cc"), ("hw/radio/radio.cc", "hw/tuner/packet.cc"), ("plugins/models.cc", "hw/memory/cache.cc"),
            ("hw/qemu/tcg/view.c", "plugins/models.cc"), ("hw/qemu/core/time/timers.c", "hw/qemu/tcg/x86/cpu.c"), ("hw/qemu/tcg/view.c", "hw/qemu/core/time/time.c"),
            ("hw/qemu/radio/radio.c", "hw/qemu/tcg/view.c"), ("hw/qemu/core/load/entry.c", "hw/qemu/radio/radio.c"),
            ("guest/radio/cmd.cc", "guest/common/output.cc")), [])

    def test_upwards(self):
        for user, there in (("plugins/pass.cc", "hw/qemu/tcg/view.c"), ("plugins/pass.cc", "hw/qemu/core/time/time.c"), ("hw/model/table.cc", "hw/radio/radio.cc"),
                            ("hw/radio/radio.cc", "plugins/pass.cc"), ("hw/qemu/core/time/time.c", "hw/qemu/radio/radio.c"),
                            ("hw/qemu/radio/radio.c", "hw/qemu/tuner/tuner.c"), ("guest/common/output.cc", "guest/radio/trace.cc")):
            with self.subTest(user=user, there=there):
                said = self.complaints((user, there))
                self.assertEqual(len(said), 1)
                self.assertTrue(said[0].startswith(f"{user}.o uses f0 of {there}.o: "), said)

    def test_circle(self):
        said = self.complaints(("hw/radio/radio.cc", "hw/tuner/packet.cc"), ("hw/tuner/tuner.cc", "hw/radio/dial.cc"))
        self.assertEqual(said, ["circle: hw/radio -> hw/tuner (hw/radio/radio.cc uses f0), hw/tuner -> hw/radio (hw/tuner/tuner.cc uses f1)"])

    def test_one_of_several_is_enough(self):
        text = "a.o:                 U f\nb.o:0000000000000010 T f\nc.o:0000000000000010 W f"
        sources = {"a.o": "plugins/pass.cc", "b.o": "hw/qemu/tcg/view.c", "c.o": "hw/model/table.cc"}
        self.assertEqual(symbols.Calls(symbols.includes.Tree(os.path.dirname(os.path.dirname(HERE))), sources, text).check(), [])


if __name__ == "__main__":
    unittest.main()
