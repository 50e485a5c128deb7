# SPDX-License-Identifier: GPL-2.0-or-later
"""scale - networks of many nodes without QEMU: what a step costs, and a node, as there are more of them.

The programs are tests/bench/scale; a board's folder says which networks there are (rows.py, SCALE). The same traffic must give the same arrivals, by hash,
in one queue of events, in step in one thread and in two, on two hosts, and over two ranks of MPI. Instructions are counted by Valgrind, of two lengths of
run, of which the difference counts: they do not depend on what else the machine does. Times are of processors, not of the clock.
"""

import csv
import os
import re
import shutil

from workbench.output import Output

from . import children, report, rows

PATTERNS = ("neighbour", "random", "one", "none", "idle")
NODES, QUICK_NODES = (2, 4, 16, 64, 256, 1024), (16, 64)
NODE_US, QUICK_NODE_US = 256_000, 16_000  # of virtual time, times nodes
LEAST_US, MOST_US = 400, 8000
QUEUE = "one queue"
COUNTED = ("none", "random")  # patterns whose instructions are counted
MOST_COUNTED = 256            # nodes: Valgrind has no room for a larger segment
COLUMNS = ("network", "pattern", "nodes", "how", "us", "events", "promises", "cpu_ns", "ns", "own_bytes", "shared_bytes", "instructions", "hash")


def ways(network):
    """{name: (words in front of the program, its suffix, options)}"""
    found = {QUEUE: ([], "", ["threads=0"])} if network.queue else {}
    found |= {"1 thread": ([], "", []), "2 threads": ([], "", ["threads=2"]), "2 hosts": ([], "", ["hosts=2"])}
    if shutil.which("mpirun"):
        found["2 ranks"] = (["mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none"], "-mpi", [])
    return found


def run(words):
    """What a program says of a run; a dictionary."""
    done = children.run(words, env=children.MPI)
    if done.returncode:
        raise children.Failed(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    said = next(csv.DictReader(done.stdout.splitlines()))
    return {name: value if name in ("network", "pattern", "hash") else int(value) for name, value in said.items()}


def instructions(program, options, us):
    """Of a promise."""
    def once(us):
        done = children.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, *options, f"us={us}"])
        refs = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
        if done.returncode or not refs:
            raise children.Failed(f"valgrind {program}: status {done.returncode}\n{done.stderr}")
        return int(refs[1].replace(",", "")), int(done.stdout.splitlines()[-1].split(",")[7])
    (less, few), (more, many) = once(us), once(2 * us)
    return (more - less) / (many - few)


def measured(network, build, quick, one=run, count=instructions):
    """Rows: what `run` has, and `how`."""
    program = os.path.join(build, "tests", "bench", f"bench-{network.name}")
    for nodes in [n for n in (QUICK_NODES if quick else sorted({*NODES, network.most})) if n <= network.most]:
        us = max(LEAST_US, min(MOST_US, (QUICK_NODE_US if quick else NODE_US) // nodes))
        for pattern in PATTERNS:
            options, hashes = [f"pattern={pattern}", f"nodes={nodes}"], {}
            children.say(f"scale: {network.name}, {nodes} nodes, {pattern}")
            for how, (before, suffix, more) in ways(network).items():
                if suffix and not os.path.exists(program + suffix):
                    continue
                row = one([*before, program + suffix, *options, f"us={us}", *more]) | {"how": how, "instructions": ""}
                if how == "1 thread" and not quick and pattern in COUNTED and nodes <= MOST_COUNTED:
                    row["instructions"] = round(count(program, options, LEAST_US))
                hashes[how] = row["hash"]
                yield row
            if len(set(hashes.values())) != 1:
                raise children.Failed(f"scale: {network.name}, {nodes} nodes, {pattern}: arrivals differ: {hashes}")


def line(row):
    def per(value, of, form):
        return format(value / of, form) if of else ""
    return (f"{row['network']:5} {row['pattern']:10}{row['nodes']:5}  {row['how']:10}{per(row['events'] * 1e6, row['us'], '12,.0f')}"
            f"{per(row['events'] * 1e9, row['cpu_ns'], '12,.0f'):>12}{per(row['promises'], row['events'], '10.1f'):>10}"
            f"{per(row['cpu_ns'], row['promises'], '9,.0f'):>9}{row['instructions'] or '':>8}"
            f"{row['own_bytes'] / row['nodes'] / 1024:9.0f}{row['shared_bytes'] / row['nodes'] / 1024:8.1f}")


HEAD = f"""
Events a second of virtual time, and of a processor's; promises for each event; ns of a processor, and instructions, for each promise;
KiB of memory for each node: of the process, and of what nodes share

{'':5} {'':10}{'nodes':>5}  {'':10}{'virtual s':>12}{'CPU s':>12}{'promises':>10}{'ns':>9}{'instr.':>8}{'own':>9}{'shared':>8}"""

GNUPLOT = """
set terminal pngcairo size 900,480 font "sans,11"
set title "Nodes in step in one thread: CPU time for each promise"
set logscale xy
set xlabel "nodes"
set ylabel "ns"
set grid
set key top left
{data}
plot {plots}
"""


def picture(found, png):
    lines = {}
    for row in found:
        if row["how"] == "1 thread" and row["promises"]:
            lines.setdefault(f"{row['network']}, {row['pattern']}", []).append((row["nodes"], row["cpu_ns"] / row["promises"]))
    data = "\n".join(f"$d{i} << END\n" + "\n".join(f"{n} {ns}" for n, ns in points) + "\nEND" for i, points in enumerate(lines.values()))
    plots = ", ".join(f'$d{i} using 1:2 with linespoints title "{name}"' for i, name in enumerate(lines))
    report.draw(GNUPLOT.format(data=data, plots=plots), png)


def measure(build, args, one=run, count=instructions):
    """Prints the table; the CSV and the picture."""
    networks, found = [board.SCALE for board in rows.OF_BOARDS if board.SCALE], []
    print(HEAD)
    for network in networks:
        for row in measured(network, build, args.quick, one, count):
            found.append(row)
            print(line(row), flush=True)
    if not any(row["how"] == "2 ranks" for row in found):
        print("Not over MPI: there is no mpirun, or its programs were not built (Debian's openmpi-bin and libopenmpi-dev)")
    if args.csv:
        with Output(args.csv) as f:
            f.write("".join(",".join(str(row[name]) for name in COLUMNS) + "\n" for row in [dict(zip(COLUMNS, COLUMNS)), *found]).encode())
    return found
