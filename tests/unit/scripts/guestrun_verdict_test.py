# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/perfboard: the exit status and the one line, for machines that end in each possible way."""
import itertools
import os
import re
import signal
import subprocess
from xml.etree import ElementTree

import pytest

from conftest import PATIENCE, read
from guestrun import verdict

BOOT = b"[    0.100000] something of the kernel\r\n"
GOOD = b"start\r\nexit %d\r\ntaint 12288\r\nend\r\n"
DOWN = b"[    4.100000] reboot: Power down\r\n"
PANIC = b"[    1.000000] Kernel panic - not syncing: No working init found.\r\n"
WARN = b"log [    2.000000] WARNING: CPU: 0 PID: 5 at x.c:12 f+0x1/0x2 [x]\r\nlog [    2.000001] Call Trace:\r\n"
OOPS = (b"[    2.000000] BUG: kernel NULL pointer dereference, address: 0\r\n"
        b"[    2.000001] Oops: 0002 [#1] PREEMPT SMP\r\n[    2.000002] Kernel panic - not syncing: Fatal exception\r\n")


def console(output, status=0, tail=DOWN):
    return BOOT + b"perfboard: start\n" + output + b"\nperfboard: exit %d\n" % status + tail


def ran(guest, output=b"x", status=0, *options):
    """A machine whose command has ended so."""
    return guest.run_guest(console(output, status), GOOD % status, options=options)


def quiet(guest, output=b"x", status=0):
    return ran(guest, output, status, "--quiet")


def test_output_is_the_commands_to_the_byte(guest):
    outputs = (b"", b"abc", b"abc\n", b"\n", b"\n\n", b"perfboard: exit 0", b"perfboard: exit 0\n",
               b"\nperfboard: exit 7\n", b"perfboard: start\n", b"a\r\nb\r", bytes(range(256)),
               b"[    9.000000] Kernel panic - not syncing: not so\n")
    for output, status in zip(outputs, itertools.cycle((0, 1, 7, 255))):  # one has nothing to do with the other
        done = quiet(guest, output, status)
        assert (done.status, done.out, done.err) == (status, output, "")


def test_console_shown_whole(guest):
    done = ran(guest, b"abc", 3)
    assert (done.status, done.out) == (3, (BOOT + b"perfboard: start\nabc\nperfboard: exit 3\n" + DOWN).replace(b"\r", b""))
    done = ran(guest, b"abc\n", 3)
    assert b"\nabc\nperfboard: exit 3\n" in done.out


def test_a_boot_that_leaves_its_last_line_open(guest):
    """As Linux does on POWER."""
    done = guest.run_guest(b"Linux ppc64le\r\n#1 SMP Debian 6.perfboard: start\nabc\nperfboard: exit 3\n" + DOWN, GOOD % 3, options=["--quiet"])
    assert (done.status, done.out, done.err) == (3, b"abc", "")


def test_the_kernels_lines_end_as_others(guest):
    done = quiet(guest, b"a\r\n[    2.000000] a message\r\nb", 0)
    assert done.out == b"a\r\n[    2.000000] a message\nb"


def test_the_commands_status_in_our_range(guest):
    for status in verdict.MEANING:
        done = quiet(guest, b"x", status)
        assert (done.status, done.err) == (status, f"perfboard: the command's own status is {status}\n")
    for status in (1, 3, 114, 126, 127, 137):
        assert quiet(guest, b"x", status).err == ""


def test_a_process_killed_for_its_memory(guest):
    line = b"[    9.000000] \x1b[31mOut of memory: Killed process 84 (python3) total-vm:9kB\x1b[0m\r\n"
    said = "the command's own status is 137: the kernel had no memory left (--mem): Killed process 84 (python3)"
    assert ran(guest, line, 137).last == f"perfboard: {said}"
    assert ran(guest, line, 0).err == ""


def ends(guest, status, line, **machine):
    done = guest.run_guest(**machine)
    assert done.status == status, done
    assert re.search("^perfboard: " + line, done.last)
    return done


