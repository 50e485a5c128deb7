# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian packages for the guest (--add-package): got by this machine's apt, with what they depend on, and installed nowhere.

apt is asked with an empty list of what is installed, so that it names everything that a package needs. What it downloads, and checks, stays in
the user's cache. In the guest there is no dpkg: a package's files are put there, and its maintainer's scripts do not run.

The guest's own /bin and /lib stay as they are. What a package has there goes to /usr/bin and /usr/lib, as in a Debian whose /usr is merged;
only the dynamic linker has the name that programs know it by (/lib64).
"""

import io
import os
import re
import shutil
import stat
import subprocess
import tarfile

from workbench import Refused, places, progress

MARK = "perfboard/packages"  # what tells guest/initramfs/workbench of them
LEFT_OUT = re.compile(r"usr/share/(doc|doc-base|man|info|locale|lintian|bug|gcc|gdb)(/|$)")
NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def _apt(*words):
    """apt-get with a list of installed packages of its own; what it needs to write is in the user's cache."""
    cache = places.cache("apt")
    os.makedirs(os.path.join(cache, "archives", "partial"), exist_ok=True)
    status = os.path.join(cache, "status")
    open(status, "wb").close()
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(["apt-get", "-qq", "-y", "--no-install-recommends", "-o", f"Dir::State::status={status}", "-o", f"Dir::Cache={cache}",
                           "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", "-o", "Dpkg::Use-Pty=0", *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", env=environment)


def reason(done):
    """apt's own reason, in a line."""
    lines = [line[2:].strip() for line in done.stderr.splitlines() if line.startswith("E:")]
    return "; ".join(lines) or f"apt-get ended with status {done.returncode}"


def get(option, names, quiet):
    """Files of the packages and of all that they need. Raises Refused."""
    for program in ("apt-get", "dpkg-deb"):
        if not shutil.which(program):
            raise Refused(f"{option} {names[0]}: legal on a Debian only: there is no {program}")
    for name in names:
        if not NAME.fullmatch(name):
            raise Refused(f"{option} {name!r}: legal is the name of a Debian package")
    done = _apt("--simulate", "install", *names)
    if done.returncode:
        raise Refused(f"{option} {' '.join(names)}: legal are packages that apt here knows and can install (apt-get update renews what it knows): {reason(done)}")
    found = re.findall(r"^Inst (\S+) \((\S+) .*\[(\w+)\]\)", done.stdout, re.M)
    files = [places.cache("apt", "archives", f"{name.partition(':')[0]}_{version.replace(':', '%3a')}_{arch}.deb") for name, version, arch in found]
    if missing := [f for f in files if not os.path.exists(f)]:
        progress(f"apt gets {len(missing)} of {len(files)} packages", quiet)
        done = _apt("--download-only", "install", *names)
        if missing := [f for f in files if not os.path.exists(f)]:
            raise Refused(f"{option} {' '.join(names)}: {os.path.basename(missing[0])} cannot be had: {reason(done)}")
    return sorted(files)


def place(path):
    """Where a package's file goes in the guest."""
    path = os.path.normpath(path).lstrip("/")
    if path.startswith(("lib64/", "usr/lib64/")):
        return path.removeprefix("usr/")
    return "usr/" + path if path.split("/")[0] in ("bin", "sbin", "lib", "lib32", "libx32") else path


def members(file):
    """Yields (path in the guest, mode, bytes) of a package's files and links."""
    done = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise Refused(f"--add-package: {file}: {done.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as tar:
        for member in tar:
            path = place(member.name)
            if LEFT_OUT.match(path):
                continue
            if member.issym():
                target = os.path.normpath(os.path.join("/", os.path.dirname(member.name), member.linkname))
                yield path, stat.S_IFLNK | 0o777, os.fsencode("/" + place(target))
            elif member.isfile() or member.islnk():
                yield path, stat.S_IFREG | member.mode & 0o7777, tar.extractfile(member).read()


def add(archive, files):
    """Puts packages into the guest's second archive."""
    for file in files:
        for path, mode, data in members(file):
            archive.put(path, mode, data)
    archive.text(MARK, "".join(os.path.basename(file) + "\n" for file in files))
