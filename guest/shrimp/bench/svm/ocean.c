/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OCEAN (TR-596-99, 4.2.2): currents of a square sea that the wind drives, by a red-black Gauss-Seidel multigrid solver.
 *
 * In each step the vorticity is moved by the current, spread by friction and turned by the wind; then the stream function is solved for that
 * has this vorticity (guest/common/multigrid.h).
 *
 * A point's new value depends on values that no node changes in the same sweep. So a sequential run in private memory gives the same to the
 * bit, and that is the check.
 *
 * INFERRED: equations, steps and cycles. The paper names a restricted solver and SPLASH-2, whose program has more fields.
 */
#include "svmbench.h"

#include <math.h>
#include <stdio.h>

enum { LEVELS_MOST = 10, CYCLES = 2, BESIDE = 1 };

static const double time_step = 0.002, friction = 0.01, wind = 4;

typedef double *place;

struct grid {
	size_t n;
	place u, f, r;
	size_t top, bottom, left, right;
};

/* One run of the program: on all nodes, or the sequential one. */
struct run {
	struct grid grid[LEVELS_MOST];
	int levels;
	double *vorticity[2]; /* now, and next */
	bool alone;
};

static double load(const struct grid *g, place at) { return *at; }
static void store(const struct grid *g, place at, double x) { *at = x; }

static void together(const struct run *run)
{
	if (!run->alone)
		svm_barrier();
}

#include "../../../common/multigrid.h"

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

			store(coarse, coarse->u + here, 0);
			store(coarse, coarse->f + here, 0.25 * load(fine, at) + 0.125 * neighbours(fine, at, row) +
			      0.0625 * (load(fine, at - row - BESIDE) + load(fine, at - row + BESIDE) + load(fine, at + row - BESIDE) +
					load(fine, at + row + BESIDE)));
		}
	together(run);
}

static struct run shared, wanted;

static size_t points(size_t n) { return (n + 1) * (n + 1); }

static int plan(const struct job *job, unsigned int nodes, size_t *bytes)
{
	(void)nodes;
	if (job->size & (job->size - 1))
		return refuse("--size %lu: legal are powers of two", job->size);
	*bytes = 2 * whole_pages(points(job->size) * sizeof(double));
	for (size_t n = job->size; n >= 2; n /= 2)
		*bytes += 3 * whole_pages(points(n) * sizeof(double));
	return 0;
}

static double *field(const struct run *sea, size_t n)
{
	return sea->alone ? memory(points(n), sizeof(double)) : svm_alloc(points(n) * sizeof(double), SVM_SPREAD);
}

static void divide_among(struct grid *g, bool alone)
{
	const unsigned int nodes = alone ? 1 : svm_nodes(), node = alone ? 0 : svm_node();

	divide(g, nodes, node);
}

static void make(struct run *sea, size_t size)
{
	for (size_t n = size; n >= 2; n /= 2) {
		struct grid *g = &sea->grid[sea->levels++];

		g->n = n;
		g->u = field(sea, n);
		g->f = field(sea, n);
		g->r = field(sea, n);
		divide_among(g, sea->alone);
	}
	for (int i = 0; i < 2; i++)
		sea->vorticity[i] = field(sea, size);
}

static void step(struct run *sea)
{
	const struct grid *g = &sea->grid[0];
	const size_t w = g->n + 1;
	const double steps = (double)g->n, *now = sea->vorticity[0];
	double *next = sea->vorticity[1];

	for (size_t i = g->top; i < g->bottom; i++)
		for (size_t j = g->left; j < g->right; j++) {
			const double *u = &g->u[i * w + j], *v = &now[i * w + j];
			const double north = *(u - w) - *(u + w), east = *(u + 1) - *(u - 1);
			const double moved = 0.25 * steps * steps * (north * (*(v + 1) - *(v - 1)) - east * (*(v - w) - *(v + w)));
			const double spread = friction * steps * steps * (*(v - w) + *(v + w) + *(v - 1) + *(v + 1) - 4 * *v);
			const double y = (double)i / steps;

			next[i * w + j] = *v + time_step * (spread - moved + wind * (1 - 2 * y) * (1 - 2 * y));
		}
	together(sea);
	for (size_t i = g->top; i < g->bottom; i++)
		for (size_t j = g->left; j < g->right; j++)
			g->f[i * w + j] = next[i * w + j];
	sea->vorticity[0] = next;
	sea->vorticity[1] = (double *)now;
	together(sea);
	for (int i = 0; i < CYCLES; i++)
		cycle(sea, 0);
}

static void fill(struct run *sea, unsigned long seed)
{
	const struct grid *g = &sea->grid[0];

	for (size_t i = g->top; i < g->bottom; i++)
		for (size_t j = g->left; j < g->right; j++)
			sea->vorticity[0][i * (g->n + 1) + j] = (double)((i * 29 + j * 53 + seed) % 17) / 17.0 - 0.5;
	together(sea);
}

static void begin(const struct job *job)
{
	make(&shared, job->size);
	fill(&shared, job->seed);
}

static void work(const struct job *job)
{
	for (unsigned long i = 0; i < job->steps; i++)
		step(&shared);
}

static bool check(const struct job *job)
{
	bool good = true;

	wanted.alone = true;
	make(&wanted, job->size);
	fill(&wanted, job->seed);
	for (unsigned long i = 0; i < job->steps; i++)
		step(&wanted);
	for (size_t i = 0; i < points(job->size); i++)
		good &= shared.grid[0].u[i] == wanted.grid[0].u[i] && shared.vorticity[0][i] == wanted.vorticity[0][i];
	return good;
}

static void tell(const struct job *job)
{
	const struct grid *g = &wanted.grid[0];
	double most = 0, rest = 0;

	for (size_t i = 1; i < g->n; i++)
		for (size_t j = 1; j < g->n; j++) {
			most = fmax(most, fabs(g->u[i * (g->n + 1) + j]));
			rest = fmax(rest, fabs(missing(g, i, j)));
		}
	printf("steps=%lu\nlargest=%.6g\nmissing=%.3g\n", job->steps, most, rest);
}

const struct bench bench_ocean = {
	"ocean", "currents by a multigrid solver; as a sequential run to the bit", "squares in a row, a power of two",
	64, 4, 512, plan, begin, work, check, tell,
};
