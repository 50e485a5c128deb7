# SPDX-License-Identifier: GPL-2.0-or-later
"""Change a board's model in one place, build, and run that board's tests: they must fail. Some 50 such mutants a board; the tree stays as it is.

  scripts/soak --mutants                      all boards
  scripts/soak --mutants BOARD BOARD:7        a board, and the seventh mutant alone of another (or the same) one
  scripts/soak --mutants --list BOARD         which there are (soakrun/mutants.py says how they are made); builds nothing
  scripts/soak --mutants --every BOARD:7      runs the other tests, too, when one has failed: all that see it

A mutant is a change of one place of hw/BOARD: a register's access type, reset value, bits or lanes, a row, what is legal in a snapshot, an
error on purpose, a comparison, a number ... The same sources give the same list.

The tests are the board's own: its programs of the suites unit, fuzz (with corpus) and qtest, as Meson runs them. A mutant is killed by the first
that fails. First they are built without sanitizers, which is much faster; what survives so is built and run with them. A program that takes ten times
the processors' time that it takes on the board as it is hangs, which is a failure; so does one that waits, and does not end in ten minutes.
Of a mutant that all tests pass and whose objects are byte for byte those of before, "no change" is said: it is none.

All is done in .cache/mutants: a copy of the tree as it is now, committed or not, and two build folders with the options of build (--build).
About a minute each, once all is built. Exit status 0: all are killed; 1: some survive, and the last lines name them; 2: it cannot be said.

  $ scripts/soak --mutants surfboard:3
"""

import argparse
import contextlib
import fcntl
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from guestrun.boards import BOARDS

from . import mutants

SUITES = ["unit", "fuzz", "qtest"]
SANITIZED = ["unit", "fuzz"]  # the object is not
FAST, CAREFUL = "fast", "careful"  # the build folders: without sanitizers, with them
KEPT = ["qemu", "qemu_src", "power", "qemu_ppc64"]  # options of the build folder that the copies' have, too
TIMES = 10          # so much more of the processors than unchanged is a hang
LEAST_SECONDS = 30
FAILURES = [r"\[  FAILED  \] ([\w./]+)", r"^not ok \d+ -? ?(.*)", r"(AddressSanitizer: [\w-]+|runtime error: .*)", r"([\w.]+:\d+): Failure"]
WAIT_SECONDS = 600  # of the host


class Error(Exception):
    pass


@dataclass
class Program:
    name: str       # the test's
    suite: str
    command: list
    env: dict
    is_gtest: bool
    targets: list   # what must be built for it
    seconds: float = 0  # of processors, unchanged


def do(words, **more):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode:
        raise Error(f"{' '.join(words[:4])} ... failed:\n{done.stdout[-3000:]}")
    return done.stdout


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


class Tree:
    """The copy. Only what differs is written, so that only that is built anew."""

    def __init__(self, root, folder):
        self.path = os.path.join(folder, "tree")
        names = do(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]).split("\0")
        wanted = {n for n in names if os.path.isfile(os.path.join(root, n))}
        for at, _, files in os.walk(self.path):
            for name in files:
                if os.path.relpath(os.path.join(at, name), self.path) not in wanted:
                    os.unlink(os.path.join(at, name))
        for name in wanted:
            source, copy = os.path.join(root, name), os.path.join(self.path, name)
            if not os.path.exists(copy) or bytes_of(source) != bytes_of(copy):
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copyfile(source, copy)
                shutil.copymode(source, copy)

    @contextlib.contextmanager
    def changed(self, mutant, text):
        path = os.path.join(self.path, mutant.path)
        self._write(path, mutant.apply(text))
        try:
            yield
        finally:
            self._write(path, text)

    @staticmethod
    def _write(path, text):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


