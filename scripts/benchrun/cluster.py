# SPDX-License-Identifier: GPL-2.0-or-later
"""cluster - what it costs nodes to be in step: wall time of a virtual second, of 1 to 8 machines, each on its own and in step.

The guest is a program without an operating system (tests/bench/pace.c) that computes, or is halted between timer interrupts.
It sends nothing: what is measured is the waiting for promises, not traffic. Of two lengths of run the difference counts, so the start of
QEMU does not. All machines must come to the same result, in step or not, and over MPI with each node on a rank of its own.
"""

import os
import shutil
import statistics
import tempfile
import time

from guestrun.boards import BRIDGES, plugged
from workbench.cluster import node_of

from . import children

NODES = (1, 2, 4, 8)
QUICK = (1, 2)
SHORT = 100  # ms of virtual time
LONG = {"idle": 40_100, "busy": 2_100}  # an idle second takes less than starts of QEMU differ by
GUESTS = tuple(LONG)
QUICK_LONG = 200  # of each: what is measured is not asked for
CABLES = (0, 1000, 6000, 16_000, 46_000, 96_000, 996_000)  # ns, added to the lookahead
QUICK_CABLES = (0, 996_000)
ADAPTERS = [d for d in plugged("x86_64", ("eisa",)) if "nodes=" in d]


def words(qemu, build, guest, ms, node, nodes, file, cable):
    plugin, devices = os.path.join(build, "perfboard.so"), [*BRIDGES, *ADAPTERS]
    if file:
        plugin += f",cluster={file},node={node},nodes={nodes}"
        devices = [*BRIDGES, *(f"{node_of(d, node, nodes)},cable={cable}" for d in ADAPTERS)]
    return children.bare_machine(qemu, build, "pace.elf", shift=4) + ["-append", f"{guest} ms={ms}", "-plugin", plugin] + [word for device in devices for word in ("-device", device)]


def carrier(build):
    return os.path.join(build, "hw", "cluster", "perfboard-carrier")


def ranks(build, files):
    """Carriers, each with a segment of its own on this host."""
    # One command for all: Debian 13's mpirun (Open MPI 5.0.7) crashes where a colon stands between several.
    own = 'nodes=$1; shift $((1 + OMPI_COMM_WORLD_RANK)); exec "$0" "$1" "$nodes" 0'
    return ["mpirun", "-n", str(len(files)), "--oversubscribe", "--bind-to", "none", "sh", "-c", own, carrier(build), str(len(files)), *files]


def once(qemu, build, guest, ms, nodes, in_step, cable, mpi):
    """(seconds, what the guests said)."""
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="bench-", dir=shared) as folder:
        files = [os.path.join(folder, f"nodes-{node}" if mpi else "nodes") if in_step else None for node in range(nodes)]
        start = time.monotonic()
        with children.pool(nodes + 1) as pool:
            carried = pool.submit(children.run, ranks(build, files), env=children.MPI) if mpi else None
            ends = list(pool.map(lambda node: children.run(words(qemu, build, guest, ms, node, nodes, files[node], cable)), range(nodes)))
            took = time.monotonic() - start
            # Here, which ends carriers that wait for a node.
            for node, done in enumerate(ends):
                if done.returncode != children.PASSED or not done.stdout:  # QEMU's own errors have that status, too
                    raise children.Failed(f"cluster: node {node} of {nodes}, {guest}: status {done.returncode}\n{done.stdout}{done.stderr}")
    if carried and carried.result().returncode:
        raise children.Failed(f"cluster: {nodes} nodes over MPI, {guest}: mpirun's status {carried.result().returncode}\n{carried.result().stderr}")
    return took, {done.stdout for done in ends}


def second(qemu, build, guest, nodes, in_step, rounds, cable=0, mpi=False, quick=False):
    """(wall seconds of a virtual one, what the guests said)."""
    long = QUICK_LONG if quick else LONG[guest]
    times, said = {SHORT: [], long: []}, set()
    for _ in range(rounds):
        for ms in times:
            took, out = once(qemu, build, guest, ms, nodes, in_step, cable, mpi)
            times[ms].append(took)
            if ms == long:
                said |= out
    return (statistics.median(times[long]) - statistics.median(times[SHORT])) * 1000 / (long - SHORT), said


def over_mpi(qemu, build, rounds, quick, measured, own, results):
    """Two nodes on two ranks of this host; what the others have said."""
    if not shutil.which("mpirun") or not os.path.exists(carrier(build)):
        print(f"\nNot over MPI: there is no mpirun, or no {carrier(build)} (Debian's openmpi-bin and libopenmpi-dev)")
        return
    print("\nTwo nodes in step over MPI, on two ranks of this host\n")
    print(f"{'':7}  {'guest':6}{'each on its own':>17}{'in step':>10}{'ratio':>8}")
    for guest in GUESTS:
        children.say(f"cluster: 2 nodes over MPI, {guest}")
        step, said = measured(qemu, build, guest, 2, True, rounds, mpi=True, quick=quick)
        if said != results[guest]:
            raise children.Failed(f"cluster: {guest} guests have another result over MPI: {sorted(said)}")
        print(f"{2:7}  {guest:6}{own[guest]:17.4f}{step:10.4f}{step / own[guest]:8.2f}")


def measure(qemu, build, rounds, quick, measured=second):
    """Prints the tables."""
    print(f"\nA virtual second of a node's, in seconds of the host ({os.cpu_count()} processors)\n")
    print(f"{'nodes':>7}  {'guest':6}{'each on its own':>17}{'in step':>10}{'ratio':>8}")
    own_of_two, results = {}, {}
    for guest in GUESTS:
        result = set()
        for nodes in QUICK if quick else NODES:
            children.say(f"cluster: {nodes} nodes, {guest}")
            own, said = measured(qemu, build, guest, nodes, False, rounds, quick=quick)
            result |= said
            if nodes == 1:
                print(f"{nodes:7}  {guest:6}{own:17.4f}")
                continue
            step, said = measured(qemu, build, guest, nodes, True, rounds, quick=quick)
            result |= said
            print(f"{nodes:7}  {guest:6}{own:17.4f}{step:10.4f}{step / own:8.2f}")
            if nodes == 2:
                own_of_two[guest] = own
        if len(result) != 1:
            raise children.Failed(f"cluster: {guest} guests have different results: {sorted(result)}")
        results[guest] = result
    over_mpi(qemu, build, rounds, quick, measured, own_of_two, results)
    print("\nTwo nodes that compute, in step, with a longer cable between them: the lookahead grows by it\n")
    print(f"{'cable, ns':>11}{'ratio':>8}")
    for cable in QUICK_CABLES if quick else CABLES:
        children.say(f"cluster: a cable of {cable} ns")
        step, _ = measured(qemu, build, "busy", 2, True, rounds, cable, quick=quick)
        print(f"{cable:11}{step / own_of_two['busy']:8.2f}")
