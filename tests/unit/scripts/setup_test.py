#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""setup_test.py SETUP - what scripts/setup refuses, before it downloads or installs anything.

SETUP is copied into a folder of its own and sees QEMUs that are fakes, and an apt that only writes down what it
is asked. Nothing is installed. Skipped (77) where the machine is not a Debian that setup knows.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SETUP = pathlib.Path(sys.argv.pop(1))
HEADERS = "10.0"  # the series of the sources that the fake apt names

APT = """#!/bin/sh
here=$(dirname "$0")
case $1 in
  indextargets)
    case $* in
      *REPO_URI*) echo "$SUITE main http://fake.example/debian" ;;
      *) echo "$SUITE Packages"
         [ -e "$here/suite-known" ] && printf '%s\\n' "$SUITE-backports Packages" "$SUITE-backports Sources" "$SUITE Sources" ;;
    esac ;;
  source) [ ! -e "$here/no-lists" ] || { echo "E: Unable to find a source package for qemu" >&2; exit 100; }
    echo "'http://fake.example/qemu_HEADERS.2+ds.orig.tar.xz' qemu_HEADERS.2+ds.orig.tar.xz 39000000 SHA256:0" ;;
  update) : ;;
  *) echo "apt-get $*" >>"$here/log"; exit 99 ;;
esac
exit 0
"""
FORBIDDEN = '#!/bin/sh\necho "$(basename "$0") $*" >>"$(dirname "$0")/log"\nexit 99\n'
TEE = '#!/bin/sh\ncat >/dev/null\n: >"$(dirname "$0")/suite-known"\n'
NOT_INSTALLED = "#!/bin/sh\nexit 1\n"


def os_release():
    words = {}
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        key, _, value = line.partition("=")
        words[key] = value.strip('"')
    return words


def qemu_says(version):
    return f'#!/bin/sh\necho "QEMU emulator version {version} (fake)"\n'


class Fakes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="perfboard-setup-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        (self.folder / "tree/scripts").mkdir(parents=True)
        self.setup = self.folder / "tree/scripts/setup"
        shutil.copy(SETUP, self.setup)
        shutil.copy(pathlib.Path(SETUP).parent.parent / "meson.build", self.folder / "tree")
        self.program("bin/apt-get", APT.replace("HEADERS", HEADERS))
        for name in ("meson", "ninja"):
            self.program(f"bin/{name}", FORBIDDEN)
        self.program("bin/sudo", '#!/bin/sh\n[ "$1" = env ] && shift 2\nexec "$@"\n')
        self.program("bin/tee", TEE)
        self.program("bin/dpkg-query", NOT_INSTALLED)
        self.suite_known()

    def program(self, name, text, mode=0o755):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def suite_known(self, known=True):
        flag = self.bin / "suite-known"
        flag.touch() if known else flag.unlink()

    def sources(self, version):
        tree = self.folder / "sources"
        tree.mkdir()
        (tree / "VERSION").write_text(version + "\n")
        return tree

    def run_setup(self, *purpose, cwd=None, **environment):
        env = {"PATH": f"{self.bin}:/usr/bin:/bin", "SUITE": os_release()["VERSION_CODENAME"], "HOME": str(self.folder)}
        env.update({key: str(value) for key, value in environment.items()})
        return subprocess.run([self.setup, *purpose], env=env, cwd=cwd or self.folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL)

    def log(self):
        path = self.bin / "log"
        return path.read_text() if path.exists() else ""

    def refused(self, *said, purpose=(), **environment):
        run = self.run_setup(*purpose, **environment)
        self.assertEqual(self.log(), "", "nothing is installed or downloaded")
        self.assertNotEqual(run.returncode, 0)
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 1, run.stderr)
        self.assertTrue(lines[0].startswith("setup: error: "), lines)
        for text in said:
            self.assertIn(str(text), lines[0])


