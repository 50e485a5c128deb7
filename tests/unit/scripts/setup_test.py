# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/setup refuses, before it downloads or installs anything.

It is copied into a folder of its own and sees QEMUs that are fakes, and an apt that only writes down what it
is asked. Nothing is installed. Skipped where the machine is not a Debian that setup knows.
"""
import pathlib
import shutil
import types

import pytest

from conftest import ROOT, run

HEADERS = "10.0"  # the series that the tree knows, beside 10.2

APT = """#!/bin/sh
here=$(dirname "$0")
case $1 in
  indextargets)
    case $* in
      *REPO_URI*) echo "$SUITE main http://fake.example/debian" ;;
      *) printf '%s Packages\\n' "$SUITE" "$SUITE-backports" ;;
    esac ;;
  update) : ;;
  *) echo "apt-get $*" >>"$here/log"; exit 99 ;;
esac
exit 0
"""
FORBIDDEN = '#!/bin/sh\necho "$(basename "$0") $*" >>"$(dirname "$0")/log"\nexit 99\n'
NOT_INSTALLED = "#!/bin/sh\nexit 1\n"


def os_release():
    words = {}
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        key, _, value = line.partition("=")
        words[key] = value.strip('"')
    return words


pytestmark = pytest.mark.skipif(os_release().get("ID") != "debian" or os_release().get("VERSION_CODENAME") not in ("bookworm", "trixie"),
                                reason="the fakes are of Debian 12 and 13")


@pytest.fixture
def fakes(folder):
    fakes = types.SimpleNamespace(folder=folder, bin=folder / "bin")
    fakes.bin.mkdir()
    (fakes.folder / "tree/scripts").mkdir(parents=True)
    fakes.setup = fakes.folder / "tree/scripts/setup"
    for name in ("setup", "archive.sh"):
        shutil.copy(pathlib.Path(ROOT, "scripts", name), fakes.setup.parent)
    program(fakes, "tree/scripts/qemu-source", '#!/bin/sh\necho "qemu-source $*" >>"$(dirname "$0")/../../bin/log"\n')
    for series in (HEADERS, "10.2"):
        program(fakes, f"tree/hw/qemu/series/{series}/series.h", "")
    shutil.copy(pathlib.Path(ROOT, "meson.build"), fakes.folder / "tree")
    program(fakes, "bin/apt-get", APT)
    for name in ("meson", "ninja", "tee"):  # tee would write to this machine's apt
        program(fakes, f"bin/{name}", FORBIDDEN)
    program(fakes, "bin/sudo", '#!/bin/sh\n[ "$1" = env ] && shift 2\nexec "$@"\n')
    program(fakes, "bin/dpkg-query", NOT_INSTALLED)
    return fakes


def program(fakes, name, text, mode=0o755):
    path = fakes.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def qemu(fakes, version=HEADERS + ".2", name="mine/qemu", mode=0o755):
    return program(fakes, name, f'#!/bin/sh\necho "QEMU emulator version {version} (fake)"\n', mode)


def sources(fakes, version):
    tree = fakes.folder / "sources"
    tree.mkdir()
    (tree / "VERSION").write_text(version + "\n")
    return tree


def run_setup(fakes, *purpose, **environment):
    env = {"PATH": f"{fakes.bin}:/usr/bin:/bin", "SUITE": os_release()["VERSION_CODENAME"], "HOME": str(fakes.folder)}
    env.update({key: str(value) for key, value in environment.items()})
    return run(fakes.setup, *purpose, env=env, cwd=fakes.folder)


def log(fakes):
    path = fakes.bin / "log"
    return path.read_text() if path.exists() else ""


def refused(fakes, *said, purpose=(), **environment):
    run = run_setup(fakes, *purpose, **environment)
    assert log(fakes) == "", "nothing is installed or downloaded"
    assert run.returncode == 2
    lines = run.stderr.splitlines()
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("setup: error: "), lines
    for text in said:
        assert str(text) in lines[0]


def goes_on(fakes, *purpose, **environment):
    """To the packages."""
    run = run_setup(fakes, *purpose, **environment)
    assert "apt-get install" in log(fakes)
    return run


# Without these two the refusals could be of everything.
def test_a_qemu_of_the_series_goes_on_to_the_packages(fakes):
    # Setup ends where packages cannot be installed, and what it downloads meanwhile with it.
    waits = '*) for n in $(seq 600); do grep -qs -e --download "$here/log" && break; sleep 0.1; done; echo "apt-get'
    program(fakes, "bin/apt-get", APT.replace('*) echo "apt-get', waits))
    goes_on(fakes, QEMU=qemu(fakes, HEADERS + ".7"))
    assert f"qemu-source --download {HEADERS}.7" in log(fakes), "the installed one's, whatever the suite has"


def test_a_suite_that_apt_knows_is_not_added(fakes):
    """Though apt has more to say when it has been found."""
    program(fakes, "bin/apt-get", APT.replace('"$SUITE-backports" ;;', '"$SUITE-backports"; sleep 0.3; echo more || exit 1 ;;'))
    assert "adding" not in goes_on(fakes, QEMU=qemu(fakes)).stdout


def test_sources_of_another_series_with_its_qemu_go_on_to_the_packages(fakes):
    goes_on(fakes, QEMU=qemu(fakes, "10.2.0"), QEMU_SRC=sources(fakes, "10.2.1"))
    assert "qemu-source" not in log(fakes)


def test_what_is_no_qemu(fakes):
    nowhere = fakes.folder / "nowhere/qemu"
    silent = ("#!/bin/sh\necho hello\n", "#!/bin/sh\necho cannot start >&2\nexit 127\n", "no script, no binary\n")
    for value, *said in [(nowhere, "no such file", "qemu-system-x86_64"), ("qemu-system-nothing", "no such"), (fakes.folder, "no program"),
                         (qemu(fakes, "10.0.2", mode=0o644), "no program"),
                         *((program(fakes, f"mine/silent{n}", text), "no version") for n, text in enumerate(silent))]:
        refused(fakes, f"QEMU={value}", *said, QEMU=value)


def test_another_series(fakes):
    for version in ("7.2.22", "9.2.0", "10.1.3", "11.0.0", "100.0.1"):
        path = qemu(fakes, version)
        refused(fakes, f"{path} is QEMU {version}", f"QEMU {HEADERS}, 10.2:", QEMU=path)
    path = qemu(fakes, "11.0.0", "bin/qemu-system-x86_64")  # on the path
    refused(fakes, f"{path} is QEMU 11.0.0", f"QEMU {HEADERS}, 10.2:")
    refused(fakes, "QEMU_SERIES: '10.1': legal are 10.0 10.2", QEMU=qemu(fakes), QEMU_SERIES="10.2 10.1")


def test_sources_of_another_series(fakes):
    path, tree = qemu(fakes, "10.0.2"), sources(fakes, "10.2.4")
    refused(fakes, f"{path} is QEMU 10.0.2", f"QEMU_SRC={tree}", "QEMU 10.2.4", QEMU=path, QEMU_SRC=tree)


def test_sources_that_are_none(fakes):
    refused(fakes, f"QEMU_SRC={fakes.folder}", "VERSION", QEMU_SRC=fakes.folder)


def test_paths_are_the_callers(fakes):
    qemu(fakes, "9.2.0")
    refused(fakes, "/mine/qemu is QEMU 9.2.0", QEMU="mine/qemu")


def test_headers_that_are_there_need_no_sources(fakes):
    version = program(fakes, f"tree/.cache/qemu/{HEADERS}/version", HEADERS + ".2 \n")
    goes_on(fakes, QEMU=qemu(fakes))
    assert "qemu-source" not in log(fakes)
    assert version.exists()


def asked_for(fakes, *purpose):
    """The packages, of a machine that has none."""
    run_setup(fakes, *purpose, QEMU=qemu(fakes), QEMU_PPC64=qemu(fakes, HEADERS + ".7", "mine/ppc64"))
    first, again = (set(line.split()) for line in log(fakes).splitlines() if " install " in line)
    assert (again - first, first - again) == ({"-t", os_release()["VERSION_CODENAME"] + "-backports"}, set()), "what the suite has not, backports may have"
    (fakes.bin / "log").unlink()
    return first


def test_what_only_power_needs_is_asked_for_with_power(fakes):
    cross = {"g++-powerpc64le-linux-gnu", "libc6-dev-ppc64el-cross"}
    assert not cross & asked_for(fakes, "demo")
    assert cross <= asked_for(fakes, "power")
    assert cross <= asked_for(fakes, "test")
    assert "libgtest-dev" not in asked_for(fakes, "power")


def test_clang_is_asked_for_with_fuzz_alone(fakes):
    clang = {"clang", "libclang-rt-dev"}
    assert clang | {"libgtest-dev"} <= asked_for(fakes, "fuzz")
    for purpose in ("demo", "power", "test"):
        assert not clang & asked_for(fakes, purpose), purpose
    assert "g++-powerpc64le-linux-gnu" not in asked_for(fakes, "fuzz")


def test_replay_has_qemu_img_and_models_have_nothing_of_qemu(fakes):
    assert "qemu-utils" in asked_for(fakes, "demo")
    assert not {"qemu-utils", "busybox-static"} & asked_for(fakes, "models")


def test_no_package_excludes_the_cross_compilers(fakes):
    packages = asked_for(fakes, "test")
    assert "gcc-multilib" not in packages
    assert any(p.startswith("gcc-") and p.endswith("-multilib") for p in packages), packages


def test_unknown_purpose(fakes):
    for word in ("ppc64", "powerpc", "all"):
        refused(fakes, f"'{word}'", "demo, power, perf, test, fuzz, models and headers", purpose=[word])


def test_a_qemu_for_power_that_is_none(fakes):
    good = qemu(fakes)
    path = fakes.folder / "nowhere/qemu"
    refused(fakes, f"QEMU_PPC64={path}", "no such file", "qemu-system-ppc64", purpose=["power"], QEMU=good, QEMU_PPC64=path)
    silent = program(fakes, "mine/silent", "#!/bin/sh\n")
    refused(fakes, f"QEMU_PPC64={silent}", "no version", QEMU=good, QEMU_PPC64=silent)
    goes_on(fakes, "demo", QEMU=good, QEMU_PPC64=path)  # the demo has no use for it


def test_two_series(fakes):
    good = qemu(fakes)
    other = qemu(fakes, "9.2.1", "mine/ppc64")
    refused(fakes, f"{other} is QEMU 9.2.1", "one series", QEMU=good, QEMU_PPC64=other)
    path = qemu(fakes, "11.0.0", "bin/qemu-system-ppc64")
    refused(fakes, f"{path} is QEMU 11.0.0", "one series", purpose=["power"], QEMU=good)


def test_tests_without_power_when_only_another_series_is_installed(fakes):
    good = qemu(fakes)
    qemu(fakes, "11.0.0", "bin/qemu-system-ppc64")
    assert "POWER guests are left out" in goes_on(fakes, "test", QEMU=good).stdout
    assert "powerpc64le" not in log(fakes)


# An apt whose machine has all packages, and that knows ppc64el's if it is asked by an apt of ppc64el.
APT_PPC64EL = r"""#!/bin/sh
here=$(dirname "$0")
case $* in
  indextargets*REPO_URI*)
    for name in $SUITE $SUITE-updates $SUITE-backports other; do
      echo "$name main http://fake.example/debian/"; echo "$name contrib http://fake.example/debian/"
    done
    echo "$SUITE-security main http://fake.example/security/" ;;
  *'show linux-image-'*)
    r=${*##*linux-image-}
    [ ! -e "$here/split" ] || echo "Depends: linux-base-$r (= 1), linux-binary-$r (= 1), linux-modules-$r (= 1), kmod" ;;
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
  download*) for word; do case $word in linux-*) touch "${word}_1_amd64.deb" ;; esac; done ;;
