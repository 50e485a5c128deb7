# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/kernel, scripts/fresh: what is wrong is said in one line, before anything is downloaded; a kernel's configurations say each thing once.
guest/initramfs/build: the same input gives the same bytes, whatever this machine's files are numbered, dated and owned."""
import gzip
import os
import re
import shutil

import pytest

from conftest import ROOT, read, run, write
from guestrun import tree


def lines(name):
    return re.findall(r"(?m)^CONFIG_(\w+)=(.*)$", read(os.path.join(ROOT, "scripts", "kernelrun", name + ".config")).decode())


def test_refused(folder):
    bad = write(folder / "bad.config", "# more\nCONFIG_BLOCK=y\nBLOCK=y\n")
    for words, line in [(["ktsan"], "'ktsan': legal are kasan, kcsan, tick, eisa, --linux SERIES and --config FILE"), (["kasan", "kcsan"], "'kcsan': legal is one of"),
                        (["--linux"], "--linux '': legal is a series such as 6.12"), (["--linux", "6.1.9"], "--linux '6.1.9': legal is a series"),
                        (["--config"], "--config: names no file"), (["--config", "/nowhere/x"], "--config /nowhere/x: cannot be read"),
                        (["--config", folder], f"--config {folder}: cannot be read"),
                        (["--config", bad], f"--config {bad}: line 3 is 'BLOCK=y'; legal are lines CONFIG_NAME=VALUE")]:
        done = run(os.path.join(ROOT, "scripts", "kernel"), *words)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done
        assert "kernel: error: " + line in done.stderr


def test_fresh(folder):
    """Options stand on either side of the suite; a user without sudo gets no further than they do."""
    for program in ("bash", "dirname", "sed", "grep", "apt-get"):  # the last two tell forky from sid
        os.symlink(shutil.which(program), folder / program)
    write(folder / "id", "#!/bin/sh\necho 1000\n".replace("/bin/sh", shutil.which("sh")), 0o755)
    suites = "suite 'buster': legal are bookworm, trixie, trixie-backports, forky and sid"
    usage, root = "usage: scripts/fresh [--keep] [--in DIR] [--out DIR] SUITE COMMAND...", "needs root for chroot: run it as root, or install sudo"
    for words, line in [("trixie --keep", usage), ("--keep trixie", usage), ("trixie", usage), ("trixie --in /nowhere true", "--in: names no folder"),
                        ("trixie --fast true", "unknown option --fast (--help lists them)"), ("--fast trixie true", "unknown option --fast (--help lists them)"),
                        ("buster true", suites), ("--keep buster --out x true", suites),
                        ("trixie --keep true --in x", root), ("--keep trixie --out x true", root), ("trixie --in / --out x sh -c true", root)]:
        done = run(os.path.join(ROOT, "scripts", "fresh"), *words.split(), env={"PATH": folder})
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"fresh: error: {line}\n")


def test_configurations():
    guest = dict(lines("guest"))
    for kind, parts in [("kasan", ["guest", "kasan"]), ("kcsan", ["guest", "kcsan"]), ("tick", ["guest", "tick"]), ("eisa", ["eisa"])]:
        names = [name for part in parts for name, _ in lines(part)]
        assert len(names) == len(set(names)), kind
    for name in ("64BIT", *tree.NEEDED):
        assert guest.get(name) == "y", name


def test_what_the_kernel_does_not_take(folder):
    want = write(folder / "want", "# a line\nCONFIG_A=y\nCONFIG_B=n\nCONFIG_C=12\nCONFIG_UBSAN_SANITIZE_ALL=y\n")
    for config, missing in [("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=12\n", ""), ("CONFIG_A=y\nCONFIG_C=1\n", "CONFIG_C=12\n"),
                            ("CONFIG_B=y\n", "CONFIG_A=y\nCONFIG_C=12\n")]:
        done = run(os.path.join(ROOT, "scripts", "kernelrun", "missing"), want, write(folder / "config", config))
        assert (done.returncode, done.stdout, done.stderr) == (0, missing, "")


@pytest.fixture
def given(folder):
    write(folder / "module.ko", b"\0alias=pci:v00001234d*\0alias=pci:v00005678d*\0")
    write(folder / "scripts/run.sh", b"echo\n", 0o640)
    write(folder / "scripts/a b#c\\d", b"data")
    write(folder / "some/selector.bit", b"bits")
    return folder


