#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run --lan: what is refused, what QEMU and the guest's second archive get, and where the adapter's driver is found."""
import lzma
import os
import unittest

from guestrun_fixture import Case, write

from guestrun import lan, options, overlay  # after the fixture, which knows where they are
from workbench import Refused, cluster, command

RELEASE = "6.1.0-0-test"


class Lan(Case):
    def setUp(self):
        super().setUp()
        text = b"\0" * 0x200 + b"\0\0HdrS" + b"\0" * 8 + b"\x00\x01" + b"\0" * 0xf0
        self.kernel = write(self.path("kernel"), text.ljust(0x300, b"\0") + RELEASE.encode() + b" (somebody)\0")
        self.driver = write(self.path(f"vmxnet3-{RELEASE}.ko"), b"driver")

    def checked(self, *words):
        return options.check(command.parse(["run", *self.words(*words)[2:], "--", "true"], command.modules()))

    def refused(self, *words):
        with self.assertRaises(Refused) as said:
            self.checked(*words)
        return str(said.exception)

    def test_qemus_words(self):
        done = self.run_guest(options=["--lan", "10/11,rate=100,latency=6000"], records=b"start\nexit 0\ntaint 0\nend\n", console=b"perfboard: start\n\nperfboard: exit 0\n")
        self.assertEqual(done.status, 0, done.err)
        with open(self.path("words"), encoding="utf-8") as f:
            said = f.read().split("\n")
        at = said.index("-netdev")
        self.assertEqual(said[at:at + 8], [
            "-netdev", "hubport,id=lan,hubid=0", "-netdev", "hubport,id=nic,hubid=0", "-device", "perfboard-lan,netdev=lan,rate=100,latency=6000",
            "-device", "vmxnet3,netdev=nic,mac=52:54:00:50:00:0a,romfile=,addr=1c"])

    def test_the_guests_archive(self):
        args = self.checked("--lan", "1/2")
        archive, _ = overlay.make(args)
        text = {name: archive.entries[name][1] for name in ("perfboard/lan/node", "etc/hosts", "perfboard/lan/vmxnet3.ko")}
        self.assertEqual(text, {"perfboard/lan/node": b"1 2 10.0.0.2/16\n", "etc/hosts": b"127.0.0.1 localhost\n10.0.0.1 node0\n10.0.0.2 node1\n",
                                "perfboard/lan/vmxnet3.ko": b"driver"})
        self.assertEqual(overlay.command(args), ". /perfboard/lan/run && exec /perfboard/run")

    def test_many_nodes(self):
        archive, _ = overlay.make(self.checked("--lan", "511/1024"))
        self.assertEqual(archive.entries["perfboard/lan/node"][1], b"511 1024 10.0.2.0/16\n")
        self.assertIn(b"\n10.0.1.0 node255\n", archive.entries["etc/hosts"][1])
        self.assertIn("52:54:00:50:01:ff", lan.words(lan.Lan(511, 1024, ""))[-1])

    def test_with_a_shared_folder(self):
        args = self.checked("--lan", "1/2")
        args.share = ["one"]
        self.assertEqual(overlay.command(args), "/perfboard/share/run || exit; cd /root && . /perfboard/lan/run && exec /perfboard/run")

    def test_without(self):
        args = self.checked()
        self.assertIsNone(args.overlay)
        self.assertEqual(self.checked("--add", self.driver).overlay.entries.get("perfboard/lan/run"), None)

    def test_a_compressed_driver(self):
        os.unlink(self.driver)
        write(self.driver + ".xz", lzma.compress(b"packed"))
        self.assertEqual(self.checked("--lan", "0/2").lan_driver, b"packed")

    def test_no_driver(self):
        os.unlink(self.driver)
        self.assertIn(f"--lan: there is no driver vmxnet3 for the kernel {self.kernel}; legal is one beside it, {self.driver}", self.refused("--lan", "0/2"))

    def test_refused(self):
        for word in ("", "2/2", "0/1025", "0", "a/2", "-1/2", "0/2,", "0/2,rate=", "0/2,rate=x", "0/2,netdev=x", "0/2,rate=1,x"):
            with self.subTest(word=word):
                self.assertIn(f"--lan {word}: legal are NODE/NODES", self.refused(f"--lan={word}"))
        self.assertIn("not together with --no-boards", self.refused("--lan", "0/2", "--no-boards"))
        self.assertIn("legal with --arch x86_64 only", self.refused("--lan", "0/2", "--arch", "ppc64", "--mem", "512M"))

    def of_node_1(self, *words):
        args = command.parse(["cluster", "-n", "3", *words, "--", "true"], command.modules())
        cluster.check(args)
        args.saves = None
        return cluster.run_words(args, "file", 1)

    def test_of_a_cluster(self):
        for words, wanted in ((["--lan"], "1/3"), (["--lan", "rate=5"], "1/3,rate=5")):
            said = self.of_node_1(*words)
            self.assertEqual(said[said.index("--lan") + 1], wanted)
        self.assertNotIn("--lan", self.of_node_1())


if __name__ == "__main__":
    unittest.main()
