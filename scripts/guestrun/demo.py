# SPDX-License-Identifier: GPL-2.0-or-later
"""What the demos share: where things are, and the line of inputs that stands above every result.

The line names what a demo's numbers depend on besides the repository. Under icount two runs with the same
line are the same to the bit. The compiler and the C library count, because their code runs in the guest.

Environment: PERFBOARD_BUILD, the Meson build folder (build/).
"""

import os
import re
import subprocess

from workbench import guard

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("PERFBOARD_BUILD") or os.path.join(ROOT, "build")
GUEST_RUN = os.path.join(ROOT, "scripts", "guest-run")
os.environ.setdefault("PERFBOARD_SO", os.path.join(BUILD, "perfboard.so"))
os.environ.setdefault("PERFBOARD_INITRAMFS", os.path.join(BUILD, "initramfs.cpio"))

guard()  # what a demo prints of its guest


def tools(board):
    """A function that runs a utility of the board's: tool(name, words..., data=what it reads) is what it writes."""
    def tool(name, *words, data=None):
        return subprocess.run([os.path.join(BUILD, "guest", board, name), *words], input=data, stdout=subprocess.PIPE, check=True).stdout
    return tool


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
    name = os.path.basename(kernel).removeprefix("vmlinuz-").removeprefix("vmlinux-")
    if arch == "ppc64":
        cross = "powerpc64le-linux-gnu-gcc"
        return "; ".join([
            f"Inputs: kernel {name}",
            "QEMU " + version(r"version (\S+)", os.environ.get("QEMU_PPC64") or "qemu-system-ppc64", "--version"),
            "GCC " + version(r" ([0-9.]+)$", cross, "--version"),
            "libc " + first_line("dpkg-query", "-W", "-f", "${Version}", "libc6-dev-ppc64el-cross"),
        ])
    package = first_line("dpkg-query", "-W", "-f", "${Version}", f"linux-headers-{name}")
    qemu = os.environ.get("QEMU") or "qemu-system-x86_64"
    return "; ".join([
        f"Inputs: kernel {name} ({package})",
        "QEMU " + version(r"version (\S+)", qemu, "--version"),
        "GCC " + version(r" ([0-9.]+)$", "gcc", "--version"),
        "libc " + version(r" ([0-9.]+)$", "ldd", "--version"),
        "busybox " + version(r"v(\S+)", "busybox"),
    ])