esac
exit 0
"""
DPKG_DEB = r"""#!/bin/sh
here=$(dirname "$0") made=$(mktemp -d) release=$(echo "$2" | sed -nE 's,.*/linux-(image|binary|modules)-([^_]*)_.*,\2,p')
trap 'rm -rf "$made"' EXIT
add() { mkdir -p "$(dirname "$1")"; echo "$2" >"$1"; }
cd "$made" || exit 1
case $2 in
  *headers*-common_*) add usr/src/linux-headers-6.1.0-9-common/Makefile common ;;
  *headers*) add usr/src/linux-headers-6.1.0-9-powerpc64le/Makefile "include /usr/src/linux-headers-6.1.0-9-common/Makefile" ;;
  *image*) [ -e "$here/split" ] || { add "boot/vmlinuz-$release" kernel; add "lib/modules/$release/kernel/vmxnet3.ko" driver; } ;;
  *binary*) add "usr/lib/modules/$release/vmlinuz" kernel ;;
  *modules*) add "usr/lib/modules/$release/kernel/vmxnet3.ko.xz" driver ;;
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


@pytest.fixture
def machine(fakes):
    """One that has all packages."""
    for name, text in (("apt-get", APT_PPC64EL), ("apt-cache", APT_PPC64EL), ("dpkg-deb", DPKG_DEB), ("dpkg-query", ALL_THERE),
                       ("find", FIND), ("meson", '#!/bin/sh\n[ "$1" = --version ] && echo 1.7.0\n')):
        program(fakes, f"bin/{name}", text)
    scripts = fakes.bin / "linux-kbuild-6.1/scripts"
    scripts.mkdir(parents=True)
    (scripts / "Makefile.build").write_text("build\n")
    cache = fakes.folder / "tree/.cache"
    program(fakes, f"tree/.cache/qemu/{HEADERS}/version", HEADERS + ".2 \n")
    (cache / "kernel").mkdir()
    for name in ("vmlinuz-6.1.0-1-cloud-amd64", "vmxnet3-6.1.0-1-cloud-amd64.ko"):
        (cache / "kernel" / name).write_text("kernel\n")
    fakes.tree = cache / "kernel-ppc64el/tree"
    return fakes


