# SPDX-License-Identifier: GPL-2.0-or-later
"""A built kernel tree of the user's, for --kernel DIR: which file of it boots, and our drivers, built against it. Or /lib/modules/RELEASE of Debian's
packages, installed or unpacked somewhere (dpkg-deb -x): its `build` are the headers, and what boots is beside it from 7.2 on, before that in /boot.

A module fits one kernel only. So the drivers in the guest's file system, which are for Debian's kernel, are built anew for the tree, once, and kept
in the user's cache until the tree or a source of theirs changes. They replace those of the same name (overlay.py).
"""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

from workbench import Refused, places, progress

BUILT = ("arch/x86/boot/bzImage", "vmlinux", "System.map", "Module.symvers", "Makefile")
HEADERS = ("Module.symvers", "Makefile")
# What guest/initramfs/init and the machine need; built in, as nothing is there that could load a module.
NEEDED = ("MODULES", "PCI", "BLK_DEV_INITRD", "BINFMT_ELF", "BINFMT_SCRIPT", "DEVTMPFS", "PROC_FS", "SYSFS", "SERIAL_8250_CONSOLE", "PRINTK_TIME")


def is_tree(path):
    return os.path.isdir(path)


def _parts(path):
    """(The folder that modules are built against, the file that boots, and what else must be there for it.)"""
    headers, real = os.path.join(path, "build"), os.path.realpath(path)
    if os.path.exists(os.path.join(path, ".config")) or not os.path.isdir(headers):
        return path, *(os.path.join(path, name) for name in BUILT)
    kernels = [os.path.join(path, "vmlinuz"), *(os.path.normpath(f"{real}/{up}/boot/vmlinuz-{os.path.basename(real)}") for up in ("../../../..", "../../.."))]
    return headers, next(filter(os.path.exists, kernels), kernels[0]), *(os.path.join(headers, name) for name in HEADERS)


def boots(path):
    """Whether its kernel is there."""
    return os.path.exists(_parts(path)[1])


def of_kernel(path, release):
    """Of a kernel's file the folder /lib/modules/RELEASE with its headers: of this machine, or where the file was unpacked. None: there is none."""
    real = os.path.realpath(path)
    root = os.path.dirname(os.path.dirname(real))
    places_of = [os.path.dirname(real), *(os.path.join(top, "lib/modules", release) for top in (root, os.path.join(root, "usr"), "/"))]
    return next((folder for folder in places_of if os.path.exists(os.path.join(folder, "build", "Makefile"))), None)


def _config(option, path):
    try:
        with open(os.path.join(_parts(path)[0], ".config"), encoding="utf-8", errors="replace") as f:
            return set(re.findall(r"^CONFIG_(\w+)=y$", f.read(), re.M))
    except OSError:
        raise Refused(f"{option} {path}: a folder without .config; legal is a Linux kernel, or the folder in which one "
                      "was built (scripts/kernel builds one), or /lib/modules/RELEASE with its headers") from None


def image(option, path, arch):
    """The file that boots. Raises Refused for a folder that is no built tree for this machine."""
    if arch != "x86_64":
        raise Refused(f"{option} {path}: a folder; legal is one with --arch x86_64 only, and a kernel's file with --arch {arch}")
    _, *files = _parts(path)
    config = _config(option, path)
    if "X86_64" not in config:
        raise Refused(f"{option} {path}: built for another architecture (its .config is without CONFIG_X86_64=y); legal is one for x86_64")
    if missing := [name for name in NEEDED if name not in config]:
        raise Refused(f"{option} {path}: its .config is without {', '.join(f'CONFIG_{name}=y' for name in missing)}; legal is a kernel that has "
                      "what the guest needs (scripts/kernelrun/guest.config)")
    if missing := [os.path.relpath(file, path) for file in files if not os.path.exists(file)]:
        raise Refused(f"{option} {path}: not built: without {', '.join(missing)}; legal is a folder after make -C {path} bzImage modules")
    return files[0]


def _sources():
    said = subprocess.run([places.guest("linux", "build"), "--sources"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [places.guest("linux", "build"), *said.split("\n")[:-1]]


def _key(path):
    known = hashlib.sha256()
    for source in _sources():
        with open(source, "rb") as f:
            known.update(f.read())
    headers, *files = _parts(path)
    for file in *files, os.path.join(headers, ".config"):
        found = os.stat(file)
        known.update(f"{file} {found.st_size} {found.st_mtime_ns}\n".encode())
    return known.hexdigest()[:16]


def _build(option, path, out):
    done = subprocess.run([places.guest("linux", "build"), out, os.path.realpath(_parts(path)[0])], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise Refused(f"{option} {path}: the guest's drivers are not built against it; legal is a kernel that they know, "
                      "or --append perfboard.noload: without them")


def drivers(option, path, quiet):
    """{NAME.ko: file} of our drivers for this tree."""
    place = places.cache("kernels", hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:16])
    out = os.path.join(place, _key(path))
    whole = os.path.join(out, "whole")
    with places.alone(place):
        if not os.path.exists(whole):
            progress(f"builds the drivers for {path}, once", quiet)
            for old in glob.glob(os.path.join(place, "*", "")):
                shutil.rmtree(old)
            _build(option, path, out)
            open(whole, "w").close()
    return {os.path.basename(file): file for file in glob.glob(os.path.join(out, "*.ko"))}
