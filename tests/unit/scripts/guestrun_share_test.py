# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run --share: what is refused, what QEMU and the guest's second archive get, and how the guest's modules are found."""
import os
import re
import struct

import pytest

from conftest import FINE, memory, read, record, write
from guestrun import boards, overlay, p9_modules  # after the fixture, which knows where they are
from workbench import Refused



@pytest.fixture
def guest(guest):
    for name in ("shared", "a, b=c,,d", "shared/below"):
        os.mkdir(guest.path(name))
    os.symlink("shared", guest.path("link"))
    guest.write("file", b"")
    return guest


def shared(guest, *options):
    """QEMU's words of the folders."""
    done = guest.run_guest(options=list(options), **FINE)
    assert done.status == 0, done.err
    said = guest.qemu_words()
    return [b for a, b in zip(said, said[1:]) if a == "-fsdev" or b.startswith("virtio-9p")]


def test_qemus_words(guest):
    assert shared(guest, "--share", guest.path("shared"), "--share-ro", guest.path("link") + "=/data") == [
        f"local,id=share0,path={guest.path('shared')},security_model=none,multidevs=remap",
        "virtio-9p-pci,fsdev=share0,mount_tag=share0,addr=1d.0,multifunction=on",
        f"local,id=share1,path={guest.path('shared')},security_model=none,multidevs=remap,readonly=on",
        "virtio-9p-pci,fsdev=share1,mount_tag=share1,addr=1d.1"]


def test_commas_and_equal_signs_in_a_name(guest):
    name = guest.path("a, b=c,,d")
    for word in (name, name + "/", name + "/."):
        assert shared(guest, "--share", word)[0] == f"local,id=share0,path={name.replace(',', ',,')},security_model=none,multidevs=remap"


def test_none(guest):
    assert shared(guest) == []
    assert b"share" not in read(guest.path("words"))


def targets(guest, *words):
    """What the guest is told to mount."""
    archive, _ = overlay.make(guest.checked(*words))
    return archive.entries["perfboard/share/folders"][1].decode()


def test_where_it_goes(guest):
    shared = guest.path("shared")
    for word, target in ((shared, "/mnt/shared"), (shared + "/", "/mnt/shared"), (guest.path("link"), "/mnt/link"), (shared + "=", "/mnt/shared"),
                         (shared + "=work/x", "/mnt/work/x"), (shared + "=/srv//x/", "/srv/x"), (shared + "=/root", "/root"),
                         (shared + "=//a b", "/a b")):
        assert targets(guest, "--share", word) == f"share0 rw {target}\n"
    for word, target in ((shared, "/mnt/shared"), ("/", "/mnt")):
        assert targets(guest, "--share-ro", word) == f"share0 ro {target}\n"


def refused(guest, *words, says):
    with pytest.raises(Refused, match=says):
        guest.checked(*words)


def test_refused(guest):
    shared = guest.path("shared")
    guest.refused("--share", guest.path("nonesuch"), says="nonesuch")
    for option in ("--share", "--share-ro"):
        refused(guest, option, guest.path("nonesuch"), says=f"{option} .*nonesuch: .*nonesuch: No such file or directory; legal is DIR or DIR=DEST, a folder that")
        refused(guest, option, guest.path("file"), says=f"{option} .*/file: .*/file: Not a directory; legal is DIR")
        refused(guest, f"{option}=", says=f"{option} : nothing cannot be read; legal is DIR")
        refused(guest, f"{option}==/mnt", says=f"{option} =/mnt: nothing cannot be read; legal is DIR")
        for target in ("/", "..", "/proc", "/dev/x", "/lib", "/perfboard/share"):
            refused(guest, option, f"{shared}={target}", says=f"{option} .*: legal is a DEST that the guest itself does not need, not /")
        for target in ("/a\nb", "/a "):
            refused(guest, option, f"{shared}={target}", says=f"{option} .*: legal is a DEST in one line, without blanks at its end$")
        refused(guest, option, shared, "--record", guest.path("r"), says=f"{option} .*shared: not together with --record: a recording does not hold")
        refused(guest, option, shared, "--disk", guest.kernel, says=f"{option} .*shared: not together with --initrd or --disk")
    refused(guest, "--share", shared, "--share-ro", guest.path("shared/below") + "=shared", says="--share-ro .*: another one is at /mnt/shared already")
    refused(guest, *(w for n in range(9) for w in ("--share", f"{shared}={n}")), says="--share .*=8: legal are 8 folders$")


def test_what_others_can_reach(guest):
    """There a set-uid program of the guest's would give them this user's rights."""
    os.chmod(guest.path("shared"), 0o700)  # which the guest can change
    open_to = [(0o755, "shared"), (0o710, "shared"), (0o701, "shared/below/../below")]
    if os.geteuid() == 0:
        os.mkdir(guest.path("another's"), 0o700)
        os.chown(guest.path("another's"), 65534, 65534)
        os.mkdir(guest.path("another's/work"))
        open_to.append((0o755, "another's/work"))
    for mode, name in open_to:
        os.chmod(guest.folder, mode)
        os.chmod(guest.path("shared"), 0o755 if name != "shared" else 0o700)
        refused(guest, "--share", guest.path(name), says=f"--share .*: others of this machine can reach {os.path.realpath(guest.path(name))}, .*; legal is a folder below")
        guest.checked("--share-ro", guest.path(name))
    os.chmod(guest.path("shared"), 0o700)
    guest.checked("--share", guest.path("shared/below"))


@pytest.mark.skipif(os.getuid() == 0, reason="root reads every folder")
def test_not_readable(guest):
    os.chmod(guest.path("shared/below"), 0)
    refused(guest, "--share", guest.path("shared/below"), says="Permission denied; legal is DIR")



VICTIM = b"a line of the user's\n"


