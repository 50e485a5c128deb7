#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/kernel, scripts/fresh: what is wrong is said in one line, before anything is downloaded; a kernel's configurations say each thing once."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from guestrun_fixture import PATIENCE, ROOT, write
from guestrun import tree


def lines(name):
    with open(os.path.join(ROOT, "scripts", "kernelrun", name + ".config"), encoding="ascii") as f:
        return re.findall(r"(?m)^CONFIG_(\w+)=(.*)$", f.read())


class Kernel(unittest.TestCase):
    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            bad = write(os.path.join(folder, "bad.config"), "# more\nCONFIG_BLOCK=y\nBLOCK=y\n")
            for words, line in [(["ktsan"], "'ktsan': legal are kasan, kcsan, eisa, --linux SERIES and --config FILE"), (["kasan", "kcsan"], "'kcsan': legal is one of"),
                                (["--linux"], "--linux '': legal are 6.1 and 6.12"), (["--linux", "5.10"], "--linux '5.10': legal are 6.1 and 6.12"),
                                (["--config"], "--config: names no file"), (["--config", "/nowhere/x"], "--config /nowhere/x: cannot be read"),
                                (["--config", folder], f"--config {folder}: cannot be read"),
                                (["--config", bad], f"--config {bad}: line 3 is 'BLOCK=y'; legal are lines CONFIG_NAME=VALUE")]:
                with self.subTest(words):
                    done = subprocess.run([os.path.join(ROOT, "scripts", "kernel"), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                          timeout=PATIENCE)
                    self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done)
                    self.assertIn("kernel: error: " + line, done.stderr)

    def test_fresh(self):
        """Options stand on either side of the suite; a user without sudo gets no further than they do."""
        with tempfile.TemporaryDirectory() as folder:
            for program in ("bash", "dirname", "sed"):
                os.symlink(shutil.which(program), os.path.join(folder, program))
            write(os.path.join(folder, "id"), "#!/bin/sh\necho 1000\n".replace("/bin/sh", shutil.which("sh")), 0o755)
            usage, root = "usage: scripts/fresh [--keep] [--in DIR] [--out DIR] SUITE COMMAND...", "needs root for chroot: run it as root, or install sudo"
            for words, line in [("trixie --keep", usage), ("--keep trixie", usage), ("trixie", usage), ("trixie --in /nowhere true", "--in: names no folder"),
                                ("trixie --fast true", "unknown option --fast (--help lists them)"), ("--fast trixie true", "unknown option --fast (--help lists them)"),
                                ("sid true", "suite 'sid': legal are bookworm and trixie"), ("--keep sid --out x true", "suite 'sid': legal are bookworm and trixie"),
                                ("trixie --keep true --in x", root), ("--keep trixie --out x true", root), ("trixie --in / --out x sh -c true", root)]:
                with self.subTest(words):
                    done = subprocess.run([os.path.join(ROOT, "scripts", "fresh"), *words.split()], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                          timeout=PATIENCE, env={"PATH": folder})
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"fresh: error: {line}\n"))

    def test_configurations(self):
        guest = dict(lines("guest"))
        for kind, parts in [("kasan", ["guest", "kasan"]), ("kcsan", ["guest", "kcsan"]), ("eisa", ["eisa"])]:
            names = [name for part in parts for name, _ in lines(part)]
            self.assertEqual(len(names), len(set(names)), kind)
        for name in ("64BIT", *tree.NEEDED):
            self.assertEqual(guest.get(name), "y", name)

    def test_what_the_kernel_does_not_take(self):
        with tempfile.TemporaryDirectory() as folder:
            want = write(os.path.join(folder, "want"), "# a line\nCONFIG_A=y\nCONFIG_B=n\nCONFIG_C=12\nCONFIG_UBSAN_SANITIZE_ALL=y\n")
            for config, missing in [("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=12\n", ""), ("CONFIG_A=y\nCONFIG_C=1\n", "CONFIG_C=12\n"),
                                    ("CONFIG_B=y\n", "CONFIG_A=y\nCONFIG_C=12\n")]:
                with self.subTest(config):
                    done = subprocess.run([os.path.join(ROOT, "scripts", "kernelrun", "missing"), want, write(os.path.join(folder, "config"), config)],
                                          capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, missing, ""))


if __name__ == "__main__":
    unittest.main()
