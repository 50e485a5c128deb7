# SPDX-License-Identifier: GPL-2.0-or-later
"""An aarch64 host, as far as another one can show it: all is cross-compiled and linked, and runs in user emulation (qemu-aarch64).

  .cache/qemu-arm64/root      Debian's arm64 packages, unpacked: libraries with their headers, and the QEMU of the installed series
  .cache/qemu-arm64/build     that series' headers, as configured for aarch64; src there is the tree that scripts/setup fetched
  tests/arm64                 which tests
  build-arm64                 the build folder; its QEMU is arm64's, so its guests' tests run there: meson test -C build-arm64 bare-exact

Installed are a cross compiler and qemu-user alone; this machine's packages stay those of one architecture. What an aarch64 processor does by
itself is not shown: in which order others see its stores, pages of 16 or 64 KB, how long anything takes.
"""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess

from soakrun import checked

QEMU, OBJECT, TREE, TRIPLET = "qemu-system-x86_64", "perfboard.so", ".cache/qemu-arm64", "aarch64-linux-gnu"
PARTS = """libbenchmark-dev libc6-dev libcapstone-dev libcli11-dev libfdt-dev libfmt-dev libglib2.0-dev libgtest-dev libpixman-1-dev libreadline-dev
rapidjson-dev qemu-system-x86""".replace("\n", " ")
# Of the archives that this machine's apt knows; a dependency comes along. The suite is scripts/setup's.
PACKAGES = """set -euo pipefail
say() { echo "$*"; }
die() { say "$@"; exit 1; }
. scripts/archive.sh
suite=$VERSION_CODENAME
[ "$suite" != bookworm ] || suite=bookworm-backports
apt_install "g++-$3" qemu-user
mkdir -p "$1/apt"
own_sources "$suite" >"$1/apt/sources.list"
own_apt "$1/apt" arm64 apt-get update -qq
own_apt "$1/apt" arm64 apt-get install -y -qq --download-only --no-install-recommends -t "$suite" $2
for package in "$1"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$1/root.part"; done
mv "$1/root.part" "$1/root"
rm -r "$1/apt"
"""
CROSS = """[constants]
emulate = ['qemu-aarch64', '-L', '{there}']
[binaries]
c = ['{triplet}-gcc', '--sysroot={there}']
cpp = ['{triplet}-g++', '--sysroot={there}']
ar = '{triplet}-ar'
strip = '{triplet}-strip'
pkg-config = 'pkg-config'
exe_wrapper = emulate
[properties]
run_built = emulate
sys_root = '{there}'
pkg_config_libdir = '{folders}'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""


def prepare(root, tree, there, log):
    """Packages, the emulator, QEMU's headers, the build folder; the emulator's path."""
    if not os.path.isdir(there):
        print("soak: getting Debian's arm64 packages (300 MB unpacked)", flush=True)
        checked.run(["bash", "-c", PACKAGES, "arm64", tree, PARTS, TRIPLET], root, log)
    emulator, build, folder = (os.path.join(*words) for words in ((tree, QEMU), (tree, "build"), (root, "build-arm64")))
    folders = f"{there}/usr/lib/{TRIPLET}/pkgconfig:{there}/usr/share/pkgconfig"
    with open(emulator, "w") as script, open(os.path.join(tree, "cross"), "w") as cross:
        script.write(f'#!/bin/sh\nexec qemu-aarch64 -L {there} {there}/usr/bin/{QEMU} "$@"\n')
        cross.write(CROSS.format(triplet=TRIPLET, there=there, folders=folders))
    os.chmod(emulator, 0o755)
    if not os.path.exists(os.path.join(tree, "ready")):
        print("soak: configuring QEMU for aarch64, for its headers", flush=True)
        version = subprocess.run([emulator, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        os.makedirs(build, exist_ok=True)
        if not os.path.lexists(os.path.join(tree, "src")):
            os.symlink(f"../qemu/{re.search(r'version ([0-9]+.[0-9]+)', version)[1]}/src", os.path.join(tree, "src"))
        checked.run(["env", "PKG_CONFIG=pkg-config", f"PKG_CONFIG_SYSROOT_DIR={there}", f"PKG_CONFIG_LIBDIR={folders}", "../src/configure", *checked.HEADERS,
                     f"--cross-prefix={TRIPLET}-", f"--extra-cflags=--sysroot={there}", f"--extra-ldflags=--sysroot={there}"], build, log)
        checked.run(["sh", "-c", r"ninja -t targets all | sed -nE 's/^(.*\.h): CUSTOM_COMMAND$/\1/p' | xargs ninja && touch ../ready"], build, log)
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        print("soak: configuring build-arm64", flush=True)
        checked.run(["meson", "setup", folder, "--cross-file", os.path.join(tree, "cross"), "-Dqemu=" + emulator, "-Dqemu_src=" + tree, "-Dsanitizers=false",
                     "-Dguest_image=disabled"], root, log)
    return emulator


def chosen(root):
    """(guests' tests, {unit: what is left out of it, or nothing: the unit}), as tests/arm64 has them."""
    with open(os.path.join(root, "tests/arm64")) as f:
        lines = [line.split() for line in f if line.strip() and line[0] != "#"]
    return [words[0] for words in lines if words[0][0] != "-"], {words[0][1:]: words[1:] for words in lines if words[0][0] == "-"}


def said(words, test, folder):
    done = subprocess.run(words, env=dict(os.environ, **test["env"]), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout


def verdict(test, folder, there, here, of_guest, without=()):
    """None, or what is wrong. here: a guest must say the same on this machine, with these words instead of others."""
    left_out = ["--gtest_filter=-" + ":".join(without)] if without else []
    status, text = said(test["cmd"] if of_guest else ["qemu-aarch64", "-L", there, *test["cmd"], *left_out], test, folder)
    if status:
        return f"status {status}\n{text[-2000:]}"
    same = not of_guest or said([here.get(word, word) for word in test["cmd"]], test, folder) == (status, text)
    return None if same else "it says something else than on this machine"


def build(root, jobs):
    tree, folder = os.path.join(root, TREE), os.path.join(root, "build-arm64")
    there, log = os.path.join(tree, "root"), os.path.join(tree, "log")
    os.makedirs(tree, exist_ok=True)
    subprocess.run([os.path.join(root, "scripts/setup"), "test"], check=True)
    emulator = prepare(root, tree, there, log)
    known = json.loads(subprocess.run(["meson", "introspect", "--tests", folder], stdout=subprocess.PIPE, check=True).stdout)
    guests, without = chosen(root)
    units = [t for t in known if t["protocol"] == "gtest" and t["suite"][0].endswith(":unit") and without.get(t["name"]) != []]
    tests = units + [t for t in known if t["name"] in guests]
    needed = {os.path.relpath(t["cmd"][0], folder) for t in units} | {word for t in tests for word in t["cmd"] if word.endswith((".elf", ".bit"))}
    print(f"soak: cross-compiling the object and what {len(tests)} tests run; compiling this machine's object ({log})", flush=True)
    for where, targets in ((folder, sorted(needed)), (os.path.join(root, "build"), [])):
        checked.run(["nice", "-n", "10", "ninja", f"-j{jobs}", "-C", where, OBJECT, *targets], root, log)
    here, wrong = {emulator: shutil.which(QEMU), OBJECT: os.path.join(root, "build", OBJECT)}, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for test, why in zip(tests, pool.map(lambda t: verdict(t, folder, there, here, t["name"] in guests, without.get(t["name"], ())), tests)):
            wrong += [test["name"]] if why else []
            print(f"soak: {test['name']}: {why or 'passed'}", flush=True)
    print(f"soak: an emulated aarch64: {len(units)} tests of suite unit, {len(tests) - len(units)} guests:", "failed: " + " ".join(wrong) if wrong else "passed")
    return len(wrong) > 0
