/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <poll.h>

#include "tests/guest/linux/late.h"
#include "tests/guest/linux/smile/smiletest.h"

static struct bench b;

static void start(void)
{
	must(!smile_reset_all(&b.set) && !smile_set_dynamic_all(&b.set, 0, SMILE_SENT) && !smile_run_all(&b.set, 1), "start");
}

static struct smile_stats stats_of(unsigned n)
{
	struct smile_stats s;

	must(!smile_get_stats(&b.set.card[n], &s), "statistics");
	return s;
}

/* Until the handler has been there, if the ring is full: then the queue can take another burst. */
static void until_saved(unsigned node)
{
	while (stats_of(node).queue)
		usleep(100);
}

/*
 * Nobody reads until the end, so all records go through the interrupt handler, but for the last ones. A short queue would not last
 * until the handler's processor gets its turn, so there the traffic comes in bursts.
 */
void interrupts(char **words)
{
	const unsigned accesses = (unsigned)argument(words, 0, 50000), burst = (unsigned)argument(words, 1, 0);
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
	uint64_t before[SCIR_MAX_NODES], lost[SCIR_MAX_NODES];

	bench_open(&b, 64, "dynamic");
	start();
	for (unsigned n = 0; n < b.set.count; n++) {
		before[n] = stats_of(n).interrupts;
		lost[n] = stats_of(n).lost;
	}
	for (unsigned n = 0; n < b.t.nodes; n++) {
		b.t.node[n].burst = burst;
		b.t.node[n].pause = until_saved;
	}
	traffic_run(&b.t, accesses);
	must(!smile_run_all(&b.set, 0), "stop");
	for (unsigned n = 0; n < b.set.count; n++) {
		const struct smile_stats s = stats_of(n);

		check(s.interrupts > before[n], "rings of node %u were saved as they filled", n);
		same(s.lost - lost[n], 0, "lost by node", n);
		check(s.waiting > 0, "node %u has records in the driver's memory", n);
	}
	must(!smile_collect_all(&b.set, h), "collect");
	same(smile_histogram_total(h), traffic_total(&b.t), "all, accesses of a node", accesses);
	smile_histogram_free(h);
	bench_close(&b);
}

/* Returns what it was. */
static unsigned set_limit(unsigned pages)
{
	FILE *f = fopen("/sys/module/smile/parameters/limit", "r+");
	unsigned before;

	must(f && fscanf(f, "%u", &before) == 1, "limit");
	rewind(f);
	must(fprintf(f, "%u", pages) > 0 && !fclose(f), "limit");
	return before;
}

/* The driver may keep one page, and the card has no queue, or a short one. What is lost is said thrice, and all the same. */
void loss(char **words)
{
	const unsigned accesses = (unsigned)argument(words, 0, 50000);
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
	uint64_t told = 0, before[SCIR_MAX_NODES], after = 0;
	unsigned limit;

	bench_open(&b, 64, "dynamic");
	limit = set_limit(1);
	start();
	for (unsigned n = 0; n < b.set.count; n++)
		before[n] = stats_of(n).lost;
	traffic_run(&b.t, accesses);
	must(!smile_run_all(&b.set, 0), "stop");
	set_limit(limit);
	must(!smile_collect_all(&b.set, h), "collect");
	for (unsigned n = 0; n < b.set.count; n++) {
		const uint64_t lost = stats_of(n).lost - before[n];

		check(lost > 0, "node %u has lost records", n);
		told += lost;
	}
	same(smile_histogram_lost(h), told, "what the records say is lost, nodes", b.set.count);
	check(smile_histogram_total(h) < traffic_total(&b.t), "and there is less than there was");
	/* Of each lost record at least one event, so that none is lost silently. */
	check(smile_histogram_total(h) + told <= traffic_total(&b.t), "each record that was lost had a count");
	printf("lost %llu\n", (unsigned long long)told);
	smile_histogram_clear(h);
	traffic_forget(&b.t);
	start();
	traffic_run(&b.t, 1000);
	must(!smile_run_all(&b.set, 0) && !smile_collect_all(&b.set, h), "again");
	for (unsigned n = 0; n < b.set.count; n++)
		after += stats_of(n).lost - before[n];
	same(after, told, "lost altogether after a run that fits, nodes", b.set.count);
	same(smile_histogram_total(h), traffic_total(&b.t), "all of it, accesses of a node", 1000);
	smile_histogram_free(h);
	bench_close(&b);
}

/* --- several readers share what there is --- */

static int done;

static void *read_all(void *argument)
{
	struct smile_histogram *h = argument;

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		for (unsigned n = 0; n < b.set.count; n++)
			must(!smile_histogram_read(h, &b.set.card[n]), "read");
	return NULL;
}

void readers(char **words)
{
	struct smile_histogram *h[3];
	pthread_t thread[2];

	bench_open(&b, 64, "dynamic");
	for (unsigned i = 0; i < 3; i++)
		h[i] = smile_histogram_new(SMR_PAGE_WORDS);
	start();
	traffic_start(&b.t, 20000);
	for (unsigned i = 0; i < 2; i++)
		must(!pthread_create(&thread[i], NULL, read_all, h[i]), "thread");
	traffic_wait(&b.t);
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	must(!smile_run_all(&b.set, 0) && !smile_collect_all(&b.set, h[2]), "collect");
	same(smile_histogram_total(h[0]) + smile_histogram_total(h[1]) + smile_histogram_total(h[2]), traffic_total(&b.t), "all, readers", 3);
	for (unsigned i = 0; i < 3; i++)
		smile_histogram_free(h[i]);
	bench_close(&b);
}