class Setup(Fakes):
    # Without these two the refusals could be of everything.
    def test_a_qemu_of_the_series_goes_on_to_the_packages(self):
        self.run_setup(QEMU=self.program("mine/qemu", qemu_says(HEADERS + ".7")))
        self.assertIn("apt-get install", self.log())

    def test_sources_of_another_series_with_its_qemu_go_on_to_the_packages(self):
        self.run_setup(QEMU=self.program("mine/qemu", qemu_says("10.1.0")), QEMU_SRC=self.sources("10.1.0"))
        self.assertIn("apt-get install", self.log())

    def test_no_such_file(self):
        path = self.folder / "nowhere/qemu"
        self.refused(f"QEMU={path}", "no such file", "qemu-system-x86_64", QEMU=path)

    def test_a_name_that_is_not_on_the_path(self):
        self.refused("QEMU=qemu-system-nothing", "no such", QEMU="qemu-system-nothing")

    def test_a_folder(self):
        self.refused(f"QEMU={self.folder}", "no program", QEMU=self.folder)

    def test_not_executable(self):
        path = self.program("mine/qemu", qemu_says("10.0.2"), 0o644)
        self.refused(f"QEMU={path}", "no program", QEMU=path)

    def test_no_version(self):
        for text in ('#!/bin/sh\necho hello\n', '#!/bin/sh\necho cannot start >&2\nexit 127\n', "no script, no binary\n"):
            path = self.program("mine/qemu", text)
            self.refused(f"QEMU={path}", "no version", QEMU=path)

    def test_another_series(self):
        for version in ("7.2.22", "9.2.0", "10.1.3", "11.0.0", "100.0.1"):
            path = self.program("mine/qemu", qemu_says(version))
            self.refused(f"{path} is QEMU {version}", f"QEMU {HEADERS}", "QEMU_SRC", QEMU=path)

    def test_another_series_on_the_path(self):
        path = self.program("bin/qemu-system-x86_64", qemu_says("11.0.0"))
        self.refused(f"{path} is QEMU 11.0.0", f"QEMU {HEADERS}", "QEMU_SRC")

    def test_another_series_before_apt_knows_the_suite(self):
        self.suite_known(False)
        path = self.program("mine/qemu", qemu_says("9.2.0"))
        run = self.run_setup(QEMU=path)
        self.assertEqual(self.log(), "", "nothing is installed or downloaded")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertIn(f"{path} is QEMU 9.2.0", run.stderr)

    def test_lists_that_were_never_fetched_tell_no_series(self):
        (self.bin / "no-lists").touch()
        self.run_setup(QEMU=self.program("mine/qemu", qemu_says("9.2.0")))
        self.assertIn("apt-get install", self.log())

    def test_sources_of_another_series(self):
        path, tree = self.program("mine/qemu", qemu_says("10.0.2")), self.sources("9.2.4")
        self.refused(f"{path} is QEMU 10.0.2", f"QEMU_SRC={tree}", "QEMU 9.2", QEMU=path, QEMU_SRC=tree)

    def test_sources_that_are_none(self):
        self.refused(f"QEMU_SRC={self.folder}", "VERSION", QEMU_SRC=self.folder)

    def test_paths_are_the_callers(self):
        self.program("mine/qemu", qemu_says("9.2.0"))
        self.refused("/mine/qemu is QEMU 9.2.0", QEMU="mine/qemu")

    def test_headers_that_are_there_need_no_sources(self):
        cache = self.folder / "tree/.cache/qemu"
        cache.mkdir(parents=True)
        (cache / "version").write_text("9.2.0 \n")
        self.run_setup(QEMU=self.program("mine/qemu", qemu_says("9.2.0")))
        self.assertIn("apt-get install", self.log(), "apt's sources may have gone on to another series")
        self.assertTrue((cache / "version").exists())

    # --- POWER -------------------------------------------------------------

    def asked_for(self, *purpose):
        """The packages, of a machine that has none."""
        self.run_setup(*purpose, QEMU=self.program("mine/qemu", qemu_says(HEADERS + ".2")),
                       QEMU_PPC64=self.program("mine/ppc64", qemu_says(HEADERS + ".7")))
        words = [line.split() for line in self.log().splitlines() if " install " in line]
        self.assertEqual(len(words), 1, self.log())
        (self.bin / "log").unlink()
        return set(words[0])

    def test_what_only_power_needs_is_asked_for_with_power(self):
        cross = {"g++-powerpc64le-linux-gnu", "libc6-dev-ppc64el-cross"}
        self.assertFalse(cross & self.asked_for("demo"))
        self.assertLessEqual(cross, self.asked_for("power"))
        self.assertLessEqual(cross, self.asked_for("test"))
        self.assertNotIn("libgtest-dev", self.asked_for("power"))

    def test_clang_is_asked_for_with_fuzz_alone(self):
        clang = {"clang", "libclang-rt-dev"}
        self.assertLessEqual(clang | {"libgtest-dev"}, self.asked_for("fuzz"))
        for purpose in ("demo", "power", "test"):
            self.assertFalse(clang & self.asked_for(purpose), purpose)
        self.assertNotIn("g++-powerpc64le-linux-gnu", self.asked_for("fuzz"))

    def test_replay_has_qemu_img_and_models_have_nothing_of_qemu(self):
        self.assertIn("qemu-utils", self.asked_for("demo"))
        self.assertFalse({"qemu-utils", "busybox-static"} & self.asked_for("models"))

    def test_no_package_excludes_the_cross_compilers(self):
        packages = self.asked_for("test")
        self.assertNotIn("gcc-multilib", packages)
        self.assertTrue(any(p.startswith("gcc-") and p.endswith("-multilib") for p in packages), packages)

    def test_unknown_purpose(self):
        for word in ("ppc64", "powerpc", "all"):
            self.refused(f"'{word}'", "demo, power, perf, test, fuzz and models", purpose=[word])

    def test_a_qemu_for_power_that_is_none(self):
        good = self.program("mine/qemu", qemu_says(HEADERS + ".2"))
        path = self.folder / "nowhere/qemu"
        self.refused(f"QEMU_PPC64={path}", "no such file", "qemu-system-ppc64", purpose=["power"], QEMU=good, QEMU_PPC64=path)
        silent = self.program("mine/silent", "#!/bin/sh\n")
        self.refused(f"QEMU_PPC64={silent}", "no version", QEMU=good, QEMU_PPC64=silent)
        self.run_setup("demo", QEMU=good, QEMU_PPC64=path)
        self.assertIn("apt-get install", self.log(), "the demo has no use for it")

    def test_two_series(self):
        good = self.program("mine/qemu", qemu_says(HEADERS + ".2"))
        other = self.program("mine/ppc64", qemu_says("9.2.1"))
        self.refused(f"{other} is QEMU 9.2.1", "one series", QEMU=good, QEMU_PPC64=other)
        path = self.program("bin/qemu-system-ppc64", qemu_says("11.0.0"))
        self.refused(f"{path} is QEMU 11.0.0", "one series", purpose=["power"], QEMU=good)

    def test_tests_without_power_when_only_another_series_is_installed(self):
        good = self.program("mine/qemu", qemu_says(HEADERS + ".2"))
        self.program("bin/qemu-system-ppc64", qemu_says("11.0.0"))
        run = self.run_setup("test", QEMU=good)
        self.assertIn("POWER guests are left out", run.stdout)
        self.assertIn("apt-get install", self.log())
        self.assertNotIn("powerpc64le", self.log())


