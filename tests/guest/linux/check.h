/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What test programs of the guest share: a line for each check, and an exit status. */
#ifndef PERFBOARD_GUEST_CHECK_H
#define PERFBOARD_GUEST_CHECK_H

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int failures; /* the program has it */

static inline void __attribute__((format(printf, 2, 3))) check(bool good, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	printf("%s: ", good ? "ok" : "FAILED");
	vprintf(format, list);
	printf("\n");
	va_end(list);
	failures += !good;
}

static inline void same(unsigned long long got, unsigned long long wanted, const char *what, unsigned number)
{
	if (got == wanted)
		check(true, "%s %u: %llu", what, number, got);
	else
		check(false, "%s %u: %llu, expected %llu", what, number, got, wanted);
}

static inline void must(bool good, const char *what)
{
	if (good)
		return;
	printf("FAILED: %s: %s\n", what, strerror(errno));
	exit(1);
}

static inline void check_refused(long result, int error, const char *what)
{
	check(result < 0 && errno == error, "%s refused: %s", what, result < 0 ? strerror(errno) : "not at all");
}

static inline void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	must(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

/* argv[1] names one of the tests. */
struct test {
	const char *name;
	void (*run)(char **words); /* the words behind the name */
};

static inline int run_tests(int argc, char **argv, const struct test *tests, size_t count)
{
	for (size_t i = 0; argc > 1 && i < count; i++) {
		if (strcmp(argv[1], tests[i].name))
			continue;
		tests[i].run(argv + 2);
		return failures != 0;
	}
	fprintf(stderr, "usage: %s", argv[0]);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "%s%s", i ? "|" : " ", tests[i].name);
	fprintf(stderr, "\n");
	return 2;
}

#endif
