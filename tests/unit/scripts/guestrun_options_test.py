# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/perfboard: every option that is wrong is refused in one line, with status 2, before anything starts; which devices --board makes, and what
--log, --coverage and --scenario put at them."""
import gzip
import os
import re
import socket

import pytest

from conftest import PERFBOARD, read, run, write
from guestrun import device_args, options, verdict
from workbench import Refused


def elf(guest):
    return guest.write("vmlinux", b"\x7fELF\x02\x01\x01" + b"\0" * 600)


def test_numbers(guest):
    for option, legal, values in [
            ("--icount", "0 to 10", ["11", "-1", "x", "", "1.5", "\u0663"]), ("--smp", "1 to 255", ["0", "256", "two", "9" * 30]),
            ("--timeout", "more than 0", ["0", "-5", "nan", "inf", "soon"]),
            ("--mem", "192M", ["0", "191M", "1Q", "", "-512M", "512.5M", "512M,slots=2"]),
            ("--mem", "whole megabytes", ["196609K"]), ("--mem", "this machine's memory", ["4096T"]),
            ("--out-size", "powers of two", ["0", "3M", "256Q"]), ("--out-size", "4K to 16G", ["", "M", "2K", "32G", "-1M", "256MB"])]:
        for value in values:
            guest.refused(f"{option}={value}", says=[f"{option} {value}: ", legal])


def test_a_socket_that_others_reach(guest):
    """A port of this machine is everybody's, and gdb's line has QEMU's monitor (qRcmd), which starts programs."""
    listens = "whoever connects has QEMU's monitor and your rights; legal is a socket in a folder that only you may enter (mode 0700)"
    os.mkdir(guest.path("open"))
    file = guest.write("file", "mine")
    recording = ["replay", guest.path("recording")]
    for option in ("--gdb", "--monitor"):
        for value in ("1234", guest.path("open/../socket"), "/tmp/socket"):
            os.chmod(guest.folder, 0o755)
            guest.refused(f"{option}={value}", says=f"{option} {value}: {listens}")
        os.chmod(guest.folder, 0o700)
        guest.refused(f"{option}={file}", says=[f"{option} {file}: there is another file; legal is a socket, which QEMU makes"])
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(guest.path("other"))
            other.listen()
            guest.refused(f"{option}={guest.path('other')}", says=f"{option} {guest.path('other')}: a machine that runs has it")
        os.unlink(guest.path("other"))
        os.symlink("loop", guest.path("loop"))
        guest.refused(f"{option}={guest.path('loop/socket')}", says=f"{option} {guest.path('loop/socket')}: Too many levels")
        os.unlink(guest.path("loop"))
        guest.refused(f"{option}=/nowhere/socket", says=[f"{option} /nowhere/socket: No such file", "in a folder that is there"])
        words = guest.accepted(f"{option}={guest.path('a,b')}")
        assert any(guest.path("a,,b") in w for w in words), words
    for value in ("1234", "/tmp/socket"):
        done = run(PERFBOARD, *recording, f"--gdb={value}")
        assert (done.returncode, done.stderr) == (2, f"perfboard replay: --gdb {value}: {listens}\n")


def test_serial_ports_that_are_added_to(guest):
    guest.refused("--files", "/proc/nowhere", says=["--files /proc/nowhere: ", "a folder that can be written"])
    folder = guest.path("serial, of mine")
    words = guest.accepted("--files", folder)
    for name in ("console", "records"):
        path = os.path.join(folder, name)
        assert f"file,id={name},append=on,path={path.replace(',', ',,')}" in words
        assert os.path.exists(path)


def test_files(guest):
    text = guest.write("text", "no such thing\n" * 1000)
    empty = guest.write("empty", "")
    for option, what in [("--kernel", "Linux kernel"), ("--initramfs", "cpio archive"), ("--plugin", "perfboard.so")]:
        for value in ("/nowhere/file", guest.folder, text, empty):
            guest.refused(option, value, says=[f"{option} {value}: ", what])
    guest.refused("--plugin", text + ",x=1", says=["--plugin " + text, "perfboard.so"])
    for value in ("/nowhere/qemu", "no-such-program", text, guest.folder):
        guest.refused("--qemu", value, says=[f"--qemu {value}: ", "qemu-system-x86_64"])


