# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/study with studies that only pretend: which there are, and whether the CSV files of two runs are the same; and the studies' page
and its charts."""
import contextlib
import html
import io
import os
import re
import types

import pytest

from conftest import ROOT, run, write
from script import load
from studyrun.chart import bars, colour, curves
from studyrun.page import Page, status_of, verdict, write_csv

SCRIPT = os.path.join(ROOT, "scripts", "study")
STUDY = '''#!/usr/bin/env python3
"""A study: {what}.

More.
"""
import os, sys
out = sys.argv[2]
os.makedirs(out, exist_ok=True)
open(os.path.join(out, "a.csv"), "w").write({text})
sys.exit({status})
'''


@pytest.fixture
def tree(folder):
    write(folder / "scripts/build", "#!/bin/sh\necho $1 >>$(dirname $0)/built\n", 0o755)
    return types.SimpleNamespace(root=folder, study=load(SCRIPT))


def run_it(tree, name, runs, where=None, options=(), **how):
    write(tree.root / f"guest/{where or name + '/study'}/run", STUDY.format(**{"what": name, "text": "'1\\n'", "status": 0, **how}), 0o755)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = tree.study.run(str(tree.root), name, str(tree.root / "out"), runs, options)
    return status, said.getvalue()


def test_finds_what_there_is(tree):
    run_it(tree, "toaster", 1)
    run_it(tree, "kettle", 1)
    found = tree.study.programs(str(tree.root))
    assert {name: tree.study.about(path) for name, path in found.items()} == {"kettle": "A study: kettle.", "toaster": "A study: toaster."}


def test_a_board_has_further_studies(tree):
    run_it(tree, "toaster", 1)
    status, said = run_it(tree, "bread", 2, "toaster/study_bread")
    assert status == 0
    assert "bread: run 2 has the same a.csv" in said
    assert list(tree.study.programs(str(tree.root))) == ["bread", "toaster"]


def test_builds_first(tree):
    run_it(tree, "toaster", 1)
    assert (tree.root / "scripts/built").read_text() == "study-toaster\n"


def test_how_it_ends(tree):
    for runs, how, status, line in ((2, {}, 0, "run 2 has the same a.csv"), (2, {"text": "out"}, 1, "a.csv: run 2 has another"),
                                    (1, {"status": 1}, 1, "FAILED")):
        found, said = run_it(tree, "toaster", runs, **how)
        assert (found, line in said) == (status, True), said


def test_options():
    for words, what in ((["no-such"], "no study 'no-such'"), (["all", "--out", "x"], "--out x"), (["all", "--runs", "0"], "--runs 0"), (["all", "--paper"], "--paper: an option of one study only")):
        done = run(SCRIPT, *words)
        assert done.returncode == 2
        assert what in done.stderr


def test_page_needs_nothing_else_and_text_is_text(folder):
    page = Page("1 < 2")
    page.table("a & b", ["<i>"], [["<td>"]])
    page.picture(lambda _: "plot x", "a line")
    page.write(folder / "index.html")
    text = (folder / "index.html").read_text()
    assert "<title>1 &lt; 2</title>" in text
    assert "<td>&lt;td&gt;</td>" in text
    assert text.count("<svg") == 1
    assert "<?xml" not in text
    assert "src=" not in text


def test_what_does_not_hold():
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert [status_of([]), status_of(["a < b", "c"])] == [0, 1]
    assert said.getvalue() == "study: wrong: a < b\nstudy: wrong: c\n"
    assert [verdict([]), verdict(["a < b", "c"])] == ["All of it holds.", "It does not: a < b; c"]


def words_in(picture):
    """What is written in it: axes, names of clusters, titles. Their order is that of gnuplot's release."""
    page = Page("")
    page.picture(picture, "")
    return [html.unescape(text).strip() for text in re.findall(r"<text[^>]*>(.*?)</text>", page.parts[0], re.S)]


def test_bars():
    series = {"user's": colour("#123456"), "kernel": colour("#654321")}
    clusters = {"perf stat": [10, 20], "none": ["NaN", 5]}
    for stacked, highest in ((False, 20), (True, 30)):
        words = words_in(bars(clusters, series, ["set yrange [0:]"], stacked))
        assert sorted(words) == sorted([*map(str, range(0, highest + 1, 5)), *clusters, *series])


def test_curves():
    series = [("measured", [(1, 10), (2, 20)], "with points"), (None, "15", "with lines")]
    words = words_in(curves(series, ["set xlabel 'load'", "set xtics 1", "set ytics 5"]))
    assert sorted(words) == sorted(["10", "15", "20", "1", "2", "load", "measured"])


def test_csv(folder):
    write_csv(folder / "a.csv", ["a", "b"], [[1, "x,y"]])
    assert (folder / "a.csv").read_text() == 'a,b\n1,"x,y"\n'
