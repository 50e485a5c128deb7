#!/usr/bin/env python3
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
import sys
import threading
import unittest

from guestrun_fixture import PATIENCE, ROOT, Case, write
from guestrun_transfer_test import memory, record

from benchrun import report, rows, timing
from workbench import COMMANDS, build_module
sys.path.insert(0, os.path.join(ROOT, "guest", "common"))
import picture  # noqa: E402

GOLDEN = os.path.join(ROOT, "tests/unit/inspect/coverage.json")
CONSOLE, RECORDS = b"perfboard: start\n\nperfboard: exit 0\n", b"start\nexit 0\ntaint 0\nend\n"
LOG = b"    0.000001000 cpu0   ffffffffc0001010 multikron MAGIC -> 00004d4b\n"
KALLSYMS = b"ffffffffc0001000 t mk_probe\t[multikron]\n"


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


class Reader:
    """Whatever comes through a pipe, up to its end."""

    def __init__(self, path):
        self.data = None
        self.thread = threading.Thread(target=self._read, args=(path,), daemon=True)
        self.thread.start()

    def _read(self, path):
        self.data = bytes_of(path)

    def end(self):
        self.thread.join(PATIENCE)
        return self.data


class Writers(Case):
    def setUp(self):
        super().setUp()
        self.there = self.path("there")
        os.mkdir(self.there)

    def coverage(self, *words):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts/perfboard"), "coverage", GOLDEN, *words], capture_output=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def run_with(self, *options):
        write(self.path("log"), LOG)
        contents = memory(record(b"perfboard.get.0", b"from the guest\n") if "--get" in options else record(b"perfboard.kallsyms.0", KALLSYMS))
        done = self.run_guest(CONSOLE, RECORDS, contents, options)
        self.assertEqual(done.status, 0, done)
        return done

    def built(self, target):
        done = subprocess.run([os.path.join(ROOT, "guest/initramfs/build"), target], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def bench(self, target):
        times = timing.Results()
        times.ratios["cached"] = [5.0, 5.5]
        with contextlib.redirect_stdout(io.StringIO()):
            report.picture([rows.BY_NAME["cached"]], times, target)

    def draw(self, target):
        made = write(self.path("made.png"), b"PNG")
        picture.install(made, target)

    def device(self, minor, name):
        """The path of a device. A writer that is wrong would put a file in its place for all of this machine, so root gets nodes of this test's."""
        if os.geteuid():
            return name
        path = self.path(os.path.basename(name))
        if not os.path.exists(path):
            try:
                os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
                open(path, "wb").close()
            except PermissionError:
                self.skipTest("root may make no devices here")
        return path

    def place(self, name):
        return os.path.join(self.there, name)


class Outputs(Writers):
    def writers(self):
        """(name, what writes to a path, how it begins there)"""
        return [("coverage --merge", lambda path: self.coverage("--merge", path), b'{"perfboard-coverage"'),
                ("coverage --html", lambda path: self.coverage("--html", path), b"<!DOCTYPE html>"),
                ("run --junit", lambda path: self.run_with("--junit", path), b"<?xml"),
                ("run --get", lambda path: self.run_with("--get", f"/x={path}"), b"from the guest\n"),
                ("run --log", lambda path: self.run_with("--log", path), LOG[:30]),
                ("a picture", self.draw, b"PNG"), ("bench --png", self.bench, b"\x89PNG"), ("initramfs/build", self.built, b"070701")]

    def each(self, check):
        for name, writer, begins in self.writers():
            with self.subTest(name):
                check(writer, begins)
            for left in os.listdir(self.there):
                os.unlink(os.path.join(self.there, left))

    def test_a_file(self):
        def check(writer, begins):
            path = write(self.place("file"), "old " * 10000)
            before = os.stat(path).st_ino
            writer(path)
            self.assertTrue(bytes_of(path).startswith(begins), bytes_of(path)[:100])
            self.assertNotIn(b"old old", bytes_of(path))
            self.assertNotEqual(os.stat(path).st_ino, before)
            self.assertEqual(os.listdir(self.there), ["file"])
        self.each(check)

    def test_a_link_stays(self):
        for old in ("old", None):
            def check(writer, begins):
                if old:
                    write(self.place("file"), old)
                os.symlink("file", self.place("second"))
                os.symlink(self.place("second"), self.place("first"))
                writer(self.place("first"))
                self.assertTrue(os.path.islink(self.place("first")) and os.path.islink(self.place("second")))
                self.assertTrue(bytes_of(self.place("file")).startswith(begins), bytes_of(self.place("file"))[:100])
                self.assertEqual(sorted(os.listdir(self.there)), ["file", "first", "second"])
            self.each(check)

    def test_a_pipe(self):
        def check(writer, begins):
            path = self.place("pipe")
            os.mkfifo(path)
            reader = Reader(path)
            writer(path)
            self.assertTrue(stat.S_ISFIFO(os.stat(path).st_mode))
            self.assertTrue(reader.end().startswith(begins), reader.data[:100])
            self.assertEqual(os.listdir(self.there), ["pipe"])
        self.each(check)

    def test_a_device(self):
        null = self.device(3, "/dev/null")

        def check(writer, _):
            os.symlink(null, self.place("link"))
            writer(self.place("link"))
            self.assertTrue(os.path.islink(self.place("link")))
            self.assertTrue(stat.S_ISCHR(os.stat(null).st_mode))
            writer(null)
            self.assertTrue(stat.S_ISCHR(os.stat(null).st_mode))
            self.assertEqual(os.listdir(self.there), ["link"])
        self.each(check)

    def test_a_socket(self):
        def check(writer, begins):
            if begins == LOG[:30]:  # QEMU opens the log, and a socket cannot be opened
                return
            path = self.place("socket")
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(path)
                listener.listen(1)
                got = []

                def read():
                    with listener.accept()[0] as s, s.makefile("rb") as f:
                        got.append(f.read())
                reader = threading.Thread(target=read, daemon=True)
                reader.start()
                writer(path)
                reader.join(PATIENCE)
            self.assertTrue(got[0].startswith(begins), got)
            self.assertTrue(stat.S_ISSOCK(os.stat(path).st_mode))
        self.each(check)

    def test_standard_output(self):
        link = self.place("stdout")  # as /dev/stdout is one
        os.symlink("/proc/self/fd/1", link)
        self.assertIn(b'{"perfboard-coverage"', self.coverage("--merge", link))
        # A file that the shell has opened is written on, not replaced.
        path = write(self.place("file"), "before\n")
        with open(path, "ab") as f:
            subprocess.run([sys.executable, os.path.join(ROOT, "scripts/perfboard"), "coverage", GOLDEN, "--merge", link], stdout=f,
                           timeout=PATIENCE, check=True)
        self.assertTrue(bytes_of(path).startswith(b'before\n{"perfboard-coverage"'), bytes_of(path)[:100])
        self.assertTrue(os.path.islink(link))

    def test_a_failure_leaves_the_file(self):
        path = write(self.place("file"), "old")
        full = self.device(7, "/dev/full")
        done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts/perfboard"), "coverage", GOLDEN, "--merge", full],
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (2, f"perfboard coverage: {full}: No space left on device\n"))
        with self.assertRaises(OSError):
            picture.install(self.path("nothing"), path)
        self.assertEqual(bytes_of(path), b"old")
        self.assertEqual(os.listdir(self.there), ["file"])


