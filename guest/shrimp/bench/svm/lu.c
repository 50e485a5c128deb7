/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LU (TR-596-99, 4.2.1): a dense matrix becomes the product of a lower and an upper triangular one.
 *
 * Each block of the matrix lies together in memory, and so do the blocks of a node, whose home is that node. In step k the owner of the
 * diagonal block factorises it; then the owners of the blocks below and beside it divide these by it; then all blocks right and below are
 * updated. Barriers are between. No pivots: the diagonal dominates.
 *
 * Each element sees the operations of a plain sequential factorisation in the same order, so both are equal to the bit. That one, in private
 * memory, is checked by multiplying out.
 */
#include "svmbench.h"

#include <stdio.h>

#include "guest/common/lu_alone.h"

static size_t side, edge;  /* blocks in a row; rows of a block */
static double **block;     /* row by row */

/* Nodes are a rectangle as near to a square as they allow, laid over the blocks again and again. */
static unsigned int owner(size_t row, size_t column, unsigned int nodes)
{
	unsigned int rows = 1;

	for (unsigned int r = 2; r * r <= nodes; r++)
		if (nodes % r == 0)
			rows = r;
	return (unsigned int)(row % rows) * (nodes / rows) + (unsigned int)(column % (nodes / rows));
}

static bool own(size_t row, size_t column)
{
	return owner(row, column, svm_nodes()) == svm_node();
}

static double *block_at(size_t row, size_t column)
{
	return block[row * side + column];
}

static size_t blocks_of(unsigned int node, unsigned int nodes)
{
	size_t count = 0;

	for (size_t i = 0; i < side * side; i++)
		count += owner(i / side, i % side, nodes) == node;
	return count;
}

static int plan(const struct job *job, unsigned int nodes, size_t *bytes)
{
	if (job->block < 2 || job->block > 64)
		return refuse("--block %lu: legal are 2 to 64", job->block);
	if (job->size % job->block)
		return refuse("--size %lu: legal are multiples of the block, %lu", job->size, job->block);
	edge = job->block;
	side = job->size / edge;
	matrix_seed = job->seed;
	*bytes = 0;
	for (unsigned int node = 0; node < nodes; node++)
		*bytes += whole_pages(blocks_of(node, nodes) * edge * edge * sizeof(double));
	return 0;
}

static void begin(const struct job *job)
{
	block = memory(side * side, sizeof(*block));
	for (unsigned int node = 0; node < svm_nodes(); node++) {
		double *next = svm_alloc(blocks_of(node, svm_nodes()) * edge * edge * sizeof(double), node);

		for (size_t i = 0; i < side * side; i++)
			if (owner(i / side, i % side, svm_nodes()) == node) {
				block[i] = next;
				next += edge * edge;
			}
	}
	for (size_t b = 0; b < side * side; b++)
		for (size_t i = 0; own(b / side, b % side) && i < edge * edge; i++)
			block[b][i] = element_of(job->size, b / side * edge + i / edge, b % side * edge + i % edge);
}

/* Row `to` of a -= l * row `from` of b, from column `first` on. */
static void subtract(double *a, size_t to, double l, const double *b, size_t from, size_t first)
{
	for (size_t c = first; c < edge; c++)
		a[to * edge + c] -= l * b[from * edge + c];
}

static void factorise(double *a)
{
	for (size_t k = 0; k < edge; k++)
		for (size_t i = k + 1; i < edge; i++) {
			a[i * edge + k] /= a[k * edge + k];
			subtract(a, i, a[i * edge + k], a, k, k + 1);
		}
}

/* Below the diagonal block: divided by its upper triangle. */
static void divide_below(double *a, const double *diagonal)
{
	for (size_t k = 0; k < edge; k++)
		for (size_t i = 0; i < edge; i++) {
			a[i * edge + k] /= diagonal[k * edge + k];
			subtract(a, i, a[i * edge + k], diagonal, k, k + 1);
		}
}

/* Beside it: by its lower triangle. */
static void divide_beside(double *a, const double *diagonal)
{
	for (size_t k = 0; k < edge; k++)
		for (size_t i = k + 1; i < edge; i++)
			subtract(a, i, diagonal[i * edge + k], a, k, 0);
}

static void update(double *a, const double *left, const double *top)
{
	for (size_t k = 0; k < edge; k++)
		for (size_t i = 0; i < edge; i++)
			subtract(a, i, left[i * edge + k], top, k, 0);
}

static void work(const struct job *job)
{
	(void)job;
	for (size_t k = 0; k < side; k++) {
		if (own(k, k))
			factorise(block_at(k, k));
		svm_barrier();
		for (size_t i = k + 1; i < side; i++) {
			if (own(i, k))
				divide_below(block_at(i, k), block_at(k, k));
			if (own(k, i))
				divide_beside(block_at(k, i), block_at(k, k));
		}
		svm_barrier();
		for (size_t i = k + 1; i < side; i++)
			for (size_t j = k + 1; j < side; j++)
				if (own(i, j))
					update(block_at(i, j), block_at(i, k), block_at(k, j));
		svm_barrier();
	}
}

/* The factors' elements lie in one matrix; L has ones on its diagonal. */
static double factor(size_t i, size_t j)
{
	return block_at(i / edge, j / edge)[i % edge * edge + j % edge];
}

/* Its own blocks: what it sees of others' could be as wrong as what it made of them. */
static bool check(const struct job *job)
{
	const size_t n = job->size;
	bool good;

	factorise_alone(n);
	/* n: the largest element of the matrix, nearly; n again: the operations on each element. */
	good = residual <= (double)n * (double)n * 0x1p-52;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			good &= !own(i / edge, j / edge) || factor(i, j) == wanted[i * n + j];
	return good;
}

static void tell(const struct job *job)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < job->size * job->size; i++) {
		union {
			double value;
			uint64_t bits;
		} element = { factor(i / job->size, i % job->size) };

		hash = (hash ^ element.bits) * 1099511628211u;
	}
	printf("residual=%.3g\nhash=%016llx\n", residual, (unsigned long long)hash);
}

const struct bench bench_lu = {
	"lu", "blocked LU; as a sequential one to the bit, and L * U is the matrix", "rows of the matrix", 128, 2, 1024, plan, begin, work, check, tell,
};