class Build:
    """A build folder of the copy, with a board's programs in it."""

    def __init__(self, tree, folder, options, jobs):
        self.tree, self.folder, self.jobs = tree, folder, jobs
        if not os.path.exists(os.path.join(folder, "build.ninja")):
            # As little as the compiler can be asked for; not -O0, with which QEMU's headers ask for more of QEMU than there is.
            do(["meson", "setup", folder, tree.path, "--buildtype=plain", "-Doptimization=1", "-Dwerror=false", "-Dguest_image=disabled", *options])
        do(["ninja", "-C", folder, "build.ninja"])

    def _introspect(self, what):
        return json.loads(do(["meson", "introspect", what, self.folder]))

    def programs(self, board):
        """The board's own, in the order in which they are run."""
        targets = self._introspect("--targets")
        by_id = {t["id"]: t for t in targets}
        archives = [t["filename"][0] for t in targets if t["type"] == "static library" and self._folders(t) == {f"hw/{board}"}]
        self.objects = [path + ".p" for path in archives]
        found = []
        for test in self._introspect("--tests"):
            suite = test["suite"][0].split(":")[-1]
            program = next((t for t in targets if t["type"] == "executable" and t["filename"][0] == test["cmd"][0]), None)
            if suite not in SUITES or not program or f"tests/{suite}/{board}" not in self._folders(program):
                continue
            if test["name"].startswith("unit-board-") and test["name"] != "unit-board-" + board:
                continue
            needed = [by_id[i]["filename"][0] for i in test["depends"] if i in by_id]
            needed = [os.path.relpath(p, self.folder) for p in {program["filename"][0]: 0, **dict.fromkeys(needed)}]
            inputs = set(do(["ninja", "-C", self.folder, "-t", "inputs", *needed]).splitlines())
            if not inputs & {os.path.relpath(path, self.folder) for path in archives}:
                continue  # a tool's, without the model
            found.append(Program(test["name"], suite, test["cmd"], test["env"], test["protocol"] == "gtest", needed))
        # What all boards are asked comes behind the board's own: it is one large program, and much of it compares texts.
        return sorted(found, key=lambda p: (SUITES.index(p.suite), p.name.startswith("unit-board-")))

    def _folders(self, target):
        """Of its sources. Where Meson compiles several as one, it has written a file that includes them."""
        found = []
        for group in target["target_sources"]:
            found += group.get("sources", [])
            for path in group.get("generated_sources", []):
                if "-unity" in path:
                    found += re.findall(r"^#include<(.*)>$", bytes_of(path).decode(), re.M)
        return {os.path.dirname(os.path.relpath(s, self.tree.path)) for s in found}

    def make(self, program):
        """What the compiler says if it refuses."""
        done = subprocess.run(["ninja", "-C", self.folder, f"-j{self.jobs}", *program.targets], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout if done.returncode else ""

    def sum_of_objects(self):
        digest = hashlib.sha256()
        for folder in self.objects:
            for path in sorted(glob.glob(os.path.join(folder, "*.o"))):
                digest.update(bytes_of(path))
        return digest.digest()


def end(child):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def run(program, most):
    """(why it failed or "", seconds of processors)."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    words = program.command + ["--gtest_fail_fast"] * program.is_gtest
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="perfboard-mutant-") as folder:  # a fuzzer leaves its input where it stands
        child = subprocess.Popen(words, cwd=folder, env=dict(os.environ, **program.env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True, preexec_fn=limits)
        try:
            said, _ = child.communicate(timeout=max(WAIT_SECONDS, 20 * most))
        except subprocess.TimeoutExpired:
            said = None
        finally:
            end(child)
            child.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if said is None or child.returncode == -signal.SIGXCPU:
        return "hangs", seconds
    if not child.returncode:
        return "", seconds
    found = next(filter(None, (re.search(pattern, said, re.M) for pattern in FAILURES)), None)
    return found[1] if found else f"status {child.returncode}", seconds


class Campaign:
    """A board's mutants, one after the other. builds: functions that make the two build folders, without sanitizers and with them."""

    def __init__(self, board, builds, every):
        self.board, self.builds, self.every = board, builds, every
        self.ready = {}  # by build: it, its programs, the sum of its objects; all unchanged

    def prepare(self, stage):
        """Builds the programs and runs them with the board as it is, once."""
        if stage in self.ready:
            return
        build = self.builds[stage]()
        found = [p for p in build.programs(self.board) if stage == FAST or p.suite in SANITIZED]
        if not found:
            raise Error(f"{self.board}: no program of the suites {', '.join(SUITES)} is its own")
        print(f"soak: {self.board}: building {len(found)} programs as they are{' (with sanitizers)' if stage == CAREFUL else ''}", flush=True)
        for p in found:
            if said := build.make(p):
                raise Error(f"{p.name} does not build:\n{said[-3000:]}")
            why, p.seconds = run(p, 3600)
            if why:
                raise Error(f"{p.name} fails with the board as it is: {why}")
        print(f"soak: {self.board}: they pass; seconds of processors: " + ", ".join(f"{p.name} {p.seconds:.0f}" for p in found), flush=True)
        self.ready[stage] = build, found, build.sum_of_objects()

    def kill(self, stage):
        """Who killed it: [(name, why)]; the compiler is the name ""; None: no change."""
        build, programs, unchanged = self.ready[stage]
        found = []
        for p in programs:
            if said := build.make(p):
                error = re.search(r"error: (.*)", said)
                return [("", error[1][:80] if error else "it does not link")]
            why, _ = run(p, int(max(LEAST_SECONDS, TIMES * p.seconds)))
            if why:
                found.append((p.name, why))
                if not self.every:
                    break
        return found if found or build.sum_of_objects() != unchanged else None


def work(args, campaign, tree, chosen, texts):
    """(how many each killed, survivors) of [(number, mutant)]."""
    killed, survivors = {}, []
    for number, mutant in chosen:
        began = time.monotonic()
        text = texts[mutant.path]
        with tree.changed(mutant, text):
            who = campaign.kill(FAST)
        if who == [] and not args.fast:
            campaign.prepare(CAREFUL)
            with tree.changed(mutant, text):
                who = campaign.kill(CAREFUL)
        if who is None:
            outcome = "no change"
        elif not who:
            outcome = "SURVIVED"
            survivors.append((number, mutant))
        else:
            outcome = "killed by " + "; ".join(f"{name or 'the compiler'} ({why})" for name, why in who)
        first = outcome if not who else who[0][0] or "the compiler"
        killed[first] = killed.get(first, 0) + 1
        print(f"soak: {campaign.board}:{number} {mutant.describe(text)}: {outcome} ({time.monotonic() - began:.0f} s)", flush=True)
    return killed, survivors


def parse(root, words):
    p = argparse.ArgumentParser(prog="soak --mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("boards", nargs="*", metavar="BOARD[:N]", help="a board, or one mutant of it (all)")
    p.add_argument("--count", type=int, default=50, metavar="N", help="of a board (50); another number is another list")
    p.add_argument("--list", action="store_true", help="print them; build nothing")
    p.add_argument("--every", action="store_true", help="run all of a board's tests, not only to the first that fails")
    p.add_argument("--fast", action="store_true", help="without the sanitizers' turn for what survives")
    p.add_argument("--build", default="build", metavar="DIR", help="where scripts/build test built (build): which QEMU, which options")
    args = p.parse_args(words)
    if not 1 <= args.count <= 10_000:
        p.error(f"--count {args.count}: legal are 1 to 10000")
    names = [b.name for b in BOARDS if os.path.exists(os.path.join(root, "hw", b.name, "meson.build"))]
    args.chosen = {}
    for word in args.boards or names:
        board, colon, number = word.partition(":")
        if board not in names:
            p.error(f"{word}: legal are {' '.join(names)}")
        if colon and not (number.isdigit() and 1 <= int(number) <= args.count):
            p.error(f"{word}: legal are {board}:1 to {board}:{args.count}")
        args.chosen.setdefault(board, []).extend([int(number)] if colon else range(1, args.count + 1))
    return args


def options_of(build):
    if not os.path.exists(os.path.join(build, "build.ninja")):
        raise Error(f"{build} is no build folder: run scripts/build test")
    said = json.loads(do(["meson", "introspect", "--buildoptions", build]))
    found = {o["name"]: o["value"] for o in said if o["name"] in KEPT}
    found["qemu_src"] = os.path.abspath(found["qemu_src"]) if found["qemu_src"] else ""
    return [f"-D{name}={value}" for name, value in found.items()]


def lists(root, args):
    """(board, [(number, mutant)], how many there could be, texts)."""
    for board, numbers in args.chosen.items():
        found, possible, texts = mutants.of_board(root, board, args.count)
        yield board, [(n, found[n - 1]) for n in dict.fromkeys(numbers) if n <= len(found)], possible, texts


def campaigns(root, args):
    folder = os.path.join(root, ".cache", "mutants")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Error(f"another one is at work in {folder}") from None
        options = options_of(os.path.join(root, args.build))
        tree = Tree(root, folder)
        jobs = len(os.sched_getaffinity(0))
        builds = {FAST: lambda: Build(tree, os.path.join(folder, "build"), [*options, "-Dsanitizers=false"], jobs),
                  CAREFUL: lambda: Build(tree, os.path.join(folder, "build-sanitized"), options, jobs)}
        survivors = 0
        for board, chosen, possible, texts in lists(root, args):
            if not chosen:
                print(f"soak: {board}: no mutants", flush=True)
                continue
            print(f"soak: {board}: {len(chosen)} mutants of {possible} that there could be", flush=True)
            campaign = Campaign(board, builds, args.every)
            campaign.prepare(FAST)
            killed, alive = work(args, campaign, tree, chosen, texts)
            print(f"soak: {board}: {len(chosen)} mutants: " + ", ".join(f"{who} {n}" for who, n in sorted(killed.items(), key=lambda k: -k[1])), flush=True)
            for number, mutant in alive:
                print(f"soak: {board}:{number} survives: {mutant.describe(texts[mutant.path])}", flush=True)
            survivors += len(alive)
    return 1 if survivors else 0


def main(root, words):
    args = parse(root, words)
    try:
        if args.list:
            for board, chosen, _, texts in lists(root, args):
                for number, mutant in chosen:
                    print(f"{board}:{number} {mutant.describe(texts[mutant.path])}")
            return 0
        return campaigns(root, args)
    except Error as e:
        print(f"soak: {e}", file=sys.stderr)
        return 2
