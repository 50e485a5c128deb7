/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2study - runs a workload of the study, and counts it.
 *
 *   p2study counts WORKLOAD EVENTS           a row for each variant: counts of its inner part, as p2reduce reads them
 *   p2study run WORKLOAD VARIANT [EVERY]     the inner part between two marks (guest/common/mark.h); EVERY: a hook at each EVERY-th item
 *
 * counts: events that do not fit into one value of MMCR take no turns. The inner part runs once for each, so no count is an estimate. Its first run
 * is not counted: pages are there afterwards. Exit code: 0; 1 if the monitor refuses or a result is wrong; 2 for a wrong command line.
 */
#include "study.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/common/fatal.h"
#include "guest/common/mark.h"
#include "guest/power2/lib/p2lib.h"

static const struct workload *const workloads[] = { &lisp, &transactions, &dense, &sparse, &stencil, &fft };
enum { WORKLOADS = sizeof(workloads) / sizeof(workloads[0]) };

static struct p2_session hooks = P2_CLOSED;
static unsigned long every, items, hooked;

void item(unsigned long data)
{
	if (!every || ++items % every)
		return;
	p2_hook_here(&hooks, 1, items, data);
	hooked++;
}

void *pages(size_t bytes)
{
	void *found = aligned_alloc(65536, (bytes + 65535) / 65536 * 65536);

	must(found, "memory");
	return memset(found, 0, bytes);
}

static int misuse(const char *what, const char *value)
{
	refuse("%s '%s': legal are counts WORKLOAD EVENTS, and run WORKLOAD VARIANT [EVERY]", what, value);
	return 2;
}

static void verify(const struct workload *w, const struct variant *v)
{
	if (w->right())
		return;
	refuse("%s, %s: the result is wrong", w->name, v->name);
	exit(1);
}

static void run(const struct workload *w, const struct variant *v)
{
	v->run();
	verify(w, v);
}

/* One run with one value of MMCR. */
static void count(const struct workload *w, const struct variant *v, struct p2_session *s, uint32_t mmcr, struct p2_counts *counts)
{
	struct p2_open how = { .scope = P2_PRIVATE, .flags = P2_STOPPED };

	must(!p2_connect(s, NULL), P2_DEVICE);
	s->sets = 1;
	s->set[0] = (struct p2_set){ .mmcr = mmcr };
	must(!p2_begin(s, &how), "open");
	must(!p2_enable(s), "enable");
	v->run();
	must(!p2_disable(s), "disable");
	must(!p2_get_counts(s, -1, counts), "read");
	p2_end(s);
	verify(w, v);
}

static void put_facts(const struct p2_info *i)
{
	printf("# clock_hz=%u dcache_bytes=%u dcache_line=%u dcache_penalty=%u tlb_penalty=%u icache_penalty=%u\n", i->clock_hz, i->dcache_bytes,
	       i->dcache_line, i->dcache_penalty, i->tlb_penalty, i->icache_penalty);
}

static int counts(const struct workload *w, const char *events)
{
	static struct p2_session chosen, one;
	static struct p2_counts found[P2_MOST_SETS], privileged;

	must(!p2_connect(&chosen, NULL), P2_DEVICE);
	must(!p2_select(&chosen, events, 0), events);
	put_facts(&chosen.info);
	printf("workload,variant,%s,privileged_instructions\n", events);
	for (const struct variant *v = w->variants; v->name; v++) {
		char copy[4096], *rest = copy;
		struct p2_value value;

		run(w, v);
		for (unsigned set = 0; set < chosen.sets; set++)
			count(w, v, &one, chosen.set[set].mmcr, &found[set]);
		count(w, v, &one, p2_control(P2_KERNEL_ONLY), &privileged);
		printf("%s,%s", w->name, v->name);
		snprintf(copy, sizeof(copy), "%s", events);
		for (char *name; (name = strsep(&rest, ",")) != NULL;)
			for (unsigned set = 0; set < chosen.sets; set++) {
				one.set[0] = chosen.set[set];
				if (p2_value_of(&one, NULL, &found[set], name, &value))
					continue;
				printf(",%" PRIu64, value.raw);
				break;
			}
		one.set[0].mmcr = p2_control(P2_KERNEL_ONLY);
		must(!p2_value_of(&one, NULL, &privileged, "instructions", &value), "instructions");
		printf(",%" PRIu64 "\n", value.raw);
		fflush(stdout);
	}
	p2_end(&chosen);
	return 0;
}

static int between_marks(const struct workload *w, const struct variant *v, const char *often)
{
	run(w, v);
	if (often) {
		must(!p2_connect(&hooks, NULL), P2_DEVICE);
		every = strtoul(often, NULL, 10);
	}
	MARK();
	v->run();
	MARK();
	verify(w, v);
	printf("hooks %lu\n", hooked);
	return 0;
}

int main(int argc, char **argv)
{
	const struct workload *w = NULL;

	if (argc < 4 || argc > 5)
		return misuse("so many words", argc > 5 ? argv[5] : "");
	for (size_t i = 0; i < WORKLOADS; i++)
		if (!strcmp(workloads[i]->name, argv[2]))
			w = workloads[i];
	if (!w)
		return misuse("no such workload", argv[2]);
	w->prepare();
	if (!strcmp(argv[1], "counts") && argc == 4)
		return counts(w, argv[3]);
	if (strcmp(argv[1], "run"))
		return misuse("no such word", argv[1]);
	for (const struct variant *v = w->variants; v->name; v++)
		if (!strcmp(v->name, argv[3]))
			return between_marks(w, v, argc == 5 ? argv[4] : NULL);
	return misuse("no such variant", argv[3]);
}