# An apt whose machine has all packages, and that knows ppc64el's if it is asked by an apt of ppc64el.
APT_PPC64EL = r"""#!/bin/sh
here=$(dirname "$0")
case $* in
  indextargets*REPO_URI*)
    for name in $SUITE $SUITE-updates $SUITE-backports other; do
      echo "$name main http://fake.example/debian/"; echo "$name contrib http://fake.example/debian/"
    done
    echo "$SUITE-security main http://fake.example/security/" ;;
  *APT::Architecture=ppc64el*)
    echo "$(basename "$0") $*" >>"$here/ppc64el"
    case $* in
      *' update'*)
        for word; do case $word in Dir::Etc::sourcelist=*) cp "${word#*=}" "$here/sources" ;; esac; done
        [ ! -e "$here/half" ] || exit 100 ;;
      *'show linux-headers-powerpc64le')
        [ ! -e "$here/announced" ] && [ ! -e "$here/renewed" ] || printf 'Package: it\nDepends: linux-headers-6.1.0-10-powerpc64le (= 6.1.10-1)\n\n'
        [ -e "$here/none" ] || [ -e "$here/renewed" ] || printf 'Package: it\nDepends: linux-headers-6.1.0-9-powerpc64le (= 6.1.9-1)\nSize: 1\n' ;;
      *'pkgnames linux-headers-')
        [ ! -e "$here/renewed" ] || printf 'linux-headers-6.1.0-%s\n' 9-powerpc64le 9-common powerpc64le 10-powerpc64le ;;
      *'show linux-headers-6.1.0-'*-powerpc64le)
        release=${*##*linux-headers-}
        echo "Depends: linux-base, linux-headers-${release%-*}-common (= 6.1.9-1), gcc-12" ;;
      *' download'*6.1.0-10*) touch part.deb; echo "E: Failed to fetch it" >&2; exit 100 ;;
      *' download'*)
        for word; do case $word in linux-*|busybox-*) touch "${word}_1_ppc64el.deb" ;; esac; done
        [ ! -e "$here/lost" ] || { echo "E: Failed to fetch it" >&2; exit 100; } ;;
    esac ;;
  *install*|*update*) echo "$*" >>"$here/log" ;;
esac
exit 0
"""
DPKG_DEB = r"""#!/bin/sh
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
add() { mkdir -p "$(dirname "$1")"; echo "$2" >"$1"; }
cd "$made" || exit 1
case $2 in
  *headers*-common_*) add usr/src/linux-headers-6.1.0-9-common/Makefile common ;;
  *headers*) add usr/src/linux-headers-6.1.0-9-powerpc64le/Makefile "include /usr/src/linux-headers-6.1.0-9-common/Makefile" ;;
  *image*) add boot/vmlinux-6.1.0-9-powerpc64le kernel ;;
  *busybox*) add usr/bin/busybox program; add usr/share/hooks/busybox text ;;
esac
case $1 in -x) cp -a . "$3" ;; *) tar -c . ;; esac
"""
ALL_THERE = r"""#!/bin/sh
case $* in *Status*) echo installed ;; *) echo 'linux-headers-6.1.0-1-cloud-amd64 (= 6.1)' ;; esac
"""
FIND = r"""#!/bin/sh
case $1 in /usr/lib) [ -e "$(dirname "$0")/no-kbuild" ] || echo "$(dirname "$0")/linux-kbuild-6.1" ;; *) exec /usr/bin/find "$@" ;; esac
"""