/* --- read and poll that wait --- */

static void *swap_later(void *argument)
{
	usleep(30000);
	must(!smile_swap(argument), "swap");
	return NULL;
}

static void blocking_read(struct smile *m)
{
	struct smile_record r[4];
	const int fd = open(m->device, O_RDWR);
	pthread_t thread;
	ssize_t got;

	must(fd >= 0 && !pthread_create(&thread, NULL, swap_later, m), "thread");
	(void)__atomic_load_n((volatile uint32_t *)(b.t.base), __ATOMIC_RELAXED);
	got = read(fd, r, sizeof(r)); /* one entry, out of the range table by the swap */
	pthread_join(thread, NULL);
	same((unsigned long long)got, sizeof(r[0]), "a read that waits for a swap: bytes, node", m->info.node);
	same(SMR_GET(RECORD_WHY, r[0].word0), SMR_RECORD_DEMAND, "demanded, node", m->info.node);
	check_refused(read(fd, r, 7), EINVAL, "a read of less than a record");
	check(!read(fd, r, 0), "a read of nothing");
	close(fd);
}

void waiting(char **words)
{
	struct smile *m;
	struct smile_record r[8];
	struct pollfd p;

	bench_open(&b, 4, "dynamic");
	m = &b.set.card[1];
	start();
	pin(1);
	p = (struct pollfd){ m->fd, POLLIN, 0 };
	same((unsigned)smile_read(m, r, 8), 0, "nothing to read, node", 1);
	same((unsigned)poll(&p, 1, 0), 0, "poll says so, node", 1);
	blocking_read(m);
	/* 5000 single words: the ring, 2048 records, is full twice. */
	for (unsigned i = 0; i < 5000; i++)
		(void)__atomic_load_n((volatile uint32_t *)(b.t.base + 4 * (i % 1024)), __ATOMIC_RELAXED);
	same((unsigned)poll(&p, 1, 10000), 1, "full rings can be polled for, node", 1);
	check(p.revents & POLLIN, "readable");
	same((unsigned)smile_read(m, r, 8), 8, "read, node", 1);
	bench_close(&b);
}

/* --- a buffer at its limit: what is in the card becomes readable as soon as there is room --- */

static void touch_words(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		(void)__atomic_load_n((volatile uint32_t *)(b.t.base + 4 * (i % 1024)), __ATOMIC_RELAXED);
}

void full(char **words)
{
	const unsigned page = (unsigned)(sysconf(_SC_PAGESIZE) / sizeof(struct smile_record)) - 4; /* its records */
	struct smile_record *r = zeroed(page, sizeof(*r));
	struct pollfd p;
	unsigned limit, all;

	bench_open(&b, 4, "dynamic");
	limit = set_limit(1);
	start();
	pin(1);
	/* A page of 64 KB takes several rings. */
	while (stats_of(1).waiting < page || !stats_of(1).queue)
		touch_words(1024);
	all = (unsigned)stats_of(1).waiting;
	p = (struct pollfd){ b.set.card[1].fd, POLLIN, 0 };
	same((unsigned)smile_read(&b.set.card[1], r, all), all, "all that the driver has, node", 1);
	same((unsigned)poll(&p, 1, 0), 1, "and poll knows of what the card has, node", 1);
	check(smile_read(&b.set.card[1], r, 8) == 8, "which can be read");
	set_limit(limit);
	must(!smile_run_all(&b.set, 0), "stop");
	free(r);
	bench_close(&b);
}

/* --- a reader whose memory is late: the others have theirs --- */

static struct late late;

static void *read_slowly(void *unused)
{
	const int fd = open(b.set.card[1].device, O_RDWR);

	must(fd >= 0 && read(fd, late.at, sizeof(struct smile_record)) == sizeof(struct smile_record), "read");
	close(fd);
	return NULL;
}

static void *read_and_reset(void *good)
{
	struct smile_record r;

	if (read(b.set.card[1].fd, &r, sizeof(r)) == sizeof(r) && !smile_reset_all(&b.set))
		__atomic_store_n((bool *)good, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Several records in the driver's memory. */
static void some_records(void)
{
	touch_words(64);
	must(!smile_swap(&b.set.card[1]), "swap");
}

void slow(char **words)
{
	pthread_t slow, other;
	uint64_t waiting;
	bool good = false;

	bench_open(&b, 4, "dynamic");
	start();
	pin(1);
	some_records();
	late = late_page();
	must(late.faults >= 0, "userfaultfd");
	must(!pthread_create(&slow, NULL, read_slowly, NULL), "thread");
	late_touched(&late); /* it is in the middle of its read */
	must(!pthread_create(&other, NULL, read_and_reset, &good), "thread");
	for (int i = 0; i < 6000 && !__atomic_load_n(&good, __ATOMIC_ACQUIRE); i++) /* ends a hang */
		usleep(100000);
	check(good, "another one reads, and resets the monitors, while a reader's memory is late");
	start();
	some_records();
	must(!late_bring(&late, NULL), "page");
	pthread_join(slow, NULL);
	pthread_join(other, NULL);
	check(SMR_GET(RECORD_KIND, ((struct smile_record *)late.at)->word0) == SMR_RECORD_RANGE,
	      "the late one has a record of after the reset");
	waiting = stats_of(1).waiting;
	check_refused(syscall(SYS_read, b.set.card[1].fd, 16, sizeof(struct smile_record)), EFAULT, "memory that is none"); /* no pointer for the compiler */
	same(stats_of(1).waiting, waiting, "which takes no record away, node", 1);
	late_end(&late);
	bench_close(&b);
}
