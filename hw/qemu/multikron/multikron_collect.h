/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MkCollect - a card of a node whose samples go to the one node that collects (hw/multikron/collect.h).
 *
 * When the guest ends its machine, the node stays as long as it has samples that have not been sent; the one that collects, until all
 * others have left. So nothing is lost, whichever machine ends first. If somebody else ends QEMU it goes at once.
 */
#ifndef PERFBOARD_QEMU_MULTIKRON_COLLECT_H
#define PERFBOARD_QEMU_MULTIKRON_COLLECT_H

#include "hw/multikron/collect.h"
#include "hw/qemu/core/links/cluster.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/multikron/multikron_net.h"

typedef struct MkCollect {
    uint32_t node; /* the one that collects */
    Cluster *cluster;
    MkCollection *all;
    MkNet *net; /* where the stream goes; NULL: the card has gone */
    PbClusterPort port;
    PbTimer timer;
    uint64_t departs; /* when what has been gathered is sent; PB_NEVER: nothing is gathered */
    unsigned under_way; /* batches without a receipt */
    Notifier at_end;
    bool stays; /* the guest has ended its machine */
} MkCollect;

/* multikron_collect_life.c. In realize, before the chip is made; it is there as long as QEMU. NULL: an option is wrong. */
MkCollect *mk_collect_open(int32_t node, MkNet *net, const MkConfig *config, bool hotplugged, Error **errp);
/* The machine has ended, or the card goes; before the last flush of `net`. NULL, and a second time: nothing. */
void mk_collect_end(MkCollect *c);

/* multikron_collect.c. For MkConfig.network and whole. */
void mk_collect_words(MkCollect *c, const uint16_t *words, size_t n);
void mk_collect_whole(MkCollect *c, uint64_t ns);
bool mk_collects(const MkCollect *c); /* this node */
void mk_collect_promise(void *collect, uint64_t now, uint64_t next, uint64_t *first, uint64_t *answers);
bool mk_collect_take(void *collect, const ClusterMessage *m);
void mk_collect_timer(void *collect);
void mk_collect_depart(MkCollect *c);                  /* what has been gathered is sent */
void mk_collect_come_out(MkCollect *c, uint64_t now); /* what is due goes to the stream */

#endif
