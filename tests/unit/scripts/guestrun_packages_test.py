#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run --add-package: packages come into the guest's second archive, with an apt-get that only pretends and a real dpkg-deb."""
import os
import shutil
import stat
import subprocess
import unittest
import unittest.mock

from guestrun_fixture import Case, write
from guestrun import overlay, packages

# It knows `tool`, which needs `lib`, and `held`, which cannot be downloaded. Downloads are counted in the file "downloads".
APT = """#!/bin/sh
here=$(dirname "$0")
for word; do
  case $word in
    Dir::Cache=*) cache=${word#*=} ;;
    Dir::State::status=*) [ ! -s "${word#*=}" ] || exit 9 ;;
    --simulate|--download-only|install) what="$what $word" ;;
    tool|held) names="$names $word" ;;
    [a-z]*.*|[A-Z]*) ;;
    -*) ;;
    *) echo "E: Unable to locate package $word" >&2; exit 100 ;;
  esac
done
case $what in
  *--simulate*) for n in $names; do echo "Inst $n (1:2.0 Debian:12/stable [amd64])"; done; echo "Inst lib (3 Debian:12/stable [all])" ;;
  *) echo x >>"$here/downloads"
     case $names in *held*) echo "E: Failed to fetch held" >&2; exit 100 ;; esac
     cp "$here"/debs/*.deb "$cache/archives" ;;
esac
"""


@unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb")
class Packages(Case):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin/debs"))
        write(self.path("bin/apt-get"), APT, 0o755)
        self.environment = {"PATH": self.path("bin") + ":" + os.environ["PATH"], "XDG_CACHE_HOME": self.path("cache")}
        self.package("tool", "1:2.0", "amd64", {"bin/tool": "program", "usr/share/doc/tool/README": "text", "etc/tool.conf": "on",
                                                 "lib64/ld-linux-x86-64.so.2": "@/lib/x86_64-linux-gnu/ld.so", "usr/lib/libtool.so": "@../../lib/lib.so.3"})
        self.package("lib", "3", "all", {"lib/lib.so.3": "library", "usr/share/man/man1/lib.1": "page"})
        patch = unittest.mock.patch.dict(os.environ, self.environment)
        patch.start()
        self.addCleanup(patch.stop)

    def package(self, name, version, arch, files):
        tree = self.path("tree-" + name)
        os.makedirs(os.path.join(tree, "DEBIAN"))
        write(os.path.join(tree, "DEBIAN", "control"), f"Package: {name}\nVersion: {version}\nArchitecture: {arch}\nMaintainer: x <x@example>\nDescription: x\n")
        for path, text in files.items():
            os.makedirs(os.path.join(tree, os.path.dirname(path)), exist_ok=True)
            if text.startswith("@"):
                os.symlink(text[1:], os.path.join(tree, path))
            else:
                write(os.path.join(tree, path), text, 0o755 if "bin/" in path else 0o644)
        file = self.path(f"bin/debs/{name}_{version.replace(':', '%3a')}_{arch}.deb")
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, file], check=True, stdout=subprocess.DEVNULL)

    def downloads(self):
        with open(self.path("bin/downloads"), encoding="ascii") as f:
            return len(f.readlines())

    def test_what_comes_where(self):
        files = packages.get("--add-package", ["tool"], True)
        self.assertEqual([os.path.basename(f) for f in files], ["lib_3_all.deb", "tool_1%3a2.0_amd64.deb"])
        archive = overlay.Archive()
        packages.add(archive, files)
        found = {path: (stat.S_IFMT(mode), mode & 0o777, data) for path, (mode, data) in archive.entries.items() if not stat.S_ISDIR(mode)}
        self.assertEqual(found, {
            "usr/bin/tool": (stat.S_IFREG, 0o755, b"program"),
            "usr/lib/lib.so.3": (stat.S_IFREG, 0o644, b"library"),
            "usr/lib/libtool.so": (stat.S_IFLNK, 0o777, b"/usr/lib/lib.so.3"),
            "lib64/ld-linux-x86-64.so.2": (stat.S_IFLNK, 0o777, b"/usr/lib/x86_64-linux-gnu/ld.so"),
            "etc/tool.conf": (stat.S_IFREG, 0o644, b"on"),
            "perfboard/packages": (stat.S_IFREG, 0o644, b"lib_3_all.deb\ntool_1%3a2.0_amd64.deb\n")})

    def test_what_was_downloaded_is_kept(self):
        for _ in range(2):
            packages.get("--add-package", ["tool"], True)
            self.assertEqual(self.downloads(), 1)

    def test_the_guest_has_it(self):
        done = self.run_guest(records=b"start\nexit 0\ntaint 0\nend\n", console=b"perfboard: start\n\nperfboard: exit 0\n", options=["--add-package", "tool"])
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("apt gets 2 of 2 packages", done.err)

    def refused(self, *words, says):
        done = self.guest_run(*words, *([] if "--disk" in words else ["--", "true"]), environment=self.environment)
        self.assertEqual((done.status, done.out), (2, b""), done.err)
        self.assertRegex(done.err.splitlines()[-1], says)
        self.assertFalse(os.path.exists(self.path("words")), "QEMU was started")

    def test_refused(self):
        self.refused("--add-package", "nonesuch", says="--add-package nonesuch: legal are packages that apt here knows.*: Unable to locate package nonesuch$")
        self.refused("--add-package", "held", says=r"--add-package held: held_1%3a2\.0_amd64\.deb cannot be had: Failed to fetch held$")
        for wrong in ("", "-y", "a b", "tool=1", "../x", "Tool"):
            self.refused(f"--add-package={wrong}", says=f"--add-package '{wrong}': legal is the name of a Debian package$")
        self.refused("--add-package", "tool", "--disk", self.kernel, says="--add-package tool: not together with --initrd or --disk")
        write(self.path("vmlinux"), b"\x7fELF\x02\x01\x01" + bytes(64))
        self.refused("--arch", "ppc64", "--kernel", self.path("vmlinux"), "--add-package", "tool", says="--add-package tool: legal with --arch x86_64 only")

    def test_no_debian(self):
        os.remove(self.path("bin/apt-get"))
        for program in ("python3", "env"):
            os.symlink(shutil.which(program), self.path("bin/" + program))
        self.environment["PATH"] = self.path("bin")
        self.refused("--add-package", "tool", says="--add-package tool: legal on a Debian only: there is no apt-get$")


if __name__ == "__main__":
    unittest.main()
