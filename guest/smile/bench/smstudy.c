/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smstudy - the paper's design study: one program under monitors with different numbers of range table entries.
 *
 *   smstudy [--range WORDS]... [--all] [--pages] COMMAND      COMMAND is a shell's; it runs once for each range
 *
 * Monitors of the same node listen to the same B-Link, so one run gives all numbers of entries. Output, for each range and
 * number of entries, sums over the nodes:
 *
 *   entries=16 range=63 cards=4 events=E replaced=R overflow=O demand=D lost=L
 *   pair entries=16 range=63 source=0 destination=1 count=N
 *   page entries=16 range=63 page=5 source=0 destination=1 count=N      with --pages; exact with range 0
 *
 * replaced: entries that had to make room, the swaps to host memory that more entries would save. events: the sum of all counts,
 * which is what crossed the network, whatever the number of entries. --all: requests and responses in both directions,
 * not requests that were sent only.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/fatal.h"
#include "../lib/smilelib.h"

#define RANGES_MOST 16
#define NODES_MOST 32

static struct smile_set set;
static uint32_t mask = SMILE_SENT;
static bool pages;

static void begin(uint32_t range)
{
	if (smile_reset_all(&set) || smile_set_dynamic_all(&set, range, mask) || smile_run_all(&set, 1))
		die("starting the monitors");
}

/* All cards of one number of entries. */
static void report(unsigned entries, uint32_t range)
{
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
	uint64_t pair[NODES_MOST][NODES_MOST] = { 0 };
	struct smile_cell *cells;
	unsigned cards = 0;
	size_t n;

	if (!h)
		die("memory");
	for (unsigned i = 0; i < set.count; i++)
		if (set.card[i].info.entries == entries) {
			cards++;
			if (smile_collect(&set.card[i], h))
				die(set.card[i].device);
		}
	printf("entries=%u range=%" PRIu32 " cards=%u events=%" PRIu64 " replaced=%" PRIu64 " overflow=%" PRIu64 " demand=%" PRIu64
	       " lost=%" PRIu64 "\n", entries, range, cards, smile_histogram_total(h), smile_histogram_records(h, SMR_RECORD_REPLACED),
	       smile_histogram_records(h, SMR_RECORD_OVERFLOW), smile_histogram_records(h, SMR_RECORD_DEMAND), smile_histogram_lost(h));
	cells = smile_histogram_cells(h, &n);
	if (!cells && errno)
		die("memory");
	for (size_t i = 0; cells && i < n; i++) {
		pair[cells[i].source % NODES_MOST][cells[i].destination % NODES_MOST] += cells[i].count;
		if (pages)
			printf("page entries=%u range=%" PRIu32 " page=%" PRIu64 " source=%u destination=%u count=%" PRIu64 "\n", entries,
			       range, cells[i].unit, cells[i].source, cells[i].destination, cells[i].count);
	}
	for (unsigned s = 0; s < NODES_MOST; s++)
		for (unsigned d = 0; d < NODES_MOST; d++)
			if (pair[s][d])
				printf("pair entries=%u range=%" PRIu32 " source=%u destination=%u count=%" PRIu64 "\n", entries, range, s, d,
				       pair[s][d]);
	free(cells);
	smile_histogram_free(h);
}

static void study(uint32_t range, const char *command)
{
	unsigned last = 0;
	int status;

	begin(range);
	fflush(stdout);
	status = system(command);
	if (smile_run_all(&set, 0))
		die("stopping the monitors");
	if (status) {
		fprintf(stderr, "smstudy: %s: status %d\n", command, status);
		exit(1);
	}
	for (;;) { /* each number of entries, the least first */
		unsigned next = 0;

		for (unsigned i = 0; i < set.count; i++) {
			const unsigned entries = set.card[i].info.entries;

			if (entries > last && (!next || entries < next))
				next = entries;
		}
		if (!next)
			return;
		report(next, range);
		last = next;
	}
}

static const struct option long_options[] = {
	{ "range", required_argument, NULL, 'r' }, { "all", no_argument, NULL, 'a' },
	{ "pages", no_argument, NULL, 'p' }, { NULL, 0, NULL, 0 },
};

static int usage(void)
{
	fprintf(stderr, "usage: smstudy [--range WORDS]... [--all] [--pages] COMMAND\n"
			"  --range  Max_Range, in words of 4 bytes, up to 67108863 (1023, nearly a page); up to %d of them\n"
			"  --all    every packet, not only requests that were sent\n"
			"  --pages  counts of each page, too\n", RANGES_MOST);
	return 2;
}

int main(int argc, char **argv)
{
	uint32_t range[RANGES_MOST];
	unsigned ranges = 0;
	int c;

	while ((c = getopt_long(argc, argv, "r:", long_options, NULL)) != -1) {
		char *end;
		unsigned long value;

		if (c == 'a') {
			mask |= SMR_FILTER_RESPONSE | SMR_FILTER_INBOUND;
			continue;
		}
		if (c == 'p') {
			pages = true;
			continue;
		}
		value = c == 'r' ? strtoul(optarg, &end, 10) : 0;
		if (c != 'r' || end == optarg || *end || *optarg == '-' || value >= 1ul << 26 || ranges == RANGES_MOST)
			return usage();
		range[ranges++] = (uint32_t)value;
	}
	if (argc - optind != 1)
		return usage();
	if (!ranges)
		range[ranges++] = SMR_PAGE_WORDS - 1;
	if (smile_open_all(&set))
		die(SMILE_DEVICE);
	for (unsigned i = 0; i < set.count; i++)
		if (set.card[i].info.design != SMILE_DESIGN_DYNAMIC && smile_load_design(&set.card[i], "dynamic"))
			die("loading the dynamic design");
	for (unsigned i = 0; i < ranges; i++)
		study(range[i], argv[optind]);
	smile_close_all(&set);
	return 0;
}
