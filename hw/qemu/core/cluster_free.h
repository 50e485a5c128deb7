/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A node that runs free: its virtual clock is the host's, begun for all nodes when the first one came, also behind a stop of the machine. Messages are
 * delivered in the main loop, when their time has come or as soon as they are there.
 */
#ifndef PERFBOARD_QEMU_CORE_CLUSTER_FREE_H
#define PERFBOARD_QEMU_CORE_CLUSTER_FREE_H

#include "hw/cluster/cluster.h"

/* When the machine is complete. deliver: the first message; gives_up: something is wrong with the cluster. Both with the big lock. */
void pb_cluster_run_free(Cluster *cluster, void (*deliver)(void), void (*gives_up)(void));

#endif
