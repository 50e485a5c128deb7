# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that no tool of ours has written: JSON 100,000 deep and numbers of 5,000 digits, of which Python's parsers end the program, and values of
another kind. Each is refused, or left out, in a line or two; none is a traceback."""
import itertools
import json
import os
import random
import socket
import sys
import threading
import unittest.mock

import pytest

from conftest import PERFBOARD, ROOT, run, write
from workbench import Refused, logline, pattern, qmp

DIGITS = "9" * 5000
DEEP = "[" * 100000
TEXT = "0.000000900 cpu0 c0de[f+0x1] tuner HTCR[1]+2 <- 00000009 TRG=1; effect 5; irq 1"
LINES = [TEXT, "0.000000900 * - tuner@2 inject-late 7", "0.000000900 cpu0 - tuner window 1+0x10 -> ff", f"{TEXT}; 7 times to 1.000000000 (1 of 2 in turn)",
         "# 12 accesses and events are left out here, from 0.000000001 to 1.000000002: log-size=65536", "# the log ends here: log-size=65536",
         "0.000000900 * - tuner@2 inject-flip RC3 bit 7 (0x67)"]
JSON = [logline.json_of(logline.parse(line)) for line in LINES] + [json.dumps(
    {"ns": 9, "cpu": 0, "pc": 4096, "board": "tuner", "unit": "0", "op": "write", "window": "0", "offset": 4, "bytes": 4, "value": 9, "reg": "HTCR", "lanes": "0xffffffff",
     "fields": {"TRG": 1}, "before": 0, "after": 9, "changed": {"TRG": 1}, "effects": [{"name": "trigger", "value": 1}], "irq": 1,
     "mistakes": [{"name": "late", "line": "too late", "source": "p. 7"}], "injected": [{"name": "inject-late", "value": 2, "means": "x"}], "reset": True, "function": "f", "n": 3})]
ODD = [None, True, -1, 0.5, 1e999, 1 << 64, "", "x", "0x10", "\ud800", [], [1], [[]], {}, {"name": 1}, {"TRG": []}, "0x" + "f" * 5000]


def perfboard(*words):
    return PERFBOARD, *words


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


def file(folder, name, text):
    return str(write(folder / name, text))


def check(words, said=""):
    done = run(sys.executable, *words)
    assert "Traceback" not in done.stderr
    assert said in done.stderr[:2000]
    assert done.returncode in (0, 1, 2)
    assert len(done.stderr) < 2 * 5000 + 2000


def test_deep(folder):
    deep = file(folder, "deep", DEEP)
    log = file(folder, "deep.log", '{"a":' + DEEP + "\n" + TEXT + "\n")
    check(perfboard("log", log), "deep.log:1: no line of an access log")
    check(perfboard("log", log, "--diff", log))
    check(perfboard("coverage", deep), "no file of coverage")
    file(folder, "recording/recording.json", DEEP)
    check(perfboard("replay", str(folder / "recording")), "damaged")
    file(folder, "saved/cluster.json", DEEP)
    check(perfboard("cluster", "--load", str(folder / "saved")), "no cluster was saved there")
    check(host("smile", "smtimeline", deep), "not what smile timeline writes")
    file(folder, "list.names.json", DEEP)
    with unittest.mock.patch.dict(os.environ, PERFBOARD_BOARDS=file(folder, "boards", "list\n")), pytest.raises(Refused, match="it is no list of names"):
        pattern.boards()


def test_digits(folder):
    lines = file(folder, "digits.log", "".join(line.replace(old, DIGITS) + "\n" for line, old in
                                            [(TEXT, "0."), (TEXT, "[1]"), (LINES[3], "7 times"), (LINES[3], "1.0"), (LINES[4], "12"), (LINES[4], "65536"), (LINES[5], "65536")]
                                            ) + TEXT.replace("effect 5", "effect " + DIGITS) + "\n" + TEXT.replace("TRG=1", "TRG=" + DIGITS) + "\n"
                      + "".join(f"{line[:-1]},{json.dumps(key)}:{DIGITS}}}\n" for line in JSON for key in ("ns", "pc", "times", "irq")) + TEXT + "\n")
    for form in ("--text", "--json", "--count"):
        check(perfboard("log", lines, form))
    check(perfboard("log", lines, "--filter", f"HTCR={DIGITS}"), "HTCR=99")
    check(perfboard("log", lines, "--filter", f"tuner:{DIGITS}.HTCR"))
    check(perfboard("run", "--mem", DIGITS, "--", "true"), "--mem 99")
    check(perfboard("run", "--out-size", DIGITS, "--", "true"), "--out-size 99")
    kallsyms = file(folder, "kallsyms", f"ffffffff81000000 T _text\nffffffffc0000000 t f\t[m]\nm {DIGITS} 1 - Live 0xffffffffc0000000\n")
    check(perfboard("log", lines, "--symbols", kallsyms))
    steps = f'{{"perfboard-coverage": 1, "boards": {{"tuner": [{{"kind": "read", "name": "A", "count": {DIGITS[:4300]}, "text": "", "source": ""}}]}}}}'
    cover = file(folder, "cover", steps)
    check(perfboard("coverage", cover, cover))
    waves = "$timescale 1ns $end $var wire {0} ! a $end #{1} $dumpvars x! $end #{2} 1!\n"
    for words in ((DIGITS, 1, 2), (1, DIGITS, 2), (1, 1, DIGITS)):
        check(host("smile", "smwave", "--text", file(folder, "a.vcd", waves.format(*words))), "no VCD")
    check(host("smile", "smwave", "--text", "--start", DIGITS, file(folder, "a.vcd", waves.format(1, 1, 2))), "--start")
    check(host("smile", "smplot", file(folder, "a.csv", f"page,source,destination,count\n1,1,2,{DIGITS}\n")), "a.csv:2")
    for board, name in (("smile", "smplot"), ("surfboard", "surfplot"), ("multikron", "mkplot"), ("power2", "p2plot")):
        check(host(board, name, "--width", DIGITS, "x"), "--width")


def test_values_of_another_kind():
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
            assert isinstance(logline.text_of(entry) + logline.json_of(entry), str)
            assert entry.ns + entry.times + entry.until >= 0
            for p in whole:
                p.fits(entry)
            assert {(entry.board, entry.unit)}
    assert taken > 100


def test_what_an_error_on_purpose_means():
    """It stays beside the number, from text to JSON and back."""
    there = json.loads(logline.json_of(logline.parse(LINES[-1])))
    assert there["injected"] == [{"name": "inject-flip", "value": 103, "means": "RC3 bit 7"}]
    assert logline.text_of(logline.of_json(there)).endswith("inject-flip RC3 bit 7 (0x67)")


def test_whoever_answers_for_qemu(folder):
    for answer in (DEEP.encode() + b"\n", DIGITS.encode() + b"\n", b"\xff\n", b"7\n", b"[]\n", b"x" * ((1 << 24) + 1)):
        path = str(folder / "qmp")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            channel = qmp.Channel(path)
            other, _ = listener.accept()
        os.unlink(path)
        sender = threading.Thread(target=other.sendall, args=(answer,), daemon=True)
        sender.start()  # it may have more than is read
        with pytest.raises(qmp.Gone, match="no QEMU"):
            for _ in range(2):
                channel.read(60)
        channel.close()
        other.close()