def test_more_series_need_their_sources(machine):
    for series, asked in (("10.2", "10.2"), (HEADERS, HEADERS + ".3")):
        run_setup(machine, "headers", QEMU=qemu(machine, HEADERS + ".3"), QEMU_SERIES=series)
        assert f"qemu-source {asked} " in log(machine)


def get(fakes, purpose="power"):
    good = qemu(fakes)
    return run_setup(fakes, purpose, QEMU=good, QEMU_PPC64=good)


ASKED = '#!/bin/sh\necho "$(basename "$0")" >>"$(dirname "$0")/asked"\n'
MESON = 'case $1 in --version) echo 1.7.0 ;; setup) mkdir -p build; : >build/build.ninja ;; esac\n'


@pytest.fixture
def settled(machine):
    """What has not changed since a run that had nothing to do is not looked at again."""
    fakes = machine
    program(fakes, "bin/meson", ASKED + MESON)
    program(fakes, "bin/dpkg-query", ASKED + ALL_THERE.removeprefix("#!/bin/sh\n"))
    program(fakes, "tree/guest/linux/kernel", "#!/bin/sh\necho /boot/vmlinuz-6.1.0-1-cloud-amd64\n")
    fakes.qemu = program(fakes, "mine/qemu", ASKED + f'echo "QEMU emulator version {HEADERS}.2 (fake)"\n')
    fakes.status = fakes.folder / "dpkg/status"
    fakes.status.parent.mkdir()
    fakes.status.write_text("Package: all\n")
    return fakes


