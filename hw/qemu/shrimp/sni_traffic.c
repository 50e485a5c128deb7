/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SNI's traffic on QEMU's side: the node's accesses to memory go into the model, packets that have
 * arrived come out of it.
 *
 * Two kinds of threads come here: the machine's, with the big lock held, and vCPUs' that make accesses,
 * without it. So the mutex is held around every call of the model. It is not held while DMA is made or a
 * packet goes over the cable: these could call the SNI.
 */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/shrimp/sni.h"
#include "plugins/port.h"

/* --- observation ---------------------------------------------------------- */

void sni_say_what_counts(SniDevice *s)
{
    pb_tap_awaits(s->glue.tap, s->board.state.open || s->board.state.cycles);
}

/* The vCPU stands still until its node's bus is its own. Returns when that is. If another board was told of the access before, it has stood. */
static uint64_t store_at(SniDevice *s, const PbTapAccess *a)
{
    uint64_t now, at;

    qemu_mutex_lock(s->glue.mutex);
    now = sni_told(&s->board, a->now);
    at = sni_store_at(&s->board, now, a->addr, a->bytes);
    qemu_mutex_unlock(s->glue.mutex);
    if (at > a->now) {
        pb_stall_behind(pb_running_cpu(), now, at);
    }
    return at;
}

/* While no packet is open a bus cycle without bytes does no more than count. */
static void sni_observed(void *opaque, const PbTapAccess *a)
{
    SniDevice *s = opaque;
    uint64_t at = s->contention && a->store && (a->data || sni_shares_bus()) ? store_at(s, a) : a->now;

    qemu_mutex_lock(s->glue.mutex);
    pb_glue_at(at);
    if (a->store) {
        sni_bus_write(&s->board, at, a->addr, a->data, a->bytes);
    } else {
        sni_bus_read(&s->board, at, a->addr);
    }
    pb_glue_at(PB_NEVER);
    sni_say_what_counts(s);
    qemu_mutex_unlock(s->glue.mutex);
}

bool sni_open_tap(SniDevice *s, Error **errp)
{
    static const PbTapOps ops = { .on_access = sni_observed }, in_step = { .on_access = sni_observed_in_step };
    PbModel *caches = NULL;
    char why[160];

    if (s->geometry.l1_size || s->geometry.l2_size) {
        caches = pb_model_caches(&s->geometry, why, sizeof(why));
        if (!caches) {
            error_setg(errp, "shrimp-sni: %s", why);
            return false;
        }
    }
    if (!pb_board_tap(s, s->waits_for_bus ? &in_step : &ops, errp)) {
        return false;
    }
    pb_tap_caches(s->glue.tap, caches);
    return true;
}

void sni_observe(void *opaque, uint32_t first, uint32_t n)
{
    SniDevice *s = opaque;
    bool none = s->changed_first == s->changed_end;

    s->observe_pending = true;
    s->changed_first = none ? first : MIN(s->changed_first, first);
    s->changed_end = none ? first + n : MAX(s->changed_end, first + n);
}

/* Tells the observation layer which pages are mapped and how much the model wants to see. Without the mutex. */
void sni_update_observation(void *dev)
{
    SniDevice *s = dev;
    PbTapLevel level = PB_TAP_NOTHING;

    sni_say_what_counts(s);
    if (!s->observe_pending) {
        return;
    }
    s->observe_pending = false;
    for (uint32_t page = s->changed_first, n; page < s->changed_end; page += n) {
        bool mapped = sni_page_mapped(&s->board, (uint64_t)page << PB_PAGE_BITS);
        n = 1;
        while (page + n < s->changed_end && sni_page_mapped(&s->board, (uint64_t)(page + n) << PB_PAGE_BITS) == mapped) {
            n++;
        }
        pb_tap_pages(s->glue.tap, page, n, mapped);
    }
    s->changed_first = s->changed_end = 0;
    switch (sni_wants(&s->board)) {
    case SNI_WANTS_NOTHING:
        break;
    case SNI_WANTS_STORES:
        level = PB_TAP_STORES;
        break;
    case SNI_WANTS_LOADS_TOO:
        level = s->snoop_loads ? PB_TAP_BUS : PB_TAP_STORES;
        break;
    }
    pb_tap_want(s->glue.tap, level);
}

