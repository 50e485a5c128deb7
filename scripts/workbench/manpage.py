#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manpage.py [--version V] FOLDER | --list - the manual pages of perfboard and of each of its commands.

They are made of what --help is made of: the parser and the commands' docstrings. --list: their names. (argparse-manpage knows no
paragraphs, examples, groups and exit status; help2man has them from --help's layout, which is another one in Debian 12 and 13.)
"""

import argparse
import os
import sys

from workbench import command


def escaped(text):
    """A line of text as roff has it; - is the one that is typed."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith((".", "\\(aq")) else text


def paragraphs(text):
    """Text as the docstrings have it: paragraphs; what is indented stays as it is."""
    for block in text.strip("\n").split("\n\n"):
        lines = block.split("\n")
        yield ".PP"
        kept = False
        for line in lines:
            indented = line.startswith("  ")
            if indented != kept:
                yield from ((".RS 4", ".nf") if indented else (".fi", ".RE"))
                kept = indented
            yield escaped(line[2:] if indented else line)
        if kept:
            yield from (".fi", ".RE")


def argument(action):
    """What stands for its value, or ''."""
    if action.nargs == 0:
        return ""
    name = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    return f"[{name}]" if action.nargs == "?" else f"{name}..." if action.nargs in ("+", "*") else name


def help_text(parser, action):
    return (action.help or "") % dict(vars(action), prog=parser.prog)


def option(parser, action):
    value = f"\\fI{escaped(argument(action))}\\fR" if argument(action) else ""
    names = [f"\\fB{escaped(name)}\\fR" + (f" {value}" if value else "") for name in action.option_strings]
    yield ".TP"
    yield ", ".join(names) or value
    yield escaped(help_text(parser, action) or "")


def synopsis(parser):
    yield f".B {escaped(parser.prog)}"
    for action in parser._actions:
        if action.help == "==SUPPRESS==":
            continue
        words = " ".join(filter(None, [action.option_strings[0] if action.option_strings else "", argument(action)]))
        yield escaped(words if action.required and action.option_strings or not action.option_strings else f"[{words}]")


def groups(parser):
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if a.help != "==SUPPRESS=="]
        if actions and not any(isinstance(a, argparse._SubParsersAction) for a in actions):
            yield group, actions


def page(name, summary, text, parser, epilog, version, see):
    """One page, whole."""
    lines = [".\\\" Made by scripts/workbench/manpage.py from the parser; not to be edited.",
             f'.TH {escaped(name.upper())} 1 "" "perfboard {version}" "Perfboard"', ".SH NAME", f"{escaped(name)} \\- {escaped(summary.rstrip('.'))}",
             ".SH SYNOPSIS", *synopsis(parser)]
    if text.strip():
        lines += [".SH DESCRIPTION", *paragraphs(text)]
    lines.append(".SH OPTIONS")
    for group, actions in groups(parser):
        if group.title not in ("options", "positional arguments", "optional arguments"):
            lines.append(f".SS {escaped(group.title.capitalize())}")
        if group.description:
            lines += [".PP", escaped(group.description)]
        for action in actions:
            lines += option(parser, action)
    if epilog:
        lines += [".SH EXIT STATUS", ".nf", *(escaped(line) for line in epilog.split("\n")), ".fi"]
    others = [other for other in see if other != name]
    lines += [".SH SEE ALSO", *(f".BR {escaped(other)} (1)" + ("," if other != others[-1] else "") for other in others)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def pages(version=""):
    """{file name: text}."""
    found = command.modules()
    whole = command.parser(found)
    names = ["perfboard", *("perfboard-" + name for name in found)]
    made = {}
    commands = next(a for a in whole._actions if isinstance(a.choices, dict))
    listing = "\n\n".join(f"perfboard-{name}(1): {module.__doc__.split(chr(10), 1)[0]}" for name, module in found.items())
    made["perfboard.1"] = page("perfboard", command.SUMMARY.split(": ", 1)[1].split(". ")[0], listing, whole, None, version, names)
    for name, module in found.items():
        summary, _, text = module.__doc__.partition("\n")
        made[f"perfboard-{name}.1"] = page(f"perfboard-{name}", summary, text, commands.choices[name], getattr(module, "EPILOG", None), version, names)
    return made


def main(argv):
    if argv == ["--list"]:
        print("\n".join(pages()))
        return 0
    version = ""
    if argv[:1] == ["--version"]:
        version, argv = argv[1], argv[2:]
    if len(argv) != 1:
        print(__doc__.split("\n")[0], file=sys.stderr)
        return 2
    for name, text in pages(version).items():
        with open(os.path.join(argv[0], name), "w", encoding="utf-8") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
