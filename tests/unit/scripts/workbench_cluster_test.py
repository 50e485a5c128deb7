# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard cluster: what is wrong is refused in one line, with status 2, before anything starts. perfboard run --lan: what is refused, what QEMU and
the guest's second archive get, and where the adapter's driver is found."""
import json
import lzma
import os

import pytest

from conftest import FINE, PERFBOARD, run, write
from guestrun import lan, overlay
from workbench import Refused, cluster, command

RELEASE = "6.1.0-0-test"


@pytest.fixture(autouse=True)
def saved_cluster(folder):
    saved(folder, {"ns": 5 * 10**9, "nodes": 2, "join": 0, "lan": None, "more": [], "words": ["true"]})


def saved(folder, started):
    write(folder / "kept/cluster.json", json.dumps(started))


def refused(folder, *words, names):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "SLURM_"))}
    done = run(PERFBOARD, "cluster", *words, cwd=folder, env=environment)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for name in ("perfboard cluster: ", *names):
        assert name in done.stderr


def test_numbers(folder):
    for option, value, legal in [("-n", "1", "2 to 1024"), ("-n", "1025", "2 to 1024"), ("--join", "-1", "0 to 1000000"), ("--join", "nan", "0 to 1000000"),
                                 ("--join", "soon", "and boot"), ("--patience", "-1", "0 to 1000000"), ("--status", "-1", "0 to 1000000"),
                                 ("--status", "nan", "0 to 1000000")]:
        refused(folder, *(["-n", "2"] if option != "-n" else []), f"{option}={value}" if option != "-n" else f"-n{value}", "--", "true",
                names=[f"{option} {value}: ", legal])


def test_join_boot(folder):
    """Only of a guest that we know."""
    for more, name in ((["--initrd", "x"], "--join boot: "), (["--initramfs", "x{node}"], "--initramfs x0: "), (["--initramfs", PERFBOARD], f"--initramfs {PERFBOARD}: ")):
        refused(folder, "-n", "2", "--join", "boot", *more, "--", "true", names=[name, "a guest of ours"])
    for more in ([], ["--join", "5", "--initrd", "x"]):
        refused(folder, "-n", "2", "--before", "true", *more, "--", "true", names=["--before: ", "a guest of ours"])


def test_before_the_nodes_are_in_step():
    """The shell's: uptime says how long it would sleep."""
    def says(before):
        line = cluster.in_step(5, "echo then", before).replace("/proc/uptime", "uptime").replace("sleep $", "echo sleep $")
        return run("sh", "-c", "echo 3.5 0 >uptime; " + line)
    assert [(s.returncode, s.stdout) for s in map(says, (None, "echo first # not the rest", "exit 3"))] == [
        (0, "sleep 1.5\nthen\n"), (0, "first\nsleep 1.5\nthen\n"), (3, "")]


def test_words_of_a_cluster(folder):
    refused(folder, "--", "true", names=["-n is missing"])
    refused(folder, "-n", "2", names=["no command"])
    for value in ("x", "rate=", "rate=1,", "netdev=1", "rate=1 latency=1"):
        refused(folder, "-n", "2", "--lan", value, "--", "true", names=[f"--lan {value}: ", "rate=MBIT/S and latency=NS"])
    refused(folder, "-n", "2", "--hosts", "a", "--", "true", names=["--hosts a: ", "two or more"])


def test_free(folder):
    for more in (["--join", "1"], ["--save", "5=x"], ["--icount", "4"]):
        refused(folder, "-n", "2", "--free", *more, "--", "true", names=["--free"])


def test_save(folder):
    for value in ("5", "=x", "0=x", "-1=x", "nan=x", "inf=x", "1e9=x", "soon=x", "5="):
        refused(folder, "-n", "2", f"--save={value}", "--", "true", names=[f"--save {value}: ", "S=DIR"])
    for more in (["--disk", "image"], ["--share", "x"], ["--share-ro", "x"]):
        refused(folder, "-n", "2", "--save", "5=x", *more, "--", "true", names=["a guest of ours only", "without --share"])


def test_load(folder):
    refused(folder, "--load", "nowhere", names=["--load nowhere: ", "no cluster was saved there"])
    for more, name in ((["-n", "2"], "-n"), (["--join", "1"], "--join"), (["--before", "x"], "--before"), (["--lan"], "--lan"), (["--", "ls"], "a command"), (["--board", "x"], "--board")):
        refused(folder, "--load", folder / "kept", *more, names=[f"{name} is not legal with it"])
    refused(folder, "--load", folder / "kept", "--save", "4.5=x", names=["--save 4.5=x: ", "more than the 5 s"])
    for damaged in ({}, [], {"ns": "x"}, {"ns": 1, "nodes": 2, "join": 0, "more": []}):
        saved(folder, damaged)
        refused(folder, "--load", folder / "kept", names=["no cluster was saved there"])


