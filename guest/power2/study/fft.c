/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fast Fourier transform of 2^BITS points, decimated in frequency: what comes out is in the order of reversed bits. The input is two tones,
 * so it is known what comes out. All variants do the same operations on each point.
 *
 *   plain      stage by stage over all points; one table of the circle, of which a late stage uses each so many-th element
 *   layout     a table for each stage
 *   blocked    the later stages of a part that fits into the cache, before the next part
 *   unrolled   blocked, and in such a part two stages at once, four points in registers
 */
#include "study.h"

#include <math.h>
#include <string.h>

enum { BITS = 13, POINTS = 1 << BITS, PART = 1 << 10 /* a power of 4 */, TONE = 5, OTHER = 700 };
static const double PI = 3.14159265358979323846;

struct number {
	double re, im;
};

static struct number *input, *x, *circle, *table[BITS]; /* table[s]: of stage s, POINTS >> s points each */

static void prepare(void)
{
	input = pages(sizeof(*input) * POINTS);
	x = pages(sizeof(*x) * POINTS);
	circle = pages(sizeof(*circle) * POINTS / 2);
	table[0] = pages(sizeof(*circle) * POINTS);
	for (size_t k = 0; k < POINTS / 2; k++)
		circle[k] = (struct number){ cos(2 * PI * (double)k / POINTS), -sin(2 * PI * (double)k / POINTS) };
	for (size_t s = 0; s < BITS; s++) {
		if (s)
			table[s] = table[s - 1] + (POINTS >> s);
		for (size_t k = 0; k < (size_t)POINTS >> (s + 1); k++)
			table[s][k] = circle[k << s];
	}
	for (size_t n = 0; n < POINTS; n++) {
		const double one = 2 * PI * (double)(n * TONE % POINTS) / POINTS, other = 2 * PI * (double)(n * OTHER % POINTS) / POINTS;

		input[n] = (struct number){ cos(one) + 2 * cos(other), sin(one) + 2 * sin(other) };
	}
}

static inline struct number plus(struct number a, struct number b) { return (struct number){ a.re + b.re, a.im + b.im }; }
static inline struct number minus(struct number a, struct number b) { return (struct number){ a.re - b.re, a.im - b.im }; }
static inline struct number times(struct number a, struct number b)
{
	return (struct number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static inline void stage(struct number *at, size_t points, const struct number *turn, size_t step)
{
	for (size_t k = 0; k < points / 2; k++) {
		const struct number a = at[k], b = at[k + points / 2];

		at[k] = plus(a, b);
		at[k + points / 2] = times(minus(a, b), turn[k * step]);
	}
}

static inline void two_stages(struct number *at, size_t points, const struct number *turn, const struct number *next)
{
	const size_t quarter = points / 4;

	for (size_t k = 0; k < quarter; k++) {
		const struct number a = at[k], b = at[k + quarter], c = at[k + 2 * quarter], d = at[k + 3 * quarter];
		const struct number ac = plus(a, c), bd = plus(b, d), ca = times(minus(a, c), turn[k]), db = times(minus(b, d), turn[k + quarter]);

		at[k] = plus(ac, bd);
		at[k + quarter] = times(minus(ac, bd), next[k]);
		at[k + 2 * quarter] = plus(ca, db);
		at[k + 3 * quarter] = times(minus(ca, db), next[k]);
	}
}

static void plain(void)
{
	memcpy(x, input, sizeof(*x) * POINTS);
	for (size_t s = 0; s < BITS; s++)
		for (size_t from = 0; from < POINTS; from += (size_t)POINTS >> s)
			stage(x + from, (size_t)POINTS >> s, circle, (size_t)1 << s);
}

/* Stages s and later of these points. */
static void by_stages(struct number *at, size_t points, size_t s)
{
	for (size_t parts = 1; s < BITS; s++, parts *= 2)
		for (size_t from = 0; from < points; from += points / parts)
			stage(at + from, points / parts, table[s], 1);
}

static void layout(void)
{
	memcpy(x, input, sizeof(*x) * POINTS);
	by_stages(x, POINTS, 0);
}

static void in_parts(struct number *at, size_t points, size_t s, void (*part)(struct number *, size_t, size_t))
{
	if (points <= PART)
		return part(at, points, s);
	stage(at, points, table[s], 1);
	in_parts(at, points / 2, s + 1, part);
	in_parts(at + points / 2, points / 2, s + 1, part);
}

static void blocked(void)
{
	memcpy(x, input, sizeof(*x) * POINTS);
	in_parts(x, POINTS, 0, by_stages);
}

static void by_two(struct number *at, size_t points, size_t s)
{
	for (size_t parts = 1; parts < points; s += 2, parts *= 4)
		for (size_t from = 0; from < points; from += points / parts)
			two_stages(at + from, points / parts, table[s], table[s + 1]);
}

static void unrolled(void)
{
	memcpy(x, input, sizeof(*x) * POINTS);
	in_parts(x, POINTS, 0, by_two);
}

static bool right(void)
{
	for (size_t n = 0; n < POINTS; n++) {
		size_t frequency = 0;

		for (size_t bit = 0; bit < BITS; bit++)
			frequency |= (n >> bit & 1) << (BITS - 1 - bit);
		const double wanted = frequency == TONE ? POINTS : frequency == OTHER ? 2 * POINTS : 0;

		if (!(fabs(x[n].re - wanted) < 1e-8 && fabs(x[n].im) < 1e-8))
			return false;
	}
	return true;
}

static const struct variant variants[] = { { "plain", plain }, { "layout", layout }, { "blocked", blocked }, { "unrolled", unrolled }, { 0 } };
const struct workload fft = { "fft", prepare, variants, right };
