# SPDX-License-Identifier: GPL-2.0-or-later
"""The checked QEMU: Debian's source of the installed series with TCG's own checks and AddressSanitizer, and the object built for it.

  .cache/qemu-checked/build   that QEMU; src there is the tree that scripts/setup fetched
  build-checked               a build folder whose tests run in it (scripts/test --checked)

An object for Debian's binary must not be loaded into it: with --enable-debug-tcg TCGContext has other members, and the object reads others'.
"""

import os
import subprocess
import sys

TREE = ".cache/qemu-checked"
TARGETS = ["x86_64", "ppc64"]  # built; i386's headers are for the object
FLAGS = ["--target-list=x86_64-softmmu,i386-softmmu,ppc64-softmmu", "--without-default-features", "--enable-system", "--enable-tcg",
         "--enable-plugins", "--enable-modules", "--enable-fdt=system", "--disable-download", "--python=/usr/bin/python3", "--enable-debug-tcg",
         "--enable-asan", "--extra-cflags=-O1"]
FIRMWARE = ["/usr/share/qemu", "/usr/share/seabios"]  # Debian's packages have it, its source has not
# What a QEMU that ends keeps is no leak of ours; a stack of its coroutines is not the thread's.
ASAN = "detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1:handle_segv=1"


def binary(root, target="x86_64"):
    return os.path.join(root, TREE, "build", "qemu-system-" + target)


def is_built(root):
    return all(os.path.exists(binary(root, t)) for t in TARGETS)


def environment():
    return dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS") or ASAN)


def run(words, folder, log):
    """A command, whose words go to the file; its last lines if it fails."""
    with open(log, "a") as out:
        if subprocess.run(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT).returncode == 0:
            return
    sys.stderr.write("".join(open(log, errors="replace").readlines()[-20:]))
    sys.exit(f"soak: {words[0]} failed ({log})")


def link_firmware(build):
    """Where a QEMU that is not installed looks for it."""
    folder = os.path.join(build, "qemu-bundle/usr/local/share/qemu")
    os.makedirs(folder, exist_ok=True)
    for source in FIRMWARE:
        for name in os.listdir(source):
            there = os.path.join(folder, name)
            if not os.path.lexists(there):
                os.symlink(os.path.join(source, name), there)


def build(root, jobs):
    tree = os.path.join(root, TREE)
    folder = os.path.join(tree, "build")
    log = os.path.join(tree, "log")
    if not os.path.isdir(os.path.join(root, ".cache/qemu/src")):
        sys.exit("soak: QEMU's source is not there: run scripts/setup")
    os.makedirs(folder, exist_ok=True)
    if not os.path.lexists(os.path.join(tree, "src")):
        os.symlink("../qemu/src", os.path.join(tree, "src"))
    if not is_built(root):
        if not os.path.exists(os.path.join(folder, "build.ninja")):
            print("soak: configuring the checked QEMU", flush=True)
            run(["../src/configure", *FLAGS], folder, log)
        for target in TARGETS:
            print(f"soak: compiling qemu-system-{target}, once (20 minutes of two processors; {log})", flush=True)
            run(["nice", "-n", "10", "ninja", f"-j{jobs}", "qemu-system-" + target], folder, log)
    link_firmware(folder)
    checked = os.path.join(root, "build-checked")
    if not os.path.exists(os.path.join(checked, "build.ninja")):
        print("soak: configuring build-checked", flush=True)
        run(["meson", "setup", "build-checked", "-Dchecked=true", "-Dtests=enabled", "-Dqemu=" + binary(root), "-Dqemu_src=" + tree,
             "-Dpower=enabled", "-Dqemu_ppc64=" + binary(root, "ppc64")], root, log)
    print("soak: building the object for it", flush=True)
    run(["ninja", f"-j{jobs}", "-C", checked, "perfboard.so", "storms"], root, log)
    print(f"soak: ready: {binary(root)}, {checked}/perfboard.so; scripts/test --checked NAME... runs tests in it", flush=True)
