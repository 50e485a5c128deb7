# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard's manual pages, bash's completion and --help: all of one parser, and none of them lacks an option."""
import os
import re
import shutil

import pytest

from conftest import PERFBOARD, ROOT, run
from workbench import command, completion, manpage


def parsers():
    whole = command.parser()
    commands = next(a for a in whole._actions if isinstance(a.choices, dict))
    return commands.choices


def test_each_option_is_in_page_and_help():
    pages = manpage.pages("1.2")
    for name, parser in parsers().items():
        page = pages[f"perfboard-{name}.1"].replace("\\-", "-")
        said = run(PERFBOARD, name, "--help")
        assert (said.returncode, said.stderr) == (0, "")
        for option in (o for a in parser._actions for o in a.option_strings):
            assert f"\\fB{option}\\fR" in page
            assert option in said.stdout
        assert '"perfboard 1.2"' in page
    assert len(pages) == len(parsers()) + 1


def test_commands():
    said = run(PERFBOARD, "--help")
    for name, module in command.modules().items():
        assert name in said.stdout
        assert module.__doc__.split("\n")[0]


def test_each_script_says_what_it_is():
    """Those that users type; a wrong word is refused in a line."""
    found = [path for folder in ("scripts", "guest/linux") for entry in os.scandir(os.path.join(ROOT, folder))
             if entry.is_file() and os.access(path := entry.path, os.X_OK)]
    assert len(found) > 15
    for path in found:
        done = run(path, "--help")
        assert (done.returncode, done.stderr) == (0, "") and len(done.stdout.splitlines()) > 2, path
        if path.endswith("demo"):
            continue  # a demo's own program refuses it, which is built first
        done = run(path, "--no-such-option")
        assert done.returncode == 2 and done.stdout == "" and done.stderr, path


def test_without_a_command():
    whole, one = (run(PERFBOARD, *words, "--help").stdout for words in ([], ["log"]))
    for words, said in (([], whole), (["help"], whole), (["help", "log"], one)):
        done = run(PERFBOARD, *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, said, "")


def test_boards(guest):
    def said(*words):
        done = run(PERFBOARD, "boards", *words, env={**os.environ, "QEMU": guest.qemu, "PERFBOARD_SO": guest.plugin})
        return done.returncode, done.stdout, done.stderr
    guest.write("qemu", "#!/bin/sh\nprintf '%s\\n' 'Perfboard' '-device multikron: a chip' '  fifo-depth=<uint32> samples' '-device smile-hwm: a card'\n", 0o755)
    status, text, _ = said()
    assert status == 0 and re.search(r"(?m)^multikron +multikron +on ppc64 +a chip$", text) and re.search(r"(?m)^smile +smile +no +a card$", text)
    status, text, _ = said("multikron")
    assert status == 0 and text.startswith("multikron: a chip\n") and text.endswith("properties:\n  fifo-depth=<uint32> samples\n")
    assert os.path.exists(re.search(r"(?m)^  its manual: (.*)$", text)[1])
    guest.write("qemu", "#!/bin/sh\necho 'first' >&2; echo 'it is too old' >&2; exit 1\n", 0o755)
    assert said() == (2, "", "perfboard boards: it is too old\n")
    os.unlink(guest.plugin)
    assert said()[0] == 2


def test_roff_has_nothing_to_say(folder):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    made = run(os.path.join(ROOT, "scripts", "workbench", "manpage.py"), folder)
    assert (made.returncode, made.stderr) == (0, "")
    for name in sorted(os.listdir(folder)):
        said = run("groff", "-man", "-ww", "-b", "-z", "-Tutf8", "-Kutf8", os.path.join(folder, name))
        assert (said.returncode, said.stdout + said.stderr) == (0, ""), name
        text = run("groff", "-man", "-Tascii", "-P-c", "-Kutf8", os.path.join(folder, name)).stdout
        assert re.search(r"(?m)^NAME$", re.sub(".\b", "", text)), name


def test_no_such():
    for words, line in [(["nothing"], "perfboard: argument COMMAND: invalid choice"), (["help", "nothing"], "perfboard: argument COMMAND: invalid choice"),
                        (["boards", "gauge"], "perfboard boards: gauge: legal are eisa, surfboard"),
                        (["build-module", "--fast", "x"], "perfboard build-module: --fast: no such option"),
                        (["shell", "--smp", "0"], "perfboard: --smp 0: legal are 1 to 255"),
                        (["shell", "--", "true"], "perfboard: --: legal with perfboard run only")]:
        done = run(PERFBOARD, *words)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done
        assert line.replace("argument COMMAND", "COMMAND") in done.stderr


def complete(*words):
    """What bash offers for the last word."""
    script = completion.script() + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _perfboard; printf "%s\\n" "${COMPREPLY[@]}"\n'
    done = run("bash", "-euc", script, "bash", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_words():
    assert "build-module" in complete("perfboard", "")
    assert complete("perfboard", "she") == ["shell"]
    assert complete("perfboard", "help", "she") == ["shell"]
    assert complete("perfboard", "boards", "pow") == ["power2"]
    assert complete("perfboard", "run", "--bo") == ["--board", "--boot-timeout"]
    assert complete("perfboard", "run", "--board", "m") == ["multikron"]
    assert complete("perfboard", "shell", "--quiet", "--arch", "") == ["x86_64", "ppc64"]
    assert complete("perfboard", "run", "--log-format", "j") == ["json"]
    assert complete("perfboard", "run", "--smp", "") == []
    assert complete("perfboard", "run", "--", "--bo") == []


def test_files():
    here = os.path.join(ROOT, "scripts")
    assert complete("perfboard", "run", "--kernel", os.path.join(here, "perfb")) == [os.path.join(here, "perfboard")]
    assert complete("perfboard", "run", "--out", os.path.join(here, "perfb")) == []
    assert complete("perfboard", "run", "--out", os.path.join(here, "workb")) == [os.path.join(here, "workbench")]
