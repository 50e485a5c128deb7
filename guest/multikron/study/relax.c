/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relax - a parallel program that is measured in one of five ways, or slowed down; the way is chosen when it is compiled, so that what
 * is not measured has no code for it.
 *
 *   relax-WAY STEPS COLUMNS         WAY: none, memory, card, marker, write
 *   relax-dilate STEPS COLUMNS D    as if the processor were D percent of the time slower in the rows, 100 to 10000
 *
 * Four threads relax a grid of integers: each step makes every element the mean of its neighbours. The threads have 4, 8, 12 and 16 rows,
 * so that they wait for each other. Events: a row begins and ends, the wait at the barrier begins and ends. Before each event is a mark for
 * the plugin marks.so, in every way: one instruction that does nothing.
 *
 *   none      nothing
 *   memory    clock_gettime(2) and the event into memory
 *   card      MK_TRACE, one store
 *   marker    write(2) to ftrace's trace_marker; ftrace takes the time
 *   write     clock_gettime(2), and write(2) of time and event to a file
 *   dilate    nothing; behind each row a loop, which takes as long as the row takes longer on that processor. How long a row takes, and
 *             the loop, is read from MULTIKRON's timestamp before the threads begin
 *
 * At the end it compares the grid with one that is computed by one thread, and prints "events N" for each thread, and with
 * memory and write "sample THREAD NANOSECONDS KIND STATE" for each event. Threads have different numbers of events, which tell them apart.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "../../common/fatal.h"
#include "../../common/mark.h"
#include "../lib/mklib.h"
#include "delay.h"

#define NONE 0
#define MEMORY 1
#define CARD 2
#define MARKER 3
#define WRITE 4
#define DILATE 5

enum { ROW = 1, BARRIER };
enum { THREADS = 4, ROWS_EACH = 4, ROWS = ROWS_EACH * THREADS * (THREADS + 1) / 2 };
#define TRACEFS "/sys/kernel/tracing"
#define MOST 10000 /* steps, columns, percent */

struct record {
	uint64_t ns, event;
};

struct thread {
	pthread_t pthread;
	unsigned number, first, rows;
	size_t events;
	struct record *records;
	int fd;
} thread[THREADS];

static unsigned long steps, columns, delay; /* delay: turns of the loop */
static uint32_t *grid[2];
static pthread_barrier_t barrier;

/* --- an event, in each way --- */

static inline void note(struct thread *t, unsigned kind, unsigned state)
{
#if WAY == MEMORY || WAY == WRITE
	const struct record *r;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	t->records[t->events] = (struct record){ (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, MK_EVENT(kind, state, 0) };
	r = &t->records[t->events++];
	if (WAY == WRITE && write(t->fd, r, sizeof(*r)) != sizeof(*r))
		die("write");
#elif WAY == CARD
	MK_TRACE(0, MK_EVENT(kind, state, 0));
#elif WAY == MARKER
	const char text[] = { (char)('0' + kind), ' ', (char)('0' + state), '\n' };

	if (write(t->fd, text, sizeof(text)) != sizeof(text))
		die("trace_marker");
#elif WAY == DILATE
	if (kind == MK_KIND_EXIT && state == ROW)
		loop(delay);
#endif
}

static inline void event(struct thread *t, unsigned kind, unsigned state)
{
	MARK();
	note(t, kind, state);
}

/* --- the work --- */

/* A function of its own, so that it is the same code in every way. */
static __attribute__((noinline)) void relax_row(uint32_t *to, const uint32_t *from)
{
	const size_t width = columns + 2;

	for (size_t i = 1; i <= columns; i++)
		to[i] = (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]) / 4;
}

static void *run(void *argument)
{
	struct thread *t = argument;
	const size_t width = columns + 2;

	if (WAY == CARD && mk_trace_me(MK_TRACE_THREAD, 0) < 0)
		die("source of a thread");
	pthread_barrier_wait(&barrier);
	for (unsigned long step = 0; step < steps; step++) {
		for (size_t row = t->first; row < t->first + t->rows; row++) {
			event(t, MK_KIND_ENTER, ROW);
			relax_row(grid[(step + 1) % 2] + row * width, grid[step % 2] + row * width);
			event(t, MK_KIND_EXIT, ROW);
		}
		event(t, MK_KIND_ENTER, BARRIER);
		pthread_barrier_wait(&barrier);
		event(t, MK_KIND_EXIT, BARRIER);
	}
	return NULL;
}

