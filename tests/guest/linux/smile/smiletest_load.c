/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <sys/ioctl.h>

#include "tests/guest/linux/smile/smiletest.h"

static struct bench b;

/* --- rules --- */

static long call(unsigned long command, const void *argument)
{
	return ioctl(b.set.card[0].fd, command, argument);
}

static void rules_of_dynamic(void)
{
	struct smile_dynamic d = { SMR_MAXR_MASK + 1, 0 };
	struct smile_page p = { .index = 0 };
	struct smile_counters c;
	uint32_t number = 2;

	check_refused(call(SMILE_IOC_DYNAMIC, &d), EINVAL, "a range beyond all addresses");
	d = (struct smile_dynamic){ 0, 0x100 };
	check_refused(call(SMILE_IOC_DYNAMIC, &d), EINVAL, "a ninth bit of the mask");
	check_refused(call(SMILE_IOC_PAGE, &p), ENOMEDIUM, "the other design's page table");
	check_refused(call(SMILE_IOC_COUNTERS, &c), ENOMEDIUM, "and its counters");
	check_refused(call(SMILE_IOC_RUN, &number), EINVAL, "switch 2");
	check_refused(call(_IO(SMILE_IOC_MAGIC, 0x7f), NULL), ENOTTY, "an unknown ioctl");
	check_refused(call(SMILE_IOC_DYNAMIC, NULL), EFAULT, "an argument at 0");
}

