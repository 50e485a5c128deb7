# SPDX-License-Identifier: GPL-2.0-or-later
"""nodes - the machines of a cluster that a board's nodes.c runs on, each a QEMU of its own, for nodes-test and nodes-snap-test."""
import os
import subprocess
import tempfile
import time

from workbench import qmp

PASSED = 2 * 0 + 1  # QEMU's status, as the debug exit device has it


class Check:
    bad = 0

    def __call__(self, what, good, more=""):
        print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f": {more}"), flush=True)
        self.bad |= not good


class Cluster:
    """with Cluster(qemu, plugin, program, devices, nodes) as c: ... c.said()    In devices {node}, {nodes} and {cable} are filled in. One node is a machine
    and no cluster."""

    def __init__(self, qemu, plugin, program, devices, nodes, late=0.0, cable=0, options="", words=lambda node: [], free=False):
        """late: host seconds between two nodes' starts; options: more of the plugin's; words: more of QEMU's for a node."""
        icount = ["-append", "free"] if free else ["-icount", "shift=4,sleep=off", "-rtc", "clock=vm,base=1999-03-02", "-seed", "1"]
        options += ",free=on" if free else ""
        self.folder, self.machines = tempfile.TemporaryDirectory(), []
        self.file = os.path.join(self.folder.name, "nodes")
        for node in range(nodes):
            joins = f",cluster={self.file},node={node},nodes={nodes},patience=600{options}" if nodes > 1 else ""
            own = [word for device in devices for word in ("-device", device.format(node=node, nodes=nodes, cable=cable))]
            self.machines.append(subprocess.Popen(
                [qemu, "-M", "pc,accel=tcg", "-m", "64", "-display", "none", "-nodefaults", "-no-reboot", "-kernel", program, "-debugcon", "stdio",
                 "-device", "isa-debug-exit,iobase=0xf4,iosize=4", *icount,
                 "-plugin", plugin + joins, *own,
                 "-qmp", f"unix:{self.monitor(node)},server=on,wait=off", *words(node)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
            time.sleep(late)

    def monitor(self, node):
        return os.path.join(self.folder.name, f"{node}.qmp")

    def monitors(self):
        return [qmp.Monitor(self.monitor(n), lambda m=m: m.poll() is None) for n, m in enumerate(self.machines)]

    def said(self):
        """What each node says until it ends."""
        self.texts = [machine.communicate()[0] for machine in self.machines]
        return self.texts

    def passed(self):
        """A QEMU that does not start has the same status, and says no plan."""
        return all(m.returncode == PASSED and "1.." in text and "not ok" not in text for m, text in zip(self.machines, self.texts))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for machine in self.machines:
            machine.kill()
            machine.wait()
            machine.stdout.close()
        self.folder.cleanup()
