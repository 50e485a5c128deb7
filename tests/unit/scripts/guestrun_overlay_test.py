# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run's second archive: what the kernel unpacks is what was given; modules that cannot fit are refused at the start. --add-package: packages
come into it, with an apt-get that only pretends and a real dpkg-deb."""
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

import pytest

from conftest import FAKE, FINE, PATIENCE, ROOT, read, run, write
from guestrun import debian_kernel, overlay, packages, tree
from workbench import Refused


def ko(release="6.1.0-1-cloud-amd64", *aliases):
    """Enough of a module to be taken for one."""
    info = [f"vermagic={release} SMP preempt mod_unload", *(f"alias={a}" for a in aliases)]
    return b"\x7fELF" + bytes(60) + b"\0".join(i.encode() for i in info) + b"\0"


def bzimage(release):
    data = bytearray(0x400)
    data[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", data, 0x20e, 0x100)
    text = f"{release} (me@here) #1".encode() + b"\0"
    return bytes(data[:0x300]) + text + bytes(64)


def made(guest, archive):
    path = guest.path("archive")
    with open(path, "wb") as f:
        archive.write(f)
    return path


def test_as_cpio_reads_it(guest):
    os.mkdir(guest.path("tree"))
    os.mkdir(guest.path("tree/sub"))
    guest.write("tree/sub/odd", b"12345")
    guest.write("tree/run", b"#!", 0o755)
    guest.write("tree/empty", b"")
    os.symlink("sub/odd", guest.path("tree/link"))
    archive = overlay.Archive()
    archive.add(guest.path("tree"), "root/tree")
    archive.text("perfboard/command", "echo \u00e9")
    path = made(guest, archive)
    assert os.path.getsize(path) % 4 == 0
    found = overlay.members(path)
    assert found["root/tree/sub/odd"] == b"12345"
    assert found["root/tree/link"] == b"sub/odd"
    assert found["perfboard/command"] == "echo \u00e9".encode()
    listed = run("bsdtar", "-tvf", path)
    assert listed.returncode == 0
    for pattern in (r"(?m)^drwxr-xr-x .* root/tree/sub$", r"(?m)^-rwxr-xr-x .* 2 .* root/tree/run$", r"(?m)^-rw-r--r-- .* 0 .* root/tree/empty$",
                    r"(?m)^lrwxrwxrwx .* root/tree/link -> sub/odd$"):
        assert re.search(pattern, listed.stdout)
    first = read(path)
    os.utime(guest.path("tree/run"))
    assert read(made(guest, archive)) == first


def test_behind_another_one(guest):
    one, two = overlay.Archive(), overlay.Archive()
    one.text("a", "1")
    two.text("b", "2")
    first = made(guest, one)
    with open(first, "ab") as f:
        f.write(b"\0")  # a size that is no multiple of 4
    overlay.join(first, two, guest.path("both"))
    data = read(guest.path("both"))
    at = data.find(b"070701", os.path.getsize(first))
    assert at % 4 == 0
    guest.write("second", data[at:])
    assert overlay.members(guest.path("second")) == {"b": b"2"}


def test_what_is_no_archive(guest):
    for data in (b"", b"070701", b"070701" + b"0" * 104, b"\x28\xb5\x2f\xfd" + bytes(100)):
        assert overlay.members(guest.write("x", data)) == {}


def test_release(guest):
    assert overlay.kernel_release(guest.write("k", bzimage("6.1.0-9-cloud"))) == "6.1.0-9-cloud"
    assert overlay.kernel_release(guest.write("k", b"\x7fELF..Linux version 6.2-ppc (x)")) == "6.2-ppc"
    assert overlay.kernel_release(guest.write("k", b"nothing")) is None


def starts_with(guest, archive):
    """What the guest has without more."""
    with open(guest.initramfs, "wb") as f:
        archive.write(f)


@pytest.fixture
def cloud(guest):
    guest.kernel = guest.write("kernel", bzimage("6.1.0-1-cloud-amd64"))
    base = overlay.Archive()
    base.text("lib/modules/order", "surf.ko\nmultikron.ko pci:v00001234d00004D4Bsv*sd*bc*sc*i*\n")
    starts_with(guest, base)
    return guest


def given_to(guest, *words):
    """The archive that QEMU was given behind the first one."""
    write(guest.qemu, FAKE.replace("end = open", "shutil.copy(sys.argv[sys.argv.index('-initrd') + 1], os.path.join(here, 'initrd'))\nend = open", 1), 0o755)
    done = guest.run_guest(**FINE, options=words)
    assert done.status == 0, done
    with open(guest.path("initrd"), "rb") as f:
        f.seek((os.path.getsize(guest.initramfs) + 3) // 4 * 4)
        return overlay.members(guest.write("second", f.read())), done


def test_the_drivers_that_stay_out(cloud):
    for name, aliases, out in [("my", ["pci:v00001234d00004D4Bsv*sd*bc*sc*i*"], "multikron"), ("my", ["pci:v00001234d*sv*sd*bc*sc*i*"], "multikron"),
                               ("surf", [], "surf"), ("my", ["pci:v00001234d00004D4Csv*sd*bc*sc*i*"], None)]:
        module = cloud.write(name + ".ko", ko("6.1.0-1-cloud-amd64", *aliases))
        second, done = given_to(cloud, "--module", module + ",irq=9,x=y")
        assert second["perfboard/load"] == f"{name}.ko irq=9 x=y\n".encode()
        order = second.get("lib/modules/order", b"surf multikron").decode()
        assert [n for n in ("surf", "multikron") if n not in order] == ([out] if out else [])
        assert (b"perfboard: stays out: " in done.out) == (out is not None)
    second, _ = given_to(cloud, "--without", "surf")
    assert second["lib/modules/order"].startswith(b"multikron.ko ")


def test_files(cloud):
    given = cloud.write("given", "text")
    second, _ = given_to(cloud, "--add", given, "--add", f"{given}=/etc/x/", "--add", f"{cloud.folder}=tree", "--get", "/var/log=" + cloud.path("log"),
                         "--get", "a b=" + cloud.path("c"))
    for name in ("root/given", "etc/x/given", "root/tree/given"):
        assert second[name] == b"text"
    assert second["perfboard/get"] == b"perfboard.get.0 /var/log\nperfboard.get.1 a b\n"
    assert second["perfboard/command"] == b"true"
    assert "perfboard/stdin" not in second
    os.chmod(given, 0o600)
    os.symlink("given", cloud.path("link"))
    second, _ = given_to(cloud, "--add", cloud.path("link"), "--add", given, "--add", f"{given}=/lib/modules/surf.parameters")
    assert second["root/link"] == b"text"
    listed = run("bsdtar", "-tvf", cloud.path("second")).stdout
    assert re.search("(?m)^-rw-r--r-- .* root/given$", listed)
    assert re.search("(?m)^-rw------- .* lib/modules/surf.parameters$", listed)
    assert os.stat(cloud.path("initrd")).st_mode & 0o777 == 0o600


def test_standard_input(cloud):
    second, _ = given_to(cloud, "--stdin", cloud.write("given", b"to be\0read"))
    assert second["perfboard/stdin"] == b"to be\0read"
    cloud.write("end", "0")
    done = subprocess.run(cloud.words("--stdin", "-", "--mem", "512M", "--show", "--", "true"), input=b"a pipe's", capture_output=True, timeout=PATIENCE)
    assert b"-initrd" in done.stdout
    assert b"a pipe's" in read(cloud.path("initrd"))
    for words, line in [(["--stdin", "/nowhere/x", "--", "true"], "--stdin /nowhere/x: No such file or directory; legal is a file, or -"),
                        (["--stdin", cloud.folder, "--", "true"], f"--stdin {cloud.folder}: Is a directory"),
                        (["--stdin", cloud.path("given")], "--stdin " + cloud.path("given") + ": legal with a command only"),
                        (["--stdin", cloud.path("given"), "--disk", cloud.path("given"), "--", "true"], "not together with --initrd or --disk")]:
        cloud.refused(*words, says=line, command=(), without="initramfs" if "--disk" in words else ())


def test_refused(cloud):
    text, other = cloud.write("t.ko", "text"), cloud.write("o.ko", ko("6.1.0-2-cloud-amd64"))
    good, none = cloud.write("g.ko", ko()), cloud.write("n.ko", b"\x7fELF" + bytes(60))
    for words, line in [
            (["--module", text], f"--module {text}: legal is a module"), (["--module", "/nowhere/x.ko"], "--module /nowhere/x.ko: No such file"),
            (["--module", "x.c"], "--module x.c: legal is NAME.ko"), (["--module", good + ",a b=1"], "without blanks"),
            (["--module", none], f"--module {none}: legal is a module"),
            (["--module", other], "built for the kernel 6.1.0-2-cloud-amd64, the guest's is 6.1.0-1-cloud-amd64"),
            (["--without", "sni"], "--without sni: legal are the guest's modules: multikron, surf"),
            (["--add", "/nowhere/x"], "--add /nowhere/x: /nowhere/x cannot be read"), (["--add", good + "=/../perfboard"], "legal is a DEST of yours"),
            (["--add", good + "=/perfboard/run"], "legal is a DEST of yours"),
            (["--add", good + "=/lib/modules/sni.parameters"], f"others can read {good}; legal for a module's parameters is a file of mode 0600"),
            (["--get", "/x/"], "--get '/x/': legal is PATH"),
            (["--get", "=x"], "legal is PATH or PATH=FILE"), (["--get", "/x=/nowhere/x"], "--get /nowhere/x: legal is a file that can be written")]:
        cloud.refused(*words, says=line)


def test_files_that_were_cut_off(cloud):
    cloud.write("end", "0")
    program = read("/proc/self/exe")
    for length in (5, 17, 40, 57, 63, 64, 65, 100, 20000):
        cut = cloud.write("cut", program[:length], 0o755)
        done = cloud.guest_run("--add", cut, "--no-boards", "--", "true")
        assert "Traceback" not in done.err
    whole = ko()
    head = struct.pack("<5s11xHHIQQQIHHHHHH", b"\x7fELF\x02", 1, 62, 1, 0, 0, 5000, 0, 64, 0, 0, 64, 3, 2)
    cut = cloud.write("cut.ko", head + whole[64:])
    done = cloud.guest_run("--module", cut, "--", "true")
    assert (done.status, done.err) == (2, f"perfboard: --module {cut}: this file is not whole: it has {len(whole)} bytes, and its sections end at 5192\n")


def test_the_kernel_of_the_guests_drivers(cloud):
    base = overlay.Archive()
    base.text("lib/modules/order", "surf.ko\n")
    base.put("lib/modules/surf.ko", stat.S_IFREG | 0o644, ko("6.1.0-1-cloud-amd64"))
    starts_with(cloud, base)
    cloud.write("end", "0")
    other = cloud.write("other", bzimage("6.1.0-2-cloud-amd64"))
    assert cloud.guest_run("--", "true").status == 125  # the same: it boots
    for more in ({}, {"environment": {"PERFBOARD_KERNEL": other}}):
        cloud.refused(*([] if more else ["--kernel", other]), without="kernel", **more, says=(
            f"{other}: the guest's drivers are for the kernel 6.1.0-1-cloud-amd64, and this one is 6.1.0-2-cloud-amd64; "
            "legal is that kernel, or one whose headers are in /lib/modules/6.1.0-2-cloud-amd64/build (on a Debian the package linux-headers-6.1.0-2"))
    # Who loads none of them may boot any.
    assert cloud.guest_run("--kernel", other, "--append", "perfboard.noload", "--", "true", without="kernel").status == 125


CONFIG = "".join(f"CONFIG_{name}=y\n" for name in ("X86_64", *tree.NEEDED))


def built_tree(guest, config=CONFIG, without=()):
    """A folder like one in which a kernel was built, with as much of Debian's headers as a module needs: QEMU here only pretends."""
    folder = tempfile.mkdtemp(dir=guest.folder)
    write(os.path.join(folder, ".config"), config)
    os.makedirs(os.path.join(folder, "arch/x86/boot"))
    for name in tree.BUILT:
        if name not in without:
            write(os.path.join(folder, name), bzimage("6.1.0-kasan") if name.endswith("bzImage") else "")
    return folder