def test_the_environment_is_named(guest):
    for variable, option in [("PERFBOARD_KERNEL", "kernel"), ("PERFBOARD_INITRAMFS", "initramfs"),
                             ("PERFBOARD_SO", "plugin"), ("QEMU", "qemu")]:
        guest.refused(without=option, environment={variable: "/nowhere/x"}, says=f"{variable} /nowhere/x: ")
    guest.refused(environment={"PERFBOARD_TIMEOUT": "soon"}, says="PERFBOARD_TIMEOUT soon: legal are seconds")


def test_out(guest):
    plain = guest.write("plain", "a file")
    for value in (plain, os.path.join(plain, "below"), "/proc/nothing", "/sys", ""):
        guest.refused("--out", value, says=[f"--out {value}: ", "legal is a folder"])
    assert read(plain) == b"a file"


def test_out_larger_than_the_disk(guest):
    # No folder for temporary files has room for all of these at once, if it has for one.
    args = type("Args", (), {"out": guest.folder, "out_size": 1 << 60, "guest": options.Guest()})
    with pytest.raises(options.Refused, match=r"--out-size \d+G: legal is what fits .* has \d+M"):
        options.work_folder(args)


def test_arch(guest):
    for value in ("", "x86", "power", "ppc64le", "PPC64"):
        guest.refused("--arch", value, says=[f"--arch {value}: ", "x86_64 and ppc64"])
    # A PC's kernel, an ELF of another machine's byte order, and the other way round.
    mine = elf(guest)
    big = guest.write("vmlinux-big", b"\x7fELF\x02\x02\x01" + b"\0" * 600)
    for kernel in (guest.kernel, big):
        guest.refused("--arch", "ppc64", "--kernel", kernel, says=[f"--kernel {kernel}: ", "POWER"])
    guest.refused("--kernel", mine, says=[f"--kernel {mine}: ", "bzImage"])
    guest.refused("--arch", "ppc64", "--kernel", mine, "--out-size", "32K", says=["--out-size 32K: ", "64K to 16G"])
    guest.refused("--arch", "ppc64", "--kernel", mine, without="qemu", environment={"QEMU_PPC64": "/nowhere/x"},
                  says=["QEMU_PPC64 /nowhere/x: ", "qemu-system-ppc64"])


def test_a_power_guest(guest):
    words = guest.accepted("--arch", "ppc64", "--kernel", elf(guest))
    assert re.search("^pseries,x-vof=on,.*accel=tcg$", words[words.index("-machine") + 1])
    devices = [words[i + 1] for i, w in enumerate(words) if w == "-device"]
    assert devices == ["multikron"]
    line = words[words.index("-append") + 1].split()
    assert "console=hvc0" in line
    assert "perfboard.records=hvc1" in line
    assert "tsc=reliable" not in line


def test_a_bridge_with_a_rom(guest):
    """What the ROM says is to be on the console."""
    for device, machine in [("i82375", "pc,accel=tcg"), ("i82375,rom=off", "pc,accel=tcg"), ("i82375,rom=on", "pc,accel=tcg,graphics=off"),
                            ("i82375,id=a,rom=on,addr=5", "pc,accel=tcg,graphics=off")]:
        words = guest.accepted("--device", device)
        assert words[words.index("-machine") + 1] == machine


def test_a_power_guests_memory(guest):
    """QEMU's pseries has memory in blocks of 256 MB."""
    power = ["--arch", "ppc64", "--kernel", elf(guest)]

    def given(*more):
        words = guest.accepted(*power, *more)
        return words[words.index("-m") + 1]
    small, large = guest.write("small", bytes(1 << 20)), guest.write("large", bytes(140 << 20))
    assert [given(), given("--add", small), given("--add", large)] == ["512M", "768M", "1024M"]
    assert [given("--mem", "256M"), given("--mem", "1G"), given("--mem", "768", "--add", large)] == ["256M", "1024M", "768M"]
    for value in ("192M", "300M", "255M", "257M", "128M", "0"):
        guest.refused(*power, "--mem", value, says=[f"--mem {value}: legal are multiples of 256M, 256M to "])
    os.truncate(large, 180 << 20)
    for value in ("1M", "256M"):
        guest.refused(*power, "--mem", value, "--add", large, says=[f"--mem {value}: legal are multiples of 256M, 768M to "])
    # An image is the same machine.
    guest.write("initrd", b"")
    guest.refused(*power, "--initrd", guest.path("initrd"), "--mem", "192M", without="initramfs",
                  says="--mem 192M: legal are multiples of 256M")


