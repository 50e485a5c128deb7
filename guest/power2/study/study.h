/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study.h - a workload of the study: what is measured, in each of its variants, and whether its result is right.
 *
 *   prepare()            once: data, and what the result must be
 *   variants[n].run()    the part that is measured; again as often as one likes, with the same result
 *   right()              of the run before
 *   item(data)           in run(): a transaction, a call of a function: a place for a hook
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

#endif
