/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How nodes meet, and what they give node 0 at the end: in ordinary memory; or in the window, where there is no other that they share.
 *
 * In the window each node has a page at home. All others store there how often they have met, and the node looks at it. Looking
 * stays in the node, so what crosses the network does not depend on how long anybody waits: a store to each other node. Looking is not
 * counted either.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../lib/smilelib.h"
#include "bench.h"

enum { GIVEN = 2048 }; /* in node 0's page */

static const struct job *job;
static pthread_barrier_t barrier;
static uint64_t kept[NODES_MOST];

static size_t flag_at(unsigned home, unsigned node) { return job->flags + home * WINDOW_PAGE + node * 4; }

/* A node's own flag, at home, says how often it has met: also in an earlier program. */
static volatile uint32_t *at_home(const struct node *n, unsigned node)
{
	return (volatile uint32_t *)(n->base + flag_at(n->number, node));
}

void meet_prepare(const struct job *j)
{
	job = j;
	if (!job->flags && pthread_barrier_init(&barrier, NULL, job->nodes)) {
		refuse("no barrier");
		exit(1);
	}
}

static void wait_for_all(struct node *n)
{
	uint32_t times;

	if (!job->flags) {
		pthread_barrier_wait(&barrier);
		return;
	}
	times = *at_home(n, n->number) + 1;
	*at_home(n, n->number) = times;
	for (unsigned other = 0; other < job->nodes; other++)
		if (other != n->number)
			put32(n, flag_at(other, n->number), times);
	for (unsigned other = 0; other < job->nodes; other++)
		while ((int32_t)(*at_home(n, other) - times) < 0) /* it may be ahead */
			continue;
}

void meet(struct node *n)
{
	smile_begin("meet");
	wait_for_all(n);
	smile_end();
}

void give(struct node *n, uint64_t value)
{
	if (job->flags)
		put64(n, job->flags + GIVEN + n->number * 8, value);
	else
		kept[n->number] = value;
}

uint64_t given(struct node *n, unsigned other)
{
	return job->flags ? get64(n, job->flags + GIVEN + other * 8) : kept[other];
}
