# SPDX-License-Identifier: GPL-2.0-or-later
"""measure - boots a POWER guest with the monitor, has commands run there, and brings back what they said.

  boot(out, commands, device=DEVICE, smp=1, marks=False)     {name: what the command of that name has written}
  between_marks(out)                                         [(problem state, privileged state)] of each pair of marks

commands: {name: command}. The guest has the study's programs. With marks the plugin marks.so counts instructions from outside, which costs the guest
nothing; device None: no monitor is in the machine.
"""

import os
import shutil

from guestrun.demo import BUILD, GUEST_RUN
from studyrun import guest

PROGRAMS = os.path.join(BUILD, "guest", "ppc64")
INITRAMFS = os.path.join(PROGRAMS, "initramfs-ppc64.cpio")
DEVICE = "power2-pm,node=thin"
ADDED = ("p2study", "p2schedule")


def words(out, commands, device=DEVICE, smp=1, marks=False):
    """The guest's command line."""
    plugged = ["--no-boards"] if not device else ["--device", device]
    watched = guest.watched(os.path.join(out, "marks")) if marks else []
    adds = [word for name in ADDED for word in ("--add", f"{os.path.join(PROGRAMS, name)}=/bin/{name}")]
    # Else a program lies elsewhere in each run.
    script = ["echo 0 >/proc/sys/kernel/randomize_va_space", *(f"{{ {command}; }} >said && hostput {name} <said" for name, command in commands.items())]
    return [GUEST_RUN, "--quiet", "--arch", "ppc64", "--initramfs", INITRAMFS, "--timeout", "2400", "--icount", "4", "--smp", str(smp), *plugged, *watched,
            "--out", out, *adds, "--", " && ".join(script)]


def boot(out, commands, device=DEVICE, smp=1, marks=False):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    guest.boot(words(out, commands, device, smp, marks))
    said = {}
    for name in commands:
        with open(os.path.join(out, name), encoding="ascii") as f:
            said[name] = f.read()
    return said


def between_marks(out):
    lines = [mark[:2] for mark in guest.marks(os.path.join(out, "marks"))]
    return [tuple(after - before for before, after in zip(*lines[n:n + 2])) for n in range(0, len(lines), 2)]
