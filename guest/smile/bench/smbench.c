/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smbench - parallel benchmarks on the window that PCI-SCI adapters share, after SPLASH-2's descriptions.
 *
 *   smbench radix|lu|stencil|ocean|sparse [options]      --help tells them
 *
 * Node k is processor k, and thread k pinned to it (--threads: another processor); or a machine of its own, and the program runs on each,
 * for one node. All shared data is in the window; each access is one instruction of 4 or 8 bytes, and its thread counts it by page. So the
 * program knows what the monitors must have counted:
 *   an access on node i to a page whose home is node j: remote if i != j, a request that leaves i and reaches j
 *
 * The result is verified in every round. Exit code: 0; 1: wrong result, or a system call failed; 2: wrong option.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "place.h"

#define ROUNDS_MOST 1000

static const struct bench *const benches[] = { &bench_radix, &bench_lu, &bench_stencil, &bench_ocean, &bench_sparse };
static struct job job = { .radix = 1024, .block = 16, .sweeps = 8 };
static struct place place;
static struct node node[NODES_MOST];
static unsigned first, behind; /* nodes that this program runs */
static unsigned seat[NODES_MOST]; /* the node that each thread is on */
static bool in_window;      /* nodes meet there */
static enum policy policy = ROUND_ROBIN;
static unsigned long rounds = 1;
static bool plain;
static const char *csv, *between, *seats;
/* Accesses so far, by page, node and home. */
static uint64_t (*total)[KINDS];
/* Threads last as long as the program, and begin and end a round together with main(). Who moves one finds it again. */
static pthread_barrier_t turn;
static bool good[NODES_MOST];

/* --- a round --- */

static void pin(unsigned processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("pinning a thread to its processor");
}

static bool pinned(void) { return !plain && !place.sci.info.cluster; }

static void *run(void *argument)
{
	struct node *n = argument;

	if (pinned())
		pin(seat[n->number]);
	for (;;) {
		pthread_barrier_wait(&turn);
		meet(n);
		smile_begin("work");
		job.bench->work(n);
		smile_end();
		meet(n);
		smile_begin("check");
		good[n->number] = job.bench->check(n);
		smile_end();
		if (job.flags)
			meet(n); /* nobody ends while others need its memory */
		if (pinned())
			seat[n->number] = (unsigned)sched_getcpu();
		pthread_barrier_wait(&turn);
	}
	return NULL;
}

static void start_threads(void)
{
	pthread_t thread;

	errno = pthread_barrier_init(&turn, NULL, behind - first + 1);
	if (errno)
		die("a barrier");
	for (unsigned k = first; k < behind; k++) {
		errno = pthread_create(&thread, NULL, run, &node[k]);
		if (errno)
			die("a thread");
	}
}

static bool one_round(void)
{
	bool all = true;

	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	for (unsigned k = first; k < behind; k++)
		all &= good[k];
	return all;
}

/* --- counts --- */

static size_t pages(void) { return job.window.taken >> WINDOW_PAGE_SHIFT; }

static uint64_t *counted(size_t page, unsigned k, unsigned home) { return total[(page * job.nodes + k) * job.nodes + home]; }

/* Homes do not change while a round lasts, nor threads their nodes, so each access is counted with the home that it met. */
static void account(unsigned long round)
{
	uint64_t local = 0, remote = 0;

	for (size_t page = 0; page < pages(); page++)
		for (unsigned k = 0; k < job.nodes; k++)
			for (unsigned kind = 0; kind < KINDS; kind++) {
				*(place.home[page] == seat[k] ? &local : &remote) += node[k].count[page][kind];
				counted(page, seat[k], place.home[page])[kind] += node[k].count[page][kind];
				node[k].count[page][kind] = 0;
			}
	printf("round %lu: local %" PRIu64 " remote %" PRIu64 "\n", round, local, remote);
}

static void report(void)
{
	uint64_t sum[2][KINDS] = { 0 }; /* local, remote */

	printf("node x home");
	for (unsigned home = 0; home < job.nodes; home++)
		printf(" %10u", home);
	putchar('\n');
	for (unsigned k = 0; k < job.nodes; k++) {
		printf("%11u", k);
		for (unsigned home = 0; home < job.nodes; home++) {
			uint64_t both = 0;

			for (size_t page = 0; page < pages(); page++)
				for (unsigned kind = 0; kind < KINDS; kind++) {
					sum[k != home][kind] += counted(page, k, home)[kind];
					both += counted(page, k, home)[kind];
				}
			printf(" %10" PRIu64, both);
		}
		putchar('\n');
	}
	printf("local_loads=%" PRIu64 "\nlocal_stores=%" PRIu64 "\nremote_loads=%" PRIu64 "\nremote_stores=%" PRIu64 "\n",
	       sum[0][LOAD], sum[0][STORE], sum[1][LOAD], sum[1][STORE]);
	printf("remote=%" PRIu64 "\n", sum[1][LOAD] + sum[1][STORE]);
}

