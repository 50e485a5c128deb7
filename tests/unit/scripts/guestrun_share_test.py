#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run --share: what is refused, what QEMU and the guest's second archive get, and how the guest's modules are found."""
import os
import struct
import unittest

from guestrun_fixture import Case, write
from guestrun_transfer_test import memory, record

from guestrun import boards, options, overlay, p9_modules  # after the fixture, which knows where they are
from workbench import Refused, command

FINE = {"records": b"start\nexit 0\ntaint 0\nend\n", "console": b"perfboard: start\n\nperfboard: exit 0\n"}


class Share(Case):
    def setUp(self):
        super().setUp()
        for name in ("shared", "a, b=c,,d", "shared/below"):
            os.mkdir(self.path(name))
        os.symlink("shared", self.path("link"))
        write(self.path("file"), b"")

    def shared(self, *options):
        """QEMU's words of the folders."""
        done = self.run_guest(options=list(options), **FINE)
        self.assertEqual(done.status, 0, done.err)
        with open(self.path("words"), encoding="utf-8") as f:
            said = f.read().split("\n")
        return [b for a, b in zip(said, said[1:]) if a == "-fsdev" or b.startswith("virtio-9p")]

    def test_qemus_words(self):
        self.assertEqual(self.shared("--share", self.path("shared"), "--share-ro", self.path("link") + "=/data"), [
            f"local,id=share0,path={self.path('shared')},security_model=none,multidevs=remap",
            "virtio-9p-pci,fsdev=share0,mount_tag=share0,addr=1d.0,multifunction=on",
            f"local,id=share1,path={self.path('shared')},security_model=none,multidevs=remap,readonly=on",
            "virtio-9p-pci,fsdev=share1,mount_tag=share1,addr=1d.1"])

    def test_commas_and_equal_signs_in_a_name(self):
        name = self.path("a, b=c,,d")
        for word in (name, name + "/", name + "/."):
            self.assertEqual(self.shared("--share", word)[0], f"local,id=share0,path={name.replace(',', ',,')},security_model=none,multidevs=remap")

    def test_none(self):
        self.assertEqual(self.shared(), [])
        with open(self.path("words"), encoding="utf-8") as f:
            self.assertNotIn("share", f.read())

    def targets(self, *words):
        """What the guest is told to mount."""
        args = self.checked(*words)
        archive, _ = overlay.make(args)
        return archive.entries["perfboard/share/folders"][1].decode()

    def checked(self, *words):
        return options.check(command.parse(["run", *self.words(*words)[2:], *([] if "--disk" in words else ["--", "true"])], command.modules()))

    def test_where_it_goes(self):
        shared = self.path("shared")
        for word, target in ((shared, "/mnt/shared"), (shared + "/", "/mnt/shared"), (self.path("link"), "/mnt/link"), (shared + "=", "/mnt/shared"),
                             (shared + "=work/x", "/mnt/work/x"), (shared + "=/srv//x/", "/srv/x"), (shared + "=/root", "/root"),
                             (shared + "=//a b", "/a b")):
            with self.subTest(word):
                self.assertEqual(self.targets("--share", word), f"share0 rw {target}\n")
        for word, target in ((shared, "/mnt/shared"), ("/", "/mnt")):
            self.assertEqual(self.targets("--share-ro", word), f"share0 ro {target}\n")

    def refused(self, *words, says):
        with self.subTest(words), self.assertRaisesRegex(Refused, says):
            self.checked(*words)

    def test_refused(self):
        shared = self.path("shared")
        done = self.guest_run("--share", self.path("nonesuch"), "--", "true")
        self.assertEqual((done.status, done.out), (2, b""), done.err)
        self.assertFalse(os.path.exists(self.path("words")), "QEMU was started")
        for option in ("--share", "--share-ro"):
            self.refused(option, self.path("nonesuch"), says=f"{option} .*nonesuch: .*nonesuch: No such file or directory; legal is DIR or DIR=DEST, a folder that")
            self.refused(option, self.path("file"), says=f"{option} .*/file: .*/file: Not a directory; legal is DIR")
            self.refused(f"{option}=", says=f"{option} : nothing cannot be read; legal is DIR")
            self.refused(f"{option}==/mnt", says=f"{option} =/mnt: nothing cannot be read; legal is DIR")
            for target in ("/", "..", "/proc", "/dev/x", "/lib", "/perfboard/share"):
                self.refused(option, f"{shared}={target}", says=f"{option} .*: legal is a DEST that the guest itself does not need, not /")
            for target in ("/a\nb", "/a "):
                self.refused(option, f"{shared}={target}", says=f"{option} .*: legal is a DEST in one line, without blanks at its end$")
            self.refused(option, shared, "--record", self.path("r"), says=f"{option} .*shared: not together with --record: a recording does not hold")
            self.refused(option, shared, "--disk", self.kernel, says=f"{option} .*shared: not together with --initrd or --disk")
        self.refused("--share", shared, "--share-ro", self.path("shared/below") + "=shared", says="--share-ro .*: another one is at /mnt/shared already")
        self.refused(*(w for n in range(9) for w in ("--share", f"{shared}={n}")), says="--share .*=8: legal are 8 folders$")

    def test_what_others_can_reach(self):
        """There a set-uid program of the guest's would give them this user's rights."""
        os.chmod(self.path("shared"), 0o700)  # which the guest can change
        open_to = [(0o755, "shared"), (0o710, "shared"), (0o701, "shared/below/../below")]
        if os.geteuid() == 0:
            os.mkdir(self.path("another's"), 0o700)
            os.chown(self.path("another's"), 65534, 65534)
            os.mkdir(self.path("another's/work"))
            open_to.append((0o755, "another's/work"))
        for mode, name in open_to:
            os.chmod(self.folder, mode)
            os.chmod(self.path("shared"), 0o755 if name != "shared" else 0o700)
            self.refused("--share", self.path(name), says=f"--share .*: others of this machine can reach {os.path.realpath(self.path(name))}, .*; legal is a folder below")
            self.checked("--share-ro", self.path(name))
        os.chmod(self.path("shared"), 0o700)
        self.checked("--share", self.path("shared/below"))

    @unittest.skipIf(os.getuid() == 0, "root reads every folder")
    def test_not_readable(self):
        os.chmod(self.path("shared/below"), 0)
        self.refused("--share", self.path("shared/below"), says="Permission denied; legal is DIR")


