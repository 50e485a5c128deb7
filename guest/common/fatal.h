/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fatal - how a C program for the guest ends, or refuses an option: a line on standard error that begins with the program's name.
 *
 *   die("a thread");                            NAME: a thread: the text of errno; exit status 1
 *   must(fd >= 0, "a file");                    the same, unless it is so
 *   return refuse("--size %lu: ...", size), 2;  NAME: --size ...; returns -1
 *   operand(argv[1], 1, 9)                      the number that it is; otherwise NAME: 12: legal are 1 to 9; exit status 2
 *   memory(n, size)                             n objects, zeroed; ends the program if there is no memory
 */
#ifndef PERFBOARD_FATAL_H
#define PERFBOARD_FATAL_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *program_invocation_short_name; /* glibc's, which errno.h declares for GNU programs only */

static inline void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

static inline void must(bool good, const char *what)
{
	if (!good)
		die(what);
}

static inline int __attribute__((format(printf, 1, 2))) refuse(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	return -1;
}

static inline unsigned long operand(const char *text, unsigned long least, unsigned long most)
{
	char *end;
	const unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value < least || value > most) {
		refuse("%s: legal are %lu to %lu", text, least, most);
		exit(2);
	}
	return value;
}

static inline void *memory(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("memory");
	return p;
}

#endif
