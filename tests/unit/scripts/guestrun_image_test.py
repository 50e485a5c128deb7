#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run with an image of the user's: the verdict on each end, --junit, and which options go together."""
import os
import types
import unittest
import xml.etree.ElementTree as xml

from guestrun_fixture import PATIENCE, Case, write
from guestrun import image, junit, verdict

OOPS = "[    1.000000] BUG: kernel NULL pointer dereference\n[    1.000001] Oops: 0002 [#1] SMP\n"
PANIC = "[    2.000000] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100\n"
TIMED_OUT = verdict.Verdict(verdict.TIMED_OUT, "no end after 5 s (--timeout): QEMU killed")
FULL = verdict.Verdict(verdict.FAILED, "/tmp: 1 MB are free: QEMU killed")


def judged(text="up\n", returncode=0, reason="guest-shutdown", killed=None, greeted=True, **options):
    args = types.SimpleNamespace(**{"expect": None, "reject": None, "exit_device": False, "allow_taint": False, **options})
    return image.judge(args, returncode, types.SimpleNamespace(reason=reason, greeted=greeted), text, killed)


class Judge(unittest.TestCase):
    def test_each_end(self):
        for status, line, more in [
                (0, None, {}),
                (125, r"not switched off \(guest-reset\); the console's last line: up", {"reason": "guest-reset"}),
                (125, r"for an unknown reason", {"reason": None}),
                (125, r"QEMU ended with status 1", {"returncode": 1}),
                (125, r"QEMU was killed by signal 11", {"returncode": -11}),
                (124, r"no end after 5 s .*; the console's last line: up", {"killed": TIMED_OUT, "returncode": -15}),
                (125, r"1 MB are free", {"killed": FULL, "returncode": -15}),
                (117, r"nothing came on the console: no end after 5 s", {"text": "\n\0", "killed": TIMED_OUT, "returncode": -15}),
                (117, r"nothing came on the console: the machine ended", {"text": ""}),
                (125, r"QEMU ended with status 1", {"text": "", "returncode": 1}),
                (125, r"1 MB are free", {"text": "", "killed": FULL, "returncode": -15}),
                (121, r"^the kernel had an oops: BUG: kernel NULL pointer dereference; the image's status was 0$", {"text": OOPS}),
                (121, r"^the kernel had an oops: BUG: kernel NULL pointer dereference$", {"text": OOPS + "on\n", "reason": "guest-reset"}),
                (120, r"^the kernel panicked: .*kill init", {"text": PANIC, "reason": "guest-reset"}),
                (120, r"^the kernel panicked", {"text": PANIC, "killed": TIMED_OUT, "returncode": -15}),
                (122, r"^the kernel warned: WARNING: x", {"text": "[    1.000000] WARNING: x\n"}),
                (0, None, {"text": "WARNING: printed by a program\n"}),
                (0, r"waived by --allow-taint: BUG", {"text": OOPS, "allow_taint": True}),
                (120, r"the kernel panicked", {"text": PANIC, "reason": "guest-reset", "allow_taint": True})]:
            with self.subTest(more):
                found = judged(**more)
                self.assertEqual(found.status, status, found)
                self.assertRegex(found.line, line) if line else self.assertIsNone(found.line)

    def test_texts(self):
        said = verdict.Verdict(0, None)
        for status, line, more in [
                (0, None, {"text": "all well", "expect": "all well", "killed": said, "returncode": 0}),
                (0, None, {"text": "all well\n", "expect": "all well"}),
                (116, "had not said 'all well'", {"expect": "all well"}),
                (1, "the console said: test 3 failed", {"text": "test 3 failed\n", "expect": "all well", "reject": "failed"}),
                (1, "the console said: failed", {"text": "all well\nfailed\n", "expect": "all well", "reject": "failed"}),
                (124, "no end", {"expect": "all well", "killed": TIMED_OUT, "returncode": -15}),
                (121, "the image's status was 0", {"text": OOPS + "all well", "expect": "all well", "killed": said})]:
            with self.subTest(more):
                found = judged(**more)
                self.assertEqual(found.status, status, found)
                self.assertRegex(found.line, line) if line else self.assertIsNone(found.line)

    def test_exit_device(self):
        for status, line, more in [
                (0, None, {"returncode": 1}), (5, None, {"returncode": 11}), (127, None, {"returncode": 255}),
                (0, None, {"returncode": 1, "text": ""}),
                (120, "the command's own status is 120", {"returncode": 241}),
                (125, "QEMU ended with status 1", {"returncode": 1, "greeted": False}),
                (125, "told the exit device nothing", {}),
                (121, "the image's status was 5", {"returncode": 11, "text": OOPS})]:
            with self.subTest(more):
                found = judged(exit_device=True, reason=None if more.get("returncode") else "guest-shutdown", **{k: v for k, v in more.items()})
                self.assertEqual(found.status, status, found)
                self.assertRegex(found.line, line) if line else self.assertIsNone(found.line)


