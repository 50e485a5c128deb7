/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btree.h - an index: keys in order, each with a value, in nodes of some lines of the cache.
 *
 *   btree_empty()
 *   btree_put(key, value)             new, or in place of what was there
 *   btree_sum(key, n, &found)         the sum of the values of the first n keys from `key` on, and how many there were
 *   btree_count()                     of keys, by a walk that also looks at their order; SIZE_MAX: they have none
 */
#ifndef PERFBOARD_POWER2_STUDY_BTREE_H
#define PERFBOARD_POWER2_STUDY_BTREE_H

#include <stddef.h>

void btree_empty(void);
void btree_put(unsigned long key, unsigned long value);
unsigned long btree_sum(unsigned long key, size_t n, size_t *found);
size_t btree_count(void);

#endif
