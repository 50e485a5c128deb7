/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine as one node of several, each a QEMU of its own (hw/cluster/cluster.h), in step in virtual time.
 *
 *   -plugin perfboard.so,cluster=FILE,node=N,nodes=N[,join=NS][,patience=S][,pause=NS]
 *   -plugin perfboard.so,cluster=FILE,node=N,nodes=N,free=on   nodes run as they like
 *
 * A board whose adapter sends to other nodes has a port:
 *
 *   PbClusterPort port = { .name = TYPE, .kind = 1, .answer = ns, .promise = ..., .take = ..., .dev = s };
 *   Cluster *c = pb_cluster_port(&port, errp);      in realize
 *   cluster_send(c, &message)                       message.kind is the port's
 *
 * Needs -icount and one vCPU: a node's processors would take turns as the others' promises come.
 *
 * Free nodes and snapshots: hw/cluster/README.md. A free node's clock is the host's also behind a stop of the machine.
 *
 * Wires with a name go on to the other nodes (links.h): all of one name are one wire, low while any node's board pulls it. INFERRED: what one node
 * does to a wire is seen CLUSTER_WIRE_NS later by the others. A cable takes some ten ns; but nodes are in step, and may go no further than what may
 * still come over a wire. So it is as long as a packet takes at least, and wires make no step shorter.
 */
#ifndef PERFBOARD_QEMU_CORE_CLUSTER_H
#define PERFBOARD_QEMU_CORE_CLUSTER_H

#include "hw/cluster/cluster.h"

typedef struct PbClusterPort {
    const char *name; /* the device's type */
    uint32_t kind;   /* of its messages: the same for such a board in all nodes */
    uint64_t answer; /* ns from a question's arrival to its answer's, at least */
    /* In the vCPU's thread, the big lock perhaps not held: the board comes to `now`, and sends what leaves it by then. What it sends behind that
     * arrives at *promise or later, an answer at *answers or later; before `next` nothing happens on this machine, and nothing comes. */
    void (*promise)(void *dev, uint64_t now, uint64_t next, uint64_t *promise, uint64_t *answers);
    /* Big lock held; its time has come. False: this board cannot take it, and nothing was done: the cluster ends. */
    bool (*take)(void *dev, const ClusterMessage *message);
    void *dev;
} PbClusterPort;

typedef struct PbClusterOptions {
    const char *file; /* NULL: no cluster */
    uint64_t node, nodes, join, patience, pause; /* pause: 0: it does not */
    bool free;
} PbClusterOptions;

/* One of the plugin's options, "NAME=VALUE". False: none of these, or no number. */
bool pb_cluster_option(PbClusterOptions *options, const char *word);
/* When the plugin is loaded. False, with a line on stderr. */
bool pb_cluster_start(const PbClusterOptions *options);
/* NULL: this machine is no node, or the board cannot be in one. The port stays the board's, and is there until pb_cluster_port_end(). */
struct Error;
Cluster *pb_cluster_port(const PbClusterPort *port, struct Error **errp);
/* The board goes: it sends nothing any more, and what still comes for it is lost. Big lock held; also of a port that was none. */
void pb_cluster_port_end(const PbClusterPort *port);
/* Which node this is, of how many. */
uint32_t pb_cluster_node(void);
uint32_t pb_cluster_nodes(void);
bool pb_cluster_is_free(void);
/* From then on they are in step, ns. */
uint64_t pb_cluster_join(void);

/* --- between its files --- */

/* Behind pb_cluster_snapshots(), when the machine is complete. deliver: the first message; gives_up: something is wrong with the cluster. Both with the big lock. */
void pb_cluster_run_free(void (*deliver)(void), void (*gives_up)(void));

#define CLUSTER_WIRE_NS 5000
#define CLUSTER_WIRE_KIND 2 /* of its messages */

/* Of a machine that is a node, before it has boards: wires are to be loaded first. */
void pb_cluster_wires(void);
void pb_cluster_snapshots(Cluster *cluster);

#endif