def test_a_scenario_with_lines_left(guest):
    scenario = guest.write("gone.txt", "1h multikron inject-gone on\n")
    looks = ["--quiet", "--board", "multikron", "--scenario", scenario]
    lines = ["gone.txt:1: '1h': not done", "gone.txt:2: 'after x': it never came"]
    guest.write("unreached", "\n".join(lines) + "\n")
    done = quiet(guest)
    assert (done.status, done.err) == (0, ""), "nobody asked"
    done = ran(guest, b"x", 0, *looks)
    assert (done.status, done.out, done.err) == (115, b"x", "".join(f"perfboard: {line}\n" for line in lines))
    report = guest.path("report.xml")
    ran(guest, b"x", 0, *looks, "--junit", report)
    assert b'<failure type="scenario"' in read(report)
    done = ran(guest, b"x", 3, *looks)
    assert (done.status, done.err) == (3, "".join(f"perfboard: {line}\n" for line in lines)), "the command's status is worse"
    guest.write("unreached", "")
    assert ran(guest, b"x", 0, *looks).status == 0


def test_an_interrupt_line_that_nobody_takes_back(guest):
    line = "surfboard: interrupt line high for 28.104 s, ISCR.TP never acknowledged (write ISCR.TP=1)"
    guest.write("pending", line + "\n")
    done = quiet(guest)
    assert (done.status, done.err) == (0, ""), "it came to its end"
    locked = b"[   28.123456] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [true:1]\n[   28.123457] Kernel panic - not syncing: softlockup: hung tasks\n"
    done = guest.run_guest(console(b"x")[:-1] + locked, b"start\n", options=["--quiet"])
    assert done.status == 123, done
    assert re.search(rf"^perfboard: a processor was locked up .*; {re.escape(line)}$", done.last)
    done = guest.run_guest(console(b"x"), b"start\n", options=["--quiet", "--timeout", "2"], end="never")
    assert done.status == 124, done
    assert re.search(rf"^perfboard: no end after 2 s \(--timeout\): QEMU killed; {re.escape(line)}$", done.last)


def test_damage(guest):
    for taint, more, status, line in [
            (1 << 9, WARN, 122, r"the kernel warned \(taint W\): WARNING: CPU: 0 .*; the command's status was 0"),
            (1 << 9, b"", 122, r"the kernel warned \(taint W\); the command's status was 0"),
            (1 << 7, b"", 121, r"the kernel had an oops \(taint D\)"),
            (1 << 7 | 1 << 9, b"", 121, r"the kernel had an oops \(taint D\)"),
            (1 << 5, b"", 121, r"the kernel found a bad page \(taint B\)"),
            (1 << 4, b"", 121, r"the kernel had a machine check \(taint M\)"),
            (1 << 14, b"", 123, r"a processor was locked up \(taint L\)"),
            (1 << 14 | 1 << 9, b"", 123, r"a processor was locked up \(taint L\)")]:
        records = b"start\nexit 0\ntaint %d\n" % (taint | 12288) + more + b"end\n"
        done = ends(guest, status, line, console=console(b"on\n"), records=records, options=["--quiet"])
        assert done.out == b"on\n"
        assert ("Call Trace" in done.err) == bool(more)
        records = records.replace(b"exit 0", b"exit 5")
        done = guest.run_guest(console(b"on\n", 5), records, options=["--allow-taint"])
        assert done.status == 5
        assert re.search("^perfboard: waived by --allow-taint: ", done.last)


def test_memory_that_was_misused_is_no_bad_page(guest):
    for said, line in [("BUG: KASAN: slab-use-after-free in f+0x1/0x2 [x]", "the kernel found memory misused"),
                       ("BUG: Bad page state in process x  pfn:1", "the kernel found a bad page"),
                       ("BUG kmalloc-64 (Tainted: G    B  OE): Poison overwritten", "the kernel found memory misused")]:
        records = b"start\nexit 0\ntaint %d\nlog [    2.000000] " % (1 << 5) + said.encode() + b"\nend\n"
        ends(guest, 121, re.escape(f"{line} (taint B): {said}; the command's status was 0"), console=console(b"on\n"), records=records)