class Machine(Fakes):
    """One that has all packages."""

    def setUp(self):
        super().setUp()
        for name, text in (("apt-get", APT_PPC64EL), ("apt-cache", APT_PPC64EL), ("dpkg-deb", DPKG_DEB), ("dpkg-query", ALL_THERE),
                           ("find", FIND), ("meson", '#!/bin/sh\n[ "$1" = --version ] && echo 1.7.0\n')):
            self.program(f"bin/{name}", text)
        scripts = self.bin / "linux-kbuild-6.1/scripts"
        scripts.mkdir(parents=True)
        (scripts / "Makefile.build").write_text("build\n")
        cache = self.folder / "tree/.cache"
        (cache / "qemu").mkdir(parents=True)
        (cache / "qemu/version").write_text(HEADERS + ".2 \n")
        (cache / "kernel").mkdir()
        for name in ("vmlinuz-6.1.0-1-cloud-amd64", "vmxnet3-6.1.0-1-cloud-amd64.ko"):
            (cache / "kernel" / name).write_text("kernel\n")
        self.tree = cache / "kernel-ppc64el/tree"

    def get(self, purpose="power"):
        good = self.program("mine/qemu", qemu_says(HEADERS + ".2"))
        return self.run_setup(purpose, QEMU=good, QEMU_PPC64=good)


class NothingToDo(Machine):
    """What has not changed since a run that had nothing to do is not looked at again."""
    ASKED = '#!/bin/sh\necho "$(basename "$0")" >>"$(dirname "$0")/asked"\n'
    MESON = 'case $1 in --version) echo 1.7.0 ;; setup) mkdir -p build; : >build/build.ninja ;; esac\n'

    def setUp(self):
        super().setUp()
        self.program("bin/meson", self.ASKED + self.MESON)
        self.program("bin/dpkg-query", self.ASKED + ALL_THERE.removeprefix("#!/bin/sh\n"))
        self.program("tree/guest/linux/kernel", "#!/bin/sh\necho /boot/vmlinuz-6.1.0-1-cloud-amd64\n")
        self.qemu = self.program("mine/qemu", self.ASKED + f'echo "QEMU emulator version {HEADERS}.2 (fake)"\n')
        self.status = self.folder / "dpkg/status"
        self.status.parent.mkdir()
        self.status.write_text("Package: all\n")

    def asked(self, purpose="demo", **environment):
        """Whether a run asks somebody; it must succeed and say the same as all others."""
        environment = {"QEMU": self.qemu, "QEMU_PPC64": self.qemu, "DPKG_ADMINDIR": self.status.parent, **environment}
        run = self.run_setup(purpose, **environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.splitlines()[-1], f"setup: ready: QEMU {HEADERS}.2, Meson 1.7.0, kernel 6.1.0-1-cloud-amd64")
        asked = [folder / "asked" for folder in (self.bin, self.folder / "mine") if (folder / "asked").exists()]
        for path in asked:
            path.unlink()
        return bool(asked)

    def settle(self, purpose="demo"):
        while self.asked(purpose):
            pass

    def test_a_run_that_made_something_is_looked_after(self):
        self.assertEqual([self.asked() for _ in range(4)], [True, True, False, False])

    def test_each_purpose_is_looked_at_for_itself(self):
        self.settle()
        self.assertTrue(self.asked("power"))
        self.settle("power")
        self.assertFalse(self.asked())

    def test_what_changes_is_looked_at(self):
        cache = self.folder / "tree/.cache"
        other = self.program("mine/other", self.qemu.read_text())
        self.settle("power")
        for what, change in (
                ("a package came or went", lambda: self.status.write_text("Package: some\n")),
                ("other packages are wanted", lambda: self.setup.write_text(self.setup.read_text() + "# more\n")),
                ("a newer Meson is wanted", lambda: (self.folder / "tree/meson.build").write_text("meson_version: '>=1.1',\n")),
                ("another Meson", lambda: self.program("bin/meson", self.ASKED + self.MESON + "\n")),
                ("another QEMU", lambda: self.qemu.write_text(self.qemu.read_text() + "\n")),
                ("another kernel", lambda: (cache / "kernel/vmlinuz-6.1.0-1-cloud-amd64").write_text("kernel, anew\n")),
                ("the POWER guest's kernel went", (cache / "kernel-ppc64el/tree/kernel").unlink),
                ("the build folder went", lambda: shutil.rmtree(self.folder / "tree/build"))):
            with self.subTest(what):
                change()
                self.assertTrue(self.asked("power"))
                self.settle("power")
        self.assertTrue(self.asked("power", QEMU=other))