class Hostile(Case):
    """A guest that puts a link in the place of what is to be written in its folder."""
    VICTIM = b"a line of the user's\n"

    def setUp(self):
        super().setUp()
        self.shared, self.home = self.path("shared"), self.path("home")
        for folder in (self.shared, self.home, os.path.join(self.shared, "sub"), self.path("out")):
            os.mkdir(folder)
        self.victim = os.path.join(self.home, "file")
        os.symlink("shared/sub/../../out", self.path("through"))
        qemu = self.qemu
        self.qemu = write(self.path("guest"), f"#!/bin/sh\nfor name in file perfboard.kallsyms.0 console; do ln -sf {self.victim} {self.shared}/$name; done\n"
                          f"mv {self.shared}/sub {self.shared}/away; ln -s {self.home} {self.shared}/sub; mkdir -p {self.shared}/sub/below\nexec {qemu} \"$@\"\n", 0o755)

    def tried(self, *words):
        write(self.victim, self.VICTIM)
        for name, data in {**FINE, "end": "0", "log": b"log\n", "memory": memory(record(b"perfboard.get.0", b"x"), record(b"file", b"x"))}.items():
            write(self.path(name), data)
        done = self.guest_run("--share", self.shared, *words, "--", "true")
        with open(self.victim, "rb") as f:
            self.assertEqual(f.read(), self.VICTIM, "overwritten")
        return done

    def test_outputs(self):
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        there = os.path.join(self.shared, "file")
        for words in (["--out", self.shared], ["--out", self.shared + "/sub"], ["--out", "shared"], ["--out", self.path("through")], ["--get", f"/x={there}"],
                      ["--get", f"/x={self.shared}/sub/../../home/file"], ["--out", self.home, "--get", f"/x={there}"], ["--junit", there], ["--log", there],
                      ["--no-boards", "--junit", "shared/./file"], ["--coverage", there], ["--files", self.shared], ["--monitor", there],
                      ["--device", f"{boards.BOARDS[-1].device},log={there}"], ["--board", f"{boards.BOARDS[-1].name},vcd={there}"], ["--qemu-arg=-D", "--qemu-arg=" + there],
                      ["--qemu-arg=-chardev", f"--qemu-arg=file,id=x,path={there}"], ["--qemu-arg=-chardev", f"--qemu-arg=null,id=x,logfile={there}"],
                      ["--qemu-arg=-serial", "--qemu-arg=file:" + there], ["--qemu-arg=--D", "--qemu-arg=shared/new"], ["--qemu-arg=-debugcon", "--qemu-arg=file:" + there],
                      ["--qemu-arg=-pidfile", "--qemu-arg=" + there], ["--qemu-arg=-drive", f"--qemu-arg=if=none,file={there},format=raw"],
                      ["--qemu-arg=-chardev", f"--qemu-arg=backend=file,id=x,path={there}"]):
            with self.subTest(words):
                done = self.tried(*words)
                self.assertEqual((done.status, len(done.err.splitlines())), (2, 1), done)
                self.assertRegex(done.err, "^perfboard: --[a-z-]+ .*: the guest can put a link there \\(--share\\); legal is a file outside of its folders")
                self.assertFalse(os.path.exists(self.path("words")), "QEMU was started")

    def test_elsewhere(self):
        os.chdir(self.shared)
        self.addCleanup(os.chdir, "/")
        done = self.tried("--out", "../out", "--junit", self.shared + "/../out/junit", "--log", "/dev/null")
        self.assertEqual(done.status, 0, done)
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["file", "junit", "perfboard.get.0"])


