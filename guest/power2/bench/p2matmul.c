/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2matmul - a matrix multiplication, plain and in blocks, that counts its own inner part with p2lib.
 *
 *   p2matmul [-n ROWS] [-b BLOCK] [-v plain|blocked|both] [-e EVENTS] [--hooks] [--csv]
 *
 * Plain: row by column, so that each element of the result goes through a whole column of the second matrix: a line of the cache for each
 * element. Blocked: by squares of BLOCK rows that stay in the cache. Both do the same 2 n^3 operations in the same order
 * for each element of the result, so the results are equal to the bit. -e "": nothing is counted, and no monitor needed.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/power2/lib/p2lib.h"

#define MOST_ROWS 2048
#define EVENTS "cycles,instructions,flops,loads,dcache_mis,tlb_mis"

static unsigned long rows = 96, block = 16;
static double *a, *b, *c, *wanted;

static void multiply_plain(void)
{
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < rows; j++) {
			double sum = 0;

			for (size_t k = 0; k < rows; k++)
				sum += a[i * rows + k] * b[k * rows + j];
			c[i * rows + j] = sum;
		}
}

static size_t least(size_t x, size_t y) { return x < y ? x : y; }

static void multiply_blocked(void)
{
	memset(c, 0, rows * rows * sizeof(*c));
	for (size_t kk = 0; kk < rows; kk += block)
		for (size_t jj = 0; jj < rows; jj += block)
			for (size_t i = 0; i < rows; i++)
				for (size_t j = jj; j < least(jj + block, rows); j++) {
					double sum = c[i * rows + j];

					for (size_t k = kk; k < least(kk + block, rows); k++)
						sum += a[i * rows + k] * b[k * rows + j];
					c[i * rows + j] = sum;
				}
}

static const struct variant {
	const char *name;
	void (*multiply)(void);
} variants[] = { { "plain", multiply_plain }, { "blocked", multiply_blocked } };

static volatile unsigned long multiplications;

/* A segment with one entry and one exit, for p2run --segment multiply. */
static __attribute__((noinline, noclone)) void multiply(const struct variant *v)
{
	v->multiply();
	multiplications++;
}

static double *matrix(void)
{
	/* On a page's boundary: the same misses in every run. */
	double *m = aligned_alloc(4096, (rows * rows * sizeof(*m) + 4095) / 4096 * 4096);

	if (!m) {
		fprintf(stderr, "p2matmul: no memory for %lu rows\n", rows);
		exit(1);
	}
	memset(m, 0, rows * rows * sizeof(*m));
	return m;
}

static int wrong_option(const char *option, const char *value, const char *legal)
{
	fprintf(stderr, "p2matmul: %s %s: legal are %s\n", option, value, legal);
	return 2;
}

static bool number(const char *text, unsigned long least_value, unsigned long most, unsigned long *value)
{
	char *end;

	*value = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *value >= least_value && *value <= most;
}

static void help(void)
{
	puts("p2matmul [OPTIONS]: a matrix multiplication that counts itself with the POWER2 performance monitor\n"
	     "  -n, --rows N        of the matrices, 1 to 2048 (96)\n"
	     "  -b, --block N       rows of a block, 1 to 2048 (16)\n"
	     "  -v, --variant V     plain, blocked or both (both)\n"
	     "  -e, --events LIST   of the monitor, with commas between them; \"\": none, and no monitor is needed\n"
	     "                      (" EVENTS ")\n"
	     "      --user          count in problem state only\n"
	     "      --hooks         hook 1 before each multiplication, hook 2 behind it, for p2trace record --hooks\n"
	     "      --csv           comma-separated values: a row for each variant, as p2reduce reads it\n"
	     "Exit code: 0; 1 if the monitor refuses, or a result is wrong; 2 for a wrong command line.");
}

