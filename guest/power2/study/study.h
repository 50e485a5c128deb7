/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study.h - a workload of the study: what is measured, in each of its variants, and whether its result is right.
 *
 *   prepare()            once: data, and what the result must be
 *   variants[n].run()    the part that is measured; again as often as one likes, with the same result
 *   right()              of the run before
 *   item(data)           in run(): a transaction, a call of a function: a place for a hook
 *
 * And an index: keys in order, each with a value, in nodes of some lines of the cache.
 *
 *   btree_empty()
 *   btree_put(key, value)             new, or in place of what was there
 *   btree_sum(key, n, &found)         the sum of the values of the first n keys from `key` on, and how many there were
 *   btree_count()                     of keys, by a walk that also looks at their order; SIZE_MAX: they have none
 */
#ifndef PERFBOARD_POWER2_STUDY_H
#define PERFBOARD_POWER2_STUDY_H

#include <stdbool.h>
#include <stddef.h>

struct variant {
	const char *name;
	void (*run)(void);
};

struct workload {
	const char *name;
	void (*prepare)(void);
	const struct variant *variants; /* the last one has no name */
	bool (*right)(void);
};

extern const struct workload dense, stencil, sparse, fft, lisp, transactions;

void item(unsigned long data);
/* Zeros, from a page's boundary on: the same misses in every run. */
void *pages(size_t bytes);

void btree_empty(void);
void btree_put(unsigned long key, unsigned long value);
unsigned long btree_sum(unsigned long key, size_t n, size_t *found);
size_t btree_count(void);

#endif
