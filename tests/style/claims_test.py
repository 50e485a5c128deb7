#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""That scripts/claims and tests/style/claims complain where they should: a made-up tree of two ledgers, damaged in one place at a time."""

import json
import os
import signal
import subprocess
import unittest

from script import load, tree

claims = load("claims")

HEADING = "| Where | Here | Says | Why | Shown | Quote |\n|---|---|---|---|---|---|\n"
GOOD = f"""# What the paper on radios says

{HEADING}| 2.1, p. 3 | same | A radio has one knob, and no more. | | unit-radio: Knob.IsThere, bare-radio, demo radio, demo waves, \
study radio: distribution of songs, study radio: all are heard, study hum: it is low | hw/radio/knob.h: constexpr int knobs = 1 \\|<br>hw/README.md: # Radios |
| Table 1 | other | It plays 3 songs. | 2 here. The third is lost. | unit-radio: Songs.AreTwo Songs.AreLoud, unit-tuner: Dial.Turns | |
| Fig. 4 | absent | Its picture. | Nobody has it. | | |
"""
TABLE = """| board | same | other | not here | all |
|---|---|---|---|---|
| [`radio`](radio/CLAIMS.md) | 1 | 1 | 1 | 3 |
| [`tuner`](tuner/CLAIMS.md) | 0 | 0 | 1 | 1 |
| all | 1 | 1 | 2 | 4 |
"""
LEDGER = "hw/radio/CLAIMS.md"
TREE = {
    LEDGER: GOOD,
    "hw/tuner/CLAIMS.md": f"# Tuners\n{HEADING}| 1 | absent | A tuner. | Later. | | |\n",
    "hw/radio/knob.h": "constexpr int\n  knobs = 1 | 0;\n",
    "tests/unit/radio/knob_test.cc": "TEST(Knob, IsThere)\n{\n}\nTEST_F(Songs, AreTwo) {}\nTEST_F(Songs, AreLoud) {}\n// TEST(Knob, IsNot)\n",
    "tests/unit/tuner/dial_test.cc": "TEST(Dial, Turns) {}\n",
    "build/unit-radio.p/unit-radio-unity0.cpp": "#include<ROOT/tests/unit/radio/knob_test.cc>\n",
    "build/meson-info/intro-targets.json": json.dumps([
        {"filename": ["ROOT/build/unit-radio"], "target_sources": [{"sources": [], "generated_sources": ["ROOT/build/unit-radio.p/unit-radio-unity0.cpp"]}, {}]},
        {"filename": ["ROOT/build/unit-tuner"], "target_sources": [{"sources": ["ROOT/tests/unit/tuner/dial_test.cc"], "generated_sources": []}]}]),
    "build/meson-info/intro-tests.json": json.dumps([
        {"name": "unit-radio", "cmd": ["ROOT/build/unit-radio"]}, {"name": "unit-tuner", "cmd": ["ROOT/build/unit-tuner"]}, {"name": "bare-radio", "cmd": ["/bin/bare"]}]),
    "guest/radio/demo/run": "",
    "guest/radio/study/run": '"""A study of noise."""\npage.picture(f"{name}: distribution of songs,"\n  " by length.")  # hiss\n',
    "guest/radio/study_hum/run": 'FINDING = "it is low"\n',
    "guest/radio/study/measure.py": 'FINDINGS = {"all are\\n  heard": all}\n',
    "guest/tuner/demo/run-waves": "",
    "hw/README.md": f"# Radios\n\n{TABLE}\nMore.\n",
}


