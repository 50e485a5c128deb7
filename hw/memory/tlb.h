/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tlb - the data TLB of one CPU: which pages it would have at hand.
 *
 *   TlbState t; tlb_reset(&t);                  flat: a snapshot copies it
 *   if (!tlb_use(&t, vaddr >> 12)) misses++;    the page is then in it, newest of its set
 *   tlb_drop(&t, vaddr >> 12);                  INVLPG
 *
 * The Pentium's for 4 KB pages: 64 entries, 4-way; LRU. A large page takes an entry for each 4 KB of it that is touched:
 * the Pentium's eight further entries for 4 MB pages are not modelled.
 * An entry is the page's virtual number + 1; 0 is an empty place. A set's entries stand newest first.
 */
#ifndef PERFBOARD_MEMORY_TLB_H
#define PERFBOARD_MEMORY_TLB_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TLB_ENTRIES = 64, TLB_WAYS = 4, TLB_SETS = TLB_ENTRIES / TLB_WAYS };

typedef struct TlbState {
    uint64_t entry[TLB_SETS][TLB_WAYS];
    uint64_t cr3; /* of the address space that the entries are of; the caller's to use */
} TlbState;

void tlb_reset(TlbState *t);
bool tlb_use_slow(TlbState *t, uint64_t page);
void tlb_drop(TlbState *t, uint64_t page);
/* Whether a snapshot's TLB can be one: every page in its set, once, with the empty places behind. cr3 is any. */
bool tlb_state_ok(const TlbState *t);

static inline bool tlb_use(TlbState *t, uint64_t page)
{
    return t->entry[page % TLB_SETS][0] == page + 1 || tlb_use_slow(t, page);
}

/* Whether it is there; nothing changes. */
static inline bool tlb_has(const TlbState *t, uint64_t page)
{
    const uint64_t *set = t->entry[page % TLB_SETS];
    return set[0] == page + 1 || set[1] == page + 1 || set[2] == page + 1 || set[3] == page + 1;
}

#ifdef __cplusplus
}
#endif
#endif
