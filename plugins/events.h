/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Event sources - countable things in the machine, for a board's counter inputs.
 *
 *   PbEventSource *s = pb_event_source("loads:0", vcpus, &why);   one vCPU; without ":0" all of them
 *   pb_event_watch(s, true);              from now on it counts (big lock held); false: it stands still
 *   uint64_t n = pb_event_total(s);       how many so far, while watched; never falls (big lock held)
 *
 * Sources, each with an optional ":VCPU":
 *   instructions   executed; one that faults counts when it completes. Software interrupts complete. Each iteration of a
 *                  repeated string instruction is one, and so is the last look that finds ECX zero, as QEMU counts for icount
 *                  (free-running one more for each 65536 iterations, and where CMPS or SCAS ends by its condition)
 *   loads, stores  memory accesses that instructions make, devices' registers too; one that crosses a page is one,
 *                  x87's ten bytes are two. IRET's and far branches' descriptors are seen; page walks and what the
 *                  processor itself pushes when it delivers an exception or interrupt are not. An instruction that faults behind
 *                  an access has made it, and makes it again
 *   branches       jumps, calls, returns, loops, near and far, IRET; taken or not. Not INT, SYSCALL and their like
 *   exceptions     faults, traps and software interrupts delivered
 *   interrupts     hardware interrupts delivered (NMI and SMI too)
 *   dcache-misses  loads and stores that miss a model of the vCPU's data cache (hw/memory/cache.h; 8 KB, 2-way, 32-byte lines;
 *                  a store that misses brings no line). Only RAM is cached; an access that misses two lines is one miss
 *   tlb-misses     that miss a model of its data TLB (hw/memory/tlb.h: 64 entries, 4-way, LRU) while paging is on. MOV to CR3,
 *                  a change of CR0.PG or of CR4's PSE, PAE, PGE, and INVPCID empty it, INVLPG drops a page, as on a
 *                  Pentium (no global pages); a task switch's change of CR3 is noticed at the next miss
 *   pages:LOW-HIGH loads and stores that touch these guest-physical addresses, both included, e.g. pages:0x100000-0x1fffff;
 *                  with a vCPU: pages:LOW-HIGH:VCPU
 *
 * Only what is watched is instrumented: with nothing watched a block carries nothing of this.
 * Counting begins at the next block; under icount a register access ends its block, so nothing is missed. Counting ends at
 * once: the instruction that ends it is counted, its access is not. QEMU makes some instructions twice: those that access
 * a device in the middle of a block, those that a board delays, and code that changes itself. They count once. x86 only.
 * An instruction that a vCPU has under way counts for a look at that moment. If it faults, the total stands still until the
 * next event has made up for it. Totals are the process's own: a snapshot does not hold them, but holds the cache and TLB models' contents.
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
uint64_t pb_event_total(PbEventSource *source);

/* Their names, as pb_event_source() takes them, without ":VCPU"; to be freed with g_strfreev. */
char **pb_event_names(void);

/* A board held the vCPU: the instruction under way is given up, will be made again, and is to count once. Call it in the
 * vCPU's thread, right before cpu_loop_exit_restore() with EXCP_INTERRUPT. */
void pb_event_retried(unsigned vcpu);

/* The flat contents of the cache and TLB models, all vCPUs, for a snapshot; the size depends on the number of vCPUs alone.
 * NULL and 0 if no source needs them. */
void *pb_event_models(size_t *bytes);
void pb_event_models_reset(void); /* empties them */
/* A snapshot's contents, of that size. Not ok: the models cannot hold them, and `why` says what is wrong. */
bool pb_event_models_ok(const void *image, char *why, size_t why_size);
void pb_event_models_load(const void *image);

#ifdef __cplusplus
}
#endif
#endif