@pytest.fixture
def hostile(guest):
    """A guest that puts a link in the place of what is to be written in its folder."""
    guest.shared, guest.home = guest.path("shared"), guest.path("home")
    for folder in (guest.home, os.path.join(guest.shared, "sub"), guest.path("out")):
        os.mkdir(folder)
    guest.victim = os.path.join(guest.home, "file")
    os.symlink("shared/sub/../../out", guest.path("through"))
    qemu = guest.qemu
    guest.qemu = guest.write("guest", f"#!/bin/sh\nfor name in file perfboard.kallsyms.0 console; do ln -sf {guest.victim} {guest.shared}/$name; done\n"
                             f"mv {guest.shared}/sub {guest.shared}/away; ln -s {guest.home} {guest.shared}/sub; mkdir -p {guest.shared}/sub/below\nexec {qemu} \"$@\"\n", 0o755)
    return guest


def tried(hostile, *words):
    write(hostile.victim, VICTIM)
    for name, data in {**FINE, "end": "0", "log": b"log\n", "memory": memory(record(b"perfboard.get.0", b"x"), record(b"file", b"x"))}.items():
        hostile.write(name, data)
    done = hostile.guest_run("--share", hostile.shared, *words, "--", "true")
    assert read(hostile.victim) == VICTIM, "overwritten"
    return done


def test_outputs(hostile, monkeypatch):
    monkeypatch.chdir(hostile.folder)
    there = os.path.join(hostile.shared, "file")
    for words in (["--out", hostile.shared], ["--out", hostile.shared + "/sub"], ["--out", "shared"], ["--out", hostile.path("through")], ["--get", f"/x={there}"],
                  ["--get", f"/x={hostile.shared}/sub/../../home/file"], ["--out", hostile.home, "--get", f"/x={there}"], ["--junit", there], ["--log", there],
                  ["--no-boards", "--junit", "shared/./file"], ["--coverage", there], ["--files", hostile.shared], ["--monitor", there],
                  ["--device", f"{boards.BOARDS[-1].device},log={there}"], ["--board", f"{boards.BOARDS[-1].name},vcd={there}"], ["--qemu-arg=-D", "--qemu-arg=" + there],
                  ["--qemu-arg=-chardev", f"--qemu-arg=file,id=x,path={there}"], ["--qemu-arg=-chardev", f"--qemu-arg=null,id=x,logfile={there}"],
                  ["--qemu-arg=-serial", "--qemu-arg=file:" + there], ["--qemu-arg=--D", "--qemu-arg=shared/new"], ["--qemu-arg=-debugcon", "--qemu-arg=file:" + there],
                  ["--qemu-arg=-pidfile", "--qemu-arg=" + there], ["--qemu-arg=-drive", f"--qemu-arg=if=none,file={there},format=raw"],
                  ["--qemu-arg=-chardev", f"--qemu-arg=backend=file,id=x,path={there}"]):
        done = tried(hostile, *words)
        assert (done.status, len(done.err.splitlines())) == (2, 1), done
        assert re.search("^perfboard: --[a-z-]+ .*: the guest can put a link there \\(--share\\); legal is a file outside of its folders", done.err)
        assert not os.path.exists(hostile.path("words")), "QEMU was started"


def test_elsewhere(hostile, monkeypatch):
    monkeypatch.chdir(hostile.shared)
    done = tried(hostile, "--out", "../out", "--junit", hostile.shared + "/../out/junit", "--log", "/dev/null")
    assert done.status == 0, done
    assert sorted(os.listdir(hostile.path("out"))) == ["file", "junit", "perfboard.get.0"]


def module(guest, name, depends=""):
    """A file with the strings of .modinfo."""
    return guest.write(name + ".ko", b"\x7fELF\0name=" + name.encode() + b"\0depends=" + depends.encode() + b"\0")


def test_order(guest):
    needs = {"9p": "netfs,9pnet", "9pnet": "", "9pnet_virtio": "virtio,9pnet,virtio_ring", "netfs": "", "virtio": "", "virtio_ring": "",
             "virtio_pci": "virtio_pci_modern_dev,virtio_ring,virtio", "virtio_pci_modern_dev": "", "virtio_rtc": "ptp"}
    found = p9_modules._ordered({name: module(guest, name, depends) for name, depends in needs.items()})
    assert [os.path.basename(p)[:-3] for p in found] == ["virtio_pci_modern_dev", "virtio_ring", "virtio", "virtio_pci", "9pnet", "9pnet_virtio", "netfs", "9p"]


def test_a_module_that_is_not_there(guest):
    with pytest.raises(Refused, match="--share: the module 9p needs fscache, which is not there"):
        p9_modules._ordered({"9p": module(guest, "9p", "fscache")})


def test_the_source_is_the_headers_own(guest):
    os.makedirs(guest.path("headers/include/generated"))
    assert p9_modules.version_of(guest.path("headers")) == ""
    guest.write("headers/include/generated/package.h", '#ifndef __ASSEMBLY__\n#define LINUX_PACKAGE_ID " Debian 6.12.95-1~bpo12+1"\n')
    assert p9_modules.version_of(guest.path("headers")) == "6.12.95-1~bpo12+1"
    assert [("fs/fscache" in p9_modules.parts(series)) for series in ("6.1", "6.7", "6.8", "6.12")] == [True, True, False, False]


def test_a_kernel_without_headers(guest):
    """It may have 9p in itself: the guest tells."""
    kernel = guest.write("other", b"\0" * 0x202 + b"HdrS" + bytes(8) + struct.pack("<H", 0x100) + bytes(0xf0) + b"0.1-none (x)\0")
    assert overlay.kernel_release(kernel) == "0.1-none"
    assert p9_modules.modules("x86_64", kernel, False) == []
