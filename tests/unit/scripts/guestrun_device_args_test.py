#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run: which devices --board makes, and what --log, --coverage and --scenario put at them."""
import re
import unittest

from guestrun_fixture import Case, write
from guestrun import device_args
from workbench import Refused

BUSES = ("eisa", "pci")


class DeviceArgs(Case):
    def devices(self, *boards, buses=BUSES):
        return device_args.devices(list(boards), buses)

    def test_what_a_board_needs(self):
        sni = "shrimp-sni,slot=1,node=1,nodes=4"
        for boards, words in [
                (["multikron"], ["multikron"]), (["power2"], ["power2-pm"]),
                (["surfboard"], ["i82375", sni, "surfboard,slot=2"]),
                (["shrimp"], ["i82375", sni]), (["shrimp", "eisa"], ["i82375", sni]),
                (["smile"], ["smile-sci", "smile-hwm,node=0"]), (["smile-hwm"], ["smile-sci", "smile-hwm,node=0"]),
                (["power2", "surfboard"], ["i82375", "power2-pm", sni, "surfboard,slot=2"]),
                ([], [])]:
            with self.subTest(boards):
                self.assertEqual(sorted(self.devices(*boards)), sorted(words))

    def test_who_is_needed_comes_first(self):
        words = [w.split(",")[0] for w in self.devices("surfboard", "smile")]
        self.assertLess(words.index("i82375"), words.index("shrimp-sni"))
        self.assertLess(words.index("shrimp-sni"), words.index("surfboard"))
        self.assertLess(words.index("smile-sci"), words.index("smile-hwm"))

    def test_properties(self):
        self.assertEqual(self.devices("multikron,fifo-depth=4,chardev=a,,b"), ["multikron,fifo-depth=4,chardev=a,,b"])
        self.assertEqual(self.devices("surfboard,trace-size=4M", "shrimp,nodes=9"),
                         ["i82375", "shrimp-sni,slot=1,node=1,nodes=9", "surfboard,slot=2,trace-size=4M"])

    def test_places(self):
        slots = [device_args.properties(w)[1]["slot"] for w in self.devices(*["surfboard"] * 5, "surfboard,slot=4")[1:]]
        self.assertEqual(len(set(slots)), 7, slots)
        self.assertIn("4", slots)
        nodes = [device_args.properties(w)[1]["node"] for w in self.devices("smile", "smile,node=0", "smile")[1:]]
        self.assertEqual(sorted(nodes), ["0", "1", "2"])
        with self.assertRaisesRegex(Refused, "no slot is free"):
            self.devices(*["surfboard"] * 15)

    def test_unknown(self):
        with self.assertRaisesRegex(Refused, "--board vga,x=1: legal are eisa, surfboard, shrimp, multikron, sci, smile, power2"):
            self.devices("vga,x=1")
        with self.assertRaisesRegex(Refused, "--board surfboard: legal are multikron, sci, smile, power2"):
            self.devices("surfboard", buses=("pci",))

    def test_looks_go_to_boards_only(self):
        words = device_args.looked_at(["i82375", "surfboard,slot=2", "virtio-rng-pci", "perfboard-lan", "smile-hwm"], {"log": "a,b", "coverage": None})
        self.assertEqual(words, ["i82375", "surfboard,slot=2,log=a,,b", "virtio-rng-pci", "perfboard-lan", "smile-hwm,log=a,,b"])


class Options(Case):

    def qemu_words(self, *words):
        write(self.path("end"), "0")
        self.guest_run(*words, "--", "true")
        with open(self.path("words")) as f:
            return f.read().split("\n")

    def values(self, option, *words):
        given = self.qemu_words(*words)
        return [given[n + 1] for n, w in enumerate(given) if w == option]

    def test_the_words_for_qemu(self):
        log, cover, scenario = self.path("log"), self.path("cover"), write(self.path("scenario"), "1ms multikron inject-gone on\n")
        self.assertEqual(self.values("-device", "--board", "multikron", "--log", log, "--log-format", "json", "--log-size", "1M", "--log-filter", "any CSR;!HTCR=1",
                                     "--symbols", "none", "--coverage", cover),
                         [f"multikron,log={log},log-format=json,log-size=1048576,log-filter=any CSR;!HTCR=1,coverage={cover}"])
        plugin, = self.values("-plugin", "--scenario", scenario)
        self.assertRegex(plugin, f"^{re.escape(self.plugin)},scenario={re.escape(scenario)},unreached=[^,]+,pending=[^,]+$")
        self.assertEqual(self.values("-device", "--board", "power2", "--device", "multikron"), ["power2-pm", "multikron"])
        self.assertEqual(self.values("-smp", "--board", "smile"), ["4"])
        self.assertEqual(self.values("-smp", "--board", "smile", "--smp", "2"), ["2"])

    def test_refused(self):
        for words, line in [
                (["--log", "/nowhere/log"], "--log /nowhere/log: legal is a file that can be written"),
                (["--coverage", self.folder], f"--coverage {self.folder}: legal is a file that can be written"),
                (["--scenario", "/nowhere/s"], "--scenario /nowhere/s: No such file"),
                (["--log-format", "json"], "--log-format json: only together with --log"),
                (["--log", "-", "--log-format", "xml"], "--log-format: invalid choice: 'xml'"),
                (["--log", "-", "--log-size", "1K"], "--log-size 1K: legal are 64K to 1024T, or 0: no limit"),
                (["--log", "-", "--log-size", "2000T"], "--log-size 2000T: legal are 64K to 1024T, or 0: no limit"),
                (["--log", "-", "--log-size", "much"], "--log-size much: legal are 64K to 1024T, or 0: no limit"),
                (["--log-size", "1M"], "--log-size 1M: only together with --log"),
                (["--log-filter", "x"], "--log-filter x: only together with --log"),
                (["--no-boards", "--log", "-"], "--log -: not together with --no-boards"),
                (["--no-boards", "--board", "multikron"], "--board multikron: not together with --no-boards"),
                (["--board", "vga"], "--board vga: legal are eisa, ")]:
            with self.subTest(words):
                done = self.guest_run(*words, "--", "true")
                self.assertEqual((done.status, len(done.err.splitlines())), (2, 1), done)
                self.assertIn(line, done.err)


if __name__ == "__main__":
    unittest.main()
