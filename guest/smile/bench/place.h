/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place - the window, and which node is the home of which of its pages.
 *
 *   place_open(&place, plain, &window)      maps the window; plain: ordinary memory, where homes are only a table
 *   place_set(&place, policy, pages, nodes) the first so many pages
 *   place_each(&place, page, nodes)         page + k is at node k
 *   place_read(&place, pages)               place.home[page] is up to date
 *
 * Functions return 0, or -1 when they have said what is wrong.
 */
#ifndef PERFBOARD_SMILE_BENCH_PLACE_H
#define PERFBOARD_SMILE_BENCH_PLACE_H

#include <stdbool.h>

#include "../lib/smilelib.h"
#include "window.h"

enum policy { ROUND_ROBIN, FIRST_TOUCH, BLOCK, NODE0, KEEP, POLICIES };
extern const char *const policy_names[POLICIES];

struct place {
	bool plain;
	unsigned nodes; /* of the adapters; plain: any number will do */
	struct sci sci;
	uint8_t *home;
};

int place_open(struct place *place, bool plain, struct window *window);
int place_set(struct place *place, enum policy policy, size_t pages, unsigned nodes);
int place_each(struct place *place, size_t page, unsigned nodes);
int place_read(struct place *place, size_t pages);

#endif
