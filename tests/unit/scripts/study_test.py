#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/study with studies that only pretend: which there are, and whether the CSV files of two runs are the same; and the studies' page
and its charts."""
import contextlib
import html
import importlib.machinery
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.environ.get("PERFBOARD_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from studyrun.chart import bars, colour, curves  # noqa: E402
from studyrun.page import Page, status_of, verdict, write_csv  # noqa: E402

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


def load():
    loader = importlib.machinery.SourceFileLoader("study", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("study", loader))
    loader.exec_module(module)
    return module


class Study(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.study = folder.name, load()
        self.program("scripts/build", "#!/bin/sh\necho $1 >>$(dirname $0)/built\n")

    def program(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)

    def run_it(self, name, runs, folder=None, **how):
        self.program(f"guest/{folder or name + '/study'}/run", STUDY.format(**{"what": name, "text": "'1\\n'", "status": 0, **how}))
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = self.study.run(self.root, name, os.path.join(self.root, "out"), runs)
        return status, said.getvalue()

    def test_finds_what_there_is(self):
        self.run_it("toaster", 1)
        self.run_it("kettle", 1)
        found = self.study.programs(self.root)
        self.assertEqual({name: self.study.about(path) for name, path in found.items()}, {"kettle": "A study: kettle.", "toaster": "A study: toaster."})

    def test_a_board_has_further_studies(self):
        self.run_it("toaster", 1)
        status, said = self.run_it("bread", 2, "toaster/study_bread")
        self.assertEqual(status, 0)
        self.assertIn("bread: run 2 has the same a.csv", said)
        self.assertEqual(list(self.study.programs(self.root)), ["bread", "toaster"])

    def test_builds_first(self):
        self.run_it("toaster", 1)
        with open(os.path.join(self.root, "scripts", "built")) as f:
            self.assertEqual(f.read(), "study-toaster\n")

    def test_two_runs_are_the_same(self):
        status, said = self.run_it("toaster", 2)
        self.assertEqual(status, 0)
        self.assertIn("run 2 has the same a.csv", said)

    def test_two_runs_differ(self):
        status, said = self.run_it("toaster", 2, text="out")
        self.assertEqual(status, 1)
        self.assertIn("a.csv: run 2 has another", said)

    def test_a_finding_does_not_hold(self):
        status, said = self.run_it("toaster", 1, status=1)
        self.assertEqual(status, 1)
        self.assertIn("FAILED", said)

    def test_options(self):
        for words, what in ((["no-such"], "no study 'no-such'"), (["all", "--out", "x"], "--out x"), (["all", "--runs", "0"], "--runs 0")):
            done = subprocess.run([SCRIPT, *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(what, done.stderr)


class Written(unittest.TestCase):
    def test_page_needs_nothing_else_and_text_is_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "index.html")
            page = Page("1 < 2")
            page.table("a & b", ["<i>"], [["<td>"]])
            page.picture(lambda _: "plot x", "a line")
            page.write(path)
            with open(path, encoding="utf-8") as f:
                text = f.read()
        self.assertIn("<title>1 &lt; 2</title>", text)
        self.assertIn("<td>&lt;td&gt;</td>", text)
        self.assertEqual(text.count("<svg"), 1)
        self.assertNotIn("<?xml", text)
        self.assertNotIn("src=", text)

    def test_what_does_not_hold(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual([status_of([]), status_of(["a < b", "c"])], [0, 1])
        self.assertEqual(said.getvalue(), "study: wrong: a < b\nstudy: wrong: c\n")
        self.assertEqual([verdict([]), verdict(["a < b", "c"])], ["All of it holds.", "It does not: a < b; c"])

    def words_in(self, picture):
        """What is written in it: axes, names of clusters, titles. Their order is that of gnuplot's release."""
        page = Page("")
        page.picture(picture, "")
        return [html.unescape(text).strip() for text in re.findall(r"<text[^>]*>(.*?)</text>", page.parts[0], re.S)]

    def test_bars(self):
        series = {"user's": colour("#123456"), "kernel": colour("#654321")}
        clusters = {"perf stat": [10, 20], "none": ["NaN", 5]}
        for stacked, highest in ((False, 20), (True, 30)):
            words = self.words_in(bars(clusters, series, ["set yrange [0:]"], stacked))
            self.assertCountEqual(words, [*map(str, range(0, highest + 1, 5)), *clusters, *series])

    def test_curves(self):
        series = [("measured", [(1, 10), (2, 20)], "with points"), (None, "15", "with lines")]
        words = self.words_in(curves(series, ["set xlabel 'load'", "set xtics 1", "set ytics 5"]))
        self.assertCountEqual(words, ["10", "15", "20", "1", "2", "load", "measured"])

    def test_csv(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.csv")
            write_csv(path, ["a", "b"], [[1, "x,y"]])
            with open(path) as f:
                self.assertEqual(f.read(), 'a,b\n1,"x,y"\n')


if __name__ == "__main__":
    unittest.main()