class Claims(unittest.TestCase):
    def said(self, path=None, old="", new=""):
        files = dict(TREE)
        if path:
            self.assertIn(old, files[path])
            files[path] = files[path].replace(old, new)
        with tree(files) as root:
            for name in files:
                os.chmod(os.path.join(root, name), 0o755 if "/run" in name else 0o644)
            return claims.complaints(root, claims.read_tests(os.path.join(root, "build")))

    def test_good(self):
        self.assertEqual(self.said(), [])

    def test_ledger(self):
        cells = "must be 6 cells, with | before, between and behind them, and \\| in them"
        for old, new, said in (
                ("| other |", "| others |", "6: Here: others: must be same, other or absent"),
                ("| same |", "| |", "5: no Here"),
                ("| 2.1, p. 3 |", "| |", "5: no Where"),
                ("| It plays 3 songs. |", "| |", "6: no Says"),
                ("| 2 here. The third is lost. |", "| |", "6: no Why"),
                ("| Nobody has it. |", "| |", "7: no Why"),
                ("| unit-radio: Songs.AreTwo Songs.AreLoud, unit-tuner: Dial.Turns |", "| |", "6: no Shown"),
                ("no more. | |", "no more. | So. |", "5: Why: what is the same needs no reason"),
                ("Nobody has it. | |", "Nobody has it. | bare-radio |", "7: Shown: nothing shows what is absent"),
                ("bare-radio,", "bare-radio,,", "5: Shown: a name is missing"),
                ("hw/README.md: # Radios", "hw/README.md", "5: Quote: must be FILE: TEXT"),
                ("hw/README.md: # Radios", "", "5: Quote: must be FILE: TEXT"),
                ("Its picture.", "It plays 3 songs.", "7: says what hw/radio/CLAIMS.md:6 says"),
                (r"1 \|", "1 |", f"5: {cells}"),
                ("| Fig. 4", "Fig. 4", f"7: {cells}"),
                ("| Fig. 4", "So: | Fig. 4", f"7: {cells}"),
                ("Nobody has it. | | |", "Nobody has it. | |", f"7: {cells}"),
                ("Nobody has it. | | |", "Nobody has it. | | | So.", f"7: {cells}"),
                ("| Table 1", "\n| Table 1", f"6: {cells}"),
                ("| Fig. 4", "Figures:\n| Fig. 4", f"7: {cells}"),
                ("| Why |", "| Because |", " no line | Where | Here | Says | Why | Shown | Quote | with |---|---|---|---|---|---| below it"),
                ("|---|\n", "|\n", " no line | Where | Here | Says | Why | Shown | Quote | with |---|---|---|---|---|---| below it")):
            with self.subTest(old=old, new=new):
                self.assertIn(f"{LEDGER}:{said}", self.said(LEDGER, old, new))

    def test_what_is_named(self):
        for path, old, new, said in (
                (LEDGER, "bare-radio", "bare-raddio", "5: Shown: no test bare-raddio"),
                (LEDGER, "unit-radio: Knob", "unit-raddio: Knob", "5: Shown: no test unit-raddio"),
                (LEDGER, "Knob.IsThere", "Dial.Turns", "5: Shown: no case Dial.Turns of unit-radio"),
                (LEDGER, "bare-radio", "bare-radio: Dial.Turns", "5: Shown: no case Dial.Turns of bare-radio"),
                (LEDGER, "Knob.IsThere", "Knob.IsNot", "5: Shown: no case Knob.IsNot of unit-radio"),
                (LEDGER, "Songs.AreLoud", "Songs.AreLow", "6: Shown: no case Songs.AreLow of unit-radio"),
                ("tests/unit/radio/knob_test.cc", "AreTwo", "AreThree", "6: Shown: no case Songs.AreTwo of unit-radio"),
                (LEDGER, "demo radio", "demo tuner", "5: Shown: no demo tuner"),
                (LEDGER, "demo waves", "demo wave", "5: Shown: no demo wave"),
                ("guest/radio/study_hum/run", "low", "high", "5: Shown: study hum does not say: it is low"),
                (LEDGER, "study hum", "study humm", "5: Shown: no study humm"),
                (LEDGER, "study radio: dist", "study tuner: dist", "5: Shown: no study tuner"),
                (LEDGER, ": distribution of songs", "", "5: Shown: study radio does not say: "),
                (LEDGER, "distribution", "distributions", "5: Shown: study radio does not say: distributions of songs"),
                (LEDGER, "distribution of songs", "noise", "5: Shown: study radio does not say: noise"),
                (LEDGER, "distribution of songs", "hiss", "5: Shown: study radio does not say: hiss"),
                ("guest/radio/study/measure.py", "heard", "seen", "5: Shown: study radio does not say: all are heard"),
                (LEDGER, "knob.h: ", "knobs.h: ", "5: Quote: no file hw/radio/knobs.h"),
                ("hw/radio/knob.h", "knobs = 1", "knobs = 2", "5: Quote: hw/radio/knob.h does not say: constexpr int knobs = 1 |")):
            with self.subTest(path=path, new=new):
                self.assertEqual(self.said(path, old, new), [f"{LEDGER}:{said}"])
        self.assertEqual(self.said("hw/README.md", "| 3 |", "| 4 |"), ["hw/README.md: the ledgers' table is not what scripts/claims --markdown prints"])

    def test_what_is_said_once(self):
        with tree({LEDGER: GOOD.replace("| Fig. 4 |", "| |")}) as root:
            rows = claims.claims.read_all(root)["radio"]
        self.assertEqual([row.fields["Where"] for row in rows], ["2.1, p. 3", "Table 1", "Table 1"])
        self.assertEqual(rows[1].shown(), ["unit-radio: Songs.AreTwo", "unit-radio: Songs.AreLoud", "unit-tuner: Dial.Turns"])

    def test_nobody_reads_on(self):
        reads, writes = os.pipe()
        os.close(reads)
        done = subprocess.run([claims.claims.__file__, "--csv"], stdout=writes, stderr=subprocess.PIPE)
        os.close(writes)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))

    def test_no_ledgers(self):
        with tree({"hw/README.md": claims.claims.markdown({})}) as root:
            self.assertEqual(claims.complaints(root, {}), ["no ledgers"])


if __name__ == "__main__":
    unittest.main()
