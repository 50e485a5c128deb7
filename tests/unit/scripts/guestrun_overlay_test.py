#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run's second archive: what the kernel unpacks is what was given; modules that cannot fit are refused at the start."""
import os
import stat
import struct
import subprocess
import unittest

from guestrun_fixture import PATIENCE, Case, write
from guestrun import overlay


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


class Archive(Case):
    def made(self, archive):
        path = self.path("archive")
        with open(path, "wb") as f:
            archive.write(f)
        return path

    def test_as_cpio_reads_it(self):
        os.mkdir(self.path("tree"))
        os.mkdir(self.path("tree/sub"))
        write(self.path("tree/sub/odd"), b"12345")
        write(self.path("tree/run"), b"#!", 0o755)
        write(self.path("tree/empty"), b"")
        os.symlink("sub/odd", self.path("tree/link"))
        archive = overlay.Archive()
        archive.add(self.path("tree"), "root/tree")
        archive.text("perfboard/command", "echo \u00e9")
        path = self.made(archive)
        self.assertEqual(os.path.getsize(path) % 4, 0)
        found = overlay.members(path)
        self.assertEqual(found["root/tree/sub/odd"], b"12345")
        self.assertEqual(found["root/tree/link"], b"sub/odd")
        self.assertEqual(found["perfboard/command"], "echo \u00e9".encode())
        listed = subprocess.run(["bsdtar", "-tvf", path], stdout=subprocess.PIPE, timeout=PATIENCE, text=True)
        self.assertEqual(listed.returncode, 0)
        for pattern in (r"(?m)^drwxr-xr-x .* root/tree/sub$", r"(?m)^-rwxr-xr-x .* 2 .* root/tree/run$", r"(?m)^-rw-r--r-- .* 0 .* root/tree/empty$",
                        r"(?m)^lrwxrwxrwx .* root/tree/link -> sub/odd$"):
            self.assertRegex(listed.stdout, pattern)
        with open(path, "rb") as f:
            first = f.read()
        os.utime(self.path("tree/run"))
        with open(self.made(archive), "rb") as f:
            self.assertEqual(f.read(), first)

    def test_behind_another_one(self):
        one, two = overlay.Archive(), overlay.Archive()
        one.text("a", "1")
        two.text("b", "2")
        first = self.made(one)
        with open(first, "ab") as f:
            f.write(b"\0")  # a size that is no multiple of 4
        overlay.join(first, two, self.path("both"))
        with open(self.path("both"), "rb") as f:
            data = f.read()
        at = data.find(b"070701", os.path.getsize(first))
        self.assertEqual(at % 4, 0)
        write(self.path("second"), data[at:])
        self.assertEqual(overlay.members(self.path("second")), {"b": b"2"})

    def test_what_is_no_archive(self):
        for data in (b"", b"070701", b"070701" + b"0" * 104, b"\x28\xb5\x2f\xfd" + bytes(100)):
            self.assertEqual(overlay.members(write(self.path("x"), data)), {})

    def test_release(self):
        self.assertEqual(overlay.kernel_release(write(self.path("k"), bzimage("6.1.0-9-cloud"))), "6.1.0-9-cloud")
        self.assertEqual(overlay.kernel_release(write(self.path("k"), b"\x7fELF..Linux version 6.2-ppc (x)")), "6.2-ppc")
        self.assertIsNone(overlay.kernel_release(write(self.path("k"), b"nothing")))


