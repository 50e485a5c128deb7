#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""That tests/style/includes complains where it should: made-up trees, each with one thing wrong."""

import os
import unittest

from script import load, tree

includes = load("includes")

# Every direction that is allowed, once.
GOOD = {
    "hw/boards": "# name bus\nradio pci\ntuner pci\n",
    "hw/model/host.h": "",
    "hw/memory/cache.h": '#include "hw/model/host.h"\n',
    "hw/tuner/packet.h": '#include "hw/memory/cache.h"\n',
    "hw/radio/radio.h": '#include "hw/tuner/packet.h"\n',
    "hw/radio/radio.cc": '#include "radio.h"\n#include <algorithm>\n',
    "plugins/port.h": "",
    "plugins/taps.cc": '#include "plugins/port.h"\n#include <qemu-plugin.h>\n',
    "hw/qemu/series/qemu.h": '#include "qemu/osdep.h"\n',
    "hw/qemu/core/time/time.c": '#include "hw/qemu/series/qemu.h"\n#include "plugins/port.h"\nuint64_t now(void) { return use_icount; }\n',
    "hw/qemu/core/time/time.h": "",
    "hw/qemu/eisa/eisa.h": '#include "hw/qemu/core/time/time.h"\n',
    "hw/qemu/radio/radio.c": '#include "hw/qemu/series/qemu.h"\n#include "hw/qemu/eisa/eisa.h"\n#include "hw/radio/radio.h"\n/* use_icount */\n',
    "guest/common/input.h": "",
    "guest/radio/regs.h": "",
    "guest/radio/driver/radio.c": '#include <linux/module.h>\n#include "../regs.h"\n#include "guest/common/input.h"\n',
    "tests/unit/radio/radio_test.cc": '#include "hw/radio/radio.h"\n',
}


class Includes(unittest.TestCase):
    def complaints(self, files=None):
        with tree({**GOOD, **(files or {})}) as root:
            return includes.Tree(root).check()

    def expect(self, files, *parts):
        said = self.complaints(files)
        self.assertTrue(said)
        for part in parts:
            self.assertTrue(any(part in line for line in said), f"{part!r} in {said}")

    def test_good_tree_passes(self):
        self.assertEqual(self.complaints(), [])

    def test_upwards(self):
        for path, name in (("hw/model/host.h", "hw/radio/radio.h"), ("hw/memory/cache.h", "hw/tuner/packet.h"),
                           ("hw/radio/radio.h", "plugins/port.h"), ("plugins/port.h", "hw/qemu/core/time/time.h"),
                           ("hw/qemu/core/time/time.h", "hw/qemu/eisa/eisa.h"), ("hw/qemu/eisa/eisa.h", "hw/radio/radio.h"),
                           ("guest/common/input.h", "guest/radio/regs.h"), ("guest/common/input.h", "hw/memory/cache.h"), ("hw/tuner/packet.h", "tests/a.h")):
            with self.subTest(path=path, name=name):
                folder, to = os.path.dirname(path), os.path.dirname(name)
                self.expect({path: f'\n#include "{name}"\n', "tests/a.h": ""}, f"{path}:2: {folder} may not include {to}")

    def test_shims_do_not_know_each_other(self):
        self.expect({"hw/qemu/tuner/tuner.h": "", "hw/qemu/radio/radio.c": '#include "hw/qemu/tuner/tuner.h"\n'},
                    "hw/qemu/radio may not include hw/qemu/tuner")
        self.expect({"hw/qemu/radio/radio.c": '#include "hw/tuner/packet.h"\n'}, "hw/qemu/radio may not include hw/tuner")

    def test_circle_between_boards(self):
        self.expect({"hw/tuner/tuner.h": '#include "hw/radio/radio.h"\n'},
                    "circle: hw/radio -> hw/tuner (hw/radio/radio.h:1), hw/tuner -> hw/radio (hw/tuner/tuner.h:1)")

    def test_circle_of_three(self):
        self.expect({"hw/boards": "a x\nb x\nc x\nradio x\ntuner x\n", "hw/a/a.h": '#include "hw/b/b.h"\n',
                     "hw/b/b.h": '#include "../c/c.h"\n', "hw/c/c.h": '#include "hw/a/a.h"\n'},
                    "circle: hw/a -> hw/b", "hw/c -> hw/a (hw/c/c.h:1)")

    def test_circle_with_own_subfolder(self):
        self.expect({"plugins/isa/isa.h": '#include "plugins/port.h"\n', "plugins/taps.cc": '#include "plugins/isa/isa.h"\n'},
                    "circle: plugins -> plugins/isa")

    def test_rooms_of_core(self):
        glue, fault, work = ("hw/qemu/core/board/glue.h", "hw/qemu/core/faults/inject.h", "hw/qemu/core/vcpu/work.h")
        one_layer = {glue: f'#include "{fault}"\n#include "hw/qemu/core/time/time.h"\n', fault: f'#include "{glue}"\n'}
        self.assertEqual(self.complaints({**one_layer, "hw/qemu/core/time/time.h": f'#include "{work}"\n', work: ""}), [])
        self.expect({work: '#include "hw/qemu/core/time/time.h"\n'}, "hw/qemu/core/vcpu may not include hw/qemu/core/time")

    def test_qemu_headers(self):
        self.expect({"hw/radio/radio.cc": '#include "qemu/osdep.h"\n'}, "hw/radio/radio.cc:1: qemu/osdep.h is no file of ours")
        self.expect({"plugins/taps.cc": '#include "exec/memory.h"\n'}, "exec/memory.h is no file of ours")
        self.expect({"hw/qemu/radio/radio.c": '#include "exec/memory.h"\n'}, "exec/memory.h is no file of ours")
        self.expect({"hw/radio/radio.cc": "#include <qemu-plugin.h>\n"}, "qemu-plugin.h is for plugins only")

    def test_folder_without_a_row(self):
        self.expect({"elsewhere/a.c": ""}, "elsewhere/a.c: no row")
        self.expect({"hw/unlisted/a.cc": ""}, "hw/unlisted/a.cc: no row")

    def test_long_shim(self):
        self.assertEqual(self.complaints({"hw/qemu/radio/radio.c": "\n" * 249}), [])
        self.expect({"hw/qemu/radio/radio.c": "\n" * 250}, "hw/qemu/radio/radio.c: 250 lines")

    def test_time_has_one_owner(self):
        for owner, texts in {"time.c": ("timers_state.qemu_icount", "x = use_icount;", "qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL)", "cpu->stopped = true;"),
                             "timers.c": ("timer_mod_ns(t, 1)", "vm_stop(RUN_STATE_PAUSED)")}.items():
            for text in texts:
                with self.subTest(text=text):
                    self.expect({"hw/qemu/radio/radio.c": f"/* a\n b */ {text}\n"},
                                "hw/qemu/radio/radio.c:2: ", f"belongs to hw/qemu/core/time/{owner}")


if __name__ == "__main__":
    unittest.main()
