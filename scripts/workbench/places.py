# SPDX-License-Identifier: GPL-2.0-or-later
"""Where Perfboard's things are: in the source tree, or installed below a prefix.

                        source tree                     installed (PREFIX is where this file is found, usually /usr)
  the command           scripts/perfboard               PREFIX/share/perfboard/perfboard, with a link PREFIX/bin/perfboard
  its parts             scripts/workbench, guestrun     PREFIX/share/perfboard/workbench, guestrun
  module for Python     scripts/python/perfboard        PREFIX/lib/python3/dist-packages/perfboard
  list of the boards    hw/boards                       PREFIX/share/perfboard/boards
  version               scripts/version gives it        PREFIX/share/perfboard/version
  names of a board      build/BOARD.names.json          PREFIX/share/perfboard/names/BOARD.names.json
  guest's sources       guest/                          PREFIX/share/perfboard/guest/ (linux, initramfs, */driver, */uapi.h,
                                                        */regs.h, */events.h as in the tree)
  plugin                build/perfboard.so              PREFIX/lib/perfboard/perfboard.so (and perfboard-SERIES.so beside it)
  how far nodes are     build/hw/cluster/perfboard-nodes        PREFIX/lib/perfboard/bin/perfboard-nodes
  carrier of a cluster  build/hw/cluster/perfboard-carrier     PREFIX/lib/perfboard-mpi/perfboard-carrier, if it was built
  guest's programs      in build/initramfs.cpio         PREFIX/lib/perfboard/guest/bin/*        static, to /bin of the guest
  guest's scripts       in build/initramfs.cpio         PREFIX/lib/perfboard/guest/tests/*      to /tests
  bitstreams            in build/initramfs.cpio         PREFIX/lib/perfboard/guest/firmware/*   to /firmware
  drivers' firmware     in build/initramfs.cpio         PREFIX/lib/perfboard/guest/lib/firmware/BOARD/*  to /lib/firmware/BOARD
  guest's file system   build/initramfs.cpio            made at first use (provision.py), in the user's cache
  kernel                guest/linux/kernel finds it     the same script, in /boot, with its headers in /usr/src

Environment: PERFBOARD_BUILD, the Meson build folder (source tree only); PERFBOARD_BOARDS, another list of boards, for a plugin with more
(PERFBOARD_SO), with their names beside it; XDG_CACHE_HOME.
"""

import contextlib
import fcntl
import glob
import os
import pathlib
import socket
import stat
import subprocess

from . import Refused

SCRIPTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_ABOVE = os.path.dirname(SCRIPTS)
ROOT = _ABOVE if os.path.exists(os.path.join(_ABOVE, "hw", "boards")) else None  # of the source tree; None: installed
INITRAMFS = {"x86_64": "initramfs.cpio", "ppc64": os.path.join("guest", "ppc64", "initramfs-ppc64.cpio")}


def build(*parts):
    """In the build folder of the source tree."""
    return os.path.join(os.environ.get("PERFBOARD_BUILD") or os.path.join(ROOT, "build"), *parts)


def library(*parts):
    """What was compiled, where it is installed."""
    return os.path.join(os.path.dirname(_ABOVE), "lib", "perfboard", *parts)


def boards():
    if listed := os.environ.get("PERFBOARD_BOARDS"):
        return listed
    return os.path.join(ROOT, "hw", "boards") if ROOT else os.path.join(SCRIPTS, "boards")


