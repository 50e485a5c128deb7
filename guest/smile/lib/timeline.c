/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines for the kernel's trace_marker, in the form that Android's atrace has: B|PID|NAME, E|PID, C|PID|NAME|VALUE. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "smilelib.h"
#include "timeline.h"

enum { UNKNOWN = -2, NONE = -1 };
static int marker_fd = UNKNOWN;

static int marker(void)
{
	int fd = __atomic_load_n(&marker_fd, __ATOMIC_ACQUIRE), unknown = UNKNOWN;
	const char *file;

	if (fd != UNKNOWN)
		return fd;
	file = getenv(SMILE_TIMELINE);
	fd = file ? open(file, O_WRONLY | O_CLOEXEC) : NONE;
	if (fd < 0)
		fd = NONE;
	if (__atomic_compare_exchange_n(&marker_fd, &unknown, fd, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return fd;
	if (fd >= 0)
		close(fd); /* another thread was first */
	return unknown;
}

static void put(char kind, const char *rest)
{
	const int error = errno, fd = marker();
	char line[128];
	int length;

	if (fd < 0)
		return;
	length = snprintf(line, sizeof(line), "%c|%ld%s", kind, (long)getpid(), rest);
	/* One that is lost is told by the trace. */
	if (length > 0 && write(fd, line, (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1) < 0)
		errno = error;
	errno = error;
}

void smile_timeline_begin(const char *layer, const char *what)
{
	char rest[96];

	if (marker() < 0)
		return;
	snprintf(rest, sizeof(rest), "|%s:%s", layer, what);
	put('B', rest);
}

void smile_timeline_end(void) { put('E', ""); }

void smile_begin(const char *what) { smile_timeline_begin("program", what); }
void smile_end(void) { smile_timeline_end(); }

void smile_value(const char *what, uint64_t value)
{
	char rest[96];

	if (marker() < 0)
		return;
	snprintf(rest, sizeof(rest), "|%s|%llu", what, (unsigned long long)value);
	put('C', rest);
}
