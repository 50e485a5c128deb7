# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster that is saved at one virtual time, and one that goes on from there, for perfboard cluster.

The folder has of node N: node-N, its machine, as QEMU's migration writes it; node-N.console and node-N.records, what its serial ports have said
until then (guestrun/console.py). cluster.json: how it was started.
"""

import contextlib
import json
import os
import shutil
import time
from typing import NamedTuple

from guestrun import console

from . import Refused, places, qmp

STARTED = "cluster.json"
KEPT = ("nodes", "join", "before", "lan", "more", "words")


class Saves(NamedTuple):
    ns: int
    folder: str


class Failed(Refused):
    """Not what the user has typed, but what became of it."""


def wanted(args, hosts):
    """What --save says, or None."""
    if hosts > 1 and (args.save is not None or args.load is not None):
        raise Refused("--save and --load: legal on one host")
    if args.save is None:
        return None
    at, _, folder = args.save.partition("=")
    try:
        ns = round(float(at) * 1e9)
    except (ValueError, OverflowError):
        ns = 0
    if not 0 < ns <= 10**15 or not folder:
        raise Refused(f"--save {args.save}: legal is S=DIR, with more than 0 and up to 1000000 seconds")
    if args.load is not None and ns <= args.loaded_ns:
        raise Refused(f"--save {args.save}: legal are more than the {args.loaded_ns / 1e9:.9g} s of --load")
    os.makedirs(folder, exist_ok=True)
    return Saves(ns, folder)


def take_up(args):
    """The options of a cluster that was saved."""
    for name, given in (("-n", args.nodes is not None), ("--join", args.join is not None), ("--before", args.before is not None), ("--lan", args.lan is not None), ("a command", args.words is not None), *((w, True) for w in args.more[:1])):
        if given:
            raise Refused(f"--load {args.load}: {name} is not legal with it: that is as it was saved")
    try:
        with open(os.path.join(args.load, STARTED), encoding="utf-8") as f:
            kept = {"before": None} | json.load(f)  # 0.1.0 has none
        for name in KEPT:
            setattr(args, name, kept[name])
        args.loaded_ns = kept["ns"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as e:
        raise Refused(f"--load {args.load}: no cluster was saved there: {e}") from None


def files(folder, node):
    return os.path.join(folder, f"serial-{node}")


def monitor(folder, node):
    return os.path.join(folder, f"{node}.qmp")


def run_words(args, folder, node):
    """More for perfboard run."""
    if not args.saves and args.load is None:
        return []
    os.makedirs(files(folder, node))
    more = ["-qmp", f"unix:{monitor(folder, node)},server=on,wait=off", "-global", "ivshmem-plain.master=on"]
    if args.load is not None:
        more += ["-incoming", "defer"]
        for name in console.NAMES:
            shutil.copyfile(os.path.join(args.load, f"node-{node}.{name}"), os.path.join(files(folder, node), name))
    return ["--files", files(folder, node), *(f"--qemu-arg={word}" for word in more)]


def completed(monitors, path):
    for node, m in enumerate(monitors):
        while (said := m.do("query-migrate")).get("status") != "completed":
            if said.get("status") in ("failed", "cancelled"):
                raise Failed(f"{path(node)}: {said.get('error-desc', 'failed')}")
            time.sleep(0.02)


def state(folder, node):
    return os.path.join(os.path.abspath(folder), f"node-{node}")


def each(monitors, execute, folder):
    for node, m in enumerate(monitors):
        m.do(execute, uri="file:" + state(folder, node))
    completed(monitors, lambda node: state(folder, node))


def save(args, folder, monitors):
    to = args.saves.folder
    for m in monitors:
        m.event({"STOP"})
        if m.do("query-status")["status"] != "paused":
            raise Failed(f"--save {args.save}: a node had ended by then")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(to, STARTED))  # until all of it is there
    for node in range(args.nodes):
        for name in console.NAMES:
            shutil.copyfile(os.path.join(files(folder, node), name), os.path.join(to, f"node-{node}.{name}"))
    each(monitors, "migrate", to)
    with open(os.path.join(to, STARTED), "w", encoding="utf-8") as f:
        json.dump({"version": places.version(), "ns": args.saves.ns, **{name: getattr(args, name) for name in KEPT}}, f, indent=1)


def work(args, folder, nodes):
    """What --save and --load need of the nodes, which have been started."""
    if not args.saves and args.load is None:
        return
    with contextlib.ExitStack() as stack:
        try:
            monitors = [stack.enter_context(qmp.Monitor(monitor(folder, n), lambda node=node: node.process.poll() is None)) for n, node in enumerate(nodes)]
            if args.load is not None:
                each(monitors, "migrate-incoming", args.load)
                for m in monitors:
                    m.do("cont")
            if args.saves:
                save(args, folder, monitors)
                for m in monitors:
                    m.do("cont")
        except qmp.Gone:
            if not args.saves:
                return  # how the nodes ended says it
            raise Failed(f"--save {args.save}: a node had ended by then") from None
        except qmp.Error as e:
            raise Failed(str(e)) from None
