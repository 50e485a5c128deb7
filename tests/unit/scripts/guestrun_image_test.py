# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run with an image of the user's: the verdict on each end, --junit, and which options go together."""
import os
import re
import types
import xml.etree.ElementTree as xml

from conftest import PATIENCE, write
from guestrun import image, junit, verdict

OOPS = "[    1.000000] BUG: kernel NULL pointer dereference\n[    1.000001] Oops: 0002 [#1] SMP\n"
PANIC = "[    2.000000] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100\n"
TIMED_OUT = verdict.Verdict(verdict.TIMED_OUT, "no end after 5 s (--timeout): QEMU killed")
FULL = verdict.Verdict(verdict.FAILED, "/tmp: 1 MB are free: QEMU killed")


def judged(text="up\n", returncode=0, reason="guest-shutdown", killed=None, greeted=True, **options):
    args = types.SimpleNamespace(**{"expect": None, "reject": None, "exit_device": False, "allow_taint": False, **options})
    return image.judge(args, returncode, types.SimpleNamespace(reason=reason, greeted=greeted), text, killed)


def holds(found, status, line):
    assert found.status == status, found
    assert re.search(line, found.line) if line else found.line is None, found


def test_each_end():
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
        holds(judged(**more), status, line)


def test_texts():
    said = verdict.Verdict(0, None)
    for status, line, more in [
            (0, None, {"text": "all well", "expect": "all well", "killed": said, "returncode": 0}),
            (0, None, {"text": "all well\n", "expect": "all well"}),
            (116, "had not said 'all well'", {"expect": "all well"}),
            (1, "the console said: test 3 failed", {"text": "test 3 failed\n", "expect": "all well", "reject": "failed"}),
            (1, "the console said: failed", {"text": "all well\nfailed\n", "expect": "all well", "reject": "failed"}),
            (124, "no end", {"expect": "all well", "killed": TIMED_OUT, "returncode": -15}),
            (121, "the image's status was 0", {"text": OOPS + "all well", "expect": "all well", "killed": said})]:
        holds(judged(**more), status, line)


def test_exit_device():
    for status, line, more in [
            (0, None, {"returncode": 1}), (5, None, {"returncode": 11}), (127, None, {"returncode": 255}),
            (0, None, {"returncode": 1, "text": ""}),
            (120, "the command's own status is 120", {"returncode": 241}),
            (125, "QEMU ended with status 1", {"returncode": 1, "greeted": False}),
            (125, "told the exit device nothing", {}),
            (121, "the image's status was 5", {"returncode": 11, "text": OOPS})]:
        holds(judged(exit_device=True, reason=None if more.get("returncode") else "guest-shutdown", **more), status, line)


def report(found, console="a <b> & c\x1b[0m\x00\ud800]]>\r\n"):
    return xml.fromstring(junit.text('say "x" <y>', found, 1.5, console).encode("utf-8"))


def test_success():
    suite = report(verdict.Verdict(0, None))
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")
    case = suite.find("testcase")
    assert (case.get("name"), case.get("time"), case.find("failure")) == ('say "x" <y>', "1.500", None)
    assert case.find("system-out").text == "a <b> & c\ufffd\ufffd]]>\n"


TAP = """\
ok: one of a program's own lines, and 1..2 no result
\x1b[32mok 1 - green\x1b[0m
[    1.000000]     # b: EXPECTATION FAILED at x.c:12
[    1.000001]     not ok 1 - b
[    1.000002]     # got 2
[    1.000003]     ok 2 c # SKIP no device
[    1.000004] not ok 2 - suite
# ok 1 part
ok 3 selftests: net: <x>.sh
not ok 4 - alone # TODO later
not ok 5 - whole
# why
    ok 1 - nothing follows
"""


def test_tap():
    suite = xml.fromstring(junit.text("run", verdict.Verdict(5, None), 1.0, TAP).encode())
    assert [suite.get(word) for word in ("tests", "failures", "skipped")] == ["8", "3", "2"]
    own, *cases = suite.findall("testcase")
    assert own.find("failure").text == "the command's status is 5"
    said = [(c.get("classname"), c.get("name"), *(x.tag + ": " + (x.text or x.get("message")) for x in c)) for c in cases]
    assert said == [("perfboard", "green"), ("suite", "b", "failure: # b: EXPECTATION FAILED at x.c:12\n# got 2"), ("suite", "c", "skipped: no device"),
                    ("selftests: net: <x>.sh", "part"), ("perfboard", "alone", "skipped: later"), ("perfboard", "whole", "failure: # why"),
                    ("perfboard", "nothing follows")]


def test_tap_of_who_means_ill():
    """As deep and as many as they like."""
    deep = "\n".join(" " * depth + f"not ok {depth} - x" for depth in range(2000, 0, -1)) + "\n" + "# " * 100000 + "\nok 1 " * 3 * junit.CASES_MOST
    assert len(junit.cases(deep)) <= junit.CASES_MOST


