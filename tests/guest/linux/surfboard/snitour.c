/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snitour - what no other program does to the SNI: every register is read, the counters and clocks are cleared, the high-water mark
 * is passed, pages end combining at each boundary. For coverage-test.
 *
 *   snitour            all of it, and checks that the driver counted what happened
 *   snitour clocks     only resets the clocks, as one node may for all
 */
#include <stdio.h>
#include <string.h>

#include "../../../../guest/shrimp/lib/snilib.h"

static int failures;

static void holds(const char *what, int ok)
{
	printf("%s: %s\n", ok ? "ok" : "FAILED", what);
	failures += !ok;
}

static void command(int fd, uint32_t bit)
{
	uint32_t scr;

	holds("SCR", sni_get_reg(fd, SNI_SCR, &scr) == 0 && sni_set_reg(fd, SNI_SCR, scr | bit) == 0);
}

static void registers(int fd)
{
	static const struct { uint32_t from, to; } ranges[] = {
		{ SNI_SCR, SNI_CTOR }, { SNI_CLKL, SNI_UDCR }, { SNI_TXP, SNI_TXP + 8 * SNI_COUNTERS - 4 }, { 0x200, SNI_LAT_TOTAL + 12 },
	};
	uint32_t offset, value;
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (offset = ranges[i].from; offset <= ranges[i].to; offset += 4)
			holds("a register is read", sni_get_reg(fd, offset, &value) == 0);
}

static void counters(int fd)
{
	uint64_t sent = 1;
	uint32_t value;

	command(fd, SNI_SCR_CRST);
	holds("no packet is counted", sni_get_counter(fd, SNI_TXP, &sent) == 0 && sent == 0);
	command(fd, SNI_SCR_FLUSH);
	do
		sni_get_reg(fd, SNI_SSR, &value);
	while (!(value & SNI_SSR_EMPTY));
	sni_get_reg(fd, SNI_CLKL, &value);
	sni_get_reg(fd, SNI_CLKH, &value);
	sni_set_reg(fd, SNI_CTOR, 60);
}

/* Stores that fill the FIFO above its mark: the driver waits until it has emptied. */
static void throttle(int fd)
{
	static const uint32_t boundaries[] = { 256, 512, 1024, 2048, 4096 };
	volatile uint32_t *in = sni_pages(fd, 1), *out = sni_pages(fd, 1);
	struct sni_stats before, after;
	struct sni_info info;
	uint32_t high, low;
	size_t i, word;

	holds("pages", in && out && sni_get_info(fd, &info) == 0 && sni_export(fd, in, 3, 0) == 0);
	sni_get_reg(fd, SNI_FHWM, &high);
	sni_get_reg(fd, SNI_FLWM, &low);
	sni_get_stats(fd, &before);
	sni_set_reg(fd, SNI_FHWM, 64);
	sni_set_reg(fd, SNI_FLWM, 8);
	for (i = 0; i < sizeof(boundaries) / sizeof(boundaries[0]); i++) {
		const uint32_t flags = SNI_IMPORT_AU | (i ? SNI_IMPORT_COMBINE | SNI_IMPORT_TIMEOUT : 0);

		holds("imported", sni_import(fd, out, info.node, (uint32_t)sni_pfn(fd, in), flags, boundaries[i]) == 0);
		for (word = 0; word < 1024; word++)
			out[word] = (uint32_t)word;
		sni_unimport(fd, out);
	}
	sni_set_reg(fd, SNI_FHWM, high);
	sni_set_reg(fd, SNI_FLWM, low);
	sni_get_stats(fd, &after);
	holds("the high-water mark was passed", after.high_water > before.high_water);
	holds("and the low-water mark came", after.low_water > before.low_water);
	sni_withdraw(fd, in);
}

int main(int argc, char **argv)
{
	int fd = sni_open();

	if (fd < 0) {
		perror("snitour: " SNI_DEVICE);
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "clocks")) {
		command(fd, SNI_SCR_GRST);
		return failures != 0;
	}
	registers(fd);
	counters(fd);
	throttle(fd);
	command(fd, SNI_SCR_GRST);
	return failures != 0;
}
