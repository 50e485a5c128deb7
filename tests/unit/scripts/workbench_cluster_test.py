#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard cluster: what is wrong is refused in one line, with status 2, before anything starts."""
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.path.join(os.environ["PERFBOARD_ROOT"], "scripts", "perfboard")


class Cluster(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.kept = os.path.join(self.temporary.name, "kept")
        os.mkdir(self.kept)
        self.write({"ns": 5 * 10**9, "nodes": 2, "join": 0, "lan": None, "more": [], "words": ["true"]})

    def write(self, started):
        with open(os.path.join(self.kept, "cluster.json"), "w", encoding="utf-8") as f:
            json.dump(started, f)

    def refused(self, *words, names):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "SLURM_"))}
        done = subprocess.run([PROGRAM, "cluster", *words], capture_output=True, text=True, cwd=self.temporary.name, env=environment)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for name in ("perfboard cluster: ", *names):
            self.assertIn(name, done.stderr)

    def test_numbers(self):
        for option, value, legal in [("-n", "1", "2 to 1024"), ("-n", "1025", "2 to 1024"), ("--join", "-1", "0 to 1000000"), ("--join", "nan", "0 to 1000000"), ("--join", "soon", "and boot"),
                                     ("--patience", "-1", "0 to 1000000"), ("--status", "-1", "0 to 1000000"), ("--status", "nan", "0 to 1000000")]:
            with self.subTest(f"{option} {value}"):
                self.refused(*(["-n", "2"] if option != "-n" else []), f"{option}={value}" if option != "-n" else f"-n{value}", "--", "true",
                             names=[f"{option} {value}: ", legal])

    def test_join_boot(self):
        """Only of a guest that we know."""
        for more, name in ((["--initrd", "x"], "--join boot: "), (["--initramfs", "x{node}"], "--initramfs x0: "), (["--initramfs", PROGRAM], f"--initramfs {PROGRAM}: ")):
            with self.subTest(more[0]):
                self.refused("-n", "2", "--join", "boot", *more, "--", "true", names=[name, "a guest of ours"])

    def test_words(self):
        self.refused("--", "true", names=["-n is missing"])
        self.refused("-n", "2", names=["no command"])
        for value in ("x", "rate=", "rate=1,", "netdev=1", "rate=1 latency=1"):
            with self.subTest(value):
                self.refused("-n", "2", "--lan", value, "--", "true", names=[f"--lan {value}: ", "rate=MBIT/S and latency=NS"])
        self.refused("-n", "2", "--hosts", "a", "--", "true", names=["--hosts a: ", "two or more"])

    def test_free(self):
        for more in (["--join", "1"], ["--save", "5=x"], ["--icount", "4"]):
            with self.subTest(more[0]):
                self.refused("-n", "2", "--free", *more, "--", "true", names=["--free"])

    def test_save(self):
        for value in ("5", "=x", "0=x", "-1=x", "nan=x", "inf=x", "1e9=x", "soon=x", "5="):
            with self.subTest(value):
                self.refused("-n", "2", f"--save={value}", "--", "true", names=[f"--save {value}: ", "S=DIR"])
        for more in (["--disk", "image"], ["--share", "x"], ["--share-ro", "x"]):
            self.refused("-n", "2", "--save", "5=x", *more, "--", "true", names=["a guest of ours only", "without --share"])

    def test_load(self):
        self.refused("--load", "nowhere", names=["--load nowhere: ", "no cluster was saved there"])
        for more, name in ((["-n", "2"], "-n"), (["--join", "1"], "--join"), (["--lan"], "--lan"), (["--", "ls"], "a command"), (["--board", "x"], "--board")):
            with self.subTest(name):
                self.refused("--load", self.kept, *more, names=[f"{name} is not legal with it"])
        self.refused("--load", self.kept, "--save", "4.5=x", names=["--save 4.5=x: ", "more than the 5 s"])
        for damaged in ({}, [], {"ns": "x"}, {"ns": 1, "nodes": 2, "join": 0, "more": []}):
            with self.subTest(str(damaged)):
                self.write(damaged)
                self.refused("--load", self.kept, names=["no cluster was saved there"])


if __name__ == "__main__":
    unittest.main()
