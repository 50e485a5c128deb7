#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""script_test.py DRIVEN - scripts/fuzz with targets that pretend: archives, figures, and what an input that ends a target leaves behind.

DRIVEN is a real target with driver.cc, which must read the archives that the script writes.
"""

import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from fuzzrun import build, corpus, figures, turn

DRIVEN = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]

GOOD = """#!/bin/sh
case "$1" in
  -merge=1) for f in "$5"/*; do cp "$f" "$4"; done ;;
  *) echo input >"$1/found"
     echo '#2	INITED cov: 7 ft: 9 corp: 1/1b exec/s: 0 rss: 30Mb' >&2
     echo '#9	NEW    cov: 12 ft: 20 corp: 3/9b lim: 4 exec/s: 9 rss: 30Mb L: 4/4 MS: 1 ChangeBit-' >&2
     echo "artifact_prefix='x/'; Test unit written to x/slow-unit-1" >&2
     echo 'stat::number_of_executed_units: 1000' >&2
     echo 'stat::operations: 345678' >&2 ;;
esac
"""
BAD = """#!/bin/sh
for a; do case $a in -artifact_prefix=*) to=${a#*=} ;; esac; done
echo x >"${to}crash-1"
echo "artifact_prefix='$to'; Test unit written to ${to}crash-1" >&2
echo 'stat::number_of_executed_units: 10' >&2
exit 77
"""
SILENT = "#!/bin/sh\nexit 1\n"


class FuzzScript(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = self.folder.name
        self.cache = os.path.join(self.root, ".cache", "fuzz")
        os.makedirs(os.path.join(self.root, "tests", "fuzz", "sci"))
        os.makedirs(self.cache)

    def target(self, name, program, part="sci"):
        path = os.path.join(self.root, "fuzz-" + name)
        with open(path, "w") as f:
            f.write(program)
        os.chmod(path, 0o755)
        return build.Target(name, part, path, os.path.join(self.root, "tests", "fuzz", "sci", name + ".corpus"))

    def test_targets_are_programs(self):
        def row(name, kind, source):
            return {"name": name, "type": kind, "filename": ["/b/" + name], "target_sources": [{"sources": [source]}]}
        found = build.named([row("fuzz-sni", "executable", "/t/shrimp/sni_fuzz.cc"), row("fuzz-main", "static library", "/t/driver.cc"),
                             row("sni", "executable", "/t/sni.cc")])
        self.assertEqual(found, [build.Target("sni", "shrimp", "/b/fuzz-sni", "/t/shrimp/sni.corpus")])

    def run_turn(self, target):
        with contextlib.redirect_stdout(io.StringIO()):
            result = turn.run(target, self.cache, 1, 5)
        figures.add(self.cache, target, result)
        return result

    def test_an_archive_gives_back_its_inputs(self):
        inputs = [b"", b"\0" * 300, b"abc"]
        path = os.path.join(self.root, "x.corpus")
        with open(path, "wb") as f:
            f.write(corpus.pack(inputs))
        self.assertEqual(sorted(corpus.unpack(path)), sorted(inputs))
        said = subprocess.run([DRIVEN, path, "--runs", "0"], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout.split(";")[0]), (0, "ok - 3 inputs of the corpus, 0 from seed 1"), said.stderr)

    def test_an_archive_has_its_limit_and_the_short_ones_first(self):
        packed = corpus.pack([b"a" * 50, b"b", b"c" * 20], most=40)
        self.assertEqual(packed, b"\1\0\0\0b" + b"\x14\0\0\0" + b"c" * 20)

    def test_an_archive_that_is_cut_short_is_refused(self):
        path = os.path.join(self.root, "x.corpus")
        for cut in (b"\3\0\0\0ab", b"\3\0", b"\xff\xff\xff\xffab"):
            with open(path, "wb") as f:
                f.write(cut)
            with self.assertRaises(ValueError):
                corpus.unpack(path)
            said = subprocess.run([DRIVEN, path, "--runs", "0"], capture_output=True, text=True)
            self.assertEqual(said.returncode, 2)
            self.assertIn("cut short", said.stderr)

    def test_figures_grow_and_go_into_the_tree(self):
        target = self.target("good", GOOD)
        result = self.run_turn(target)
        self.assertEqual((result.executions, result.operations, result.edges, result.inputs, result.found), (1000, 345678, 12, 3, None))
        self.run_turn(target)
        self.assertEqual(figures.so_far(self.root, self.cache, [target])[target][1:], [2000, 691356, 12, 3])
        figures.keep(self.root, self.cache, [target])
        page = pathlib.Path(self.root, "tests", "fuzz", "FIGURES.md").read_text()
        self.assertIn("2,000 | 691,356 | 12 | 3 |", page)
        self.assertIn("sci 691,356", page)
        self.assertEqual(figures.so_far(self.root, self.cache, [target])[target][1:3], [2000, 691356])
        self.run_turn(target)
        self.assertEqual(figures.so_far(self.root, self.cache, [target])[target][1:3], [3000, 1037034])
        self.assertIn("0.9 % of 110,000,000", figures.table(figures.so_far(self.root, self.cache, [target]), [result]))

    def test_what_is_kept_is_there_for_the_next(self):
        target = self.target("good", GOOD)
        self.run_turn(target)
        self.assertIn("7 of them kept", corpus.keep(target, self.cache))
        self.assertEqual(corpus.unpack(target.kept)[0], b"input\n")
        fresh = os.path.join(self.root, "fresh")
        self.assertEqual(len(os.listdir(corpus.begin(target, fresh))), 7)

    def test_a_target_without_inputs_begins_with_random_ones(self):
        target = self.target("good", GOOD)
        self.assertEqual(len(os.listdir(corpus.begin(target, self.cache, 3))), 6)

    def test_an_input_that_ends_a_target_stays(self):
        target = self.target("bad", BAD)
        result = self.run_turn(target)
        self.assertTrue(result.found.endswith("found/bad/crash-1"), result.found)
        self.assertTrue(os.path.exists(result.found))
        self.assertEqual(figures.so_far(self.root, self.cache, [target])[target][1:3], [0, 0])
        self.assertRegex(figures.table(figures.so_far(self.root, self.cache, [target]), [result]), r"\nbad .* yes ")

    def test_a_target_that_ends_without_a_word_counts_as_one(self):
        self.assertIn("status 1", self.run_turn(self.target("silent", SILENT)).found)

    def test_wrong_options_are_refused_before_anything_is_built(self):
        for words, legal in ((["--minutes", "-1"], "legal are 0 to"), (["--minutes", "nan"], "legal are 0 to"),
                             (["--seed", "0"], "legal are 1 to 4294967295")):
            said = subprocess.run([str(ROOT / "scripts" / "fuzz")] + words, capture_output=True, text=True)
            self.assertEqual(said.returncode, 2)
            self.assertIn(legal, said.stderr)


if __name__ == "__main__":
    unittest.main()
