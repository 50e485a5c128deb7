/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tlb - a TLB of one CPU: which pages it would have at hand.
 *
 *   TlbGeometry g = TLB_GEOMETRY_PENTIUM;
 *   if (!tlb_geometry_ok(&g, why, sizeof why)) ...    one line: what, value, legal range
 *   void *memory = calloc(1, tlb_state_bytes(&g));    flat: a snapshot copies it
 *   TlbNode t; tlb_attach(&t, &g, memory);            tlb_reset(&t) empties it
 *   if (!tlb_use(&t, vaddr >> 12)) misses++;          the page is then in it, newest of its set
 *   tlb_drop(&t, vaddr >> 12);                        one translation is dropped
 *
 * Set-associative, LRU, pages of 4 KB. A large page takes an entry for each 4 KB of it that is touched.
 * An entry is the page's virtual number + 1; 0 is an empty place. A set's entries stand newest first.
 */
#ifndef PERFBOARD_MEMORY_TLB_H
#define PERFBOARD_MEMORY_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TlbGeometry {
    uint32_t entries, ways;
} TlbGeometry;

/* The Pentium's for 4 KB pages. Its eight further entries for 4 MB pages are not modelled. */
#define TLB_GEOMETRY_PENTIUM { 64, 4 }

/* Head of the flat state; the entries follow it, set after set. */
typedef struct TlbState {
    uint64_t space; /* the address space that the entries are of; the caller's to use */
} TlbState;

typedef struct TlbNode {
    TlbState *state;
    uint64_t *entry; /* [set * ways + way] */
    uint32_t sets, ways;
} TlbNode;

bool tlb_geometry_ok(const TlbGeometry *g, char *why, size_t why_size);
size_t tlb_state_bytes(const TlbGeometry *g);
void tlb_attach(TlbNode *t, const TlbGeometry *g, void *memory); /* leaves the state as it is */
void tlb_reset(TlbNode *t);
bool tlb_use_slow(TlbNode *t, uint64_t page);
void tlb_drop(TlbNode *t, uint64_t page);
bool tlb_has(const TlbNode *t, uint64_t page); /* nothing changes */
/* Whether a snapshot's memory can be a TLB of this geometry: every page in its set, once, with the empty places behind.
 * Any space is good. */
bool tlb_state_ok(const TlbGeometry *g, const void *memory, char *why, size_t why_size);

/* Whether the page is the newest of its set: then tlb_use() would change nothing. */
static inline bool tlb_newest(const TlbNode *t, uint64_t page)
{
    return t->entry[(page & (t->sets - 1)) * t->ways] == page + 1;
}

/* The page is the newest of its set then, if the TLB has it. Else nothing changes. */
static inline bool tlb_renew_held(TlbNode *t, uint64_t page)
{
    uint64_t *set = &t->entry[(page & (t->sets - 1)) * t->ways];

    for (uint32_t way = 0; way < t->ways; way++) {
        if (set[way] == page + 1) {
            for (; way > 0; way--) {
                set[way] = set[way - 1];
            }
            set[0] = page + 1;
            return true;
        }
    }
    return false;
}

static inline bool tlb_use(TlbNode *t, uint64_t page)
{
    return tlb_newest(t, page) || tlb_use_slow(t, page);
}

#ifdef __cplusplus
}
#endif
#endif
