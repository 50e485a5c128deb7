# SPDX-License-Identifier: GPL-2.0-or-later
"""The fuzz targets, from Meson's own lists, built with clang in a folder of their own."""

import json
import os
import subprocess
from dataclasses import dataclass


class Error(Exception):
    pass


@dataclass(frozen=True)
class Target:
    name: str
    part: str     # folder of tests/fuzz: a board's name, or another part's
    program: str
    kept: str     # the archive of the tree


def _do(words, **more):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode:
        raise Error(f"{' '.join(words)} failed:\n{done.stdout[-4000:]}")


def _clang_works():
    program = b'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    try:
        return subprocess.run(["clang++", "-fsanitize=fuzzer,address,undefined", "-x", "c++", "-", "-o", "/dev/null"], input=program,
                              capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def targets(root, cache):
    """All of them. Makes the build folder; builds nothing."""
    folder = os.path.join(cache, "build")
    if not _clang_works():
        _do([os.path.join(root, "scripts", "setup"), "fuzz"])
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        os.makedirs(cache, exist_ok=True)
        _do(["meson", "setup", folder, root, "-Dfuzzer=enabled", "-Dguest_image=disabled", "-Dwerror=false"], env=dict(os.environ, CC="clang", CXX="clang++"))
    said = subprocess.run(["meson", "introspect", "--targets", folder], capture_output=True, text=True)
    if said.returncode:
        raise Error(f"meson introspect failed:\n{said.stderr}")
    return named(json.loads(said.stdout))


def named(introspected):
    """The fuzz targets among what Meson says of all targets."""
    found = []
    for t in introspected:
        if t["name"].startswith("fuzz-") and t["type"] == "executable":
            name = t["name"].removeprefix("fuzz-")
            sources = [s for group in t["target_sources"] for s in group.get("sources", [])]
            beside = os.path.dirname(next(s for s in sources if s.endswith("_fuzz.cc")))
            found.append(Target(name, os.path.basename(beside), t["filename"][0], os.path.join(beside, name + ".corpus")))
    return sorted(found, key=lambda t: t.name)


def build(cache, chosen):
    folder = os.path.join(cache, "build")
    _do(["ninja", "-C", folder] + [os.path.relpath(t.program, folder) for t in chosen])