REPORTS = ["WARNING: possible circular locking dependency detected", "WARNING: possible recursive locking detected", "WARNING: inconsistent lock state",
           "WARNING: suspicious RCU usage", "INFO: trying to register non-static key.", "BUG: KCSAN: data-race in f [x] / g [x]",
           "UBSAN: array-index-out-of-bounds in x.c:12:3", "BUG: sleeping function called from invalid context at mm/slab.h:1",
           "BUG: using smp_processor_id() in preemptible [00000000] code: insmod/77"]


def test_what_a_debug_kernel_reports(guest):
    """Some with a taint of its own, some without; on the console, of an image or at the end, likewise."""
    for said in REPORTS:
        line = "[    2.000000] " + said
        assert verdict.complaint(line) == (122, said)
        for taint, name in ((0, "the kernel warned"), (1 << 9, "the kernel warned (taint W)")):
            assert verdict.damage(taint, [line]) == (122, f"{name}: {said}")
    assert verdict.damage(0, []) is None
    records = b"start\nexit 5\ntaint 0\nlog " + line.encode() + b"\nend\n"
    ends(guest, 122, f"the kernel warned: {re.escape(said)}; the command's status was 5", console=console(b"on\n", 5), records=records)
    done = guest.run_guest(console(b"on\n", 5), records, options=["--allow-taint"])
    assert (done.status, done.last) == (5, f"perfboard: waived by --allow-taint: the kernel warned: {said}")


def test_junit_has_the_backtrace(guest):
    junit = guest.path("junit.xml")
    ends(guest, 122, "the kernel warned", console=console(b"on\n"), records=b"start\nexit 0\ntaint 512\n" + WARN + b"end\n",
         options=["--quiet", "--junit", junit])
    failure = ElementTree.parse(junit).find("testcase/failure")
    assert failure.get("type") == "warning"
    assert "[    2.000000] WARNING: CPU: 0 PID: 5 at x.c:12 f+0x1/0x2 [x]\n[    2.000001] Call Trace:" in failure.text


def test_what_qemu_could_not_write(guest):
    for lost in ("perfboard: log=/x/log: No space left on device: the log ends here",
                 "qemu-system-x86_64: warning: board: chardev=net: chardev-size=65536: the samples end here",
                 "qemu-system-x86_64: warning: board: vcd=/x: vcd-size=65536: the waveforms end here",
                 "perfboard: coverage is not written: /x/cover.new: No space left on device"):
        guest.write("errors", "qemu: something\n" + lost + "\n")
        done = ends(guest, 119, "not whole: " + re.escape(re.sub(r"^\S+: (warning: )?", "", lost)), console=console(b"on\n"), records=GOOD % 0)
        assert "qemu: something\n" in done.err
        done = ran(guest, b"on\n", 3)
        assert (done.status, done.last) == (3, lost)
    # Of a log that is not whole nothing more is said.
    guest.write("log", "a line\n")
    guest.write("errors", "perfboard: log=/x/log: No space left on device: the log ends here\n")
    assert "without functions" not in ran(guest, b"on\n", 0, "--log", guest.path("log")).err
    # Who has closed a pipe did not want the rest.
    guest.write("errors", "perfboard: log=/x/log: Broken pipe: the log ends here\n")
    assert ran(guest, b"on\n", 0).status == 0


