/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LU without nodes: the matrix of the programs that factorise it in parallel, and what their result must be.
 *
 *   element_of(n, i, j)      of the matrix of n rows: its diagonal dominates, so there are no pivots
 *   matrix_seed              another one gives another matrix; a program may leave it
 *   factorise_alone(n);      wanted[i * n + j]: L and U in one; residual: how far L * U is from the matrix, at most
 *
 * For one file of a program.
 */
#ifndef PERFBOARD_LU_ALONE_H
#define PERFBOARD_LU_ALONE_H

#include <math.h>
#include <stddef.h>

#include "fatal.h"

static double *wanted, residual;
static size_t matrix_seed;

static double element_of(size_t n, size_t i, size_t j)
{
	const double off = (double)((i * 37 + j * 101 + matrix_seed) % 61) / 61.0 - 0.5;

	return i == j ? (double)n + off : off;
}

/* In private memory: what the result must be, and how far its product is from the matrix. */
static void factorise_alone(size_t n)
{
	wanted = memory(n * n, sizeof(*wanted));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			wanted[i * n + j] = element_of(n, i, j);
	for (size_t k = 0; k < n; k++)
		for (size_t i = k + 1; i < n; i++) {
			const double l = wanted[i * n + k] /= wanted[k * n + k];

			for (size_t j = k + 1; j < n; j++)
				wanted[i * n + j] -= l * wanted[k * n + j];
		}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = i <= j ? wanted[i * n + j] : 0;

			for (size_t k = 0; k < i && k <= j; k++)
				sum += wanted[i * n + k] * wanted[k * n + j];
			residual = fmax(residual, fabs(sum - element_of(n, i, j)));
		}
}

#endif
