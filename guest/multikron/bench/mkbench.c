/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkbench - an instrumented parallel program: a blocked matrix multiplication, a phase for each repetition.
 *
 *   mkbench [options]               --help tells them
 *   mkbench --burst N               no work: each thread stores N samples as fast as it can
 *
 * Threads are pinned to processors, thread t to processor t. Filter levels:
 *   0  states of a thread, enter and exit: 1 compute, 2 wait at the barrier, 3 check
 *   1  state 4: one block of the result
 *   2  a point per block: id 16, argument the block's number
 *   3  a value per phase: id 17, argument the blocks that the thread has done
 *   4  a resource sample at the end of each phase, as a point: id 18, argument the phase's number
 * Counters: 0 node clock, 1 slow clock, 2 blocks (software), 3 external signal.
 *
 * Every store is counted by the program itself. The lines key=value at the end hold these counts and the chip's,
 * so that with sampling on throughout
 *   sum over the levels that the filter lets pass of written = samples on the network + overrun
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../common/fatal.h"
#include "../lib/mklib.h"

enum { COMPUTE = 1, BARRIER, CHECK, BLOCK };
enum { LEVEL_STATES, LEVEL_BLOCKS, LEVEL_POINTS, LEVEL_VALUES, LEVEL_RESOURCES, LEVELS };
enum { COUNTER_NODE, COUNTER_SLOW, COUNTER_BLOCKS, COUNTER_EXTERNAL, COUNTERS };
#define THREADS 64
#define POINT_BLOCK 16
#define VALUE_BLOCKS 17
#define POINT_PHASE 18

static unsigned threads = 4, size = 96, block = 16, phases = 4, seconds;
static uint32_t filter = 0x1f;
static bool wait_mode, burst_resource, own_sources;
static unsigned long burst;

static double *a, *b, *c;
static pthread_barrier_t barrier;
static volatile bool stop;

struct thread {
	pthread_t pthread;
	struct mk *mk;
	unsigned number;
	/* What it stored, by level and kind of sample, and counted. */
	uint64_t trace[LEVELS], resource[LEVELS], blocks, phases;
	uint64_t first, last; /* timestamps of a burst */
} thread[THREADS];

static inline void event(struct thread *t, unsigned level, uint64_t data)
{
	MK_TRACE_ON(t->mk, level, data);
	t->trace[level]++;
}

static inline void resource(struct thread *t, unsigned level, uint64_t data)
{
	MK_RESOURCE_ON(t->mk, level, data);
	t->resource[level]++;
}

static void meet(struct thread *t)
{
	event(t, LEVEL_STATES, MK_EVENT(MK_KIND_ENTER, BARRIER, 0));
	pthread_barrier_wait(&barrier);
	event(t, LEVEL_STATES, MK_EVENT(MK_KIND_EXIT, BARRIER, 0));
}

/* --- the work --- */

static void one_block(unsigned row, unsigned column)
{
	const unsigned rows = row + block < size ? row + block : size;
	const unsigned columns = column + block < size ? column + block : size;

	for (unsigned i = row; i < rows; i++)
		for (unsigned j = column; j < columns; j++) {
			double sum = 0;

			for (unsigned k = 0; k < size; k++)
				sum += a[i * size + k] * b[k * size + j];
			c[i * size + j] = sum;
		}
}

static void multiply(struct thread *t)
{
	const unsigned side = (size + block - 1) / block;

	event(t, LEVEL_STATES, MK_EVENT(MK_KIND_ENTER, COMPUTE, 0));
	for (unsigned n = t->number; n < side * side; n += threads) {
		event(t, LEVEL_BLOCKS, MK_EVENT(MK_KIND_ENTER, BLOCK, 0));
		one_block(n / side * block, n % side * block);
		event(t, LEVEL_BLOCKS, MK_EVENT(MK_KIND_EXIT, BLOCK, 0));
		event(t, LEVEL_POINTS, MK_EVENT(MK_KIND_POINT, POINT_BLOCK, n));
		if (mk_count_on(t->mk, COUNTER_BLOCKS))
			die("software count");
		t->blocks++;
	}
	event(t, LEVEL_STATES, MK_EVENT(MK_KIND_EXIT, COMPUTE, 0));
}

/* Of the matrices below: each element of the product is known. */
static void check(struct thread *t)
{
	event(t, LEVEL_STATES, MK_EVENT(MK_KIND_ENTER, CHECK, 0));
	for (unsigned i = t->number; i < size; i += threads)
		for (unsigned j = 0; j < size; j++)
			if (c[i * size + j] != (double)(i % 7 + 1) * (j % 5 + 1) * size) {
				fprintf(stderr, "mkbench: element %u,%u is wrong\n", i, j);
				exit(1);
			}
	event(t, LEVEL_STATES, MK_EVENT(MK_KIND_EXIT, CHECK, 0));
}

