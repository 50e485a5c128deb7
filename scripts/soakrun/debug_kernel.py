# SPDX-License-Identifier: GPL-2.0-or-later
"""Our drivers' own tests, in a guest whose kernel looks for their mistakes (scripts/kernel), or is another release's (perfboard run --kernel DIR).

For the former first a module that makes each mistake on purpose, so that a kernel that says nothing has looked. Then the tests of suite `guest` that boot with drivers
of ours: their commands as Meson has them, with this kernel. It is slower and larger, so what depends on how long a boot takes stays out: scenarios
with times of the machine, counts and times that a page shows.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

from guestrun.boards import BOARDS

from . import boards

KINDS = ["kasan", "kcsan"]
TREE = ".cache/kernel-debug"
# (word of the module faults, status, what the last line says, more options)
MISTAKES = {
    "kasan": [("heap", 121, "BUG: KASAN: slab-out-of-bounds", []), ("slab", 121, "BUG: KASAN: (slab-)?use-after-free", []),
              ("locks", 122, "WARNING: possible circular locking dependency detected", []),
              ("sleep", 122, "BUG: sleeping function called from invalid context", []), ("index", 122, "UBSAN: array-index-out-of-bounds", [])],
    # Under icount the processors take turns.
    "kcsan": [("race", 122, "BUG: KCSAN: data-race", ["--smp", "2"])],
}
# linux-simple is none of them: it knows how often that kernel's timer interrupts.
TESTS = re.compile(rf"linux-(modules|drivers|free-running$|{'|'.join(b.name for b in BOARDS)})")
# Not: numbers that are another kernel's, modules of the build's kernel, errors on purpose at the machine's times.
NOT = re.compile("|".join([f"linux-{b.name}-({names})" for b in BOARDS for names in boards.lines(b, "own-kernel")] + [".*-inject$"]))
OPTIONS = ["--timeout", "7200"]


def kind_of(name):
    """(kind, series) of a kernel that scripts/kernel makes: kasan, or of another series than Debian's own kasan-7.3. (None, None) for a folder."""
    found = re.fullmatch(rf"({'|'.join(KINDS)})(?:-(\d+\.\d+))?", name)
    return found.groups() if found else (None, None)


def tests(build, names):
    """{name: (command, its part of the environment)} of what can run with another kernel."""
    said = subprocess.run(["meson", "introspect", "--tests", build], capture_output=True, text=True, check=True).stdout
    found = {t["name"]: (t["cmd"], t["env"]) for t in json.loads(said)}
    if unknown := [name for name in names if name not in found or "--" not in found[name][0]]:
        sys.exit(f"soak: {unknown[0]}: no test that boots a guest of ours with a command")
    return {name: (words, env) for name, (words, env) in found.items() if name in names or not names and TESTS.match(name) and not NOT.match(name)
            and "--" in words and "--initramfs" in words and (names or not {"--scenario", "--module", "--add"} & set(words))}


def with_kernel(words, tree):
    at = words.index("--")
    return [*words[:at], "--kernel", tree, *OPTIONS, *words[at:]]


def make(words, what):
    if subprocess.run(words).returncode:
        sys.exit(f"soak: {what} failed")


def mistakes(root, kind, tree, args):
    """Names of those that are not reported."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix="perfboard-soak-") as folder:
        make([os.path.join(root, "scripts/perfboard"), "build-module", os.path.join(root, "tests/guest/linux/guestrun/faults"), "--strip",
              "--headers", tree, "--output", folder], "building faults.ko")
        for what, status, line, more in MISTAKES[kind]:
            words = [os.path.join(root, "scripts/perfboard"), "run", "--quiet", "--no-boards", "--kernel", tree, "--qemu", args.qemu, *OPTIONS,
                     *(more or ["--icount", "4"]), "--module", f"{folder}/faults.ko,what={what}", "--", "true"]
            done = subprocess.run(words, capture_output=True, text=True, errors="replace")
            last = (done.stderr.splitlines() or [""])[-1]
            fine = done.returncode == status and re.search(line, last)
            print(f"soak: {'' if fine else 'NOT '}reported: {what}: {last}; status {done.returncode}", flush=True)
            if not fine:
                wrong.append(what)
    return wrong


def run(root, args):
    """The exit status."""
    tree, (kind, series) = args.kernel, kind_of(args.kernel)
    if kind:
        make([os.path.join(root, "scripts/kernel"), kind, *(["--linux", series] if series else [])], "scripts/kernel")
        tree = os.path.join(root, TREE, args.kernel)
    chosen = tests(args.build, args.tests)
    wrong = [] if args.tests or not kind else [f"{what} was not reported" for what in mistakes(root, kind, tree, args)]
    for name, (words, env) in chosen.items():
        begin = time.monotonic()
        done = subprocess.run(with_kernel(words, tree), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", cwd=args.build,
                              env=dict(os.environ, **env))
        said = (done.stderr.strip() or done.stdout.strip()).splitlines() or [""]
        print(f"soak: {name}: status {done.returncode}, {time.monotonic() - begin:.0f} s: {said[-1]}", flush=True)
        if done.returncode:
            sys.stderr.write(done.stdout + done.stderr)
            wrong.append(name)
    print(f"soak: {len(chosen)} tests with {args.kernel}: " + (", ".join(wrong) + ": failed" if wrong else "nothing was reported"))
    return 1 if wrong else 0
