/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MkCollection - the data collection network of several nodes: all chips' samples in one stream, at one of the nodes.
 *
 *   MkCollection *c = mk_collection_new(node, join);
 *   mk_collection_words(c, words, n);              MkConfig.network()
 *   mk_collection_whole(c, ns);                    MkConfig.whole()
 *
 * A node that sends:     while (mk_collection_holds(c)) bytes = mk_collection_batch(c, arrives, data)     a message
 * The one that collects: mk_collection_take(c, from, arrived, data, bytes)                               of another node
 *                        while ((n = mk_collection_next(c, now, words))) ...                             the stream
 *
 * What is INFERRED of it is in README.md, "Several nodes". A batch's receipt comes back as fast as the batch went; of a node
 * MK_COLLECT_BATCHES are under way at most, enough for the paper's 25 million elements a second.
 *
 * Of a peer nothing is believed: a batch is whole, in its order and of its time, and names no node, or it is refused.
 */
#ifndef PERFBOARD_MULTIKRON_COLLECT_H
#define PERFBOARD_MULTIKRON_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/cluster/cluster.h"
#include "hw/multikron/multikron.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MK_COLLECT_KIND 5u           /* of the cluster's messages */
#define MK_COLLECT_WAY_NS 100000u    /* longer than a packet of the cluster takes at least: makes no step shorter */
#define MK_COLLECT_GATHER_NS 1000000u
#define MK_COLLECT_HOLD_NS (MK_HAND_OVER_NS + MK_COLLECT_GATHER_NS + MK_COLLECT_WAY_NS)
#define MK_COLLECT_BATCHES 20u       /* a ring of the cluster has room for them, and for its packets */
#define MK_COLLECT_NODE_HZ 50000000u /* twice the elements a second */

typedef struct MkCollection MkCollection;

/* join: what leaves a chip before that time, ns, is not collected. */
MkCollection *mk_collection_new(uint32_t node, uint64_t join);
void mk_collection_free(MkCollection *c);

/* Of this node's chip. */
void mk_collection_words(MkCollection *c, const uint16_t *words, size_t n);
void mk_collection_whole(MkCollection *c, uint64_t ns);
uint64_t mk_collection_holds(const MkCollection *c); /* its words that have neither been sent nor come out */

/* The next batch, for CLUSTER_MOST_BYTES of room; its bytes. 0: there is nothing. */
uint32_t mk_collection_batch(MkCollection *c, uint64_t arrives, uint8_t *data);

/* False: it is no batch. Nothing of it is taken then. */
bool mk_collection_take(MkCollection *c, uint32_t from, uint64_t arrived, const uint8_t *data, uint32_t bytes);
/* When the next one comes out; PB_NEVER: there is none. */
uint64_t mk_collection_due(const MkCollection *c);
/* The next one whose time has come, and the word that names its node before it: how many words. 0: none. */
size_t mk_collection_next(MkCollection *c, uint64_t now, uint16_t words[1 + MK_WHOLE_WORDS]);

#ifdef __cplusplus
}
#endif
#endif
