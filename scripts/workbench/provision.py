# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed guest: its drivers and its file system, made once for a kernel and kept in the user's cache.

A module fits one release of the kernel, and a distribution's kernel changes more often than a package of ours. So the
package has the sources, and whoever first boots a kernel waits half a minute for them.
"""

import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

from . import Refused, places, progress


def _inputs():
    """Every file that a guest is made of."""
    for top in (places.guest(), places.library("guest")):
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                yield os.path.join(folder, name)


def _key(arch, headers):
    known = hashlib.sha256(f"{arch} {os.path.realpath(headers)}\n".encode())
    for path in _inputs():
        stat = os.stat(path)
        known.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return known.hexdigest()[:16]


def _do(what, words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise Refused(f"--initramfs: none given, and {what} failed")


def _make(arch, headers, out):
    with tempfile.TemporaryDirectory(prefix=".making-", dir=os.path.dirname(out)) as work:
        modules = os.path.join(work, "modules")
        _do("building the drivers", [places.guest("linux", "build"), modules, headers])
        words = [places.guest("initramfs", "build"), os.path.join(work, "guest.cpio")]
        order = [line.split()[3] for line in open(places.boards(), encoding="ascii") if not line.startswith("#")]
        words += [w for name in order if name != "-" for w in ("--module", os.path.join(modules, name + ".ko"))]
        for option, folder in (("--bin", "bin"), ("--has", "firmware"), ("--script", "tests")):
            words += [w for path in sorted(glob.glob(places.library("guest", folder, "*"))) for w in (option, path)]
        for path in sorted(glob.glob(places.library("guest", "lib", "firmware", "*", "*"))):
            words += ["--file", f"{path}={os.path.relpath(path, places.library('guest'))}"]
        _do("making its archive", words)
        shutil.rmtree(_kept(out), ignore_errors=True)
        os.mkdir(_kept(out))
        for path in glob.glob(os.path.join(modules, "kbuild", "*", "driver", "*.ko")):
            shutil.move(path, _kept(out))
        os.replace(os.path.join(work, "guest.cpio"), out)


def _kept(out):
    """The folder for the drivers with the debugger's data, which the guest itself has without."""
    return out.removesuffix(".cpio") + ".drivers"


def drivers(arch):
    """The guest's own drivers with the debugger's data, once its file system has been made."""
    return glob.glob(os.path.join(_kept(initramfs(arch)), "*.ko")) if arch == "x86_64" else []


def initramfs(arch):
    """The path of the guest's file system. Raises Refused."""
    if arch != "x86_64":
        raise Refused(f"--initramfs: none given, and the package has none for --arch {arch}")
    headers = places.headers(arch)
    out = places.cache(f"guest-{arch}-{_key(arch, headers)}.cpio")
    if os.path.exists(out):
        return out
    with places.alone():
        if not os.path.exists(out):
            progress(f"makes the guest for {os.path.basename(headers)}, once")
            _make(arch, headers, out)
            for old in glob.glob(places.cache(f"guest-{arch}-*.cpio")):
                if old != out:
                    os.unlink(old)
                    shutil.rmtree(_kept(old), ignore_errors=True)
    return out


def forget():
    """All that this module has kept."""
    shutil.rmtree(places.cache(), ignore_errors=True)
