# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of scripts/bench with a SMiLE monitor that counts."""

from benchrun.row import Row


def row(place, keys, text, **more):
    """keys: where they are while it counts: outside of the window, home or remote. In Linux radix knows no window."""
    def check(said):
        if said.get("running") != "1" or (int(said.get("packets", 0)) > 0) != (keys == "remote"):
            return "the monitor has not counted what crossed the network"

    return Row(place, f"smile-{keys}", text, devices=["smile-sci", "smile-hwm,node=0"], word=f"smile {keys}", quick=True, check=check,
               linux="smile start && {} && smile stop", timed=keys == "outside", vcpus=2,  # a node is a processor; the second one sleeps
               **more)


ROWS = [
    row(200, "outside", "SMiLE counts, keys in ordinary memory", aim=1.0, held=True),
    row(210, "home", "SMiLE counts, keys in the window, at home", aim=1.05, held=True),
    row(220, "remote", "SMiLE counts, each access to a key crosses the network", aim=14, held=True),
]
MODULES = ("sci", "smile")
PROGRAMS = (("tools", "smile"),)
