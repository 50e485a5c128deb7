/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cache - the data caches of one CPU, as its memory bus sees them.
 *
 *   CacheGeometry g = CACHE_GEOMETRY_PENTIUM;             which caches there are
 *   if (!cache_geometry_ok(&g, why, sizeof why)) ...      one line: option, value, legal range
 *   void *memory = calloc(1, cache_state_bytes(&g));      flat: a snapshot copies it
 *   CacheNode c; cache_attach(&c, &g, memory);            cache_reset(&c) empties it
 *
 *   if (cache_load(&c, pa, size) == CACHE_BUS) sni_bus_read(...);
 *   if (cache_store(&c, pa, size, write_through)) sni_bus_write(...);
 *   cache_invalidate(&c, pa, bytes);                      another master wrote there
 *
 * Level 1: set-associative, LRU. Level 2: the same with its own geometry, behind level 1, data only.
 * A store that misses brings its line, as a load does, if the geometry says write_allocate; else it goes
 * past the caches. A level of size 0 is not there. Level 2 includes level 1: a line
 * that level 2 loses leaves level 1 as well. Only addresses are held; the data is the memory's.
 *
 * A line is one 64-bit word of the flat state: its number + 1, shifted left by one, and in bit 0
 * whether it is dirty; 0 is an empty place. A set's lines stand most recently used first.
 */
#ifndef PERFBOARD_MEMORY_CACHE_H
#define PERFBOARD_MEMORY_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CacheGeometry {
    uint32_t l1_size, l1_ways; /* bytes; size 0: no such level */
    uint32_t l2_size, l2_ways;
    uint32_t line; /* bytes, both levels */
    uint32_t write_allocate; /* 1: a store that misses brings its line; 0: it does not */
} CacheGeometry;

/* Pentium: 8 KB data cache, 2-way, 32-byte lines; 256 KB direct-mapped on the board. */
#define CACHE_GEOMETRY_PENTIUM { 8192, 2, 262144, 1, 32 }

typedef enum CacheResult {
    CACHE_L1,  /* hit in level 1 */
    CACHE_L2,  /* hit in level 2 */
    CACHE_BUS, /* a read on the memory bus */
} CacheResult;

/* Head of the flat state: what went past level 1, by lines. Whoever counts accesses knows the hits. The lines of level 1, then those of level 2 follow it. */
typedef struct CacheState {
    uint64_t l1_misses;  /* loads of lines that were not in level 1, or without a level 1 */
    uint64_t l2_misses;  /* loads of lines that were in no level: bus reads */
    uint64_t bus_writes; /* stores to lines that went on the bus; write_allocate: as a read that brings the line */
    uint64_t writebacks; /* dirty lines pushed out: bus writes, each behind the read that pushed it out */
} CacheState;

typedef struct CacheNode {
    CacheState *state;
    uint64_t *l1, *l2; /* [set * ways + way] */
    uint32_t l1_sets, l1_ways, l2_sets, l2_ways; /* sets 0: no such level */
    uint32_t line_shift;
    bool write_allocate;
} CacheNode;

/* False, and one line: option, value, legal range. */
bool cache_geometry_ok(const CacheGeometry *g, char *why, size_t why_size);
size_t cache_state_bytes(const CacheGeometry *g);
void cache_attach(CacheNode *c, const CacheGeometry *g, void *memory); /* leaves the state as it is */
void cache_reset(CacheNode *c);
/* Whether a snapshot's memory is what caches of this geometry can hold: every line in its set, once,
 * with the empty places behind, and in level 2 if it is in level 1. False: `why` says what is wrong. */
bool cache_state_ok(const CacheGeometry *g, const void *memory, char *why, size_t why_size);

/* One line, which is not in level 1: there is a level 1. */
CacheResult cache_load_below(CacheNode *c, uint64_t line);
bool cache_store_below(CacheNode *c, uint64_t line); /* true: on the memory bus */
CacheResult cache_load_slow(CacheNode *c, uint64_t pa, uint32_t size);
bool cache_store_slow(CacheNode *c, uint64_t pa, uint32_t size, bool write_through);
/* Whether every line of pa..pa+size-1 is in some level; nothing changes. */
bool cache_holds(const CacheNode *c, uint64_t pa, uint32_t size);
/* Another master wrote pa..pa+bytes-1: the lines are dropped, dirty or not. */
void cache_invalidate(CacheNode *c, uint64_t pa, uint32_t bytes);