class Junit(unittest.TestCase):
    def read(self, found, console="a <b> & c\x1b[0m\x00\ud800]]>\r\n"):
        return xml.fromstring(junit.text('say "x" <y>', found, 1.5, console).encode("utf-8"))

    def test_success(self):
        suite = self.read(verdict.Verdict(0, None))
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "0"))
        case = suite.find("testcase")
        self.assertEqual((case.get("name"), case.get("time"), case.find("failure")), ('say "x" <y>', "1.500", None))
        self.assertEqual(case.find("system-out").text, "a <b> & c\ufffd[0m\ufffd\ufffd]]>\n")

    def test_each_failure_has_a_kind(self):
        kinds = set()
        for status in verdict.MEANING:
            if status != verdict.USAGE:
                failure = self.read(verdict.Verdict(status, "what <happened>")).find("testcase/failure")
                self.assertEqual(failure.get("message"), "what <happened>")
                kinds.add(failure.get("type"))
        self.assertEqual(len(kinds), len(verdict.MEANING) - 1)
        self.assertNotIn("status", kinds)
        for found in (verdict.Verdict(3, None), verdict.Verdict(121, "the command's own status is 121")):
            self.assertEqual(self.read(found).find("testcase/failure").get("type"), "status")


class Options(Case):
    def test_refused(self):
        initrd, disk = write(self.path("i"), "x"), write(self.path("d"), "x")
        for words, line in [
                (["--initrd", "/nowhere"], "--initrd /nowhere: cannot be read"), (["--disk", "/nowhere"], "--disk /nowhere: cannot be read"),
                (["--initrd", initrd, "--module", "x.ko"], "--module x.ko: not together with"),
                (["--initrd", initrd, "--get", "/x"], "--get /x: not together with"),
                (["--initrd", initrd, "--out", "/tmp"], "--out /tmp: not together with"),
                (["--initrd", initrd, "--files", "/tmp"], "--files /tmp: not together with"),
                (["--initrd", initrd, "--login", "root"], "--login: legal with a command"),
                (["--initrd", initrd, "--arch", "ppc64", "--exit-device"], "--exit-device: legal with --arch x86_64"),
                (["--initrd", initrd, "--boot-timeout", "0"], "--boot-timeout 0: legal are seconds"),
                (["--initrd", initrd, "--", "x" * 3001], "legal for an image are 3000"),
                (["--initrd", initrd, "--gdb", "0"], "--gdb 0: whoever connects has QEMU's monitor"),
                (["--initrd", initrd, "--junit", "/nowhere/x"], "--junit /nowhere/x: legal is a file"),
                (["--expect", "x"], "--expect x: legal with --initrd or --disk only"),
                (["--snapshot"], "--snapshot: legal with --initrd or --disk only"),
                (["--boot-timeout", "5"], "--boot-timeout 5: legal with --initrd or --disk only"),
                (["--exit-device"], "--exit-device: legal with --initrd or --disk only")]:
            with self.subTest(words):
                done = self.guest_run(*words, without="initramfs")
                self.assertEqual((done.status, len(done.err.splitlines())), (2, 1), done)
                self.assertIn(line, done.err)
        done = self.guest_run("--disk", disk, "--append", "x", without="kernel")
        self.assertIn("--initramfs", done.err)  # the fixture's
        done = self.guest_run("--initrd", initrd, without="kernel")
        self.assertEqual(done.status, 2, done)

    def image_words(self, *words, without="initramfs"):
        write(self.path("console"), "up\n")
        write(self.path("end"), "0")
        done = self.guest_run("--timeout", "600", *words, without=without)
        self.assertEqual(done.status, 125, done)  # nobody has said that the machine was switched off
        with open(self.path("words")) as f:
            return f.read().split("\n")

    def test_words(self):
        initrd = write(self.path("i"), "x")
        raw, qcow = write(self.path("a,b"), "x" * 100), write(self.path("q"), b"QFI\xfb" + bytes(100))
        words = self.image_words("--initrd", initrd, "--append", "mine=1", "--disk", raw, "--disk", qcow, "--snapshot", "--board", "multikron", "--gdb", self.path("a,b.gdb"))
        pairs = list(zip(words, words[1:]))
        self.assertIn(("-initrd", initrd), pairs)
        self.assertIn(("-chardev", f"socket,id=perfboard-gdb,path={self.folder}/a,,b.gdb,server=on,wait=off"), pairs)
        self.assertIn(("-gdb", "chardev:perfboard-gdb"), pairs)
        self.assertIn(("-drive", f"file={self.folder}/a,,b,if=virtio,format=raw,snapshot=on"), pairs)
        self.assertIn(("-drive", f"file={qcow},if=virtio,format=qcow2,snapshot=on"), pairs)
        self.assertIn(("-device", "multikron"), pairs)
        line = words[words.index("-append") + 1].split()
        for word in ("mine=1", "console=ttyS0", "oops=panic", "panic=-1"):
            self.assertIn(word, line)
        for word in ("quiet", "rdinit=/init"):
            self.assertNotIn(word, line)
        self.assertFalse(any("perfboard." in w for w in line))


