#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that no tool of ours has written: JSON 100,000 deep and numbers of 5,000 digits, of which Python's parsers end the program, and values of
another kind. Each is refused, or left out, in a line or two; none is a traceback."""
import itertools
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

ROOT = os.environ.get("PERFBOARD_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from workbench import Refused, logline, pattern, qmp  # noqa: E402

DIGITS = "9" * 5000
DEEP = "[" * 100000
TEXT = "0.000000900 cpu0 c0de[f+0x1] tuner HTCR[1]+2 <- 00000009 TRG=1; effect 5; irq 1"
LINES = [TEXT, "0.000000900 * - tuner@2 inject-late 7", "0.000000900 cpu0 - tuner window 1+0x10 -> ff", f"{TEXT}; 7 times to 1.000000000 (1 of 2 in turn)",
         "# 12 accesses and events are left out here, from 0.000000001 to 1.000000002: log-size=65536", "# the log ends here: log-size=65536"]
JSON = [logline.json_of(logline.parse(line)) for line in LINES] + [json.dumps(
    {"ns": 9, "cpu": 0, "pc": 4096, "board": "tuner", "unit": "0", "op": "write", "window": "0", "offset": 4, "bytes": 4, "value": 9, "reg": "HTCR", "lanes": "0xffffffff",
     "fields": {"TRG": 1}, "before": 0, "after": 9, "changed": {"TRG": 1}, "effects": [{"name": "trigger", "value": 1}], "irq": 1,
     "mistakes": [{"name": "late", "line": "too late", "source": "p. 7"}], "injected": [{"name": "inject-late", "value": 2}], "reset": True, "function": "f", "n": 3})]
ODD = [None, True, -1, 0.5, 1e999, 1 << 64, "", "x", "0x10", "\ud800", [], [1], [[]], {}, {"name": 1}, {"TRG": []}, "0x" + "f" * 5000]


def run(*words):
    return subprocess.run([sys.executable, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


def perfboard(*words):
    return os.path.join(ROOT, "scripts", "perfboard"), *words


def host(board, name, *words):
    return os.path.join(ROOT, "guest", board, "host", name), *words


def changed(value, path, odd):
    """A copy in which what is at the path is something else."""
    if not path:
        return odd
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], odd)
    return copy


def paths(value):
    """To each part of it."""
    yield ()
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from ((key, *more) for more in paths(part))


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="foreign-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def check(self, words, said=""):
        done = run(*words)
        with self.subTest(words=[word[:60] for word in words]):
            self.assertNotIn("Traceback", done.stderr)
            self.assertIn(said, done.stderr[:2000])
            self.assertIn(done.returncode, (0, 1, 2))
            self.assertLess(len(done.stderr), 2 * 5000 + 2000)

    def test_deep(self):
        deep = self.file("deep", DEEP)
        log = self.file("deep.log", '{"a":' + DEEP + "\n" + TEXT + "\n")
        self.check(perfboard("log", log), "deep.log:1: no line of an access log")
        self.check(perfboard("log", log, "--diff", log))
        self.check(perfboard("coverage", deep), "no file of coverage")
        self.file("recording/recording.json", DEEP)
        self.check(perfboard("replay", os.path.join(self.folder, "recording")), "damaged")
        self.file("saved/cluster.json", DEEP)
        self.check(perfboard("cluster", "--load", os.path.join(self.folder, "saved")), "no cluster was saved there")
        self.check(host("smile", "smtimeline", deep), "not what smile timeline writes")
        self.file("list.names.json", DEEP)
        with unittest.mock.patch.dict(os.environ, PERFBOARD_BOARDS=self.file("boards", "list\n")), self.assertRaisesRegex(Refused, "it is no list of names"):
            pattern.boards()

    def test_digits(self):
        lines = self.file("digits.log", "".join(line.replace(old, DIGITS) + "\n" for line, old in
                                                [(TEXT, "0."), (TEXT, "[1]"), (LINES[3], "7 times"), (LINES[3], "1.0"), (LINES[4], "12"), (LINES[4], "65536"), (LINES[5], "65536")]
                                                ) + TEXT.replace("effect 5", "effect " + DIGITS) + "\n" + TEXT.replace("TRG=1", "TRG=" + DIGITS) + "\n"
                          + "".join(f"{line[:-1]},{json.dumps(key)}:{DIGITS}}}\n" for line in JSON for key in ("ns", "pc", "times", "irq")) + TEXT + "\n")
        for form in ("--text", "--json", "--count"):
            self.check(perfboard("log", lines, form))
        self.check(perfboard("log", lines, "--filter", f"HTCR={DIGITS}"), "HTCR=99")
        self.check(perfboard("log", lines, "--filter", f"tuner:{DIGITS}.HTCR"))
        self.check(perfboard("run", "--mem", DIGITS, "--", "true"), "--mem 99")
        self.check(perfboard("run", "--out-size", DIGITS, "--", "true"), "--out-size 99")
        kallsyms = self.file("kallsyms", f"ffffffff81000000 T _text\nffffffffc0000000 t f\t[m]\nm {DIGITS} 1 - Live 0xffffffffc0000000\n")
        self.check(perfboard("log", lines, "--symbols", kallsyms))
        steps = f'{{"perfboard-coverage": 1, "boards": {{"tuner": [{{"kind": "read", "name": "A", "count": {DIGITS[:4300]}, "text": "", "source": ""}}]}}}}'
        cover = self.file("cover", steps)
        self.check(perfboard("coverage", cover, cover))
        waves = "$timescale 1ns $end $var wire {0} ! a $end #{1} $dumpvars x! $end #{2} 1!\n"
        for words in ((DIGITS, 1, 2), (1, DIGITS, 2), (1, 1, DIGITS)):
            self.check(host("smile", "smwave", "--text", self.file("a.vcd", waves.format(*words))), "no VCD")
        self.check(host("smile", "smwave", "--text", "--start", DIGITS, self.file("a.vcd", waves.format(1, 1, 2))), "--start")
        self.check(host("smile", "smplot", self.file("a.csv", f"page,source,destination,count\n1,1,2,{DIGITS}\n")), "a.csv:2")
        for board, name in (("smile", "smplot"), ("surfboard", "surfplot"), ("multikron", "mkplot"), ("power2", "p2plot")):
            self.check(host(board, name, "--width", DIGITS, "x"), "--width")

    def test_values_of_another_kind(self):
        """What parse() takes can be printed, counted and compared."""
        pick = random.Random(4)
        whole = [pattern.Pattern("HTCR>1", name="HTCR", relation=">", value=1, op="any"), pattern.Pattern("", kind="irq", relation="=", value=1),
                 pattern.Pattern("HTCR.TRG<2", name="HTCR", field="TRG", relation="<", value=2, op="read")]
        taken = 0
        for line in JSON:
            value = json.loads(line)
            for path, odd in itertools.product(paths(value), ODD):
                other = changed(value, path, odd)
                if pick.random() < 0.2:  # and another one
                    other = changed(other, pick.choice(list(paths(other))), pick.choice(ODD))
                entry = logline.parse(json.dumps(other)) if isinstance(other, dict) else None
                if entry is None:
                    continue
                taken += 1
                with self.subTest(line=other):
                    self.assertIsInstance(logline.text_of(entry) + logline.json_of(entry), str)
                    self.assertGreaterEqual(entry.ns + entry.times + entry.until, 0)
                    for p in whole:
                        p.fits(entry)
                    self.assertTrue({(entry.board, entry.unit)})
        self.assertGreater(taken, 100)

    def test_whoever_answers_for_qemu(self):
        for answer in (DEEP.encode() + b"\n", DIGITS.encode() + b"\n", b"\xff\n", b"7\n", b"[]\n", b"x" * ((1 << 24) + 1)):
            with self.subTest(answer=answer[:20]):
                path = os.path.join(self.folder, "qmp")
                with socket.socket(socket.AF_UNIX) as listener:
                    listener.bind(path)
                    listener.listen()
                    channel = qmp.Channel(path)
                    other, _ = listener.accept()
                os.unlink(path)
                sender = threading.Thread(target=other.sendall, args=(answer,), daemon=True)
                sender.start()  # it may have more than is read
                with self.assertRaisesRegex(qmp.Gone, "no QEMU"):
                    for _ in range(2):
                        channel.read(60)
                channel.close()
                other.close()


if __name__ == "__main__":
    unittest.main()
