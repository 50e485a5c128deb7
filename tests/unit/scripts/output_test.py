# SPDX-License-Identifier: GPL-2.0-or-later
"""Output options of perfboard and of the pictures: a file is replaced as a whole, a device, a pipe and a socket are written to, a link stays.
And what foreign text does to a terminal: nothing."""
import argparse
import contextlib
import glob
import io
import json
import os
import pty
import re
import socket
import stat
import subprocess
import threading

import pytest

from conftest import FINE, PATIENCE, PERFBOARD, ROOT, memory, read, record, run, write
from benchrun import report, rows, timing
from workbench import COMMANDS, build_module
from studyrun import picture

GOLDEN = os.path.join(ROOT, "tests/unit/inspect/coverage.json")
LOG = b"    0.000001000 cpu0   ffffffffc0001010 multikron MAGIC -> 00004d4b\n"
KALLSYMS = b"ffffffffc0001000 t mk_probe\t[multikron]\n"


class Reader:
    """Whatever comes through a pipe, up to its end."""

    def __init__(self, path):
        self.data = None
        self.thread = threading.Thread(target=self._read, args=(path,), daemon=True)
        self.thread.start()

    def _read(self, path):
        self.data = read(path)

    def end(self):
        self.thread.join(PATIENCE)
        return self.data


@pytest.fixture
def guest(guest):
    guest.there = guest.path("there")
    os.mkdir(guest.there)
    return guest


