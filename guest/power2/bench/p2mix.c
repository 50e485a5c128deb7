/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2mix - two processes, of which one is marked: which of them counts, in each state of Table 1.
 *
 *   p2mix [-m ITERATIONS] [-u ITERATIONS] [-c CALLS] [--csv]
 *
 * Both processes run the same loop of known instructions, the marked one so often (-m) and the unmarked one so often (-u), and call
 * the kernel now and then; on one processor they take turns, at the clock's interrupts. For each row of Table 1 MMCR is set, both run, and the
 * counter of instructions is read. A process is two instructions of the loop for each iteration, and little else: so
 * a row tells whose instructions counted.
 *
 * Then the difference: the marked process once more, with as many iterations more, in the rows that count problem state of the marked only. What
 * the counter has more must be two for each iteration, to the instruction: nothing of interrupts, of the kernel, of the other process.
 * The system calls are the same ones, and none is counted twice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/power2/lib/p2lib.h"

#define EVENTS "instructions,system_calls"
#define PER_ITERATION 2
#define LEAST 10000 /* iterations: with fewer, what else the processes execute would look like them */

static unsigned long marked_iterations = 1000000, unmarked_iterations = 1500000, calls = 100;

/* Table 1, with what it says is counted. X: both values, one of which is taken. */
static const struct row {
	uint32_t mmcr;
	const char *counted;
	bool user_marked, user_unmarked, kernel_marked, kernel_unmarked;
} rows[] = {
	{ 0, "everything", 1, 1, 1, 1 },
	{ P2_MMCR_DMR, "marked", 1, 0, 1, 0 },
	{ P2_MMCR_DMS, "unmarked", 0, 1, 0, 1 },
	{ P2_MMCR_DU, "privileged", 0, 0, 1, 1 },
	{ P2_MMCR_DP, "not privileged", 1, 1, 0, 0 },
	{ P2_MMCR_DU | P2_MMCR_DMR, "privileged and marked", 0, 0, 1, 0 },
	{ P2_MMCR_DU | P2_MMCR_DMS, "privileged and unmarked", 0, 0, 0, 1 },
	{ P2_MMCR_DP | P2_MMCR_DMR, "not privileged and marked", 1, 0, 0, 0 },
	{ P2_MMCR_DP | P2_MMCR_DMS, "not privileged and unmarked", 0, 1, 0, 0 },
	{ P2_MMCR_DMS | P2_MMCR_DMR, "nothing", 0, 0, 0, 0 },
	{ P2_MMCR_DP | P2_MMCR_DU, "nothing", 0, 0, 0, 0 },
	{ P2_MMCR_DIS, "nothing", 0, 0, 0, 0 },
};
enum { MARKED_USER_ROW = 7 };

/* PER_ITERATION instructions for each iteration. */
static void spin(unsigned long iterations)
{
#if defined(__powerpc64__)
	__asm__ volatile("mtctr %0\n1: addi %0, %0, 1\nbdnz 1b" : "+b"(iterations) : : "ctr");
#elif defined(__x86_64__)
	__asm__ volatile("1: dec %0\njnz 1b" : "+r"(iterations) : : "cc");
#else
#error "a loop of two instructions is needed"
#endif
}

static void work(unsigned long iterations)
{
	for (unsigned long i = 0; i < calls; i++) {
		spin(iterations / calls);
		syscall(SYS_getppid);
	}
}

static void fail(const char *what)
{
	fprintf(stderr, "p2mix: %s: %s\n", what, strerror(errno));
	exit(1);
}

/*
 * A process that has stopped itself, and works when it is let go: what it executes from then on is the same each time. (One that waits for
 * a byte may have got that far, or not.)
 */
static pid_t worker(unsigned long iterations)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0)
		fail("fork");
	if (!pid) {
		raise(SIGSTOP);
		work(iterations);
		_exit(0);
	}
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		fail("a worker has not stopped");
	return pid;
}

struct counts {
	uint64_t instructions, system_calls;
};

/* Both processes under one value of MMCR. */
static struct counts measure(uint32_t control, unsigned long marked, unsigned long unmarked)
{
	struct p2_session p2 = P2_CLOSED;
	struct p2_open how = { .scope = P2_SYSTEM, .flags = P2_STOPPED };
	struct counts counts;
	pid_t pid[2];

	if (p2_connect(&p2, NULL))
		fail(P2_DEVICE);
	if (p2_select(&p2, EVENTS, 0))
		fail(EVENTS);
	for (unsigned i = 0; i < p2.sets; i++)
		p2.set[i].mmcr |= control;
	pid[0] = worker(marked);
	pid[1] = worker(unmarked);
	if (p2_begin(&p2, &how))
		fail(P2_DEVICE);
	if (p2_mark_process(&p2, pid[0], 0))
		fail("mark");
	p2_enable(&p2);
	for (int i = 0; i < 2; i++)
		kill(pid[i], SIGCONT);
	for (int i = 0; i < 2; i++)
		if (waitpid(pid[i], NULL, 0) < 0)
			fail("wait");
	p2_disable(&p2);
	counts.instructions = p2_count(&p2, "instructions");
	counts.system_calls = p2_count(&p2, "system_calls");
	p2_end(&p2);
	return counts;
}

