/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RADIX after SPLASH-2's description (Woo et al., ISCA 1995, Sec. 3): an integer radix sort that goes digit by digit.
 *
 * For each digit a node passes over its keys and makes a histogram. The histograms become places for every node's keys
 * of each digit. Then each node stores its keys at their places in the other array: all-to-all, by stores.
 *
 * Shared: both arrays of keys, the nodes' histograms, which become places, and sums of ranges of digits.
 * Key i is a function of i, so the permutation can be checked without a copy: the sum of a hash of each key stays the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { KEY_BITS = 20 };

static size_t keys[2], histograms, sums; /* offsets in the window */
static unsigned digit_bits, passes;
/* The finaliser of splitmix64: a permutation of 64 bits. */
static uint64_t mixed(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint32_t key_of(size_t i) { return (uint32_t)(mixed(i) >> (64 - KEY_BITS)); }

static int plan(struct job *job)
{
	if (job->radix < 2 || job->radix > 4096 || job->radix & (job->radix - 1))
		return refuse("--radix %lu: legal are powers of two, 2 to 4096", job->radix);
	if (job->size < job->nodes)
		return refuse("--size %lu: legal are %u (a key for each node) and more", job->size, job->nodes);
	digit_bits = (unsigned)__builtin_ctzl(job->radix);
	passes = (KEY_BITS + digit_bits - 1) / digit_bits;
	for (int i = 0; i < 2; i++) {
		keys[i] = window_take(&job->window, job->size * 4);
		named(keys[i], job->size * 4, "keys %d", i);
	}
	histograms = window_take(&job->window, job->nodes * job->radix * 4);
	named(histograms, job->nodes * job->radix * 4, "histograms");
	sums = window_take(&job->window, job->nodes * 4);
	named(sums, job->nodes * 4, "sums");
	return 0;
}

static size_t key_at(unsigned array, size_t i) { return keys[array] + i * 4; }

/* The place of a node's count of a digit. */
static size_t count_at(const struct job *job, unsigned node, size_t digit)
{
	return histograms + (node * job->radix + digit) * 4;
}

/*
 * The nodes' histograms become places: of all keys with smaller digits, then of this digit's keys of lower nodes. Each
 * node does it for its share of the digits.
 */
static void places(struct node *n)
{
	const struct job *job = n->job;
	const size_t low = share(job->radix, job->nodes, n->number), high = share(job->radix, job->nodes, n->number + 1);
	uint32_t place = 0;

	for (size_t digit = low; digit < high; digit++)
		for (unsigned other = 0; other < job->nodes; other++)
			place += get32(n, count_at(job, other, digit));
	put32(n, sums + n->number * 4, place);
	meet(n);
	place = 0;
	for (unsigned other = 0; other < n->number; other++)
		place += get32(n, sums + other * 4);
	for (size_t digit = low; digit < high; digit++)
		for (unsigned other = 0; other < job->nodes; other++) {
			const uint32_t keys_there = get32(n, count_at(job, other, digit));

			put32(n, count_at(job, other, digit), place);
			place += keys_there;
		}
	meet(n);
}

static void work(struct node *n)
{
	const struct job *job = n->job;
	const size_t low = share(job->size, job->nodes, n->number), high = share(job->size, job->nodes, n->number + 1);
	uint32_t *const own = memory(job->radix, sizeof(*own));

	for (size_t i = low; i < high; i++)
		put32(n, key_at(0, i), key_of(i));
	meet(n);
	for (unsigned pass = 0; pass < passes; pass++) {
		const unsigned from = pass % 2, to = 1 - from, shift = pass * digit_bits;

		memset(own, 0, job->radix * sizeof(*own));
		for (size_t i = low; i < high; i++)
			own[get32(n, key_at(from, i)) >> shift & (job->radix - 1)]++;
		for (size_t digit = 0; digit < job->radix; digit++)
			put32(n, count_at(job, n->number, digit), own[digit]);
		meet(n);
		places(n);
		for (size_t digit = 0; digit < job->radix; digit++)
			own[digit] = get32(n, count_at(job, n->number, digit));
		for (size_t i = low; i < high; i++) {
			const uint32_t key = get32(n, key_at(from, i));

			put32(n, key_at(to, own[key >> shift & (job->radix - 1)]++), key);
		}
		meet(n);
	}
	free(own);
}

static uint64_t hash_of_keys(const struct job *job)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < job->size; i++)
		sum += mixed(key_of(i));
	return sum;
}

/* Whether its share is in order, the last key before it included; and the share's part of the sum of hashes. */
static bool check(struct node *n)
{
	const struct job *job = n->job;
	const size_t low = share(job->size, job->nodes, n->number), high = share(job->size, job->nodes, n->number + 1);
	uint32_t last = low ? get32(n, key_at(passes % 2, low - 1)) : 0;
	uint64_t hash = 0;
	bool good = true;

	for (size_t i = low; i < high; i++) {
		const uint32_t key = get32(n, key_at(passes % 2, i));

		good &= last <= key;
		last = key;
		hash += mixed(key);
	}
	give(n, hash);
	meet(n);
	if (n->number)
		return good;
	hash = 0;
	for (unsigned other = 0; other < job->nodes; other++)
		hash += given(n, other);
	return good && hash == hash_of_keys(job);
}

static void tell(const struct job *job)
{
	printf("passes=%u\nhash=%016" PRIx64 "\n", passes, hash_of_keys(job));
}

const struct bench bench_radix = {
	"radix", "radix sort: sorted, and a permutation of the keys", "keys", 65536, 1u << 24, plan, work, check, tell,
};