# A machine with a shell at once, which is off as soon as the command has ended.
SHELL = """#!/usr/bin/env python3
import os, re, sys
shown, typed = re.search(r"id=terminal,path=([^,]*),input-path=(\\S*)", " ".join(sys.argv)).groups()
with open(shown, "w") as out, open(typed) as keys:
    print("# ", end="", file=out, flush=True)
    for line in keys:
        if "perf%s: shell" in line:
            print("\\nperfboard: shell", file=out, flush=True)
        elif found := re.search(r"perf%s: (end-\\w+) ", line):
            print(f"\\nperfboard: start\\ntyped\\n\\nperfboard: {found[1]} 7 0", file=out, flush=True)
            os._exit(0)
"""


class Login(Case):
    def test_the_last_words_of_a_machine_that_is_off_at_once(self):
        write(self.qemu, SHELL, 0o755)
        done = self.guest_run("--quiet", "--timeout", str(PATIENCE), "--initrd", self.initramfs, "--login", "root", "--", "true", without="initramfs")
        self.assertEqual((done.status, done.out, done.err), (7, b"typed\n", ""))


class Disk(Case):
    def words(self, *words, without=None):
        return [w for n, w in enumerate(super().words(*words, without="initramfs"))
                if w != "--kernel" and w != self.kernel]

    def test_a_disk_boots_by_its_firmware(self):
        disk = write(self.path("d"), "x")
        write(self.path("end"), "0")
        done = self.guest_run("--timeout", "600", "--disk", disk, "--junit", self.path("j.xml"))
        self.assertEqual(done.status, 117, done)
        with open(self.path("words")) as f:
            words = f.read().split("\n")
        for word in ("-kernel", "-append", "-initrd"):
            self.assertNotIn(word, words)
        suite = xml.parse(self.path("j.xml")).getroot()
        self.assertEqual(suite.find("testcase/failure").get("type"), "no boot")
        self.assertEqual(suite.find("testcase").get("name"), "d")
        self.assertFalse([n for n in os.listdir(self.folder) if n.startswith(".perfboard")])


if __name__ == "__main__":
    unittest.main()
