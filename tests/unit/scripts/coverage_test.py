#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard coverage: files added up, the table, the list of what need not be covered, thresholds, and what is refused."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ.get("PERFBOARD_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
GOLDEN = os.path.join(ROOT, "tests/unit/inspect/coverage.json")  # hw/inspect/coverage_file.cc prints this


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class Coverage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def coverage(self, *words):
        return subprocess.run([sys.executable, os.path.join(ROOT, "scripts/perfboard"), "coverage", *words], capture_output=True,
                              text=True, timeout=600)

    def refused(self, *words, names):
        done = self.coverage(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("perfboard coverage: "), done.stderr)
        for name in names:
            self.assertIn(name, done.stderr)

    def board(self, *items, board="fake"):
        """A file of items (kind, name, count[, steps])."""
        made = [{"kind": i[0], "name": i[1], "count": i[2], "text": "t", "source": "p. 1"} | ({"steps": i[3]} if i[3:] else {})
                for i in items]
        return self.write(f"{len(os.listdir(self.folder))}.json", {"perfboard-coverage": 1, "boards": {board: made}})

    def test_table(self):
        done = self.coverage(GOLDEN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
        self.assertEqual(lines[0], "fake: 37.0 % covered (10 of 27)")
        for line in ("fields read 3 of 7 42.8 %", "conditions raised 2 of 2 100.0 %", "written KICK.GO never written",
                     "cleared STAT.DONE read as 1 once, never cleared", "serviced DONE raised once, never serviced",
                     "sequence start walked to step 1 of 3; then comes CTRL.EN=1",
                     "mistake kicked-twice once: a kick while it runs (p. 5)",
                     "narrow DATA once: a write of less than 4 bytes, which it ignores (p. 4)"):
            self.assertIn(line, lines)
        self.assertNotIn("value STAT.SIZE=1", done.stdout)  # covered
        self.assertNotIn("nothing", done.stdout)
        done = self.coverage("--all", GOLDEN)
        self.assertIn("value     STAT.SIZE=1       1\n", done.stdout)

    def test_added_up(self):
        out = os.path.join(self.folder, "sum.json")
        self.assertEqual(self.coverage(GOLDEN, "--merge", out).returncode, 0)
        self.assertEqual(read(out), read(GOLDEN))
        self.assertEqual(self.coverage(GOLDEN, out, GOLDEN, "--merge", out).returncode, 0)  # into one of them
        items = {(i["kind"], i["name"]): i for i in json.loads(read(out))["boards"]["fake"]}
        self.assertEqual(items["read", "CTRL.EN"]["count"], 3)
        self.assertEqual(items["sequence", "start"]["steps"], [["MASK.DONE=1", 3], ["CTRL.EN=1", 0], ["effect kicked", 0]])
        self.assertEqual(os.listdir(self.folder), ["sum.json"])

    def test_counts_beyond_53_bits(self):
        big = self.board(("read", "A.B", 2**63 + 1))
        out = os.path.join(self.folder, "sum.json")
        self.coverage(big, self.board(("read", "A.B", 1)), "--merge", out)
        self.assertIn(f'"count":{2**63 + 2},', read(out))

    def test_boards_of_several_files(self):
        one, two = self.board(("read", "A.B", 0), board="zz"), self.board(("read", "A.B", 1), board="aa")
        done = self.coverage(one, two)
        self.assertEqual([line for line in done.stdout.splitlines() if line[0] != " "],
                         ["aa: 100.0 % covered (1 of 1)", "zz: 0.0 % covered (0 of 1)"])
        done = self.coverage("--board", "aa", "--threshold", "100", one, two)
        self.assertEqual((done.returncode, done.stdout.count("covered (")), (0, 1))
        self.refused("--board", "bb", one, two, names=["--board bb", "aa, zz"])

    def test_threshold(self):
        f = self.board(("read", "A.B", 1), ("written", "A.B", 0), ("written", "A.C", 1))
        for percent, status in (("0", 0), ("66.6", 0), ("66.67", 1), ("100", 1)):
            done = self.coverage("--threshold", percent, f)
            self.assertEqual(done.returncode, status, percent)
            self.assertEqual("below the threshold" in done.stderr, status == 1)
        # Each board by itself.
        whole = self.board(*[("read", f"A.B{i}", 1) for i in range(99)], board="other")
        self.assertEqual(self.coverage("--threshold", "90", f, whole).returncode, 1)
        self.assertEqual(self.coverage("--threshold", "90", whole).returncode, 0)
        self.assertEqual(self.coverage("--threshold", "100", "--only", "read", f).returncode, 0)
        for wrong in ("-1", "101", "nan", "many", ""):
            self.refused(f"--threshold={wrong}", f, names=["--threshold", wrong, "0 to 100"])

    def test_never_100_for_less(self):
        f = self.board(*[("read", f"A.B{i}", 1) for i in range(9999)], ("read", "A.C", 0))
        self.assertIn("fake: 99.9 % covered", self.coverage(f).stdout)

    def test_nothing_to_be_covered_is_all(self):
        self.assertIn("fake: 100.0 % covered (0 of 0)", self.coverage(self.board(("mistake", "m", 0)), "--threshold", "100").stdout)

    def test_mistakes_are_no_part_of_it(self):
        f = self.board(("read", "A.B", 1), ("mistake", "m", 2), ("narrow", "A", 1), ("nothing", "slot", 5))
        done = self.coverage("--threshold", "100", f)
        self.assertEqual(done.returncode, 0)
        self.assertIn("nothing   slot      5 times: t (p. 1)", done.stdout)
        done = self.coverage("--forbid-mistakes", f)
        self.assertEqual((done.returncode, done.stderr), (1, "perfboard coverage: fake: the driver has made mistakes: 3\n"))
        self.assertEqual(self.coverage("--forbid-mistakes", self.board(("mistake", "m", 0), ("nothing", "s", 1))).returncode, 0)

    def test_enabled_never(self):
        done = self.coverage(self.board(("raised", "TC", 4), ("enabled", "TC", 0), ("serviced", "TC", 0), ("enabled", "FV", 0),
                                        ("sequence", "s", 0, [["a", 0], ["b", 0]])))
        lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
        for line in ("enabled TC raised 4 times, never enabled", "serviced TC raised 4 times, never serviced",
                     "enabled FV never enabled", "sequence s never begun"):
            self.assertIn(line, lines)

    def test_ignore(self):
        f = self.board(("read", "A.B", 0), ("read", "A.C", 0), ("read", "B.C", 0), ("written", "A.B", 1))
        reasons = self.write("reasons", "# why\n\nfake: read A.*: nobody: asks\nother: read X.Y: of another board\n")
        done = self.coverage("--ignore", reasons, f, "--all")
        self.assertIn("fake: 50.0 % covered (1 of 2; 2 ignored)", done.stdout)
        self.assertIn("read      A.B       nobody: asks", done.stdout)
        self.assertNotIn("A.B       never", done.stdout)
        self.assertEqual(done.stderr, "")
        more = self.write("more", "fake: read B.C: as well\nfake: written A.B: it was so once\n")
        done = self.coverage("--ignore", reasons, "--ignore", more, "--threshold", "100", f)
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"perfboard coverage: {more}:2: fake: written A.B is covered; the line can go\n"))
        self.assertIn("(1 of 1; 3 ignored)", done.stdout)
        self.assertEqual(self.coverage("--ignore", reasons, "--exact", f).returncode, 0)
        self.assertEqual(self.coverage("--ignore", more, "--exact", f).returncode, 1)

    def test_ignore_is_refused(self):
        f = self.board(("read", "A.B", 0), ("mistake", "m", 0))
        for line, names in (("fake: read A.X: typo", ["fake has no read A.X"]), ("fake: read a.b: case", ["no read a.b"]),
                            ("fake: mistake m: no", ["'mistake' is no kind", "injection"]), ("fake: read A.B", ["REASON"]),
                            ("fake: read A.B:  ", ["REASON"]), ("nonsense", ["nonsense", "REASON"]),
                            ("fake: read A.: half a name", ["no read A."]), ("fake: read A?B: one character", ["no read A?B"])):
            reasons = self.write("reasons", "# one\n" + line + "\n")
            self.refused("--ignore", reasons, f, names=[f"{reasons}:2: ", *names])
        self.refused("--ignore", os.path.join(self.folder, "none"), f, names=["--ignore", "No such file"])

    def test_only(self):
        self.refused("--only", "read,other", GOLDEN, names=["--only", "'other'", "sequence"])
        done = self.coverage("--only", "read,value", GOLDEN)
        self.assertIn("fake: 36.3 % covered (4 of 11)", done.stdout)
        self.assertNotIn("written", done.stdout)

    def test_files_are_refused(self):
        good = json.loads(read(GOLDEN))
        item = good["boards"]["fake"][0]
        self.refused(os.path.join(self.folder, "none"), names=["none", "No such file"])
        self.refused(self.folder, names=[self.folder, "Is a directory"])
        self.refused(self.write("empty", ""), names=["it is empty"])
        self.refused(self.write("v2", {"perfboard-coverage": 2, "boards": {}}), names=["another version"])
        for wrong in ("x", "[]", "{}", "1", '"perfboard-coverage"', '{"perfboard-coverage":1}', "[" * 100000, "\ufeff{}",
                      {"perfboard-coverage": 1, "boards": []}, {"perfboard-coverage": 1, "boards": {"a": 1}},
                      {"perfboard-coverage": 1, "boards": {"a": [1]}},
                      *({"perfboard-coverage": 1, "boards": {"a": [item | change]}} for change in (
                          {"kind": "other"}, {"kind": []}, {"count": -1}, {"count": True}, {"count": 1.0}, {"name": 1},
                          {"text": None}, {"steps": 1}, {"steps": [1]}, {"steps": [["a"]]}, {"steps": [["a", -1]]}))):
            self.refused(self.write("wrong", wrong), names=["this is no file of coverage"])
        with open(os.path.join(self.folder, "bytes"), "wb") as f:
            f.write(b"\xff\xfe")
        self.refused(f.name, names=["this is no file of coverage"])
        for change in ({"name": "CTRL.OTHER"}, {"kind": "written"}, {"steps": [["a", 1]]}):
            other = self.write("other", {"perfboard-coverage": 1, "boards": {"fake": [item | change] + good["boards"]["fake"][1:]}})
            self.refused(GOLDEN, other, names=["other", "different versions"])
        self.refused(GOLDEN, self.write("fewer", {"perfboard-coverage": 1, "boards": {"fake": [item]}}), names=["different versions"])

    def test_outputs_are_refused(self):
        for option in ("--html", "--merge"):
            self.refused(option, "/nowhere/out", GOLDEN, names=["/nowhere/out", "No such file"])


if __name__ == "__main__":
    unittest.main()