/* The set of level 1 that is to hold the line, newest first; there is a level 1. A place holds the line if place >> 1 is its
 * number + 1. */
static inline uint64_t *cache_set(const CacheNode *c, uint64_t line)
{
    return &c->l1[(line & (c->l1_sets - 1)) * c->l1_ways];
}

/* The line, which is not the newest of its set, is that now. *hit: it was there. Else the place that was pushed out for it. */
static inline uint64_t cache_renew(uint64_t *set, uint32_t ways, uint64_t line, bool *hit)
{
    uint64_t moved = set[0], place = (line + 1) << 1;

    for (uint32_t way = 1; way < ways; way++) {
        const uint64_t here = set[way];
        set[way] = moved;
        if ((here | 1) == (place | 1)) {
            set[0] = here;
            *hit = true;
            return 0;
        }
        moved = here;
    }
    set[0] = place;
    *hit = false;
    return moved;
}

/* The line, which is not the newest of its set, is that now if the set holds it. Else nothing changes. */
static inline bool cache_renew_held(uint64_t *set, uint32_t ways, uint64_t line)
{
    if (ways > 1 && set[1] >> 1 == line + 1) {
        const uint64_t newest = set[1];
        set[1] = set[0];
        set[0] = newest;
        return true;
    }
    for (uint32_t way = 2; way < ways; way++) {
        const uint64_t here = set[way];
        if (here >> 1 == line + 1) {
            for (; way > 0; way--) {
                set[way] = set[way - 1];
            }
            set[0] = here;
            return true;
        }
    }
    return false;
}

/* The line's place if the access stays in one line and that is among the two newest of its set in
 * level 1 - it then is the newest; NULL otherwise, with nothing changed. */
static inline uint64_t *cache_use_(CacheNode *c, uint64_t pa, uint32_t size)
{
    const uint64_t line = pa >> c->line_shift;
    uint64_t *set;

    if (!c->l1_sets || line != (pa + size - 1) >> c->line_shift) {
        return NULL;
    }
    set = &c->l1[(line & (c->l1_sets - 1)) * c->l1_ways];
    if (set[0] >> 1 == line + 1) {
        return set;
    }
    if (c->l1_ways > 1 && set[1] >> 1 == line + 1) {
        const uint64_t newest = set[1];
        set[1] = set[0];
        set[0] = newest;
        return set;
    }
    return NULL;
}

/* One level: an access missed it, and its line pushed this place out. */
static inline void cache_count_miss(CacheNode *c, bool store, uint64_t out)
{
    if (store) {
        c->state->bus_writes++;
    } else {
        c->state->l1_misses++;
        c->state->l2_misses++;
    }
    c->state->writebacks += out & 1;
}

static inline bool cache_one_level(const CacheNode *c)
{
    return c->l1_sets && !c->l2_sets;
}

/* Of the levels that there are. Lines that differ in as many low bits of their number never push each other out. */
static inline uint32_t cache_fewest_sets(const CacheNode *c)
{
    return c->l2_sets && (!c->l1_sets || c->l2_sets < c->l1_sets) ? c->l2_sets : c->l1_sets;
}

/* For a caller that counts nanoseconds. True: it hit level 1 and that was all. False: nothing has
 * happened yet; cache_load() or cache_store(), not write-through, is to be called. */
static inline bool cache_load_hits(CacheNode *c, uint64_t pa, uint32_t size)
{
    return cache_use_(c, pa, size);
}

static inline bool cache_store_hits(CacheNode *c, uint64_t pa, uint32_t size)
{
    uint64_t *place = cache_use_(c, pa, size);

    if (!place) {
        return false;
    }
    *place |= 1;
    return true;
}

/* pa..pa+size-1, size 1..line. An access that crosses a line counts both; the worse result. */
static inline CacheResult cache_load(CacheNode *c, uint64_t pa, uint32_t size)
{
    return cache_load_hits(c, pa, size) ? CACHE_L1 : cache_load_slow(c, pa, size);
}

/* True: the store is on the memory bus. A write-through page's always is; another's is if it misses both levels. */
static inline bool cache_store(CacheNode *c, uint64_t pa, uint32_t size, bool write_through)
{
    return (write_through || !cache_store_hits(c, pa, size)) && cache_store_slow(c, pa, size, write_through);
}

#ifdef __cplusplus
}
#endif
#endif
