/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkcost - what an event costs the program: by the MULTIKRON, by a trace pipe, by ftrace.
 *
 *   mkcost [N [ROUNDS]]      events in a row (10000), how often each is measured (3)
 *
 * A line "cost WAY ROUND NANOSECONDS PER_EVENT" for each round, by CLOCK_MONOTONIC; the loop's own cost, measured alone
 * ("loop"), is taken off PER_EVENT. Under icount a nanosecond is a number of instructions; without, it
 * is the host's time.
 *
 *   mk_trace        MK_TRACE while the chip takes samples; those beyond its rate are lost, which costs no time
 *   mk_resource     MK_RESOURCE, likewise
 *   mk_filtered     MK_TRACE on a level that the filter discards
 *   mk_count        a software count
 *   pipe            write(2) of 16 bytes, a sample's size, to a pipe that is emptied outside of the measured time
 *   trace_marker    write(2) of 16 bytes to ftrace's trace_marker
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "../../common/fatal.h"
#include "../lib/mklib.h"

#define TRACEFS "/sys/kernel/tracing"
#define PIPE_BYTES (1 << 20)
#define LEVEL_TAKEN 0
#define LEVEL_FILTERED 1

static int pipe_end[2], marker = -1;
static struct { uint64_t id, argument; } record = { 1, 2 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Each way in a function of its own: N events, the time they took. The loop by itself is one of the functions, so its
 * instructions must be the same in all: the compiler is not to unroll any of them, nor to count otherwise. */
#define WAY(name, action)                                             \
	static __attribute__((noinline)) uint64_t name(unsigned long n) \
	{                                                             \
		const uint64_t start = now_ns();                      \
									\
		_Pragma("GCC unroll 1")                               \
		for (unsigned long i = 0; i < n; i++) {               \
			action;                                       \
			__asm__ volatile("" : "+r"(i) : : "memory");  \
		}                                                     \
		return now_ns() - start;                              \
	}

static void put(int fd)
{
	if (write(fd, &record, sizeof(record)) != sizeof(record))
		die("write");
}

WAY(loop, (void)0)
WAY(mk_trace, MK_TRACE(LEVEL_TAKEN, i))
WAY(mk_resource, MK_RESOURCE(LEVEL_TAKEN, i))
WAY(mk_filtered, MK_TRACE(LEVEL_FILTERED, i))
WAY(mk_count_soft, MK_COUNT(0))
WAY(pipe_chunk, put(pipe_end[1]))
WAY(trace_marker, put(marker))

static void drain(unsigned long records)
{
	static char data[4096];
	size_t left = records * sizeof(record);

	while (left) {
		const ssize_t got = read(pipe_end[0], data, left < sizeof(data) ? left : sizeof(data));

		if (got <= 0)
			die("read");
		left -= (size_t)got;
	}
}

/* As many at a time as the pipe holds. */
static uint64_t trace_pipe(unsigned long n)
{
	const int bytes = fcntl(pipe_end[1], F_GETPIPE_SZ);
	const unsigned long room = (unsigned long)bytes / sizeof(record);
	uint64_t sum = 0;

	while (n) {
		const unsigned long chunk = n < room ? n : room;

		sum += pipe_chunk(chunk);
		drain(chunk);
		n -= chunk;
	}
	return sum;
}

static void open_marker(void)
{
	if (mount("tracefs", TRACEFS, "tracefs", 0, NULL) && errno != EBUSY)
		die("mount " TRACEFS);
	marker = open(TRACEFS "/trace_marker", O_WRONLY | O_CLOEXEC);
	if (marker < 0)
		die(TRACEFS "/trace_marker");
}

static void set_up(void)
{
	if (mk_open(NULL))
		die(MK_DEVICE);
	if (mk_reset() || mk_filter(1u << LEVEL_TAKEN) || mk_csr(MKR_CSR_SE) || mk_mux(0, MKR_MUX_SOFTWARE) ||
	    mk_enable(1) || mk_trace_me(0, 0) < 0)
		die("setting the card up");
	if (pipe2(pipe_end, O_CLOEXEC))
		die("pipe");
	fcntl(pipe_end[1], F_SETPIPE_SZ, PIPE_BYTES); /* else it stays smaller */
	open_marker();
}

/* How many samples came through, which the counts must bear out. */
static void account(unsigned long n, unsigned long rounds)
{
	printf("samples stored %lu overrun %u counted %" PRIu64 "\n", 2 * n * (rounds + 1), mk_overruns(), mk_counter(0));
	if (mk_counter(0) != (uint64_t)n * (rounds + 1)) {
		fprintf(stderr, "mkcost: %lu counts were written\n", n * (rounds + 1));
		exit(1);
	}
}

/* 0: not a number above 0. */
static unsigned long number(const char *text)
{
	char *end;
	const unsigned long value = strtoul(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end ? value : 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint64_t (*run)(unsigned long n);
	} ways[] = {
		{ "loop", loop },	      { "mk_trace", mk_trace },	       { "mk_resource", mk_resource },
		{ "mk_filtered", mk_filtered }, { "mk_count", mk_count_soft }, { "pipe", trace_pipe },
		{ "trace_marker", trace_marker },
	};
	const bool help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
	const unsigned long n = argc > 1 ? number(argv[1]) : 10000;
	const unsigned long rounds = argc > 2 ? number(argv[2]) : 3;
	double per_loop = 0;

	if (help || argc > 3 || !n || !rounds) {
		fprintf(help ? stdout : stderr, "usage: mkcost [N [ROUNDS]]\n"
						"  N       events in a row (10000)\n"
						"  ROUNDS  how often each way is measured (3)\n");
		return help ? 0 : 2;
	}
	set_up();
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
		double least = 0;

		ways[w].run(n); /* the first is slower: pages, translation */
		for (unsigned long round = 1; round <= rounds; round++) {
			const uint64_t ns = ways[w].run(n);
			const double each = (double)ns / (double)n - per_loop;

			printf("cost %s %lu %" PRIu64 " %.2f\n", ways[w].name, round, ns, each);
			if (round == 1 || each < least)
				least = each;
		}
		if (!w)
			per_loop = least;
		printf("ns_per_event_%s=%.2f\n", ways[w].name, least);
	}
	account(n, rounds);
	return 0;
}
