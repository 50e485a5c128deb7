# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMUs that are built here from Debian's source, and objects for them.

The checked one, of the installed series with TCG's own checks and AddressSanitizer:

  .cache/qemu-checked/build   that QEMU; src there is the tree that scripts/setup fetched
  build-checked               a build folder whose tests run in it (scripts/test --checked)

An object for Debian's binary must not be loaded into it: with --enable-debug-tcg TCGContext has other members, and the object reads others'.

Another series, 10.2 for example: .cache/qemu-10.2/build and build-10.2, whose tests run in it (scripts/test --series 10.2). Its object is
the one for Debian's binary.
"""

import os
import re
import subprocess
import sys

TREE = ".cache/qemu-checked"
TARGETS = ["x86_64", "ppc64"]  # built; i386's headers are for the object
HEADERS = ["--target-list=x86_64-softmmu,i386-softmmu,ppc64-softmmu", "--without-default-features", "--enable-system", "--enable-tcg",
           "--enable-plugins", "--enable-modules", "--disable-download", "--python=/usr/bin/python3"]
PLAIN = [*HEADERS, "--enable-fdt=system", "--enable-kvm", "--enable-virtfs", "--enable-attr"]  # shared folders: libattr1-dev
FLAGS = [*PLAIN, "--enable-debug-tcg", "--enable-asan", "--extra-cflags=-O1"]
FIRMWARE = ["/usr/share/qemu", "/usr/share/seabios"]  # Debian's packages have it, its source has not
# What a QEMU that ends keeps is no leak of ours; a stack of its coroutines is not the thread's.
ASAN = "detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1:handle_segv=1"


def binary(root, target="x86_64", tree=TREE):
    return os.path.join(root, tree, "build", "qemu-system-" + target)


def is_built(root, tree=TREE):
    return all(os.path.exists(binary(root, t, tree)) for t in TARGETS)


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


def known_series(root):
    folder = os.path.join(root, "hw/qemu/series")
    return sorted(name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "series.h")))


def emulators(root, name, series, flags, jobs):
    """.cache/qemu-NAME/build has them; src there is the series' tree."""
    tree = f".cache/qemu-{name}"
    folder, log = os.path.join(root, tree, "build"), os.path.join(root, tree, "log")
    os.makedirs(folder, exist_ok=True)
    if not os.path.lexists(os.path.join(root, tree, "src")):
        os.symlink(f"../qemu/{series}/src", os.path.join(root, tree, "src"))
    if not is_built(root, tree):
        if not os.path.exists(os.path.join(folder, "build.ninja")):
            print(f"soak: configuring QEMU, {name}", flush=True)
            run(["../src/configure", *flags], folder, log)
        for target in TARGETS:
            print(f"soak: compiling qemu-system-{target}, once (20 minutes of two processors; {log})", flush=True)
            run(["nice", "-n", "10", "ninja", f"-j{jobs}", "qemu-system-" + target], folder, log)
    link_firmware(folder)
    return tree


def build_folder(root, name, tree, headers, options, targets, jobs):
    folder, log = os.path.join(root, f"build-{name}"), os.path.join(root, tree, "log")
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        print(f"soak: configuring build-{name}", flush=True)
        run(["meson", "setup", folder, "-Dtests=enabled", "-Dqemu=" + binary(root, "x86_64", tree), "-Dqemu_src=" + headers,
             "-Dpower=enabled", "-Dqemu_ppc64=" + binary(root, "ppc64", tree), *options], root, log)
    print("soak: building the object for it", flush=True)
    run(["ninja", f"-j{jobs}", "-C", folder, *targets], root, log)
    print(f"soak: ready: {binary(root, 'x86_64', tree)}, {folder}/perfboard.so; "
          f"scripts/test --{'checked' if tree == TREE else 'series ' + name} NAME... runs tests in it", flush=True)


def build(root, jobs):
    version = subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True, text=True).stdout
    series = re.search(r"version (\d+\.\d+)", version)[1] if version else ""
    if not os.path.isdir(os.path.join(root, ".cache/qemu", series, "src")):
        sys.exit("soak: QEMU's source is not there: run scripts/setup")
    tree = emulators(root, "checked", series, FLAGS, jobs)
    build_folder(root, "checked", tree, os.path.join(root, tree), ["-Dchecked=true"], ["perfboard.so", "storms"], jobs)


def build_series(root, series, jobs):
    subprocess.run([os.path.join(root, "scripts/setup"), "headers"], env=dict(os.environ, QEMU_SERIES=series), check=True)
    tree = emulators(root, series, series, PLAIN, jobs)
    build_folder(root, series, tree, os.path.join(root, ".cache/qemu", series), [], ["perfboard.so"], jobs)
