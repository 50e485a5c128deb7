/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program's names for what it has in the window, as a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "smilelib.h"

static int legal(const struct smile_name *n)
{
	const size_t length = strlen(n->name);

	if (!length || n->name[0] == ' ' || n->name[length - 1] == ' ' || !n->bytes || n->offset + n->bytes < n->offset)
		return 0;
	for (const char *c = n->name; *c; c++)
		if (*c < ' ' || *c > '~' || strchr(",=#\"", *c))
			return 0;
	return 1;
}

static int give_up(char *path, int error)
{
	if (path)
		unlink(path);
	free(path);
	errno = error;
	return -1;
}

/* Under another name first. */
static int write_as(const char *path, const struct smile_name *names, size_t count)
{
	FILE *f = fopen(path, "we");
	int error;

	if (!f)
		return -1;
	fprintf(f, "name,offset,bytes\n");
	for (size_t i = 0; i < count; i++)
		fprintf(f, "%s,%llu,%llu\n", names[i].name, (unsigned long long)names[i].offset, (unsigned long long)names[i].bytes);
	error = fflush(f) ? errno : 0;
	if (fclose(f) && !error)
		error = errno;
	errno = error;
	return error ? -1 : 0;
}

int smile_names_write(const char *file, const struct smile_name *names, size_t count)
{
	const size_t pid_digits = 20;
	char *path;

	if (!file)
		file = getenv(SMILE_NAMES);
	if (!file || !*file)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!legal(&names[i]))
			return give_up(NULL, EINVAL);
	path = malloc(strlen(file) + 1 + pid_digits + 1);
	if (!path)
		return -1;
	sprintf(path, "%s.%ld", file, (long)getpid());
	if (write_as(path, names, count) || rename(path, file))
		return give_up(path, errno);
	free(path);
	return 0;
}