def test_memory_for_the_guests_file_system(guest):
    """Its archive, what it is unpacked to twice, and the kernel, which says in its head (0x260) what it takes."""
    def member(name, data):
        return b"070701" + b"0" * 48 + b"%08x" % len(data) + b"0" * 32 + b"%08x" % (len(name) + 1) + b"0" * 8 + name + b"\0" * (4 - (110 + len(name)) % 4) + data
    write(guest.kernel, b"\0" * 0x202 + b"HdrS" + b"\0" * 90 + (48 << 20).to_bytes(4, "little"))
    archive = member(b"file", bytes(100 << 20)) + b"".join(member(b"link%d" % n, b"") for n in range(10)) + member(b"TRAILER!!!", b"")
    for data, mem in ((gzip.compress(archive, 1), 253), (archive, 354)):
        write(guest.initramfs, data)
        guest.refused("--mem", f"{mem - 1}M", says=[f"--mem {mem - 1}M: legal are whole megabytes, {mem}M to ", "the guest's file system"])
        assert f"{mem}M" in guest.accepted("--mem", f"{mem}M")
    large = guest.write("large", bytes(100 << 20))
    for mem in ("500M", "1M"):
        guest.refused("--mem", mem, "--add", large, says=[f"--mem {mem}: legal are whole megabytes, 659M to "])
    os.truncate(large, 200 << 20)
    assert "964M" in guest.accepted("--add", large), "by default it has room, too"


def test_words(guest):
    for words, says in [
            (["--"], "nothing after --"), (["--", ""], "nothing after --"), (["--fast"], ["--fast", "no such option"]), (["ls"], ["ls", "after --"]),
            (["--out-siz", "4K"], "--out-siz"), (["--smp"], ["--smp", "expected one argument"]),
            (["--qemu-arg", "-drive"], ["--qemu-arg: expected one argument", "one that begins with -: --qemu-arg=-..."]),
            (["--no-boards", "--device", "multikron"], ["--device multikron", "--no-boards"]), (["--device", ""], "--device"),
            (["--append", "a\nb"], ["--append", "one line"]), (["--append", "y" * 2100], ["too long", "2047"])]:
        guest.refused(*words, says=says)


def test_a_long_command_goes_into_an_archive(guest):
    words = guest.accepted("--", "x" * 3000)
    assert len(words[words.index("-append") + 1]) < 2048
    assert words[words.index("-initrd") + 1] != guest.initramfs


def test_help(guest):
    done = guest.guest_run("--help")
    assert done.status == 0
    text = done.out.decode()
    for status in verdict.MEANING:
        assert re.search(rf"(?m)^  {status} +\w", text)
    assert "the command's own status is N" in text


def test_what_is_right_reaches_qemu(guest):
    words = guest.accepted("--mem", "1G", "--smp", "2", "--icount", "0", "--out", guest.path("new/out"),
                          "--out-size", "1m", "--device", "multikron", "--append", "a=b")
    for pair in [("-m", "1024M"), ("-smp", "2"), ("-icount", "shift=0,sleep=off"), ("-device", "multikron")]:
        assert pair in list(zip(words, words[1:]))
    assert any(w.endswith(",size=1048576") for w in words), words
    line = words[words.index("-append") + 1].split()
    assert "a=b" in line
    assert "oops=panic" in line
    assert "nosoftlockup" not in line
    free = guest.accepted("--allow-taint")
    assert "512M" in free
    line = free[free.index("-append") + 1].split()
    assert "nosoftlockup" in line  # the host's time is no measure
    assert "oops=panic" not in line


def devices(*boards, buses=("eisa", "pci")):
    return device_args.devices(list(boards), buses)


def test_what_a_board_needs():
    sni = "shrimp-sni,slot=1,node=1,nodes=4"
    for boards, words in [
            (["multikron"], ["multikron"]), (["power2"], ["power2-pm"]),
            (["surfboard"], ["i82375", sni, "surfboard,slot=2"]),
            (["shrimp"], ["i82375", sni]), (["shrimp", "eisa"], ["i82375", sni]),
            (["smile"], ["smile-sci", "smile-hwm,node=0"]), (["smile-hwm"], ["smile-sci", "smile-hwm,node=0"]),
            (["power2", "surfboard"], ["i82375", "power2-pm", sni, "surfboard,slot=2"]),
            ([], [])]:
        assert sorted(devices(*boards)) == sorted(words)


