/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events - countable things in the machine, by vCPU and context.
 *
 *   static const char *const names[] = { "instructions", "loads", "branches" };
 *   PbEvents *e = pb_events_open(names, 3, vcpus, NULL, &why);
 *   pb_events_watch(e, true);             from now on they count; false: they stand still
 *   uint64_t totals[3];
 *   pb_events_read(e, 0, PB_USER | PB_USER_MARKED, totals);     of vCPU 0, while it was not privileged
 *   pb_events_read(e, PB_ALL_VCPUS, PB_ANY_CONTEXT, totals);    how many so far, while watched; never falls
 *
 * Event sources are one event each, for a board's counter inputs, which a user connects by name:
 *
 *   PbEventSource *s = pb_event_source("loads:user:0", vcpus, &why);
 *   pb_event_watch(s, true);
 *   uint64_t n = pb_event_total(s);       never falls
 *   pb_event_rebase(s);                   what was counted by it was cleared: look anew, since the total may have fallen now
 *   pb_event_close(s);
 *
 * All of these with the big lock held.
 *
 * Names: EVENT[:CONTEXT ...][:VCPU]. CONTEXT is user or kernel, marked or unmarked, or one of each. Without one an event
 * counts in every context, without :VCPU on every vCPU.
 *
 * Context. Each event falls into one of four: privileged or not (x86: CPL below 3; POWER: MSR[PR] is 0, hypervisor too),
 * process mark set or not (POWER: MSR[PMM]; x86: what a board says with pb_event_mark(), at first not set). An instruction
 * that changes the context belongs, with its accesses, to the context in which it begins. An exception or
 * interrupt belongs to the context that it interrupts.
 *
 * Events:
 *   instructions   executed; one that faults counts when it completes. Software interrupts, sc and scv complete; so does
 *                  an sc that QEMU serves as hypervisor (pseries). POWER's tw and td fault if they trap. Each iteration of a
 *                  repeated string instruction is one, and so is the last look that finds ECX zero, as QEMU counts for icount
 *                  (free-running there are more: README.md)
 *   loads, stores  memory accesses that instructions make, devices' registers too; one that crosses a page is one.
 *                  Page walks and what the processor itself accesses when it delivers an exception or interrupt are not
 *                  counted, here and below (taps hear of the latter: taps.h). An instruction that faults behind an access has
 *                  made it, and makes it again; the accesses of a locked one are one, which has not been made.
 *                  Descriptors that an instruction loads are seen. Vectors are one access or two, as QEMU makes them. A
 *                  conditional store (stwcx.) is a store, and no load, if the address is the reserved one. How many each
 *                  instruction makes whose accesses a helper of QEMU's makes, or several of TCG's operations: HELPED.md
 *   branches       jumps, calls, returns, loops, near and far, returns from interrupts (IRET, rfid); taken or not. Not what
 *                  raises an exception: INT, SYSCALL, sc, tw
 *   exceptions     faults, traps and software interrupts delivered. Not an sc that QEMU serves as hypervisor
 *   interrupts     hardware interrupts delivered (NMI and SMI too; POWER's event-based branches)
 *   dcache-misses  loads and stores that miss a model of the vCPU's data cache (hw/memory/cache.h; 8 KB, 2-way, 32-byte lines;
 *                  a store that misses brings no line). Only RAM is cached; an access that misses two lines is one miss
 *   icache-misses  lines of instructions that miss a model of its instruction cache (8 KB, 2-way, 32-byte lines). Code outside
 *                  of RAM is not cached. A line of which instructions are executed one after the other is looked up once
 *   dcache-load-misses, dcache-store-misses   the loads, and the stores, of dcache-misses
 *   castouts       modified lines that the data cache writes back to memory since other lines take their places
 *   tlb-misses     that miss a model of its data TLB (hw/memory/tlb.h: 64 entries, 4-way, LRU) while addresses are
 *                  translated.
 *                  x86: MOV to CR3, a change of CR0.PG or of CR4's PSE, PAE, PGE, and INVPCID empty it, INVLPG drops a page,
 *                  as on a Pentium (no global pages); a task switch's change of CR3 is noticed at the next miss.
 *                  POWER: tlbie and tlbiel of one 4 KB page of a radix tree drop that page; the others, slbie, slbia,
 *                  slbieg, tlbia, mtsr, writing PIDR, LPIDR, PTCR or SDR1, and hypercalls that change the
 *                  hash table empty it. tlbie, slbieg and hypercalls reach the TLBs of all vCPUs, each before its next block
 *   itlb-misses    pages of instructions that miss a model of its instruction TLB (the data TLB's geometry and rules), while
 *                  instructions' addresses are translated: looked up where a block begins, and where execution goes on in another page
 *   io-loads, io-stores   programmed I/O: loads and stores that devices answer. x86: not IN, OUT and their string forms, nor the
 *                  local APIC's own page
 *   dma-reads, dma-writes   lines of memory that devices read and write (hw/qemu/core/memory/bus.c). Each vCPU counts all of them, in the
 *                  context that it is in at that moment: so a sum over vCPUs counts a line once for each
 *   pages:LOW-HIGH loads and stores that touch these guest-physical addresses, both included, e.g. pages:0x100000-0x1fffff;
 *                  with a vCPU: pages:LOW-HIGH:VCPU
 *
 * Only what is watched is instrumented: with nothing watched a block carries nothing of this.
 * Counting begins at the next block; under icount a register access ends its block, so nothing is missed. Counting ends at
 * once: the instruction that ends it is counted, its access is not. QEMU makes some instructions twice: those that access
 * a device in the middle of a block, those that a board delays, and code that changes itself. They count once.
 * An instruction that a vCPU has under way counts for a look at that moment. If it faults, the total of its vCPU and context
 * stands still until the next event there has made up for it, in a later watch if need be; pb_event_rebase(): not at all. Totals are
 * the process's own: a snapshot does not hold them, but holds the models' contents (models.h).
 */
#ifndef PERFBOARD_PLUGINS_EVENTS_H
#define PERFBOARD_PLUGINS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugins/models.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets of contexts. */
enum { PB_USER = 1, PB_KERNEL = 2, PB_USER_MARKED = 4, PB_KERNEL_MARKED = 8, PB_ANY_CONTEXT = 15 };
enum { PB_ALL_VCPUS = -1 };

typedef struct PbEvents PbEvents;

/* The models that the events count by: dcache-..., icache-misses, tlb-misses and itlb-misses; NULL: those that the names above say. */
typedef struct PbEventModels {
    PbModel *dcache, *icache, *tlb, *itlb;
} PbEventModels;

/* models may be NULL. NULL, and one line in *why (to be freed with g_free; names what is wrong and what is legal). vcpus: the machine's. */
PbEvents *pb_events_open(const char *const *names, unsigned n, unsigned vcpus, const PbEventModels *models, char **why);
void pb_events_close(PbEvents *events);
void pb_events_watch(PbEvents *events, bool on);
/* totals: one for each name. The sums over the named contexts, of those that the event itself has in its name. */
void pb_events_read(PbEvents *events, int vcpu, unsigned contexts, uint64_t *totals);
/* As pb_event_rebase(), of that vCPU's totals. False: none has fallen. */
bool pb_events_rebase(PbEvents *events, int vcpu);

typedef PbEvents PbEventSource; /* of one event */

PbEventSource *pb_event_source(const char *text, unsigned vcpus, char **why);
void pb_event_close(PbEventSource *source);
void pb_event_watch(PbEventSource *source, bool on);
uint64_t pb_event_total(PbEventSource *source);
void pb_event_rebase(PbEventSource *source);

/* Their names, without context and vCPU; to be freed with g_strfreev. */
char **pb_event_names(void);

/* Where the architecture has no process mark (x86): the vCPU's mark is this from now on. In the vCPU's own thread, or while it
 * does not run. storing: the access under way is a store (not OUT) by which the vCPU's instruction sets the mark; it is counted behind
 * this, and belongs to where it began. (Only in tlb-misses and pages that one store counts where it ends.) */
void pb_event_mark(unsigned vcpu, bool marked, bool storing);

#ifdef __cplusplus
}
#endif
#endif
