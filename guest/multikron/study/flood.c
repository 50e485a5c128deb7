/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flood - samples at a rate that is exact to the instruction, and what the chip says became of them.
 *
 *   flood ID KIND WAIT PERIOD SAMPLES
 *
 *   ID        1 to 65535, which each sample carries (as a point's), so that what arrives can be told apart
 *   KIND      trace, resource, mixed (each fifth sample is a resource sample, the others are trace samples),
 *             count (no samples: software counts of resource counter 0), or
 *             burst (trace samples, one each four instructions, with a pause behind each PERIOD of them)
 *   WAIT      discard or wait: CSR bit 2
 *   PERIOD    instructions from one sample to the next, 7 to 1000000; the samples of a burst, 1 to 1000000
 *   SAMPLES   a multiple of 5, or of a burst's PERIOD
 *
 * A line "flood ID SENT OVERRUNS WAITED COUNTED TICKS": the Overrun Counter, the Wait Counter and counter 0, and the periods of the Timestamp clock
 * that it took, a burst's pauses with it.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/fatal.h"
#include "../lib/mklib.h"

#define GROUP 5
#define LEAST_PERIOD 7
#define MOST 1000000
#define PAUSE 100000 /* turns of two instructions: longer than a full FIFO takes on any network of the study */

/*
 * PERIOD is store, inc, mov, the loop, what is in `more`, and two instructions, which count the groups behind the last sample
 * and do nothing behind the others.
 */
#define SAMPLE(to, more)                         \
	"movq %[data], (%[" to "])\n"            \
	"inc %[data]\n"                          \
	"mov %[turns], %%rcx\n"                  \
	"2: dec %%rcx\n"                         \
	"jnz 2b\n" more

#define SERIES(more)                                                                                                     \
	__asm__ volatile("1:\n" SAMPLE("first", more) "nop\nnop\n"                                                       \
			 ".rept 3\n" SAMPLE("others", more) "nop\nnop\n"                                                 \
			 ".endr\n" SAMPLE("others", more) "dec %[groups]\n"                                              \
			 "jnz 1b\n"                                                                                      \
			 : [data] "+r"(data), [groups] "+r"(groups)                                                      \
			 : [first] "r"(first), [others] "r"(others), [turns] "r"((period - LEAST_PERIOD) / 2 + 1)        \
			 : "rcx", "cc", "memory")

static void series(volatile uint64_t *first, volatile uint64_t *others, uint64_t data, unsigned long period, unsigned long groups)
{
	if (period % 2)
		SERIES("");
	else
		SERIES("nop\n");
}

static void drain(void)
{
	unsigned long turns = PAUSE;

	while (mk_read(&mk_main, MKR_CSR) & (MKR_CSR_FFULL | MKR_CSR_SHFULL))
		;
	__asm__ volatile("1: dec %0\njnz 1b" : "+r"(turns) : : "cc");
}

static void bursts(volatile uint64_t *at, uint64_t data, unsigned long size, unsigned long samples)
{
	for (; samples; samples -= size) {
		unsigned long n = size;

		__asm__ volatile("1: movq %[data], (%[at])\ninc %[data]\ndec %[n]\njnz 1b"
				 : [data] "+r"(data), [n] "+r"(n)
				 : [at] "r"(at)
				 : "cc", "memory");
		drain();
	}
}

static unsigned choice(const char *text, const char *const names[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(text, names[i]))
			return i;
	fprintf(stderr, "flood: %s: legal are", text);
	for (unsigned i = 0; i < n; i++)
		fprintf(stderr, " %s", names[i]);
	fprintf(stderr, "\n");
	exit(2);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "trace", "resource", "mixed", "count", "burst" };
	static const char *const waits[] = { "discard", "wait" };
	enum { TRACE, RESOURCE, MIXED, COUNT, BURST };
	unsigned long id, period, samples, group;
	unsigned kind, wait;
	uint64_t data, start, ticks;

	if (argc != 6) {
		fprintf(stderr, "usage: flood ID KIND WAIT PERIOD SAMPLES\n");
		return 2;
	}
	id = operand(argv[1], 1, 0xffff);
	kind = choice(argv[2], kinds, sizeof(kinds) / sizeof(*kinds));
	wait = choice(argv[3], waits, sizeof(waits) / sizeof(*waits));
	period = operand(argv[4], kind == BURST ? 1 : LEAST_PERIOD, MOST);
	group = kind == BURST ? period : GROUP;
	samples = operand(argv[5], group, MOST);
	if (samples % group) {
		fprintf(stderr, "flood: %lu: legal are multiples of %lu\n", samples, group);
		return 2;
	}
	if (mk_open(NULL))
		die(MK_DEVICE);
	if (mk_reset() || mk_mux(0, MKR_MUX_SOFTWARE) || mk_clear(1) || mk_enable(1) || mk_filter(1) ||
	    mk_csr((wait ? MKR_CSR_WWAIT : MKR_CSR_WWAITOFF) | MKR_CSR_SE))
		die("setting the card up");
	if (kind == COUNT && !mk_main.raw)
		die("the registers are not mapped for writing");
	data = MK_EVENT(MK_KIND_POINT, id, 0);
	start = mk_timestamp();
	if (kind == BURST)
		bursts(&mk_page[MKR_SAMPLE_TRACE(0)], data, period, samples);
	else if (kind == COUNT)
		series(&mk_main.raw[MKR_COUNTER(0)], &mk_main.raw[MKR_COUNTER(0)], data, period, samples / group);
	else
		series(&mk_page[kind == TRACE ? MKR_SAMPLE_TRACE(0) : MKR_SAMPLE_RESOURCE(0)],
		       &mk_page[kind == RESOURCE ? MKR_SAMPLE_RESOURCE(0) : MKR_SAMPLE_TRACE(0)], data, period, samples / group);
	ticks = mk_timestamp() - start;
	drain();
	if (mk_csr(MKR_CSR_SEOFF))
		die("sampling off");
	printf("flood %lu %lu %u %u %" PRIu64 " %" PRIu64 "\n", id, samples, mk_overruns(), mk_waits(), mk_counter(0), ticks);
	return 0;
}
