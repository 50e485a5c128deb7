/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SPARSE: a linear system with a sparse matrix, by conjugate gradients, as the kernel CG of the NAS Parallel Benchmarks (Bailey et al., 1991) does.
 *
 * The matrix is symmetric, and its diagonal dominates. Each row has links to others that lie anywhere. A node has a share of the rows: of the
 * matrix and of all vectors. An iteration multiplies the matrix by a vector, whose elements a row needs from all over, and has two sums over all rows.
 *
 * Shared: the matrix (where rows begin, columns, values), the vectors, and each node's parts of the sums. A sum adds the nodes' parts in
 * their order. The sequential run does so, too, so both are equal to the bit. Its solution is put into the system.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { LINKS = 4 }; /* that a row makes; others' lead to it */
enum vector { X, R, P, Q, VECTORS };

static size_t begins, columns, values, vectors[VECTORS], parts; /* offsets in the window */
static uint32_t *begin, *column; /* the matrix in private memory; of a row the first element is the diagonal's */
static double *value;
static double *wanted[VECTORS], missing;

static double right_side(size_t row) { return (double)(row * 37 % 101) / 101.0 - 0.5; }

static size_t link_of(size_t n, size_t row, unsigned k)
{
	uint64_t x = (row * LINKS + k + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return (size_t)((x ^ x >> 32) % n);
}

static void add_element(uint32_t *behind, size_t row, size_t other, double x)
{
	column[behind[row]] = (uint32_t)other;
	value[behind[row]++] = x;
	value[begin[row]] += fabs(x);
}

static void make_matrix(size_t n)
{
	uint32_t *const behind = memory(n, sizeof(*behind));

	begin = memory(n + 1, sizeof(*begin));
	for (size_t row = 0; row < n; row++) {
		begin[row + 1]++;
		for (unsigned k = 0; k < LINKS; k++)
			if (link_of(n, row, k) != row) {
				begin[row + 1]++;
				begin[link_of(n, row, k) + 1]++;
			}
	}
	for (size_t row = 0; row < n; row++)
		begin[row + 1] += begin[row];
	column = memory(begin[n], sizeof(*column));
	value = memory(begin[n], sizeof(*value));
	for (size_t row = 0; row < n; row++) {
		column[begin[row]] = (uint32_t)row;
		value[begin[row]] = 1;
		behind[row] = begin[row] + 1;
	}
	for (size_t row = 0; row < n; row++)
		for (unsigned k = 0; k < LINKS; k++) {
			const size_t other = link_of(n, row, k);

			if (other != row) {
				add_element(behind, row, other, -1.0 / (1 + k));
				add_element(behind, other, row, -1.0 / (1 + k));
			}
		}
	free(behind);
}

static double product(size_t row, const double *x)
{
	double sum = 0;

	for (uint32_t e = begin[row]; e < begin[row + 1]; e++)
		sum += value[e] * x[column[e]];
	return sum;
}

static double sum_alone(const struct job *job, const double *a, const double *b)
{
	double sum = 0;

	for (unsigned k = 0; k < job->nodes; k++) {
		double part = 0;

		for (size_t row = share(job->size, job->nodes, k); row < share(job->size, job->nodes, k + 1); row++)
			part += a[row] * b[row];
		sum += part;
	}
	return sum;
}

static void solve_alone(const struct job *job)
{
	const size_t n = job->size;
	double square;

	for (int v = 0; v < VECTORS; v++)
		wanted[v] = memory(n, sizeof(double));
	for (size_t row = 0; row < n; row++)
		wanted[R][row] = wanted[P][row] = right_side(row);
	square = sum_alone(job, wanted[R], wanted[R]);
	for (unsigned long i = 0; i < job->sweeps && square > 0; i++) {
		const double before = square;
		double step;

		for (size_t row = 0; row < n; row++)
			wanted[Q][row] = product(row, wanted[P]);
		step = square / sum_alone(job, wanted[P], wanted[Q]);
		for (size_t row = 0; row < n; row++) {
			wanted[X][row] += step * wanted[P][row];
			wanted[R][row] -= step * wanted[Q][row];
		}
		square = sum_alone(job, wanted[R], wanted[R]);
		for (size_t row = 0; row < n; row++)
			wanted[P][row] = wanted[R][row] + square / before * wanted[P][row];
	}
	for (size_t row = 0; row < n; row++)
		missing = fmax(missing, fabs(right_side(row) - product(row, wanted[X])));
}

static int plan(struct job *job)
{
	if (job->size < job->nodes)
		return refuse("--size %lu: legal are %u (a row for each node) and more", job->size, job->nodes);
	make_matrix(job->size);
	begins = window_take(&job->window, (job->size + 1) * 4);
	columns = window_take(&job->window, begin[job->size] * 4ul);
	values = window_take(&job->window, begin[job->size] * 8ul);
	for (int v = 0; v < VECTORS; v++)
		vectors[v] = window_take(&job->window, job->size * 8);
	parts = window_take(&job->window, job->nodes * 64);
	named(begins, (job->size + 1) * 4, "row begins");
	named(columns, begin[job->size] * 4ul, "columns");
	named(values, begin[job->size] * 8ul, "values");
	for (int v = 0; v < VECTORS; v++)
		named(vectors[v], job->size * 8, "vector %c", "xrpq"[v]);
	named(parts, job->nodes * 64, "parts of sums");
	solve_alone(job);
	return 0;
}

static size_t at(enum vector v, size_t row) { return vectors[v] + row * 8; }

static double get_at(struct node *n, enum vector v, size_t row) { return get_double(n, at(v, row)); }

/* which: 0 or 1 in turn, so that nobody overwrites what others still read. */
static double sum_of_parts(struct node *n, double part, unsigned which)
{
	double sum = 0;

	put_double(n, parts + n->number * 64 + which * 8, part);
	meet(n);
	for (unsigned k = 0; k < n->job->nodes; k++)
		sum += get_double(n, parts + k * 64 + which * 8);
	return sum;
}

static double multiply(struct node *n, size_t row)
{
	const uint32_t end = get32(n, begins + (row + 1) * 4);
	double sum = 0;

	for (uint32_t e = get32(n, begins + row * 4); e < end; e++) {
		const double x = get_double(n, values + e * 8ul);

		sum += x * get_at(n, P, get32(n, columns + e * 4ul));
	}
	return sum;
}

static void fill(struct node *n, size_t low, size_t high)
{
	for (size_t row = low; row < high; row++) {
		put32(n, begins + row * 4, begin[row]);
		for (uint32_t e = begin[row]; e < begin[row + 1]; e++) {
			put32(n, columns + e * 4ul, column[e]);
			put_double(n, values + e * 8ul, value[e]);
		}
		put_double(n, at(X, row), 0);
		put_double(n, at(R, row), right_side(row));
		put_double(n, at(P, row), right_side(row));
	}
	if (high == n->job->size)
		put32(n, begins + high * 4, begin[high]);
}

static void work(struct node *n)
{
	const struct job *job = n->job;
	const size_t low = share(job->size, job->nodes, n->number), high = share(job->size, job->nodes, n->number + 1);
	double part = 0, square;

	fill(n, low, high);
	for (size_t row = low; row < high; row++)
		part += get_at(n, R, row) * get_at(n, R, row);
	square = sum_of_parts(n, part, 1);
	for (unsigned long i = 0; i < job->sweeps && square > 0; i++) {
		const double before = square;
		double step;

		part = 0;
		for (size_t row = low; row < high; row++) {
			const double q = multiply(n, row);

			put_double(n, at(Q, row), q);
			part += get_at(n, P, row) * q;
		}
		step = square / sum_of_parts(n, part, 0);
		part = 0;
		for (size_t row = low; row < high; row++) {
			const double r = get_at(n, R, row) - step * get_at(n, Q, row);

			put_double(n, at(X, row), get_at(n, X, row) + step * get_at(n, P, row));
			put_double(n, at(R, row), r);
			part += r * r;
		}
		square = sum_of_parts(n, part, 1);
		for (size_t row = low; row < high; row++)
			put_double(n, at(P, row), get_at(n, R, row) + square / before * get_at(n, P, row));
		meet(n);
	}
}

static bool check(struct node *n)
{
	const struct job *job = n->job;
	bool good = true;

	for (size_t row = share(job->size, job->nodes, n->number); row < share(job->size, job->nodes, n->number + 1); row++)
		good &= get_at(n, X, row) == wanted[X][row];
	return good;
}

static void tell(const struct job *job) { printf("elements=%u\nmissing=%.3g\n", begin[job->size], missing); }

const struct bench bench_sparse = {
	"sparse", "conjugate gradients with a sparse matrix: as a sequential run to the bit", "rows of the matrix", 2048, 1u << 18,
	plan, work, check, tell,
};