class FullDisks(Writers):
    """Status 2, the file's name and no traceback: 1 says that something differs."""

    def test_standard_output(self):
        log = write(self.path("log"), LOG * 10000)
        for words in (["coverage", GOLDEN], ["log", log], ["log", "--diff", log, log]):
            with self.subTest(words), open(self.device(7, "/dev/full"), "wb") as full:
                done = subprocess.run([os.path.join(ROOT, "scripts/perfboard"), *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stderr), (2, f"perfboard {words[0]}: standard output: No space left on device\n"))

    def test_a_run(self):
        write(self.path("end"), "0")
        write(self.path("console"), CONSOLE)
        write(self.path("records"), RECORDS)
        with open(self.device(7, "/dev/full"), "wb") as full:
            done = subprocess.run(self.words("--", "true"), stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (125, "perfboard: standard output: No space left on device\n"))

    def test_a_cluster(self):
        write(self.path("end"), "0")
        write(self.path("console"), CONSOLE)
        write(self.path("records"), RECORDS)
        out = self.place("out")
        os.mkdir(out)
        os.symlink(self.device(7, "/dev/full"), os.path.join(out, "node-1.console"))
        run, *machine = self.words("--", "true")
        words = [run, "cluster", "-n", "2", *machine[1:]]
        for more, to, said in ((["--out", out, "--quiet"], "/dev/null", os.path.join(out, "node-1.console")),
                               ([], self.device(7, "/dev/full"), "standard output")):
            with self.subTest(said), open(to, "wb") as stdout:
                done = subprocess.run(words[:4] + more + words[4:], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stderr), (2, f"perfboard cluster: {said}: No space left on device\n"))

    def test_a_cluster_that_complains(self):
        write(self.path("end"), "1")
        write(self.path("errors"), "log=/dev/full: No space left on device\n")
        run, *machine = self.words("--", "true")
        done = subprocess.run([run, "cluster", "-n", "2", "--quiet", *machine[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        for node in "01":
            self.assertIn(f"{node}| log=/dev/full: No space left on device\n", done.stderr)

    def test_a_module(self):
        made, out = write(self.path("my.ko"), bytes_of("/proc/self/exe")), self.place("my.ko")
        os.symlink(self.device(7, "/dev/full"), out)
        for strip in (True, False):
            args = argparse.Namespace(output=self.there, strip=strip, arch="x86_64")
            with self.subTest(strip=strip), self.assertRaisesRegex(OSError, "No space left on device") as caught:
                build_module.take(args, made)
            self.assertEqual(caught.exception.filename, out)

    def test_a_build(self):
        there = self.place("source")
        os.mkdir(there)
        write(os.path.join(there, "my.c"), "")
        programs = self.place("programs")
        os.mkdir(programs)
        make = write(os.path.join(programs, "make"), "#!/bin/sh\necho 'my.c: fatal error: error writing to my.o: No space left on device'\nexit 2\n")
        os.chmod(make, 0o755)
        headers = self.place("headers")
        os.mkdir(headers)
        write(os.path.join(headers, "Makefile"), "")
        done = subprocess.run([os.path.join(ROOT, "scripts/perfboard"), "build-module", there, "--headers", headers, "--output", self.there],
                              env=dict(os.environ, PATH=programs + ":" + os.environ["PATH"], TMPDIR=self.there),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], "^perfboard build-module: .*: No space left on device; legal is .*TMPDIR")


class Logs(Writers):
    """What of run --log is more than a file."""

    def test_functions(self):
        path = self.place("log")
        done = self.run_with("--log", path)
        self.assertIn(b"[mk_probe+0x10]", bytes_of(path))
        self.assertEqual(done.err, "")

    def test_a_stream_has_no_functions(self):
        path = self.place("pipe")
        os.mkfifo(path)
        reader = Reader(path)
        done = self.run_with("--log", path)
        self.assertEqual(reader.end(), LOG)
        self.assertEqual(done.err, f"perfboard: {path}: without functions, as it is no regular file\n")
        # The guest is not asked for its symbols.
        self.assertNotIn("mem-path", bytes_of(self.path("words")).decode())

    def test_nobody_reads(self):
        path = self.place("pipe")
        os.mkfifo(path)
        write(self.path("end"), "0")
        done = self.guest_run("--log", path, "--timeout", "1", "--junit", self.place("junit"), "--", "true")
        self.assertEqual((done.status, done.err), (124, f"perfboard: --log {path}: nobody has opened this pipe to read after 1 s (--timeout)\n"))
        self.assertFalse(os.path.exists(self.path("words")), "QEMU was started")
        self.assertIn(b'type="timeout"', bytes_of(self.place("junit")))

    def test_nobody_reads_the_verdict(self):
        path = self.place("pipe")
        os.mkfifo(path)
        done = self.run_guest(CONSOLE, RECORDS, options=["--timeout", "20", "--junit", path])
        self.assertEqual((done.status, done.last), (125, f"perfboard: {path}: nobody has opened this pipe to read after 20 s"))


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


class ForeignText(Writers):
    """Of a guest, a peer, a file, another user."""

    def safe(self, said, words):
        self.assertIn("title", said, words)  # it is said
        self.assertEqual([c for c in said if c not in "\t\r\n" and not c.isprintable()], [], words)

    def test_each_command(self):
        evil = self.path("evil " + EVIL)
        log = write(self.path("log"), LOG.decode().replace("multikron", EVIL))
        entry = json.dumps({"ns": 1, "op": "event", "board": EVIL})
        with open(GOLDEN, encoding="utf-8") as f:
            cover = write(self.path("cover"), f.read().replace("CTRL", json.dumps(EVIL)[1:-1]))
        os.mkdir(self.path("recording"))
        write(self.path("recording/recording.json"), json.dumps({"format": 1, "kind": "rr", "needs": [{"path": evil, "bytes": 1, "sha256": ""}]}))
        Machine(self.path("socket"))
        records = b"start\nmodule " + EVIL_BYTES + b"\nexit 0\ntaint 512\nlog " + EVIL_BYTES + b"\nend\n"
        for name, data in {"console": CONSOLE, "records": records, "end": "0", "errors": EVIL, "memory": memory(record(EVIL.encode(), b"x"))}.items():
            write(self.path(name), data)
        guest = self.words("--out", self.there, "--timeout", str(PATIENCE))[2:]
        tried = {"run": [["run", *guest, "--", "true"]], "shell": [["shell", *guest]], "build-module": [["build-module", evil]],
                 "log": [["log", evil], ["log", log], ["log", log, "--json"], ["log", write(self.path("json"), entry)]], "coverage": [["coverage", cover, "--all"]],
                 "monitor": [["monitor", self.path("socket"), "--once"]], "replay": [["replay", self.path("recording")]],
                 "cluster": [["cluster", "-n", "2", *guest, *more, "--", "true"] for more in ([], ["--quiet"])]}
        self.assertEqual(list(tried), COMMANDS)
        for words in (w for each in tried.values() for w in each):
            with self.subTest(words):
                done = subprocess.run([os.path.join(ROOT, "scripts", "perfboard"), *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
                # What QEMU says is as it came where no terminal is.
                said = (done.stdout + done.stderr).replace(EVIL.encode(), b"title") if words[0] in ("run", "shell") else done.stdout + done.stderr
                self.safe(said.decode(), words)

    def test_on_a_terminal(self):
        """The guest's own bytes, too; a file or a pipe gets them as they are."""
        console = b"perfboard: start\n" + EVIL_BYTES + b"\r\n\nperfboard: exit 0\n"
        self.assertIn(EVIL_BYTES, self.run_guest(console, RECORDS, options=["--quiet"]).out)
        write(self.path("errors"), EVIL)
        disk = ["--disk", write(self.path("disk"), bytes(512)), "--expect", "title"]
        for words in (self.words("--", "true"), self.words(*disk, without="initramfs")):
            mine, its = pty.openpty()
            with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=its, stderr=its) as done:
                os.close(its)
                said = b""
                with contextlib.suppress(OSError):  # the other side has ended
                    while data := os.read(mine, 65536):
                        said += data
            os.close(mine)
            self.assertEqual(done.returncode, 0, said)
            self.safe(said.decode(), words)
            self.assertIn("na\\x1b]0;title\\x07\\x9b2J\\x9bme", said.decode())

    def test_the_python_module(self):
        sys.path.insert(0, os.path.join(ROOT, "scripts", "python"))
        import perfboard
        self.safe(str(perfboard.Broken(EVIL + "\n")), "Broken")

    def test_a_machine_of_another_user(self):
        folder = self.path(f"run/perfboard-{os.getuid()}")
        os.makedirs(folder)
        Machine(os.path.join(folder, "1.qmp"), 65534 if os.geteuid() == 0 else os.geteuid())

        def refused(says, *words):
            done = subprocess.run([self.words()[0], *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                                  env={**os.environ, "XDG_RUNTIME_DIR": self.path("run")})
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertRegex(done.stderr, f"^perfboard[a-z ]*: {says}")

        def folder_refused():
            refused(f"{folder}: somebody else can put a socket there; legal is a folder that only you may enter", "monitor", "--once")
            refused(f"--monitor {folder}/[0-9]+.qmp: whoever connects has QEMU's monitor and your rights", *self.words("--monitor", "--", "true")[1:])

        os.chmod(self.folder, 0o755)
        os.chmod(self.path("run"), 0o755)
        os.chmod(folder, 0o777)
        folder_refused()
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
            os.chmod(folder, 0o700)
            folder_refused()
            os.chown(folder, 0, 0)
            for words in ([], [os.path.join(folder, "1.qmp")]):
                refused(f"{folder}/1.qmp: it belongs to user 65534; legal is a machine of your own", "monitor", *words, "--once")

    def test_programs(self):
        """Each that prints guards its streams, or says here why not."""
        own = {"claims", "fuzz", "pages", "study",  # what is in this tree; what their children say they say themselves
               "build", "embed", "seal", "together", "xchecker", "completion.py", "manpage.py"}  # no text of others
        names = [n for top in ("scripts", "guest", "firmware") for n in glob.glob(os.path.join(ROOT, top, "**"), recursive=True) if os.path.isfile(n)]
        programs = [name for name in names if bytes_of(name).startswith(b"#!/usr/bin/env python3")]
        self.assertGreater(len(programs), 20)
        for name in programs:
            if os.path.basename(name) not in own:
                self.assertRegex(bytes_of(name).decode(), r"(?m)^( *guard\(\)|from guestrun\.demo import|from picture import)", name)
        for name in names:
            if name.endswith(".py") or name in programs:
                found = re.search(rb"(stdout|stderr)\.buffer|os\.write\([12],", bytes_of(name))
                self.assertIsNone(found, name)


if __name__ == "__main__":
    unittest.main()