class Modules(Case):
    def setUp(self):
        super().setUp()
        self.kernel = write(self.path("kernel"), bzimage("6.1.0-1-cloud-amd64"))
        base = overlay.Archive()
        base.text("lib/modules/order", "surf.ko\nmultikron.ko pci:v00001234d00004D4Bsv*sd*bc*sc*i*\n")
        with open(self.initramfs, "wb") as f:
            base.write(f)

    def guest(self, *words, status=0):
        """The archive that QEMU was given behind the first one."""
        fake = self.path("qemu")
        with open(fake) as f:
            text = f.read()
        write(fake, text.replace("end = open", "shutil.copyfile(sys.argv[sys.argv.index('-initrd') + 1], os.path.join(here, 'initrd'))\nend = open", 1), 0o755)
        done = self.run_guest(b"perfboard: start\n\nperfboard: exit 0\n", b"start\nexit 0\ntaint 0\nend\n", options=words)
        self.assertEqual(done.status, status, done)
        with open(self.path("initrd"), "rb") as f:
            f.seek((os.path.getsize(self.initramfs) + 3) // 4 * 4)
            return overlay.members(write(self.path("second"), f.read())), done

    def test_the_drivers_that_stay_out(self):
        for name, aliases, out in [("my", ["pci:v00001234d00004D4Bsv*sd*bc*sc*i*"], "multikron"), ("my", ["pci:v00001234d*sv*sd*bc*sc*i*"], "multikron"),
                                   ("surf", [], "surf"), ("my", ["pci:v00001234d00004D4Csv*sd*bc*sc*i*"], None)]:
            with self.subTest(name + str(aliases)):
                module = write(self.path(name + ".ko"), ko("6.1.0-1-cloud-amd64", *aliases))
                second, done = self.guest("--module", module + ",irq=9,x=y")
                self.assertEqual(second["perfboard/load"], f"{name}.ko irq=9 x=y\n".encode())
                order = second.get("lib/modules/order", b"surf multikron").decode()
                self.assertEqual([n for n in ("surf", "multikron") if n not in order], [out] if out else [])
                self.assertEqual(b"perfboard: stays out: " in done.out, out is not None)
        second, _ = self.guest("--without", "surf")
        self.assertTrue(second["lib/modules/order"].startswith(b"multikron.ko "))

    def test_files(self):
        given = write(self.path("given"), "text")
        second, _ = self.guest("--add", given, "--add", f"{given}=/etc/x/", "--add", f"{self.folder}=tree", "--get", "/var/log=" + self.path("log"),
                               "--get", "a b=" + self.path("c"))
        for name in ("root/given", "etc/x/given", "root/tree/given"):
            self.assertEqual(second[name], b"text")
        self.assertEqual(second["perfboard/get"], b"perfboard.get.0 /var/log\nperfboard.get.1 a b\n")
        self.assertEqual(second["perfboard/command"], b"true")

    def test_refused(self):
        text, other = write(self.path("t.ko"), "text"), write(self.path("o.ko"), ko("6.1.0-2-cloud-amd64"))
        good, none = write(self.path("g.ko"), ko()), write(self.path("n.ko"), b"\x7fELF" + bytes(60))
        for words, line in [
                (["--module", text], f"--module {text}: legal is a module"), (["--module", "/nowhere/x.ko"], "--module /nowhere/x.ko: No such file"),
                (["--module", "x.c"], "--module x.c: legal is NAME.ko"), (["--module", good + ",a b=1"], "without blanks"),
                (["--module", none], f"--module {none}: legal is a module"),
                (["--module", other], "built for the kernel 6.1.0-2-cloud-amd64, the guest's is 6.1.0-1-cloud-amd64"),
                (["--without", "sni"], "--without sni: legal are the guest's modules: multikron, surf"),
                (["--add", "/nowhere/x"], "--add /nowhere/x: /nowhere/x cannot be read"), (["--add", good + "=/../perfboard"], "legal is a DEST of yours"),
                (["--add", good + "=/perfboard/run"], "legal is a DEST of yours"), (["--get", "/x/"], "--get '/x/': legal is PATH"),
                (["--get", "=x"], "legal is PATH or PATH=FILE"), (["--get", "/x=/nowhere/x"], "--get /nowhere/x: legal is a file that can be written")]:
            with self.subTest(words):
                done = self.guest_run(*words, "--", "true")
                self.assertEqual((done.status, len(done.err.splitlines())), (2, 1), done)
                self.assertIn(line, done.err)

    def test_records(self):
        done = self.run_guest(b"perfboard: start\n\nperfboard: exit 1\n", b"start\nrefused my.ko does not load: Exec format error\nexit 1\ntaint 0\nend\n",
                              options=["--quiet"])
        self.assertEqual((done.status, done.last), (118, "perfboard: my.ko does not load: Exec format error"))
        done = self.run_guest(b"perfboard: start\n\nperfboard: exit 0\n", b"start\nmissing /x: there is no such file\nexit 0\ntaint 0\nend\n")
        self.assertEqual((done.status, done.last), (119, "perfboard: --get /x: there is no such file"))
        self.assertTrue(stat.S_ISREG(os.stat(self.kernel).st_mode))


if __name__ == "__main__":
    unittest.main()
