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

/* host is NULL for a device's page, whose guest-physical address is addr. */
void pb_filter_start(bool (*maybe)(const uint8_t *host, uint64_t addr));
void pb_filter_changed(void);
/* NULL: no loads, or no stores, are filtered. */
void pb_filter_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store);

/* Where every load and store is a bus cycle that only counts (taps.h): what the filter leaves out is counted there, by vCPU.
 *
 *   pb_passed_block(tb, load, store)   as pb_filter_block()
 *   pb_passed(vcpu, &counts)           what was left out so far, ever. False: nothing ever is. Any thread
 *   pb_passed_none(true)               nothing is left out from now on; false: again. Any thread, one at a time
 *
 * An access that is not aligned calls: it may cross a page, and be two bus cycles. */
typedef struct PbPassed {
    uint64_t loads, stores;
} PbPassed;
void pb_passed_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store);
bool pb_passed(unsigned vcpu, PbPassed *counts);
void pb_passed_none(bool on);

/* Still lines (still.h): accesses that would change nothing in the models cost no call either. Instead of a window a table for each
 * vCPU and MMU mode: where the line of an address has its place there, and its key, the access does without the callback.
 *
 *   PbStillMode *t = pb_still_table(vcpu);   PB_MMU_MODES of them. NULL: this filter cannot be had
 *   pb_still_lines(8);                       lines of 256 bytes; 0: none is still. While no vCPU runs
 *   pb_still_block(tb, load, store)          as pb_filter_block()
 *
 * What fills a vCPU's TLB with a page takes the page's lines out of the table. The key of a line is its address. */
enum { PB_STILL_LINES = 2048 };
#define PB_STILL_NONE UINT64_MAX
typedef struct PbStillLine {
    uint64_t load, store; /* key: loads, or stores, change nothing. PB_STILL_NONE: no such line */
} PbStillLine;
typedef struct PbStillMode {
    PbStillLine line[PB_STILL_LINES]; /* by the line's number, modulo */
} PbStillMode;
PbStillMode *pb_still_table(unsigned vcpu);
void pb_still_lines(unsigned bits);
void pb_still_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store);

/* The value of each access, which QEMU stores for plugins that ask for it (nobody here does): left out. Unless another
 * plugin is loaded. */
void pb_drop_values(struct qemu_plugin_tb *tb);

#ifdef __cplusplus
}
#endif
#endif
