/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The multigrid solver of SPLASH-2's OCEAN (guest/common/multigrid.h).
 *
 * Shared: of each grid the solution, the right side, and what is missing. A sequential run gives the same to the bit. It has the same offsets in
 * private memory.
 */
#include <math.h>
#include <stdio.h>

#include "bench.h"

enum { LEVELS_MOST = 12, BESIDE = sizeof(double) };

typedef size_t place; /* an offset */

struct grid {
	size_t n;
	place u, f, r;
	size_t top, bottom, left, right;
	struct node *node; /* none: of the sequential run */
};

/* A node's part of the run, or the sequential one. */
struct run {
	struct grid grid[LEVELS_MOST];
	int levels;
};

static struct run alone;
static unsigned char *wanted;
static double largest_missing;

static double load(const struct grid *g, place at) { return g->node ? get_double(g->node, at) : *(double *)(wanted + at); }

static void store(const struct grid *g, place at, double x)
{
	if (g->node)
		put_double(g->node, at, x);
	else
		*(double *)(wanted + at) = x;
}

static void together(const struct run *run)
{
	if (run->grid[0].node)
		meet(run->grid[0].node);
}

#include "../../common/multigrid.h"

static void to_coarse(const struct run *run, const struct grid *fine, const struct grid *coarse)
{
	const size_t row = (fine->n + 1) * BESIDE, coarse_row = (coarse->n + 1) * BESIDE;

	for (size_t i = fine->top; i < fine->bottom; i++)
		for (size_t j = fine->left; j < fine->right; j++)
			store(fine, fine->r + (i * row + j * BESIDE), missing(fine, i, j));
	together(run);
	for (size_t i = coarse->top; i < coarse->bottom; i++)
		for (size_t j = coarse->left; j < coarse->right; j++) {
			const place at = fine->r + (2 * i * row + 2 * j * BESIDE);
			const size_t here = i * coarse_row + j * BESIDE;
			const double corners = load(fine, at - row - BESIDE) + load(fine, at - row + BESIDE) + load(fine, at + row - BESIDE) +
					       load(fine, at + row + BESIDE);

			store(coarse, coarse->f + here, 0.25 * load(fine, at) + 0.125 * neighbours(fine, at, row) + 0.0625 * corners);
			store(coarse, coarse->u + here, 0);
		}
	together(run);
}

static double right_side_of(size_t n, size_t i, size_t j)
{
	return i && j && i < n && j < n ? (double)((i * 29 + j * 53) % 17) - 8 : 0;
}

static void solve(struct run *run, unsigned nodes, unsigned number, unsigned long cycles)
{
	for (int level = 0; level < run->levels; level++) {
		struct grid *g = &run->grid[level];
		size_t at = share(g->n + 1, nodes, number) * (g->n + 1) * BESIDE;

		divide(g, nodes, number);
		for (size_t i = share(g->n + 1, nodes, number); i < share(g->n + 1, nodes, number + 1); i++)
			for (size_t j = 0; j <= g->n; j++, at += BESIDE) {
				store(g, g->u + at, 0);
				store(g, g->f + at, level ? 0 : right_side_of(g->n, i, j));
				store(g, g->r + at, 0);
			}
	}
	together(run);
	for (unsigned long i = 0; i < cycles; i++)
		cycle(run, 0);
}

static int plan(struct job *job)
{
	if (job->size < 4 || job->size & (job->size - 1))
		return refuse("--size %lu: legal are powers of two from 4", job->size);
	for (size_t n = job->size; n >= 2; n /= 2) {
		const size_t bytes = (n + 1) * (n + 1) * BESIDE;
		struct grid *g = &alone.grid[alone.levels++];

		g->n = n;
		g->u = window_take(&job->window, bytes);
		g->f = window_take(&job->window, bytes);
		g->r = window_take(&job->window, bytes);
		named(g->u, bytes, "solution %zu", n);
		named(g->f, bytes, "right side %zu", n);
		named(g->r, bytes, "missing %zu", n);
	}
	wanted = memory(job->window.taken, 1);
	solve(&alone, 1, 0, job->sweeps);
	for (size_t i = 1; i < job->size; i++)
		for (size_t j = 1; j < job->size; j++)
			largest_missing = fmax(largest_missing, fabs(missing(&alone.grid[0], i, j)));
	return 0;
}

static void work(struct node *n)
{
	struct run run = alone;

	for (int level = 0; level < run.levels; level++)
		run.grid[level].node = n;
	solve(&run, n->job->nodes, n->number, n->job->sweeps);
}

static bool check(struct node *n)
{
	const struct grid *g = &alone.grid[0];
	const size_t points = g->n + 1, first = share(points, n->job->nodes, n->number), end = share(points, n->job->nodes, n->number + 1);
	bool good = true;

	for (place at = g->u + first * points * BESIDE; at < g->u + end * points * BESIDE; at += BESIDE)
		good &= get_double(n, at) == *(double *)(wanted + at);
	return good;
}

static void tell(const struct job *job) { printf("levels=%d\nmissing=%.3g\n", alone.levels, largest_missing); }

const struct bench bench_ocean = {
	"ocean", "Poisson's equation by multigrid: as a sequential run to the bit", "squares in a row of the grid", 64, 1024, plan, work, check, tell,
};