static bool time_over(struct thread *t)
{
	static struct timespec start;
	struct timespec now;

	if (!seconds)
		return t->phases >= phases;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!t->phases)
		start = now;
	return now.tv_sec - start.tv_sec + (now.tv_nsec < start.tv_nsec ? -1 : 0) >= (time_t)seconds;
}

static void work(struct thread *t)
{
	for (;;) {
		if (t->number == 0)
			stop = time_over(t);
		meet(t);
		if (stop)
			break;
		multiply(t);
		meet(t);
		check(t);
		event(t, LEVEL_VALUES, MK_EVENT(MK_KIND_VALUE, VALUE_BLOCKS, t->blocks));
		resource(t, LEVEL_RESOURCES, MK_EVENT(MK_KIND_POINT, POINT_PHASE, t->phases));
		t->phases++;
	}
}

/* --- bursts: eight stores a turn, so that the loop costs little --- */

static void one_burst(struct thread *t)
{
	volatile uint64_t *at =
		t->mk->sample + (burst_resource ? MKR_SAMPLE_RESOURCE(LEVEL_RESOURCES) : MKR_SAMPLE_TRACE(LEVEL_STATES));
	unsigned long n = burst;

	pthread_barrier_wait(&barrier);
	t->first = mk_read(t->mk, MKR_TIMESTAMP);
	for (; n >= 8; n -= 8) {
		*at = n;
		*at = n;
		*at = n;
		*at = n;
		*at = n;
		*at = n;
		*at = n;
		*at = n;
	}
	for (; n; n--)
		*at = n;
	t->last = mk_read(t->mk, MKR_TIMESTAMP);
	*(burst_resource ? &t->resource[LEVEL_RESOURCES] : &t->trace[LEVEL_STATES]) += burst;
}

/* --- the experiment --- */

static void *run(void *argument)
{
	struct thread *t = argument;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(t->number, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("pinning a thread");
	if (own_sources && mk_trace_me(MK_TRACE_THREAD, 0) < 0)
		die("source of a thread");
	pthread_barrier_wait(&barrier);
	if (burst)
		one_burst(t);
	else
		work(t);
	return NULL;
}

/* The distinct cards that serve the threads. */
static unsigned cards(struct mk *card[])
{
	unsigned n = 0;

	for (unsigned i = 0; i < threads; i++) {
		unsigned seen = 0;

		while (seen < n && card[seen] != thread[i].mk)
			seen++;
		if (seen == n)
			card[n++] = thread[i].mk;
	}
	return n;
}

static void set(struct mk *mk, unsigned address, uint64_t value)
{
	if (mk_set(mk, address, value))
		die("setting the card up");
}

/* The reset marks the beginning in the stream as well. */
static void set_up(struct mk *mk)
{
	set(mk, MKR_RESET, 0);
	set(mk, MKR_MUXSEL, MKR_MUX_PUT(COUNTER_NODE, MKR_MUX_NODE) | MKR_MUX_PUT(COUNTER_SLOW, MKR_MUX_SLOW) |
			    MKR_MUX_PUT(COUNTER_BLOCKS, MKR_MUX_SOFTWARE) |
			    MKR_MUX_PUT(COUNTER_EXTERNAL, MKR_MUX_EXTERNAL));
	set(mk, MKR_FILTER, filter);
	set(mk, MKR_CSR, (wait_mode ? MKR_CSR_WWAIT : MKR_CSR_WWAITOFF) | MKR_CSR_RWAIT | MKR_CSR_SE);
	set(mk, MKR_ENABLE, (1u << COUNTERS) - 1);
}

static void make_matrices(void)
{
	const size_t elements = (size_t)size * size;

	a = malloc(elements * sizeof(*a));
	b = malloc(elements * sizeof(*b));
	c = malloc(elements * sizeof(*c));
	if (!a || !b || !c)
		die("memory");
	for (unsigned i = 0; i < size; i++)
		for (unsigned j = 0; j < size; j++) {
			a[i * size + j] = i % 7 + 1;
			b[i * size + j] = j % 5 + 1;
		}
}

/* --- report --- */

static void report(struct mk *const card[], unsigned n)
{
	uint64_t passed = 0, all = 0, resources = 0, blocks = 0, overrun = 0;

	for (unsigned i = 0; i < threads; i++) {
		const struct thread *t = &thread[i];
		uint64_t sum = 0;

		for (unsigned level = 0; level < LEVELS; level++) {
			const uint64_t stored = t->trace[level] + t->resource[level];

			sum += stored;
			passed += filter >> level & 1 ? stored : 0;
			resources += t->resource[level];
		}
		all += sum;
		blocks += t->blocks;
		printf("written_cpu%u=%" PRIu64 "\n", i, sum);
		if (burst)
			printf("burst_ticks_cpu%u=%" PRIu64 "\n", i, t->last - t->first);
	}
	for (unsigned level = 0; level < LEVELS; level++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < threads; i++)
			sum += thread[i].trace[level] + thread[i].resource[level];
		printf("written_level%u=%" PRIu64 "\n", level, sum);
	}
	for (unsigned i = 0; i < n; i++) {
		const uint64_t lost = mk_read(card[i], MKR_OVERRUN);

		overrun += lost;
		printf("card%u_overrun=%" PRIu64 "\n", card[i]->info.index, lost);
		printf("card%u_wait=%" PRIu64 "\n", card[i]->info.index, mk_read(card[i], MKR_WAIT));
		for (unsigned k = 0; k < COUNTERS; k++)
			printf("card%u_counter%u=%" PRIu64 "\n", card[i]->info.index, k,
			       mk_read(card[i], MKR_COUNTER(k)));
		printf("card%u_node_hz=%u\n", card[i]->info.index, card[i]->info.node_hz);
		printf("card%u_timestamp_hz=%u\n", card[i]->info.index, card[i]->info.timestamp_hz);
	}
	printf("threads=%u\n", threads);
	printf("phases=%" PRIu64 "\n", thread[0].phases);
	printf("blocks=%" PRIu64 "\n", blocks);
	printf("filter=0x%04x\n", filter);
	printf("wait_mode=%d\n", wait_mode);
	printf("written=%" PRIu64 "\n", all);
	printf("written_resource=%" PRIu64 "\n", resources);
	printf("written_passed=%" PRIu64 "\n", passed);
	printf("overrun=%" PRIu64 "\n", overrun);
}

