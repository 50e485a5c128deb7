# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's 9p for the guest's kernel, which Debian's cloud kernel is without: modules, built once from Debian's package of the kernel's source.

What 9p stands on (virtio, netfs) comes along, as the guest has no other modules than its drivers. All is kept: the few folders of the
source, and the modules of each kernel. In the source tree that is .cache/share, where scripts/setup test puts them; else the user's cache.

  python3 -m guestrun.p9_modules ARCH  makes those of the guest's kernel now
"""

import contextlib
import fcntl
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from workbench import Refused, places, progress

from .arch import ARCHS

PARTS = ("drivers/virtio", "fs/netfs", "fs/fscache", "net/9p", "fs/9p")
FSCACHE_ENDS = (6, 8)  # from here on it is a part of netfs
TOPS = ("virtio_pci", "9pnet_virtio", "9p")  # what the guest asks for; all else are their dependencies
CONFIG = "CONFIG_NET_9P=m CONFIG_NET_9P_VIRTIO=m CONFIG_9P_FS=m CONFIG_NET_9P_FD= CONFIG_NET_9P_XEN= CONFIG_NET_9P_RDMA= CONFIG_NET_9P_USBG= " \
         "CONFIG_VIRTIO_BALLOON= CONFIG_VIRTIO_INPUT= CONFIG_VIRTIO_MEM= CONFIG_VIRTIO_MMIO= CONFIG_VIRTIO_VDPA= " \
         "CONFIG_VIRTIO_DMA_SHARED_BUFFER= CONFIG_DEBUG_INFO_BTF_MODULES="


def cache(*parts):
    return os.path.join(places.ROOT, ".cache", "share", *parts) if places.ROOT else places.cache("share", *parts)


def parts(series):
    """Folders of the source of a kernel."""
    old = tuple(map(int, series.split("."))) < FSCACHE_ENDS
    return [p for p in PARTS if old or p != "fs/fscache"]


def headers(arch, release):
    """The kernel's headers, or None."""
    with contextlib.suppress(Refused):
        for folder in (f"/usr/src/linux-headers-{release}", f"/lib/modules/{release}/build") if arch == "x86_64" else [places.headers(arch)]:
            with contextlib.suppress(OSError), open(os.path.join(folder, "include/generated/utsrelease.h"), encoding="ascii") as f:
                if f'"{release}"' in f.read():
                    return folder
    return None


def _do(what, words, **more):
    """Raises Refused with the last line of what the program said."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    except FileNotFoundError:
        raise Refused(f"--share: {what}: there is no {words[0]}") from None
    if done.returncode:
        lines = done.stdout.strip().splitlines()
        said = [line for line in lines if re.search(r"\berror\b|^E:|^ERROR", line, re.I) and "***" not in line] or lines[-1:] or ["nothing"]
        raise Refused(f"--share: {what}: {words[0]} ended with status {done.returncode}: {said[0].strip()}")


def version_of(folder):
    """Of Debian's package of the headers; '' for other headers."""
    with contextlib.suppress(OSError), open(os.path.join(folder, "include/generated/package.h"), encoding="ascii") as f:
        if found := re.search(r'" Debian (\S+)"', f.read()):
            return found[1]
    return ""


