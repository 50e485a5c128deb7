#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""That tests/style/board_names complains where it should: made-up trees of two boards, each with one thing wrong."""

import unittest

from script import load, tree

board_names = load("board_names")

LISTS = {
    "hw/boards": "# name bus device module plugged needs\nisa isa isa-bridge - - -\ntuner isa tun-card tunmod - isa\nradio isa radio radio - tuner\n",
    "tests/example/boards": "clock isa clock clock -\ncable isa test-cable - -\n",
}


class BoardNames(unittest.TestCase):
    def said(self, path, text, excepted=()):
        with tree({**LISTS, path: text}) as root:
            return board_names.complaints(root, [path], board_names.read_exceptions(excepted))

    def test_each_name(self):
        for word, board in (("tuner", "tuner"), ("tun-card", "tuner"), ("TUN_CARD", "tuner"), ("tunmod", "tuner"), ("TunerState", "tuner"),
                            ("radio_read", "radio"), ("hw/radio/x.h", "radio"), ("clock", "clock")):
            with self.subTest(word=word):
                self.assertEqual(self.said("plugins/a.c", f'\nx = f("{word}");\n'), [f"plugins/a.c:2: {self.found(word)} is a name of {board}"])

    def found(self, word):
        return {"TunerState": "Tuner", "radio_read": "radio", "hw/radio/x.h": "radio"}.get(word, word)

    def test_no_name(self):
        for text in ("broadcast radios", "tunerless", "isa isa-bridge", "cable test-cable", "unradio"):
            with self.subTest(text=text):
                self.assertEqual(self.said("plugins/a.c", text), [])

    def test_own_folders(self):
        for folder in ("hw", "hw/qemu", "guest", "tests/unit", "tests/guest/linux", "firmware"):
            self.assertEqual(self.said(f"{folder}/radio/a.c", "radio"), [])
            self.assertEqual(self.said(f"{folder}/radio/a.c", "tuner"), [], "it needs that one")
            self.assertNotEqual(self.said(f"{folder}/tuner/a.c", "radio"), [], "but not the other way round")

    def test_documents(self):
        for path, text in (("plugins/a.c", "/* the\nradio */ int i; // tuner"), ("scripts/a.py", '"""radio"""\n\n\ndef f():\n    """radio"""\n    return 1  # tuner\n'),
                           ("meson.build", "x = 1 # radio\n# tuner"), ("a.md", "radio"), ("hw/tuner/view.cc", '"as the radio\'s"')):
            with self.subTest(path=path):
                self.assertEqual(self.said(path, text), [])

    def test_what_is_no_document(self):
        for path, text, line in (("plugins/a.c", "/* \n */ radio", 2), ("plugins/a.c", 'f("// radio");', 1), ("plugins/a.c", 'f("the radio");', 1),
                                 ("hw/model/a.cc", 'f("radio");', 1), ("scripts/a.py", '"""Doc."""\nX = "radio"\n', 2), ("meson.build", "# a\n\n# b\nradio", 4)):
            with self.subTest(path=path, text=text):
                self.assertEqual(self.said(path, text), [f"{path}:{line}: radio is a name of radio"])

    def test_exceptions(self):
        text = "radio tuner"
        self.assertEqual(self.said("tests/a.c", text, ["# Both at once.", "tests/a.c: radio tuner"]), [])
        self.assertEqual(self.said("tests/a.c", text, ["tests/a.c: radio"]), ["tests/a.c:1: tuner is a name of tuner"])
        self.assertEqual(self.said("tests/a.c", "radio", ["tests/a.c: radio tuner"]),
                         ["board_names.exceptions: tests/a.c does not name tuner any more: take it off the list"])
        self.assertEqual(self.said("tests/a.c", "", ["tests/gone.c: radio"]),
                         ["board_names.exceptions: tests/gone.c does not name radio any more: take it off the list"])


if __name__ == "__main__":
    unittest.main()
