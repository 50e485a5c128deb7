/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the benchmark has in the window, by name: for smile's --names. */
#include <stdarg.h>
#include <stdio.h>

#include "../lib/smilelib.h"
#include "bench.h"

enum { NAMES_MOST = NODES_MOST + 32, NAME_BYTES = 32 };

static char text[NAMES_MOST][NAME_BYTES];
static struct smile_name name[NAMES_MOST];
static size_t names;

void named(size_t at, size_t bytes, const char *format, ...)
{
	va_list arguments;

	if (!bytes || names == NAMES_MOST)
		return;
	va_start(arguments, format);
	vsnprintf(text[names], NAME_BYTES, format, arguments);
	va_end(arguments);
	name[names] = (struct smile_name){ text[names], at, bytes };
	names++;
}

int names_told(void) { return smile_names_write(NULL, name, names); }