def asked(fakes, purpose="demo", **environment):
    """Whether a run asks somebody; it must succeed and say the same as all others."""
    environment = {"QEMU": fakes.qemu, "QEMU_PPC64": fakes.qemu, "DPKG_ADMINDIR": fakes.status.parent, **environment}
    run = run_setup(fakes, purpose, **environment)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == f"setup: ready: QEMU {HEADERS}.2, Meson 1.7.0, kernel 6.1.0-1-cloud-amd64"
    asked = [folder / "asked" for folder in (fakes.bin, fakes.folder / "mine") if (folder / "asked").exists()]
    for path in asked:
        path.unlink()
    return bool(asked)


def settle(fakes, purpose="demo"):
    while asked(fakes, purpose):
        pass


def test_a_run_that_made_something_is_looked_after(settled):
    assert [asked(settled) for _ in range(4)] == [True, True, False, False]


def test_each_purpose_is_looked_at_for_itself(settled):
    settle(settled)
    assert asked(settled, "power")
    settle(settled, "power")
    assert not asked(settled)


def test_what_changes_is_looked_at(settled):
    cache = settled.folder / "tree/.cache"
    other = program(settled, "mine/other", settled.qemu.read_text())
    settle(settled, "power")
    for what, change in (
            ("a package came or went", lambda: settled.status.write_text("Package: some\n")),
            ("other packages are wanted", lambda: settled.setup.write_text(settled.setup.read_text() + "# more\n")),
            ("a newer Meson is wanted", lambda: (settled.folder / "tree/meson.build").write_text("meson_version: '>=1.1',\n")),
            ("another Meson", lambda: program(settled, "bin/meson", ASKED + MESON + "\n")),
            ("another QEMU", lambda: settled.qemu.write_text(settled.qemu.read_text() + "\n")),
            ("another kernel", lambda: (cache / "kernel/vmlinuz-6.1.0-1-cloud-amd64").write_text("kernel, anew\n")),
            ("the POWER guest's kernel went", (cache / "kernel-ppc64el/tree/kernel").unlink),
            ("the build folder went", lambda: shutil.rmtree(settled.folder / "tree/build"))):
        change()
        assert asked(settled, "power"), what
        settle(settled, "power")
    assert asked(settled, "power", QEMU=other)


