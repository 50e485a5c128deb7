# SPDX-License-Identifier: GPL-2.0-or-later
"""network - one whose nodes are scaled without QEMU: bench-NAME, and over MPI bench-NAME-mpi."""

import dataclasses


@dataclasses.dataclass
class Network:
    name: str
    most: int    # nodes
    queue: bool  # all of it can be run in one queue of events, too
