/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The multigrid solver of SPLASH-2's OCEAN (Woo et al., ISCA 1995, Sec. 3): Poisson's equation on a square by V-cycles.
 *
 * A cycle relaxes a grid red-black, brings what is missing to a grid of half as many squares in a row, solves that in the same way, brings the
 * correction back, and relaxes again. Each grid is divided into rectangles that are nearly square, one for each node. But its rows lie one behind another
 * (SPLASH-2's two-dimensional arrays), so nodes beside each other share pages, and coarse grids are in few.
 *
 * Shared: of each grid the solution, the right side, and what is missing. No point's new value depends on what another node changes in the same pass, so a
 * sequential run gives the same to the bit. It has the same offsets in private memory.
 */
#include <math.h>
#include <stdio.h>

#include "bench.h"

enum { LEVELS_MOST = 12, ENDS = 4 /* relaxations of the coarsest grid */ };

/* n squares in a row: points 0 to n, of which the rim stays 0. */
static struct grid {
	size_t n, solution, right_side, missing; /* offsets */
} grids[LEVELS_MOST];
static unsigned levels;
static unsigned char *wanted;
static double largest_missing;

/* A node's part of the run, or without a node the sequential one. */
struct part {
	struct node *node;
	size_t top[LEVELS_MOST], bottom[LEVELS_MOST], left[LEVELS_MOST], right[LEVELS_MOST]; /* up to, without, bottom and right */
};

static double load(const struct part *p, size_t at) { return p->node ? get_double(p->node, at) : *(double *)(wanted + at); }

static void store(const struct part *p, size_t at, double x)
{
	if (p->node)
		put_double(p->node, at, x);
	else
		*(double *)(wanted + at) = x;
}

static void together(const struct part *p)
{
	if (p->node)
		meet(p->node);
}

static size_t point(const struct grid *g, size_t i, size_t j) { return (i * (g->n + 1) + j) * 8; }

static double right_side_of(size_t n, size_t i, size_t j)
{
	return i && j && i < n && j < n ? (double)((i * 29 + j * 53) % 17) - 8 : 0;
}

static void divide(struct part *p, unsigned nodes, unsigned number)
{
	const unsigned rows = rows_of_nodes(nodes), columns = nodes / rows;

	for (unsigned level = 0; level < levels; level++) {
		const size_t inside = grids[level].n - 1;

		p->top[level] = 1 + share(inside, rows, number / columns);
		p->bottom[level] = 1 + share(inside, rows, number / columns + 1);
		p->left[level] = 1 + share(inside, columns, number % columns);
		p->right[level] = 1 + share(inside, columns, number % columns + 1);
	}
}

static double neighbours(const struct part *p, const struct grid *g, size_t at)
{
	const size_t row = (g->n + 1) * 8;

	return load(p, at - row) + load(p, at + row) + load(p, at - 8) + load(p, at + 8);
}

static void relax(const struct part *p, unsigned level)
{
	const struct grid *g = &grids[level];
	const double square = 1.0 / (double)(g->n * g->n);

	for (size_t colour = 0; colour < 2; colour++) {
		for (size_t i = p->top[level]; i < p->bottom[level]; i++)
			for (size_t j = p->left[level] + (i + p->left[level] + colour) % 2; j < p->right[level]; j += 2) {
				const size_t here = point(g, i, j);

				store(p, g->solution + here,
				      0.25 * (neighbours(p, g, g->solution + here) + square * load(p, g->right_side + here)));
			}
		together(p);
	}
}

static double missing(const struct part *p, const struct grid *g, size_t here)
{
	return load(p, g->right_side + here) + (neighbours(p, g, g->solution + here) - 4 * load(p, g->solution + here)) * (double)(g->n * g->n);
}

/* The coarse grid's right side is what is missing on the fine one, weighted. */
static void to_coarse(const struct part *p, unsigned level)
{
	const struct grid *fine = &grids[level], *coarse = fine + 1;
	const size_t row = (fine->n + 1) * 8;

	for (size_t i = p->top[level]; i < p->bottom[level]; i++)
		for (size_t j = p->left[level]; j < p->right[level]; j++)
			store(p, fine->missing + point(fine, i, j), missing(p, fine, point(fine, i, j)));
	together(p);
	for (size_t i = p->top[level + 1]; i < p->bottom[level + 1]; i++)
		for (size_t j = p->left[level + 1]; j < p->right[level + 1]; j++) {
			const size_t at = fine->missing + point(fine, 2 * i, 2 * j), here = point(coarse, i, j);
			const double corners = load(p, at - row - 8) + load(p, at - row + 8) + load(p, at + row - 8) + load(p, at + row + 8);

			store(p, coarse->right_side + here, 0.25 * load(p, at) + 0.125 * neighbours(p, fine, at) + 0.0625 * corners);
			store(p, coarse->solution + here, 0);
		}
	together(p);
}

/* Points between those of the coarse grid get a mean. */
static void to_fine(const struct part *p, unsigned level)
{
	const struct grid *fine = &grids[level], *coarse = fine + 1;

	for (size_t i = p->top[level]; i < p->bottom[level]; i++)
		for (size_t j = p->left[level]; j < p->right[level]; j++) {
			const size_t at = fine->solution + point(fine, i, j), from = coarse->solution + point(coarse, i / 2, j / 2);
			const size_t down = i % 2 * (coarse->n + 1) * 8, beside = j % 2 * 8;

			store(p, at, load(p, at) + 0.25 * (load(p, from) + load(p, from + down) + load(p, from + beside) +
							     load(p, from + down + beside)));
		}
	together(p);
}

static void cycle(const struct part *p, unsigned level)
{
	if (level == levels - 1) {
		for (int i = 0; i < ENDS; i++)
			relax(p, level);
		return;
	}
	relax(p, level);
	to_coarse(p, level);
	cycle(p, level + 1);
	to_fine(p, level);
	relax(p, level);
}

static void solve(const struct part *p, unsigned nodes, unsigned number, unsigned long cycles)
{
	for (unsigned level = 0; level < levels; level++) {
		const struct grid *g = &grids[level];

		for (size_t i = share(g->n + 1, nodes, number); i < share(g->n + 1, nodes, number + 1); i++)
			for (size_t j = 0; j <= g->n; j++) {
				store(p, g->solution + point(g, i, j), 0);
				store(p, g->right_side + point(g, i, j), level ? 0 : right_side_of(g->n, i, j));
				store(p, g->missing + point(g, i, j), 0);
			}
	}
	together(p);
	for (unsigned long i = 0; i < cycles; i++)
		cycle(p, 0);
}

static int plan(struct job *job)
{
	struct part alone = { NULL };

	if (job->size < 4 || job->size & (job->size - 1))
		return refuse("--size %lu: legal are powers of two from 4", job->size);
	for (size_t n = job->size; n >= 2; n /= 2) {
		const size_t bytes = (n + 1) * (n + 1) * 8;
		struct grid *g = &grids[levels++];

		g->n = n;
		g->solution = window_take(&job->window, bytes);
		g->right_side = window_take(&job->window, bytes);
		g->missing = window_take(&job->window, bytes);
		named(g->solution, bytes, "solution %zu", n);
		named(g->right_side, bytes, "right side %zu", n);
		named(g->missing, bytes, "missing %zu", n);
	}
	wanted = memory(job->window.taken, 1);
	divide(&alone, 1, 0);
	solve(&alone, 1, 0, job->sweeps);
	for (size_t i = 1; i < job->size; i++)
		for (size_t j = 1; j < job->size; j++)
			largest_missing = fmax(largest_missing, fabs(missing(&alone, &grids[0], point(&grids[0], i, j))));
	return 0;
}

static void work(struct node *n)
{
	struct part p = { n };

	divide(&p, n->job->nodes, n->number);
	solve(&p, n->job->nodes, n->number, n->job->sweeps);
}

static bool check(struct node *n)
{
	const struct grid *g = &grids[0];
	bool good = true;

	for (size_t i = share(g->n + 1, n->job->nodes, n->number); i < share(g->n + 1, n->job->nodes, n->number + 1); i++)
		for (size_t j = 0; j <= g->n; j++)
			good &= get_double(n, g->solution + point(g, i, j)) == *(double *)(wanted + g->solution + point(g, i, j));
	return good;
}

static void tell(const struct job *job) { printf("levels=%u\nmissing=%.3g\n", levels, largest_missing); }

const struct bench bench_ocean = {
	"ocean", "Poisson's equation by multigrid: as a sequential run to the bit", "squares in a row of the grid", 64, 1024, plan, work, check, tell,
};