/*
 * Whether a row's counts fit what Table 1 says: the loops and system calls of those that count, and not of those that do not. How much the kernel
 * executes is not known, so where it counts the calls tell, which are instructions of the problem state.
 */
static bool fits(const struct row *row, const struct counts *n)
{
	const uint64_t marked = PER_ITERATION * (marked_iterations / calls * calls);
	const uint64_t unmarked = PER_ITERATION * (unmarked_iterations / calls * calls);
	const uint64_t loops = (row->user_marked ? marked : 0) + (row->user_unmarked ? unmarked : 0);
	const uint64_t processes = row->user_marked + row->user_unmarked;
	const bool kernel = row->kernel_marked || row->kernel_unmarked;

	if (!kernel && !processes)
		return n->instructions == 0 && n->system_calls == 0;
	if (n->instructions <= loops || (!kernel && n->instructions >= loops + (marked < unmarked ? marked : unmarked)))
		return false;
	return n->system_calls >= processes * calls && n->system_calls < (processes + 1) * calls;
}

static bool number(const char *option, const char *text, unsigned long least, unsigned long *value)
{
	char *end;

	*value = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && *value >= least && *value <= 1000000000)
		return true;
	fprintf(stderr, "p2mix: %s %s: legal are %lu to 1000000000\n", option, text, least);
	return false;
}

static void help(void)
{
	puts("p2mix [OPTIONS]: two processes, one of them marked, in each state of the POWER2 monitor's Table 1\n"
	     "  -m, --marked N     iterations of the marked process, 10000 or more (1000000), two instructions each\n"
	     "  -u, --unmarked N   of the other (1500000)\n"
	     "  -c, --calls N      system calls of each, 50 or more (100)\n"
	     "      --csv          comma-separated values\n"
	     "Needs CAP_PERFMON. Exit code: 0; 1 if the monitor refuses, or a row is not as Table 1 has it; 2 for a wrong command line.");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "marked", required_argument, NULL, 'm' }, { "unmarked", required_argument, NULL, 'u' },
		{ "calls", required_argument, NULL, 'c' },  { "csv", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },	    { 0 },
	};
	struct counts once, more;
	uint64_t wanted;
	bool csv = false, good = true;

	for (int o; (o = getopt_long(argc, argv, "m:u:c:h", options, NULL)) != -1;)
		switch (o) {
		case 'm':
			if (!number("--marked", optarg, LEAST, &marked_iterations))
				return 2;
			break;
		case 'u':
			if (!number("--unmarked", optarg, LEAST, &unmarked_iterations))
				return 2;
			break;
		case 'c':
			if (!number("--calls", optarg, 50, &calls))
				return 2;
			break;
		case 'v':
			csv = true;
			break;
		case 'h':
			help();
			return 0;
		default:
			return 2;
		}
	if (optind < argc || calls > marked_iterations || calls > unmarked_iterations) {
		fprintf(stderr, "p2mix: %s (--help)\n", optind < argc ? "there are options only" : "more calls than iterations");
		return 2;
	}
	if (csv)
		puts("dis,dp,du,dms,dmr,counted,instructions,system_calls,fits");
	else
		printf("marked %lu x %d, unmarked %lu x %d instructions, %lu system calls each\n\n"
		       "DIS DP DU DMS DMR  counted                        instructions  system calls\n",
		       marked_iterations, PER_ITERATION, unmarked_iterations, PER_ITERATION, calls);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		const struct counts n = measure(r->mmcr, marked_iterations, unmarked_iterations);
		const bool fit = fits(r, &n);

		good &= fit;
		printf(csv ? "%d,%d,%d,%d,%d,%s,%" PRIu64 ",%" PRIu64 ",%s\n" :
			     " %d   %d  %d   %d   %d   %-28s %14" PRIu64 " %13" PRIu64 "%s\n",
		       !!(r->mmcr & P2_MMCR_DIS), !!(r->mmcr & P2_MMCR_DP), !!(r->mmcr & P2_MMCR_DU), !!(r->mmcr & P2_MMCR_DMS),
		       !!(r->mmcr & P2_MMCR_DMR), r->counted, n.instructions, n.system_calls,
		       csv ? (fit ? "yes" : "no") : (fit ? "" : "  NOT AS TABLE 1"));
		fflush(stdout);
	}
	once = measure(rows[MARKED_USER_ROW].mmcr, marked_iterations, unmarked_iterations);
	more = measure(rows[MARKED_USER_ROW].mmcr, 2 * marked_iterations, unmarked_iterations);
	wanted = PER_ITERATION * (2 * marked_iterations / calls - marked_iterations / calls) * calls;
	good &= more.instructions - once.instructions == wanted;
	if (!csv)
		printf("\nThe marked process with twice the iterations, not privileged and marked: %" PRIu64 " instructions more; %" PRIu64
		       " more in its loop%s\n",
		       more.instructions - once.instructions, wanted,
		       more.instructions - once.instructions == wanted ? ": exact" : ": NOT EQUAL");
	return good ? 0 : 1;
}
