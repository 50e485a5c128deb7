/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fetched - the page of instructions that a vCPU looked up last in its instruction TLBs. A block that begins in that page would change
 * nothing in them: translated code compares, and leaves the look-up out.
 *
 * PbFetched::page is a page only as long as it is the newest of its set in each instruction TLB in use: whoever changes one of them writes
 * PB_FETCHED_NONE there. machine.h has the calls; hw/qemu/tcg/fetched.c implements them.
 */
#ifndef PERFBOARD_PLUGINS_FETCHED_H
#define PERFBOARD_PLUGINS_FETCHED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PB_FETCHED_NONE UINT64_MAX
typedef struct PbFetched {
    uint64_t page; /* virtual address >> PB_PAGE_BITS; PB_FETCHED_NONE: none */
    void *vcpu;    /* for look() */
} PbFetched;

typedef void (*PbFetchLook)(PbFetched *fetched, uint64_t page);

#ifdef __cplusplus
}
#endif
#endif
