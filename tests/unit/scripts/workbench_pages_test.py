#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard's manual pages, bash's completion and --help: all of one parser, and none of them lacks an option."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from guestrun_fixture import PATIENCE, ROOT
from workbench import command, completion, manpage

PERFBOARD = os.path.join(ROOT, "scripts", "perfboard")


def parsers():
    whole = command.parser()
    commands = next(a for a in whole._actions if isinstance(a.choices, dict))
    return commands.choices


def run(*words, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, **more)


class Pages(unittest.TestCase):
    def test_each_option_is_in_page_and_help(self):
        pages = manpage.pages("1.2")
        for name, parser in parsers().items():
            page = pages[f"perfboard-{name}.1"].replace("\\-", "-")
            said = run(PERFBOARD, name, "--help")
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            for option in (o for a in parser._actions for o in a.option_strings):
                self.assertIn(f"\\fB{option}\\fR", page)
                self.assertIn(option, said.stdout)
            self.assertIn('"perfboard 1.2"', page)
        self.assertEqual(len(pages), len(parsers()) + 1)

    def test_commands(self):
        said = run(PERFBOARD, "--help")
        for name, module in command.modules().items():
            self.assertIn(name, said.stdout)
            self.assertTrue(module.__doc__.split("\n")[0])

    def test_roff_has_nothing_to_say(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        with tempfile.TemporaryDirectory() as folder:
            made = run(os.path.join(ROOT, "scripts", "workbench", "manpage.py"), folder)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            for name in sorted(os.listdir(folder)):
                said = run("groff", "-man", "-ww", "-b", "-z", "-Tutf8", "-Kutf8", os.path.join(folder, name))
                self.assertEqual((said.returncode, said.stdout + said.stderr), (0, ""), name)
                text = run("groff", "-man", "-Tascii", "-P-c", "-Kutf8", os.path.join(folder, name)).stdout
                self.assertTrue(re.search(r"(?m)^NAME$", re.sub(".\b", "", text)), name)

    def test_no_such(self):
        for words, line in [(["nothing"], "perfboard: argument COMMAND: invalid choice"), ([], "perfboard: the following arguments"),
                            (["build-module", "--fast", "x"], "perfboard build-module: --fast: no such option"),
                            (["shell", "--smp", "0"], "perfboard: --smp 0: legal are 1 to 255"),
                            (["shell", "--", "true"], "perfboard: --: legal with perfboard run only")]:
            done = run(PERFBOARD, *words)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done)
            self.assertIn(line.replace("argument COMMAND", "COMMAND"), done.stderr)


class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = completion.script() + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _perfboard; printf "%s\\n" "${COMPREPLY[@]}"\n'
        done = run("bash", "-euc", script, "bash", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_words(self):
        self.assertIn("build-module", self.complete("perfboard", ""))
        self.assertEqual(self.complete("perfboard", "she"), ["shell"])
        self.assertEqual(self.complete("perfboard", "run", "--bo"), ["--board", "--boot-timeout"])
        self.assertEqual(self.complete("perfboard", "run", "--board", "m"), ["multikron"])
        self.assertEqual(self.complete("perfboard", "shell", "--quiet", "--arch", ""), ["x86_64", "ppc64"])
        self.assertEqual(self.complete("perfboard", "run", "--log-format", "j"), ["json"])
        self.assertEqual(self.complete("perfboard", "run", "--smp", ""), [])
        self.assertEqual(self.complete("perfboard", "run", "--", "--bo"), [])

    def test_files(self):
        here = os.path.join(ROOT, "scripts")
        self.assertEqual(self.complete("perfboard", "run", "--kernel", os.path.join(here, "perfb")), [os.path.join(here, "perfboard")])
        self.assertEqual(self.complete("perfboard", "run", "--out", os.path.join(here, "perfb")), [])
        self.assertEqual(self.complete("perfboard", "run", "--out", os.path.join(here, "workb")), [os.path.join(here, "workbench")])


if __name__ == "__main__":
    unittest.main()
