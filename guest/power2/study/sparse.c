/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sparse matrix times a vector: the difference of a point of a grid from its four neighbours, five elements in a row at most. Values are
 * whole numbers: all variants' results are exact.
 *
 *   plain      rows by their lists of elements, points numbered without order: a row's neighbours lie anywhere in the vector
 *   layout     the same lists, points numbered along the grid's rows
 *   unrolled   the same order, each row with five elements (some 0), and no loop over them
 */
#include "study.h"

#include <stdint.h>

enum { SIDE = 96, POINTS = SIDE * SIDE, MOST = 5, TIMES = 6 };

static uint32_t *start, *column; /* of row r: column[start[r]] ... column[start[r + 1] - 1] */
static double *value, *x, *y;
static uint32_t *place; /* of a point among the rows */
static long *wanted;
static int order; /* of the points' numbers in x and in the lists; -1: none so far */

static long point(size_t p) { return (long)(p * 31 % 101) - 50; }

static size_t neighbours(size_t p, size_t *found)
{
	const size_t i = p / SIDE, j = p % SIDE;
	size_t n = 0;

	if (i > 0)
		found[n++] = p - SIDE;
	if (j > 0)
		found[n++] = p - 1;
	if (j < SIDE - 1)
		found[n++] = p + 1;
	if (i < SIDE - 1)
		found[n++] = p + SIDE;
	return n;
}

static void prepare(void)
{
	start = pages(sizeof(*start) * (POINTS + 1));
	column = pages(sizeof(*column) * POINTS * MOST);
	value = pages(sizeof(*value) * POINTS * MOST);
	x = pages(sizeof(*x) * POINTS);
	y = pages(sizeof(*y) * POINTS);
	place = pages(sizeof(*place) * POINTS);
	wanted = pages(sizeof(*wanted) * POINTS);
	order = -1;
	for (size_t p = 0; p < POINTS; p++) {
		size_t near[MOST - 1];

		wanted[p] = 4 * point(p);
		for (size_t n = neighbours(p, near); n-- > 0;)
			wanted[p] -= point(near[n]);
	}
}

/* The same disorder in each run. */
static void number(bool mixed)
{
	uint32_t drawn = 1;

	for (uint32_t p = 0; p < POINTS; p++)
		place[p] = p;
	for (uint32_t p = POINTS - 1; mixed && p > 0; p--) {
		const uint32_t other = (drawn = drawn * 1664525 + 1013904223) / 65536 % (p + 1), mine = place[p];

		place[p] = place[other];
		place[other] = mine;
	}
}

/* The matrix with points so numbered. wide: five elements in each row. */
static void make(bool mixed, bool wide)
{
	const int made = 2 * mixed + wide;
	uint32_t end = 0;

	if (order == made)
		return;
	order = made;
	number(mixed);
	for (size_t p = 0; p < POINTS; p++)
		y[place[p]] = (double)p; /* which point a row is: y is not in use yet */
	for (size_t r = 0; r < POINTS; r++) {
		const size_t p = (size_t)y[r];
		size_t near[MOST - 1];
		const size_t count = neighbours(p, near);

		x[r] = (double)point(p);
		start[r] = end;
		column[end] = (uint32_t)r;
		value[end++] = 4;
		for (size_t n = 0; n < count; n++) {
			column[end] = place[near[n]];
			value[end++] = -1;
		}
		for (; wide && end < (r + 1) * MOST; end++) {
			column[end] = (uint32_t)r;
			value[end] = 0;
		}
	}
	start[POINTS] = end;
}

static void multiply(void)
{
	for (int n = 0; n < TIMES; n++)
		for (size_t r = 0; r < POINTS; r++) {
			double sum = 0;

			for (uint32_t e = start[r]; e < start[r + 1]; e++)
				sum += value[e] * x[column[e]];
			y[r] = sum;
		}
}

static void mixed(void)
{
	make(true, false);
	multiply();
}

static void ordered(void)
{
	make(false, false);
	multiply();
}

static void unrolled(void)
{
	make(false, true);
	for (int n = 0; n < TIMES; n++)
		for (size_t r = 0; r < POINTS; r += 2) {
			const double *v = &value[r * MOST], *w = v + MOST;
			const uint32_t *c = &column[r * MOST], *d = c + MOST;
			const double one = v[0] * x[c[0]] + v[1] * x[c[1]], more = v[2] * x[c[2]] + v[3] * x[c[3]];
			const double other = w[0] * x[d[0]] + w[1] * x[d[1]], rest = w[2] * x[d[2]] + w[3] * x[d[3]];

			y[r] = one + (v[4] * x[c[4]] + more);
			y[r + 1] = other + (w[4] * x[d[4]] + rest);
		}
}

static bool right(void)
{
	for (size_t p = 0; p < POINTS; p++)
		if (y[place[p]] != (double)wanted[p])
			return false;
	return true;
}

static const struct variant variants[] = { { "plain", mixed }, { "layout", ordered }, { "unrolled", unrolled }, { 0 } };
const struct workload sparse = { "sparse", prepare, variants, right };
