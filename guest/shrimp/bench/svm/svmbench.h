/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svmbench - a benchmark on shared virtual memory: what each brings along, and what svmbench.c does with it.
 *
 *   plan     before svm_init(): checks the sizes (0, or -1 when it has said what is wrong) and says how many bytes it shares
 *   begin    allocates, and fills the data: the start-up phase
 *   work     the parallel phase
 *   check    whether the result is right: each node says so of its part
 *   tell     on node 0, at the end: key=value lines about the result
 */
#ifndef PERFBOARD_SHRIMP_SVMBENCH_H
#define PERFBOARD_SHRIMP_SVMBENCH_H

#include "../../../common/fatal.h"
#include "../../svm/svm.h"

struct job {
	unsigned long size;  /* rows of the matrix; keys; rows of the grid */
	unsigned long block; /* rows of a block of LU */
	unsigned long radix; /* digits of a radix sort */
	unsigned long steps; /* of OCEAN */
	unsigned long seed;  /* of the data */
};

struct bench {
	const char *name, *text, *size_text;
	unsigned long size, size_least, size_most;
	int (*plan)(const struct job *job, unsigned int nodes, size_t *bytes);
	void (*begin)(const struct job *job);
	void (*work)(const struct job *job);
	bool (*check)(const struct job *job);
	void (*tell)(const struct job *job);
};

extern const struct bench bench_lu, bench_ocean, bench_radix;

static inline size_t whole_pages(size_t bytes) { return (bytes + SVM_PAGE - 1) / SVM_PAGE * SVM_PAGE; }

#endif
