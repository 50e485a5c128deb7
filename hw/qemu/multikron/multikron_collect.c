/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/multikron/multikron.h"

bool mk_collects(const MkCollect *c)
{
    return c->node == pb_cluster_node();
}

static uint64_t later(uint64_t at, uint64_t ns)
{
    return at > PB_NEVER - ns ? PB_NEVER : at + ns;
}

/* --- the node that collects ----------------------------------------------------- */

void mk_collect_come_out(MkCollect *c, uint64_t now)
{
    uint16_t words[1 + MK_WHOLE_WORDS];
    size_t n;

    while ((n = mk_collection_next(c->all, now, words))) {
        if (c->net) {
            mk_net_words(c->net, words, n);
        }
    }
}

static void wait_for_next(MkCollect *c)
{
    mk_collect_come_out(c, pb_time_now());
    pb_timer_set(&c->timer, mk_collection_due(c->all));
}

static bool take_batch(MkCollect *c, const ClusterMessage *m)
{
    /* A batch that comes while an instruction is executed is taken behind it. */
    ClusterMessage receipt = { .at = later(MAX(m->at, pb_time_now()), MK_COLLECT_WAY_NS), .to = m->from, .kind = MK_COLLECT_KIND, .answers = true };

    if (!m->asks) {
        return false;
    }
    if (!cluster_send(c->cluster, &receipt)) {
        error_report("perfboard: multikron: node %u does not get its receipt", m->from);
    }
    return mk_collection_take(c->all, m->from, m->at, m->data, m->bytes);
}

/* --- a node that sends ---------------------------------------------------------- */

void mk_collect_depart(MkCollect *c)
{
    ClusterMessage m = { .to = c->node, .kind = MK_COLLECT_KIND, .asks = true };

    c->departs = PB_NEVER;
    m.at = MAX(later(pb_time_now(), MK_COLLECT_WAY_NS), cluster_promised(c->cluster));
    while (c->under_way < MK_COLLECT_BATCHES && !cluster_has_left(c->cluster, c->node) &&
           (m.bytes = mk_collection_batch(c->all, m.at, m.data))) {
        if (!cluster_send(c->cluster, &m)) {
            error_report("perfboard: multikron: node %u does not get a batch of samples", c->node);
            break;
        }
        c->under_way++;
    }
}

static bool take_receipt(MkCollect *c, const ClusterMessage *m)
{
    if (!m->answers || m->from != c->node || !c->under_way) {
        return false;
    }
    c->under_way--;
    if (c->departs == PB_NEVER && mk_collection_holds(c->all)) {
        mk_collect_depart(c);
    }
    return true;
}

/* --- both ----------------------------------------------------------------------- */

void mk_collect_timer(void *opaque)
{
    MkCollect *c = opaque;

    if (mk_collects(c)) {
        wait_for_next(c);
    } else {
        mk_collect_depart(c);
    }
}

bool mk_collect_take(void *opaque, const ClusterMessage *m)
{
    MkCollect *c = opaque;
    bool ok;

    if (!mk_collects(c)) {
        return take_receipt(c, m);
    }
    ok = take_batch(c, m);
    wait_for_next(c);
    return ok;
}

/* The node that collects sends receipts only. Another one sends when it has gathered, or when a receipt comes. */
void mk_collect_promise(void *opaque, uint64_t now, uint64_t next, uint64_t *first, uint64_t *answers)
{
    const MkCollect *c = opaque;
    uint64_t sends = PB_NEVER;

    *answers = PB_NEVER;
    if (mk_collects(c)) {
        *answers = later(next, MK_COLLECT_WAY_NS);
    } else if (c->departs != PB_NEVER) {
        sends = MAX(now, c->departs);
    } else if (mk_collection_holds(c->all)) {
        sends = next;
    } else {
        sends = later(next, MK_COLLECT_GATHER_NS);
    }
    *first = later(sends, MK_COLLECT_WAY_NS);
}

void mk_collect_whole(MkCollect *c, uint64_t ns)
{
    const uint64_t promised = cluster_promised(c->cluster);

    mk_collection_whole(c->all, ns);
    if (mk_collects(c)) {
        pb_timer_set(&c->timer, mk_collection_due(c->all));
    } else if (c->departs == PB_NEVER && mk_collection_holds(c->all) && c->under_way < MK_COLLECT_BATCHES) {
        c->departs = MAX(later(pb_time_now(), MK_COLLECT_GATHER_NS), promised - MIN(promised, MK_COLLECT_WAY_NS));
        pb_timer_set(&c->timer, c->departs);
    }
}

void mk_collect_words(MkCollect *c, const uint16_t *words, size_t n)
{
    mk_collection_words(c->all, words, n);
}