/* As `smile dump` has it: what crossed the network. */
static void write_csv(void)
{
	FILE *f = strcmp(csv, "-") ? fopen(csv, "w") : stdout;

	if (!f)
		die(csv);
	fprintf(f, "page,source,destination,count\n");
	for (size_t page = 0; page < pages(); page++)
		for (unsigned k = 0; k < job.nodes; k++)
			for (unsigned home = 0; home < job.nodes; home++) {
				const uint64_t *c = counted(page, k, home);

				if (k != home && c[LOAD] + c[STORE])
					fprintf(f, "%zu,%u,%u,%" PRIu64 "\n", page, k, home, c[LOAD] + c[STORE]);
			}
	if (f == stdout ? fflush(f) : fclose(f))
		die(csv);
}

/* --- options --- */

static int number(const char *option, const char *text, unsigned long least, unsigned long most, unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || *value < least || *value > most)
		return refuse("%s %s: legal are %lu to %lu", option, text, least, most);
	return 0;
}

static int find(const char *option, const char *text, const char *const names[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(names[i], text))
			return (int)i;
	fprintf(stderr, "smbench: %s %s: legal are", option, text);
	for (unsigned i = 0; i < n; i++)
		fprintf(stderr, " %s", names[i]);
	fputc('\n', stderr);
	return -1;
}

static void usage(void)
{
	printf("usage: smbench BENCHMARK [options]\n\n");
	for (size_t i = 0; i < sizeof(benches) / sizeof(*benches); i++)
		printf("  %-8s %s; --size: %s (%lu)\n", benches[i]->name, benches[i]->text, benches[i]->size_text,
		       benches[i]->size);
	printf("\n  -n, --size N        how large it is\n"
	       "      --home POLICY   homes of pages: round-robin (default), block, node0; first-touch: the node that\n"
	       "                      touches a page first; keep: as they are\n"
	       "  -t, --nodes N       1 to %u (as many as the adapters serve; --plain: 4)\n"
	       "      --threads LIST  the node that each thread is on, such as 1,2,3,0 (its own number)\n"
	       "      --radix N       digits of radix, a power of two (1024)\n"
	       "      --block N       rows of a block of lu (16)\n"
	       "      --sweeps N      of stencil, at most; cycles of ocean, iterations of sparse (8)\n"
	       "      --rounds N      all of it so many times (1)\n"
	       "      --between CMD   a shell's command between the rounds, which may move homes\n"
	       "      --csv FILE      accesses that crossed the network: page,source,destination,count\n"
	       "      --meet WHERE    where nodes wait for each other: memory; window, as machines of their own always do\n"
	       "      --plain         ordinary memory instead of the window, threads not pinned\n",
	       NODES_MOST);
}

enum { HOME = 256, RADIX, BLOCK_ROWS, SWEEPS, ROUNDS, BETWEEN, CSV, PLAIN, MEET, THREADS };

