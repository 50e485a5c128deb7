# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel of Debian's by its name (--kernel 6.12, 6.12.117+deb12-cloud-amd64, linux-image-6.12.117+deb12-cloud-amd64), and its headers: installed on this
machine, or got by its apt, once, and kept in the user's cache. Nothing is installed.

    find("--kernel", "6.12", quiet)     a folder /lib/modules/RELEASE for tree.py, of the newest that the name says
"""

import glob
import os
import re
import shutil
import subprocess

from workbench import Refused, places, progress

from . import packages, tree

NAMED = re.compile(r"(?:linux-image-)?([0-9]+\.[0-9]+(?:[.+~-][0-9A-Za-z.+~-]*)?)")
FLAVOURS = ("-amd64", "-cloud-amd64")  # the guest needs no drivers of real hardware: the last is taken first
PARTS = re.compile(r"linux-(headers-.*-common|kbuild-.*|binary-.*|modules-.*)")


def is_named(value):
    return NAMED.fullmatch(value) and not os.path.exists(value)


def _newest(releases, wanted):
    """The one that the name means, or None."""
    def flavour(release):
        return max((n for n, end in enumerate(FLAVOURS) if release.endswith(end)), default=-1)

    def means(release):
        return release == wanted or (re.match(re.escape(wanted) + r"[.+-]", release) and re.fullmatch(r".*[0-9]-(cloud-)?amd64", release)
                                     and release.count(".") > 1)

    def number(release):
        return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", release)]
    return max(filter(means, releases), key=lambda release: (flavour(release), number(release)), default=None)


def _here(top, wanted):
    """A folder below top, the root of a file system."""
    found = {os.path.basename(os.path.dirname(build)): os.path.dirname(build)
             for lib in ("usr/lib", "lib") for build in glob.glob(os.path.join(glob.escape(top), lib, "modules", "*", "build"))
             if os.path.exists(os.path.join(build, "Makefile")) and tree.boots(os.path.dirname(build))}
    return found.get(_newest(found, wanted))


def _run(*words, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", env={**os.environ, "LC_ALL": "C.UTF-8"}, **more)


def _packages(release):
    """The kernel's, its headers' and what these are in parts."""
    names = [f"linux-image-{release}", f"linux-headers-{release}"]
    for name in names:
        needed = re.findall(r"^ *\|?Depends: (\S+)$", _run("apt-cache", "depends", name).stdout, re.M)
        names += [n for n in needed if PARTS.fullmatch(n) and n not in names]
    return names


def _unpack(folder, kept, release):
    """Links and the headers' Makefile lead to where the packages would be installed."""
    for package in glob.glob(os.path.join(folder, "*.deb")):
        done = _run("dpkg-deb", "-x", package, folder)
        if done.returncode:
            raise Refused(f"{package}: {done.stderr.strip()}")
        os.unlink(package)
    links = [os.path.join(at, name) for top in ("usr/src/*", "lib/modules/*", "usr/lib/modules/*") for at in glob.glob(os.path.join(folder, top))
             for name in os.listdir(at)]
    for link in links:
        if os.path.islink(link) and os.readlink(link).startswith("/"):
            target = os.path.join(folder, os.readlink(link).lstrip("/"))
            os.unlink(link)
            os.symlink(os.path.relpath(target, os.path.realpath(os.path.dirname(link))), link)
    makefile = os.path.join(folder, "usr/src", f"linux-headers-{release}", "Makefile")
    with open(makefile, encoding="utf-8") as f:
        text = f.read()
    with open(makefile, "w", encoding="utf-8") as f:
        f.write(text.replace("/usr/src", os.path.join(kept, "usr/src")))


def _get(option, release, quiet):
    kept, folder = places.cache("linux", release), places.cache("linux", "." + release)
    with places.alone(places.cache("linux")):
        if os.path.exists(kept):
            return
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        names = _packages(release)
        progress(f"apt gets Linux {release} and its headers, {len(names)} packages, once", quiet)
        done = _run("apt-get", "-o", "APT::Sandbox::User=root", "download", *names, cwd=folder)
        if done.returncode:
            raise Refused(f"{option} {release}: its packages cannot be had: {packages.reason(done)}")
        _unpack(folder, kept, release)
        os.rename(folder, kept)


def find(option, value, quiet):
    wanted = NAMED.fullmatch(value)[1]
    for top in ("/", *glob.glob(os.path.join(glob.escape(places.cache("linux")), "*", ""))):
        if found := _here(top, wanted):
            return found
    known = re.findall(r"^linux-headers-(\S+)$", _run("apt-cache", "pkgnames", "linux-headers-").stdout, re.M) if shutil.which("apt-cache") else []
    release = _newest(known, wanted)
    if not release:
        raise Refused(f"{option} {value}: no such kernel with its headers is in /lib/modules, and apt here knows none; legal are a kernel's file or folder, "
                      "and such as 6.12 of those that apt knows (apt-cache search linux-headers-)")
    _get(option, release, quiet)
    return _here(places.cache("linux", release), release)