def coverage(*words):
    done = run(PERFBOARD, "coverage", GOLDEN, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def run_with(guest, *options):
    guest.write("log", LOG)
    contents = memory(record(b"perfboard.get.0", b"from the guest\n") if "--get" in options else record(b"perfboard.kallsyms.0", KALLSYMS))
    done = guest.run_guest(**FINE, memory=contents, options=options)
    assert done.status == 0, done
    return done


def built(target):
    done = run(os.path.join(ROOT, "guest/initramfs/build"), target)
    assert (done.returncode, done.stderr) == (0, "")


def bench(target):
    times = timing.Results()
    times.ratios["cached"] = [5.0, 5.5]
    with contextlib.redirect_stdout(io.StringIO()):
        report.picture([rows.BY_NAME["cached"]], times, target)


def draw(guest, target):
    made = guest.write("made.png", b"PNG")
    picture.install(made, target)


def device(guest, minor, name):
    """The path of a device. A writer that is wrong would put a file in its place for all of this machine, so root gets nodes of this test's."""
    if os.geteuid():
        return name
    path = guest.path(os.path.basename(name))
    if not os.path.exists(path):
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
            open(path, "wb").close()
        except PermissionError:
            pytest.skip("root may make no devices here")
    return path


def place(guest, name):
    return os.path.join(guest.there, name)


def writers(guest):
    """(name, what writes to a path, how it begins there)"""
    return [("coverage --merge", lambda path: coverage("--merge", path), b'{"perfboard-coverage"'),
            ("coverage --html", lambda path: coverage("--html", path), b"<!DOCTYPE html>"),
            ("run --junit", lambda path: run_with(guest, "--junit", path), b"<?xml"),
            ("run --get", lambda path: run_with(guest, "--get", f"/x={path}"), b"from the guest\n"),
            ("run --log", lambda path: run_with(guest, "--log", path), LOG[:30]),
            ("a picture", lambda path: draw(guest, path), b"PNG"), ("bench --png", bench, b"\x89PNG"), ("initramfs/build", built, b"070701")]


def each(guest, check):
    for name, writer, begins in writers(guest):
        check(writer, begins)
        for left in os.listdir(guest.there):
            os.unlink(os.path.join(guest.there, left))


def test_a_file(guest):
    def check(writer, begins):
        path = write(place(guest, "file"), "old " * 10000)
        before = os.stat(path).st_ino
        writer(path)
        assert read(path).startswith(begins), read(path)[:100]
        assert b"old old" not in read(path)
        assert os.stat(path).st_ino != before
        assert os.listdir(guest.there) == ["file"]
    each(guest, check)


def test_a_link_stays(guest):
    for old in ("old", None):
        def check(writer, begins):
            if old:
                write(place(guest, "file"), old)
            os.symlink("file", place(guest, "second"))
            os.symlink(place(guest, "second"), place(guest, "first"))
            writer(place(guest, "first"))
            assert os.path.islink(place(guest, "first")) and os.path.islink(place(guest, "second"))
            assert read(place(guest, "file")).startswith(begins), read(place(guest, "file"))[:100]
            assert sorted(os.listdir(guest.there)) == ["file", "first", "second"]
        each(guest, check)


def test_a_pipe(guest):
    def check(writer, begins):
        path = place(guest, "pipe")
        os.mkfifo(path)
        reader = Reader(path)
        writer(path)
        assert stat.S_ISFIFO(os.stat(path).st_mode)
        assert reader.end().startswith(begins), reader.data[:100]
        assert os.listdir(guest.there) == ["pipe"]
    each(guest, check)


def test_a_device(guest):
    null = device(guest, 3, "/dev/null")

    def check(writer, _):
        os.symlink(null, place(guest, "link"))
        writer(place(guest, "link"))
        assert os.path.islink(place(guest, "link"))
        assert stat.S_ISCHR(os.stat(null).st_mode)
        writer(null)
        assert stat.S_ISCHR(os.stat(null).st_mode)
        assert os.listdir(guest.there) == ["link"]
    each(guest, check)


def test_a_socket(guest):
    def check(writer, begins):
        if begins == LOG[:30]:  # QEMU opens the log, and a socket cannot be opened
            return
        path = place(guest, "socket")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(1)
            got = []

            def hear():
                with listener.accept()[0] as s, s.makefile("rb") as f:
                    got.append(f.read())
            reader = threading.Thread(target=hear, daemon=True)
            reader.start()
            writer(path)
            reader.join(PATIENCE)
        assert got[0].startswith(begins), got
        assert stat.S_ISSOCK(os.stat(path).st_mode)
    each(guest, check)


def test_standard_output(guest):
    link = place(guest, "stdout")  # as /dev/stdout is one
    os.symlink("/proc/self/fd/1", link)
    assert '{"perfboard-coverage"' in coverage("--merge", link)
    # A file that the shell has opened is written on, not replaced.
    path = write(place(guest, "file"), "before\n")
    with open(path, "ab") as f:
        assert run(PERFBOARD, "coverage", GOLDEN, "--merge", link, stdout=f).returncode == 0
    assert read(path).startswith(b'before\n{"perfboard-coverage"'), read(path)[:100]
    assert os.path.islink(link)


def test_a_failure_leaves_the_file(guest):
    path = write(place(guest, "file"), "old")
    full = device(guest, 7, "/dev/full")
    done = run(PERFBOARD, "coverage", GOLDEN, "--merge", full)
    assert (done.returncode, done.stderr) == (2, f"perfboard coverage: {full}: No space left on device\n")
    with pytest.raises(OSError):
        picture.install(guest.path("nothing"), path)
    assert read(path) == b"old"
    assert os.listdir(guest.there) == ["file"]


# Disks that are full: status 2, the file's name and no traceback; 1 says that something differs.


def fine(guest):
    for name, data in {**FINE, "end": "0"}.items():
        guest.write(name, data)


def test_a_full_standard_output(guest):
    log = guest.write("log", LOG * 10000)
    for words in (["coverage", GOLDEN], ["log", log], ["log", "--diff", log, log]):
        with open(device(guest, 7, "/dev/full"), "wb") as full:
            done = run(PERFBOARD, *words, stdout=full)
            assert (done.returncode, done.stderr) == (2, f"perfboard {words[0]}: standard output: No space left on device\n")


def test_a_run(guest):
    fine(guest)
    with open(device(guest, 7, "/dev/full"), "wb") as full:
        done = run(*guest.words("--", "true"), stdout=full)
    assert (done.returncode, done.stderr) == (125, "perfboard: standard output: No space left on device\n")


def test_a_cluster(guest):
    fine(guest)
    out = place(guest, "out")
    os.mkdir(out)
    os.symlink(device(guest, 7, "/dev/full"), os.path.join(out, "node-1.console"))
    words = [PERFBOARD, "cluster", "-n", "2", *guest.words("--", "true")[2:]]
    for more, to, said in ((["--out", out, "--quiet"], "/dev/null", os.path.join(out, "node-1.console")),
                           ([], device(guest, 7, "/dev/full"), "standard output")):
        with open(to, "wb") as stdout:
            done = run(*words[:4], *more, *words[4:], stdout=stdout)
            assert (done.returncode, done.stderr) == (2, f"perfboard cluster: {said}: No space left on device\n")


def test_a_cluster_that_complains(guest):
    guest.write("end", "1")
    guest.write("errors", "log=/dev/full: No space left on device\n")
    done = run(PERFBOARD, "cluster", "-n", "2", "--quiet", *guest.words("--", "true")[2:])
    assert (done.returncode, done.stdout) == (125, "")
    for node in "01":
        assert f"{node}| log=/dev/full: No space left on device\n" in done.stderr


def test_a_module(guest):
    made, out = guest.write("my.ko", read("/proc/self/exe")), place(guest, "my.ko")
    os.symlink(device(guest, 7, "/dev/full"), out)
    for strip in (True, False):
        args = argparse.Namespace(output=guest.there, strip=strip, arch="x86_64")
        with pytest.raises(OSError, match="No space left on device") as caught:
            build_module.take(args, made)
        assert caught.value.filename == out


def test_a_build(guest):
    there, programs, headers = (place(guest, name) for name in ("source", "programs", "headers"))
    write(os.path.join(there, "my.c"), "")
    write(os.path.join(programs, "make"), "#!/bin/sh\necho 'my.c: fatal error: error writing to my.o: No space left on device'\nexit 2\n", 0o755)
    write(os.path.join(headers, "Makefile"), "")
    done = run(PERFBOARD, "build-module", there, "--headers", headers, "--output", guest.there,
               env=dict(os.environ, PATH=programs + ":" + os.environ["PATH"], TMPDIR=guest.there))
    assert done.returncode == 2, done.stderr
    assert re.search("^perfboard build-module: .*: No space left on device; legal is .*TMPDIR", done.stderr.splitlines()[-1])


def test_functions_in_a_log(guest):
    path = place(guest, "log")
    done = run_with(guest, "--log", path)
    assert b"[mk_probe+0x10]" in read(path)
    assert done.err == ""


def test_a_stream_has_no_functions(guest):
    path = place(guest, "pipe")
    os.mkfifo(path)
    reader = Reader(path)
    done = run_with(guest, "--log", path)
    assert reader.end() == LOG
    assert done.err == f"perfboard: {path}: without functions, as it is no regular file\n"
    # The guest is not asked for its symbols.
    assert "mem-path" not in read(guest.path("words")).decode()


def test_nobody_reads(guest):
    path = place(guest, "pipe")
    os.mkfifo(path)
    guest.write("end", "0")
    done = guest.guest_run("--log", path, "--timeout", "1", "--junit", place(guest, "junit"), "--", "true")
    assert (done.status, done.err) == (124, f"perfboard: --log {path}: nobody has opened this pipe to read after 1 s (--timeout)\n")
    assert not os.path.exists(guest.path("words")), "QEMU was started"
    assert b'type="timeout"' in read(place(guest, "junit"))


def test_nobody_reads_the_verdict(guest):
    path = place(guest, "pipe")
    os.mkfifo(path)
    done = guest.run_guest(**FINE, options=["--timeout", "20", "--junit", path])
    assert (done.status, done.last) == (125, f"perfboard: {path}: nobody has opened this pipe to read after 20 s")


class Machine(threading.Thread):
    """QEMU's monitor with one board, whose names are a guest's wish."""

    def __init__(self, path, user=os.geteuid()):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        os.seteuid(user)  # who listens is whom the other side sees
        self.listener.listen()
        os.seteuid(os.getuid())
        self.start()

    def run(self):
        registers = json.dumps({"board": EVIL, "unit": "", "irq": 0, "ns": 0, "recent": [], "registers": [{"reg": EVIL, "value": 1, "fields": {EVIL: 1, "B": 2}}]})
        found = {"qom-list": [{"name": "break", "type": "child<x>"}], "registers": registers, "leds": 0, "recent": 16}
        while True:
            with contextlib.suppress(OSError, ValueError), self.listener.accept()[0] as s, s.makefile("rw") as f:
                print('{"QMP": {}}', file=f, flush=True)
                for line in f:
                    asked = json.loads(line)
                    print(json.dumps({"return": found.get(asked["arguments"].get("property", asked["execute"]), {})}), file=f, flush=True)


EVIL = "na\x1b]0;title\x07\x9b2J\u202eme"
EVIL_BYTES = b"na\x1b]0;title\x07\xc2\x9b2J\x9bme"


def safe(said, words):
    """Foreign text: of a guest, a peer, a file, another user."""
    assert "title" in said, words  # it is said
    assert [c for c in said if c not in "\t\r\n" and not c.isprintable()] == [], words


def test_a_file_that_is_no_module(guest, capsys):
    for name, text in (("one.c", "module_pci_driver(x);"), ("two.c", "int two;")):
        guest.write("source/" + name, text)
    build_module.lay_out(guest.path("source"), guest.path("tree"), guest.path("include"))
    assert re.fullmatch(r"perfboard build-module: \S+: two.c has no module_init, .*", capsys.readouterr().err.strip())
    assert read(guest.path("tree/Kbuild")) == b"obj-m := one.o two.o\n"


def test_each_command(guest):
    evil = guest.path("evil " + EVIL)
    log = guest.write("log", LOG.decode().replace("multikron", EVIL))
    entry = json.dumps({"ns": 1, "op": "event", "board": EVIL})
    cover = guest.write("cover", read(GOLDEN).decode().replace("CTRL", json.dumps(EVIL)[1:-1]))
    profile = guest.write("profile", json.dumps({"format": "perfboard-profile 1", "machine": {}, "region": "whole", "counts": ["instructions", "cycles"],
                                                 "programs": {"1": [1, 0, EVIL]}, "texts": [EVIL], "rows": [[1, 0, 0, 0, 0, 0, 0, 1, EVIL, 1, 1]], "calls": []}))
    guest.write("recording/recording.json", json.dumps({"format": 1, "kind": "rr", "needs": [{"path": evil, "bytes": 1, "sha256": ""}]}))
    Machine(guest.path("socket"))
    records = b"start\nmodule " + EVIL_BYTES + b"\nexit 0\ntaint 512\nlog " + EVIL_BYTES + b"\nend\n"
    for name, data in {**FINE, "records": records, "end": "0", "errors": EVIL, "memory": memory(record(EVIL.encode(), b"x"))}.items():
        guest.write(name, data)
    machine = guest.words("--out", guest.there, "--timeout", str(PATIENCE))[2:]
    tried = {"run": [["run", *machine, "--", "true"]], "shell": [["shell", *machine]], "boards": [["boards", evil]], "build-module": [["build-module", evil]],
             "log": [["log", evil], ["log", log], ["log", log, "--json"], ["log", guest.write("json", entry)]], "coverage": [["coverage", cover, "--all"]],
             "profile": [["profile", profile, *more] for more in ([], ["--csv", "--lines"], ["--annotate", EVIL], ["--folded", "-"], ["--callgrind", "-"])],
             "monitor": [["monitor", guest.path("socket"), "--once"]], "replay": [["replay", guest.path("recording")]],
             "cluster": [["cluster", "-n", "2", *machine, *more, "--", "true"] for more in ([], ["--quiet"])]}
    assert list(tried) == COMMANDS
    for words in (w for each in tried.values() for w in each):
        done = run(PERFBOARD, *words, text=False, errors=None)
        # What QEMU says is as it came where no terminal is.
        said = (done.stdout + done.stderr).replace(EVIL.encode(), b"title") if words[0] in ("run", "shell") else done.stdout + done.stderr
        safe(said.decode(), words)


def test_on_a_terminal(guest):
    """The guest's own bytes, too; a file or a pipe gets them as they are."""
    console = b"perfboard: start\n" + EVIL_BYTES + b"\r\n\nperfboard: exit 0\n"
    assert EVIL_BYTES in guest.run_guest(console, FINE["records"], options=["--quiet"]).out
    guest.write("errors", EVIL)
    disk = ["--disk", guest.write("disk", bytes(512)), "--expect", "title"]
    for words in (guest.words("--", "true"), guest.words(*disk, without="initramfs")):
        mine, its = pty.openpty()
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=its, stderr=its) as done:
            os.close(its)
            said = b""
            with contextlib.suppress(OSError):  # the other side has ended
                while data := os.read(mine, 65536):
                    said += data
        os.close(mine)
        assert done.returncode == 0, said
        safe(said.decode(), words)
        assert "na\\x1b]0;title\\x07\\x9b2J\\x9bme" in said.decode()


