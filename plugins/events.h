/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Event sources - countable things in the machine, for a board's counter inputs.
 *
 *   PbEventSource *s = pb_event_source("loads:0", vcpus, &why);   one vCPU; without ":0" all of them
 *   pb_event_watch(s, true);              from now on it counts (big lock held); false: it stands still
 *   uint64_t n = pb_event_total(s);       how many so far, while watched (big lock held)
 *
 * Sources, each with an optional ":VCPU":
 *   instructions   executed; an instruction that faults counts when it completes. As QEMU counts for icount:
 *                  each iteration of a repeated string instruction is one
 *   loads, stores  memory accesses, devices' registers too; one that crosses a page is one
 *   branches       jumps, calls, returns, loops; taken or not
 *   exceptions     faults, traps and software interrupts taken
 *   interrupts     hardware interrupts taken (NMI and SMI too)
 *   dcache-misses  loads and stores that miss a model of the vCPU's data cache (plugins/cache.h; 8 KB, 2-way, 32-byte lines)
 *   tlb-misses     that miss a model of its data TLB (64 entries, 4-way, LRU; MOV to CR3 and INVLPG empty it as they do a Pentium's)
 *   pages:LOW-HIGH loads and stores within these guest-physical addresses, both included, e.g. pages:0x100000-0x1fffff;
 *                  with a vCPU: pages:LOW-HIGH:VCPU
 *
 * Only what is watched is instrumented: with nothing watched a block carries nothing of this.
 * Counting begins and ends at the next block (under icount a register access ends its block, so nothing is
 * missed). Totals are the process's own: a snapshot does not hold them, but holds the cache and TLB models' contents.
 */
#ifndef PERFBOARD_PLUGINS_EVENTS_H
#define PERFBOARD_PLUGINS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PbEventSource PbEventSource;

/* NULL, and one line in *why (to be freed with g_free; names what is wrong and what is legal). */
PbEventSource *pb_event_source(const char *text, unsigned vcpus, char **why);
void pb_event_watch(PbEventSource *source, bool on);
uint64_t pb_event_total(const PbEventSource *source);

/* An attempt at an instruction was given up and will be made again (a board held the vCPU): do not
 * count it twice. In the vCPU's thread. */
void pb_event_retried(unsigned vcpu);

/* The flat contents of the cache and TLB models, all vCPUs, for a snapshot; the size depends on the number of vCPUs alone.
 * NULL and 0 if no source needs them. */
void *pb_event_models(size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