def test_a_built_kernel(cloud, monkeypatch):
    """Its drivers replace those of the guest; they are built once, and again for another tree."""
    base = overlay.Archive()
    base.text("lib/modules/order", "surf.ko\nmultikron.ko\n")
    for name in ("surf.ko", "multikron.ko"):
        base.put("lib/modules/" + name, stat.S_IFREG | 0o644, ko())
    starts_with(cloud, base)
    folder, made = built_tree(cloud), cloud.write("made", "")
    # Instead of a kernel's Makefile: a line for each build, and modules.
    write(os.path.join(folder, "Makefile"), f"modules:\n\techo $(M) >>{made}\n" + "".join(
        f"\tprintf '\\177ELF' >$(M)/{b}/driver/{m}.ko\n" for b, m in (("surfboard", "surf"), ("multikron", "multikron"))))
    # strip would refuse these.
    os.mkdir(cloud.path("bin"))
    cloud.write("bin/strip", "#!/bin/sh\nwhile [ $# != 2 ]; do shift; [ $1 != -o ] || shift; done; cp $2 $1\n", 0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", cloud.path("cache"))
    monkeypatch.setenv("PATH", cloud.path("bin"), ":")
    cloud.kernel = folder
    for _ in range(2):
        second, done = given_to(cloud)
        assert second["lib/modules/surf.ko"] == b"\177ELF"
        assert second["lib/modules/multikron.ko"] == b"\177ELF"
        assert second["perfboard/command"] == b"true"
        assert b"$here/workbench" in second["perfboard/run"]
        assert read(made).count(b"\n") == 1
    assert done.err == ""
    os.utime(os.path.join(folder, "Module.symvers"))
    _, done = given_to(cloud)
    assert done.err == f"perfboard: builds the drivers for {folder}, once\n"


def test_a_built_kernel_refused(cloud):
    empty = tempfile.mkdtemp(dir=cloud.folder)
    other = built_tree(cloud, "CONFIG_PPC64=y\n")
    bare = built_tree(cloud, "CONFIG_X86_64=y\nCONFIG_PCI=m\n")
    half = built_tree(cloud, without=("vmlinux", "Module.symvers"))
    for folder, line in [(empty, "a folder without .config; legal is a Linux kernel, or the folder in which one was built (scripts/kernel builds one)"),
                         (other, "built for another architecture (its .config is without CONFIG_X86_64=y); legal is one for x86_64"),
                         (bare, "its .config is without CONFIG_MODULES=y, CONFIG_PCI=y, "),
                         (half, f"not built: without vmlinux, Module.symvers; legal is a folder after make -C {half} bzImage modules")]:
        cloud.refused("--kernel", folder, says=f"perfboard: --kernel {folder}: {line}", without="kernel")
    cloud.refused("--kernel", half, "--arch", "ppc64", without="kernel",
                  says="a folder; legal is one with --arch x86_64 only, and a kernel's file with --arch ppc64")


def test_a_packages_kernel(cloud):
    """What boots is in /boot, and from 7.2 on beside the modules."""
    release = "7.3.4+deb13-cloud-amd64"
    root = tempfile.mkdtemp(dir=cloud.folder)
    folder = os.path.join(root, "usr/lib/modules", release)
    for name in ("boot", os.path.join(folder, "build")):
        os.makedirs(os.path.join(root, name))
    for name in (".config", *tree.HEADERS):
        write(os.path.join(folder, "build", name), CONFIG)
    cloud.refused("--kernel", folder, says=f"perfboard: --kernel {folder}: not built: without vmlinuz; ", without="kernel")
    for kernel in (os.path.join(root, "boot/vmlinuz-" + release), os.path.join(folder, "vmlinuz")):
        write(kernel, bzimage(release))
        assert tree.image("--kernel", folder, "x86_64") == kernel
        assert tree.of_kernel(kernel, release) == folder
    assert tree.of_kernel(os.path.join(root, "boot/vmlinuz-" + release), "0.0.1-none") is None


# Instead of apt and dpkg-deb: packages that have what Debian's have.
KERNELS = """#!/bin/sh
echo "$(basename $0) $*" >>$CALLS
case "$(basename $0) $1" in
"apt-cache pkgnames") printf 'linux-headers-%s\\n' 9.12-cloud-amd64 9.12.9+deb12-cloud-amd64 9.12.17+deb12-cloud-amd64 9.12.17+deb12-common 9.12.18+deb12-rt-amd64 ;;
"apt-cache depends") case $2 in linux-headers-*-cloud-amd64) printf '  Depends: %s\\n' gcc-12 linux-headers-9.12.17+deb12-common linux-kbuild-9.12.17+deb12 ;; esac ;;
"apt-get -o") shift 3; for name; do echo >$name.deb; done ;;
"dpkg-deb -x")
    cd $3
    case $2 in
    */linux-image-*) mkdir -p boot lib/modules/$R; cp $KERNEL boot/vmlinuz-$R; ln -s /usr/src/linux-headers-$R lib/modules/$R/build ;;
    */linux-headers-*-common.deb) mkdir -p usr/src/linux-headers-9.12.17+deb12-common ;;
    */linux-headers-*) mkdir -p usr/src/linux-headers-$R; cd usr/src/linux-headers-$R; echo "include /usr/src/linux-headers-9.12.17+deb12-common/Makefile" >Makefile
                       touch Module.symvers; cp $CONFIG .config ;;
    esac ;;
esac
"""


def test_a_kernel_by_its_name(cloud, monkeypatch):
    """Debian's packages are got once, and hang together where they are."""
    release = "9.12.17+deb12-cloud-amd64"
    os.mkdir(cloud.path("bin"))
    for name in ("apt-cache", "apt-get", "dpkg-deb"):
        cloud.write("bin/" + name, KERNELS, 0o755)
    calls = cloud.write("calls", "")
    for name, value in (("CALLS", calls), ("R", release), ("KERNEL", cloud.write("k", bzimage(release))), ("CONFIG", cloud.write("config", CONFIG)),
                        ("XDG_CACHE_HOME", cloud.path("cache"))):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", cloud.path("bin"), ":")
    found = debian_kernel.find("--kernel", "9.12", True)
    assert overlay.kernel_release(tree.image("--kernel", found, "x86_64")) == release
    with open(os.path.join(found, "build", "Makefile"), encoding="utf-8") as f:
        assert os.path.isdir(os.path.dirname(f.read().split()[1]))
    once = read(calls)
    for name in ("9.12", release, "linux-image-" + release):
        assert debian_kernel.find("--kernel", name, True) == found
    assert read(calls) == once
    for name in ("9.13", "9.1", "9.12.1"):
        with pytest.raises(Refused, match=f"--kernel {name}: no such kernel with its headers is in /lib/modules, and apt here knows none; legal are "):
            debian_kernel.find("--kernel", name, True)
    assert not any(map(debian_kernel.is_named, ("vmlinuz-9.12", "6", "linux-image-amd64", "9.12/x", "")))


def test_a_newer_kernel_does_not_come_between(cloud):
    """guest/linux/kernel, with folders of this test: the newest, or the one that the drivers were built for."""
    script = os.path.join(ROOT, "guest", "linux", "kernel")
    found = run(script)
    if found.returncode:
        pytest.skip("no kernel for guests here")
    release = overlay.kernel_release(found.stdout.strip())
    for asked in (release, "9.9.9-none-cloud-amd64"):
        done = run(script, "--release", asked)
        assert done.stdout == found.stdout
    tree = cloud.path("tree")
    os.makedirs(os.path.join(tree, ".cache", "kernel"))
    os.makedirs(os.path.join(tree, "guest", "linux"))
    write(os.path.join(tree, "guest", "linux", "kernel"), read(script), 0o755)
    old = write(os.path.join(tree, ".cache", "kernel", "vmlinuz-0.0.1-cloud-amd64"), "")
    done = run(os.path.join(tree, "guest/linux/kernel"), "--release", "0.0.1-cloud-amd64")
    assert done.stdout == os.path.realpath(old) + "\n"


def test_records(cloud):
    done = cloud.run_guest(b"perfboard: start\n\nperfboard: exit 1\n", b"start\nrefused my.ko does not load: Exec format error\nexit 1\ntaint 0\nend\n",
                           options=["--quiet"])
    assert (done.status, done.last) == (118, "perfboard: my.ko does not load: Exec format error")
    done = cloud.run_guest(FINE["console"], b"start\nmissing /x: there is no such file\nexit 0\ntaint 0\nend\n")
    assert (done.status, done.last) == (119, "perfboard: --get /x: there is no such file")
    assert stat.S_ISREG(os.stat(cloud.kernel).st_mode)


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


@pytest.fixture
def apt(guest, monkeypatch):
    if not shutil.which("dpkg-deb"):
        pytest.skip("no dpkg-deb")
    os.makedirs(guest.path("bin/debs"))
    guest.write("bin/apt-get", APT, 0o755)
    monkeypatch.setenv("PATH", guest.path("bin"), ":")
    monkeypatch.setenv("XDG_CACHE_HOME", guest.path("cache"))
    package(guest, "tool", "1:2.0", "amd64", {"bin/tool": "program", "usr/share/doc/tool/README": "text", "etc/tool.conf": "on",
                                             "lib64/ld-linux-x86-64.so.2": "@/lib/x86_64-linux-gnu/ld.so", "usr/lib/libtool.so": "@../../lib/lib.so.3"})
    package(guest, "lib", "3", "all", {"lib/lib.so.3": "library", "usr/share/man/man1/lib.1": "page"})
    return guest


def package(guest, name, version, arch, files):
    tree = guest.path("tree-" + name)
    os.makedirs(os.path.join(tree, "DEBIAN"))
    write(os.path.join(tree, "DEBIAN", "control"), f"Package: {name}\nVersion: {version}\nArchitecture: {arch}\nMaintainer: x <x@example>\nDescription: x\n")
    for path, text in files.items():
        os.makedirs(os.path.join(tree, os.path.dirname(path)), exist_ok=True)
        if text.startswith("@"):
            os.symlink(text[1:], os.path.join(tree, path))
        else:
            write(os.path.join(tree, path), text, 0o755 if "bin/" in path else 0o644)
    file = guest.path(f"bin/debs/{name}_{version.replace(':', '%3a')}_{arch}.deb")
    run("dpkg-deb", "--root-owner-group", "--build", tree, file, check=True)


def test_what_comes_where(apt):
    files = packages.get("--add-package", ["tool"], True)
    assert [os.path.basename(f) for f in files] == ["lib_3_all.deb", "tool_1%3a2.0_amd64.deb"]
    archive = overlay.Archive()
    packages.add(archive, files)
    found = {path: (stat.S_IFMT(mode), mode & 0o777, data) for path, (mode, data) in archive.entries.items() if not stat.S_ISDIR(mode)}
    assert found == {
        "usr/bin/tool": (stat.S_IFREG, 0o755, b"program"),
        "usr/lib/lib.so.3": (stat.S_IFREG, 0o644, b"library"),
        "usr/lib/libtool.so": (stat.S_IFLNK, 0o777, b"/usr/lib/lib.so.3"),
        "lib64/ld-linux-x86-64.so.2": (stat.S_IFLNK, 0o777, b"/usr/lib/x86_64-linux-gnu/ld.so"),
        "etc/tool.conf": (stat.S_IFREG, 0o644, b"on"),
        "perfboard/packages": (stat.S_IFREG, 0o644, b"lib_3_all.deb\ntool_1%3a2.0_amd64.deb\n")}


def test_what_was_downloaded_is_kept(apt):
    for _ in range(2):
        packages.get("--add-package", ["tool"], True)
        assert read(apt.path("bin/downloads")) == b"x\n"


def test_the_guest_has_it(apt):
    done = apt.run_guest(**FINE, options=["--add-package", "tool"])
    assert done.status == 0, done.err
    assert "apt gets 2 of 2 packages" in done.err


def apt_refuses(guest, *words, says):
    done = guest.guest_run(*words, *([] if "--disk" in words else ["--", "true"]))
    assert (done.status, done.out) == (2, b""), done.err
    assert re.search(says, done.last)
    assert not os.path.exists(guest.path("words")), "QEMU was started"


def test_packages_refused(apt):
    apt_refuses(apt, "--add-package", "nonesuch", says="--add-package nonesuch: legal are packages that apt here knows.*: Unable to locate package nonesuch$")
    apt_refuses(apt, "--add-package", "held", says=r"--add-package held: held_1%3a2\.0_amd64\.deb cannot be had: Failed to fetch held$")
    for wrong in ("", "-y", "a b", "tool=1", "../x", "Tool"):
        apt_refuses(apt, f"--add-package={wrong}", says=f"--add-package '{wrong}': legal is the name of a Debian package$")
    apt_refuses(apt, "--add-package", "tool", "--disk", apt.kernel, says="--add-package tool: not together with --initrd or --disk")
    apt.write("vmlinux", b"\x7fELF\x02\x01\x01" + bytes(64))
    apt_refuses(apt, "--arch", "ppc64", "--kernel", apt.path("vmlinux"), "--add-package", "tool", says="--add-package tool: legal with --arch x86_64 only")


def test_no_debian(apt, monkeypatch):
    os.remove(apt.path("bin/apt-get"))
    for name, program in (("python3", sys.executable), ("env", shutil.which("env"))):
        os.symlink(program, apt.path("bin/" + name))
    monkeypatch.setenv("PATH", apt.path("bin"))
    apt_refuses(apt, "--add-package", "tool", says="--add-package tool: legal on a Debian only: there is no apt-get$")