def test_who_is_needed_comes_first():
    words = [w.split(",")[0] for w in devices("surfboard", "smile")]
    assert words.index("i82375") < words.index("shrimp-sni")
    assert words.index("shrimp-sni") < words.index("surfboard")
    assert words.index("smile-sci") < words.index("smile-hwm")


def test_properties():
    assert devices("multikron,fifo-depth=4,chardev=a,,b") == ["multikron,fifo-depth=4,chardev=a,,b"]
    assert devices("surfboard,trace-size=4M", "shrimp,nodes=9") == ["i82375", "shrimp-sni,slot=1,node=1,nodes=9", "surfboard,slot=2,trace-size=4M"]


def test_places():
    slots = [device_args.properties(w)[1]["slot"] for w in devices(*["surfboard"] * 5, "surfboard,slot=4")[1:]]
    assert len(set(slots)) == 7, slots
    assert "4" in slots
    nodes = [device_args.properties(w)[1]["node"] for w in devices("smile", "smile,node=0", "smile")[1:]]
    assert sorted(nodes) == ["0", "1", "2"]
    with pytest.raises(Refused, match="no slot is free"):
        devices(*["surfboard"] * 15)


def test_unknown_board():
    with pytest.raises(Refused, match="--board vga,x=1: legal are eisa, surfboard, shrimp, multikron, sci, smile, power2"):
        devices("vga,x=1")
    with pytest.raises(Refused, match="--board surfboard: legal are multikron, sci, smile, power2"):
        devices("surfboard", buses=("pci",))


def test_looks_go_to_boards_only():
    words = device_args.looked_at(["i82375", "surfboard,slot=2", "virtio-rng-pci", "perfboard-lan", "smile-hwm"], {"log": "a,b", "coverage": None})
    assert words == ["i82375", "surfboard,slot=2,log=a,,b", "virtio-rng-pci", "perfboard-lan", "smile-hwm,log=a,,b"]


def values(guest, option, *words):
    given = guest.accepted(*words)
    return [given[n + 1] for n, w in enumerate(given) if w == option]


def test_the_words_for_qemu(guest):
    log, cover, scenario = guest.path("log"), guest.path("cover"), guest.write("scenario", "1ms multikron inject-gone on\n")
    assert values(guest, "-device", "--board", "multikron", "--log", log, "--log-format", "json", "--log-size", "1M", "--log-filter", "any CSR;!HTCR=1",
                  "--symbols", "none", "--coverage", cover) == [
        f"multikron,log={log},log-format=json,log-size=1048576,log-filter=any CSR;!HTCR=1,coverage={cover}"]
    plugin, = values(guest, "-plugin", "--scenario", scenario)
    assert re.search(f"^{re.escape(guest.plugin)},scenario={re.escape(scenario)},unreached=[^,]+,pending=[^,]+$", plugin)
    assert values(guest, "-device", "--board", "power2", "--device", "multikron") == ["power2-pm", "multikron"]
    assert values(guest, "-smp", "--board", "smile") == ["4"]
    assert values(guest, "-smp", "--board", "smile", "--smp", "2") == ["2"]


def test_looks_refused(guest):
    for words, line in [
            (["--log", "/nowhere/log"], "--log /nowhere/log: legal is a file that can be written"),
            (["--coverage", guest.folder], f"--coverage {guest.folder}: legal is a file that can be written"),
            (["--scenario", "/nowhere/s"], "--scenario /nowhere/s: No such file"),
            (["--log-format", "json"], "--log-format json: only together with --log"),
            (["--log", "-", "--log-format", "xml"], "--log-format: invalid choice: 'xml'"),
            *((["--log", "-", "--log-size", size], f"--log-size {size}: legal are 64K to 1024T, or 0: no limit") for size in ("1K", "2000T", "much")),
            (["--log-size", "1M"], "--log-size 1M: only together with --log"),
            (["--log-filter", "x"], "--log-filter x: only together with --log"),
            (["--no-boards", "--log", "-"], "--log -: not together with --no-boards"),
            (["--no-boards", "--board", "multikron"], "--board multikron: not together with --no-boards"),
            (["--board", "vga"], "--board vga: legal are eisa, ")]:
        guest.refused(*words, says=line)
