# SPDX-License-Identifier: GPL-2.0-or-later
"""A module without the debugger's data, which is twenty times the rest. Nor with a build ID: that is a sum over them."""

import os
import shutil
import subprocess
import tempfile

from workbench import Refused

from .arch import ARCHS


def stripped(path, arch):
    """Its bytes. Raises Refused."""
    with tempfile.TemporaryDirectory(prefix="perfboard-strip-") as work:
        out = os.path.join(work, "module.ko")
        done = subprocess.run([ARCHS[arch].cross + "strip", "--strip-debug", "--remove-section=.note.gnu.build-id", "-o", out, path],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode:
            raise Refused(f"{path}: not stripped: {done.stderr.strip()}")
        with open(out, "rb") as f:
            return f.read()


def for_guest(path, arch):
    """The path, or bytes if it has the debugger's data: so a guest is the same with and without them."""
    with open(path, "rb") as f:
        has = b".debug_info\0" in f.read()
    return stripped(path, arch) if has and shutil.which(ARCHS[arch].cross + "strip") else path
