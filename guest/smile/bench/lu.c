/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LU after SPLASH-2's description (Woo et al., ISCA 1995, Sec. 3): a dense matrix becomes the product of a lower and an upper triangular one.
 *
 * The matrix is divided into blocks, each block belongs to one node (by a 2-D scatter), and a node's blocks lie together. In step k the
 * owner of the diagonal block factorises it. Then the owners of the blocks of row and column k update them, then the owners
 * of all blocks right and below. No pivots: the diagonal dominates.
 *
 * Shared: the matrix. Each element sees the operations of a plain sequential factorisation in the same order (and the
 * compiler must not contract them), so both are equal to the bit. That one, in private memory, is checked by multiplying out.
 */
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "guest/common/lu_alone.h"

static size_t own_blocks[NODES_MOST]; /* where a node's blocks begin */
static size_t *block_at;              /* where a block begins, row by row */
static size_t side;                   /* blocks in a row */

static unsigned owner(const struct job *job, size_t row, size_t column)
{
	const unsigned rows = rows_of_nodes(job->nodes), columns = job->nodes / rows;

	return (unsigned)(row % rows) * columns + (unsigned)(column % columns);
}

static int plan(struct job *job)
{
	size_t next[NODES_MOST] = { 0 };

	if (job->block < 2 || job->block > 64)
		return refuse("--block %lu: legal are 2 to 64", job->block);
	if (job->size % job->block)
		return refuse("--size %lu: legal are multiples of the block, %lu", job->size, job->block);
	side = job->size / job->block;
	block_at = memory(side * side, sizeof(*block_at));
	for (size_t i = 0; i < side * side; i++)
		next[owner(job, i / side, i % side)]++;
	for (unsigned k = 0; k < job->nodes; k++) {
		own_blocks[k] = window_take(&job->window, next[k] * job->block * job->block * 8);
		named(own_blocks[k], next[k] * job->block * job->block * 8, "blocks of node %u", k);
		next[k] = own_blocks[k];
	}
	for (size_t i = 0; i < side * side; i++) {
		const unsigned o = owner(job, i / side, i % side);

		block_at[i] = next[o];
		next[o] += job->block * job->block * 8;
	}
	factorise_alone(job->size);
	return 0;
}

static size_t block_of(size_t row, size_t column) { return block_at[row * side + column]; }

/* a: a block; its element in row i, column j */
static size_t at(const struct job *job, size_t a, size_t i, size_t j) { return a + (i * job->block + j) * 8; }

/* row j of a -= l * row k of b, from column `first` on */
static void subtract(struct node *n, size_t a, size_t j, double l, size_t b, size_t k, size_t first)
{
	const struct job *job = n->job;

	for (size_t c = first; c < job->block; c++) {
		const double x = get_double(n, at(job, b, k, c));

		put_double(n, at(job, a, j, c), get_double(n, at(job, a, j, c)) - l * x);
	}
}

/* A block of the diagonal's column, or the diagonal's own: divided by the diagonal's upper triangle. */
static void divide(struct node *n, size_t a, size_t diagonal)
{
	const struct job *job = n->job;

	for (size_t k = 0; k < job->block; k++) {
		const double pivot = get_double(n, at(job, diagonal, k, k));

		for (size_t i = a == diagonal ? k + 1 : 0; i < job->block; i++) {
			const double l = get_double(n, at(job, a, i, k)) / pivot;

			put_double(n, at(job, a, i, k), l);
			subtract(n, a, i, l, diagonal, k, k + 1);
		}
	}
}

/* a -= left * top. A block of the diagonal's row is top itself, and is divided by the lower triangle on the left. */
static void update(struct node *n, size_t a, size_t left, size_t top)
{
	const struct job *job = n->job;

	for (size_t k = 0; k < job->block; k++)
		for (size_t i = a == top ? k + 1 : 0; i < job->block; i++)
			subtract(n, a, i, get_double(n, at(job, left, i, k)), top, k, 0);
}

static void fill(struct node *n, size_t row, size_t column)
{
	const struct job *job = n->job;

	for (size_t i = 0; i < job->block; i++)
		for (size_t j = 0; j < job->block; j++)
			put_double(n, at(job, block_of(row, column), i, j),
				   element_of(job->size, row * job->block + i, column * job->block + j));
}

static void work(struct node *n)
{
	const struct job *job = n->job;

	for (size_t i = 0; i < side * side; i++)
		if (owner(job, i / side, i % side) == n->number)
			fill(n, i / side, i % side);
	meet(n);
	for (size_t k = 0; k < side; k++) {
		if (owner(job, k, k) == n->number)
			divide(n, block_of(k, k), block_of(k, k));
		meet(n);
		for (size_t i = k + 1; i < side; i++) {
			if (owner(job, i, k) == n->number)
				divide(n, block_of(i, k), block_of(k, k));
			if (owner(job, k, i) == n->number)
				update(n, block_of(k, i), block_of(k, k), block_of(k, i));
		}
		meet(n);
		for (size_t i = k + 1; i < side; i++)
			for (size_t j = k + 1; j < side; j++)
				if (owner(job, i, j) == n->number)
					update(n, block_of(i, j), block_of(i, k), block_of(k, j));
		meet(n);
	}
}

static bool check_block(struct node *n, size_t row, size_t column)
{
	const struct job *job = n->job;
	bool good = true;

	for (size_t i = 0; i < job->block; i++)
		for (size_t j = 0; j < job->block; j++)
			good &= get_double(n, at(job, block_of(row, column), i, j)) ==
				wanted[(row * job->block + i) * job->size + column * job->block + j];
	return good;
}

static bool check(struct node *n)
{
	const struct job *job = n->job;
	/* n: the largest element of the matrix, nearly; n again: the operations on each element. */
	bool good = residual <= (double)job->size * (double)job->size * 0x1p-52;

	for (size_t i = 0; i < side * side; i++)
		if (owner(job, i / side, i % side) == n->number)
			good &= check_block(n, i / side, i % side);
	return good;
}

static void tell(const struct job *job) { printf("residual=%.3g\n", residual); }

const struct bench bench_lu = {
	"lu", "blocked LU: as a sequential one to the bit, and L*U = A", "rows of the matrix", 96, 2048, plan, work, check, tell,
};