/* A line, or a field, for each event that was named. */
static void show(const struct p2_session *p2, const char *events, bool csv)
{
	char copy[4096], *rest = copy;
	struct p2_counts now;

	if (!*events)
		return;
	if (p2_get_counts(p2, -1, &now)) {
		perror("p2matmul: read");
		exit(1);
	}
	snprintf(copy, sizeof(copy), "%s", events);
	for (char *name; (name = strsep(&rest, ",")) != NULL;) {
		struct p2_value value;
		const bool known = !p2_value_of(p2, NULL, &now, name, &value);

		if (csv && known)
			printf(",%.0f", value.count);
		else if (csv)
			putchar(',');
		else if (known)
			printf("%s=%.0f\n", name, value.count);
	}
}

/* A session that counts nothing of its own: hooks go to the log of whoever counts this process. */
static struct p2_session hooks = P2_CLOSED;

static int run(const struct variant *v, const char *events, unsigned which, bool csv)
{
	struct p2_session p2 = P2_CLOSED;

	if (*events && p2_count_me(&p2, events, which)) {
		perror("p2matmul: " P2_DEVICE);
		return 1;
	}
	multiply(v); /* once for nothing: pages are there, translated code, too */
	p2_hook_here(&hooks, 1, rows, (uint64_t)(v - variants));
	p2_enable(&p2);
	multiply(v);
	p2_disable(&p2);
	p2_hook_here(&hooks, 2, rows, (uint64_t)(v - variants));
	if (memcmp(c, wanted, rows * rows * sizeof(*c))) {
		fprintf(stderr, "p2matmul: %s: the result is wrong\n", v->name);
		return 1;
	}
	if (csv)
		printf("%s,%lu,%lu", v->name, rows, block);
	else
		printf("variant=%s\nrows=%lu\nblock=%lu\noperations=%lu\n", v->name, rows, block, 2 * rows * rows * rows);
	show(&p2, events, csv);
	p2_end(&p2);
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rows", required_argument, NULL, 'n' },  { "block", required_argument, NULL, 'b' },
		{ "variant", required_argument, NULL, 'v' }, { "events", required_argument, NULL, 'e' },
		{ "user", no_argument, NULL, 'u' },	   { "csv", no_argument, NULL, 'c' },
		{ "hooks", no_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },	   { 0 },
	};
	const char *variant = "both", *events = EVENTS;
	unsigned which = 0;
	bool csv = false, some = false;

	for (int o; (o = getopt_long(argc, argv, "n:b:v:e:h", options, NULL)) != -1;)
		switch (o) {
		case 'n':
			if (!number(optarg, 1, MOST_ROWS, &rows))
				return wrong_option("--rows", optarg, "1 to 2048");
			break;
		case 'b':
			if (!number(optarg, 1, MOST_ROWS, &block))
				return wrong_option("--block", optarg, "1 to 2048");
			break;
		case 'v':
			variant = optarg;
			break;
		case 'e':
			events = optarg;
			break;
		case 'u':
			which = P2_USER_ONLY;
			break;
		case 'c':
			csv = true;
			break;
		case 'k':
			if (p2_connect(&hooks, NULL)) {
				perror("p2matmul: " P2_DEVICE);
				return 1;
			}
			break;
		case 'h':
			help();
			return 0;
		default:
			return 2;
		}
	if (optind < argc)
		return wrong_option("argument", argv[optind], "options only (--help)");
	for (size_t i = 0; i < 2; i++)
		some |= !strcmp(variant, variants[i].name);
	if (!some && strcmp(variant, "both"))
		return wrong_option("--variant", variant, "plain, blocked, both");
	a = matrix();
	b = matrix();
	c = matrix();
	wanted = matrix();
	for (size_t i = 0; i < rows * rows; i++) {
		a[i] = (double)(i % 17) - 8;
		b[i] = (double)(i % 23) / 4 - 2;
	}
	multiply(&variants[0]);
	memcpy(wanted, c, rows * rows * sizeof(*c));
	if (csv)
		printf("variant,rows,block%s%s\n", *events ? "," : "", events);
	for (size_t i = 0; i < 2; i++)
		if (!strcmp(variant, "both") || !strcmp(variant, variants[i].name)) {
			const int status = run(&variants[i], events, which, csv);

			if (status)
				return status;
		}
	return 0;
}
