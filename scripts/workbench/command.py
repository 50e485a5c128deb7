# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of scripts/perfboard, whole: for --help, the man pages and the shells' completion."""

import argparse
import importlib

from . import COMMANDS, Refused, places

SUMMARY = "perfboard: the driver author's workbench. perfboard help COMMAND says more of each."


class Version(argparse.Action):
    def __call__(self, parser, *_):
        print("perfboard", places.version())
        parser.exit()


class Parser(argparse.ArgumentParser):
    def error(self, message):
        option, wanted, _ = message.removeprefix("argument ").partition(": expected one argument")
        more = f"; one that begins with -: {option.split('/')[-1]}=-..." if wanted else ""
        raise Refused(message.removeprefix("argument ") + f"{more} (--help lists the options)")


def modules():
    """{name: module} of the commands."""
    return {name: importlib.import_module("workbench." + name.replace("-", "_")) for name in COMMANDS}


def parser(found=None):
    """found: what modules() gave."""
    p = Parser(prog="perfboard", description=SUMMARY, allow_abbrev=False)
    p.add_argument("--version", action=Version, nargs=0, help="print the version, and the commit that it was made of")
    commands = p.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in (found or modules()).items():
        sub = commands.add_parser(name, help=module.__doc__.split("\n", 1)[0], description=module.__doc__, allow_abbrev=False,
                                  epilog=getattr(module, "EPILOG", None), formatter_class=argparse.RawDescriptionHelpFormatter)
        module.options(sub)
        sub.set_defaults(main=module.main)
    return p


def parse(argv, found):
    """What argv says; raises Refused. Nothing, or help: what --help says."""
    if not argv or argv[0] == "help":
        argv = [*argv[1:2], "--help"]
    own, words = argv, None
    if argv and getattr(found.get(argv[0]), "TAKES_COMMAND", False) and "--" in argv:
        at = argv.index("--")
        own, words = argv[:at], argv[at + 1:]
    args, more = parser(found).parse_known_args(own)
    if more and not getattr(found[args.command], "PASSES_ON", False):
        after = "; a command comes after --" if hasattr(found[args.command], "TAKES_COMMAND") else ""
        raise Refused(f"{more[0]}: no such option (--help lists them){after}")
    args.words, args.more = words, more
    return args
