/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares - how nodes divide what they compute.
 *
 *   share(n, parts, part)    part `part` of `parts` nearly equal ones of n: from here up to share(n, parts, part + 1)
 *   rows_of_nodes(nodes)     nodes as a rectangle as near to a square as they allow: this many of them high
 */
#ifndef PERFBOARD_SHARES_H
#define PERFBOARD_SHARES_H

#include <stddef.h>

static inline size_t share(size_t n, unsigned parts, unsigned part) { return n * part / parts; }

static inline unsigned rows_of_nodes(unsigned nodes)
{
	unsigned rows = 1;

	for (unsigned r = 2; r * r <= nodes; r++)
		if (nodes % r == 0)
			rows = r;
	return rows;
}

#endif
