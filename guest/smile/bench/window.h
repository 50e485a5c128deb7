/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window - the memory that all nodes share, and each node's count of its own accesses.
 *
 *   double x = get_double(node, at);        one load of 8 bytes
 *   put_double(node, at, x);                one store of 8 bytes
 *   get32, put32, get64, put64
 *
 * A place in the window is an offset from its start, aligned to the size of what is there. A relaxed atomic of 4 or 8
 * bytes is exactly one machine instruction, and one transaction if the page's home is another node. The count is in
 * the node's private memory. Nothing else may touch the window.
 *
 *   size_t at = window_take(&window, bytes);    whole pages, while the window is planned
 */
#ifndef PERFBOARD_SMILE_BENCH_WINDOW_H
#define PERFBOARD_SMILE_BENCH_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NODES_MOST 32
#define WINDOW_PAGE_SHIFT 12
#define WINDOW_PAGE ((size_t)1 << WINDOW_PAGE_SHIFT)

enum kind { LOAD, STORE, KINDS };

struct window {
	volatile unsigned char *base;
	size_t bytes, taken; /* taken: whole pages from the start */
};

/* What belongs to one node: its thread, on the processor of the same number if nobody moves it. */
struct node {
	unsigned number;
	volatile unsigned char *base;
	uint64_t (*count)[KINDS]; /* by page */
	struct job *job;
	uint64_t result; /* what the program makes of it */
};

/* The offset. More than the window has may be taken: whoever plans looks at the end. */
static inline size_t window_take(struct window *w, size_t bytes)
{
	const size_t at = w->taken;

	w->taken += (bytes + WINDOW_PAGE - 1) & ~(WINDOW_PAGE - 1);
	return at;
}

static inline uint32_t get32(struct node *n, size_t at)
{
	n->count[at >> WINDOW_PAGE_SHIFT][LOAD]++;
	return __atomic_load_n((volatile uint32_t *)(n->base + at), __ATOMIC_RELAXED);
}

static inline uint64_t get64(struct node *n, size_t at)
{
	n->count[at >> WINDOW_PAGE_SHIFT][LOAD]++;
	return __atomic_load_n((volatile uint64_t *)(n->base + at), __ATOMIC_RELAXED);
}

static inline void put32(struct node *n, size_t at, uint32_t value)
{
	n->count[at >> WINDOW_PAGE_SHIFT][STORE]++;
	__atomic_store_n((volatile uint32_t *)(n->base + at), value, __ATOMIC_RELAXED);
}

static inline void put64(struct node *n, size_t at, uint64_t value)
{
	n->count[at >> WINDOW_PAGE_SHIFT][STORE]++;
	__atomic_store_n((volatile uint64_t *)(n->base + at), value, __ATOMIC_RELAXED);
}

static inline double get_double(struct node *n, size_t at)
{
	const uint64_t bits = get64(n, at);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline void put_double(struct node *n, size_t at, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put64(n, at, bits);
}

#endif
