/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transactions of a bank, of the kind of TPC-B: an amount goes to an account, its teller and its branch, and into the history. Accounts are
 * found by a hash table; an index (btree.c) has the last entry of the history for each account that had any; now and then a
 * transaction reads a range of it. Each transaction is a record of the log, which a group of them writes to a file.
 */
#define _GNU_SOURCE
#include "study.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "guest/common/fatal.h"

enum { TRANSACTIONS = 3000, ACCOUNTS = 8192, TELLERS = 40, BRANCHES = 4, BUCKETS = 4096, GROUP = 16, RANGE_EVERY = 8, RANGE = 20, SPREAD = 40503 };

struct account {
	uint32_t number;
	uint32_t next; /* in its bucket; 0: none */
	long balance;
	char filler[84]; /* TPC-B: at least 100 bytes */
};

struct entry {
	uint32_t account, teller, branch;
	int32_t amount;
	unsigned long range; /* what the transaction has read of the index */
	char filler[26];     /* TPC-B: at least 50 bytes */
};

static struct account *account;
static uint32_t *bucket;
static struct entry *history, *group;
static long teller[TELLERS], branch[BRANCHES];
static uint64_t drawn;
static int file;

static uint32_t hash(uint32_t number) { return number * 2654435761u >> 20; }

/* Numerical Recipes' generator: the same transactions in each run. */
static uint32_t draw(uint32_t below)
{
	drawn = drawn * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((drawn >> 33) % below);
}

static uint32_t number_of(uint32_t n) { return n * SPREAD; }

static void prepare(void)
{
	account = pages((ACCOUNTS + 1) * sizeof(*account));
	bucket = pages(BUCKETS * sizeof(*bucket));
	history = pages(TRANSACTIONS * sizeof(*history));
	group = pages(GROUP * sizeof(*group));
	for (uint32_t n = 1; n <= ACCOUNTS; n++) {
		account[n].number = number_of(n);
		account[n].next = bucket[hash(account[n].number)];
		bucket[hash(account[n].number)] = n;
	}
	file = open("p2study.log", O_RDWR | O_CREAT | O_TRUNC, 0600);
	must(file >= 0, "p2study.log");
}

static struct account *find(uint32_t number)
{
	uint32_t n = bucket[hash(number)];

	while (account[n].number != number)
		n = account[n].next;
	return &account[n];
}

static void transact(unsigned n)
{
	struct entry *e = &history[n];
	size_t found;

	e->account = number_of(1 + draw(ACCOUNTS));
	e->teller = draw(TELLERS);
	e->branch = e->teller / (TELLERS / BRANCHES);
	e->amount = (int32_t)draw(1999999) - 999999;
	find(e->account)->balance += e->amount;
	teller[e->teller] += e->amount;
	branch[e->branch] += e->amount;
	btree_put(e->account, n);
	e->range = n % RANGE_EVERY ? 0 : btree_sum(e->account, RANGE, &found);
	group[n % GROUP] = *e;
	if (n % GROUP == GROUP - 1 || n == TRANSACTIONS - 1)
		must(write(file, group, (n % GROUP + 1) * sizeof(*group)) == (ssize_t)((n % GROUP + 1) * sizeof(*group)), "write");
	item(n);
}

static void work(void)
{
	for (uint32_t n = 1; n <= ACCOUNTS; n++)
		account[n].balance = 0;
	memset(teller, 0, sizeof(teller));
	memset(branch, 0, sizeof(branch));
	drawn = 1;
	btree_empty();
	must(lseek(file, 0, SEEK_SET) == 0, "seek");
	for (unsigned n = 0; n < TRANSACTIONS; n++)
		transact(n);
}

/* The sums are the log's, as TPC-B has them, and the index has each account once that the log has. */
static bool right(void)
{
	static unsigned last[ACCOUNTS + 1];
	long accounts = 0, tellers = 0, branches = 0, logged = 0;
	struct entry e;
	size_t different = 0, found;

	memset(last, 0, sizeof(last));
	for (unsigned n = 0; n < TRANSACTIONS; n++) {
		unsigned *const seen = &last[find(history[n].account) - account];

		must(pread(file, &e, sizeof(e), (off_t)(n * sizeof(e))) == sizeof(e), "read");
		if (memcmp(&e, &history[n], sizeof(e)))
			return false;
		logged += e.amount;
		different += !*seen;
		*seen = n + 1;
	}
	for (size_t n = 1; n <= ACCOUNTS; n++) {
		accounts += account[n].balance;
		if (last[n] && (btree_sum(account[n].number, 1, &found) != last[n] - 1 || found != 1))
			return false;
	}
	for (size_t n = 0; n < TELLERS; n++)
		tellers += teller[n];
	for (size_t n = 0; n < BRANCHES; n++)
		branches += branch[n];
	return accounts == logged && tellers == logged && branches == logged && btree_count() == different;
}

static const struct variant variants[] = { { "bank", work }, { 0 } };
const struct workload transactions = { "transactions", prepare, variants, right };
