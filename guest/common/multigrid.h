/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The multigrid solver of SPLASH-2's OCEAN (Woo et al., ISCA 1995, Sec. 3), for programs whose nodes share memory: Poisson's equation
 * on a square by V-cycles.
 *
 *   -(north + south + west + east - 4 u) * n * n = f
 *
 * A cycle relaxes a grid red-black, brings what is missing to a grid of half as many squares in a row, solves that in the same way, brings the
 * correction back, and relaxes again. Each grid is divided into rectangles that are nearly square, one for each node. But its rows lie one behind
 * another (SPLASH-2's two-dimensional arrays), so nodes beside each other share pages, and coarse grids are in few.
 *
 * No point's new value depends on what another node changes in the same pass, so a sequential run gives the same to the bit.
 *
 *   divide(g, nodes, node);      a grid's points that are a node's
 *   cycle(run, 0);
 *   missing(g, i, j)             of a point of a grid
 *
 * How memory is reached is the program's own. For one file of it, which says before it includes this:
 *
 *   place, BESIDE                the type of a place in memory, and how far it is from a number to the next
 *   struct grid                  n: squares in a row, of points 0 to n, of which the rim stays 0; u, f, r: places of the solution, the right side, what
 *                                is missing; top, left, bottom, right: the node's points, from the first two up to, without, the others
 *   struct run                   grid[]: from the finest to one of two squares in a row; levels: how many
 *   load(g, at), store(g, at, x), together(run)
 *
 * And behind it, in the program's own order of loads and stores, which monitors and networks show:
 *
 *   to_coarse(run, fine, coarse) the coarse grid's right side becomes what is missing on the fine one, weighted; its solution begins with 0
 */
#ifndef PERFBOARD_MULTIGRID_H
#define PERFBOARD_MULTIGRID_H

#include <stddef.h>

#include "shares.h"

enum { ENDS = 4 /* relaxations of the coarsest grid */ };

static void to_coarse(const struct run *run, const struct grid *fine, const struct grid *coarse);

static void divide(struct grid *g, unsigned nodes, unsigned node)
{
	const unsigned rows = rows_of_nodes(nodes), columns = nodes / rows;

	g->top = 1 + share(g->n - 1, rows, node / columns);
	g->bottom = 1 + share(g->n - 1, rows, node / columns + 1);
	g->left = 1 + share(g->n - 1, columns, node % columns);
	g->right = 1 + share(g->n - 1, columns, node % columns + 1);
}

static double neighbours(const struct grid *g, place at, size_t row)
{
	return load(g, at - row) + load(g, at + row) + load(g, at - BESIDE) + load(g, at + BESIDE);
}

static void relax(const struct run *run, const struct grid *g)
{
	const size_t row = (g->n + 1) * BESIDE;
	const double square = 1.0 / (double)(g->n * g->n);

	for (size_t colour = 0; colour < 2; colour++) {
		for (size_t i = g->top; i < g->bottom; i++)
			for (size_t j = g->left + (i + g->left + colour) % 2; j < g->right; j += 2) {
				const size_t here = i * row + j * BESIDE;

				store(g, g->u + here, 0.25 * (neighbours(g, g->u + here, row) + square * load(g, g->f + here)));
			}
		together(run);
	}
}

static double missing(const struct grid *g, size_t i, size_t j)
{
	const size_t row = (g->n + 1) * BESIDE, here = i * row + j * BESIDE;

	return load(g, g->f + here) + (neighbours(g, g->u + here, row) - 4 * load(g, g->u + here)) * (double)(g->n * g->n);
}

/* Points between those of the coarse grid get a mean. */
static void to_fine(const struct run *run, const struct grid *coarse, const struct grid *fine)
{
	const size_t row = (fine->n + 1) * BESIDE, coarse_row = (coarse->n + 1) * BESIDE;

	for (size_t i = fine->top; i < fine->bottom; i++)
		for (size_t j = fine->left; j < fine->right; j++) {
			const place at = fine->u + (i * row + j * BESIDE), from = coarse->u + (i / 2 * coarse_row + j / 2 * BESIDE);
			const size_t down = i % 2 * coarse_row, beside = j % 2 * BESIDE;

			store(fine, at, load(fine, at) + 0.25 * (load(coarse, from) + load(coarse, from + down) + load(coarse, from + beside) +
								 load(coarse, from + down + beside)));
		}
	together(run);
}

static void cycle(const struct run *run, int level)
{
	const struct grid *g = &run->grid[level];

	if (level == run->levels - 1) {
		for (int i = 0; i < ENDS; i++)
			relax(run, g);
		return;
	}
	relax(run, g);
	to_coarse(run, g, g + 1);
	cycle(run, level + 1);
	to_fine(run, g + 1, g);
	relax(run, g);
}

#endif
