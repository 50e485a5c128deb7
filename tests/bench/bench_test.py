# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/bench with fakes for what takes long: arguments, the table, what is left when it is cut.

  bench_test.py FOLDER   a bench whose guest is a fake that does not end: what a signal is sent to
"""
import contextlib
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from benchrun import children, cluster, instructions, page, rows, scale, timing
from script import load

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

bench = load(os.path.join(ROOT, "scripts", "bench"))

NS = {"tcg": 100, "idle": 101, "stores": 107, "empty": 125, "all": 124, "cached": 300}  # a sort's
CODE = {"tcg": (1000, {}), "idle": (1000, {}), "stores": (1040, {"perfboard.so": 30}), "empty": (1200, {"e.so": 100}),
        "all": (1250, {"perfboard.so": 50}), "cached": (1250, {"perfboard.so": 831}), "mk-memory": (1100, {})}


def fake_boot(row, *_):
    ns = NS[row.name] * 10_000_000
    return timing.Boot([ns + 5, ns], {"00000000000000ff"}, {})


def fake_count(row, *_):
    said = {"sum": "1234", "counter 0": "60", "counter 1": "40"}
    return instructions.Count(*CODE[row.name], said)


def arguments(*words):
    only = [w for name in NS if name != "tcg" for w in ("--only", name)]
    return bench.parse(["--build", "/nowhere", "--runs", "2", "--png", os.devnull, *words, *only])


def shown(args, **options):
    """(status, what is printed) of a bench of fakes."""
    out = io.StringIO()
    options = {"boot": fake_boot, "count": fake_count, "image_of": lambda *_: "image", **options}
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = bench.bench(args, **options)
    return status, out.getvalue()


def refused(*words):
    said = io.StringIO()
    with contextlib.redirect_stderr(said), pytest.raises(SystemExit) as stop:
        bench.parse(list(words))
    assert stop.value.code == 2
    return said.getvalue()


def test_defaults():
    full, quick = bench.parse([]), bench.parse(["--quick"])
    assert (full.repeats, full.keys, full.runs) == (5, 2_000_000, 3)
    assert quick.repeats * quick.keys < full.repeats * full.keys
    assert bench.parse(["--quick", "--repeats", "7"]).repeats == 7


def test_refused():
    assert "--repeats: 0: at least 1" in refused("--repeats", "0")
    assert "--keys: 'many': a number, at least 1000" in refused("--keys", "many")
    assert "'nothing'" in refused("--only", "nothing")
    refused("--instructions", "--time")


def test_rows():
    everything, quick = bench.chosen_rows(bench.parse([])), bench.chosen_rows(bench.parse(["--quick"]))
    assert everything == rows.ROWS
    assert {"idle", "stores", "all", "cached", "empty", "empty-stores"} <= {row.name for row in quick}
    chosen = bench.chosen_rows(bench.parse(["--only", "all"]))
    assert [row.name for row in chosen] == ["tcg", "all"]


FILE = """\
events: Ir
ob=(1) /usr/bin/qemu
fn=(1) cpu_exec
12 1000
cob=(2) ???
cfn=(2) 0x1000
calls=3 0
13 500000
ob=(2)
fn=(2)
0 300
cob=(3) /x/perfboard.so
cfn=(3) on_store
calls=10 0
0 70
+4 40
calls=1 0
0 9
cob=(1)
cfn=(4) helper
calls=2 0
* 30
cob=(1)
cfn=(5) helper_outb
calls=2 0
* 5000
cob=(4) /lib/libc.so.6
cfn=(6) malloc
calls=2 0
* 700
ob=(3)
fn=(3)
-8 70
totals: 500000
"""


def test_read(tmp_path):
    (tmp_path / "out").write_text(FILE)
    assert instructions.read(tmp_path / "out") == (340, {"perfboard.so": 70, "qemu": 30})


def test_program():
    def check(row, out, status=1):
        return instructions.check(rows.BY_NAME[row], subprocess.CompletedProcess(["q"], status, out, ""))
    assert check("mk-memory", "<>\nsum 12ab\ncounter 0 5\ncounter 1 6\n") == {"sum": "12ab", "counter 0": "5", "counter 1": "6"}
    for row, out, status, why in (("tcg", "<>\nsum 12\n", 0, "status 0"), ("tcg", "<>\nsum 0\n", 1, "not sorted"),
                                  ("stores", "<>\nsum 12\nsnooped 0\n", 1, "snooped"),
                                  ("mk-memory", "<>\nsum 12\ncounter 0 5\ncounter 1 0\n", 1, "has not counted")):
        with pytest.raises(children.Failed, match=why):
            check(row, out, status)


def test_ratios_and_aims():
    status, out = shown(arguments("--quick", "--repeats", "2"))
    assert status == 0
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.split() and line.split()[0] in NS}
    assert lines["tcg"][:4] == ["tcg", "1.00", "1.000", "0.0"]
    assert lines["idle"][:8] == ["idle", "1.01", "1.01", "1.01", "1.01", "met", "1.000", "1.010"]
    # 70 instructions for 100 accesses: 40 in translated code, 30 in the plugin
    assert lines["stores"][:12] == ["stores", "1.07", "1.07", "1.07", "1.00", "missed", "1.070", "1.000", "missed",
                                            "0.7", "0.4", "0.3"]
    assert lines["all"][4:9] == ["1.25", "met", "1.300", "1.250", "missed"]
    assert lines["cached"][4:9] == ["1.70", "missed", "2.081", "1.700", "missed"]
    assert "2 rounds of 2 sorts" in out
    assert "100 loads and stores" in out


def test_markdown():
    status, out = shown(arguments("--quick", "--markdown"))
    assert "| snooping stores | 1.07 (1.07–1.07) | 1.00 missed | 1.070 | 1.000 missed | 0.7 (0.4 + 0.3) |" in out
    assert all(line.count("|") == 7 for line in out.splitlines() if line.startswith("|"))


def test_only_one_of_both():
    _, out = shown(arguments("--quick", "--instructions"), boot=None)
    assert "lowest" not in out.split("\n\n")[1]
    _, out = shown(arguments("--quick", "--time"), count=None)
    assert "code" not in out.split("\n\n")[1]


def test_sums_differ():
    def wrong(row, *_):
        return timing.Boot([100], {"00000000000000ff" if row.name == "tcg" else "00000000000000fe"}, {})
    with pytest.raises(children.Failed, match="idle: keys sorted to"):
        shown(arguments("--quick", "--time"), boot=wrong)


def test_each_says_what_is_missing():
    said, measured = io.StringIO(), [board.host for board in rows.OF_BOARDS if board.host]
    assert measured
    with tempfile.TemporaryDirectory() as build, contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        for host in measured:
            with pytest.raises(children.Failed, match=f"{build}.*No such file"):
                host(build, 1)
    assert said.getvalue() == ""


def cluster_measure(said, build="/nowhere"):
    asked = []

    def second(qemu, build, guest, nodes, in_step, rounds, cable=0, mpi=False, quick=False):
        assert quick
        asked.append((guest, nodes, "mpi" if mpi else in_step, cable))
        if mpi:
            return 0.4, {said(guest, "mpi")}
        return (0.06 if in_step else 0.02) * nodes, {said(guest, in_step)}
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        cluster.measure("qemu", build, 1, True, second)
    return asked, out.getvalue()


def test_tables():
    asked, text = cluster_measure(lambda guest, _: guest)
    assert asked == [("idle", 1, False, 0), ("idle", 2, False, 0), ("idle", 2, True, 0), ("busy", 1, False, 0), ("busy", 2, False, 0),
                             ("busy", 2, True, 0), ("busy", 2, True, 0), ("busy", 2, True, 996000)]
    assert "      1  busy             0.0200\n      2  busy             0.0400    0.1200    3.00\n" in text
    assert "     996000    3.00\n" in text
    assert "Not over MPI: there is no mpirun, or no /nowhere/hw/cluster/perfboard-carrier" in text


def test_over_mpi(tmp_path, monkeypatch):
    def over_mpi(said):
        return cluster_measure(said, str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    carrier = pathlib.Path(cluster.carrier(str(tmp_path)))
    carrier.parent.mkdir(parents=True)
    carrier.touch()
    asked, text = over_mpi(lambda guest, _: guest)
    assert [one for one in asked if one[2] == "mpi"] == [("idle", 2, "mpi", 0), ("busy", 2, "mpi", 0)]
    assert "      2  busy             0.0400    0.4000   10.00\n" in text
    with pytest.raises(children.Failed, match="busy guests have another result over MPI: .'over'."):
        over_mpi(lambda guest, how: "over" if (guest, how) == ("busy", "mpi") else guest)


def test_other_results_in_step():
    with pytest.raises(children.Failed, match="busy guests have different results: .'alone', 'step'."):
        cluster_measure(lambda guest, in_step: guest if guest == "idle" else "step" if in_step else "alone")


def test_a_qemu_that_does_not_start(monkeypatch):
    """It ends with the status of a guest that has passed."""
    monkeypatch.setattr(children, "run", lambda words, **_: subprocess.CompletedProcess(words, children.PASSED, "", "no such plugin"))
    with pytest.raises(children.Failed, match="node 0 of 1, idle: status 1\nno such plugin"):
        cluster.once("qemu", "/nowhere", "idle", 1, 1, False, 0, False)


def scale_measure(*words, hash_of=lambda words: "00ff"):
    """(what is run, what is printed, the CSV's lines)"""
    ran = []

    def one(words):
        ran.append(words)
        said = dict(word.split("=") for word in words if "=" in word)
        nodes = int(said["nodes"])
        return {"network": "mesh", "pattern": said["pattern"], "nodes": nodes, "us": int(said["us"]), "events": 100 * nodes,
                "promises": 0 if said.get("threads") == "0" else 400 * nodes, "cpu_ns": 80_000 * nodes, "ns": 1, "own_bytes": 2048 * nodes,
                "shared_bytes": 1024 * nodes, "hash": hash_of(words)}
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        args = bench.parse(["--scale", "--build", folder, "--csv", os.path.join(folder, "csv"), *words])
        scale.measure(folder, args, one, lambda program, options, us: 1234.4)
        with open(args.csv) as f:
            return ran, out.getvalue(), f.read().splitlines()


def test_quick():
    ran, text, lines = scale_measure("--quick")
    of_mesh = [words for words in ran if words[0].endswith("bench-mesh")]
    assert {word for words in of_mesh for word in words if word.startswith("nodes=")} == {"nodes=16", "nodes=64"}
    assert [words[4:] for words in of_mesh[:4]] == [["threads=0"], [], ["threads=2"], ["hosts=2"]]
    assert "mesh  neighbour    16  one queue    1,600,000   1,250,000       0.0                         2     1.0\n" in text
    assert "mesh  neighbour    16  1 thread     1,600,000   1,250,000       4.0      200                2     1.0\n" in text
    assert "Not over MPI" in text
    assert lines[0] == ",".join(scale.COLUMNS)
    assert lines[2] == "mesh,neighbour,16,1 thread,1000,1600,6400,1280000,1,32768,16384,,00ff"
    assert len(lines) == 1 + len(ran)


def test_a_network_has_so_many_nodes():
    ran, text, _ = scale_measure()
    counted = {line.split()[2] for line in text.splitlines() if " 1234 " in line}
    assert counted == {"2", "4", "16", "32", "64", "256"}
    of_ring = {word for words in ran if words[0].endswith("bench-ring") for word in words}
    assert "nodes=16" in of_ring and "nodes=64" not in of_ring and "threads=0" not in of_ring


def test_other_arrivals():
    with pytest.raises(children.Failed, match="mesh, 16 nodes, neighbour: arrivals differ: .*'2 hosts': '0000'"):
        scale_measure("--quick", hash_of=lambda words: "0000" if "hosts=2" in words else "00ff")


# A page of fakes, in a folder of its own.
VERSION = "QEMU emulator version 10.0.2 (Debian 1:1)"


STORES = "| snooping stores | 2.80 (1.35–4.25) | 1.06 missed | {} | 1.000 missed | 9.9 (9.8 + 0.1) |"


PAGE = ("# plugins\n\n| configuration | time | aim | instructions | aim | an access |\n|---|---|---|---|---|---|\n"
        "| plain TCG, no plugin | 1.00 |  | 1.000 |  | 0.0 |\n" + STORES + "\n"
        "| the limit: an empty callback on each access | 1.38 |  | 1.300 |  | 7.6 (6.6 + 1.0) |\n"
        "| snooping loads and stores, with the cache model | 2.04 | 1.70 missed | 2.081 | 1.700 missed | 1.1 (1.0 + 0.1) |\n"
        "| QEMU's `cache` | 11.06 |  | 22.515 |  | 525.3 (14.3 + 510.9) |\n"
        "\n(2 x AMD; {}. Time: radix sort.)\n")


def folder_of(tmp_path, monkeypatch, stores, version=VERSION):
    (tmp_path / "plugins").mkdir(exist_ok=True)
    (tmp_path / page.PAGE).write_text(PAGE.format(stores, version))
    (tmp_path / "qemu").write_text(f"#!/bin/sh\necho '{VERSION}'\n")
    (tmp_path / "qemu").chmod(0o755)
    monkeypatch.setenv("QEMU", str(tmp_path / "qemu"))
    return str(tmp_path)


def bench_page(folder, *words):
    """(status, what it complains of, the page)."""
    said = io.StringIO()
    args = bench.parse(["--build", "/nowhere", "--root", folder, "--only", "stores", "--only", "cached", *words])
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        status = bench.bench(args, boot=None, count=fake_count)
    return status, said.getvalue(), bench.read(args, page.PAGE)


def test_hold(tmp_path, monkeypatch):
    # The run has 1.070: what the page may say is 1 % less.
    for says, status in (("1.070", 0), ("1.060", 0), ("1.059", 1), ("1.500", 0)):
        got, said, _ = bench_page(folder_of(tmp_path, monkeypatch, says), "--hold")
        assert got == status, said
        assert ("bench: stores: 1.070 times plain TCG's instructions; plugins/README.md says 1.059" in said) == status


def test_hold_needs_the_same_qemu(tmp_path, monkeypatch):
    status, said, _ = bench_page(folder_of(tmp_path, monkeypatch, "1.059", "QEMU emulator version 10.0.9 (Debian 1:9)"), "--hold")
    assert status == 77
    assert "another QEMU than QEMU emulator version 10.0.2" in said


def test_update(tmp_path, monkeypatch):
    folder = folder_of(tmp_path, monkeypatch, "7.777", "QEMU emulator version 10.0.9 (Debian 1:9)")
    status, said, text = bench_page(folder, "--update")
    assert status == 0, said
    assert "\n" + STORES.format("1.070").replace("9.9 (9.8 + 0.1)", "0.7 (0.4 + 0.3)") + "\n" in text
    assert f"\n(2 x AMD; {VERSION}. Time: radix sort.)\n" in text
    assert "| with the cache model | 2.04 | 1.70 missed | 2.081 | 1.700 missed |" in text.replace("snooping loads and stores, ", "")
    assert bench_page(folder, "--hold")[0] == 0


def test_the_page():
    """plugins/README.md has every row that is held."""
    text = bench.read(bench.parse([]), page.PAGE)
    assert set(rows.HELD) <= set(page.said(text))
    assert re.search(r"^QEMU emulator version [0-9.]+ \(.*\)$", page.qemu_of(text) or "")


def cut_by(number):
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([sys.executable, os.path.realpath(__file__), folder], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        while not os.path.exists(os.path.join(folder, "reached")) and child.poll() is None:
            time.sleep(0.05)
        child.send_signal(number)
        out, err = child.communicate(timeout=600)
        with open(os.path.join(folder, "csv")) as f:
            lines = f.read().splitlines()
        with open(os.path.join(folder, "reached")) as f:
            slow = int(f.read())
    try:  # the guest that did not end is gone; its parent may not have heard of it yet
        with open(f"/proc/{slow}/stat") as f:
            assert f.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        pass
    return child.returncode, out, err, lines


def test_cut():
    for number in (signal.SIGTERM, signal.SIGINT):
        status, out, err, lines = cut_by(number)
        assert status == 128 + number, err
        assert f"cut by {number.name}" in err
        # Whole rounds or not: what there is.
        assert re.search(r"(?m)^stores +1\.07 ", out)
        assert re.search(r"(?m)^all  +[a-z]", out)  # its neighbour is not there
        assert not re.search(r"(?m)^cached ", out)
        assert lines[:3] == ["round,configuration,sort,ns", "1,tcg,1,1000000005", "1,tcg,2,1000000000"]
        assert [line.split(",")[1] for line in lines[1::2]] == ["tcg", "idle", "stores", "empty", "tcg", "all"]


def child(folder):
    """The fifth configuration's guest does not end."""
    def boot(row, *_):
        if row.name == "cached":
            children.run(["sh", "-c", f"echo $$ >{folder}/part && mv {folder}/part {folder}/reached && exec sleep 100000"])
            raise AssertionError("it has ended")
        return fake_boot(row)

    args = arguments("--quick", "--time", "--csv", os.path.join(folder, "csv"))
    children.catch_signals()
    return bench.bench(args, boot=boot, image_of=lambda *_: "image")


if __name__ == "__main__":
    sys.exit(child(sys.argv[1]))