static const struct option long_options[] = {
	{ "size", required_argument, NULL, 'n' },	{ "home", required_argument, NULL, HOME },
	{ "nodes", required_argument, NULL, 't' },	{ "radix", required_argument, NULL, RADIX },
	{ "block", required_argument, NULL, BLOCK_ROWS }, { "sweeps", required_argument, NULL, SWEEPS },
	{ "rounds", required_argument, NULL, ROUNDS },	{ "between", required_argument, NULL, BETWEEN },
	{ "csv", required_argument, NULL, CSV },	{ "plain", no_argument, NULL, PLAIN },
	{ "meet", required_argument, NULL, MEET },	{ "threads", required_argument, NULL, THREADS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int find_bench(const char *name)
{
	const char *names[sizeof(benches) / sizeof(*benches)];
	int found;

	for (size_t i = 0; i < sizeof(benches) / sizeof(*benches); i++)
		names[i] = benches[i]->name;
	found = find("benchmark", name, names, sizeof(benches) / sizeof(*benches));
	if (found < 0)
		return -1;
	job.bench = benches[found];
	return 0;
}

/* 0; -1: wrong; 1: nothing to do */
static int options(int argc, char **argv)
{
	unsigned long nodes = 0;
	int c, wrong = 0;

	while ((c = getopt_long(argc, argv, "n:t:h", long_options, NULL)) != -1 && !wrong)
		switch (c) {
		case 'n': wrong = number("--size", optarg, 1, ULONG_MAX, &job.size); break;
		case 't': wrong = number("--nodes", optarg, 1, NODES_MOST, &nodes); break;
		case RADIX: wrong = number("--radix", optarg, 2, 4096, &job.radix); break;
		case BLOCK_ROWS: wrong = number("--block", optarg, 2, 64, &job.block); break;
		case SWEEPS: wrong = number("--sweeps", optarg, 1, 1000000, &job.sweeps); break;
		case ROUNDS: wrong = number("--rounds", optarg, 1, ROUNDS_MOST, &rounds); break;
		case HOME: {
			const int found = find("--home", optarg, policy_names, POLICIES);

			wrong = found < 0 ? -1 : 0;
			policy = (enum policy)found;
			break;
		}
		case THREADS: seats = optarg; break;
		case BETWEEN: between = optarg; break;
		case CSV: csv = optarg; break;
		case PLAIN: plain = true; break;
		case MEET: {
			static const char *const places[] = { "memory", "window" };
			const int found = find("--meet", optarg, places, 2);

			wrong = found < 0 ? -1 : 0;
			in_window = found == 1;
			break;
		}
		case 'h': usage(); return 1;
		default: return -1;
		}
	if (wrong)
		return -1;
	if (argc - optind != 1)
		return refuse("one benchmark (--help lists them)");
	if (find_bench(argv[optind]))
		return -1;
	if (plain && (policy == FIRST_TOUCH || policy == KEEP))
		return refuse("--home %s: not together with --plain", policy_names[policy]);
	job.size = job.size ? job.size : job.bench->size;
	if (job.size > job.bench->size_most)
		return refuse("--size %lu: legal are up to %lu", job.size, job.bench->size_most);
	job.nodes = (unsigned)nodes;
	return 0;
}

/* A node for each thread; without the option each has its own. */
static int seat_threads(void)
{
	const char *at = seats;

	for (unsigned k = 0; k < job.nodes; k++) {
		char *end;

		seat[k] = k;
		if (!seats)
			continue;
		seat[k] = (unsigned)strtoul(at, &end, 10);
		if (end == at || *at == '-' || seat[k] >= job.nodes || *end != (k + 1 < job.nodes ? ',' : '\0'))
			return refuse("--threads %s: legal are %u numbers, 0 to %u, with commas between", seats, job.nodes, job.nodes - 1);
		at = end + 1;
	}
	return 0;
}

/* Everything that the options decide. Returns the program's exit code. */
static int set_up(void)
{
	if (place_open(&place, plain, &job.window))
		return 1;
	job.nodes = job.nodes ? job.nodes : place.nodes;
	if (!plain && job.nodes > place.nodes)
		return refuse("--nodes %u: legal are 1 to %u, which the adapters serve", job.nodes, place.nodes), 2;
	first = place.sci.info.cluster ? place.sci.info.node : 0;
	behind = place.sci.info.cluster ? first + 1 : job.nodes;
	if (place.sci.info.cluster && job.nodes != place.nodes)
		return refuse("--nodes %u: the nodes are %u machines, and each has its part", job.nodes, place.nodes), 2;
	in_window |= place.sci.info.cluster != 0;
	if (in_window && (policy == FIRST_TOUCH || policy == KEEP))
		return refuse("--home %s: not where nodes meet in the window", policy_names[policy]), 2;
	if (in_window && seats)
		return refuse("--threads: not where nodes meet in the window"), 2;
	if (seat_threads() || job.bench->plan(&job))
		return 2;
	if (in_window) {
		job.flags = window_take(&job.window, job.nodes * WINDOW_PAGE);
		named(job.flags, job.nodes * WINDOW_PAGE, "meeting");
	}
	if (job.window.taken > job.window.bytes)
		return refuse("--size %lu: needs more than the window has, %zu pages", job.size,
			      job.window.bytes >> WINDOW_PAGE_SHIFT), 2;
	if (names_told())
		return refuse("%s: %s", getenv(SMILE_NAMES), strerror(errno)), 1;
	total = memory(pages() * job.nodes * job.nodes, sizeof(*total));
	for (unsigned k = 0; k < job.nodes; k++)
		node[k] = (struct node){ .number = k, .base = job.window.base, .job = &job,
					 .count = memory(pages(), sizeof(*node[k].count)) };
	meet_prepare(&job);
	if (place_set(&place, policy, pages() - (in_window ? job.nodes : 0), job.nodes))
		return 1;
	return in_window && place_each(&place, job.flags >> WINDOW_PAGE_SHIFT, job.nodes) ? 1 : 0;
}

int main(int argc, char **argv)
{
	const int chosen = options(argc, argv);
	int status;

	if (chosen)
		return chosen < 0 ? 2 : 0;
	status = set_up();
	if (status)
		return status;
	printf("benchmark=%s\nnodes=%u\nsize=%lu\nhome=%s\npages=%zu\n", job.bench->name, job.nodes, job.size,
	       policy_names[policy], pages());
	start_threads();
	for (unsigned long round = 1; round <= rounds; round++) {
		if (!one_round())
			return refuse("round %lu: the result of %s is wrong", round, job.bench->name), 1;
		if (place_read(&place, pages()))
			return 1;
		account(round);
		fflush(stdout);
		if (between && round < rounds && (status = system(between)) != 0)
			return refuse("%s: status %d", between, WIFEXITED(status) ? WEXITSTATUS(status) : -1), 1;
	}
	job.bench->tell(&job);
	printf("verified=%s\n", job.bench->text);
	report();
	if (csv)
		write_csv();
	return fflush(stdout) ? 1 : 0;
}
