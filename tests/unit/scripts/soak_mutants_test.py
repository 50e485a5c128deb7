# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/soak --mutants: the list is of one change each and the same each time; what ends a program, and who is said to have killed a mutant."""
import contextlib
import io
import os
import sys
import types

from conftest import ROOT, run
from guestrun.boards import BOARDS
from soakrun import mutants, mutation

SOURCES = {
    "registers.h": ['    {"DONE", 3, 3, ro, 0, "done, and more", "p. 1"},', '    {"SIZE", 27, 18, rw, 0x3, "in words", "p. 2"},',
                    '    {"HTCR", 0x20, 1, kHtcrFields, "Command", "p. 3"},'],
    "model.cc": ['    {"ISCR", iscr, nullptr, iscr_written},', '    {"IEMR", &State::iemr},', '  if (a < b && !c) d = e + 0xff;  // a < b', "  settle(b);",
                 '  print("a < b && c");'],
    "list.def": ['GROUP(FPU, 1, "x, y", add, mul)'],
    "board.cc": ['  check.in("head", head, 0, runs ? 3 : 0);', '  check.flag("on", on);'],
}
CHANGED = {
    "registers.h": ['"DONE", 3, 3, rw, 0,', '"DONE", 3, 3, ro, 0x1,', '"SIZE", 26, 18, rw, 0x3,', '"SIZE", 27, 19, rw, 0x3,', '"SIZE", 27, 18, ro, 0x3,',
                    '"SIZE", 27, 18, rw, 0x2,', "0x20, 4, kHtcrFields"],
    "model.cc": ['{"ISCR", &State::iemr},', '{"ISCR", iscr, nullptr, nullptr},', "a <= b && !c", "a < b || !c", "if (!(a < b && !c))", "&& c)", "e - 0xff;", "0x100;",
                 "  ;"],
    "list.def": ['"x, y", mul, add)'],
    "board.cc": ["0, (runs ? 3 : 0) + 1);", "  ;"],
}


def all_of(name):
    text = "\n".join(SOURCES[name])
    return text, list(mutants.of_file("hw/board/" + name, text, {}))


def test_rules():
    for name, wanted in CHANGED.items():
        text, found = all_of(name)
        lines = [m.apply(text).split("\n")[m.line - 1] for m in found]
        for word in wanted:
            assert [line for line in lines if word in line], lines


def test_text_is_let_alone():
    """Neither comments nor what is said."""
    text, found = all_of("model.cc")
    comment = SOURCES["model.cc"][2].index("//")
    assert not [m for m in found if m.line == 3 and m.column >= comment]
    assert {m.kind for m in found if m.line == 5} == {"statement"}


def test_of_the_tree():
    """Of a board one change a mutant, none twice, and the same list again."""
    for board in [b.name for b in BOARDS if b.module]:
        found, possible, texts = mutants.of_board(ROOT, board, 50)
        assert (len(found), len(set(found))) == (50, 50)
        assert possible > 500
        for m in found:
            before, after = texts[m.path].split("\n"), m.apply(texts[m.path]).split("\n")
            assert [i + 1 for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [m.line]
        assert mutants.of_board(ROOT, board, 50)[0] == found


def test_command():
    soak = os.path.join(ROOT, "scripts", "soak")
    for words, line in [(["nothing"], "nothing: legal are "), (["--count", "0"], "--count 0: legal are 1 to 10000")]:
        done = run(soak, "--mutants", *words)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert "error: " + line in done.stderr


def program(script):
    return mutation.Program("unit-x", "unit", [sys.executable, "-c", script], {}, False, [])


def test_how_it_ends():
    for script, why in [("pass", ""), ("exit(3)", "status 3"), ("while True: pass", "hangs"),
                        ("print('[  FAILED  ] Reset.All (1 ms)'); exit(1)", "Reset.All"),
                        ("print('/a/b.cc:7: Failure'); exit(1)", "b.cc:7"),
                        ("print('x.cc:3:4: runtime error: shift exponent 32 is too large'); exit(1)", "runtime error: shift exponent 32 is too large")]:
        assert mutation.run(program(script), 1)[0] == why


class Campaign:
    """Of four mutants the first is killed, the second is none, the third needs sanitizers, the fourth survives."""
    board = "board"

    def __init__(self):
        self.asked, self.prepared = [], []

    def prepare(self, stage):
        self.prepared.append(stage)

    def kill(self, stage):
        self.asked.append(stage)
        return [[("unit-board", "Reset.All")], None, [], [("fuzz-board", "AddressSanitizer")], [], []][len(self.asked) - 1]


def test_who_kills():
    text, found = all_of("model.cc")
    tree = types.SimpleNamespace(changed=lambda mutant, text: contextlib.nullcontext())
    campaign, out = Campaign(), io.StringIO()
    with contextlib.redirect_stdout(out):
        killed, alive = mutation.work(types.SimpleNamespace(fast=False), campaign, tree, list(enumerate(found[:4], 1)), {"hw/board/model.cc": text})
    assert killed == {"unit-board": 1, "no change": 1, "fuzz-board": 1, "SURVIVED": 1}
    assert alive == [(4, found[3])]
    assert campaign.asked == [mutation.FAST] * 3 + [mutation.CAREFUL, mutation.FAST, mutation.CAREFUL]
    assert "board:4 hw/board/model.cc:" in out.getvalue()
