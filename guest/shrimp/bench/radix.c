/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * radix - the load that scripts/bench times: a radix sort of 32-bit keys, 8 bits at a time.
 *
 *   radix KEYS RUNS none      sorts KEYS keys, RUNS times; touches no board
 *   radix KEYS RUNS stores    meanwhile a page of the SNI has automatic update: stores are snooped
 *   radix KEYS RUNS all       ... with combining: the loads that reach the bus as well
 *
 * For each run a line "radix RUN NANOSECONDS CHECKSUM". The sort does not touch the mapped page:
 * what is timed is the cost of looking at accesses that nobody wants. That they were looked at is
 * shown by stores to that page before and after, which must have been counted; the last line is
 * "counters" with what the SNI counted in between.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../../common/fatal.h"
#include "../lib/snilib.h"

#define BINS 256

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t *keys_new(size_t n)
{
	uint32_t *keys = mmap(NULL, n * sizeof(*keys), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (keys == MAP_FAILED)
		die("memory for the keys");
	return keys;
}

static void fill(uint32_t *keys, size_t n)
{
	uint32_t x = 2463534242u;

	for (size_t i = 0; i < n; i++) { /* Marsaglia's xorshift */
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		keys[i] = x;
	}
}

/* Four passes: the result is in keys again. */
static void sort(uint32_t *keys, uint32_t *other, size_t n)
{
	for (int shift = 0; shift < 32; shift += 8) {
		size_t place[BINS] = { 0 }, sum = 0;
		uint32_t *swap = keys;

		for (size_t i = 0; i < n; i++)
			place[keys[i] >> shift & (BINS - 1)]++;
		for (int b = 0; b < BINS; b++) {
			size_t count = place[b];

			place[b] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			other[place[keys[i] >> shift & (BINS - 1)]++] = keys[i];
		keys = other;
		other = swap;
	}
}

/* Depends on the order; 0 if the keys are not sorted. */
static uint64_t checksum(const uint32_t *keys, size_t n)
{
	uint64_t sum = 14695981039346656037u;

	for (size_t i = 0; i < n; i++) {
		if (i && keys[i - 1] > keys[i])
			return 0;
		sum = (sum ^ keys[i]) * 1099511628211u;
	}
	return sum | 1;
}

static volatile uint32_t *map_page(int fd, bool combine)
{
	struct sni_info info;
	volatile uint32_t *pages = sni_pages(fd, 2);
	int64_t pfn;

	if (!pages)
		die("pages of " SNI_DEVICE);
	pfn = sni_pfn(fd, pages + SNI_PAGE_BYTES / 4);
	if (sni_get_info(fd, &info) || pfn < 0 || sni_export(fd, pages + SNI_PAGE_BYTES / 4, 0, false))
		die("receiving page");
	if (sni_import(fd, pages, (info.node + 1) % info.nodes, (uint32_t)pfn,
		       SNI_IMPORT_AU | (combine ? SNI_IMPORT_COMBINE : 0), SNI_PAGE_BYTES))
		die("sending page");
	return pages;
}

static uint64_t counter(int fd, uint32_t offset)
{
	uint64_t value;

	if (sni_get_counter(fd, offset, &value))
		die("counter");
	return value;
}

static void one_store(int fd, volatile uint32_t *page, uint32_t value)
{
	const uint64_t before = counter(fd, SNI_AUS);

	page[0] = value;
	if (counter(fd, SNI_AUS) != before + 1) {
		fprintf(stderr, "radix: a store to the mapped page was not snooped\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	const size_t n = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
	const unsigned long runs = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	const char *mode = argc == 4 ? argv[3] : "";
	const bool all = !strcmp(mode, "all"), observed = all || !strcmp(mode, "stores");
	volatile uint32_t *page = NULL;
	uint64_t reads = 0, writes = 0;
	uint32_t *keys, *other;
	int fd = -1;

	if (!n || !runs || (!observed && strcmp(mode, "none"))) {
		fprintf(stderr, "usage: radix KEYS RUNS none|stores|all\n");
		return 2;
	}
	keys = keys_new(n);
	other = keys_new(n);
	if (observed) {
		fd = sni_open();
		if (fd < 0)
			die(SNI_DEVICE);
		page = map_page(fd, all);
		one_store(fd, page, 1);
		reads = counter(fd, SNI_BRD);
		writes = counter(fd, SNI_BWR);
	}
	for (unsigned long run = 1; run <= runs; run++) {
		uint64_t start, end;

		fill(keys, n);
		start = now_ns();
		sort(keys, other, n);
		end = now_ns();
		printf("radix %lu %" PRIu64 " %016" PRIx64 "\n", run, end - start, checksum(keys, n));
	}
	if (observed) {
		one_store(fd, page, 2);
		reads = counter(fd, SNI_BRD) - reads;
		writes = counter(fd, SNI_BWR) - writes;
		printf("counters brd %" PRIu64 " bwr %" PRIu64 " aus %" PRIu64 " txp %" PRIu64 "\n", reads, writes,
		       counter(fd, SNI_AUS), counter(fd, SNI_TXP));
		if (all && !reads) {
			fprintf(stderr, "radix: no bus read was seen in the sort\n");
			return 1;
		}
	}
	return 0;
}