static void rules_of_static(void)
{
	static const struct smile_page pages[] = { { 32, 1, 0, 0 }, { 0, 2, 0, 0 }, { 0, 1, 1u << 20, 0 }, { 0, 1, 0, 32 } };
	static const struct smile_event events[] = {
		{ 16, 1, 0, 0, 0, 0 }, { 0, 2, 0, 0, 0, 0 }, { 0, 1, 32, 0, 0, 0 }, { 0, 1, 0, 0x100, 0, 0 }, { 0, 1, 0, 0, 1024, 0 },
		{ 0, 1, 0, 0, 0, 1024 },
	};
	static const struct smile_counter counters[] = {
		{ 16, 0, 0, 0, 0, 0 }, { 0, 32, 0, 0, 0, 0 }, { 0, 0, 32, 0, 0, 0 }, { 0, 0, 0, 32, 0, 0 }, { 0, 0, 0, 0, 2, 0 },
		{ 0, 0, 0, 0, 0, 1 },
	};
	struct smile_dynamic d = { 0, 0 };

	for (unsigned i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		check_refused(call(SMILE_IOC_PAGE, &pages[i]), EINVAL, "a page table entry");
	for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		check_refused(call(SMILE_IOC_EVENT, &events[i]), EINVAL, "an event");
	for (unsigned i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		check_refused(call(SMILE_IOC_COUNTER, &counters[i]), EINVAL, "a counter");
	check_refused(call(SMILE_IOC_DYNAMIC, &d), ENOMEDIUM, "the other design's range");
}

void rules(char **words)
{
	const int reader = open("/dev/smile0", O_RDONLY | O_NONBLOCK);
	struct smile_info info;
	struct smile_stats stats;
	struct smile_load load = { .name = "static" };
	uint32_t number = 0;

	bench_open(&b, 4, "dynamic");
	check(!ioctl(reader, SMILE_IOC_INFO, &info) && !ioctl(reader, SMILE_IOC_STATS, &stats), "a reader may ask");
	check_refused(ioctl(reader, SMILE_IOC_LOAD, &load), EBADF, "a reader's design");
	check_refused(ioctl(reader, SMILE_IOC_RUN, &number), EBADF, "a reader's switch");
	check_refused(ioctl(reader, SMILE_IOC_SWAP), EBADF, "a reader's swap");
	check_refused(smile_load_design(&b.set.card[0], "nothing"), ENOENT, "a design that is not there");
	check_refused(smile_load_design(&b.set.card[0], "../x"), EINVAL, "a name with a path");
	same(b.set.card[0].info.design, SMILE_DESIGN_DYNAMIC, "the old one is still there: design", 2);
	check_refused(smile_load_design(&b.set.card[0], "large"), EFBIG, "an image larger than a slot");
	check_refused(smile_load_design(&b.set.card[0], "damaged"), EIO, "a damaged image");
	same(b.set.card[0].info.design, SMILE_DESIGN_DYNAMIC, "the card has its initial design: design", 2);
	load.flags = 2;
	check_refused(call(SMILE_IOC_LOAD, &load), EINVAL, "an unknown flag");
	memset(load.name, 'a', sizeof(load.name));
	load.flags = 0;
	check_refused(call(SMILE_IOC_LOAD, &load), EINVAL, "a name without an end");
	rules_of_dynamic();
	must(!smile_load_design(&b.set.card[0], "static"), "static");
	rules_of_static();
	must(!smile_load_design(&b.set.card[0], ""), "initial");
	same(b.set.card[0].info.design, SMILE_DESIGN_DYNAMIC, "the initial design", 2);
	close(reader);
	bench_close(&b);
}

/* --- the RAM cache --- */

static unsigned copies_of_load(const char *name, unsigned flags)
{
	struct smile_load load = { .flags = flags };

	strcpy(load.name, name);
	must(!call(SMILE_IOC_LOAD, &load), name);
	return load.copied;
}

void cache(char **words)
{
	bench_open(&b, 4, "static");
	must(!smile_load_design(&b.set.card[0], "dynamic"), "dynamic");
	same(copies_of_load("static", 0), 0, "in a slot already: copies, load", 3);
	same(copies_of_load("dynamic", 0), 0, "the other, too: copies, load", 4);
	same(copies_of_load("dynamic", SMILE_LOAD_COPY), 1, "asked for: copies, load", 5);
	same(copies_of_load("dynamic2", 0), 1, "a third design: copies, load", 6);
	same(copies_of_load("dynamic", 0), 0, "it took the slot of the older one: copies, load", 7);
	same(copies_of_load("static", 0), 1, "which is copied again: copies, load", 8);
	same(copies_of_load("", 0), 0, "the flash needs no slot: copies, load", 9);
	bench_close(&b);
}

/* --- designs that change under traffic --- */

static int stop;

static void *ask_all_the_time(void *argument)
{
	struct smile_stats s;
	struct smile_record r[16];
	unsigned long rounds = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		struct smile *m = &b.set.card[rounds++ % b.set.count];

		must(!smile_get_stats(m, &s), "statistics");
		if (argument)
			must(smile_read(m, r, 16) >= 0, "read");
		if (smile_swap(m) && errno != ENOMEDIUM)
			must(false, "swap");
	}
	return NULL;
}

/* What a design has counted comes out of the card before the next is loaded, so all that passes while it runs is there. */
void reload(char **words)
{
	const unsigned rounds = (unsigned)argument(words, 0, 4);
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
	struct smile_record r[16];
	pthread_t thread[2];

	bench_open(&b, 64, "dynamic");
	must(!smile_set_dynamic_all(&b.set, 0, SMILE_SENT) && !smile_run_all(&b.set, 1), "start");
	traffic_run(&b.t, 3000);
	must(!smile_load_design_all(&b.set, "static") && !smile_load_design_all(&b.set, "dynamic"), "load");
	for (unsigned n = 0; n < b.set.count; n++)
		must(!smile_histogram_read(h, &b.set.card[n]), "read");
	same(smile_histogram_total(h), traffic_total(&b.t), "counted by the design before, accesses of a node", 3000);

	traffic_start(&b.t, 60000);
	for (unsigned i = 0; i < 2; i++)
		must(!pthread_create(&thread[i], NULL, ask_all_the_time, i ? &b : NULL), "thread");
	for (unsigned i = 0; i < rounds; i++) {
		must(!smile_load_design_all(&b.set, "static") && !smile_run_all(&b.set, 1), "static");
		must(!smile_load_design_all(&b.set, "dynamic") && !smile_set_dynamic_all(&b.set, 0, SMILE_SENT) && !smile_run_all(&b.set, 1),
		     "dynamic");
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	traffic_wait(&b.t);
	check(true, "designs changed %u times under traffic, while others asked", 2 * rounds);

	traffic_forget(&b.t);
	smile_histogram_clear(h);
	must(!smile_reset_all(&b.set), "reset");
	traffic_run(&b.t, 3000);
	must(!smile_run_all(&b.set, 0) && !smile_collect_all(&b.set, h), "collect");
	same(smile_histogram_total(h), traffic_total(&b.t), "exact again, accesses of a node", 3000);
	for (unsigned n = 0; n < b.set.count; n++)
		same((unsigned)smile_read(&b.set.card[n], r, 16), 0, "nothing is left, node", n);
	smile_histogram_free(h);
	bench_close(&b);
}

/* --- removal, sleep --- */

static void *wait_for_records(void *argument)
{
	struct smile_record r;
	const ssize_t got = read(*(int *)argument, &r, sizeof(r));

	check_refused(got, ENODEV, "a read that waited");
	return NULL;
}

void gone(char **words)
{
	struct smile_record r;
	struct smile_stats s;
	char path[96];
	pthread_t thread;
	int fd;

	must(words[0] != NULL, "PCI device");
	bench_open(&b, 4, "dynamic");
	fd = open("/dev/smile0", O_RDWR);
	must(fd >= 0 && !smile_run(&b.set.card[0], 1) && !pthread_create(&thread, NULL, wait_for_records, &fd), "reader");
	usleep(20000);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", words[0]);
	write_file(path, "1");
	pthread_join(thread, NULL);
	check_refused(smile_get_stats(&b.set.card[0], &s), ENODEV, "statistics");
	check_refused(smile_load_design(&b.set.card[0], "static"), ENODEV, "a design");
	check_refused(smile_read(&b.set.card[0], &r, 1), ENODEV, "records");
	close(fd);
	bench_close(&b);
}

/* What was counted is kept; afterwards the card has its initial design, and works. */
void power(char **words)
{
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);

	bench_open(&b, 16, "dynamic");
	must(!smile_set_dynamic_all(&b.set, 0, SMILE_SENT) && !smile_run_all(&b.set, 1), "start");
	traffic_run(&b.t, 1000);
	write_file("/sys/power/state", "mem");
	for (unsigned n = 0; n < b.set.count; n++)
		must(!smile_histogram_read(h, &b.set.card[n]), "read");
	same(smile_histogram_total(h), traffic_total(&b.t), "counted before the sleep, accesses of a node", 1000);
	smile_histogram_clear(h);
	traffic_forget(&b.t);
	must(!smile_load_design_all(&b.set, "static") && !smile_load_design_all(&b.set, "dynamic"), "load");
	must(!smile_set_dynamic_all(&b.set, 0, SMILE_SENT) && !smile_run_all(&b.set, 1), "start");
	traffic_run(&b.t, 1000);
	must(!smile_collect_all(&b.set, h), "collect");
	same(smile_histogram_total(h), traffic_total(&b.t), "counted after it, accesses of a node", 1000);
	smile_histogram_free(h);
	bench_close(&b);
}
