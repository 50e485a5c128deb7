/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traffic - accesses to the shared window that a test makes and counts itself: each is one instruction, aligned, of 4 or 8
 * bytes. The count of an access by node `source` to a page at home at `home` is in sent[source][home][what], also when
 * the two are the same node, where no transaction is to be seen.
 */
#ifndef PERFBOARD_GUEST_TRAFFIC_H
#define PERFBOARD_GUEST_TRAFFIC_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "guest/sci/regs.h"
#include "guest/smile/lib/smilelib.h"
#include "tests/guest/linux/check.h"

enum what { READ, WRITE, LOCKED, WHATS }; /* LOCKED: a lock and an unlock */

struct node {
	unsigned number;
	volatile uint8_t *base;
	unsigned pages, accesses;
	const uint8_t *home;
	uint64_t seed;
	unsigned burst; /* so many accesses, then pause(); 0: none */
	void (*pause)(unsigned node);
	uint64_t (*sent)[WHATS];  /* by home */
	uint64_t (*page)[WHATS];  /* by page */
	pthread_t thread;
};

static inline uint32_t draw(struct node *n, uint32_t below)
{
	n->seed = n->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((n->seed >> 33) % below);
}

/* Of 16 accesses 8 are loads and 7 stores; x86: one is a locked addition, elsewhere a store as well. */
static inline void one_access(struct node *n)
{
	const uint32_t page = draw(n, n->pages), what = draw(n, 16);
	volatile uint8_t *const at = n->base + (size_t)page * SCI_PAGE_BYTES + 8 * draw(n, SCI_PAGE_BYTES / 8);
	enum what w = what < 8 ? READ : WRITE;

	if (w == READ) {
		if (what & 1)
			(void)__atomic_load_n((volatile uint32_t *)at, __ATOMIC_RELAXED);
		else
			(void)__atomic_load_n((volatile uint64_t *)at, __ATOMIC_RELAXED);
#ifdef __x86_64__
	} else if (what == 15) {
		w = LOCKED;
		__atomic_fetch_add((volatile uint32_t *)at, 1, __ATOMIC_SEQ_CST);
#endif
	} else if (what & 1) {
		__atomic_store_n((volatile uint32_t *)at, what, __ATOMIC_RELAXED);
	} else {
		__atomic_store_n((volatile uint64_t *)at, what, __ATOMIC_RELAXED);
	}
	n->sent[n->home[page]][w]++;
	n->page[page][w]++;
}

static inline void *traffic_thread(void *argument)
{
	struct node *n = argument;

	pin(n->number);
	for (unsigned i = 0; i < n->accesses; i++) {
		one_access(n);
		if (n->burst && i % n->burst == n->burst - 1)
			n->pause(n->number);
	}
	return NULL;
}

struct traffic {
	struct sci sci;
	volatile uint8_t *base;
	unsigned nodes, pages;
	uint8_t *home;
	struct node node[SCIR_MAX_NODES];
};

static inline void *zeroed(size_t count, size_t bytes)
{
	void *memory = calloc(count, bytes);

	must(memory != NULL, "calloc");
	return memory;
}

/* Pages of the window's start, at home round robin. Each is in this program's page table afterwards. */
static inline void traffic_open(struct traffic *t, unsigned pages)
{
	must(!sci_open(&t->sci, NULL), SCI_DEVICE);
	t->nodes = t->sci.info.nodes;
	t->pages = pages;
	t->base = sci_map(&t->sci, 0, (size_t)pages * SCI_PAGE_BYTES, 0);
	must(t->base != NULL, "mapping the window");
	must(!sci_policy(&t->sci, SCI_FIXED), "policy");
	t->home = zeroed(pages, 1);
	for (unsigned p = 0; p < pages; p++)
		t->home[p] = (uint8_t)(p % t->nodes);
	must(!sci_set_homes(&t->sci, 0, pages, t->home), "homes");
	for (unsigned n = 0; n < t->nodes; n++) {
		struct node *node = &t->node[n];

		*node = (struct node){ .number = n, .base = t->base, .pages = pages, .home = t->home, .seed = n + 1 };
		node->sent = zeroed(t->nodes, sizeof(*node->sent));
		node->page = zeroed(pages, sizeof(*node->page));
	}
}

static inline void traffic_start(struct traffic *t, unsigned accesses)
{
	for (unsigned n = 0; n < t->nodes; n++) {
		t->node[n].accesses = accesses;
		must(!pthread_create(&t->node[n].thread, NULL, traffic_thread, &t->node[n]), "thread");
	}
}

static inline void traffic_wait(struct traffic *t)
{
	for (unsigned n = 0; n < t->nodes; n++)
		pthread_join(t->node[n].thread, NULL);
}

static inline void traffic_run(struct traffic *t, unsigned accesses)
{
	traffic_start(t, accesses);
	traffic_wait(t);
}

/* Requests that a node sent to a page, or to others altogether. A lock is followed by its unlock. */
static inline uint64_t traffic_to_page(const struct traffic *t, unsigned source, unsigned page)
{
	const uint64_t *c = t->node[source].page[page];

	return t->home[page] == source ? 0 : c[READ] + c[WRITE] + 2 * c[LOCKED];
}

static inline uint64_t traffic_of(const struct traffic *t, unsigned source, enum what what)
{
	uint64_t sum = 0;

	for (unsigned home = 0; home < t->nodes; home++)
		sum += home == source ? 0 : t->node[source].sent[home][what];
	return sum;
}

static inline uint64_t traffic_sent(const struct traffic *t, unsigned source)
{
	return traffic_of(t, source, READ) + traffic_of(t, source, WRITE) + 2 * traffic_of(t, source, LOCKED);
}

static inline uint64_t traffic_total(const struct traffic *t)
{
	uint64_t sum = 0;

	for (unsigned n = 0; n < t->nodes; n++)
		sum += traffic_sent(t, n);
	return sum;
}

static inline void traffic_forget(struct traffic *t)
{
	for (unsigned n = 0; n < t->nodes; n++) {
		memset(t->node[n].sent, 0, t->nodes * sizeof(*t->node[n].sent));
		memset(t->node[n].page, 0, t->pages * sizeof(*t->node[n].page));
	}
}

static inline void traffic_close(struct traffic *t)
{
	for (unsigned n = 0; n < t->nodes; n++) {
		free(t->node[n].sent);
		free(t->node[n].page);
	}
	free(t->home);
	sci_unmap((void *)t->base, (size_t)t->pages * SCI_PAGE_BYTES);
	sci_close(&t->sci);
}

#endif
