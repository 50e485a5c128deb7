#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""That scripts/claims and tests/style/claims complain where they should: a made-up tree of two ledgers, damaged in one place at a time."""

import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from script import load  # noqa: E402

claims = load("claims")

GOOD = """# The paper on radios.
Where: 2.1, p. 3
Says: A radio has one knob,
 and no more.
Here: same
Shown: unit-radio: Knob.IsThere, bare-radio,
 demo radio, demo waves, study radio: distribution of songs, study radio: all are heard, study hum: it is low
Quote: hw/radio/knob.h: constexpr int knobs = 1;
 README.md: # Radios

Where: Table 1
Says: It plays 3 songs.
Here: other
Why: 2 here. The third is lost.
Shown: unit-radio: Songs.AreTwo, unit-tuner: Dial.Turns

Where: Fig. 4
Says: Its picture.
Here: absent
Why: Nobody has it.
"""
TABLE = """| board | same | other | not here | all |
|---|---|---|---|---|
| [`radio`](hw/radio/CLAIMS) | 1 | 1 | 1 | 3 |
| [`tuner`](hw/tuner/CLAIMS) | 0 | 0 | 1 | 1 |
| all | 1 | 1 | 2 | 4 |
"""
TREE = {
    "hw/radio/CLAIMS": GOOD,
    "hw/tuner/CLAIMS": "Where: 1\nSays: A tuner.\nHere: absent\nWhy: Later.\n",
    "hw/radio/knob.h": "constexpr int\n  knobs = 1;\n",
    "tests/unit/radio/knob_test.cc": "TEST(Knob, IsThere)\n{\n}\nTEST_F(Songs, AreTwo) {}\n// TEST(Knob, IsNot)\n",
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
    "README.md": f"# Radios\n\n{TABLE}\nMore.\n",
}


