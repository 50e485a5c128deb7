/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Observation - the guest's own loads and stores, filtered by physical page, as bus traffic.
 *
 * A board (its shim in hw/qemu/) hands in a PbBusObserver and says how much it needs:
 *
 *   PB_OBSERVE_NOTHING  blocks carry no instrumentation at all
 *   PB_OBSERVE_STORES   stores to the pages that are marked reach write()
 *   PB_OBSERVE_ALL      also loads and other stores, through the node's caches: what misses
 *                       (or is uncached) reaches read() or write()
 *
 * Callbacks come in the vCPU's thread, without the big lock, in program order, with the virtual
 * time of the instruction; they must not raise interrupts. An access that crosses a page is two.
 *
 * Exactness: a store that faults is not seen, its restart is; locked and string operations,
 * helpers' stores (fxsave, pushes of exceptions) come one by one. Switching the level takes
 * effect at the next block; under icount a register access ends its block, so nothing is missed.
 */
#ifndef PERFBOARD_PLUGINS_OBSERVE_H
#define PERFBOARD_PLUGINS_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/memory/cache.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PbObserveLevel { PB_OBSERVE_NOTHING, PB_OBSERVE_STORES, PB_OBSERVE_ALL } PbObserveLevel;

typedef struct PbBusObserver {
    void *opaque;
    /* 1..16 bytes at guest-physical addr, within a page. data is guest RAM itself, to be read under
     * the observer's lock; NULL for a page that is not marked: only that there was a write matters. */
    void (*write)(void *opaque, uint64_t now, uint64_t addr, const uint8_t *data, uint32_t bytes);
    void (*read)(void *opaque, uint64_t now, uint64_t addr);
    CacheNode *const *caches; /* one for each of cpus vCPUs; NULL: no caches, every load is on the bus */
    unsigned cpus;
    /* While this is 0, read(), and write() to a page that is not marked, would do no more than
     * count: they are not called, and pb_observe_take_counts() has the count. */
    const uint8_t *awaits;
} PbBusObserver;

typedef struct PbBusCounts {
    uint64_t reads, writes;
} PbBusCounts;

/* The one observer, for as long as the machine lives. Big lock held. */
void pb_observe_attach(const PbBusObserver *observer);
void pb_observe_level(PbObserveLevel level);
/* Mark a 4 KB page of guest RAM (page = guest-physical address >> 12, below 4 GiB). Any thread. */
void pb_observe_page(uint64_t page, bool marked);
uint64_t pb_observe_pages(void); /* pages of guest RAM below 4 GiB */
PbBusCounts pb_observe_take_counts(void); /* since the last call. Big lock held. */

/* For the plugin's entry point. */
void pb_observe_install(uint64_t plugin_id, unsigned max_vcpus);

#ifdef __cplusplus
}
#endif
#endif
