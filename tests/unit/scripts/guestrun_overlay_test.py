#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run's second archive: what the kernel unpacks is what was given; modules that cannot fit are refused at the start."""
import os
import stat
import struct
import subprocess
import tempfile
import unittest

from guestrun_fixture import PATIENCE, ROOT, Case, write
from guestrun import overlay, tree


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
        write(fake, text.replace("end = open", "shutil.copy(sys.argv[sys.argv.index('-initrd') + 1], os.path.join(here, 'initrd'))\nend = open", 1), 0o755)
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
        self.assertNotIn("perfboard/stdin", second)
        os.chmod(given, 0o600)
        os.symlink("given", self.path("link"))
        second, _ = self.guest("--add", self.path("link"), "--add", given, "--add", f"{given}=/lib/modules/surf.parameters")
        self.assertEqual(second["root/link"], b"text")
        listed = subprocess.run(["bsdtar", "-tvf", self.path("second")], stdout=subprocess.PIPE, timeout=PATIENCE, text=True).stdout
        self.assertRegex(listed, "(?m)^-rw-r--r-- .* root/given$")
        self.assertRegex(listed, "(?m)^-rw------- .* lib/modules/surf.parameters$")
        self.assertEqual(os.stat(self.path("initrd")).st_mode & 0o777, 0o600)

    def test_standard_input(self):
        second, _ = self.guest("--stdin", write(self.path("given"), b"to be\0read"))
        self.assertEqual(second["perfboard/stdin"], b"to be\0read")
        write(self.path("end"), "0")
        done = subprocess.run(self.words("--stdin", "-", "--mem", "512M", "--show", "--", "true"), input=b"a pipe's", capture_output=True, timeout=PATIENCE)
        self.assertIn(b"-initrd", done.stdout)
        with open(self.path("initrd"), "rb") as f:
            self.assertIn(b"a pipe's", f.read())
        for words, line in [(["--stdin", "/nowhere/x", "--", "true"], "--stdin /nowhere/x: No such file or directory; legal is a file, or -"),
                            (["--stdin", self.folder, "--", "true"], f"--stdin {self.folder}: Is a directory"),
                            (["--stdin", self.path("given")], "--stdin " + self.path("given") + ": legal with a command only"),
                            (["--stdin", self.path("given"), "--disk", self.path("given"), "--", "true"], "not together with --initrd or --disk")]:
            with self.subTest(words):
                done = self.guest_run(*words, without="initramfs" if "--disk" in words else None)
                self.assertEqual((done.status, len(done.err.splitlines())), (2, 1), done)
                self.assertIn(line, done.err)

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
                (["--add", good + "=/perfboard/run"], "legal is a DEST of yours"),
                (["--add", good + "=/lib/modules/sni.parameters"], f"others can read {good}; legal for a module's parameters is a file of mode 0600"),
                (["--get", "/x/"], "--get '/x/': legal is PATH"),
                (["--get", "=x"], "legal is PATH or PATH=FILE"), (["--get", "/x=/nowhere/x"], "--get /nowhere/x: legal is a file that can be written")]:
            with self.subTest(words):
                done = self.guest_run(*words, "--", "true")
                self.assertEqual((done.status, len(done.err.splitlines())), (2, 1), done)
                self.assertIn(line, done.err)

    def test_files_that_were_cut_off(self):
        write(self.path("end"), "0")
        with open("/proc/self/exe", "rb") as f:
            program = f.read(20000)
        for length in (5, 17, 40, 57, 63, 64, 65, 100, 20000):
            cut = write(self.path("cut"), program[:length], 0o755)
            with self.subTest(length):
                done = self.guest_run("--add", cut, "--no-boards", "--", "true")
                self.assertNotIn("Traceback", done.err)
        whole = ko()
        head = struct.pack("<5s11xHHIQQQIHHHHHH", b"\x7fELF\x02", 1, 62, 1, 0, 0, 5000, 0, 64, 0, 0, 64, 3, 2)
        cut = write(self.path("cut.ko"), head + whole[64:])
        done = self.guest_run("--module", cut, "--", "true")
        self.assertEqual((done.status, done.err), (2, f"perfboard: --module {cut}: this file is not whole: it has {len(whole)} bytes, and its sections end at 5192\n"))

    def test_the_kernel_of_the_guests_drivers(self):
        base = overlay.Archive()
        base.text("lib/modules/order", "surf.ko\n")
        base.put("lib/modules/surf.ko", stat.S_IFREG | 0o644, ko("6.1.0-1-cloud-amd64"))
        with open(self.initramfs, "wb") as f:
            base.write(f)
        write(self.path("end"), "0")
        other = write(self.path("other"), bzimage("6.1.0-2-cloud-amd64"))
        self.assertEqual(self.guest_run("--", "true").status, 125)  # the same: it boots
        for more in ({}, {"environment": {"PERFBOARD_KERNEL": other}}):
            done = self.guest_run(*([] if more else ["--kernel", other]), "--", "true", without="kernel", **more)
            self.assertEqual((done.status, len(done.err.splitlines())), (2, 1), done)
            self.assertRegex(done.err, f"{other}: the guest's drivers are for the kernel 6.1.0-1-cloud-amd64, and this one is 6.1.0-2-cloud-amd64; "
                             "legal is that kernel, or drivers for this one: scripts/build makes them")
        # Who loads none of them may boot any.
        self.assertEqual(self.guest_run("--kernel", other, "--append", "perfboard.noload", "--", "true", without="kernel").status, 125)

    CONFIG = "".join(f"CONFIG_{name}=y\n" for name in ("X86_64", *tree.NEEDED))

    def built_tree(self, config=CONFIG, without=()):
        """A folder like one in which a kernel was built, with as much of Debian's headers as a module needs: QEMU here only pretends."""
        folder = tempfile.mkdtemp(dir=self.folder)
        write(os.path.join(folder, ".config"), config)
        os.makedirs(os.path.join(folder, "arch/x86/boot"))
        for name in tree.BUILT:
            if name not in without:
                write(os.path.join(folder, name), bzimage("6.1.0-kasan") if name.endswith("bzImage") else "")
        return folder

    def test_a_built_kernel(self):
        """Its drivers replace those of the guest; they are built once, and again for another tree."""
        base = overlay.Archive()
        base.text("lib/modules/order", "surf.ko\nmultikron.ko\n")
        for name in ("surf.ko", "multikron.ko"):
            base.put("lib/modules/" + name, stat.S_IFREG | 0o644, ko())
        with open(self.initramfs, "wb") as f:
            base.write(f)
        folder, made = self.built_tree(), write(self.path("made"), "")
        # Instead of a kernel's Makefile: a line for each build, and modules.
        write(os.path.join(folder, "Makefile"), f"modules:\n\techo $(M) >>{made}\n" + "".join(
            f"\tprintf '\\177ELF' >$(M)/{b}/driver/{m}.ko\n" for b, m in (("surfboard", "surf"), ("multikron", "multikron"))))
        # strip would refuse these.
        os.mkdir(self.path("bin"))
        write(self.path("bin/strip"), "#!/bin/sh\nwhile [ $# != 2 ]; do shift; [ $1 != -o ] || shift; done; cp $2 $1\n", 0o755)
        environment = {"XDG_CACHE_HOME": self.path("cache"), "PATH": self.path("bin") + ":" + os.environ["PATH"]}
        os.environ.update(environment)
        self.addCleanup(os.environ.update, {"PATH": os.environ["PATH"].partition(":")[2]})
        self.addCleanup(os.environ.pop, "XDG_CACHE_HOME")
        self.kernel = folder
        for times in (1, 1):
            second, done = self.guest()
            self.assertEqual(second["lib/modules/surf.ko"], b"\177ELF")
            self.assertEqual(second["lib/modules/multikron.ko"], b"\177ELF")
            self.assertEqual(second["perfboard/command"], b"true")
            self.assertIn(b"$here/workbench", second["perfboard/run"])
            with open(made) as f:
                self.assertEqual(len(f.readlines()), times)
        self.assertEqual(done.err, "")
        os.utime(os.path.join(folder, "Module.symvers"))
        _, done = self.guest()
        self.assertEqual(done.err, f"perfboard: builds the drivers for {folder}, once\n")

    def test_a_built_kernel_refused(self):
        empty = tempfile.mkdtemp(dir=self.folder)
        other = self.built_tree("CONFIG_PPC64=y\n")
        bare = self.built_tree("CONFIG_X86_64=y\nCONFIG_PCI=m\n")
        half = self.built_tree(without=("vmlinux", "Module.symvers"))
        for folder, line in [(empty, "a folder without .config; legal is a Linux kernel, or the folder in which one was built (scripts/kernel builds one)"),
                             (other, "built for another architecture (its .config is without CONFIG_X86_64=y); legal is one for x86_64"),
                             (bare, "its .config is without CONFIG_MODULES=y, CONFIG_PCI=y, "),
                             (half, f"not built: without vmlinux, Module.symvers; legal is a folder after make -C {half} bzImage modules")]:
            with self.subTest(line):
                done = self.guest_run("--kernel", folder, "--", "true", without="kernel")
                self.assertEqual((done.status, len(done.err.splitlines())), (2, 1), done)
                self.assertIn(f"perfboard: --kernel {folder}: {line}", done.err)
        done = self.guest_run("--kernel", half, "--arch", "ppc64", "--", "true", without="kernel")
        self.assertIn("a folder; legal is one with --arch x86_64 only, and a kernel's file with --arch ppc64", done.err)

    def test_a_newer_kernel_does_not_come_between(self):
        """guest/linux/kernel, with folders of this test: the newest, or the one that the drivers were built for."""
        script = os.path.join(ROOT, "guest", "linux", "kernel")
        found = subprocess.run([script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        if found.returncode:
            self.skipTest("no kernel for guests here")
        release = overlay.kernel_release(found.stdout.strip())
        for asked in (release, "9.9.9-none-cloud-amd64"):
            done = subprocess.run([script, "--release", asked], stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual(done.stdout, found.stdout)
        tree = self.path("tree")
        os.makedirs(os.path.join(tree, ".cache", "kernel"))
        os.makedirs(os.path.join(tree, "guest", "linux"))
        with open(script) as f:
            write(os.path.join(tree, "guest", "linux", "kernel"), f.read(), 0o755)
        old = write(os.path.join(tree, ".cache", "kernel", "vmlinuz-0.0.1-cloud-amd64"), "")
        for words, path in ((["--release", "0.0.1-cloud-amd64"], os.path.realpath(old) + "\n"),):
            done = subprocess.run([os.path.join(tree, "guest/linux/kernel"), *words], stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual(done.stdout, path)

    def test_records(self):
        done = self.run_guest(b"perfboard: start\n\nperfboard: exit 1\n", b"start\nrefused my.ko does not load: Exec format error\nexit 1\ntaint 0\nend\n",
                              options=["--quiet"])
        self.assertEqual((done.status, done.last), (118, "perfboard: my.ko does not load: Exec format error"))
        done = self.run_guest(b"perfboard: start\n\nperfboard: exit 0\n", b"start\nmissing /x: there is no such file\nexit 0\ntaint 0\nend\n")
        self.assertEqual((done.status, done.last), (119, "perfboard: --get /x: there is no such file"))
        self.assertTrue(stat.S_ISREG(os.stat(self.kernel).st_mode))


if __name__ == "__main__":
    unittest.main()
