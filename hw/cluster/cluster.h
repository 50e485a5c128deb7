/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cluster - nodes that are machines of their own, in step in virtual time.
 *
 * How that is done, and why a run repeats bit for bit: README.md.
 *
 *   Cluster *c = cluster_open(&config, why, sizeof why);
 *   for (;;) {                                    one thread, of the node's processor
 *     cluster_promise(c, now, promise, answers, alone);  after all that is sent by now has been sent
 *     uint64_t limit = cluster_limit(c);          takes in what has come
 *     m = cluster_first(c);                       due when its time has come: in order of time, sender, number
 *     ... if (limit <= now) cluster_wait(c, us), and again; else run to the earlier of limit and m->at ...
 *   }
 *   cluster_send(c, &m)                           any thread
 *
 * Two promises, as README.md has them. Answers come in the order in which the questions arrive.
 *
 * Idle nodes. If all nodes do nothing for a while and no message is under way, nothing comes before the first of them does
 * something: a third promise, of what a node sends if nothing reaches it. From these each node takes a limit that is far away,
 * where promises that follow from one another would get there in many steps.
 *
 * Free nodes (join CLUSTER_FREE) promise nothing and wait for nobody; their time is cluster_age().
 *
 *   while (cluster_listen(c, ms)) ...             a thread that has nothing else to do: something has come
 *   cluster_take_in(c); m = cluster_first(c) ...  the thread to which the boards belong
 *
 * Peers are not trusted: what they write is checked, and what is wrong is one line that names the node (cluster_wrong()).
 * From then on time may not pass. Times are virtual ns.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_CLUSTER_CLUSTER_H
#define PERFBOARD_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#define CLUSTER_MOST_NODES 1024
#define CLUSTER_MOST_BYTES 4608
#define CLUSTER_FREE UINT64_MAX /* join: never */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Cluster Cluster;

typedef struct ClusterConfig {
  const char *path; /* the shared file; whoever comes first makes it */
  uint32_t node, nodes;
  uint64_t join;        /* until then a node runs on its own and nothing is sent; or CLUSTER_FREE */
  uint32_t patience_ms; /* of the host, for a node that does not come, or does not go on; 0: for ever */
} ClusterConfig;

typedef struct ClusterMessage {
  uint64_t at;        /* when it arrives */
  uint32_t to, from;  /* nodes */
  uint32_t kind;      /* whose it is: the same in all nodes */
  uint32_t bytes;     /* of data */
  bool asks, answers; /* one answer follows; this is one */
  uint8_t data[CLUSTER_MOST_BYTES];
} ClusterMessage;

/* False, and a line that names the option, its value and what is legal. */
bool cluster_config_ok(const ClusterConfig *config, char *why, uint32_t why_size);
/* NULL, and a line that says why. */
Cluster *cluster_open(const ClusterConfig *config, char *why, uint32_t why_size);
/* The others no longer wait for this node. What is sent to it is lost. */
void cluster_leave(Cluster *c);

/* promise: nothing that this node sends of itself arrives before; answers: no answer does. Neither goes back. alone: nothing at
 * all does, if nothing comes but what cluster_first() has. */
void cluster_promise(Cluster *c, uint64_t now, uint64_t promise, uint64_t answers, uint64_t alone);
/* Until when time may pass: nothing arrives before that cluster_first() does not show. */
uint64_t cluster_limit(Cluster *c);
/* Of a node that is not needed any more, behind cluster_leave() or not: as a process that dies. */
void cluster_close(Cluster *c);

/* Before anything is sent: an answer arrives so long after its question did, or later, ns. The least one counts. */
void cluster_answers_after(Cluster *c, uint64_t ns);

/* Until something may have changed, or a millisecond; us: how long it tries before it sleeps. */
void cluster_wait(Cluster *c, uint32_t us);

uint64_t cluster_came(Cluster *c); /* messages, in cluster_limit(), so far */
const ClusterMessage *cluster_first(Cluster *c); /* NULL: none */
void cluster_take(Cluster *c);                   /* that one is done with */
/* False: it would arrive before what has been promised, before join, or there is no such node. */
bool cluster_send(Cluster *c, const ClusterMessage *message);
uint64_t cluster_promised(const Cluster *c); /* nothing that this node sends of itself may arrive before */
bool cluster_has_left(const Cluster *c, uint32_t node);

/* Free nodes only. */
uint64_t cluster_age(Cluster *c); /* of the host's ns, since the first node came */
bool cluster_listen(Cluster *c, uint32_t ms); /* false: nothing has come for so long */
void cluster_take_in(Cluster *c);
/* For a message that may be lost: a node that takes nothing in does not stop who sends it such. */
bool cluster_has_room(Cluster *c, uint32_t to, uint32_t bytes);

const char *cluster_wrong(Cluster *c); /* NULL: nothing */
/* What a message of that node's says makes no sense. */
void cluster_blame(Cluster *c, uint32_t node, const char *what);

/* All nodes are saved at one time, while all of them stand still: what this one has of the cluster, whose segment is not saved. *bytes is the
 * caller's, to free(). */
uint32_t cluster_save(Cluster *c, uint8_t **bytes);
/* Into a cluster whose nodes have sent nothing yet; now: when they were saved, ns. False, and a line that says why not. */
bool cluster_load(Cluster *c, const uint8_t *bytes, uint32_t n, uint64_t now, char *why, uint32_t why_size);

#ifdef __cplusplus
}
#endif
#endif
