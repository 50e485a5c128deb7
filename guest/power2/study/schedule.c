/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2schedule - a scheduler that uses the counters: four processes on two processors, of which two at a time want most of a cache.
 *
 *   p2schedule default | together-1 | together-2 | together-3 | counters
 *
 * Each process does pieces of work of one length, and yields behind each. A hungry piece goes through an array that fills three of the four
 * ways of a wide node's data cache: two hungry processes on one processor take the cache from each other at each piece. In each of three phases
 * another two of the processes are hungry. All wait for each other before the next phase.
 *
 * default: Linux chooses. together-N: process 0 has a processor with process N for ever, the others have the other one. counters: at first as
 * together-2; now and then this program reads each process's counters, and if the two that miss most have one processor, one of them changes places.
 *
 * A row: cycles of the four, cycles of this program, instructions and misses of the four, and how often it moved a process. Exit
 * code: 0; 1 if the monitor refuses or a sum is wrong.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest/common/fatal.h"
#include "guest/power2/lib/p2lib.h"

enum { PROCESSES = 4, PHASES = 3, PIECES = 300, LOADS = 3072 /* of a piece: 192 KB, or 2 KB again and again */, LIGHT = 32, STRIDE = 8 };
enum { PERIOD_NS = 20000000 };
#define EVENTS "cycles,instructions,dcache_mis"
/* Misses for each 1000 instructions: two hungry processes on one processor have some forty, one that is alone on it seven, others one or two. */
#define MANY 25.0

static const bool hungry[PHASES][PROCESSES] = { { 1, 0, 1, 0 }, { 1, 1, 0, 0 }, { 1, 0, 0, 1 } };

static struct process {
	pid_t pid;
	int processor;
	struct p2_session counters;
	struct p2_counts before; /* when last looked at */
	double rate;		 /* misses for each 1000 instructions since the look before */
} process[PROCESSES];
static unsigned moves;
static pthread_barrier_t *barrier; /* of the four */

static void work(const unsigned number)
{
	static volatile unsigned long data[LOADS * STRIDE] __attribute__((aligned(65536)));
	unsigned long sum = 0, wanted = 0;

	for (size_t i = 0; i < LOADS; i++)
		data[i * STRIDE] = i % LIGHT;
	for (unsigned phase = 0; phase < PHASES; phase++) {
		for (unsigned piece = 0; piece < PIECES; piece++) {
			const size_t loads = hungry[phase][number] ? LOADS : LIGHT;

			for (size_t lap = 0; lap < LOADS / loads; lap++)
				for (size_t i = 0; i < loads; i++)
					sum += data[i * STRIDE];
			wanted += (unsigned long)LOADS / LIGHT * (LIGHT * (LIGHT - 1) / 2);
			sched_yield();
		}
		pthread_barrier_wait(barrier);
	}
	_exit(sum != wanted);
}

static void count(struct p2_session *s, pid_t pid)
{
	struct p2_open how = { .scope = P2_PRIVATE, .flags = P2_STOPPED, .pid = pid };

	must(!p2_connect(s, NULL), P2_DEVICE);
	must(!p2_select(s, EVENTS, 0), EVENTS);
	must(s->sets == 1, "events in one set");
	must(!p2_begin(s, &how) && !p2_enable(s), "open");
}

/* Stopped, and counted from here on. */
static void start(unsigned number)
{
	struct process *p = &process[number];
	int status;

	p->pid = fork();
	must(p->pid >= 0, "fork");
	if (!p->pid) {
		raise(SIGSTOP);
		work(number);
	}
	must(waitpid(p->pid, &status, WUNTRACED) == p->pid && WIFSTOPPED(status), "a process stops");
	count(&p->counters, p->pid);
}

static void put(struct process *p, int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	p->processor = processor;
	sched_setaffinity(p->pid, sizeof(set), &set); /* it may have ended */
}

static void look(struct process *p)
{
	static struct p2_counts now;
	struct p2_value instructions, misses;

	must(!p2_get_counts(&p->counters, -1, &now), "read");
	must(!p2_value_of(&p->counters, &p->before, &now, "instructions", &instructions), "instructions");
	must(!p2_value_of(&p->counters, &p->before, &now, "dcache_mis", &misses), "dcache_mis");
	p->rate = instructions.raw ? 1000.0 * (double)misses.raw / (double)instructions.raw : 0;
	p->before = now;
}

static int by_rate(const void *a, const void *b)
{
	const double one = (*(struct process *const *)a)->rate, other = (*(struct process *const *)b)->rate;

	return one < other ? 1 : one > other ? -1 : 0;
}

static void schedule(void)
{
	struct process *order[PROCESSES];

	for (size_t i = 0; i < PROCESSES; i++) {
		look(&process[i]);
		order[i] = &process[i];
	}
	qsort(order, PROCESSES, sizeof(order[0]), by_rate);
	if (order[1]->rate < MANY || order[0]->processor != order[1]->processor)
		return;
	put(order[PROCESSES - 1], order[1]->processor);
	put(order[1], !order[1]->processor);
	moves++;
}

/* All have ended well. */
static void wait_for_all(bool watch)
{
	const struct timespec period = { .tv_nsec = PERIOD_NS };

	for (unsigned left = PROCESSES; left;) {
		int status;
		const pid_t pid = waitpid(-1, &status, watch ? WNOHANG : 0);

		must(pid >= 0 && (!pid || !status), "a process's sum");
		left -= pid > 0;
		if (!pid) {
			nanosleep(&period, NULL);
			schedule();
		}
	}
}

static void make_barrier(void)
{
	pthread_barrierattr_t shared;

	barrier = mmap(NULL, sizeof(*barrier), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(barrier != MAP_FAILED, "mmap");
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(barrier, &shared, PROCESSES);
}

static uint64_t total(const char *event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < PROCESSES; i++)
		sum += p2_count(&process[i].counters, event);
	return sum;
}

int main(int argc, char **argv)
{
	static const char *const ways[] = { "default", "together-1", "together-2", "together-3", "counters" };
	enum { DEFAULT, TOGETHER_2 = 2, COUNTERS = 4, WAYS };
	static struct p2_session own = P2_CLOSED;
	int way = 0;

	while (way < WAYS && argc == 2 && strcmp(argv[1], ways[way]))
		way++;
	if (argc != 2 || way == WAYS) {
		refuse("'%s': legal are default, together-1, together-2, together-3, counters", argc > 1 ? argv[1] : "");
		return 2;
	}
	make_barrier();
	count(&own, 0);
	for (unsigned i = 0; i < PROCESSES; i++)
		start(i);
	for (int i = 0; i < PROCESSES && way != DEFAULT; i++)
		put(&process[i], i && i != (way == COUNTERS ? TOGETHER_2 : way));
	for (unsigned i = 0; i < PROCESSES; i++)
		must(!kill(process[i].pid, SIGCONT), "go on");
	wait_for_all(way == COUNTERS);
	must(!p2_disable(&own), "disable");
	printf("%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u\n", ways[way], total("cycles"), p2_count(&own, "cycles"), total("instructions"),
	       total("dcache_mis"), moves);
	return 0;
}
