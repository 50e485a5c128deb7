#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""completion.py [FILE] - bash's completion for perfboard, made of the parser; on standard output without FILE.

Static text: argcomplete would start Python at each press of the key. shtab's would need a hint at each option that takes a file, and
goes on behind --, where the guest's command stands.
"""

import sys

from guestrun.arch import ARCHS
from guestrun.boards import BOARDS
from workbench import command

FOLDERS = ("DIR", "FOLDER")
FILES = ("FILE", "FILES", "IMG", "KO", "LIST", "OUT", "PROGRAM", "SO", "SOCKET")
WORDS = {"ARCH": list(ARCHS), "BOARD": [b.name for b in BOARDS]}

HEAD = """\
# bash completion for perfboard                              -*- shell-script -*-
# Made by scripts/workbench/completion.py from the parser; not to be edited.
_perfboard()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} word
    local name=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "@COMMANDS@ help --help" -- "$cur")
        return
    fi
    for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
        [ "$word" != -- ] || return 0 # the rest is the guest's
    done
    case $name:$prev in
    help:*) mapfile -t COMPREPLY < <(compgen -W "@COMMANDS@" -- "$cur") ;;
"""
TAIL = """\
    *)
        case $name:$cur in
@OPTIONS@
        *) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
        esac
        ;;
    esac
}
complete -o filenames -o bashdefault -F _perfboard perfboard
"""


def value(action):
    """How bash finds what stands after an option: words for compgen; '' if nothing is known."""
    words = list(action.choices) if action.choices else WORDS.get(action.metavar, [])
    if words:
        return f'-W "{" ".join(str(w) for w in words)}"'
    return "-d" if action.metavar in FOLDERS else "-f" if action.metavar in FILES else ""


def script():
    found = command.modules()
    commands = next(a for a in command.parser(found)._actions if isinstance(a.choices, dict))
    text, options = HEAD.replace("@COMMANDS@", " ".join(found)), []
    for name, parser in commands.choices.items():
        for action in parser._actions:
            if not action.option_strings and value(action):
                options.append(f'        {name}:*) mapfile -t COMPREPLY < <(compgen {value(action)} -- "$cur") ;;')
            for option in action.option_strings:
                if action.nargs == 0:
                    continue
                how = value(action)
                text += f"    {name}:{option}) " + (f'mapfile -t COMPREPLY < <(compgen {how} -- "$cur")' if how else ":") + " ;;\n"
        known = " ".join(o for a in parser._actions for o in a.option_strings if a.help != "==SUPPRESS==")
        options.insert(0, f'        {name}:-*) mapfile -t COMPREPLY < <(compgen -W "{known}" -- "$cur") ;;')
    return text + TAIL.replace("@OPTIONS@", "\n".join(options))


def main(argv):
    if len(argv) > 1:
        print(__doc__.split("\n")[0], file=sys.stderr)
        return 2
    if argv:
        with open(argv[0], "w", encoding="utf-8") as f:
            f.write(script())
    else:
        print(script(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