def test_interrupted(guest):
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        junit = guest.path("junit.xml")
        guest.write("console", BOOT + b"perfboard: start\nhalf of it\n")
        guest.write("records", b"start\n")
        guest.write("end", "never")
        guest.write("errors", "qemu-system-x86_64: terminating on signal 2\n")
        with subprocess.Popen(guest.words("--junit", junit, "--", "true"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            shown = b""
            while b"half of it" not in shown:
                shown += run.stdout.readline()
            run.send_signal(number)
            err = run.communicate(timeout=PATIENCE)[1].decode()
            assert (run.returncode, err) == (status, f"perfboard: stopped by {number.name}\n")
            case = ElementTree.parse(junit).find("testcase")
            assert case.find("failure").get("type") == "stopped"
            assert "half of it" in case.find("system-out").text
            os.unlink(junit)


def test_other_taints_are_none(guest):
    others = (1 << 19) - 1 & ~(1 << 4 | 1 << 5 | 1 << 7 | 1 << 9 | 1 << 14)
    done = guest.run_guest(console(b""), b"start\nexit 0\ntaint %d\nend\n" % others)
    assert (done.status, done.err) == (0, "")


def test_panic_before_the_command(guest):
    done = ends(guest, 120, "the kernel panicked before the command: Kernel panic - not syncing: No working init",
                console=BOOT + PANIC, options=["--quiet"])
    assert done.out == b""
    assert "something of the kernel\n[    1.000000] Kernel panic" in done.err


def test_a_file_system_that_has_no_room(guest):
    """The kernel says it first, and goes on until something is missing."""
    short = b"[    0.900000] Initramfs unpacking failed: write error\r\n"
    cause = "Initramfs unpacking failed: write error: its memory is too small for its file system \\(--mem\\)$"
    ends(guest, 120, "the kernel panicked before the command: " + cause, console=BOOT + short + PANIC, options=["--quiet"])
    whole = "the guest's file system is not whole: " + cause
    ends(guest, 120, whole, console=BOOT + short, options=["--quiet"])
    ends(guest, 120, whole, console=BOOT + short + console(b"x"), records=GOOD % 0, options=["--quiet"])


def test_the_end_while_the_command_runs(guest):
    start = BOOT + b"perfboard: start\non\n"
    lockup = (b"[   30.000000] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [insmod:70]\r\n"
              b"[   30.000001] Kernel panic - not syncing: softlockup: hung tasks\r\n")
    for tail, status, line in [
            (PANIC, 120, "the kernel panicked while the command ran: Kernel panic"),
            (OOPS, 121, "the kernel had an oops while the command ran: BUG: kernel NULL"),
            (b"[    2.000000] kernel BUG at x.c:1!\r\n[    2.000001] invalid opcode: 0000 [#1] SMP\r\n"
             b"[    2.1] Kernel panic - not syncing: Fatal exception in interrupt\r\n".replace(b"2.1", b"2.100000"),
             121, "the kernel had an oops while the command ran: kernel BUG at"),
            (b"[    2.000000][   T70] Oops: general protection fault: 0000 [#1] SMP\r\n"
             b"[    2.000001][   T70] Kernel panic - not syncing: Fatal exception\r\n", 121,
             "the kernel had an oops while the command ran: Oops: general"),
            (lockup, 123, "a processor was locked up while the command ran: watchdog: BUG: soft lockup"),
            (b"Kernel panic - not syncing: only said\nWARNING: as well\n", 125, "the machine ended before the command did"),
            (b"", 125, "the machine ended before the command did")]:
        done = ends(guest, status, line, console=start + tail, records=b"start\n", options=["--quiet"])
        assert done.out == b"on\n" + tail.replace(b"\r", b"")


def test_no_guest_at_all(guest):
    ends(guest, 125, "the machine ended before the command started")
    ends(guest, 125, "QEMU ended with status 1", end="1")
    ends(guest, 125, "QEMU was killed by signal 7", end="-7", options=["--quiet"])


def test_an_exit_that_is_not_vouched_for(guest):
    for records in (b"start\nexit 0\n", b"start\nexit 0\ntaint 0\n", b"start\nexit 0\ntaint \nend\n"):
        ends(guest, 125, "the machine ended before it said how its kernel is; the command's status was 0",
             console=console(b""), records=records)
    ends(guest, 121, "the kernel had an oops after the command: BUG: ", console=console(b"", tail=OOPS), records=b"start\nexit 0\n")
    ends(guest, 125, "QEMU ended with status 3; the command's status was 0", console=console(b""), records=GOOD % 0, end="3")
    for records in (b"start\nexit 256\ntaint 0\nend\n", b"start\nexit -1\ntaint 0\nend\n", b"start\nexit\ntaint 0\nend\n"):
        ends(guest, 125, "the machine ended before the command did", console=console(b""), records=records)


def test_switched_off(guest):
    tail = b"[    4.000000] WARNING: CPU: 0 PID: 1 at x.c:1 f\r\n"
    done = ends(guest, 122, "the kernel warned while the machine was switched off: WARNING: CPU: 0 PID: 1 .* was 0",
                console=console(b"", tail=tail), records=GOOD % 0, options=["--quiet"])
    assert done.out == b""
    done = guest.run_guest(console(b"", tail=tail), GOOD % 0, options=["--allow-taint", "--quiet"])
    assert done.status == 0


def test_timeout(guest):
    ends(guest, 124, r"no end after 0.5 s \(--timeout\): QEMU killed", end="never", options=["--timeout", "0.5"])
    late, room = verdict.Verdict(verdict.TIMED_OUT, "late"), verdict.Verdict(verdict.FAILED, "no room")
    panic, none = verdict.Verdict(verdict.PANIC, "panic"), verdict.Verdict(verdict.FAILED, "QEMU was killed")
    assert verdict.of_killed(late, none) == late
    assert verdict.of_killed(late, panic) == panic
    assert verdict.of_killed(room, panic) == room


def test_a_disk_that_fills(guest):
    guest.write("end", "fill")
    small = ["unshare", "--map-root-user", "--mount", "sh", "-c",
             'mount -t tmpfs -o size=20m small /dev/shm && TMPDIR=/dev/shm exec "$@"', "-"]
    if subprocess.run([*small, "true"], capture_output=True).returncode:
        pytest.skip("no mount of our own here")
    run = subprocess.run([*small, *guest.words("--", "true")], capture_output=True, timeout=PATIENCE)
    assert run.returncode == 125, run.stderr
    assert re.search(r"\Aperfboard: /dev/shm/\S+: \d+ MB are free, 16 are needed .*\n\Z", run.stderr.decode())
    run = subprocess.run([*small, *guest.words("--out", guest.path("out"), "--out-size", "64M", "--", "true")],
                         capture_output=True, timeout=PATIENCE)
    assert run.returncode == 2, run.stderr
    assert re.search(r"\Aperfboard: --out-size 64M: legal is what fits .*/dev/shm has 20M.*\n\Z", run.stderr.decode())


def test_modules_that_do_not_load(guest):
    records = b"module x.ko does not load: why\n" + GOOD % 0
    done = guest.run_guest(console(b"on"), records, options=["--quiet"])
    assert (done.status, done.out, done.err) == (118, b"on", "perfboard: x.ko does not load: why\n"
        "perfboard: the guest's own drivers are not all there (--without x, if that is meant); the command's status was 0\n")
    two = b"module x.ko does not load: why\nmodule y.ko does not load: as well\n"
    assert "(--without x --without y, if" in guest.run_guest(console(b"on"), two + GOOD % 0, options=["--quiet"]).err
    done = guest.run_guest(console(b"on", 3), two + GOOD % 3, options=["--quiet"])
    assert (done.status, done.last) == (3, "perfboard: y.ko does not load: as well")


def test_a_reader_that_goes_away(guest):
    guest.write("console", console(b"x" * 10000000))
    guest.write("records", GOOD % 0)
    guest.write("end", "0")
    run = subprocess.run(["bash", "-c", '"$@" | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}', "-",
                          *guest.words("--", "true")], capture_output=True, text=True, timeout=PATIENCE)
    assert (run.returncode, run.stderr) == (141, "")
