/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smiletest TEST ... - what smile.ko and smilelib promise, on a machine with a monitor for each node. Prints a line per check;
 * exit status 1 if one fails. Traffic is the test's own, and it counts what it does.
 *
 *   exact MAX_RANGE ACCESSES   dynamic design: sums by source and destination; with MAX_RANGE 0 by page, too
 *   totals ACCESSES            static design: counters beyond 16 bits
 *   watches, events            structures with names; start, stop, timer and global events
 *   interrupts ACCESSES        rings that overflow are saved, and nothing is lost
 *   loss ACCESSES              a driver that may keep nothing: the loss is told
 *   readers, waiting           several readers, read and poll that wait
 *   full, slow                 a buffer at its limit; a reader whose memory is not there yet
 *   page_bytes                 prints the size of the kernel's pages
 *   rules, cache, reload       what is refused; the RAM cache; designs that change under traffic
 *   gone PCI_DEVICE, power     removal, sleep
 *   plain ACCESSES             only traffic, and how many requests it sent; homes NODE: of the pages of user; user NODE ACCESSES:
 *                              loads of that node in these pages; moving NODE: the same, until these pages are at home where it runs
 */
#define _GNU_SOURCE

#include "tests/guest/linux/smile/smiletest.h"

int failures;
static struct traffic t;

static void plain(char **words)
{
	traffic_open(&t, 64);
	traffic_run(&t, (unsigned)argument(words, 0, 1000));
	printf("sent %llu\n", (unsigned long long)traffic_total(&t));
	traffic_close(&t);
}

#define USER_PAGES 8u

static void homes(char **words)
{
	must(!sci_open(&t.sci, NULL), SCI_DEVICE);
	for (unsigned p = 0; p < USER_PAGES; p++)
		must(!sci_set_home(&t.sci, p, (unsigned)argument(words, 0, 0)), "home");
	sci_close(&t.sci);
}

static void use(char **words)
{
	must(!sci_open(&t.sci, NULL), SCI_DEVICE);
	t.base = sci_map(&t.sci, 0, USER_PAGES * SCI_PAGE_BYTES, 0);
	must(t.base != NULL, "window");
	pin((unsigned)argument(words, 0, 0));
}

static void load_pages(unsigned accesses)
{
	for (unsigned i = 0; i < accesses; i++)
		(void)__atomic_load_n((volatile uint32_t *)(t.base + (i % USER_PAGES) * SCI_PAGE_BYTES + 4 * (i / 7 % 1024)), __ATOMIC_RELAXED);
}

static void user(char **words)
{
	use(words);
	load_pages((unsigned)argument(words, 1, 1000));
	sci_close(&t.sci);
}

/* After the last page has moved, or this thread has, as many accesses as are surely at home. */
static void moving(char **words)
{
	uint64_t accesses = 0;
	uint8_t now[USER_PAGES] = { 0 };
	unsigned moved = 0;

	use(words);
	while (moved < USER_PAGES) {
		load_pages(1000);
		accesses += 1000;
		if (accesses == 1000) {
			printf("begun\n");
			fflush(stdout);
		}
		must(!sci_get_homes(&t.sci, 0, USER_PAGES, now), "homes");
		for (moved = 0; moved < USER_PAGES && now[moved] == sched_getcpu(); moved++)
			;
	}
	load_pages(1000);
	printf("accesses %llu\n", (unsigned long long)accesses + 1000);
	sci_close(&t.sci);
}

static void page_bytes(char **words)
{
	printf("%ld\n", sysconf(_SC_PAGESIZE));
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "exact", exact }, { "totals", totals }, { "watches", watches }, { "events", events },
		{ "interrupts", interrupts }, { "loss", loss }, { "readers", readers }, { "waiting", waiting },
		{ "full", full }, { "slow", slow }, { "page_bytes", page_bytes },
		{ "rules", rules }, { "cache", cache }, { "reload", reload }, { "gone", gone }, { "power", power },
		{ "plain", plain }, { "homes", homes }, { "user", user }, { "moving", moving },
	};

	return run_tests(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
