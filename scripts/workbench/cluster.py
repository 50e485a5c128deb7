# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes that are machines of their own, in step in virtual time: each runs the same command.

  perfboard cluster -n 4 -- COMMAND...                     four nodes of the default machine
  perfboard cluster -n 4 [run's options] -- COMMAND...     what `perfboard run` takes, for each node

In what stands behind -n, {node} is the node's number and {nodes} how many there are: --log run-{node}.log, --add data-{node}.
Each line of a console has the node's number in front. --out keeps the consoles as DIR/node-N.console, and what a guest gives away with hostput
in DIR/node-N.

Time is the same on all nodes, and comes from counted instructions (--icount, 4 if it is not given): no node runs past what the others have
promised not to send before. So a packet arrives at its virtual time, and a run repeats bit for bit on any host, under any load. A node has one processor.

The nodes can be saved, all at one virtual time, and go on; others begin from what was saved, at that time, and end as they do:

  perfboard cluster -n 4 --save 12.5=FOLDER -- COMMAND     saved in FOLDER when 12.5 s of virtual time have passed
  perfboard cluster --load FOLDER                          the same nodes, options and command

Time may also be the host's, for work that need not repeat:

  perfboard cluster -n 4 --free -- COMMAND

Several hosts, over MPI: each rank of mpirun, or task of a Slurm step, is a host, and the nodes are divided among them in their order.

  perfboard cluster --hosts a,b -n 4 -- COMMAND            nodes 0 and 1 on a, 2 and 3 on b: starts mpirun
  mpirun -n 2 perfboard cluster -n 4 -- COMMAND            the same
"""

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from guestrun import image, lan, options as checked
from guestrun.arch import ARCHS

from . import Refused, cluster_saved, command, places, safe, unguarded

TAKES_COMMAND = True
PASSES_ON = True
PREFIX = "perfboard cluster: "
MOST, MOST_HOSTS = 1024, 64
BOOT = 30  # s of virtual time: a guest of ours has booted, of 16 ns an instruction (--icount 4), whatever its kernel and machine; to wait costs next to nothing
PROGRAM = os.path.join(places.SCRIPTS, "perfboard")
EPILOG = """Exit status: the first one, by node, of the nodes' that is not 0 (perfboard run --help); 2: an option is wrong."""


def join_time(given):
    """Seconds, or "boot"; given: what was typed, or kept in a saved cluster, or None."""
    if given == "boot":
        return given
    try:
        number = float(given or 0)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number <= 1e6:
        raise Refused(f"--join {given}: legal are 0 to 1000000 seconds, and boot")
    return number


def options(parser):
    parser.add_argument("-n", type=int, metavar="N", dest="nodes", help=f"how many nodes, 2 to {MOST}")
    parser.add_argument("--join", metavar="S",
                        help="in step from this virtual time on (0); until then each node runs as fast as it can, and sends nothing; "
                        f"a guest of ours begins its command then, if it has booted; boot: {BOOT} s")
    parser.add_argument("--before", metavar="LINE", help="with --join: this line of the guest's shell runs first, while nodes are not in step, which costs "
                        "less; what it sends is lost. If it fails the command is not run, and its status is the node's")
    parser.add_argument("--free", action="store_true",
                        help="nodes run as fast as they can, with the host's time, and with several processors if --smp says so; no run repeats")
    parser.add_argument("--patience", type=int, default=60, metavar="S",
                        help="host seconds after which a node that does not come or go on ends the others; 0: never (60)")
    parser.add_argument("--hosts", metavar="A,B", help="nodes on these hosts, divided in order, over mpirun; each has Perfboard and this folder at the same path")
    parser.add_argument("--status", type=float, metavar="S",
                        help="how far each node is, on standard error each S host seconds; 0: never (5 on a terminal, else 0)")
    parser.add_argument("--save", metavar="S=DIR", help="all nodes are saved in DIR at this virtual time, and go on")
    parser.add_argument("--load", metavar="DIR", help="the nodes that were saved there go on")
    parser.add_argument("--lan", nargs="?", const="", metavar="PROPERTIES", help="an Ethernet between the nodes: node0 at 10.0.0.1 and so on, "
                        "PERFBOARD_NODE and PERFBOARD_NODES in the command's environment; rate=MBIT/S,latency=NS (10, 10000)")
    parser.add_argument("--out", metavar="DIR", help="keep each node's console, and hostput's files")
    parser.add_argument("--quiet", action="store_true", help="consoles are not shown, but what a node complains of is, on standard error")


def check(args):
    if args.load is not None:
        cluster_saved.take_up(args)
    if args.nodes is None:
        raise Refused("-n is missing: perfboard cluster -n N -- COMMAND...")
    if args.status is None:
        args.status = 5 if sys.stderr.isatty() else 0
    if not 0 <= args.status <= 1e6:
        raise Refused(f"--status {args.status:g}: legal are 0 to 1000000 seconds")
    if not 2 <= args.nodes <= MOST:
        raise Refused(f"-n {args.nodes}: legal are 2 to {MOST}")
    args.join = join_time(args.join)
    if not 0 <= args.patience <= 10**6:
        raise Refused(f"--patience {args.patience}: legal are 0 to 1000000 seconds")
    if args.words is None:
        raise Refused("no command: perfboard cluster -n N -- COMMAND...")
    if args.lan and not re.fullmatch(f"{lan.PROPERTY}(,{lan.PROPERTY})*", args.lan):
        raise Refused(f"--lan {args.lan}: legal are rate=MBIT/S and latency=NS, with a comma between them")
    if args.hosts is not None and (len(args.hosts.split(",")) < 2 or not all(args.hosts.split(","))):
        raise Refused(f"--hosts {args.hosts}: legal are two or more names, with commas between them")
    if args.free and (args.join or args.save is not None or args.load is not None):
        raise Refused("--free: not together with --join, --save or --load")
    hosts = rank()[1] if args.hosts is None else len(args.hosts.split(","))
    if args.free and hosts > 1:
        raise Refused("--free: legal on one host")
    if hosts > args.nodes:
        raise Refused(f"-n {args.nodes}: legal are {hosts} to {MOST}, a node for each of {hosts} hosts")
    if hosts > MOST_HOSTS:
        raise Refused(f"{hosts} hosts: legal are 1 to {MOST_HOSTS}")
    if hosts > 1 and not os.access(places.carrier(), os.X_OK):
        raise Refused(f"{places.carrier()} is not there: it is in the package perfboard-mpi, and built where Debian's libopenmpi-dev is")
    if args.before is not None and (not args.join or image.is_image(run_options(args, of_node(args.more, args, 0)))):
        raise Refused("--before: legal with --join, and a guest of ours")
    if args.join == "boot":
        args.join = boot_seconds(args)
    args.saves = cluster_saved.wanted(args, hosts)
    if args.out is not None:
        os.makedirs(args.out, exist_ok=True)


def rank():
    """(this host's number, how many there are), as mpirun or srun say it. Not what sbatch says of a script that is no step."""
    for number, count in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")):
        if number in os.environ and count in os.environ:
            return int(os.environ[number]), int(os.environ[count])
    return 0, 1


def start_ranks(args):
    """This command again, on each host. Does not return."""
    if not shutil.which("mpirun"):
        raise Refused(f"--hosts {args.hosts}: there is no mpirun (Debian's openmpi-bin)")
    own, rest = sys.argv[1:], []
    if "--" in own:
        own, rest = own[:own.index("--")], own[own.index("--"):]
    at = next(i for i, word in enumerate(own) if word.split("=")[0] == "--hosts")
    own[at:at + (1 if "=" in own[at] else 2)] = []
    kept = [word for name in sorted(os.environ) if name.startswith("PERFBOARD_") for word in ("-x", name)]
    hosts = args.hosts.split(",")
    # Not to a core, as mpirun would: a rank is several processes.
    os.execvp("mpirun", ["mpirun", "-n", str(len(hosts)), "--host", ",".join(hosts), "--bind-to", "none", *kept, PROGRAM, *own, *rest])


def node_of(device, node, nodes):
    """A default device, as that node's: one that knows of nodes."""
    parts = device.split(",")
    if not any(p.startswith("nodes=") for p in parts):
        return device
    kept = [p for p in parts if p.partition("=")[0] not in ("node", "nodes")]
    return ",".join([*kept, f"node={node}", f"nodes={nodes}", "fabric=cluster"])


def boot_seconds(args):
    given = run_options(args, of_node(args.more, args, 0))
    if image.is_image(given):
        raise Refused("--join boot: legal with a guest of ours; with another, 0 to 1000000 seconds")
    checked.initramfs(given)
    return BOOT


def join_ns(args):
    return round(args.join * 1e9)


def of_node(words, args, node):
    return [word.replace("{node}", str(node)).replace("{nodes}", str(args.nodes)) for word in words]


def run_options(args, words):
    """What perfboard run makes of them."""
    return command.parse(["run", *words, "--", *args.words], command.modules())


def in_step(seconds, line, before=None):
    """The guest's command line that begins then, behind another one. What a command sent before would be lost."""
    first = f"{{ {before}\n}} || exit; " if before else ""
    return f"{first}sleep $(awk '{{ print $1 < {seconds} ? {seconds} - $1 : 0 }}' /proc/uptime); {line}"


def run_words(args, file, node):
    """perfboard run's, for that node."""
    words = of_node(args.more, args, node)
    given = run_options(args, words)
    if not given.board and not given.device:
        for device in ARCHS[given.arch].boards:
            words += ["--device", node_of(device, node, args.nodes)]
    if args.out is not None:
        words += ["--out", os.path.join(args.out, f"node-{node}")]
    if args.lan is not None:
        words += ["--lan", f"{node}/{args.nodes}" + (args.lan and "," + args.lan)]
    if args.free and given.icount is not None:
        raise Refused(f"--icount {given.icount}: not together with --free")
    if given.icount is None and not args.free:
        words += ["--icount", "4"]
    if (args.saves or args.load is not None) and (image.is_image(given) or given.share or given.share_ro):
        raise Refused("--save and --load: legal with a guest of ours only, without --disk and --initrd, and without --share, which QEMU does not save")
    words += cluster_saved.run_words(args, os.path.dirname(file), node)
    plugin = given.plugin or places.plugin()
    cluster = f",cluster={file},node={node},nodes={args.nodes},patience={args.patience},{'free=on' if args.free else f'join={join_ns(args)}'}"
    if args.saves:
        cluster += f",pause={args.saves.ns}"
    line = of_node(args.words, args, node)
    if args.join and not image.is_image(given):
        line = [in_step(args.join, checked.shell_line(line), args.before and of_node([args.before], args, node)[0])]
    return ["run", *words, "--plugin", plugin + cluster, "--", *line]


class Carrier:
    """What stands for the other hosts' nodes (hw/cluster/carrier.h), if there are others."""

    def __init__(self, args, file, hosts):
        self.process = None
        if hosts > 1:
            self.process = subprocess.Popen([places.carrier(), file, str(args.nodes), str(join_ns(args))], stdin=subprocess.DEVNULL)

    def end(self, patience=None):
        """This host's nodes have ended: so do the others', or patience. Its status."""
        if not self.process:
            return 0
        self.process.terminate()  # no node comes any more
        self.process.send_signal(signal.SIGCONT)  # one that somebody has stopped would not hear it
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Node(threading.Thread):
    """One machine, and its console."""

    def __init__(self, args, words, node):
        super().__init__(daemon=True)
        self.args, self.node = args, node
        self.lost = None  # the first OSError: somebody does not take the console
        self.kept = open(os.path.join(args.out, f"node-{node}.console"), "wb", buffering=0) if args.out is not None else None
        self.process = subprocess.Popen([sys.executable, PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self):
        errors = threading.Thread(target=self.pass_on, args=(self.process.stderr, sys.stderr if self.args.quiet else sys.stdout), daemon=True)
        errors.start()
        self.pass_on(self.process.stdout, None if self.args.quiet else sys.stdout)
        errors.join()

    def show(self, line, to):
        if self.kept:
            self.kept.write(line)
        if to:
            to.write(f"{self.node}| {line.decode(errors='replace').rstrip()}\n")
            to.flush()

    def pass_on(self, lines, to):
        for line in lines:  # to its end, whoever takes it: a full pipe would hold the node back
            try:
                self.lost or self.show(line, to)
            except OSError as e:
                self.lost = e
                if self.kept and not isinstance(e, BrokenPipeError):
                    e.filename = self.kept.name


class Status(threading.Thread):
    """Says now and then how far each node is. Who watches a terminal without consoles sees these lines in place."""

    def __init__(self, args, file):
        super().__init__(daemon=True)
        self.args, self.file, self.done = args, file, threading.Event()
        self.in_place = args.quiet and sys.stderr.isatty()

    def run(self):
        shown = 0
        while not self.done.wait(self.args.status):
            told = subprocess.run([places.nodes(), self.file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
            lines = [self.line(*line.split()) for line in told.splitlines()]
            back = f"\033[{shown}A\033[J" if self.in_place and shown else ""
            unguarded(sys.stderr).write(back + safe("".join(lines), "\n"))
            sys.stderr.flush()
            shown = len(lines)

    @staticmethod
    def line(node, state, ns, waits):
        what = {"away": "not there yet", "left": "has ended"}.get(state) or (f"waits for node {waits}" if waits != "-" else "runs")
        return f"{PREFIX}node {node}: {int(ns) / 1e9:.6f} s, {what}\n"


def main(args):
    check(args)
    if args.hosts is not None:
        start_ranks(args)
    host, hosts = rank()
    numbers = range(host * args.nodes // hosts, (host + 1) * args.nodes // hosts)
    if len(os.sched_getaffinity(0)) <= len(numbers) and hosts > 1:
        os.sched_setaffinity(0, range(os.cpu_count()))  # mpirun binds a rank to a core, and here it is several processes
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the nodes go too
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="perfboard-cluster-", dir=shared)
    file = os.path.join(folder, "nodes")
    nodes, carrier, status, how_far = [], None, 0, Status(args, file)
    try:
        words = [run_words(args, file, node) for node in numbers]  # what is wrong is said before any starts
        carrier = Carrier(args, file, hosts)
        if args.status:
            how_far.start()
        for node, own in zip(numbers, words):
            nodes.append(Node(args, own, node))
        for node in nodes:
            node.start()
        cluster_saved.work(args, folder, nodes)
        for node in nodes:
            node.process.wait()
            node.join()
        status = carrier.end()
    finally:
        how_far.done.set()
        shutil.rmtree(folder, ignore_errors=True)  # before waiting: mpirun does not wait for long. Whoever has mapped the file has it still
        for node in nodes:
            if node.process.poll() is None:
                node.process.terminate()
        for node in nodes:
            node.process.wait()
        if carrier:
            carrier.end(10)
    for node in nodes:
        if node.lost:
            raise node.lost
    return next((n.process.returncode for n in nodes if n.process.returncode), status)