def source(series, version, say):
    """The folder with parts() of the kernel's source: of that version, if apt still has it. A series of Debian's changes inside, too."""
    package = f"linux-source-{series}"
    out = cache(f"{package}_{version or 'any'}")
    if os.path.exists(out):
        return out
    archive = f"/usr/src/{package}.tar.xz"
    with tempfile.TemporaryDirectory(prefix=".getting-", dir=cache()) as work:
        if not os.path.exists(archive):
            say(f"gets Debian's {package} for 9p, which the guest's kernel lacks: 140 MB, once")
            download = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download"]
            if not version or subprocess.run([*download, f"{package}={version}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL, cwd=work).returncode:  # an older kernel's has left the archive
                _do(f"getting {package} (apt-get update renews what apt knows)", [*download, package], cwd=work)
            _do(f"unpacking {package}", ["dpkg-deb", "-x", *glob.glob(os.path.join(work, "*.deb")), os.path.join(work, "package")])
            archive = os.path.join(work, "package" + archive)
        _do(f"unpacking {package}", ["tar", "-xJf", archive, "-C", work, *(f"{package}/{p}" for p in parts(series))])
        os.replace(os.path.join(work, package), out)
    return out


def _ordered(built):
    """Those of the modules that TOPS need, each behind what it depends on. built: {name: path}."""
    from . import overlay  # which has this module's user
    found = []

    def visit(name):
        path = built.get(name)
        if path is None or path in found:
            return  # in the kernel itself
        for depends in overlay.modinfo(path).get("depends", []):
            for other in filter(None, depends.split(",")):
                if other not in built:
                    raise Refused(f"--share: the module {name} needs {other}, which is not there")
                visit(other)
        found.append(path)

    for top in TOPS:
        visit(top)
    return found


def _build(arch, release, folder, out, say):
    for program in ("apt-get", "dpkg-deb", "tar", "xz", "make", ARCHS[arch].cross + "gcc"):
        if not shutil.which(program):
            raise Refused(f"--share: 9p for the guest's kernel is built on a Debian only, and there is no {program}")
    series = re.match(r"\d+\.\d+", release)[0]
    tree = source(series, version_of(folder), say)
    say(f"builds 9p for the kernel {release}, once")
    with tempfile.TemporaryDirectory(prefix=".building-", dir=cache()) as work:
        here = os.path.join(work, "tree")
        shutil.copytree(tree, here)
        with open(os.path.join(here, "Kbuild"), "w", encoding="ascii") as f:
            f.write("obj-y := " + " ".join(p + "/" for p in parts(series)) + "\n")
        words = ["make", "-s", f"-j{os.cpu_count() or 1}", "-C", folder, f"M={here}", "KCFLAGS=-g0", *CONFIG.split()]
        _do("building 9p", [*words, *ARCHS[arch].make, "modules"], env={k: v for k, v in os.environ.items() if k not in ("ARCH", "CROSS_COMPILE", "MAKEFLAGS")})
        made = os.path.join(work, "made")
        os.mkdir(made)
        found = _ordered({os.path.basename(p)[:-3].replace("-", "_"): p for p in glob.glob(os.path.join(here, "**", "*.ko"), recursive=True)})
        for path in found:
            _do("building 9p", [ARCHS[arch].cross + "strip", "--strip-debug", "-o", os.path.join(made, os.path.basename(path)), path])
        with open(os.path.join(made, "order"), "w", encoding="ascii") as f:
            f.writelines(os.path.basename(path) + "\n" for path in found)
        os.replace(made, out)


def modules(arch, kernel, quiet):
    """Files of the modules, in the order to load them; none for a kernel whose headers are not here: it may have 9p in itself."""
    from . import overlay  # which has this module's user
    release = overlay.kernel_release(kernel)
    folder = headers(arch, release) if release else None
    if not folder:
        return []
    out = cache(f"{arch}-{release}")

    try:
        if not os.path.exists(out):
            os.makedirs(cache(), exist_ok=True)
            with open(cache("lock"), "w", encoding="ascii") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # another one may be making it
                if not os.path.exists(out):
                    _build(arch, release, folder, out, lambda text: progress(text, quiet))
        with open(os.path.join(out, "order"), encoding="ascii") as f:
            return [os.path.join(out, name) for name in f.read().split()]
    except OSError as e:
        raise Refused(f"--share: {e.filename or cache()}: {e.strerror}; legal is a folder that can be written, with 400 MB free") from None


if __name__ == "__main__":
    try:
        modules(sys.argv[1], places.kernel(sys.argv[1]), False)
    except Refused as e:
        sys.exit(f"perfboard: {e}")