@pytest.fixture
def guest(guest):
    text = b"\0" * 0x200 + b"\0\0HdrS" + b"\0" * 8 + b"\x00\x01" + b"\0" * 0xf0
    guest.kernel = guest.write("kernel", text.ljust(0x300, b"\0") + RELEASE.encode() + b" (somebody)\0")
    guest.driver = guest.write(f"vmxnet3-{RELEASE}.ko", b"driver")
    return guest


def lan_refused(guest, *words):
    with pytest.raises(Refused) as said:
        guest.checked(*words)
    return str(said.value)


def test_qemus_words(guest):
    done = guest.run_guest(options=["--lan", "10/11,rate=100,latency=6000"], **FINE)
    assert done.status == 0, done.err
    said = guest.qemu_words()
    at = said.index("-netdev")
    assert said[at:at + 8] == [
        "-netdev", "hubport,id=lan,hubid=0", "-netdev", "hubport,id=nic,hubid=0", "-device", "perfboard-lan,netdev=lan,rate=100,latency=6000",
        "-device", "vmxnet3,netdev=nic,mac=52:54:00:50:00:0a,romfile=,addr=1c"]


def test_the_guests_archive(guest):
    args = guest.checked("--lan", "1/2")
    archive, _ = overlay.make(args)
    text = {name: archive.entries[name][1] for name in ("perfboard/lan/node", "etc/hosts", "perfboard/lan/vmxnet3.ko")}
    assert text == {"perfboard/lan/node": b"1 2 10.0.0.2/16\n", "etc/hosts": b"127.0.0.1 localhost\n10.0.0.1 node0\n10.0.0.2 node1\n",
                    "perfboard/lan/vmxnet3.ko": b"driver"}
    assert overlay.command(args) == ". /perfboard/lan/run && exec /perfboard/run"


def test_many_nodes(guest):
    archive, _ = overlay.make(guest.checked("--lan", "511/1024"))
    assert archive.entries["perfboard/lan/node"][1] == b"511 1024 10.0.2.0/16\n"
    assert b"\n10.0.1.0 node255\n" in archive.entries["etc/hosts"][1]
    assert "52:54:00:50:01:ff" in lan.words(lan.Lan(511, 1024, ""))[-1]


def test_with_a_shared_folder(guest):
    args = guest.checked("--lan", "1/2")
    args.share = ["one"]
    assert overlay.command(args) == "/perfboard/share/run || exit; cd /root && . /perfboard/lan/run && exec /perfboard/run"


def test_without(guest):
    args = guest.checked()
    assert args.guest.archive is None
    assert guest.checked("--add", guest.driver).guest.archive.entries.get("perfboard/lan/run") is None


def test_a_compressed_driver(guest):
    os.unlink(guest.driver)
    write(guest.driver + ".xz", lzma.compress(b"packed"))
    assert guest.checked("--lan", "0/2").guest.lan_driver == b"packed"


def test_the_driver_of_an_unpacked_kernel(guest):
    unpacked = os.path.join(os.path.dirname(guest.driver), "modules")
    os.renames(guest.driver, os.path.join(unpacked, "kernel/drivers/net/vmxnet3/vmxnet3.ko"))
    os.rename(guest.kernel, os.path.join(unpacked, "vmlinuz"))
    guest.kernel = os.path.join(unpacked, "vmlinuz")
    assert guest.checked("--lan", "0/2").guest.lan_driver == b"driver"


def test_no_driver(guest):
    os.unlink(guest.driver)
    assert f"--lan: there is no driver vmxnet3 for the kernel {guest.kernel}; legal is one beside it, {guest.driver}" in lan_refused(guest, "--lan", "0/2")


def test_lan_is_refused(guest):
    for word in ("", "2/2", "0/1025", "0", "a/2", "-1/2", "0/2,", "0/2,rate=", "0/2,rate=x", "0/2,netdev=x", "0/2,rate=1,x"):
        assert f"--lan {word}: legal are NODE/NODES" in lan_refused(guest, f"--lan={word}")
    assert "not together with --no-boards" in lan_refused(guest, "--lan", "0/2", "--no-boards")
    assert "legal with --arch x86_64 only" in lan_refused(guest, "--lan", "0/2", "--arch", "ppc64", "--mem", "512M")


def of_node_1(*words):
    args = command.parse(["cluster", "-n", "3", *words, "--", "true"], command.modules())
    cluster.check(args)
    args.saves = None
    return cluster.run_words(args, "file", 1)


def test_of_a_cluster():
    for words, wanted in ((["--lan"], "1/3"), (["--lan", "rate=5"], "1/3,rate=5")):
        said = of_node_1(*words)
        assert said[said.index("--lan") + 1] == wanted
    assert "--lan" not in of_node_1()
