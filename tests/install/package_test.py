#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""package_test.py ROOT - scripts/package: the source package holds what its build needs, the same bytes each time; what is wrong is refused.

That the packages build, install, work and go again is scripts/package --check, which needs root and a network.
"""

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv[1])
PACKAGE = os.path.join(ROOT, "scripts", "package")


def package(*words):
    return subprocess.run([PACKAGE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


class Refused(unittest.TestCase):
    def refused(self, line, *words):
        done = package(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.rstrip("\n"), "package: error: " + line)

    def test_lines(self):
        self.refused("unknown option --suite: legal are --build, --check and --output DIR", "--suite")
        self.refused("suite 'sid': legal are bookworm and trixie", "--check", "sid")
        self.refused("--check: legal is one or more of bookworm and trixie", "--check")
        self.refused("suite 'trixie': only with --check", "--build", "trixie")
        self.refused("--output: names no folder", "--output")

    def test_packages_that_a_build_needs(self):
        """Asked for before anything is made. The Debian of this test has few, as far as dpkg knows."""
        with tempfile.TemporaryDirectory(prefix="package-few-") as folder:
            fake = os.path.join(folder, "dpkg-checkbuilddeps")
            with open(fake, "w") as f:
                f.write("#!/bin/sh\n[ -f \"$1\" ] || exit 0\n"
                        "echo 'dpkg-checkbuilddeps: error: Unmet build dependencies: debhelper-compat (= 13) libfdt-dev' >&2\nexit 1\n")
            os.chmod(fake, 0o755)
            done = subprocess.run([PACKAGE, "--build", "--output", os.path.join(folder, "out")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, check=False, env={**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]})
            self.assertEqual((done.returncode, done.stdout, os.listdir(folder)), (2, "", ["dpkg-checkbuilddeps"]))
        self.assertEqual(done.stderr, "package: error: --build: packages are missing: debhelper-compat (= 13) libfdt-dev; "
                         "as root: apt-get build-dep ./scripts\n")

    def test_help(self):
        done = package("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("scripts/package --check SUITE...", done.stdout)
        self.assertNotIn("set -euo", done.stdout)


@unittest.skipUnless(os.path.exists(os.path.join(ROOT, ".git")), "the source package is made of a commit")
class Source(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="package-")
        cls.made = [cls.make(name) for name in ("first", "second")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def make(cls, name):
        out = os.path.join(cls.folder.name, name)
        done = package("--output", out)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        return out

    def names(self, pattern):
        found = [n for n in os.listdir(self.made[0]) if re.fullmatch(pattern, n)]
        self.assertEqual(len(found), 1, pattern)
        with tarfile.open(os.path.join(self.made[0], found[0])) as tar:
            return {member.name for member in tar.getmembers()}

    def test_same_bytes(self):
        sums = []
        for out in self.made:
            sums.append({})
            for name in os.listdir(out):
                with open(os.path.join(out, name), "rb") as f:
                    sums[-1][name] = hashlib.sha256(f.read()).hexdigest()
        self.assertEqual(sums[0], sums[1])
        self.assertEqual(sorted(re.sub(r"^perfboard_[0-9]+[.][0-9]+[.][0-9]+", "", name) for name in sums[0]),
                         ["-1.debian.tar.xz", "-1.dsc", ".orig-qemu.tar.xz", ".orig.tar.xz"])

    def test_parts(self):
        source = self.names(r".*\.orig\.tar\.xz")
        self.assertFalse([n for n in source if re.match(r"[^/]+/(debian|build|out|\.cache)(/|$)", n)])
        self.assertTrue(any(n.endswith("/hw/boards") for n in source))
        debian = self.names(r".*\.debian\.tar\.xz")
        for name in ("control", "rules", "changelog", "copyright", "source/format", "tests/control", "perfboard.install"):
            self.assertIn("debian/" + name, debian)

    def test_headers_are_all_that_the_build_asks_for(self):
        """What the compiler has read of QEMU for this build (ninja -t deps) is in the component."""
        component = self.names(r".*\.orig-qemu\.tar\.xz")
        self.assertTrue(any(re.fullmatch(r"qemu/[0-9.]+/src/VERSION", name) for name in component))
        self.assertFalse([n for n in component if n.endswith((".c", ".o"))])
        deps = subprocess.run(["ninja", "-C", sys.argv[2], "-t", "deps"], stdout=subprocess.PIPE, text=True, check=True).stdout
        tree = os.path.join(ROOT, ".cache", "qemu")
        read = {os.path.relpath(os.path.join(sys.argv[2], line.strip()), tree) for line in deps.splitlines() if line.startswith(" ")}
        # Tests are not built by the package; QEMU's own plugins are compared with by some of them.
        read = {"qemu/" + path for path in read
                if not path.startswith("..") and "/tests/" not in path and "/src/contrib/" not in path}
        self.assertGreater(len(read), 100)
        self.assertEqual(read - component, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
