# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes that are machines of their own, in step in virtual time: each runs the same command.

  perfboard cluster -n 4 -- COMMAND...                     four nodes of the default machine
  perfboard cluster -n 4 [run's options] -- COMMAND...     what `perfboard run` takes, for each node

In what stands behind -n, {node} is the node's number and {nodes} how many there are: --log run-{node}.log, --add data-{node}.
Each line of a console has the node's number in front. --out keeps the consoles as DIR/node-N.console, and what a guest gives away with hostput
in DIR/node-N.

Time is the same on all nodes, and comes from counted instructions (--icount, 4 if it is not given): no node runs past what the others have
promised not to send before. So a packet arrives at its virtual time, and a run repeats bit for bit on any host, under any load. A node has one processor.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading

from guestrun.arch import ARCHS

from . import Refused, command, places

TAKES_COMMAND = True
PASSES_ON = True
PREFIX = "perfboard cluster: "
MOST = 16
EPILOG = """Exit status: the first one, by node, of the nodes' that is not 0 (perfboard run --help); 2: an option is wrong."""


def options(parser):
    parser.add_argument("-n", type=int, required=True, metavar="N", dest="nodes", help=f"how many nodes, 2 to {MOST}")
    parser.add_argument("--join", type=float, default=0, metavar="S",
                        help="in step from this virtual time on; until then each node runs as fast as it can, and sends nothing (0)")
    parser.add_argument("--patience", type=int, default=60, metavar="S",
                        help="host seconds after which a node that does not come or go on ends the others; 0: never (60)")
    parser.add_argument("--out", metavar="DIR", help="keep each node's console, and hostput's files")
    parser.add_argument("--quiet", action="store_true", help="consoles are not shown")


def check(args):
    if not 2 <= args.nodes <= MOST:
        raise Refused(f"-n {args.nodes}: legal are 2 to {MOST}")
    if not 0 <= args.join <= 1e6:
        raise Refused(f"--join {args.join:g}: legal are 0 to 1000000 seconds")
    if not 0 <= args.patience <= 10**6:
        raise Refused(f"--patience {args.patience}: legal are 0 to 1000000 seconds")
    if args.words is None:
        raise Refused("no command: perfboard cluster -n N -- COMMAND...")
    if args.out is not None:
        os.makedirs(args.out, exist_ok=True)


def node_of(device, node, nodes):
    """A default device, as that node's: one that knows of nodes."""
    parts = device.split(",")
    if not any(p.startswith("nodes=") for p in parts):
        return device
    kept = [p for p in parts if p.partition("=")[0] not in ("node", "nodes")]
    return ",".join([*kept, f"node={node}", f"nodes={nodes}", "fabric=cluster"])


def run_words(args, file, node):
    """perfboard run's, for that node."""
    def own(word):
        return word.replace("{node}", str(node)).replace("{nodes}", str(args.nodes))

    words = [own(word) for word in args.more]
    given = command.parse(["run", *words, "--", *args.words], command.modules())
    if not given.board and not given.device:
        for device in ARCHS[given.arch].boards:
            words += ["--device", node_of(device, node, args.nodes)]
    if args.out is not None:
        words += ["--out", os.path.join(args.out, f"node-{node}")]
    if given.icount is None:
        words += ["--icount", "4"]
    plugin = given.plugin or places.plugin()
    cluster = f",cluster={file},node={node},nodes={args.nodes},join={round(args.join * 1e9)},patience={args.patience}"
    return ["run", *words, "--plugin", plugin + cluster, "--", *[own(word) for word in args.words]]


class Node(threading.Thread):
    """One machine, and its console."""

    def __init__(self, args, words, node):
        super().__init__(daemon=True)
        self.args, self.node = args, node
        self.lost = None  # the first OSError: somebody does not take the console
        self.kept = open(os.path.join(args.out, f"node-{node}.console"), "wb", buffering=0) if args.out is not None else None
        program = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "perfboard")
        self.process = subprocess.Popen([sys.executable, program, *words], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def show(self, line):
        if self.kept:
            self.kept.write(line)
        if not self.args.quiet:
            sys.stdout.write(f"{self.node}| {line.decode(errors='replace').rstrip()}\n")
            sys.stdout.flush()

    def run(self):
        for line in self.process.stdout:  # to its end, whoever takes it: a full pipe would hold the node back
            try:
                self.lost or self.show(line)
            except OSError as e:
                self.lost = e
                if self.kept and not isinstance(e, BrokenPipeError):
                    e.filename = self.kept.name


def main(args):
    check(args)
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="perfboard-cluster-", dir=shared)
    nodes = []
    try:
        words = [run_words(args, os.path.join(folder, "nodes"), node) for node in range(args.nodes)]  # what is wrong is said before any starts
        for node in range(args.nodes):
            nodes.append(Node(args, words[node], node))
        for node in nodes:
            node.start()
        for node in nodes:
            node.process.wait()
            node.join()
    finally:
        for node in nodes:
            if node.process.poll() is None:
                node.process.terminate()
        for node in nodes:
            node.process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    for node in nodes:
        if node.lost:
            raise node.lost
    return next((n.process.returncode for n in nodes if n.process.returncode), 0)
