/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench - a benchmark on the shared window: what each brings along, and what smbench.c does with it.
 *
 *   plan     once, before the threads: checks the sizes (0, or -1 when it has said what is wrong) and takes pages
 *   work     on each node, in each round: fills its share of the data, computes, and leaves the result in the window
 *   check    on each node, after a meeting: whether its share of the result is right; goes through the window, and counts
 *   tell     once, at the end: key=value lines about the result
 *
 * meet() is the barrier. It is in ordinary memory, as all is that is not data of the benchmark; or, if nodes are machines of their own or
 * options say so, in the window (meet.c).
 */
#ifndef PERFBOARD_SMILE_BENCH_BENCH_H
#define PERFBOARD_SMILE_BENCH_BENCH_H

#include <stdbool.h>

#include "../../common/fatal.h"
#include "../../common/shares.h"
#include "window.h"

struct job {
	const struct bench *bench;
	unsigned nodes;
	unsigned long size;    /* keys; rows of the matrix or the grid */
	unsigned long radix;   /* digits of a radix sort: a power of two */
	unsigned long block;   /* rows of a block of LU */
	unsigned long sweeps;  /* of the stencil, at most; cycles of ocean, iterations of sparse */
	struct window window;
	size_t flags; /* where nodes meet in the window, a page for each; 0: in ordinary memory */
};

struct bench {
	const char *name, *text, *size_text;
	unsigned long size, size_most;
	int (*plan)(struct job *job);
	void (*work)(struct node *node);
	bool (*check)(struct node *node);
	void (*tell)(const struct job *job);
};

extern const struct bench bench_radix, bench_lu, bench_stencil, bench_ocean, bench_sparse;

/* meet.c. For each node: what it gives node 0 can be had there behind the next meeting. */
void meet_prepare(const struct job *job);
void meet(struct node *node);
void give(struct node *node, uint64_t value);
uint64_t given(struct node *node, unsigned other);

/* place.c. For plan(): what lies there; a part of the window without a name is nobody's. What plans have named, as a file, if one is wanted. */
void named(size_t at, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
int names_told(void);

#endif