def run_build(folder, *words):
    return run(os.path.join(ROOT, "guest/initramfs/build"), *words, cwd=folder)


def build(folder, name, *words, cwd=None):
    done = run_build(cwd or folder, folder / name, "--module", "module.ko", "--script", "scripts", "--has", "some/selector.bit",
                     "--file", "some/selector.bit=/deep/down/x", *words)
    assert done.returncode == 0, done.stderr
    return (folder / name).read_bytes()


def listing(folder, name):
    text = run("bsdtar", "--numeric-owner", "-tvf", folder / name, check=True).stdout
    found = {}
    for line in text.splitlines():
        mode, _, uid, gid, size, date, path = re.fullmatch(
            r"(\S+) +(\d+) (\d+) +(\d+) +(\d+(?:,\d+)?) (Jan +1 +1970) \./(.*)", line).groups()
        found[path] = (mode, uid, gid, size)
    return found


def test_files_where_it_is_called_are_nobodys_business(given):
    first = build(given, "first.cpio")
    write(given / "bin", b"a file, and a folder in the guest")
    (given / "init").mkdir()
    assert build(given, "second.cpio") == first


def test_same_bytes_from_other_files_of_the_same_content(given):
    first = build(given, "first.cpio")
    other = given / "other"
    other.mkdir()
    for name in ("some", "scripts", "module.ko"):
        source = given / name
        shutil.copytree(source, other / name) if source.is_dir() else shutil.copy(source, other / name)
    for path in other.rglob("*"):
        os.utime(path, (1000000000, 1000000000))
    assert build(given, "second.cpio", cwd=other) == first
    assert gzip.decompress(build(given, "third.cpio.gz")) == first
    assert build(given, "fourth.cpio.gz") == (given / "third.cpio.gz").read_bytes()
    write(given / "scripts/run.sh", b"echO\n")
    assert build(given, "fifth.cpio") != first


def test_a_program_with_many_names_is_there_once(given):
    write(given / "many", b"program", 0o755)
    for name in "one", "two":
        (given / name).symlink_to("many")
    build(given, "made.cpio", "--bin", "one", "--bin", "many")
    found = listing(given, "made.cpio")
    assert found["bin/one -> many"][0] == "lrwxrwxrwx"
    assert found["bin/many"] == ("-rwxr-xr-x", "0", "0", "7")
    build(given, "without.cpio", "--bin", "two")
    assert listing(given, "without.cpio")["bin/two"] == ("-rwxr-xr-x", "0", "0", "7")


def test_what_the_kernel_will_find(given):
    data = build(given, "made.cpio")
    assert data[:6] == b"070701", "newc, the only format that the kernel takes"
    found = listing(given, "made.cpio")
    assert found["dev/console"] == ("crw-------", "0", "0", "5,1")
    assert found["dev/null"] == ("crw-rw-rw-", "0", "0", "1,3")
    assert found["tmp/"] == ("drwxrwxrwt", "0", "0", "0")
    assert found["bin/sh -> busybox"][0] == "lrwxrwxrwx"
    assert found["tests/run.sh"] == ("-rwxr-xr-x", "0", "0", "5")
    assert found["firmware/selector.bit"] == ("-rw-r--r--", "0", "0", "4")
    assert found["deep/down/x"] == ("-rw-r--r--", "0", "0", "4")
    assert found["init"][0] == "-rwxr-xr-x"
    paths = list(found)
    assert paths.index("deep/") < paths.index("deep/down/")
    assert paths.index("deep/down/") < paths.index("deep/down/x")


def test_contents(given):
    build(given, "made.cpio")
    out = given / "out"
    out.mkdir()
    run("bsdtar", "-xf", given / "made.cpio", "-C", out, "./tests", "./lib", check=True)
    assert (out / "tests/a b#c\\d").read_bytes() == b"data"
    assert (out / "lib/modules/order").read_text() == "module.ko pci:v00001234d* pci:v00005678d*\n"


def test_a_file_that_is_missing(given):
    for words in (["--bin", "none"], ["--module", "none"], ["--file", "none=/x"], ["--has", "none"], ["--script", "none"]):
        done = run_build(given, "made.cpio", *words)
        assert done.returncode == 1, words
        assert "none" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (given / "made.cpio").exists()
