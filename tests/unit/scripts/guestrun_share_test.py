#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run --share: what is refused, what QEMU and the guest's second archive get, and how the guest's modules are found."""
import os
import struct
import unittest

from guestrun_fixture import Case, write

from guestrun import nine, options, overlay  # after the fixture, which knows where they are
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
                             (shared + "=//a b", "/a b"), ("/", "/mnt")):
            with self.subTest(word):
                self.assertEqual(self.targets("--share", word), f"share0 rw {target}\n")
        self.assertEqual(self.targets("--share-ro", shared), "share0 ro /mnt/shared\n")

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

    @unittest.skipIf(os.getuid() == 0, "root reads every folder")
    def test_not_readable(self):
        os.chmod(self.path("shared/below"), 0)
        self.refused("--share", self.path("shared/below"), says="Permission denied; legal is DIR")


class Modules(Case):
    """A module here is a file with the strings of .modinfo."""

    def module(self, name, depends=""):
        return write(self.path(name + ".ko"), b"\x7fELF\0name=" + name.encode() + b"\0depends=" + depends.encode() + b"\0")

    def test_order(self):
        needs = {"9p": "netfs,9pnet", "9pnet": "", "9pnet_virtio": "virtio,9pnet,virtio_ring", "netfs": "", "virtio": "", "virtio_ring": "",
                 "virtio_pci": "virtio_pci_modern_dev,virtio_ring,virtio", "virtio_pci_modern_dev": "", "virtio_rtc": "ptp"}
        found = nine._ordered({name: self.module(name, depends) for name, depends in needs.items()})
        self.assertEqual([os.path.basename(p)[:-3] for p in found],
                         ["virtio_pci_modern_dev", "virtio_ring", "virtio", "virtio_pci", "9pnet", "9pnet_virtio", "netfs", "9p"])

    def test_a_module_that_is_not_there(self):
        with self.assertRaisesRegex(Refused, "--share: the module 9p needs fscache, which is not there"):
            nine._ordered({"9p": self.module("9p", "fscache")})

    def test_the_source_is_the_headers_own(self):
        os.makedirs(self.path("headers/include/generated"))
        self.assertEqual(nine.version_of(self.path("headers")), "")
        write(self.path("headers/include/generated/package.h"), '#ifndef __ASSEMBLY__\n#define LINUX_PACKAGE_ID " Debian 6.12.95-1~bpo12+1"\n')
        self.assertEqual(nine.version_of(self.path("headers")), "6.12.95-1~bpo12+1")
        self.assertEqual([("fs/fscache" in nine.parts(series)) for series in ("6.1", "6.7", "6.8", "6.12")], [True, True, False, False])

    def test_a_kernel_without_headers(self):
        """It may have 9p in itself: the guest tells."""
        kernel = write(self.path("other"), b"\0" * 0x202 + b"HdrS" + bytes(8) + struct.pack("<H", 0x100) + bytes(0xf0) + b"0.1-none (x)\0")
        self.assertEqual(overlay.kernel_release(kernel), "0.1-none")
        self.assertEqual(nine.modules("x86_64", kernel, False), [])


if __name__ == "__main__":
    unittest.main()
