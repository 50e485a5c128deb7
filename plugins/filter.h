/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Filter: accesses to pages that nobody marked cost no call. A few translated instructions in front of an access's callback
 * compare the address with a window, and leave the callback out if the address is not in it.
 *
 * A window is of one vCPU and one MMU mode: the virtual addresses from the lowest to the highest page that may be marked
 * (PbMachine::filter_start). A page gets into it when QEMU fills the vCPU's TLB with it; in between, no access can reach the
 * page. So the callback is called too often at worst: for a page between two marked ones.
 *
 * machine.h has the calls; hw/qemu/tcg/filter.c and window.c implement them. Where the filter cannot be had, every access calls:
 * another plugin is loaded, which may want what the filter leaves out; vCPUs that could be added later; a place in a block where a
 * label is not safe.
 */
#ifndef PERFBOARD_PLUGINS_FILTER_H
#define PERFBOARD_PLUGINS_FILTER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qemu_plugin_tb;
typedef void (*PbAccessCallback)(unsigned vcpu, uint32_t info, uint64_t vaddr, void *udata);

/* Puts a filter into the block (PbMachine::filter_block). */
typedef void (*PbBlockFilter)(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store);

/* Where every load and store is a bus cycle that only counts (taps.h): what the filter leaves out is counted there, by vCPU.
 * An access that is not aligned calls: it may cross a page, and be two bus cycles. */
typedef struct PbAccessCount {
    uint64_t loads, stores;
} PbAccessCount;

/* Hit filter (hit_filter.h): accesses that would change nothing in the models cost no call either. Instead of a range a table for each
 * vCPU and MMU mode: where the line of an address has its place there, and its key, the access does without the callback.
 * What fills a vCPU's TLB with a page takes the page's lines out of the table. The key of a line is its address. */
enum { PB_HIT_LINES = 2048 };
#define PB_HIT_NONE UINT64_MAX
typedef struct PbHitLine {
    uint64_t load, store; /* key: loads, or stores, change nothing. PB_HIT_NONE: no such line */
} PbHitLine;
typedef struct PbHitFilter {
    PbHitLine line[PB_HIT_LINES]; /* by the line's number, modulo */
} PbHitFilter;

#ifdef __cplusplus
}
#endif
#endif