/* --- packets that have arrived --------------------------------------------- */

void sni_global_reset(void *opaque)
{
    pb_cable_reset(opaque);
}

static void sni_deliver(SniDevice *s, SniDelivery *d)
{
    bool ok = true;

    pb_cable_packet(OBJECT(s), 0, &d->packet);
    if (d->write) {
        ok = s->glue.host.dma_write(&s->glue, d->packet.address + d->skip,
                                    (const uint8_t *)d->payload + d->skip, d->bytes);
        pb_models_written(d->packet.address, 4 * d->packet.words);
    }
    qemu_mutex_lock(s->glue.mutex);
    sni_delivered(&s->board, d, ok);
    qemu_mutex_unlock(s->glue.mutex);
}

void sni_take_counts(SniDevice *s)
{
    PbBusCounts fresh = pb_tap_take(s->glue.tap);

    sni_bus_counted(&s->board, fresh.reads, fresh.writes);
}

/* Brings the model to the present and carries out what has come due. */
void sni_run(void *dev)
{
    SniDevice *s = dev;
    uint64_t now = pb_time_now();

    qemu_mutex_lock(s->glue.mutex);
    sni_take_counts(s);
    for (sni_timer(&s->board); sni_pop_delivery(&s->board, now, &s->delivery); sni_timer(&s->board)) {
        qemu_mutex_unlock(s->glue.mutex);
        sni_deliver(s, &s->delivery);
        qemu_mutex_lock(s->glue.mutex);
    }
    qemu_mutex_unlock(s->glue.mutex);
    sni_update_observation(s);
}

void sni_wait_for_bus(void *dev, const PbAccess *a, bool write, uint64_t value)
{
    SniDevice *s = dev;
    uint64_t now, until;

    if (!s->contention || !a->cpu) {
        return;
    }
    if (s->waits_for_bus) {
        sni_access_in_step(s, a->cpu);
        return;
    }
    now = pb_time_now();
    qemu_mutex_lock(s->glue.mutex);
    until = sni_access_ends(&s->board, now);
    qemu_mutex_unlock(s->glue.mutex);
    pb_stall_behind(a->cpu, now, until);
    sni_run(s);
}

void sni_catch_up(Object *adapter)
{
    sni_run(adapter);
}

/* --- other nodes -------------------------------------------------------------- */

static void promise(void *dev, uint64_t now, uint64_t next, uint64_t *first, uint64_t *answers)
{
    SniDevice *s = dev;

    qemu_mutex_lock(s->glue.mutex);
    sni_promise(&s->board, now, next, first, answers);
    qemu_mutex_unlock(s->glue.mutex);
}

static bool take(void *dev, const ClusterMessage *m)
{
    SniDevice *s = dev;
    bool ok;

    qemu_mutex_lock(s->glue.mutex);
    ok = sni_take(&s->board, m);
    qemu_mutex_unlock(s->glue.mutex);
    sni_run(dev);
    return ok;
}

bool sni_open_port(SniDevice *s, SniConfig *config, Error **errp)
{
    bool others = false;
    Cluster *cluster;

    if (!s->fabric || !strcmp(s->fabric, "loopback")) {
        return true;
    }
    if (strcmp(s->fabric, "cluster")) {
        error_setg(errp, "fabric=%s: legal are loopback and cluster", s->fabric);
        return false;
    }
    object_resolve_path_type("", TYPE_SHRIMP_SNI, &others);
    if (others) {
        error_setg(errp, "fabric=cluster: a machine is one node and has one shrimp-sni; start another QEMU for another node");
        return false;
    }
    s->port = (PbClusterPort){ .name = TYPE_SHRIMP_SNI, .kind = SNI_CLUSTER_KIND, .answer = sni_answers_after(config), .promise = promise, .take = take, .dev = s };
    cluster = pb_cluster_port(&s->port, errp);
    if (!cluster) {
        error_prepend(errp, "fabric=cluster: ");
        return false;
    }
    sni_join(config, cluster);
    if (s->node != pb_cluster_node() || s->nodes != pb_cluster_nodes()) {
        error_setg(errp, "node=%u, nodes=%u: this machine is node %u of %u", s->node, s->nodes, pb_cluster_node(), pb_cluster_nodes());
        return false;
    }
    return true;
}