def test_each_failure_has_a_kind():
    kinds = set()
    for status in verdict.MEANING:
        if status != verdict.USAGE:
            failure = report(verdict.Verdict(status, "what <happened>")).find("testcase/failure")
            assert failure.get("message") == "what <happened>"
            kinds.add(failure.get("type"))
    assert len(kinds) == len(verdict.MEANING) - 1
    assert "status" not in kinds
    for found in (verdict.Verdict(3, None), verdict.Verdict(121, "the command's own status is 121")):
        assert report(found).find("testcase/failure").get("type") == "status"


def test_refused(guest):
    initrd, disk = guest.write("i", "x"), guest.write("d", "x")
    for words, line in [
            (["--initrd", "/nowhere"], "--initrd /nowhere: cannot be read"), (["--disk", "/nowhere"], "--disk /nowhere: cannot be read"),
            *((["--initrd", initrd, *option.split()], option + ": not together with") for option in ("--module x.ko", "--get /x", "--out /tmp", "--files /tmp")),
            (["--initrd", initrd, "--login", "root"], "--login: legal with a command"),
            (["--initrd", initrd, "--arch", "ppc64", "--exit-device"], "--exit-device: legal with --arch x86_64"),
            (["--initrd", initrd, "--boot-timeout", "0"], "--boot-timeout 0: legal are seconds"),
            (["--initrd", initrd, "--", "x" * 3001], "legal for an image are 3000"),
            (["--initrd", initrd, "--gdb", "0"], "--gdb 0: whoever connects has QEMU's monitor"),
            (["--initrd", initrd, "--junit", "/nowhere/x"], "--junit /nowhere/x: legal is a file"),
            *((option.split(), option + ": legal with --initrd or --disk only") for option in ("--expect x", "--snapshot", "--boot-timeout 5", "--exit-device"))]:
        guest.refused(*words, says=line, command=(), without="initramfs")
    guest.refused("--disk", disk, "--append", "x", says="--initramfs", command=(), without="kernel")  # the fixture's
    guest.refused("--initrd", initrd, says="", command=(), without="kernel")


def image_words(guest, *words, without="initramfs"):
    guest.write("console", "up\n")
    guest.write("end", "0")
    done = guest.guest_run("--timeout", "600", *words, without=without)
    assert done.status == 125, done  # nobody has said that the machine was switched off
    return guest.qemu_words()


def test_words(guest):
    initrd = guest.write("i", "x")
    raw, qcow = guest.write("a,b", "x" * 100), guest.write("q", b"QFI\xfb" + bytes(100))
    words = image_words(guest, "--initrd", initrd, "--append", "mine=1", "--disk", raw, "--disk", qcow, "--snapshot", "--board", "multikron", "--gdb", guest.path("a,b.gdb"))
    pairs = list(zip(words, words[1:]))
    assert ("-initrd", initrd) in pairs
    assert ("-chardev", f"socket,id=perfboard-gdb,path={guest.folder}/a,,b.gdb,server=on,wait=off") in pairs
    assert ("-gdb", "chardev:perfboard-gdb") in pairs
    assert ("-drive", f"file={guest.folder}/a,,b,if=virtio,format=raw,snapshot=on") in pairs
    assert ("-drive", f"file={qcow},if=virtio,format=qcow2,snapshot=on") in pairs
    assert ("-device", "multikron") in pairs
    line = words[words.index("-append") + 1].split()
    for word in ("mine=1", "console=ttyS0", "oops=panic", "panic=-1"):
        assert word in line
    for word in ("quiet", "rdinit=/init"):
        assert word not in line
    assert not any("perfboard." in w for w in line)


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


def test_the_last_words_of_a_machine_that_is_off_at_once(guest):
    write(guest.qemu, SHELL, 0o755)
    done = guest.guest_run("--quiet", "--timeout", str(PATIENCE), "--initrd", guest.initramfs, "--login", "root", "--", "true", without="initramfs")
    assert (done.status, done.out, done.err) == (7, b"typed\n", "")


def test_a_disk_boots_by_its_firmware(guest):
    disk = guest.write("d", "x")
    guest.write("end", "0")
    done = guest.guest_run("--timeout", "600", "--disk", disk, "--junit", guest.path("j.xml"), without=("kernel", "initramfs"))
    assert done.status == 117, done
    words = guest.qemu_words()
    for word in ("-kernel", "-append", "-initrd"):
        assert word not in words
    suite = xml.parse(guest.path("j.xml")).getroot()
    assert suite.find("testcase/failure").get("type") == "no boot"
    assert suite.find("testcase").get("name") == "d"
    assert not [n for n in os.listdir(guest.folder) if n.startswith(".perfboard")]