static unsigned long number(const char *text, unsigned long least, unsigned long most)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value < least || value > most) {
		fprintf(stderr, "mkbench: %s: legal are %lu to %lu\n", text, least, most);
		exit(2);
	}
	return value;
}

static void usage(void)
{
	printf("usage: mkbench [options]\n"
	       "  -t, --threads N        threads, each on a processor of its own (4)\n"
	       "  -n, --size N           rows and columns of the matrices (96)\n"
	       "  -b, --block N          of a block (16)\n"
	       "  -i, --iterations N     phases (4)\n"
	       "  -s, --seconds N        instead: phases until so much time has passed\n"
	       "  -f, --filter MASK      filter levels that are taken (0x1f)\n"
	       "  -w, --wait             write wait on overrun; else samples are lost\n"
	       "  -o, --own-sources      each thread has a source of its own\n"
	       "  -B, --burst N          N stores a thread as fast as it can, and no work\n"
	       "  -r, --resource         bursts of resource samples\n");
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", 1, NULL, 't' },  { "size", 1, NULL, 'n' },	  { "block", 1, NULL, 'b' },
		{ "iterations", 1, NULL, 'i' }, { "seconds", 1, NULL, 's' }, { "filter", 1, NULL, 'f' },
		{ "wait", 0, NULL, 'w' },     { "own-sources", 0, NULL, 'o' }, { "burst", 1, NULL, 'B' },
		{ "resource", 0, NULL, 'r' }, { "help", 0, NULL, 'h' },	  {},
	};
	int option;

	while ((option = getopt_long(argc, argv, "t:n:b:i:s:f:woB:rh", options, NULL)) >= 0) {
		switch (option) {
		case 't':
			threads = number(optarg, 1, THREADS);
			break;
		case 'n':
			size = number(optarg, 1, 4096);
			break;
		case 'b':
			block = number(optarg, 1, 4096);
			break;
		case 'i':
			phases = number(optarg, 1, 1000000);
			break;
		case 's':
			seconds = number(optarg, 1, 1000000);
			break;
		case 'f':
			filter = number(optarg, 0, 0xffff);
			break;
		case 'w':
			wait_mode = true;
			break;
		case 'o':
			own_sources = true;
			break;
		case 'B':
			burst = number(optarg, 1, 1000000000);
			break;
		case 'r':
			burst_resource = true;
			break;
		case 'h':
			usage();
			exit(0);
		default:
			exit(2);
		}
	}
	if (optind != argc) {
		fprintf(stderr, "mkbench: %s: no such option\n", argv[optind]);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct mk *card[THREADS];
	unsigned n;

	parse(argc, argv);
	if (mk_open(NULL))
		die(MK_DEVICE);
	for (unsigned i = 0; i < threads; i++) {
		thread[i].number = i;
		thread[i].mk = mk_card_of(i);
		if (!thread[i].mk)
			die("a card that serves the processor");
	}
	n = cards(card);
	make_matrices();
	if (!own_sources && mk_trace_me(0, 0) < 0)
		die("source");
	for (unsigned i = 0; i < n; i++)
		set_up(card[i]);
	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned i = 0; i < threads; i++)
		if ((errno = pthread_create(&thread[i].pthread, NULL, run, &thread[i])))
			die("thread");
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i].pthread, NULL);
	for (unsigned i = 0; i < n; i++) {
		set(card[i], MKR_DISABLE, (1u << COUNTERS) - 1);
		set(card[i], MKR_CSR, MKR_CSR_SEOFF);
	}
	report(card, n);
	return 0;
}
