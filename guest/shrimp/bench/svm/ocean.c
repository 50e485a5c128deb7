/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OCEAN (TR-596-99, 4.2.2): currents of a square sea that the wind drives, by a red-black Gauss-Seidel multigrid solver.
 *
 * In each step the vorticity is moved by the current, spread by friction and turned by the wind; then the stream function is solved for that
 * has this vorticity (Poisson's equation) by V-cycles. Grids are divided into rectangles, one for each node; rows lie one behind another,
 * so nodes beside each other share pages.
 *
 * A point's new value depends on values that no node changes in the same sweep. So a sequential run in private memory gives the same to the
 * bit, and that is the check.
 *
 * INFERRED: equations, steps and cycles. The paper names a restricted solver and SPLASH-2, whose program has more fields.
 */
#include "svmbench.h"

#include <math.h>
#include <stdio.h>

enum { LEVELS_MOST = 10, CYCLES = 2, ENDS = 4 /* relaxations of the coarsest grid */ };

static const double time_step = 0.002, friction = 0.01, wind = 4;

struct grid {
	size_t n; /* squares in a row: points 0 to n, of which those inside are computed */
	double *u, *f, *r; /* solution, right side, what is missing */
	size_t top, bottom, left, right; /* this node's points: from top and left up to, without, bottom and right */
};

/* One run of the program: on all nodes, or the sequential one. */
struct sea {
	struct grid grid[LEVELS_MOST];
	int levels;
	double *vorticity[2]; /* now, and next */
	bool alone;
};

static struct sea shared, wanted;

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

static double *field(const struct sea *sea, size_t n)
{
	return sea->alone ? memory(points(n), sizeof(double)) : svm_alloc(points(n) * sizeof(double), SVM_SPREAD);
}

/* Nodes are a rectangle as near to a square as they allow. */
static void divide(struct grid *g, bool alone)
{
	const unsigned int nodes = alone ? 1 : svm_nodes(), node = alone ? 0 : svm_node();
	unsigned int rows = 1, columns;

	for (unsigned int r = 2; r * r <= nodes; r++)
		if (nodes % r == 0)
			rows = r;
	columns = nodes / rows;
	g->top = 1 + (g->n - 1) * (node / columns) / rows;
	g->bottom = 1 + (g->n - 1) * (node / columns + 1) / rows;
	g->left = 1 + (g->n - 1) * (node % columns) / columns;
	g->right = 1 + (g->n - 1) * (node % columns + 1) / columns;
}

static void make(struct sea *sea, size_t size)
{
	for (size_t n = size; n >= 2; n /= 2) {
		struct grid *g = &sea->grid[sea->levels++];

		g->n = n;
		g->u = field(sea, n);
		g->f = field(sea, n);
		g->r = field(sea, n);
		divide(g, sea->alone);
	}
	for (int i = 0; i < 2; i++)
		sea->vorticity[i] = field(sea, size);
}

static void meet(const struct sea *sea)
{
	if (!sea->alone)
		svm_barrier();
}

/* --- the solver: -(north + south + west + east - 4 u) * n * n = f --- */

static void relax(const struct sea *sea, const struct grid *g)
{
	const size_t w = g->n + 1;
	const double square = 1.0 / (double)(g->n * g->n);

	for (size_t colour = 0; colour < 2; colour++) {
		for (size_t i = g->top; i < g->bottom; i++)
			for (size_t j = g->left + (i + g->left + colour) % 2; j < g->right; j += 2) {
				double *u = &g->u[i * w + j];

				*u = 0.25 * (*(u - w) + *(u + w) + *(u - 1) + *(u + 1) + square * g->f[i * w + j]);
			}
		meet(sea);
	}
}

static double missing(const struct grid *g, size_t i, size_t j)
{
	const size_t w = g->n + 1;
	const double *u = &g->u[i * w + j];

	return g->f[i * w + j] + (*(u - w) + *(u + w) + *(u - 1) + *(u + 1) - 4 * *u) * (double)(g->n * g->n);
}

/* The coarse grid's right side is what is missing on the fine one, weighted; its solution begins with 0. */
static void restrict_to(const struct sea *sea, const struct grid *fine, const struct grid *coarse)
{
	const size_t w = fine->n + 1, cw = coarse->n + 1;

	for (size_t i = fine->top; i < fine->bottom; i++)
		for (size_t j = fine->left; j < fine->right; j++)
			fine->r[i * w + j] = missing(fine, i, j);
	meet(sea);
	for (size_t i = coarse->top; i < coarse->bottom; i++)
		for (size_t j = coarse->left; j < coarse->right; j++) {
			const double *r = &fine->r[2 * i * w + 2 * j];

			coarse->u[i * cw + j] = 0;
			coarse->f[i * cw + j] = 0.25 * *r + 0.125 * (*(r - w) + *(r + w) + *(r - 1) + *(r + 1)) +
						0.0625 * (*(r - w - 1) + *(r - w + 1) + *(r + w - 1) + *(r + w + 1));
		}
	meet(sea);
}

static void prolong(const struct sea *sea, const struct grid *coarse, const struct grid *fine)
{
	const size_t w = fine->n + 1, cw = coarse->n + 1;

	for (size_t i = fine->top; i < fine->bottom; i++)
		for (size_t j = fine->left; j < fine->right; j++) {
			const double *c = &coarse->u[i / 2 * cw + j / 2];
			const size_t down = i % 2 * cw, beside = j % 2;

			fine->u[i * w + j] += 0.25 * (c[0] + c[down] + c[beside] + c[down + beside]);
		}
	meet(sea);
}

static void cycle(const struct sea *sea, int level)
{
	const struct grid *g = &sea->grid[level];

	if (level == sea->levels - 1) {
		for (int i = 0; i < ENDS; i++)
			relax(sea, g);
		return;
	}
	relax(sea, g);
	restrict_to(sea, g, g + 1);
	cycle(sea, level + 1);
	prolong(sea, g + 1, g);
	relax(sea, g);
}

/* --- the sea --- */

static void step(struct sea *sea)
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
	meet(sea);
	for (size_t i = g->top; i < g->bottom; i++)
		for (size_t j = g->left; j < g->right; j++)
			g->f[i * w + j] = next[i * w + j];
	sea->vorticity[0] = next;
	sea->vorticity[1] = (double *)now;
	meet(sea);
	for (int i = 0; i < CYCLES; i++)
		cycle(sea, 0);
}

static void fill(struct sea *sea, unsigned long seed)
{
	const struct grid *g = &sea->grid[0];

	for (size_t i = g->top; i < g->bottom; i++)
		for (size_t j = g->left; j < g->right; j++)
			sea->vorticity[0][i * (g->n + 1) + j] = (double)((i * 29 + j * 53 + seed) % 17) / 17.0 - 0.5;
	meet(sea);
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
