# SPDX-License-Identifier: GPL-2.0-or-later
"""A node on a cluster's Ethernet: --lan NODE/NODES[,PROPERTY=VALUE...], as `perfboard cluster --lan` has it for each.

The machine gets QEMU's vmxnet3 on a hub with perfboard-lan (hw/lan). Of the adapters that Debian's cloud kernel has a driver for it is the one that sends
in the register access that says so, and sets no timer: virtio-net sends when QEMU's main loop comes to it, which is another time in each run.

In the guest guest/initramfs/lan loads the driver and brings the adapter up. It comes in the second archive (overlay.py), so that a guest without
--lan is the same to the bit.
"""

import collections
import lzma
import os
import re
import stat

from workbench import Refused, places

from . import tree

HERE = "perfboard/lan"
DRIVER = "vmxnet3"
SLOT = "1c"  # beside those of the shared folders and the transfer memory: boards keep their places
MOST = 1024
PROPERTY = "(?:rate|latency)=[0-9]+"

Lan = collections.namedtuple("Lan", "node nodes properties")


def check(args):
    """args.lan becomes a Lan, or None. Raises Refused."""
    if args.lan is None:
        return
    found = re.fullmatch(rf"([0-9]{{1,4}})/([0-9]{{1,4}})((?:,{PROPERTY})*)", args.lan)
    if not found or not 0 <= int(found[1]) < int(found[2]) <= MOST:
        raise Refused(f"--lan {args.lan}: legal are NODE/NODES of a cluster of up to {MOST} nodes, then rate=MBIT/S and latency=NS after commas")
    if args.arch != "x86_64":
        raise Refused(f"--lan {args.lan}: legal with --arch x86_64 only: Debian's kernel for {args.arch} has no driver for {DRIVER}")
    if args.no_boards:
        raise Refused(f"--lan {args.lan}: not together with --no-boards")
    args.lan = Lan(int(found[1]), int(found[2]), found[3])


def _places(kernel, release):
    """Where the driver for a kernel may be."""
    if kernel.endswith("/" + tree.BUILT[0]):
        return [os.path.join(kernel.removesuffix(tree.BUILT[0]), f"drivers/net/{DRIVER}/{DRIVER}.ko")]
    names = [os.path.join(os.path.dirname(kernel), f"{DRIVER}-{release}.ko"),
             os.path.join(os.path.dirname(kernel), f"kernel/drivers/net/{DRIVER}/{DRIVER}.ko"),
             f"/lib/modules/{release}/kernel/drivers/net/{DRIVER}/{DRIVER}.ko"]
    return [name + end for name in names for end in ("", ".xz")]  # Debian 13 compresses them


def find_driver(args):
    """args.guest.lan_driver becomes the driver, as bytes."""
    if args.lan is None or args.image:
        return
    from . import overlay  # which has this module's user
    tried = _places(args.kernel, overlay.kernel_release(args.kernel))
    path = next(filter(os.path.exists, tried), None)
    if path is None:
        raise Refused(f"--lan: there is no driver {DRIVER} for the kernel {args.kernel}; legal is one beside it, {tried[0]} (scripts/setup puts it there)")
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as f:
        args.guest.lan_driver = f.read()


def words(lan):
    """For QEMU."""
    if lan is None:
        return []
    return ["-netdev", "hubport,id=lan,hubid=0", "-netdev", "hubport,id=nic,hubid=0", "-device", "perfboard-lan,netdev=lan" + lan.properties,
            "-device", f"{DRIVER},netdev=nic,mac=52:54:00:50:{lan.node >> 8:02x}:{lan.node & 255:02x},romfile=,addr={SLOT}"]


def address(node):
    """10.0.0.1 and up; all are in 10.0.0.0/16."""
    return f"10.0.{(node + 1) >> 8}.{(node + 1) & 255}"


def put(archive, args):
    """What guest/initramfs/lan needs, and what is to be known of the others, into the second archive."""
    archive.add(places.guest("initramfs", "lan"), f"{HERE}/run")
    archive.put(f"{HERE}/{DRIVER}.ko", stat.S_IFREG | 0o644, args.guest.lan_driver)
    archive.text(f"{HERE}/node", f"{args.lan.node} {args.lan.nodes} {address(args.lan.node)}/16\n")
    nodes = "".join(f"{address(n)} node{n}\n" for n in range(args.lan.nodes))
    archive.text("etc/hosts", "127.0.0.1 localhost\n" + nodes)
