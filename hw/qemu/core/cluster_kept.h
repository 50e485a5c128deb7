/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of the cluster. Nodes are saved only where all of them stand still at one virtual time (pb_pace_stop_at()), each by whoever has
 * stopped them; and loaded only into nodes that have not begun.
 */
#ifndef PERFBOARD_QEMU_CORE_CLUSTER_KEPT_H
#define PERFBOARD_QEMU_CORE_CLUSTER_KEPT_H

#include "hw/cluster/cluster.h"

/* Before any board is there: wires are to be loaded first. */
void pb_cluster_snapshots(Cluster *cluster);

#endif
