/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define PLAIN_BYTES ((size_t)64 << 20)
#define PLAIN_NODES 4

const char *const policy_names[POLICIES] = { "round-robin", "first-touch", "block", "node0", "keep" };

static int failed(const char *what) { return refuse("%s: %s", what, strerror(errno)); }

int place_open(struct place *p, bool plain, struct window *w)
{
	p->plain = plain;
	if (plain) {
		p->nodes = PLAIN_NODES;
		w->bytes = PLAIN_BYTES;
		w->base = aligned_alloc(WINDOW_PAGE, w->bytes);
	} else {
		if (sci_open(&p->sci, NULL))
			return failed(SCI_DEVICE);
		p->nodes = p->sci.info.nodes;
		w->bytes = p->sci.bytes;
		w->base = sci_map(&p->sci, 0, w->bytes, 0);
	}
	if (!w->base)
		return failed("mapping the window");
	p->home = memory(w->bytes >> WINDOW_PAGE_SHIFT, sizeof(*p->home));
	return 0;
}

int place_set(struct place *p, enum policy policy, size_t pages, unsigned nodes)
{
	if (!p->plain && sci_policy(&p->sci, policy == FIRST_TOUCH ? SCI_FIRST_TOUCH : SCI_FIXED))
		return failed("how pages get their homes");
	if (policy == FIRST_TOUCH || policy == KEEP)
		return 0;
	for (size_t page = 0; page < pages; page++)
		p->home[page] = (uint8_t)(policy == ROUND_ROBIN ? page % nodes : policy == BLOCK ? page * nodes / pages : 0);
	if (!p->plain && sci_set_homes(&p->sci, 0, (unsigned)pages, p->home))
		return failed("homes of pages");
	return 0;
}

int place_each(struct place *p, size_t page, unsigned nodes)
{
	for (unsigned k = 0; k < nodes; k++)
		p->home[page + k] = (uint8_t)k;
	if (!p->plain && sci_set_homes(&p->sci, (unsigned)page, nodes, p->home + page))
		return failed("homes of pages");
	return 0;
}

int place_read(struct place *p, size_t pages)
{
	if (!p->plain && sci_get_homes(&p->sci, 0, (unsigned)pages, p->home))
		return failed("homes of pages");
	return 0;
}

/* --- what the benchmark has there, by name: for smile's --names --- */

enum { NAMES_MOST = NODES_MOST + 32, NAME_BYTES = 32 };

static char text[NAMES_MOST][NAME_BYTES];
static struct smile_name name[NAMES_MOST];
static size_t names;

void named(size_t at, size_t bytes, const char *format, ...)
{
	va_list arguments;

	if (!bytes || names == NAMES_MOST)
		return;
	va_start(arguments, format);
	vsnprintf(text[names], NAME_BYTES, format, arguments);
	va_end(arguments);
	name[names] = (struct smile_name){ text[names], at, bytes };
	names++;
}

int names_told(void) { return smile_names_write(NULL, name, names); }