static uint32_t *make_grid(void)
{
	const size_t elements = (ROWS + 2) * (columns + 2);
	uint32_t *made = malloc(elements * sizeof(*made));

	if (!made)
		die("memory");
	for (size_t i = 0; i < elements; i++)
		made[i] = (uint32_t)(i * 2654435761u >> 4);
	return made;
}

static void check(const uint32_t *result)
{
	const size_t width = columns + 2;
	uint32_t *by_one[2] = { make_grid(), make_grid() };

	for (unsigned long step = 0; step < steps; step++)
		for (size_t row = 1; row <= ROWS; row++)
			relax_row(by_one[(step + 1) % 2] + row * width, by_one[step % 2] + row * width);
	if (memcmp(by_one[steps % 2], result, (ROWS + 2) * width * sizeof(*result))) {
		fprintf(stderr, "relax: the grid is not that of one thread\n");
		exit(1);
	}
}

/* --- before and after --- */

static void calibrate(unsigned long dilation)
{
	uint32_t *to = make_grid(), *from = make_grid();
	const size_t width = columns + 2;
	uint64_t row, turns;

	if (mk_open(NULL))
		die(MK_DEVICE);
	row = TICKS_OF(for (size_t i = 1; i <= ROWS; i++) relax_row(to + i * width, from + i * width));
	turns = TICKS_OF(loop(TURNS));
	delay = row * TURNS * (dilation - 100) / (turns * ROWS * 100);
	free(to);
	free(from);
}

static void set_up_card(void)
{
	if (mk_open(NULL))
		die(MK_DEVICE);
	if (mk_reset() || mk_filter(1) || mk_csr(MKR_CSR_SE))
		die("setting the card up");
}

static int open_to_write(const char *path)
{
	const int fd = open(path, O_WRONLY);

	if (fd < 0)
		die(path);
	return fd;
}

static void set_trace(const char *path, const char *value)
{
	const int fd = open_to_write(path);

	if (write(fd, value, strlen(value)) < 0)
		die(path);
	close(fd);
}

static int open_marker(void)
{
	if (mount("tracefs", TRACEFS, "tracefs", 0, NULL) && errno != EBUSY)
		die("mount " TRACEFS);
	set_trace(TRACEFS "/trace_clock", "mono"); /* the others'; and it empties the trace */
	set_trace(TRACEFS "/buffer_size_kb", "8192");
	return open_to_write(TRACEFS "/trace_marker");
}

static void set_up(struct thread *t, unsigned number, unsigned first)
{
	const size_t most = steps * (2 * ROWS_EACH * THREADS + 2);
	char name[] = "/tmp/relax-0";

	t->number = number;
	t->first = first;
	t->rows = ROWS_EACH * (number + 1);
	t->records = malloc(most * sizeof(*t->records));
	if (!t->records)
		die("memory");
	memset(t->records, 1, most * sizeof(*t->records)); /* a page that is there needs no fault */
	name[sizeof(name) - 2] += (char)number;
	if (WAY == WRITE && (t->fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0)
		die(name);
}

static void print(const struct thread *t)
{
	printf("events %lu\n", steps * (2 * t->rows + 2));
	for (size_t i = 0; i < t->events; i++)
		printf("sample %u %" PRIu64 " %u %u\n", t->number, t->records[i].ns, (unsigned)(t->records[i].event >> 40),
		       (unsigned)(t->records[i].event >> 24 & 0xffff));
}

int main(int argc, char **argv)
{
	unsigned first = 1;
	int marker;

	if (argc != (WAY == DILATE ? 4 : 3)) {
		fprintf(stderr, WAY == DILATE ? "usage: relax-dilate STEPS COLUMNS D\n" : "usage: relax-WAY STEPS COLUMNS\n");
		return 2;
	}
	steps = operand(argv[1], 1, MOST);
	columns = operand(argv[2], 1, MOST);
	grid[0] = make_grid();
	grid[1] = make_grid();
	if (WAY == CARD)
		set_up_card();
	if (WAY == DILATE)
		calibrate(operand(argv[3], 100, MOST));
	marker = WAY == MARKER ? open_marker() : -1;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		thread[i].fd = marker;
		set_up(&thread[i], i, first);
		first += thread[i].rows;
	}
	for (unsigned i = 0; i < THREADS; i++)
		if ((errno = pthread_create(&thread[i].pthread, NULL, run, &thread[i])))
			die("thread");
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i].pthread, NULL);
	if (WAY == CARD)
		mk_csr(MKR_CSR_SEOFF);
	check(grid[steps % 2]);
	for (unsigned i = 0; i < THREADS; i++)
		print(&thread[i]);
	if (WAY == CARD)
		printf("overrun %u\n", mk_overruns());
	return 0;
}
