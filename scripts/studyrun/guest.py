# SPDX-License-Identifier: GPL-2.0-or-later
"""guest - a study's guest, and what the plugin marks.so counts of it from outside, which costs the guest nothing.

  boot(words)                        runs perfboard's command line `words`; ends the study, with what was said, if that fails
  watched(path)                      options of it: marks.so writes into the file `path`
  marks(path)                        [(instructions of problem state, privileged ones, thread's name, if it is known)], of the machine so far, at each mark
"""

import os

from guestrun.demo import BUILD, run

PLUGIN = os.path.join(BUILD, "tests", "guest", "oracle", "marks.so")


def boot(words, name="study"):
    """name: who says that it failed."""
    run(words, "the guest", name=name)


def watched(path):
    return ["--qemu-arg=-plugin", f"--qemu-arg={PLUGIN},out={path}"]


def marks(path):
    with open(path, encoding="ascii") as f:
        return [(int(problem), int(privileged), "".join(thread)) for problem, privileged, *thread in map(str.split, f)]
