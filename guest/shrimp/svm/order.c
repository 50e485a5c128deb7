/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals. A release tells all nodes, whoever acquires next: the interface keeps the order of stores to one node, so who sees the
 * interval's number has all that was stored to him before, and no answer is needed.
 */
#include "svm_inside.h"

#include <errno.h>

void svm_wait_for(const volatile uint32_t *vector)
{
	for (unsigned int node = 0; node < svm.v.nodes; node++)
		while (node != svm.v.node && svm.channel[node].control_in->interval < vector[node])
			continue;
}

/* The pages that were stored to in the interval, as part of the table: the least part that has all; nothing if *end is 0. */
static void note_written(size_t *first, size_t *end)
{
	*first = *end = 0;
	for (size_t page = 0; page < svm.taken; page++) {
		struct svm_page *p = &svm.page[page];

		if (!p->dirty)
			continue;
		if (!*end)
			*first = page;
		*end = page + 1;
		p->dirty = false;
		svm.written[page] = svm.interval;
		if (p->state == WRITE) /* it may have been taken away since */
			svm_set_state(page, p->stale ? INVALID : READ);
	}
}

void svm_release(void)
{
	size_t first, end;

	svm.known[svm.v.node] = ++svm.interval;
	note_written(&first, &end);
	for (unsigned int node = 0; node < svm.v.nodes; node++) {
		struct svm_channel *c = &svm.channel[node];

		if (node == svm.v.node)
			continue;
		if (end)
			svm_send(&c->written, first * 4, &svm.written_source, first * 4, (end - first) * 4);
		c->control->interval = svm.interval; /* behind all stores to it, and closes the last one's packet */
	}
}

/* All of a node's intervals up to the last one that has ended: it may be later than one has to know. */
static void take_away(unsigned int node)
{
	const struct svm_channel *c = &svm.channel[node];
	const uint32_t last = c->control_in->interval;

	for (size_t page = 0; page < svm.taken; page++)
		if (c->written_in[page] > svm.known[node] && svm.page[page].home != svm.v.node && svm.page[page].state != INVALID) {
			svm_set_state(page, INVALID);
			svm.counts.invalidations++;
		}
	svm.known[node] = last;
}

void svm_acquire(const volatile uint32_t *vector)
{
	svm_wait_for(vector);
	for (unsigned int node = 0; node < svm.v.nodes; node++)
		if (node != svm.v.node)
			take_away(node);
}

void svm_barrier(void)
{
	svm_release();
	svm.barrier++;
	for (unsigned int node = 0; node < svm.v.nodes; node++)
		if (node != svm.v.node)
			svm.channel[node].control->barrier = svm.barrier;
	for (unsigned int node = 0; node < svm.v.nodes; node++)
		while (node != svm.v.node && svm.channel[node].control_in->barrier < svm.barrier)
			continue;
	svm_acquire(svm.known); /* what is to be known came before the barrier's number */
}

static void check_lock(unsigned int lock)
{
	errno = EINVAL;
	if (lock >= SVM_LOCKS)
		svm_die("a lock");
}

void svm_lock(unsigned int lock)
{
	const unsigned int manager = lock % svm.v.nodes;

	check_lock(lock);
	svm_ask(manager, REQUEST_LOCK, lock);
	svm_acquire(svm.channel[manager].mail_in->granted);
}

void svm_unlock(unsigned int lock)
{
	check_lock(lock);
	svm_release();
	svm_ask(lock % svm.v.nodes, REQUEST_UNLOCK, lock);
}
