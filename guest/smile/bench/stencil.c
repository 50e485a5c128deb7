/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The red-black Gauss-Seidel solver that is the heart of SPLASH-2's OCEAN (Woo et al., ISCA 1995, Sec. 3), on one grid.
 *
 * The grid is divided into rectangles that are nearly square, one for each node, and each rectangle lies together in memory (SPLASH-2's
 * four-dimensional arrays). A sweep updates the red points, then the black ones: each moves towards the mean of its four neighbours,
 * all of the other colour. Nodes meet after each colour. It ends after so many sweeps, or when the largest change is small.
 *
 * Shared: the grid, and each node's largest change. A point's new value depends on values of the other colour only, so a
 * sequential run gives the same to the bit.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"

static const double relaxation = 1.2, small = 1e-7;
static unsigned node_rows, node_columns;
static size_t rectangle[NODES_MOST]; /* where each node's begins */
static size_t changes;               /* a double for each node, a cache line apart */
static size_t *place;                /* of each point, row by row */
static double *wanted;
static unsigned long wanted_sweeps;

static double point_of(size_t n, size_t i, size_t j)
{
	if (i == 0 || j == 0 || i == n - 1 || j == n - 1) /* the rim stays */
		return (double)(i * 3 + j * 7) / (double)n;
	return (double)((i * 29 + j * 53) % 17);
}

static double moved(double old, double north, double south, double west, double east)
{
	return old + relaxation * (0.25 * (north + south + west + east) - old);
}

static void solve_alone(size_t n, unsigned long most)
{
	double change = INFINITY;

	wanted = memory(n * n, sizeof(*wanted));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			wanted[i * n + j] = point_of(n, i, j);
	for (wanted_sweeps = 0; wanted_sweeps < most && change > small; wanted_sweeps++) {
		change = 0;
		for (size_t colour = 0; colour < 2; colour++)
			for (size_t i = 1; i < n - 1; i++)
				for (size_t j = 1 + (i + 1 + colour) % 2; j < n - 1; j += 2) {
					double *p = &wanted[i * n + j];
					const double now = moved(*p, *(p - n), *(p + n), *(p - 1), *(p + 1));

					change = fmax(change, fabs(now - *p));
					*p = now;
				}
	}
}

struct part {
	size_t top, bottom, left, right; /* the rectangle's first row, and the row after its last; columns */
};

static struct part part_of(const struct job *job, unsigned node)
{
	const unsigned row = node / node_columns, column = node % node_columns;

	return (struct part){ share(job->size, node_rows, row), share(job->size, node_rows, row + 1),
			      share(job->size, node_columns, column), share(job->size, node_columns, column + 1) };
}

static int plan(struct job *job)
{
	node_rows = rows_of_nodes(job->nodes);
	node_columns = job->nodes / node_rows;
	if (job->size < 2 * node_columns + 2)
		return refuse("--size %lu: legal are %u and more", job->size, 2 * node_columns + 2);
	place = memory(job->size * job->size, sizeof(*place));
	for (unsigned k = 0; k < job->nodes; k++) {
		const struct part p = part_of(job, k);
		const size_t rows = p.bottom - p.top, columns = p.right - p.left;

		rectangle[k] = window_take(&job->window, rows * columns * 8);
		named(rectangle[k], rows * columns * 8, "rectangle of node %u", k);
		for (size_t i = 0; i < rows; i++)
			for (size_t j = 0; j < columns; j++)
				place[(p.top + i) * job->size + p.left + j] = rectangle[k] + (i * columns + j) * 8;
	}
	changes = window_take(&job->window, job->nodes * 64);
	named(changes, job->nodes * 64, "changes");
	solve_alone(job->size, job->sweeps);
	return 0;
}

/* The node's largest change. */
static double sweep_colour(struct node *n, size_t colour)
{
	const struct job *job = n->job;
	const struct part own = part_of(job, n->number);
	const size_t size = job->size;
	double change = 0;

	for (size_t i = own.top; i < own.bottom; i++) {
		if (i == 0 || i == size - 1)
			continue;
		for (size_t j = own.left ? own.left : 1; j < own.right && j < size - 1; j++) {
			const size_t *p = &place[i * size + j];
			double old, north, south, west, east, now;

			if ((i + j) % 2 != colour)
				continue;
			old = get_double(n, *p);
			north = get_double(n, *(p - size));
			south = get_double(n, *(p + size));
			west = get_double(n, *(p - 1));
			east = get_double(n, *(p + 1));
			now = moved(old, north, south, west, east);
			change = fmax(change, fabs(now - old));
			put_double(n, *p, now);
		}
	}
	meet(n);
	return change;
}

static void work(struct node *n)
{
	const struct job *job = n->job;
	const struct part p = part_of(job, n->number);
	double change = INFINITY;

	for (size_t i = p.top; i < p.bottom; i++)
		for (size_t j = p.left; j < p.right; j++)
			put_double(n, place[i * job->size + j], point_of(job->size, i, j));
	meet(n);
	for (n->result = 0; n->result < job->sweeps && change > small; n->result++) {
		double own = sweep_colour(n, 0);

		own = fmax(own, sweep_colour(n, 1));
		put_double(n, changes + n->number * 64, own);
		meet(n);
		change = 0;
		for (unsigned k = 0; k < job->nodes; k++)
			change = fmax(change, get_double(n, changes + k * 64));
		meet(n);
	}
}

static bool check(struct node *n)
{
	const struct job *job = n->job;
	const struct part p = part_of(job, n->number);
	bool good = n->result == wanted_sweeps;

	for (size_t i = p.top; i < p.bottom; i++)
		for (size_t j = p.left; j < p.right; j++)
			good &= get_double(n, place[i * job->size + j]) == wanted[i * job->size + j];
	return good;
}

static void tell(const struct job *job) { printf("sweeps=%lu\n", wanted_sweeps); }

const struct bench bench_stencil = {
	"stencil", "red-black stencil: as a sequential one to the bit", "rows of the grid", 96, 2048, plan, work, check, tell,
};
