/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Taps - observers of the guest's own loads and stores. A board's shim opens one and says what it wants to hear:
 *
 *   PbTap *t = pb_tap_new(&ops, board);                 when a device is made; NULL: there are too many
 *   pb_tap_pages(t, addr >> 12, n, true);               its pages, anywhere in guest-physical space
 *   pb_tap_caches(t, model);                            PB_TAP_BUS: the caches that stand before the bus
 *   pb_tap_want(t, PB_TAP_STORES);                      from now on
 *   pb_tap_close(t); ... pb_tap_free(t);                the device goes
 *
 *   PB_TAP_NOTHING  nothing; if no tap wants anything, blocks carry no instrumentation at all
 *   PB_TAP_STORES   stores to its pages are told, with the bytes
 *   PB_TAP_PAGES    loads from its pages, too
 *   PB_TAP_BUS      stores to its pages are told with the bytes; besides, everything that reaches the memory bus:
 *                   loads and stores that miss the caches, or are uncached, without bytes
 *
 * Any number of taps up to 31; pages of several taps may overlap. Each access is looked at once, by one callback at most,
 * and each tap hears what it asked for, whatever the others asked for.
 *
 * Going. Behind pb_tap_close() no callback begins; one that another vCPU is in goes on to its end. pb_tap_free() is for when all vCPUs have
 * been between two blocks since (hw/qemu/core/board/board_type.h: the board's instance_finalize). Then another tap may have the place.
 *
 * Callbacks come in the vCPU's thread, without the big lock (with it when an exception or interrupt is delivered), in program order, with the
 * virtual time of the instruction. They must not raise interrupts, nor call pb_tap_pages(), pb_tap_caches() or pb_tap_want(). An access
 * that crosses a page is two.
 *
 * Write-combining. pb_tap_types(t, true) before pages are marked: each access tells what memory its mapping makes of the page.
 * While pb_tap_holds(t, true) says that stores wait in buffers, drain() comes before an instruction that empties such buffers
 * (isa.h, Quirks::drains), and when an exception or interrupt is delivered. It comes in the vCPU's thread; there the big lock may be held.
 * A board that answers accesses itself, as I/O, asks hw/qemu/core/vcpu/vcpu.h instead of reading them here.
 *
 * What only has to be counted: while a tap at PB_TAP_BUS does not await, bus cycles without bytes are counted and not told.
 * pb_tap_take() gives the count. A tap awaits from the beginning.
 *
 * Exactness: a store that faults is not seen, its restart is; a locked instruction's load comes together with its store, so the
 * restart of one whose store faults is seen alone; locked and string operations, helpers' stores (fxsave) come one by one.
 * What a processor accesses itself when it delivers an exception or interrupt (frames, descriptors, a task's state) is told at a tap's
 * pages, and counts as no bus cycle elsewhere. Never seen, since QEMU makes them past its TLB: page walks with the accessed and dirty
 * bits that they set, the state that system management mode saves, SVM's control blocks and saved state, the frame of a single-step
 * trap behind HLT or #VMEXIT. Switching takes effect at the next block: free-running, an access later in the block that maps the first
 * page is not seen; under icount a register access ends its block, so nothing is missed.
 */
#ifndef PERFBOARD_PLUGINS_TAPS_H
#define PERFBOARD_PLUGINS_TAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugins/models.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PB_MOST_TAPS = 31 };

/* What the guest's mapping of a page says about its memory. */
typedef enum PbMemory {
    PB_MEMORY_UNCACHED,
    PB_MEMORY_WRITE_BACK,
    PB_MEMORY_WRITE_THROUGH,
    PB_MEMORY_WRITE_PROTECTED,
    PB_MEMORY_WRITE_COMBINING,
} PbMemory;

typedef enum PbTapLevel { PB_TAP_NOTHING, PB_TAP_STORES, PB_TAP_PAGES, PB_TAP_BUS } PbTapLevel;

typedef struct PbTapAccess {
    uint64_t now;  /* virtual ns */
    uint64_t addr; /* guest-physical; 1 to 16 bytes within a page */
    uint32_t bytes;
    uint32_t vcpu;
    /* The guest's memory itself, to be read under the tap's own lock: if two vCPUs store to one word, the store that is
     * told last shows the word's last value. NULL: the page is not the tap's, only that there was a bus cycle matters. */
    const uint8_t *data;
    bool store;   /* else a load */
    bool locked;  /* the instruction locks the bus: x86's LOCK, and XCHG with memory */
    uint8_t type; /* PbMemory; only for taps that asked (pb_tap_types) */
} PbTapAccess;

typedef struct PbTapOps {
    void (*on_access)(void *opaque, const PbTapAccess *access);
    /* Whether the board has no use for this access: saves the time that telling takes. `now` is not filled in yet, nor a
     * load's type. Not asked for every access. NULL: it has use for all. */
    bool (*ignores)(void *opaque, const PbTapAccess *access);
    /* Whether the board has no use for any access like this one, of this vCPU to this whole page, until pb_tap_anew(): such accesses may cost
     * nothing. `now` is not filled in. NULL: it has use for all. */
    bool (*unwatched)(void *opaque, const PbTapAccess *page);
    /* While the tap holds: before this vCPU does something that empties its write-combining buffers. NULL: never told. */
    void (*drain)(void *opaque, uint64_t now, unsigned vcpu);
} PbTapOps;

typedef struct PbTap PbTap;

typedef struct PbBusCounts {
    uint64_t reads, writes;
} PbBusCounts;

/* NULL: there are PB_MOST_TAPS already. Big lock held, as for all but pb_tap_awaits(). */
PbTap *pb_tap_new(const PbTapOps *ops, void *opaque);
void pb_tap_close(PbTap *tap);
void pb_tap_free(PbTap *tap);
void pb_tap_want(PbTap *tap, PbTapLevel level);
/* n pages of 4 KB from page `first` (guest-physical address >> 12) on. */
void pb_tap_pages(PbTap *tap, uint64_t first, uint64_t n, bool on);
/* Before pb_tap_want(). The tap's pages are write-through in these caches. NULL, as at first: no caches, every load and
 * store is on the bus. */
void pb_tap_caches(PbTap *tap, PbModel *caches);
/* unwatched() says no to more: for what this thread's vCPU accesses next. others: for all vCPUs, from their next blocks on (big lock held). */
void pb_tap_anew(bool others);
void pb_tap_awaits(PbTap *tap, bool on); /* any thread */
/* Memory types of its pages, and drains, whatever its level. */
void pb_tap_types(PbTap *tap, bool on);
void pb_tap_holds(PbTap *tap, bool on); /* any thread */
PbBusCounts pb_tap_take(PbTap *tap);     /* since the last call */

#ifdef __cplusplus
}
#endif
#endif