def test_the_python_module():
    import perfboard
    safe(str(perfboard.Broken(EVIL + "\n")), "Broken")


def test_a_machine_of_another_user(guest):
    folder = guest.path(f"run/perfboard-{os.getuid()}")
    os.makedirs(folder)
    Machine(os.path.join(folder, "1.qmp"), 65534 if os.geteuid() == 0 else os.geteuid())

    def refused(says, *words):
        done = run(PERFBOARD, *words, env={**os.environ, "XDG_RUNTIME_DIR": guest.path("run")})
        assert (done.returncode, done.stdout) == (2, ""), done
        assert re.search(f"^perfboard[a-z ]*: {says}", done.stderr)

    def folder_refused():
        refused(f"{folder}: somebody else can put a socket there; legal is a folder that only you may enter", "monitor", "--once")
        refused(f"--monitor {folder}/[0-9]+.qmp: whoever connects has QEMU's monitor and your rights", *guest.words("--monitor", "--", "true")[1:])

    os.chmod(guest.folder, 0o755)
    os.chmod(guest.path("run"), 0o755)
    os.chmod(folder, 0o777)
    folder_refused()
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
        os.chmod(folder, 0o700)
        folder_refused()
        os.chown(folder, 0, 0)
        for words in ([], [os.path.join(folder, "1.qmp")]):
            refused(f"{folder}/1.qmp: it belongs to user 65534; legal is a machine of your own", "monitor", *words, "--once")


def test_programs():
    """Each that prints guards its streams, or says here why not."""
    own = {"claims", "fuzz", "pages", "study",  # what is in this tree; what their children say they say themselves
           "build", "embed", "seal", "together", "xchecker", "completion.py", "manpage.py"}  # no text of others
    names = [n for top in ("scripts", "guest", "firmware") for n in glob.glob(os.path.join(ROOT, top, "**"), recursive=True) if os.path.isfile(n)]
    programs = [name for name in names if read(name).startswith(b"#!/usr/bin/env python3")]
    assert len(programs) > 20
    for name in programs:
        if os.path.basename(name) not in own:
            assert re.search(r"(?m)^( *guard\(\)|from guestrun\.demo import|from studyrun\.picture import)", read(name).decode()), name
    for name in names:
        if name.endswith(".py") or name in programs:
            found = re.search(rb"(stdout|stderr)\.buffer|os\.write\([12],", read(name))
            assert found is None, name
