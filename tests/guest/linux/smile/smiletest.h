/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of smiletest share. Monitors of all nodes, in their order. */
#ifndef PERFBOARD_SMILETEST_H
#define PERFBOARD_SMILETEST_H

#include "tests/guest/linux/traffic.h"

struct bench {
	struct traffic t;
	struct smile_set set;
};

/* The design is loaded, nothing runs, and nothing that others have left is to be read. */
static inline void bench_open(struct bench *b, unsigned pages, const char *design)
{
	traffic_open(&b->t, pages);
	must(!smile_open_all(&b->set), "monitors");
	must(b->set.count == b->t.nodes, "a monitor for each node");
	for (unsigned n = 0; n < b->set.count; n++)
		must(b->set.card[n].info.node == n || design, "its node");
	if (design)
		must(!smile_load_design_all(&b->set, design) && !smile_reset_all(&b->set), design);
}

static inline void bench_close(struct bench *b)
{
	smile_close_all(&b->set);
	traffic_close(&b->t);
}

/* smiletest_counts.c */
void exact(char **words);
void totals(char **words);
void watches(char **words);
void events(char **words);
/* smiletest_ring.c */
void interrupts(char **words);
void loss(char **words);
void readers(char **words);
void waiting(char **words);
void full(char **words);
void slow(char **words);
/* smiletest_load.c */
void rules(char **words);
void cache(char **words);
void reload(char **words);
void gone(char **words);
void power(char **words);

#endif
