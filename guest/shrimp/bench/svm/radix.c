/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RADIX (TR-596-99, 4.2.3): sorts integer keys digit by digit.
 *
 * For each digit a node counts the keys of its part. All counts tell each node where its keys of each digit belong. Then it stores them
 * there, in the other array: scattered stores to all nodes' memories.
 *
 * Key i is a function of i and the seed. So the check needs no copy: keys are in order, and sums of two functions of each key are the same as before.
 *
 * INFERRED: the permutation stores to pages without having them (svm_store_only()). The paper counts 394,011 packets of 1.0 words.
 * 262,144 keys, of which three in four belong to other nodes, in two passes are 393,216, so there is no room for pages.
 */
#include "svmbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BITS = 20, SUMS_LOCK = 1 };

static uint32_t *key[2];
static uint32_t **count_of;    /* each node's counts: node, digit */
static uint64_t *sum;          /* of all nodes: keys' scrambled values, and their squares */
static unsigned int digit_bits, passes;

/* A permutation of 32 bits: the finaliser of MurmurHash3. */
static uint32_t scrambled(uint32_t x)
{
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

static uint32_t key_of(const struct job *job, size_t i)
{
	return scrambled((uint32_t)(job->seed * job->size + i + 1)) >> (32 - KEY_BITS);
}

static int plan(const struct job *job, unsigned int nodes, size_t *bytes)
{
	if (job->radix < 2 || job->radix > 4096 || job->radix & (job->radix - 1))
		return refuse("--radix %lu: legal are powers of two, 2 to 4096", job->radix);
	digit_bits = (unsigned int)__builtin_ctzl(job->radix);
	passes = (KEY_BITS + digit_bits - 1) / digit_bits;
	*bytes = 2 * whole_pages(job->size * sizeof(uint32_t)) + nodes * whole_pages(job->radix * sizeof(uint32_t)) + SVM_PAGE;
	return 0;
}

static size_t low(const struct job *job) { return svm_share(job->size, svm_node()); }
static size_t high(const struct job *job) { return svm_share(job->size, svm_node() + 1); }

static void begin(const struct job *job)
{
	for (int i = 0; i < 2; i++)
		key[i] = svm_alloc(job->size * sizeof(uint32_t), SVM_SPREAD);
	count_of = memory(svm_nodes(), sizeof(*count_of));
	for (unsigned int node = 0; node < svm_nodes(); node++)
		count_of[node] = svm_alloc(job->radix * sizeof(uint32_t), node);
	sum = svm_alloc(SVM_PAGE, 0);
	for (size_t i = low(job); i < high(job); i++)
		key[0][i] = key_of(job, i);
}

static size_t digit_of(const struct job *job, uint32_t k, unsigned int pass)
{
	return k >> pass * digit_bits & (job->radix - 1);
}

/* Where this node's keys of each digit belong: behind all of smaller digits, and of lower nodes. */
static void find_places(const struct job *job, uint32_t *place)
{
	uint32_t next = 0;

	for (size_t digit = 0; digit < job->radix; digit++)
		for (unsigned int node = 0; node < svm_nodes(); node++) {
			if (node == svm_node())
				place[digit] = next;
			next += count_of[node][digit];
		}
}

static void sort_by_digit(const struct job *job, unsigned int pass, uint32_t *place)
{
	const uint32_t *from = key[pass % 2];
	uint32_t *to = key[1 - pass % 2];

	memset(place, 0, job->radix * sizeof(*place));
	for (size_t i = low(job); i < high(job); i++)
		place[digit_of(job, from[i], pass)]++;
	memcpy(count_of[svm_node()], place, job->radix * sizeof(*place));
	svm_barrier();
	find_places(job, place);
	svm_store_only(to, job->size * sizeof(*to), true);
	for (size_t i = low(job); i < high(job); i++)
		to[place[digit_of(job, from[i], pass)]++] = from[i];
	svm_barrier();
	svm_store_only(to, job->size * sizeof(*to), false);
}

static void work(const struct job *job)
{
	uint32_t *place = memory(job->radix, sizeof(*place));

	for (unsigned int pass = 0; pass < passes; pass++)
		sort_by_digit(job, pass, place);
	free(place);
}

static void add(uint64_t *sums, uint32_t k)
{
	const uint64_t value = scrambled(k);

	sums[0] += value;
	sums[1] += value * value;
}

static bool check(const struct job *job)
{
	const uint32_t *sorted = key[passes % 2];
	uint32_t last = low(job) ? sorted[low(job) - 1] : 0;
	uint64_t own[2] = { 0 }, wanted[2] = { 0 };
	bool good = true;

	for (size_t i = low(job); i < high(job); i++) {
		good &= last <= sorted[i];
		last = sorted[i];
		add(own, last);
	}
	svm_lock(SUMS_LOCK);
	sum[0] += own[0];
	sum[1] += own[1];
	svm_unlock(SUMS_LOCK);
	for (size_t i = 0; i < job->size; i++)
		add(wanted, key_of(job, i));
	svm_barrier();
	return good && sum[0] == wanted[0] && sum[1] == wanted[1];
}

static void tell(const struct job *job)
{
	(void)job;
	printf("passes=%u\nhash=%016llx\n", passes, (unsigned long long)sum[1]);
}

const struct bench bench_radix = {
	"radix", "radix sort; in order, and a permutation", "keys", 65536, 16, 1u << 20, plan, begin, work, check, tell,
};
