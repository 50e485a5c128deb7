/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Filter: accesses to pages that nobody marked cost no call. A few translated instructions in front of an access's callback
 * compare the address with a window, and leave the callback out if the address is not in it.
 *
 *   pb_filter_start(maybe)            once, before the first of what follows
 *   pb_filter_changed()               pages were marked, or memory lies elsewhere (any thread)
 *   pb_filter_block(tb, load, store)  at translation, when all callbacks are registered: the filter in front of those
 *                                     loads for which `load` is registered and nothing else, and stores with `store`
 *
 * A window is of one vCPU and one MMU mode: the virtual addresses from the lowest to the highest page that maybe() says yes
 * to. A page gets into it when QEMU fills the vCPU's TLB with it; in between, no access can reach the page. So the callback
 * is called too often at worst: for a page between two marked ones.
 *
 * hw/qemu/tcg/filter.c and window.c implement it. Where it cannot be had, every access calls: another plugin is loaded, which may want
 * what the filter leaves out; vCPUs that could be added later; a place in a block where a label is not safe.
 */
#ifndef PERFBOARD_PLUGINS_FILTER_H
#define PERFBOARD_PLUGINS_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qemu_plugin_tb;
typedef void (*PbAccessCallback)(unsigned vcpu, uint32_t info, uint64_t vaddr, void *udata);

/* host is NULL for a device's page. */
void pb_filter_start(bool (*maybe)(const uint8_t *host));
void pb_filter_changed(void);
/* NULL: no loads, or no stores, are filtered. */
void pb_filter_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store);

/* The value of each access, which QEMU stores for plugins that ask for it (nobody here does): left out. Unless another
 * plugin is loaded. */
void pb_drop_values(struct qemu_plugin_tb *tb);

#ifdef __cplusplus
}
#endif
#endif