class Modules(Case):
    """A module here is a file with the strings of .modinfo."""

    def module(self, name, depends=""):
        return write(self.path(name + ".ko"), b"\x7fELF\0name=" + name.encode() + b"\0depends=" + depends.encode() + b"\0")

    def test_order(self):
        needs = {"9p": "netfs,9pnet", "9pnet": "", "9pnet_virtio": "virtio,9pnet,virtio_ring", "netfs": "", "virtio": "", "virtio_ring": "",
                 "virtio_pci": "virtio_pci_modern_dev,virtio_ring,virtio", "virtio_pci_modern_dev": "", "virtio_rtc": "ptp"}
        found = p9_modules._ordered({name: self.module(name, depends) for name, depends in needs.items()})
        self.assertEqual([os.path.basename(p)[:-3] for p in found],
                         ["virtio_pci_modern_dev", "virtio_ring", "virtio", "virtio_pci", "9pnet", "9pnet_virtio", "netfs", "9p"])

    def test_a_module_that_is_not_there(self):
        with self.assertRaisesRegex(Refused, "--share: the module 9p needs fscache, which is not there"):
            p9_modules._ordered({"9p": self.module("9p", "fscache")})

    def test_the_source_is_the_headers_own(self):
        os.makedirs(self.path("headers/include/generated"))
        self.assertEqual(p9_modules.version_of(self.path("headers")), "")
        write(self.path("headers/include/generated/package.h"), '#ifndef __ASSEMBLY__\n#define LINUX_PACKAGE_ID " Debian 6.12.95-1~bpo12+1"\n')
        self.assertEqual(p9_modules.version_of(self.path("headers")), "6.12.95-1~bpo12+1")
        self.assertEqual([("fs/fscache" in p9_modules.parts(series)) for series in ("6.1", "6.7", "6.8", "6.12")], [True, True, False, False])

    def test_a_kernel_without_headers(self):
        """It may have 9p in itself: the guest tells."""
        kernel = write(self.path("other"), b"\0" * 0x202 + b"HdrS" + bytes(8) + struct.pack("<H", 0x100) + bytes(0xf0) + b"0.1-none (x)\0")
        self.assertEqual(overlay.kernel_release(kernel), "0.1-none")
        self.assertEqual(p9_modules.modules("x86_64", kernel, False), [])


if __name__ == "__main__":
    unittest.main()