class Claims(unittest.TestCase):
    def said(self, path=None, old="", new=""):
        with tempfile.TemporaryDirectory() as root:
            for name, text in TREE.items():
                os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
                if name == path:
                    self.assertIn(old, text)
                    text = text.replace(old, new)
                with open(os.path.join(root, name), "w", encoding="utf-8") as f:
                    f.write(text.replace("ROOT", root))
                os.chmod(os.path.join(root, name), 0o755 if "/run" in name else 0o644)
            return claims.complaints(root, claims.read_tests(os.path.join(root, "build")))

    def test_good(self):
        self.assertEqual(self.said(), [])

    def test_ledger(self):
        for line, old, new, said in (
                (13, "Here: other", "Here: others", "11: Here: others: must be same, other or absent"),
                (5, "Here: same\n", "", "2: no Here"),
                (2, "Where: 2.1, p. 3\n", "", "2: no Where"),
                (12, "Says: It plays 3 songs.", "Says:", "11: no Says"),
                (12, "Says: It plays 3 songs.\n", "", "11: no Says"),
                (14, "Why: 2 here. The third is lost.\n", "", "11: no Why"),
                (20, "Why: Nobody has it.\n", "", "17: no Why"),
                (15, "Shown: unit-radio: Songs.AreTwo, unit-tuner: Dial.Turns\n", "", "11: no Shown"),
                (5, "Here: same\n", "Here: same\nWhy: So.\n", "2: Why: what is the same needs no reason"),
                (20, "Here: absent\n", "Here: absent\nShown: bare-radio\n", "17: Shown: nothing shows what is absent"),
                (6, "bare-radio,\n", "bare-radio,,\n", "2: Shown: a name is missing"),
                (9, " README.md: # Radios", " README.md", "2: Quote: must be FILE: TEXT"),
                (13, "Why: 2 here", "Because: 2 here", "14: Because: there is no such field; there are Where, Says, Here, Why, Shown, Quote"),
                (13, "Where: Table 1\n", "Where: Table 1\nWhere: Table 2\n", "12: Where: a second time in this paragraph"),
                (17, "Says: Its picture.", "Says: It plays 3 songs.", "17: says what hw/radio/CLAIMS:11 says"),
                (1, "# The paper on radios.\n", " on radios\n", "1: goes on with no field")):
            with self.subTest(line=line, new=new):
                self.assertIn(f"hw/radio/CLAIMS:{said}", self.said("hw/radio/CLAIMS", old, new))

    def test_what_is_named(self):
        for path, old, new, said in (
                ("hw/radio/CLAIMS", "bare-radio", "bare-raddio", "hw/radio/CLAIMS:2: Shown: no test bare-raddio"),
                ("hw/radio/CLAIMS", "unit-radio: Knob", "unit-raddio: Knob", "hw/radio/CLAIMS:2: Shown: no test unit-raddio"),
                ("hw/radio/CLAIMS", "Knob.IsThere", "Dial.Turns", "hw/radio/CLAIMS:2: Shown: no case Dial.Turns of unit-radio"),
                ("hw/radio/CLAIMS", "bare-radio", "bare-radio: Dial.Turns", "hw/radio/CLAIMS:2: Shown: no case Dial.Turns of bare-radio"),
                ("hw/radio/CLAIMS", "Knob.IsThere", "Knob.IsNot", "hw/radio/CLAIMS:2: Shown: no case Knob.IsNot of unit-radio"),
                ("tests/unit/radio/knob_test.cc", "AreTwo", "AreThree", "hw/radio/CLAIMS:11: Shown: no case Songs.AreTwo of unit-radio"),
                ("hw/radio/CLAIMS", "demo radio", "demo tuner", "hw/radio/CLAIMS:2: Shown: no demo tuner"),
                ("hw/radio/CLAIMS", "demo waves", "demo wave", "hw/radio/CLAIMS:2: Shown: no demo wave"),
                ("guest/radio/study_hum/run", "low", "high", "hw/radio/CLAIMS:2: Shown: study hum does not say: it is low"),
                ("hw/radio/CLAIMS", "study hum", "study humm", "hw/radio/CLAIMS:2: Shown: no study humm"),
                ("hw/radio/CLAIMS", "study radio: dist", "study tuner: dist", "hw/radio/CLAIMS:2: Shown: no study tuner"),
                ("hw/radio/CLAIMS", ": distribution of songs", "", "hw/radio/CLAIMS:2: Shown: study radio does not say: "),
                ("hw/radio/CLAIMS", "distribution", "distributions", "hw/radio/CLAIMS:2: Shown: study radio does not say: distributions of songs"),
                ("hw/radio/CLAIMS", "distribution of songs", "noise", "hw/radio/CLAIMS:2: Shown: study radio does not say: noise"),
                ("hw/radio/CLAIMS", "distribution of songs", "hiss", "hw/radio/CLAIMS:2: Shown: study radio does not say: hiss"),
                ("guest/radio/study/measure.py", "heard", "seen", "hw/radio/CLAIMS:2: Shown: study radio does not say: all are heard"),
                ("hw/radio/CLAIMS", "knob.h: ", "knobs.h: ", "hw/radio/CLAIMS:2: Quote: no file hw/radio/knobs.h"),
                ("hw/radio/knob.h", "knobs = 1", "knobs = 2", "hw/radio/CLAIMS:2: Quote: hw/radio/knob.h does not say: constexpr int knobs = 1;"),
                ("README.md", "| 3 |", "| 4 |", "README.md: the ledgers' table is not what scripts/claims --markdown prints")):
            with self.subTest(path=path, new=new):
                self.assertEqual(self.said(path, old, new), [said])

    def test_no_ledgers(self):
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "README.md"), "w", encoding="utf-8") as f:
                f.write(claims.claims.markdown({}))
            self.assertEqual(claims.complaints(root, {}), ["no ledgers"])


if __name__ == "__main__":
    unittest.main()
