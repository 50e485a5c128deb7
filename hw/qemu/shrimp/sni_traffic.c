/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SNI's traffic on QEMU's side: the node's accesses to memory go into the model, packets that have
 * arrived come out of it.
 *
 * Two kinds of threads come here: the machine's, with the big lock held, and vCPUs' that make accesses,
 * without it. So `lock` is held around every call of the model. It is not held while DMA is made or a
 * SurfBoard is called: these could call the SNI.
 */
#include "qemu/osdep.h"

#include "hw/qemu/shrimp/sni.h"
#include "hw/qemu/surfboard/surfboard.h"

/* --- observation ---------------------------------------------------------- */

static void sni_observed_write(void *opaque, uint64_t now, uint64_t addr, const uint8_t *data, uint32_t bytes)
{
    SniDevice *s = opaque;
    qemu_mutex_lock(&s->lock);
    sni_bus_write(&s->board, now, addr, data, bytes);
    qemu_mutex_unlock(&s->lock);
}

static void sni_observed_read(void *opaque, uint64_t now, uint64_t addr)
{
    SniDevice *s = opaque;
    qemu_mutex_lock(&s->lock);
    sni_bus_read(&s->board, now, addr);
    qemu_mutex_unlock(&s->lock);
}

void sni_attach_observer(SniDevice *s)
{
    pb_observe_attach(&(PbBusObserver){
        .opaque = s, .write = sni_observed_write, .read = sni_observed_read,
        .caches = s->geometry.l1_size || s->geometry.l2_size ? s->cache : NULL, .cpus = s->cpus,
        .awaits = &s->board.state.open,
    });
}

void sni_observe(void *opaque)
{
    SniDevice *s = opaque;
    s->observe_pending = true;
}

/* Tells the observer which pages are mapped and how much the model wants to see. Without `lock`. */
void sni_update_observation(SniDevice *s)
{
    PbObserveLevel level = PB_OBSERVE_NOTHING;

    if (!s->observe_pending) {
        return;
    }
    s->observe_pending = false;
    for (uint64_t page = 0; page < MIN(pb_observe_pages(), SNI_PAGES); page++) {
        pb_observe_page(page, sni_page_mapped(&s->board, page << PB_PAGE_BITS));
    }
    switch (sni_wants(&s->board)) {
    case SNI_WANTS_NOTHING:
        break;
    case SNI_WANTS_STORES:
        level = PB_OBSERVE_STORES;
        break;
    case SNI_WANTS_LOADS_TOO:
        level = s->snoop_loads ? PB_OBSERVE_ALL : PB_OBSERVE_STORES;
        break;
    }
    pb_observe_level(level);
}

void sni_empty_caches(SniDevice *s)
{
    for (unsigned i = 0; i < s->cpus; i++) {
        cache_reset(s->cache[i]);
    }
}

/* --- packets that have arrived --------------------------------------------- */

void sni_global_reset(void *opaque)
{
    surfboards_global_reset(eisa_bus(EISA_DEVICE(opaque)));
}

static void sni_deliver(SniDevice *s, SniDelivery *d)
{
    bool ok = true;

    surfboards_packet(eisa_bus(EISA_DEVICE(s)), &d->packet);
    if (d->write) {
        ok = s->glue.host.dma_write(&s->glue, d->packet.address + d->skip,
                                    (const uint8_t *)d->payload + d->skip, d->bytes);
        for (unsigned i = 0; i < s->cpus; i++) {
            cache_invalidate(s->cache[i], d->packet.address, 4 * d->packet.words);
        }
    }
    qemu_mutex_lock(&s->lock);
    sni_delivered(&s->board, d, ok);
    qemu_mutex_unlock(&s->lock);
}

void sni_take_counts(SniDevice *s)
{
    PbBusCounts fresh = pb_observe_take_counts();

    qemu_mutex_lock(&s->lock);
    sni_bus_counted(&s->board, fresh.reads, fresh.writes);
    qemu_mutex_unlock(&s->lock);
}

/* Brings the model to the present and carries out what has come due. */
void sni_run(SniDevice *s)
{
    uint64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    bool more;

    sni_take_counts(s);

    do {
        qemu_mutex_lock(&s->lock);
        sni_timer(&s->board);
        more = sni_pop_delivery(&s->board, now, &s->delivery);
        qemu_mutex_unlock(&s->lock);
        if (more) {
            sni_deliver(s, &s->delivery);
        }
    } while (more);
    sni_update_observation(s);
}

void sni_expired(void *dev)
{
    sni_run(SHRIMP_SNI(dev));
}

void sni_catch_up(EisaBus *bus)
{
    BusChild *kid;
    QTAILQ_FOREACH(kid, &BUS(bus)->children, sibling) {
        SniDevice *s = (SniDevice *)object_dynamic_cast(OBJECT(kid->child), TYPE_SHRIMP_SNI);
        if (s) {
            sni_run(s);
        }
    }
}
