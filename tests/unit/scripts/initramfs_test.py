#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""guest/initramfs/build: the same input gives the same bytes, whatever this machine's files are numbered, dated and owned."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["PERFBOARD_ROOT"]) / "guest/initramfs/build"


class Initramfs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="perfboard-initramfs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("module.ko", b"\0alias=pci:v00001234d*\0alias=pci:v00005678d*\0")
        self.write("scripts/run.sh", b"echo\n", 0o640)
        self.write("scripts/a b#c\\d", b"data")
        self.write("some/selector.bit", b"bits")
        self.words = ["--module", "module.ko", "--script", "scripts", "--has", "some/selector.bit",
                      "--file", "some/selector.bit=/deep/down/x"]

    def write(self, name, data, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)

    def run_build(self, *words, cwd=None):
        return subprocess.run([BUILD, *words], cwd=cwd or self.folder, capture_output=True, text=True)

    def build(self, name, cwd=None):
        run = self.run_build(self.folder / name, *self.words, cwd=cwd)
        self.assertEqual(run.returncode, 0, run.stderr)
        return (self.folder / name).read_bytes()

    def listing(self, name):
        text = subprocess.run(["bsdtar", "--numeric-owner", "-tvf", self.folder / name], capture_output=True, text=True, check=True).stdout
        found = {}
        for line in text.splitlines():
            mode, _, uid, gid, size, date, path = re.fullmatch(
                r"(\S+) +(\d+) (\d+) +(\d+) +(\d+(?:,\d+)?) (Jan +1 +1970) \./(.*)", line).groups()
            found[path] = (mode, uid, gid, size)
        return found

    def test_files_where_it_is_called_are_nobodys_business(self):
        first = self.build("first.cpio")
        self.write("bin", b"a file, and a folder in the guest")
        (self.folder / "init").mkdir()
        self.assertEqual(self.build("second.cpio"), first)

    def test_same_bytes_from_other_files_of_the_same_content(self):
        first = self.build("first.cpio")
        other = self.folder / "other"
        other.mkdir()
        for name in ("some", "scripts", "module.ko"):
            source = self.folder / name
            shutil.copytree(source, other / name) if source.is_dir() else shutil.copy(source, other / name)
        for path in other.rglob("*"):
            os.utime(path, (1000000000, 1000000000))
        self.assertEqual(self.build("second.cpio", cwd=other), first)
        self.assertEqual(gzip.decompress(self.build("third.cpio.gz")), first)
        self.assertEqual(self.build("fourth.cpio.gz"), (self.folder / "third.cpio.gz").read_bytes())
        self.write("scripts/run.sh", b"echO\n")
        self.assertNotEqual(self.build("fifth.cpio"), first)

    def test_what_the_kernel_will_find(self):
        data = self.build("made.cpio")
        self.assertEqual(data[:6], b"070701", "newc, the only format that the kernel takes")
        found = self.listing("made.cpio")
        self.assertEqual(found["dev/console"], ("crw-------", "0", "0", "5,1"))
        self.assertEqual(found["dev/null"], ("crw-rw-rw-", "0", "0", "1,3"))
        self.assertEqual(found["tmp/"], ("drwxrwxrwt", "0", "0", "0"))
        self.assertEqual(found["bin/sh -> busybox"][0], "lrwxrwxrwx")
        self.assertEqual(found["tests/run.sh"], ("-rwxr-xr-x", "0", "0", "5"))
        self.assertEqual(found["firmware/selector.bit"], ("-rw-r--r--", "0", "0", "4"))
        self.assertEqual(found["deep/down/x"], ("-rw-r--r--", "0", "0", "4"))
        self.assertEqual(found["init"][0], "-rwxr-xr-x")
        paths = list(found)
        self.assertLess(paths.index("deep/"), paths.index("deep/down/"))
        self.assertLess(paths.index("deep/down/"), paths.index("deep/down/x"))

    def test_contents(self):
        self.build("made.cpio")
        out = self.folder / "out"
        out.mkdir()
        subprocess.run(["bsdtar", "-xf", self.folder / "made.cpio", "-C", out, "./tests", "./lib"], check=True)
        self.assertEqual((out / "tests/a b#c\\d").read_bytes(), b"data")
        self.assertEqual((out / "lib/modules/order").read_text(), "module.ko pci:v00001234d* pci:v00005678d*\n")

    def test_a_file_that_is_missing(self):
        for words in (["--bin", "none"], ["--module", "none"], ["--file", "none=/x"], ["--has", "none"], ["--script", "none"]):
            run = self.run_build("made.cpio", *words)
            self.assertEqual(run.returncode, 1, words)
            self.assertIn("none", run.stderr)
            self.assertNotIn("Traceback", run.stderr)
            self.assertFalse((self.folder / "made.cpio").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
