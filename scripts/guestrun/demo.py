# SPDX-License-Identifier: GPL-2.0-or-later
"""What the demos share: where things are, and the line of inputs that stands above every result.

The line names what a demo's numbers depend on besides the repository. Under icount two runs with the same
line are the same to the bit. The compiler and the C library count, because their code runs in the guest.

Environment: PERFBOARD_BUILD, the Meson build folder (build/).
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time

from workbench import guard

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("PERFBOARD_BUILD") or os.path.join(ROOT, "build")
TOOLS = os.path.join(BUILD, "guest", "tools")
GUEST_RUN = os.path.join(ROOT, "scripts", "guest-run")
PERFBOARD = os.path.join(ROOT, "scripts", "perfboard")
START = time.monotonic()
os.environ.setdefault("PERFBOARD_SO", os.path.join(BUILD, "perfboard.so"))
os.environ.setdefault("PERFBOARD_INITRAMFS", os.path.join(BUILD, "initramfs.cpio"))

guard()  # what a demo prints of its guest


def parser(name, doc, out, free="without icount: by the host's clock"):
    """Options of a demo. out: its folder below out/; free: what --free says, None: it has none."""
    p = argparse.ArgumentParser(prog=name, description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if free:
        p.add_argument("--free", action="store_true", help=free)
    p.add_argument("--out", default=os.path.join(ROOT, "out", out), metavar="DIR", help="results (%(default)s)")
    return p


def note(text):
    print(text, file=sys.stderr, flush=True)


def say(text):
    """What is done, and how long it has taken so far."""
    note(f"  {text} ({time.monotonic() - START:.0f} s)")


def run(words, what, more=lambda: "", name="demo"):
    """What a program that boots guests has said; ends the demo with it, and with more(), if it fails."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: {what} failed ({done.returncode}):\n{done.stdout}{more()}")
    return done.stdout


def run_cluster(out, nodes, *words):
    """perfboard cluster's words behind those that all demos give it."""
    def consoles():  # none is there if an option was wrong
        paths = filter(os.path.exists, (os.path.join(out, f"node-{n}.console") for n in range(nodes)))
        return "".join(open(path, errors="replace").read() for path in paths)
    run([PERFBOARD, "cluster", "-n", str(nodes), "--join", "boot", "--quiet", "--timeout", "1500", "--out", out, *words], "the cluster", consoles)


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:32]


def status_of(wrong, good):
    """The demo's, with a line for each thing that is wrong, or one that says what is good."""
    for line in wrong:
        print("demo: wrong:", line)
    print("FAILED" if wrong else good)
    return int(bool(wrong))


def tool(name, *words, data=None):
    """What a tool writes; data: what it reads."""
    return subprocess.run([os.path.join(TOOLS, name), *words], input=data, stdout=subprocess.PIPE, check=True).stdout


def first_line(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.split("\n", 1)[0]


def version(pattern, *words):
    """The version in a program's first line, Debian's if it says that."""
    line = first_line(*words)
    found = re.search(r"Debian (?:GLIBC )?(?:\d+:)?([0-9][^) ]*)\)", line) or re.search(pattern, line)
    return found[1] if found else "?"


def inputs(arch="x86_64"):
    kernel = os.environ.get("PERFBOARD_KERNEL") or first_line(os.path.join(ROOT, "guest", "linux", "kernel"), "--arch", arch)
    if os.path.isdir(kernel):  # of scripts/kernel
        name, package = (open(os.path.join(kernel, path)).read().strip() for path in ("include/config/kernel.release", "source/debian-version"))
    else:
        name = os.path.basename(kernel).removeprefix("vmlinuz-").removeprefix("vmlinux-")
        package = first_line("dpkg-query", "-W", "-f", "${Version}", f"linux-headers-{name}")
    if arch == "ppc64":
        cross = "powerpc64le-linux-gnu-gcc"
        return "; ".join([
            f"Inputs: kernel {name}",
            "QEMU " + version(r"version (\S+)", os.environ.get("QEMU_PPC64") or "qemu-system-ppc64", "--version"),
            "GCC " + version(r" ([0-9.]+)$", cross, "--version"),
            "libc " + first_line("dpkg-query", "-W", "-f", "${Version}", "libc6-dev-ppc64el-cross"),
        ])
    qemu = os.environ.get("QEMU") or "qemu-system-x86_64"
    return "; ".join([
        f"Inputs: kernel {name} ({package})",
        "QEMU " + version(r"version (\S+)", qemu, "--version"),
        "GCC " + version(r" ([0-9.]+)$", "gcc", "--version"),
        "libc " + version(r" ([0-9.]+)$", "ldd", "--version"),
        "busybox " + version(r"v(\S+)", "busybox"),
    ])
