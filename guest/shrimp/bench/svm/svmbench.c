/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svmbench - the paper's parallel programs (TR-596-99, 4.2) on shared virtual memory: one program on each node of a cluster.
 *
 *   svmbench lu [options]         --help tells them
 *
 * The result is verified. The network interface's counters are those of the parallel phase. --before and --after are commands
 * that each node runs when that phase begins and ends: what else is to watch only it.
 *
 * Output: key=value lines. Exit status: 0; 1: wrong result, or something failed; 2: wrong option.
 */
#include "svmbench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../lib/snilib.h"

static const struct bench *const benches[] = { &bench_lu, &bench_ocean, &bench_radix };
#define BENCHES (sizeof(benches) / sizeof(benches[0]))

static struct job job = { .block = 32, .radix = 1024, .steps = 2 };
static const struct bench *bench;
static bool combine = true;
static const char *before, *after;

/* --- commands, by a process that has none of the interface's pages: those of a child would be in the way --- */

static int to_runner, from_runner;

static void run_commands(int in, int out)
{
	char which;

	while (read(in, &which, 1) == 1) {
		const int status = system(which == 'b' ? before : after);

		if (write(out, &status, sizeof(status)) != sizeof(status))
			_exit(1);
	}
	_exit(0);
}

static void begin_runner(void)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		die("a pipe");
	switch (fork()) {
	case -1:
		die("a process");
		break;
	case 0:
		close(there[1]);
		run_commands(there[0], back[1]);
	}
	close(there[0]);
	to_runner = there[1];
	from_runner = back[0];
}

static void run(char which, const char *command)
{
	int status;

	if (!command)
		return;
	if (write(to_runner, &which, 1) != 1 || read(from_runner, &status, sizeof(status)) != sizeof(status))
		die("a command");
	if (status) {
		refuse("'%s' failed", command);
		exit(1);
	}
}

/* --- the parallel phase --- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void clear_counters(void)
{
	uint32_t scr;

	if (sni_get_reg(svm_board(), SNI_SCR, &scr) || sni_set_reg(svm_board(), SNI_SCR, scr | SNI_SCR_CRST))
		die("clearing the counters");
}

/*
 * What differs between two runs of one program on such a machine: which pages of memory it gets, and when a node begins, so where timer ticks fall.
 * Seed 0 changes nothing.
 */
static unsigned long other(unsigned long below)
{
	static uint32_t x;

	x = x ? x : (uint32_t)(job.seed * 16 + svm_node() + 1);
	x ^= x << 13; /* Marsaglia's xorshift */
	x ^= x >> 17;
	x ^= x << 5;
	return job.seed ? x % below : 0;
}

static void begin_elsewhere(void)
{
	const unsigned long pages = other(64), us = other(10000);
	const uint64_t until = now_ns() + us * 1000;

	for (unsigned long i = 0; i < pages; i++)
		*(volatile char *)memory(1, SVM_PAGE) = 1;
	while (now_ns() < until)
		continue;
}

static void phase(void)
{
	struct sni_counters counters;
	struct svm_counts had, have;
	uint64_t ns;

	svm_barrier();
	run('b', before);
	clear_counters();
	had = svm_get_counts();
	svm_barrier(); /* all have begun to watch */
	ns = now_ns();
	bench->work(&job);
	svm_barrier();
	ns = now_ns() - ns;
	have = svm_get_counts();
	if (sni_get_counters(svm_board(), &counters))
		die("counters");
	run('a', after);
	svm_barrier();
	printf("elapsed_ns=%llu\nread_faults=%llu\nwrite_faults=%llu\nfetches=%llu\ninvalidations=%llu\nbarriers=%llu\n", (unsigned long long)ns,
	       (unsigned long long)(have.read_faults - had.read_faults), (unsigned long long)(have.write_faults - had.write_faults),
	       (unsigned long long)(have.fetches - had.fetches), (unsigned long long)(have.invalidations - had.invalidations),
	       (unsigned long long)(have.barriers - had.barriers));
	sni_print_counters(stdout, &counters);
}

/* --- options --- */

static void usage(FILE *to)
{
	fprintf(to, "usage: svmbench PROGRAM [options], on each node of a cluster with --lan, or on one machine\n");
	for (size_t i = 0; i < BENCHES; i++)
		fprintf(to, "  %-6s %s; --size: %s, %lu to %lu (%lu)\n", benches[i]->name, benches[i]->text, benches[i]->size_text,
			benches[i]->size_least, benches[i]->size_most, benches[i]->size);
	fprintf(to,
		"  --size N          see above\n"
		"  --block N         rows of a block of LU, 2 to 64 (%lu)\n"
		"  --radix R         digits of RADIX, a power of two up to 4096 (%lu)\n"
		"  --steps N         of OCEAN's time (%lu)\n"
		"  --seed N          of the matrix, the keys, the sea at the start, of when a node begins and in which pages: 0 to 1000 (0)\n"
		"  --combine on|off  combining of shared stores (on)\n"
		"  --before COMMAND  on each node, when the parallel phase begins\n"
		"  --after COMMAND   and when it has ended\n",
		job.block, job.radix, job.steps);
}

static unsigned long number(const char *name, unsigned long low, unsigned long high)
{
	char *end;
	const unsigned long value = strtoul(optarg, &end, 0);

	if (end == optarg || *end || value < low || value > high) {
		refuse("--%s %s: legal are %lu to %lu", name, optarg, low, high);
		exit(2);
	}
	return value;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "size", 1, 0, 'n' },   { "block", 1, 0, 'k' }, { "radix", 1, 0, 'r' }, { "steps", 1, 0, 's' }, { "seed", 1, 0, 'd' }, { "combine", 1, 0, 'c' },
		{ "before", 1, 0, 'b' }, { "after", 1, 0, 'a' }, { "help", 0, 0, 'h' }, { 0 },
	};
	int c;

	for (size_t i = 0; argc > 1 && i < BENCHES; i++)
		if (!strcmp(argv[1], benches[i]->name))
			bench = benches[i];
	if (bench) {
		job.size = bench->size;
		argc--;
		argv++;
	}
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'n':
			job.size = bench ? number("size", bench->size_least, bench->size_most) : 0;
			break;
		case 'k':
			job.block = number("block", 2, 64);
			break;
		case 'r':
			job.radix = number("radix", 2, 4096);
			break;
		case 's':
			job.steps = number("steps", 1, 10000);
			break;
		case 'd':
			job.seed = number("seed", 0, 1000);
			break;
		case 'c':
			combine = !strcmp(optarg, "on");
			if (!combine && strcmp(optarg, "off")) {
				refuse("--combine %s: legal are on and off", optarg);
				exit(2);
			}
			break;
		case 'b':
			before = optarg;
			break;
		case 'a':
			after = optarg;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	if (!bench || optind < argc) {
		usage(stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	const char *nodes = getenv("PERFBOARD_NODES");
	size_t bytes;
	bool good;

	parse(argc, argv);
	if (bench->plan(&job, nodes ? (unsigned int)strtoul(nodes, NULL, 10) : 1, &bytes))
		return 2;
	begin_runner();
	svm_init(bytes, combine);
	begin_elsewhere();
	bench->begin(&job);
	printf("program=%s\nsize=%lu\nnode=%u\nnodes=%u\ncombine=%s\n", bench->name, job.size, svm_node(), svm_nodes(), combine ? "on" : "off");
	phase();
	good = bench->check(&job);
	printf("result=%s\n", good ? "right" : "wrong");
	if (svm_node() == 0)
		bench->tell(&job);
	fflush(stdout);
	svm_end();
	return good ? 0 : 1;
}
