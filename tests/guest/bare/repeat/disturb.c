/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disturb - a busy host, for QEMU alone: its threads are held up at their locks and the main loop at its wait, at random, and each look at the host's
 * clock finds up to a fifth of a second gone.
 *
 *   LD_PRELOAD=disturb.so PERFBOARD_DISTURB=SEED PROGRAM...    acts in programs whose name begins with "qemu-system"
 *   LD_PRELOAD=disturb.so PERFBOARD_DISTURB=wakes PROGRAM...   disturbs nothing, but says in the end how often one thread has woken another's poll()
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define REAL(f) ((__typeof__(f) *)dlsym(RTLD_NEXT, #f))

static uint64_t seed; /* 0: not in this program */
static bool counts;
static unsigned long wakes; /* only compared with a number that is much larger: no atomic */

__attribute__((constructor)) static void begin(void)
{
	const char *given = getenv("PERFBOARD_DISTURB");

	if (!given || strncmp(program_invocation_short_name, "qemu-system", strlen("qemu-system")))
		return;
	counts = !strcmp(given, "wakes");
	seed = counts ? 0 : strtoull(given, NULL, 10) + 1;
}

__attribute__((destructor)) static void end(void)
{
	if (counts)
		fprintf(stderr, "disturb: %lu wakes\n", wakes);
}

/* An eventfd takes eight bytes. */
ssize_t write(int fd, const void *data, size_t bytes)
{
	static ssize_t (*real)(int, const void *, size_t);

	if (!real)
		real = REAL(write);
	wakes += bytes == sizeof(uint64_t);
	return real(fd, data, bytes);
}

static uint64_t random_number(void)
{
	static __thread uint64_t state;

	if (!state)
		state = (uintptr_t)&state ^ seed * 0x9E3779B97F4A7C15u; /* a thread has its own */
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* One time in so many, up to that many microseconds. */
static void hold_up(unsigned one_in, unsigned most)
{
	uint64_t number = seed ? random_number() : 1;
	struct timespec t = { 0, 0 };

	if (!seed || number % one_in)
		return;
	t.tv_nsec = (long)((number >> 20) % most) * 1000;
	nanosleep(&t, NULL);
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	static uint64_t gone; /* us; of several threads some may add less */
	struct timespec t;
	uint64_t now;

	if (seed)
		gone += random_number() % 200000;
	clock_gettime(CLOCK_REALTIME, &t);
	now = (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000 + gone;
	tv->tv_sec = (time_t)(now / 1000000);
	tv->tv_usec = (suseconds_t)(now % 1000000);
	return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*real)(pthread_mutex_t *);

	if (!real)
		real = REAL(pthread_mutex_lock);
	hold_up(40, 200);
	return real(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	static int (*real)(pthread_mutex_t *);
	int result;

	if (!real)
		real = REAL(pthread_mutex_unlock);
	result = real(mutex);
	hold_up(40, 200);
	return result;
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	static int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
	int result;

	if (!real)
		real = REAL(ppoll);
	hold_up(8, 1000);
	result = real(fds, count, timeout, mask);
	hold_up(8, 1000);
	return result;
}
