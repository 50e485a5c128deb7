/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A product of two square matrices. All data are small multiples of 1/4, so sums are exact in whatever order, and all variants' results equal.
 *
 *   plain      row by column, and each row 1024 bytes behind the one before: a column's elements share few sets of the cache
 *   layout     the same, with rows that are a line of the cache longer
 *   blocked    the same layout, in squares that stay in the cache
 *   unrolled   blocked, sixteen elements of the result at once: sixteen sums in registers, two loads for four multiply-adds
 */
#include "study.h"

#include <string.h>

enum { ROWS = 96, PLAIN = 128, PADDED = 136, BLOCK = 24, TILE = 4, TIMES = 3 };

static double *a, *b, *c;
static long wanted[ROWS][ROWS]; /* of sixteenths */
static size_t length;		/* of a row, in elements */

static long element(size_t i, size_t j, long most) { return (long)((i * 7 + j * 3) % (size_t)most) - most / 2; }

static void prepare(void)
{
	a = pages(sizeof(*a) * ROWS * PADDED);
	b = pages(sizeof(*b) * ROWS * PADDED);
	c = pages(sizeof(*c) * ROWS * PADDED);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < ROWS; k++)
			for (size_t j = 0; j < ROWS; j++)
				wanted[i][j] += element(i, k, 17) * element(k, j, 23);
}

/* In the variant's layout. */
static void fill(size_t elements)
{
	if (length == elements)
		return;
	length = elements;
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < ROWS; j++) {
			a[i * length + j] = (double)element(i, j, 17) / 4;
			b[i * length + j] = (double)element(i, j, 23) / 4;
		}
}

static inline void multiply(const size_t row, const size_t block)
{
	for (size_t i = 0; i < ROWS; i++)
		memset(&c[i * row], 0, ROWS * sizeof(*c));
	for (size_t kk = 0; kk < ROWS; kk += block)
		for (size_t jj = 0; jj < ROWS; jj += block)
			for (size_t i = 0; i < ROWS; i++)
				for (size_t j = jj; j < jj + block; j++) {
					double sum = c[i * row + j];

					for (size_t k = kk; k < kk + block; k++)
						sum += a[i * row + k] * b[k * row + j];
					c[i * row + j] = sum;
				}
}

static void plain(void)
{
	fill(PLAIN);
	for (int n = 0; n < TIMES; n++)
		multiply(PLAIN, ROWS);
}

static void padded(void)
{
	fill(PADDED);
	for (int n = 0; n < TIMES; n++)
		multiply(PADDED, ROWS);
}

static void blocked(void)
{
	fill(PADDED);
	for (int n = 0; n < TIMES; n++)
		multiply(PADDED, BLOCK);
}

static inline void tile(double *to, const double *x, const double *y)
{
	double sum[TILE][TILE];

	for (size_t i = 0; i < TILE; i++)
		for (size_t j = 0; j < TILE; j++)
			sum[i][j] = to[i * PADDED + j];
	for (size_t k = 0; k < BLOCK; k++)
#pragma GCC unroll 4
		for (size_t i = 0; i < TILE; i++)
#pragma GCC unroll 4
			for (size_t j = 0; j < TILE; j++)
				sum[i][j] += x[i * PADDED + k] * y[k * PADDED + j];
	for (size_t i = 0; i < TILE; i++)
		for (size_t j = 0; j < TILE; j++)
			to[i * PADDED + j] = sum[i][j];
}

static void multiply_tiles(void)
{
	for (size_t i = 0; i < ROWS; i++)
		memset(&c[i * PADDED], 0, ROWS * sizeof(*c));
	for (size_t k = 0; k < ROWS; k += BLOCK)
		for (size_t jj = 0; jj < ROWS; jj += BLOCK)
			for (size_t i = 0; i < ROWS; i += TILE)
				for (size_t j = jj; j < jj + BLOCK; j += TILE)
					tile(&c[i * PADDED + j], &a[i * PADDED + k], &b[k * PADDED + j]);
}

static void unrolled(void)
{
	fill(PADDED);
	for (int n = 0; n < TIMES; n++)
		multiply_tiles();
}

static bool right(void)
{
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < ROWS; j++)
			if (c[i * length + j] * 16 != (double)wanted[i][j])
				return false;
	return true;
}

static const struct variant variants[] = { { "plain", plain }, { "layout", padded }, { "blocked", blocked }, { "unrolled", unrolled }, { 0 } };
const struct workload dense = { "dense", prepare, variants, right };