def content(fakes, name):
    return (fakes.tree / name).read_text()


def test_kernel_headers_and_busybox(machine):
    get(machine)
    assert content(machine, "kernel") == "kernel\n"
    assert content(machine, "busybox") == "program\n"
    assert content(machine, "headers/Makefile") == f"include {machine.tree}/usr/src/linux-headers-6.1.0-9-common/Makefile\n"
    assert content(machine, "headers/scripts/Makefile.build") == "build\n", "this machine's linux-kbuild"
    assert log(machine) == "", "nothing is installed, and this machine's lists stay as they are"
    # The archives are those of this machine.
    suite = os_release()["VERSION_CODENAME"]
    assert sorted((machine.bin / "sources").read_text().splitlines()) == [
        f"deb http://fake.example/debian/ {suite} main", f"deb http://fake.example/debian/ {suite}-updates main",
        f"deb http://fake.example/security/ {suite}-security main"]
    # The lists are its own.
    for line in (machine.bin / "ppc64el").read_text().splitlines():
        for option in ("Dir::State", "Dir::State::lists", "Dir::State::status", "Dir::Cache", "Dir::Etc::sourcelist"):
            assert f"-o {option}={machine.tree.parent}/" in line


def test_not_for_the_demo(machine):
    get(machine, "demo")
    assert not machine.tree.exists()


def test_once(machine):
    get(machine)
    (machine.bin / "ppc64el").unlink()
    get(machine)
    assert not (machine.bin / "ppc64el").exists(), "it is there already"
    (machine.bin / "linux-kbuild-6.1/scripts/Makefile.build").unlink()
    get(machine)
    assert (machine.bin / "ppc64el").exists(), "linux-kbuild is another since"


@pytest.mark.parametrize("split", [False, True])
def test_a_kernel_of_several_packages(machine, split):
    kernels = machine.tree.parent.parent / "kernel"
    shutil.rmtree(kernels)
    if split:
        (machine.bin / "split").touch()
    get(machine)
    assert content(machine, "kernel") == "kernel\n"
    assert (kernels / "vmlinuz-6.1.0-1-cloud-amd64").read_text() == "kernel\n"
    assert (kernels / ("vmxnet3-6.1.0-1-cloud-amd64.ko" + ".xz" * split)).read_text() == "driver\n"


@pytest.mark.parametrize("flag", ["half", "renewed"])
def test_an_archive_that_lacks_a_list_or_has_a_kernel_no_more(machine, flag):
    (machine.bin / flag).touch()
    get(machine)
    assert content(machine, "kernel") == "kernel\n"


def fails(fakes, flag, *said):
    (fakes.bin / flag).touch()
    run = get(fakes)
    assert run.returncode == 2, run.stderr
    assert not fakes.tree.exists()
    last = run.stderr.splitlines()[-1]
    assert last.startswith("setup: error: "), run.stderr
    for text in said:
        assert text in last
    return run


def test_no_such_kernel(machine):
    fails(machine, "none", "ppc64el kernel", "linux-headers-powerpc64le")


def test_a_kernel_that_the_archive_has_not_got_yet(machine):
    (machine.bin / "announced").touch()
    get(machine)
    assert content(machine, "kernel") == "kernel\n"
    assert "-6.1.0-10-powerpc64le " in (machine.bin / "ppc64el").read_text()


def test_a_download_that_fails(machine):
    run = fails(machine, "lost", "6.1.0-9-powerpc64le")
    assert "Failed to fetch it" in run.stderr


def test_no_kbuild(machine):
    fails(machine, "no-kbuild", "linux-kbuild", "6.1.0-9-powerpc64le")
