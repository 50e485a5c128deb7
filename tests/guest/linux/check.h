/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What test programs of the guest share: a line for each check, and an exit status. */
#ifndef PERFBOARD_GUEST_CHECK_H
#define PERFBOARD_GUEST_CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/* error 0: it was done. */
static inline void check_answer(long result, int error, const char *what)
{
	if (error)
		check_refused(result, error, what);
	else
		check(result >= 0, "%s: %s", what, result < 0 ? strerror(errno) : "done");
}

static inline void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	must(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A number among a test's words. */
static inline unsigned long long argument(char **words, unsigned n, unsigned long long otherwise)
{
	for (unsigned i = 0; i <= n; i++)
		if (!words[i])
			return otherwise;
	return strtoull(words[n], NULL, 0);
}

static inline pid_t fork_child(void)
{
	const pid_t child = fork();

	must(child >= 0, "fork");
	return child;
}

static inline int child_status(pid_t child)
{
	int status;

	must(waitpid(child, &status, 0) == child, "waitpid");
	return status;
}

static inline void become(unsigned user)
{
	must(!setgid(user) && !setuid(user), "setuid");
}

static inline void write_file(const char *name, const char *text)
{
	const int fd = open(name, O_WRONLY);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), name);
	close(fd);
}

/* The number in the last line that the format fits; -1: there is none. */
static inline long number_in(const char *path, const char *format)
{
	char line[256];
	long number = -1;
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, format, &number);
	if (f)
		fclose(f);
	return number;
}

/* What a call to mmap() answers; the mapping goes again. */
static inline long try_mmap(int fd, int protection, int flags, size_t bytes, off_t offset)
{
	void *at = mmap(NULL, bytes, protection, flags, fd, offset);

	if (at == MAP_FAILED)
		return -1;
	munmap(at, bytes);
	return 0;
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
