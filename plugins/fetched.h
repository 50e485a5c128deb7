/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fetched - the page of instructions that a vCPU looked up last in its instruction TLBs. A block that begins in that page would change
 * nothing in them: translated code compares, and leaves the look-up out.
 *
 *   pb_fetched_start();                       once, when there are vCPUs
 *   PbFetched *f = pb_fetched(vcpu);          NULL: it cannot be had, or there is no such vCPU
 *   pb_fetch_page(tb, relative, page, look)   at translation: look() before the first instruction, behind its callbacks, unless f->page
 *                                             is the page in which the block begins. False: this block needs callbacks
 *
 * f->page is a page only as long as it is the newest of its set in each instruction TLB in use: whoever changes one of them writes
 * PB_FETCHED_NONE there. hw/qemu/tcg/fetched.c implements it.
 */
#ifndef PERFBOARD_PLUGINS_FETCHED_H
#define PERFBOARD_PLUGINS_FETCHED_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PB_FETCHED_NONE UINT64_MAX
typedef struct PbFetched {
    uint64_t page; /* virtual address >> PB_PAGE_BITS; PB_FETCHED_NONE: none */
    void *vcpu;    /* for look() */
} PbFetched;

struct qemu_plugin_tb;
typedef void (*PbFetchLook)(PbFetched *fetched, uint64_t page);

void pb_fetched_start(void);
PbFetched *pb_fetched(unsigned vcpu);
/* relative: the block may run in other pages than this one. */
bool pb_fetch_page(struct qemu_plugin_tb *tb, bool relative, uint64_t page, PbFetchLook look);

#ifdef __cplusplus
}
#endif
#endif
