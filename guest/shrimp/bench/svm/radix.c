/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RADIX (TR-596-99, 4.2.3): sorts integer keys digit by digit.
 *
 * For each digit a node counts the keys of its part. All counts, added up in a tree, tell each node where its keys of each digit belong. Then it
 * stores them there, in the other array: scattered stores to all nodes' memories.
 *
 * Key i is a function of i and the seed. So the check needs no copy: keys are in order, and sums of two functions of each key are the same as before.
 *
 * INFERRED, from the paper's packets at one node of four (guest/shrimp/svm/README.md has the arithmetic): 2^20 keys; the permutation stores to pages
 * without having them (svm_store_only()); the tree is in shared memory as in SPLASH-2's program, two rows for each of its nodes; the home of all but its
 * leaves is node 0; its root is not stored, as its two children say as much; a row is stored from its first word to its last.
 */
#include "svmbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BITS = 20, SUMS_LOCK = 1, NODES_MOST = 16, LEVELS_MOST = 4 };

static uint32_t *key[2];
/*
 * By level and place: the counts of a group of 2^level nodes. Two rows, by digit: keys of this digit and all smaller ones, keys of this digit
 * (SPLASH-2's densities and ranks).
 */
static uint32_t *tree[LEVELS_MOST][NODES_MOST];
static unsigned int levels;    /* the last one has one or two groups */
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
	*bytes = 2 * whole_pages(job->size * sizeof(uint32_t)) + 2 * nodes * whole_pages(2 * job->radix * sizeof(uint32_t)) + SVM_PAGE;
	return 0;
}

static unsigned int groups(unsigned int level)
{
	return (svm_nodes() + (1u << level) - 1) >> level;
}

static size_t low(const struct job *job) { return svm_share(job->size, svm_node()); }
static size_t high(const struct job *job) { return svm_share(job->size, svm_node() + 1); }

static void begin(const struct job *job)
{
	for (int i = 0; i < 2; i++)
		key[i] = svm_alloc(job->size * sizeof(uint32_t), SVM_SPREAD);
	do {
		for (unsigned int group = 0; group < groups(levels); group++)
			tree[levels][group] = svm_alloc(2 * job->radix * sizeof(uint32_t), levels ? 0 : group);
	} while (groups(levels++) > 2);
	sum = svm_alloc(SVM_PAGE, 0);
	for (size_t i = low(job); i < high(job); i++)
		key[0][i] = key_of(job, i);
}

static size_t digit_of(const struct job *job, uint32_t k, unsigned int pass)
{
	return k >> pass * digit_bits & (job->radix - 1);
}

static void count_own(const struct job *job, const uint32_t *from, unsigned int pass)
{
	uint32_t *densities = tree[0][svm_node()], *ranks = densities + job->radix, sum_so_far = 0;

	memset(ranks, 0, job->radix * sizeof(*ranks));
	for (size_t i = low(job); i < high(job); i++)
		ranks[digit_of(job, from[i], pass)]++;
	for (size_t digit = 0; digit < job->radix; digit++)
		densities[digit] = sum_so_far += ranks[digit];
	svm_barrier();
}

/* The last node of each group adds up the two groups of which it is made, row by row. */
static void add_groups(const struct job *job, unsigned int level)
{
	const unsigned int group = svm_node() >> level;
	const bool last = svm_node() + 1 == svm_nodes() || (svm_node() + 1) >> level != group;
	uint32_t *own = tree[level][group];
	const uint32_t *left = tree[level - 1][2 * group], *right = 2 * group + 1 < groups(level - 1) ? tree[level - 1][2 * group + 1] : NULL;

	if (last) {
		svm_store_only(own, 2 * job->radix * sizeof(*own), true);
		for (size_t i = 0; i < 2 * job->radix; i++)
			own[i] = left[i] + (right ? right[i] : 0);
	}
	svm_barrier();
	if (last)
		svm_store_only(own, 2 * job->radix * sizeof(*own), false);
}

/* Where this node's keys of each digit belong: behind all of smaller digits, and of lower nodes. */
static void find_places(const struct job *job, uint32_t *place)
{
	memset(place, 0, job->radix * sizeof(*place));
	for (unsigned int group = 0; group < groups(levels - 1); group++)
		for (size_t digit = 1; digit < job->radix; digit++)
			place[digit] += tree[levels - 1][group][digit - 1];
	for (unsigned int level = 0; level < levels; level++)
		for (size_t digit = 0; svm_node() >> level & 1 && digit < job->radix; digit++)
			place[digit] += tree[level][(svm_node() >> level) - 1][job->radix + digit];
}

static void sort_by_digit(const struct job *job, unsigned int pass, uint32_t *place)
{
	const uint32_t *from = key[pass % 2];
	uint32_t *to = key[1 - pass % 2];

	count_own(job, from, pass);
	for (unsigned int level = 1; level < levels; level++)
		add_groups(job, level);
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
