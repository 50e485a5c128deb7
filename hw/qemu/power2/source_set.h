/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sets of the monitor's sources: a bit for each. meet(): they have one in common.
 */
#ifndef POWER2_SOURCE_SET_H
#define POWER2_SOURCE_SET_H

#include "hw/power2/power2.h"

static inline void add(P2Sources *set, unsigned source)
{
    set->word[source / 64] |= UINT64_C(1) << source % 64;
}

static inline bool has(const P2Sources *set, unsigned source)
{
    return set->word[source / 64] >> source % 64 & 1;
}

static inline bool meet(const P2Sources *a, const P2Sources *b)
{
    uint64_t both = 0;

    for (unsigned w = 0; w < P2_SOURCE_WORDS; w++) {
        both |= a->word[w] & b->word[w];
    }
    return both;
}

#endif
