#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""install_test.py ROOT BUILD [--boot QEMU] - what `meson install` installs is what somebody else needs.

Into a folder of its own (--destdir): each file belongs to one package (scripts/debian/*.install) and each of their lines finds
something; the libraries are real archives with no reference that is left open, pkg-config says how to use them, and headers find
each other. With --boot also: the installed command boots a guest, with nothing of the source tree but the guest's kernel.
"""

import fnmatch
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv[1])
BUILD = os.path.abspath(sys.argv[2])
QEMU = sys.argv[4] if len(sys.argv) > 4 and sys.argv[3] == "--boot" else None
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = os.path.join(ROOT, "scripts", "debian")
PIECES = ("hw/model/state_struct.h", "hw/model/state_legal.h", "hw/model/state_end.h")  # of other headers, with what those define before
CXX = ["g++", "-std=c++20", "-Wall", "-Werror"]
CC = ["gcc", "-Wall", "-Werror"]


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **more)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="install-")
        cls.dest = os.path.join(cls.work, "dest")
        done = run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.dest])
        if done.returncode:
            raise AssertionError(done.stdout)
        found = glob.glob(os.path.join(cls.dest, "**", "share", "perfboard"), recursive=True)
        if len(found) != 1:
            raise AssertionError(f"no share/perfboard in {cls.dest}")
        cls.prefix = os.path.dirname(os.path.dirname(found[0]))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def in_prefix(self, *parts):
        return os.path.join(self.prefix, *parts)

    def files(self):
        for folder, folders, names in os.walk(self.prefix):
            for name in names + [f for f in folders if os.path.islink(os.path.join(folder, f))]:
                yield "usr/" + os.path.relpath(os.path.join(folder, name), self.prefix)

    def made(self, words):
        done = run(words, cwd=self.work)
        self.assertEqual(done.returncode, 0, shlex.join(words) + "\n" + done.stdout[-3000:])
        return done.stdout

    def flags(self, package, *options):
        environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(glob.glob(self.in_prefix("lib", "**", "perfboard.pc"), recursive=True)[0]),
                           PKG_CONFIG_SYSROOT_DIR=self.dest)
        done = run(["pkg-config", *options, package], env=environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        return shlex.split(done.stdout)

    def version_line(self):
        return f"0.1.0 (commit {run(['git', '-C', ROOT, 'rev-parse', 'HEAD']).stdout[:12]})\n"

    def test_the_version_is_the_commit(self):
        for command in self.in_prefix("bin", "perfboard"), os.path.join(ROOT, "scripts", "perfboard"):
            self.assertEqual(self.made([command, "--version"]), "perfboard " + self.version_line())

    def test_an_archive_says_of_what_commit_it_is(self):
        folder = os.path.join(self.work, "archive")
        os.mkdir(folder)
        done = run(f"git -C {shlex.quote(ROOT)} archive HEAD scripts/version meson.build | tar -x -C {shlex.quote(folder)}", shell=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.made([os.path.join(folder, "scripts", "version")]), self.version_line())

    # --- the packages

    def lines(self):
        for path in sorted(glob.glob(os.path.join(PACKAGES, "*.install"))):
            with open(path, encoding="ascii") as f:
                for line in f.read().split("\n"):
                    if line:
                        yield os.path.basename(path), line

    def test_each_file_belongs_to_one_package(self):
        lines, used = list(self.lines()), set()
        for name in self.files():
            owners = {(package, line) for package, line in lines if fnmatch.fnmatch(name, line) or fnmatch.fnmatch(name, line + "/*")}
            used |= owners
            self.assertEqual(len({package for package, _ in owners}), 1, f"{name}: {sorted(owners)}")
        self.assertEqual(used, set(lines), "lines that find nothing")

    def test_what_the_command_needs_is_there(self):
        names = set(self.files())
        for name in ("bin/perfboard", "share/perfboard/perfboard", "share/perfboard/workbench/places.py", "share/perfboard/boards", "lib/python3/dist-packages/perfboard/__init__.py", "share/perfboard/names/surfboard.names.json",
                     "share/perfboard/guest/linux/build", "share/perfboard/guest/initramfs/init", "lib/perfboard/perfboard.so",
                     "share/man/man1/perfboard.1", "share/man/man1/perfboard-run.1", "share/bash-completion/completions/perfboard"):
            self.assertTrue("usr/" + name in names, name)
        with open(os.path.join(ROOT, "hw", "boards"), encoding="ascii") as f:
            boards = [line.split() for line in f if not line.startswith("#")]
        self.assertGreater(len(boards), 4)
        sources = [self.in_prefix("share/perfboard/guest"), glob.glob(self.in_prefix("src/perfboard-guest-*"))[0]]
        for board in boards:
            for top in sources if board[3] != "-" else []:
                self.assertTrue(os.path.exists(os.path.join(top, board[0], "driver", "Kbuild")), f"{top}: {board[0]}")
        self.assertFalse([n for n in names if "__pycache__" in n or n.endswith((".pyc", ".orig"))])

    def test_no_file_names_this_build(self):
        for name in self.files():
            path = os.path.join(self.prefix, name.removeprefix("usr/"))
            if name.endswith((".a", ".so")) or os.path.islink(path) or os.access(path, os.X_OK) and "/guest/bin/" in name:
                continue  # debug data has the sources' names
            with open(path, "rb") as f:
                self.assertNotIn(ROOT.encode() + b"/", f.read(), name)

    def test_dkms_builds_the_drivers_that_a_machine_can_have(self):
        conf = glob.glob(self.in_prefix("src/perfboard-guest-*/dkms.conf"))[0]
        for arch, modules in (("x86_64", "multikron sci smile power2 surf sni"), ("ppc64le", "multikron sci smile power2")):
            said = self.made(["bash", "-euc", f"arch={arch}; . {shlex.quote(conf)}; echo ${{BUILT_MODULE_NAME[*]}}; echo ${{BUILT_MODULE_LOCATION[*]}}"])
            names, folders = (line.split() for line in said.splitlines())
            self.assertEqual(sorted(names), sorted(modules.split()))
            for name, folder in zip(names, folders):
                with open(os.path.join(os.path.dirname(conf), folder, "Kbuild"), encoding="ascii") as f:
                    self.assertIn(f"obj-m := {name}.o", f.read())

    # --- the libraries

    def test_archives_are_real(self):
        archives = glob.glob(self.in_prefix("lib", "**", "libperfboard-*.a"), recursive=True)
        self.assertEqual(len(archives), 2)
        for path in archives:
            with open(path, "rb") as f:
                self.assertEqual(f.read(8), b"!<arch>\n", path)

    def test_a_program_with_the_models(self):
        flags = self.flags("perfboard-models", "--cflags", "--libs")
        self.made([*CXX, os.path.join(HERE, "model.cc"), *flags, "-o", "model"])
        self.assertEqual(self.made(["./model"]), "01234567 surfboard HTCR\n")

    def test_the_libraries_leave_nothing_open(self):
        with open(os.path.join(self.work, "empty.cc"), "w", encoding="ascii") as f:
            f.write("int main() { return 0; }\n")
        for package in "perfboard-models", "perfboard-guest":
            flags = self.flags(package, "--libs")
            self.made([*CXX, "empty.cc", "-Wl,--whole-archive", *flags, "-Wl,--no-whole-archive", "-o", "whole"])

    def test_a_program_with_the_guests_libraries(self):
        flags = self.flags("perfboard-guest", "--cflags", "--libs")
        self.made([*CC, "-static", os.path.join(HERE, "library.c"), *flags, "-o", "library"])
        self.assertEqual(self.made(["./library"]), "1 8\n")

    def test_pkg_config_names_the_plugin(self):
        path = self.flags("perfboard", "--variable=plugin")[0]
        self.assertTrue(os.path.exists(path if path.startswith(self.dest) else self.dest + path), path)

    def test_each_header_finds_what_it_includes(self):
        top = self.in_prefix("include", "perfboard")
        headers = [os.path.relpath(path, top) for path in sorted(glob.glob(os.path.join(top, "**", "*.h"), recursive=True))]
        self.assertGreater(len(headers), 100)
        flags = self.flags("perfboard-models", "--cflags")
        for name in headers:
            if name in PIECES:
                continue
            compiler = [*CXX, "-x", "c++"] if name.startswith("hw/") else [*CC, "-x", "c"]
            done = run([*compiler, *flags, "-w", "-M", os.path.join(top, name)], cwd=self.work)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stdout[-500:]}")

    # --- the command

    def test_the_command_runs_where_it_is(self):
        done = run([self.in_prefix("bin", "perfboard"), "--help"], cwd="/")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("COMMAND", done.stdout)

    def test_python_finds_the_command(self):
        """The module, and what it takes from the command's folder; a wrong option is refused by that command."""
        text = "import perfboard\ntry: perfboard.Machine(icount=77)\nexcept ValueError as e: print(perfboard.__file__, e)"
        done = run(["/usr/bin/python3", "-B", "-c", text], cwd="/", env=dict(os.environ, PYTHONPATH=self.in_prefix("lib/python3/dist-packages")))
        self.assertEqual(done.stdout, self.in_prefix("lib/python3/dist-packages/perfboard/__init__.py") + " --icount 77: legal are 0 to 10\n")

    @unittest.skipUnless(QEMU, "only with --boot")
    def test_boots_a_guest_of_its_own(self):
        # guest/linux/kernel looks here, too; a machine with Debian's kernel has it in /boot.
        os.symlink(os.path.join(ROOT, ".cache"), self.in_prefix("share/perfboard/.cache"))
        self.addCleanup(os.unlink, self.in_prefix("share/perfboard/.cache"))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PERFBOARD_")}
        environment.update(XDG_CACHE_HOME=os.path.join(self.work, "cache"), QEMU=QEMU)
        words = [self.in_prefix("bin", "perfboard"), "run", "--quiet", "--timeout", "600", "--"]
        first = run([*words, "sh", "-c", "cat /sys/class/misc/surf0/slot; exit 7"], cwd="/", env=environment)
        self.assertEqual(first.returncode, 7, first.stdout)
        self.assertIn("\n2\n", "\n" + first.stdout)
        second = run([*words, "true"], cwd="/", env=environment)
        self.assertEqual((second.returncode, second.stdout), (0, ""), "the guest is made once, and what is quiet says nothing")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