class Power(Machine):
    """The POWER guest's kernel, headers and busybox."""

    def content(self, name):
        return (self.tree / name).read_text()

    def test_kernel_headers_and_busybox(self):
        self.get()
        self.assertEqual(self.content("kernel"), "kernel\n")
        self.assertEqual(self.content("busybox"), "program\n")
        self.assertEqual(self.content("headers/Makefile"), f"include {self.tree}/usr/src/linux-headers-6.1.0-9-common/Makefile\n")
        self.assertEqual(self.content("headers/scripts/Makefile.build"), "build\n", "this machine's linux-kbuild")
        self.assertEqual(self.log(), "", "nothing is installed, and this machine's lists stay as they are")

    def test_the_archives_are_those_of_this_machine(self):
        self.get()
        suite = os_release()["VERSION_CODENAME"]
        self.assertEqual(sorted((self.bin / "sources").read_text().splitlines()),
                         [f"deb http://fake.example/debian/ {suite} main", f"deb http://fake.example/debian/ {suite}-updates main",
                          f"deb http://fake.example/security/ {suite}-security main"])

    def test_the_lists_are_its_own(self):
        self.get()
        for line in (self.bin / "ppc64el").read_text().splitlines():
            for option in ("Dir::State", "Dir::State::lists", "Dir::State::status", "Dir::Cache", "Dir::Etc::sourcelist"):
                self.assertIn(f"-o {option}={self.tree.parent}/", line)

    def test_not_for_the_demo(self):
        self.get("demo")
        self.assertFalse(self.tree.exists())

    def test_once(self):
        self.get()
        (self.bin / "ppc64el").unlink()
        self.get()
        self.assertFalse((self.bin / "ppc64el").exists(), "it is there already")
        (self.bin / "linux-kbuild-6.1/scripts/Makefile.build").unlink()
        self.get()
        self.assertTrue((self.bin / "ppc64el").exists(), "linux-kbuild is another since")

    def test_an_archive_that_lacks_a_list(self):
        (self.bin / "half").touch()
        self.get()
        self.assertEqual(self.content("kernel"), "kernel\n")

    def fails(self, flag, *said):
        (self.bin / flag).touch()
        run = self.get()
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertFalse(self.tree.exists())
        last = run.stderr.splitlines()[-1]
        self.assertTrue(last.startswith("setup: error: "), run.stderr)
        for text in said:
            self.assertIn(text, last)
        return run

    def test_no_such_kernel(self):
        self.fails("none", "ppc64el kernel", "linux-headers-powerpc64le")

    def test_a_kernel_that_the_archive_has_not_got_yet(self):
        (self.bin / "announced").touch()
        self.get()
        self.assertEqual(self.content("kernel"), "kernel\n")
        self.assertIn("-6.1.0-10-powerpc64le ", (self.bin / "ppc64el").read_text())

    def test_a_kernel_that_the_archive_has_no_more(self):
        (self.bin / "renewed").touch()
        self.get()
        self.assertEqual(self.content("kernel"), "kernel\n")

    def test_a_download_that_fails(self):
        run = self.fails("lost", "6.1.0-9-powerpc64le")
        self.assertIn("Failed to fetch it", run.stderr)

    def test_no_kbuild(self):
        self.fails("no-kbuild", "linux-kbuild", "6.1.0-9-powerpc64le")


if __name__ == "__main__":
    if os_release().get("ID") != "debian" or os_release().get("VERSION_CODENAME") not in ("bookworm", "trixie"):
        print("skipped: setup knows Debian 12 and 13 only")
        sys.exit(77)
    unittest.main(verbosity=2)
