# SPDX-License-Identifier: GPL-2.0-or-later
"""Build a module of yours, out of tree, for the guest's kernel.

  perfboard build-module DIR [--output FOLDER]
  perfboard run --module NAME.ko -- COMMAND

DIR has a Kbuild or a Makefile with obj-m, as for any module out of tree; without one each NAME.c becomes NAME.ko. The
sources stay as they are: all that the kernel's build writes goes elsewhere. What our drivers and their programs know of a
board can be included as <perfboard/BOARD/regs.h> and <perfboard/BOARD/uapi.h> (guest/BOARD), and what they share of their
buses as <perfboard/linux/eisa_board.h>, <perfboard/linux/pci_card.h> ... (guest/linux).

Exit status: 0; 1: the compiler or the kernel's build found something wrong; 2: an option is wrong, or a disk is full.
"""

import errno
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from guestrun import debian_kernel, overlay
from guestrun.arch import ARCHS

from . import Refused, places
from .output import Output

FULL = os.strerror(errno.ENOSPC)
BEGINS = re.compile(r"\b(?:module_\w*(?:init|driver\w*)|builtin_\w+|init_module|\w+_initcall)\b")


def options(p):
    p.add_argument("dir", metavar="DIR", help="the folder of the sources")
    p.add_argument("--output", default=".", metavar="FOLDER", help="where the modules go (the current folder)")
    p.add_argument("--arch", default="x86_64", choices=ARCHS, metavar="ARCH", help=f"the guest's: {' or '.join(ARCHS)} (%(default)s)")
    p.add_argument("--headers", metavar="FOLDER",
                   help="the kernel's, or the kernel as perfboard run --kernel takes it: 6.12 (those of the kernel that perfboard run boots)")
    p.add_argument("--strip", action="store_true", help="leave out the debugger's data, for an image of your own: perfboard run does so for its guest")


def sources(folder):
    """Files of a folder and below it, relative; what an earlier build left is none."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith((".o", ".ko", ".mod", ".mod.c", ".cmd")) and \
               name not in ("Module.symvers", "modules.order"):
                yield os.path.relpath(os.path.join(at, name), folder)


def linked(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    os.symlink(os.path.abspath(source), target)


def lay_out(folder, tree, include):
    """The sources as links below tree, the boards' headers below include."""
    names = list(sources(folder))
    if not any(name.endswith((".c", ".S")) for name in names):
        raise Refused(f"{folder}: legal is a folder with the sources of a module")
    for name in names:
        linked(os.path.join(folder, name), os.path.join(tree, name))
    if not {"Kbuild", "Makefile"} & set(names):
        modules = [n for n in names if n.endswith(".c") and "/" not in n]
        with open(os.path.join(tree, "Kbuild"), "w") as f:
            f.write("obj-m := " + " ".join(n[:-2] + ".o" for n in modules) + "\n")
        for name in modules:
            with open(os.path.join(folder, name), errors="replace") as f:
                if len(modules) > 1 and not BEGINS.search(f.read()):
                    print(f"perfboard build-module: {folder}: {name} has no module_init, and becomes a module of its own all the same; in a Kbuild "
                          f"obj-m := NAME.o and NAME-y := ... {name[:-2]}.o make it a part of NAME.ko", file=sys.stderr)
    for path in glob.glob(places.guest("*", "*.h")):
        linked(path, os.path.join(include, "perfboard", os.path.basename(os.path.dirname(path)), os.path.basename(path)))


def make(args, folder, headers, work):
    """The modules; raises Refused. None: the build has failed, and has said why."""
    tree, include = os.path.join(work, "tree"), os.path.join(work, "include")
    lay_out(folder, tree, include)
    words = ["make", "-s", "-C", headers, f"M={tree}", "CONFIG_DEBUG_INFO_BTF_MODULES=",
             # The names in an assertion and for a debugger would else be those of the folder for this build.
             f"KCFLAGS=-I{include} -fmacro-prefix-map={tree}/= -fdebug-prefix-map={tree}={os.path.abspath(folder)}"
             f" -fdebug-prefix-map={include}/perfboard={os.path.realpath(places.guest())}"]
    done = subprocess.run([*words, *ARCHS[args.arch].make, "modules"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", env={k: v for k, v in os.environ.items() if k not in ("ARCH", "CROSS_COMPILE", "MAKEFLAGS")})
    print(done.stdout.replace(tree + "/", folder.rstrip("/") + "/"), end="", file=sys.stderr)
    if done.returncode and FULL in done.stdout:
        raise Refused(f"{work}: {FULL}; legal is a folder for temporary files (TMPDIR) that has room")
    if done.returncode:
        print(f"perfboard build-module: {folder}: not built; the kernel's build ended with status {done.returncode}", file=sys.stderr)
        return None
    built = sorted(glob.glob(os.path.join(tree, "**", "*.ko"), recursive=True))
    if not built:
        raise Refused(f"{folder}: its Kbuild or Makefile names no module; legal is obj-m := NAME.o")
    return built


def take(args, path):
    """A module to where it was asked for."""
    out = os.path.join(args.output, os.path.basename(path))
    with open(path, "rb") as f, Output(out) as module:
        module.write(overlay.stripped(path, args.arch) if args.strip else f.read())
    print(out)


def main(args):
    if not os.path.isdir(args.dir):
        raise Refused(f"{args.dir}: no such folder; legal is one with the sources of a module")
    headers = args.headers or places.headers(args.arch)
    if args.arch == "x86_64" and debian_kernel.is_named(headers):
        headers = os.path.join(debian_kernel.find("--headers", headers, False), "build")
    if not os.path.exists(os.path.join(headers, "Makefile")):
        raise Refused(f"--headers {headers}: legal is a folder with a kernel's headers")
    for program in ("make", ARCHS[args.arch].cross + "gcc"):
        if not shutil.which(program):
            raise Refused(f"--arch {args.arch}: {program} is missing; legal is a machine that has it")
    try:
        os.makedirs(args.output, exist_ok=True)
    except OSError as e:
        raise Refused(f"--output {args.output}: {e.strerror}; legal is a folder that can be written, or made") from None
    with tempfile.TemporaryDirectory(prefix="perfboard-module-") as work:
        built = make(args, args.dir, os.path.abspath(headers), work)
        for path in built or []:
            take(args, path)
    return 0 if built else 1
