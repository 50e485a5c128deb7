#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/perfboard: every option that is wrong is refused in one line, with status 2, before anything starts."""
import gzip
import os
import socket
import subprocess
import unittest

from guestrun_fixture import Case, write
from guestrun import options, verdict


class Options(Case):
    def refused(self, *words, names, **more):
        done = self.guest_run(*words, *([] if "--" in words else ["--", "true"]), **more)
        self.assertEqual(done.status, 2, done)
        self.assertEqual(done.out, b"")
        self.assertEqual(len(done.err.splitlines()), 1, done.err)
        self.assertTrue(done.err.startswith("perfboard: "), done.err)
        for name in names:
            self.assertIn(name, done.err)
        self.assertFalse(os.path.exists(self.path("words")), "QEMU was started")

    def accepted(self, *words):
        """QEMU's words."""
        write(self.path("end"), "0")
        self.guest_run(*words, *([] if "--" in words else ["--", "true"]))
        with open(self.path("words")) as f:
            return f.read().split("\n")

    def test_numbers(self):
        for option, value, legal in [
                ("--icount", "11", "0 to 10"), ("--icount", "-1", "0 to 10"), ("--icount", "x", "0 to 10"),
                ("--icount", "", "0 to 10"), ("--icount", "1.5", "0 to 10"), ("--icount", "\u0663", "0 to 10"),
                ("--smp", "0", "1 to 255"), ("--smp", "256", "1 to 255"), ("--smp", "two", "1 to 255"),
                ("--smp", "9" * 30, "1 to 255"),
                ("--timeout", "0", "more than 0"), ("--timeout", "-5", "more than 0"), ("--timeout", "nan", "more than 0"),
                ("--timeout", "inf", "more than 0"), ("--timeout", "soon", "more than 0"),
                ("--mem", "0", "192M"), ("--mem", "191M", "192M"), ("--mem", "1Q", "192M"), ("--mem", "", "192M"),
                ("--mem", "-512M", "192M"), ("--mem", "512.5M", "192M"), ("--mem", "196609K", "whole megabytes"),
                ("--mem", "4096T", "this machine's memory"), ("--mem", "512M,slots=2", "192M"),
                ("--out-size", "0", "powers of two"), ("--out-size", "3M", "powers of two"),
                ("--out-size", "256Q", "powers of two"), ("--out-size", "", "4K to 16G"), ("--out-size", "M", "4K to 16G"),
                ("--out-size", "2K", "4K to 16G"), ("--out-size", "32G", "4K to 16G"), ("--out-size", "-1M", "4K to 16G"),
                ("--out-size", "256MB", "4K to 16G")]:
            with self.subTest(f"{option} {value}"):
                self.refused(f"{option}={value}", names=[f"{option} {value}: ", legal])

    def test_a_socket_that_others_reach(self):
        """A port of this machine is everybody's, and gdb's line has QEMU's monitor (qRcmd), which starts programs."""
        listens = "whoever connects has QEMU's monitor and your rights; legal is a socket in a folder that only you may enter (mode 0700)"
        os.mkdir(self.path("open"))
        file = write(self.path("file"), "mine")
        recording = ["replay", self.path("recording")]
        for option in ("--gdb", "--monitor"):
            for value in ("1234", self.path("open/../socket"), "/tmp/socket"):
                os.chmod(self.folder, 0o755)
                self.refused(f"{option}={value}", names=[f"{option} {value}: {listens}"])
            os.chmod(self.folder, 0o700)
            self.refused(f"{option}={file}", names=[f"{option} {file}: there is another file; legal is a socket, which QEMU makes"])
            with socket.socket(socket.AF_UNIX) as other:
                other.bind(self.path("other"))
                other.listen()
                self.refused(f"{option}={self.path('other')}", names=[f"{option} {self.path('other')}: a machine that runs has it"])
            os.unlink(self.path("other"))
            os.symlink("loop", self.path("loop"))
            self.refused(f"{option}={self.path('loop/socket')}", names=[f"{option} {self.path('loop/socket')}: Too many levels"])
            os.unlink(self.path("loop"))
            self.refused(f"{option}=/nowhere/socket", names=[f"{option} /nowhere/socket: No such file", "in a folder that is there"])
            words = self.accepted(f"{option}={self.path('a,b')}")
            self.assertTrue(any(self.path("a,,b") in w for w in words), words)
            os.unlink(self.path("words"))
        for value in ("1234", "/tmp/socket"):
            done = subprocess.run([self.words()[0], *recording, f"--gdb={value}"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (2, f"perfboard replay: --gdb {value}: {listens}\n"))

    def test_serial_ports_that_are_added_to(self):
        self.refused("--files", "/proc/nowhere", names=["--files /proc/nowhere: ", "a folder that can be written"])
        folder = self.path("serial, of mine")
        words = self.accepted("--files", folder)
        for name in ("console", "records"):
            path = os.path.join(folder, name)
            self.assertIn(f"file,id={name},append=on,path={path.replace(',', ',,')}", words)
            self.assertTrue(os.path.exists(path))

    def test_files(self):
        text = write(self.path("text"), "no such thing\n" * 1000)
        empty = write(self.path("empty"), "")
        for option, what in [("--kernel", "Linux kernel"), ("--initramfs", "cpio archive"), ("--plugin", "perfboard.so")]:
            for value in ("/nowhere/file", self.folder, text, empty):
                with self.subTest(f"{option} {value}"):
                    self.refused(option, value, names=[f"{option} {value}: ", what])
        self.refused("--plugin", text + ",x=1", names=["--plugin " + text, "perfboard.so"])
        for value in ("/nowhere/qemu", "no-such-program", text, self.folder):
            with self.subTest(f"--qemu {value}"):
                self.refused("--qemu", value, names=[f"--qemu {value}: ", "qemu-system-x86_64"])

    def test_the_environment_is_named(self):
        for variable, option in [("PERFBOARD_KERNEL", "kernel"), ("PERFBOARD_INITRAMFS", "initramfs"),
                                 ("PERFBOARD_SO", "plugin"), ("QEMU", "qemu")]:
            with self.subTest(variable):
                self.refused(without=option, environment={variable: "/nowhere/x"}, names=[f"{variable} /nowhere/x: "])
        self.refused(environment={"PERFBOARD_TIMEOUT": "soon"}, names=["PERFBOARD_TIMEOUT soon: legal are seconds"])

    def test_out(self):
        plain = write(self.path("plain"), "a file")
        for value in (plain, os.path.join(plain, "below"), "/proc/nothing", "/sys", ""):
            with self.subTest(value):
                self.refused("--out", value, names=[f"--out {value}: ", "legal is a folder"])
        with open(plain) as f:
            self.assertEqual(f.read(), "a file")

    def test_out_larger_than_the_disk(self):
        # No folder for temporary files has room for all of these at once, if it has for one.
        args = type("Args", (), {"out": self.folder, "out_size": 1 << 60, "overlay": None})
        with self.assertRaisesRegex(options.Refused, r"--out-size \d+G: legal is what fits .* has \d+M"):
            options.work_folder(args)

    def test_arch(self):
        for value in ("", "x86", "power", "ppc64le", "PPC64"):
            with self.subTest(value):
                self.refused("--arch", value, names=[f"--arch {value}: ", "x86_64 and ppc64"])
        # A PC's kernel, an ELF of another machine's byte order, and the other way round.
        elf = write(self.path("vmlinux"), b"\x7fELF\x02\x01\x01" + b"\0" * 600)
        big = write(self.path("vmlinux-big"), b"\x7fELF\x02\x02\x01" + b"\0" * 600)
        for kernel in (self.kernel, big):
            self.refused("--arch", "ppc64", "--kernel", kernel, names=[f"--kernel {kernel}: ", "POWER"])
        self.refused("--kernel", elf, names=[f"--kernel {elf}: ", "bzImage"])
        self.refused("--arch", "ppc64", "--kernel", elf, "--out-size", "32K", names=["--out-size 32K: ", "64K to 16G"])
        self.refused("--arch", "ppc64", "--kernel", elf, without="qemu", environment={"QEMU_PPC64": "/nowhere/x"},
                     names=["QEMU_PPC64 /nowhere/x: ", "qemu-system-ppc64"])

    def test_a_power_guest(self):
        elf = write(self.path("vmlinux"), b"\x7fELF\x02\x01\x01" + b"\0" * 600)
        words = self.accepted("--arch", "ppc64", "--kernel", elf)
        self.assertRegex(words[words.index("-machine") + 1], "^pseries,x-vof=on,.*accel=tcg$")
        devices = [words[i + 1] for i, w in enumerate(words) if w == "-device"]
        self.assertEqual(devices, ["multikron"])
        line = words[words.index("-append") + 1].split()
        self.assertIn("console=hvc0", line)
        self.assertIn("perfboard.records=hvc1", line)
        self.assertNotIn("tsc=reliable", line)

    def test_a_bridge_with_a_rom(self):
        """What the ROM says is to be on the console."""
        for device, machine in [("i82375", "pc,accel=tcg"), ("i82375,rom=off", "pc,accel=tcg"), ("i82375,rom=on", "pc,accel=tcg,graphics=off"),
                                ("i82375,id=a,rom=on,addr=5", "pc,accel=tcg,graphics=off")]:
            with self.subTest(device):
                words = self.accepted("--device", device)
                os.unlink(self.path("words"))
                self.assertEqual(words[words.index("-machine") + 1], machine)

    def test_a_power_guests_memory(self):
        """QEMU's pseries has memory in blocks of 256 MB."""
        elf = write(self.path("vmlinux"), b"\x7fELF\x02\x01\x01" + b"\0" * 600)
        power = ["--arch", "ppc64", "--kernel", elf]

        def given(*more):
            words = self.accepted(*power, *more)
            os.unlink(self.path("words"))
            return words[words.index("-m") + 1]
        small, large = write(self.path("small"), bytes(1 << 20)), write(self.path("large"), bytes(140 << 20))
        self.assertEqual([given(), given("--add", small), given("--add", large)], ["512M", "768M", "1024M"])
        self.assertEqual([given("--mem", "256M"), given("--mem", "1G"), given("--mem", "768", "--add", large)], ["256M", "1024M", "768M"])
        for value in ("192M", "300M", "255M", "257M", "128M", "0"):
            with self.subTest(value):
                self.refused(*power, "--mem", value, names=[f"--mem {value}: legal are multiples of 256M, 256M to "])
        os.truncate(large, 180 << 20)
        for value in ("1M", "256M"):
            self.refused(*power, "--mem", value, "--add", large, names=[f"--mem {value}: legal are multiples of 256M, 768M to "])
        # An image is the same machine.
        write(self.path("initrd"), b"")
        self.refused(*power, "--initrd", self.path("initrd"), "--mem", "192M", without="initramfs",
                     names=["--mem 192M: legal are multiples of 256M"])

    def test_memory_for_the_guests_file_system(self):
        """Its archive, what it is unpacked to twice, and the kernel, which says in its head (0x260) what it takes."""
        def member(name, data):
            return b"070701" + b"0" * 48 + b"%08x" % len(data) + b"0" * 32 + b"%08x" % (len(name) + 1) + b"0" * 8 + name + b"\0" * (4 - (110 + len(name)) % 4) + data
        write(self.kernel, b"\0" * 0x202 + b"HdrS" + b"\0" * 90 + (48 << 20).to_bytes(4, "little"))
        archive = member(b"file", bytes(100 << 20)) + b"".join(member(b"link%d" % n, b"") for n in range(10)) + member(b"TRAILER!!!", b"")
        for data, mem in ((gzip.compress(archive, 1), 253), (archive, 354)):
            write(self.initramfs, data)
            self.refused("--mem", f"{mem - 1}M", names=[f"--mem {mem - 1}M: legal are whole megabytes, {mem}M to ", "the guest's file system"])
            self.assertIn(f"{mem}M", self.accepted("--mem", f"{mem}M"))
            os.unlink(self.path("words"))
        large = write(self.path("large"), bytes(100 << 20))
        for mem in ("500M", "1M"):
            self.refused("--mem", mem, "--add", large, names=[f"--mem {mem}: legal are whole megabytes, 659M to "])
        os.truncate(large, 200 << 20)
        self.assertIn("964M", self.accepted("--add", large), "by default it has room, too")

    def test_words(self):
        self.refused("--", names=["nothing after --"])
        self.refused("--", "", names=["nothing after --"])
        self.refused("--fast", names=["--fast", "no such option"])
        self.refused("ls", names=["ls", "after --"])
        self.refused("--out-siz", "4K", names=["--out-siz"])
        self.refused("--smp", "--", "true", names=["--smp", "expected one argument"])
        self.refused("--qemu-arg", "-drive", "--", "true", names=["--qemu-arg: expected one argument", "one that begins with -: --qemu-arg=-..."])
        self.refused("--no-boards", "--device", "multikron", names=["--device multikron", "--no-boards"])
        self.refused("--device", "", names=["--device"])
        self.refused("--append", "a\nb", names=["--append", "one line"])
        self.refused("--append", "y" * 2100, names=["too long", "2047"])

    def test_a_long_command_goes_into_an_archive(self):
        words = self.accepted("--", "x" * 3000)
        self.assertLess(len(words[words.index("-append") + 1]), 2048)
        self.assertNotEqual(words[words.index("-initrd") + 1], self.initramfs)

    def test_help(self):
        done = self.guest_run("--help")
        self.assertEqual(done.status, 0)
        text = done.out.decode()
        for status in verdict.MEANING:
            self.assertRegex(text, rf"(?m)^  {status} +\w")
        self.assertIn("the command's own status is N", text)

    def test_what_is_right_reaches_qemu(self):
        words = self.accepted("--mem", "1G", "--smp", "2", "--icount", "0", "--out", self.path("new/out"),
                              "--out-size", "1m", "--device", "multikron", "--append", "a=b")
        for pair in [("-m", "1024M"), ("-smp", "2"), ("-icount", "shift=0,sleep=off"), ("-device", "multikron")]:
            self.assertIn(pair, list(zip(words, words[1:])))
        self.assertTrue(any(w.endswith(",size=1048576") for w in words), words)
        line = words[words.index("-append") + 1].split()
        self.assertIn("a=b", line)
        self.assertIn("oops=panic", line)
        self.assertNotIn("nosoftlockup", line)
        free = self.accepted("--allow-taint")
        self.assertIn("512M", free)
        line = free[free.index("-append") + 1].split()
        self.assertIn("nosoftlockup", line)  # the host's time is no measure
        self.assertNotIn("oops=panic", line)


if __name__ == "__main__":
    unittest.main()
