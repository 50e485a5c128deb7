/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A point of a grid becomes the mean of its four neighbours, in several steps from one grid to another and back. The values at first are multiples
 * of 4^STEPS, so each step is exact, and a calculation with whole numbers says what comes out.
 *
 *   plain      the inner loop goes down a column: each point is another line of the cache
 *   layout     the inner loop goes along a row
 *   blocked    along rows, and all steps of a row as soon as they can be: what one step writes is in the cache for the next
 *   unrolled   blocked, four points at once: a point's left neighbour is in a register
 */
#include "study.h"

#include <string.h>

enum { SIZE = 256, STEPS = 8 };

typedef double grid[SIZE][SIZE];

static grid *first, *at[2]; /* step t goes from at[t % 2] to the other */
static long (*wanted)[SIZE];

static void prepare(void)
{
	long(*other)[SIZE] = pages(sizeof(long) * SIZE * SIZE), (*one)[SIZE] = pages(sizeof(long) * SIZE * SIZE);

	first = pages(sizeof(grid));
	at[0] = pages(2 * sizeof(grid));
	at[1] = at[0] + 1;
	for (size_t i = 0; i < SIZE; i++)
		for (size_t j = 0; j < SIZE; j++) {
			one[i][j] = other[i][j] = (long)((i * 13 + j * 5) % 97) << (2 * STEPS);
			(*first)[i][j] = (double)one[i][j];
		}
	for (size_t step = 0; step < STEPS; step++) {
		long(*from)[SIZE] = step % 2 ? other : one, (*to)[SIZE] = step % 2 ? one : other;

		for (size_t i = 1; i < SIZE - 1; i++)
			for (size_t j = 1; j < SIZE - 1; j++)
				to[i][j] = (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) / 4;
	}
	wanted = STEPS % 2 ? other : one;
}

static void begin(void)
{
	memcpy(at[0], first, sizeof(grid));
	memcpy(at[1], first, sizeof(grid));
}

static inline double point(grid *from, size_t i, size_t j)
{
	return ((*from)[i - 1][j] + (*from)[i + 1][j] + (*from)[i][j - 1] + (*from)[i][j + 1]) * 0.25;
}

static void columns(void)
{
	begin();
	for (size_t step = 0; step < STEPS; step++)
		for (size_t j = 1; j < SIZE - 1; j++)
			for (size_t i = 1; i < SIZE - 1; i++)
				(*at[1 - step % 2])[i][j] = point(at[step % 2], i, j);
}

static inline void row(size_t step, size_t i)
{
	for (size_t j = 1; j < SIZE - 1; j++)
		(*at[1 - step % 2])[i][j] = point(at[step % 2], i, j);
}

static inline void row_by_four(size_t step, size_t i)
{
	const double *up = (*at[step % 2])[i - 1], *here = (*at[step % 2])[i], *down = (*at[step % 2])[i + 1];
	double *to = (*at[1 - step % 2])[i], left = here[0], middle = here[1];
	size_t j = 1;

	for (; j + 4 <= SIZE - 1; j += 4) {
		const double a = here[j + 1], b = here[j + 2], c = here[j + 3], d = here[j + 4];
		const double p = up[j] + down[j], q = up[j + 1] + down[j + 1], r = up[j + 2] + down[j + 2], s = up[j + 3] + down[j + 3];

		to[j] = (p + (left + a)) * 0.25;
		to[j + 1] = (q + (middle + b)) * 0.25;
		to[j + 2] = (r + (a + c)) * 0.25;
		to[j + 3] = (s + (b + d)) * 0.25;
		left = c;
		middle = d;
	}
	for (; j < SIZE - 1; j++)
		to[j] = point(at[step % 2], i, j);
}

static void rows(void)
{
	begin();
	for (size_t step = 0; step < STEPS; step++)
		for (size_t i = 1; i < SIZE - 1; i++)
			row(step, i);
}

/*
 * Step s of row i needs rows i - 1 to i + 1 of step s - 1, the last of which has just been made; what it overwrites is
 * two steps old, and row i + 1 of step s - 1 was the last that needed it.
 */
static inline void skewed(void (*a_row)(size_t, size_t))
{
	begin();
	for (size_t front = 1; front < SIZE - 1 + STEPS - 1; front++)
		for (size_t step = 0; step < STEPS && step < front; step++)
			if (front - step < SIZE - 1)
				a_row(step, front - step);
}

static void blocked(void) { skewed(row); }
static void unrolled(void) { skewed(row_by_four); }

static bool right(void)
{
	for (size_t i = 0; i < SIZE; i++)
		for (size_t j = 0; j < SIZE; j++)
			if ((*at[STEPS % 2])[i][j] != (double)wanted[i][j])
				return false;
	return true;
}

static const struct variant variants[] = { { "plain", columns }, { "layout", rows }, { "blocked", blocked }, { "unrolled", unrolled }, { 0 } };
const struct workload stencil = { "stencil", prepare, variants, right };