def version():
    """"0.1.0 (commit 098a310d9d09)"."""
    if ROOT:
        return subprocess.run([os.path.join(SCRIPTS, "version")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with open(os.path.join(SCRIPTS, "version"), encoding="ascii") as f:
        return f.read().strip()


def names(board):
    """What patterns of accesses may name of a board."""
    if (listed := os.environ.get("PERFBOARD_BOARDS")) and os.path.exists(own := os.path.join(os.path.dirname(listed), board + ".names.json")):
        return own
    return build(board + ".names.json") if ROOT else os.path.join(SCRIPTS, "names", board + ".names.json")


def guest(*parts):
    """The guest's sources."""
    return os.path.join(ROOT or SCRIPTS, "guest", *parts)


def page(*parts):
    """A manual page of README's. Debian packs long ones."""
    path = os.path.join(ROOT or os.path.join(os.path.dirname(_ABOVE), "share", "doc", "perfboard"), *parts)
    return path + ".gz" if os.path.exists(path + ".gz") else path


def plugin():
    return build("perfboard.so") if ROOT else library("perfboard.so")


def nodes():
    """Tells how far the nodes of a cluster are."""
    return build("hw", "cluster", "perfboard-nodes") if ROOT else library("bin", "perfboard-nodes")


def carrier():
    """Of nodes on several hosts; there where MPI was when all was built."""
    return build("hw", "cluster", "perfboard-carrier") if ROOT else os.path.join(library() + "-mpi", "perfboard-carrier")


def cache(*parts):
    """Below the user's cache; not made here."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "perfboard", *parts)


def closed(folder):
    """Whether nobody but this user and root can come to what is in a folder. Raises OSError."""
    real = pathlib.Path(os.path.realpath(folder, strict=True))
    for at in (*reversed(real.parents), real):
        found = at.stat()
        if found.st_uid not in (0, os.geteuid()):
            return False
        if not found.st_mode & 0o011:
            return True
        if found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX:
            return False  # somebody may put another folder in the next one's place
    return False


def own_socket(option, path):
    """The path, if QEMU may listen there. Whoever comes to its monitor, and gdb's line leads there as well, has the rights of who started it. Raises Refused."""
    try:
        if path.isdigit() or not closed(os.path.dirname(os.path.abspath(path))):
            raise Refused(f"{option} {path}: whoever connects has QEMU's monitor and your rights; legal is a socket in a folder that only you may enter (mode 0700)")
        if os.path.lexists(path) and not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise Refused(f"{option} {path}: there is another file; legal is a socket, which QEMU makes")
        with socket.socket(socket.AF_UNIX) as other:
            if other.connect_ex(path) == 0:
                raise Refused(f"{option} {path}: a machine that runs has it; legal is a socket that nobody listens at")
    except OSError as e:
        raise Refused(f"{option} {path}: {e.strerror}; legal is a socket in a folder that is there") from None
    return path


@contextlib.contextmanager
def cached(folder=None):
    """A folder of the cache, or all of it, is there. What cannot be written raises Refused."""
    folder = folder or cache()
    try:
        os.makedirs(folder, exist_ok=True)
        yield
    except OSError as e:
        raise Refused(f"{e.filename or folder}: {e.strerror}; legal is a cache folder that can be written (XDG_CACHE_HOME)") from None


@contextlib.contextmanager
def alone(folder=None):
    """The same, and another one that is making something there has done so."""
    with cached(folder), open(os.path.join(folder or cache(), "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _kernel(arch, option, *more):
    found = subprocess.run([guest("linux", "kernel"), "--arch", arch, *more],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if found.returncode:
        raise Refused(f"{option}: none given, and {found.stderr.strip()}")
    return found.stdout.strip()


def kernel(arch="x86_64", release=None):
    """What the guest boots unless --kernel names another. release: of its drivers, as a newer kernel would refuse them."""
    return _kernel(arch, "--kernel", *(["--release", release] if release and arch == "x86_64" else []))


def headers(arch="x86_64"):
    """What modules for that kernel are built against."""
    return _kernel(arch, "--headers", "--headers")


def drivers(arch="x86_64"):
    """The guest's own drivers with the debugger's data, as far as they are there."""
    if ROOT:
        return glob.glob(build("guest", *(["ppc64"] if arch == "ppc64" else []), "kbuild", "*", "driver", "*.ko"))
    from . import provision
    return provision.drivers(arch)


def initramfs(arch="x86_64"):
    """The guest's file system; installed, it is made when it is first asked for."""
    if ROOT:
        return build(INITRAMFS[arch])
    from . import provision  # not in the source tree: there Meson makes it
    return provision.initramfs(arch)
