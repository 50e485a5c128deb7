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
#include <poll.h>

#include "tests/guest/linux/contract.h"
#include "tests/guest/linux/late.h"
#include "tests/guest/linux/traffic.h"

int failures;
#define ALWAYS .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT

/* Monitors of all nodes, in their order. */
static struct bench {
	struct traffic t;
	struct smile_set set;
} b;

/* The design is loaded, nothing runs, and nothing that others have left is to be read. */
static void bench_open(unsigned pages, const char *design)
{
	traffic_open(&b.t, pages);
	must(!smile_open_all(&b.set), "monitors");
	must(b.set.count == b.t.nodes, "a monitor for each node");
	for (unsigned n = 0; n < b.set.count; n++)
		must(b.set.card[n].info.node == n || design, "its node");
	if (design)
		must(!smile_load_design_all(&b.set, design) && !smile_reset_all(&b.set), design);
}

static void bench_close(void)
{
	smile_close_all(&b.set);
	traffic_close(&b.t);
}

static void count_sent(void)
{
	must(!smile_set_dynamic_all(&b.set, 0, SMILE_SENT) && !smile_run_all(&b.set, 1), "start");
}

static void collect(struct smile_histogram *h)
{
	must(!smile_run_all(&b.set, 0) && !smile_collect_all(&b.set, h), "collect");
}

static void read_cards(struct smile_histogram *h)
{
	for (unsigned n = 0; n < b.set.count; n++)
		must(!smile_histogram_read(h, &b.set.card[n]), "read");
}

static void same_as_sent(const struct smile_histogram *h, const char *what, unsigned number)
{
	same(smile_histogram_total(h), traffic_total(&b.t), what, number);
}

/* Loads of a page's words, one after the other. */
static void touch_words(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		(void)__atomic_load_n((volatile uint32_t *)(b.t.base + 4 * (i % 1024)), __ATOMIC_RELAXED);
}

/* --- dynamic --- */

static uint64_t of_pair(const struct smile_histogram *h, unsigned source, unsigned destination)
{
	size_t n;
	struct smile_cell *cells = smile_histogram_cells(h, &n);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += cells[i].source == source && cells[i].destination == destination ? cells[i].count : 0;
	free(cells);
	return sum;
}

static void compare_pairs(const struct smile_histogram *h)
{
	for (unsigned s = 0; s < b.t.nodes; s++)
		for (unsigned d = 0; d < b.t.nodes; d++) {
			const uint64_t *c = b.t.node[s].sent[d];

			same(of_pair(h, s, d), s == d ? 0 : c[READ] + c[WRITE] + 2 * c[LOCKED], "source and destination", 10 * s + d);
		}
}

static void compare_pages(const struct smile_histogram *h)
{
	unsigned wrong = 0;

	for (unsigned s = 0; s < b.t.nodes; s++)
		for (unsigned p = 0; p < b.t.pages; p++)
			wrong += smile_histogram_get(h, p, s, b.t.home[p]) != traffic_to_page(&b.t, s, p);
	same(wrong, 0, "pages with a wrong count, of", b.t.nodes * b.t.pages);
}

/* Requests where they are sent, then those that arrive, then all packets: the second and third are other numbers. */
static void exact(char **words)
{
	const uint32_t range = (uint32_t)argument(words, 0, 0);
	const unsigned accesses = (unsigned)argument(words, 1, 10000);
	static const uint32_t masks[] = { SMILE_SENT, SMILE_RECEIVED, SMR_FILTER_ALL };

	bench_open(48, "dynamic");
	for (unsigned i = 0; i < COUNT(masks); i++) {
		struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
		uint64_t responses = 0;

		must(h && !smile_reset_all(&b.set) && !smile_set_dynamic_all(&b.set, range, masks[i]) && !smile_run_all(&b.set, 1), "start");
		traffic_run(&b.t, accesses);
		collect(h);
		for (unsigned n = 0; n < b.t.nodes; n++)
			responses += traffic_of(&b.t, n, READ) + traffic_of(&b.t, n, LOCKED);
		same(smile_histogram_total(h), masks[i] == SMR_FILTER_ALL ? 2 * (traffic_total(&b.t) + responses) : traffic_total(&b.t),
		     "all, mask", masks[i]);
		same(smile_histogram_lost(h), 0, "lost, mask", masks[i]);
		if (masks[i] != SMR_FILTER_ALL)
			compare_pairs(h);
		if (masks[i] != SMR_FILTER_ALL && !range)
			compare_pages(h);
		printf("records: %llu replaced, %llu demanded\n", (unsigned long long)smile_histogram_records(h, SMR_RECORD_REPLACED),
		       (unsigned long long)smile_histogram_records(h, SMR_RECORD_DEMAND));
		smile_histogram_free(h);
		traffic_forget(&b.t);
	}
}

/* --- static --- */

static struct smile_counters counters_of(struct smile *m)
{
	struct smile_counters c;

	must(!smile_get_counters(m, &c), "counters");
	return c;
}

/* Loads of one word by one node. */
static void load_word(unsigned node, size_t offset, unsigned times)
{
	pin(node);
	for (unsigned i = 0; i < times; i++)
		(void)__atomic_load_n((volatile uint32_t *)(b.t.base + offset), __ATOMIC_RELAXED);
}

static void totals(char **words)
{
	const unsigned accesses = (unsigned)argument(words, 0, 200000);
	struct smile_counters c;
	struct smile_watch w[] = {
		{ .name = "word", .offset = 8, .bytes = 4, ALWAYS },
		{ .name = "rest", .offset = 12, .bytes = SCI_PAGE_BYTES - 12, ALWAYS },
	};
	struct smile *m;

	bench_open(4, "static");
	m = &b.set.card[1];
	must(!smile_watch_program(m, &b.t.sci, w, 2) && !smile_run(m, 1), "program");
	load_word(1, 8, accesses);
	load_word(1, 12, 70000);
	load_word(1, 4, 1000);
	c = counters_of(m);
	same(smile_watch_count(&w[0], &c), accesses, "a word's loads, counter", w[0].first);
	same(smile_watch_count(&w[1], &c), 70000, "the rest's loads, counter", w[1].first);
	load_word(1, 8, 3);
	c = counters_of(m);
	same(smile_watch_count(&w[0], &c), accesses + 3, "they run on, counter", w[0].first);
	must(!smile_set_active(m, 0, SMILE_NO_EVENT, 0), "counter 0");
	load_word(1, 8, 5);
	load_word(1, 12, 1);
	c = counters_of(m);
	same(c.value[0], 5, "set anew it begins at 0, counter", 0);
	same(c.value[1], 70001, "the other does not, counter", 1);
	must(!smile_reset(m), "reset");
	load_word(1, 8, 7); /* a reset counter is not active: no start event */
	c = counters_of(m);
	same(c.value[0] + c.value[1] + c.lost, 0, "after a reset, monitor", 1);
}

/* Named structures, of part of a page and of several, with filters, against what the traffic says of its pages. */
static void watches(char **words)
{
	struct smile_counters c;
	struct smile_watch w[] = {
		{ .name = "five pages", .offset = 5 * SCI_PAGE_BYTES, .bytes = 5 * SCI_PAGE_BYTES, ALWAYS },
		{ .name = "page 2, loads", .offset = 2 * SCI_PAGE_BYTES, .bytes = SCI_PAGE_BYTES, ALWAYS,
		  .filter = SMR_FILTER_READ | SMR_FILTER_REQUEST | SMR_FILTER_OUTBOUND },
		{ .name = "page 2, the rest", .offset = 2 * SCI_PAGE_BYTES, .bytes = SCI_PAGE_BYTES, ALWAYS },
	};
	struct smile_watch many = { .name = "17 pages", .offset = 4, .bytes = 16 * SCI_PAGE_BYTES, ALWAYS };
	struct smile_watch far = { .name = "far", .offset = 1ull << 40, .bytes = 4, ALWAYS };

	bench_open(12, "static");
	check_refused(smile_watch_program(&b.set.card[0], &b.t.sci, &many, 1), ENOSPC, "parts of 17 pages");
	check_refused(smile_watch_program(&b.set.card[0], &b.t.sci, &far, 1), EINVAL, "what lies beyond the window");
	far.offset = 0;
	far.start = SMILE_EVENT_OF(1);
	check_refused(smile_watch_program(&b.set.card[0], &b.t.sci, &far, 1), EINVAL, "an event of no structure");
	for (unsigned n = 0; n < b.set.count; n++)
		must(!smile_watch_program(&b.set.card[n], &b.t.sci, w, 3), "program");
	must(!smile_run_all(&b.set, 1), "start");
	traffic_run(&b.t, 20000);
	for (unsigned n = 0; n < b.set.count; n++) {
		const uint64_t *page2 = b.t.node[n].page[2];
		uint64_t five = 0;

		for (unsigned p = 5; p < 10; p++)
			five += traffic_to_page(&b.t, n, p);
		c = counters_of(&b.set.card[n]);
		same(smile_watch_count(&w[0], &c), five, "five pages, node", n);
		same(smile_watch_count(&w[1], &c), n == b.t.home[2] ? 0 : page2[READ], "loads of page 2, node", n);
		same(smile_watch_count(&w[2], &c), n == b.t.home[2] ? 0 : page2[WRITE] + 2 * page2[LOCKED], "the rest of page 2, node", n);
	}
}

/* Start and stop by an access, by the program, by the timer. */
static void events(char **words)
{
	struct smile_counters c;
	struct smile_watch w[] = {
		{ .name = "counted", .offset = 0, .bytes = 4, .start = SMILE_EVENT_OF(1), .stop = SMILE_EVENT_OF(2) },
		{ .name = "start", .offset = 4, .bytes = 4, ALWAYS },
		{ .name = "stop", .offset = 8, .bytes = 4, ALWAYS },
		{ .name = "global", .offset = 12, .bytes = 4, .start = 17, .stop = 31 },
	};
	struct smile *m;

	bench_open(4, "static");
	m = &b.set.card[2];
	must(!smile_watch_program(m, &b.t.sci, w, 4) && !smile_run(m, 1), "program");
	load_word(2, 0, 10);
	load_word(2, 4, 1);
	load_word(2, 0, 20);
	load_word(2, 8, 1);
	load_word(2, 0, 40);
	load_word(2, 12, 3);
	must(!smile_global_event(m, 17), "event 17");
	load_word(2, 12, 6);
	must(!smile_global_event(m, 31), "event 31");
	load_word(2, 12, 12);
	c = counters_of(m);
	same(smile_watch_count(&w[0], &c), 20, "between start and stop, counter", 0);
	same(smile_watch_count(&w[1], &c), 1, "starts, counter", 1);
	same(smile_watch_count(&w[3], &c), 6, "between global events, counter", 3);
	check_refused(smile_global_event(m, 16), EINVAL, "the timer's event");
	check_refused(smile_global_event(m, 32), EINVAL, "event 32");
	must(!smile_set_active(m, 15, SMILE_NO_EVENT, SMR_TIMER_EVENT) && !smile_set_timer(m, 50000), "timer of a millisecond");
	usleep(20000);
	must(!smile_set_timer(m, 0), "timer");
	c = counters_of(m);
	check(c.value[15] >= 15, "the timer's events are counted");
	printf("%llu of them\n", (unsigned long long)c.value[15]);
}

static void start(void)
{
	must(!smile_reset_all(&b.set), "reset");
	count_sent();
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
static void interrupts(char **words)
{
	const unsigned accesses = (unsigned)argument(words, 0, 50000), burst = (unsigned)argument(words, 1, 0);
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
	uint64_t before[SCIR_MAX_NODES], lost[SCIR_MAX_NODES];

	bench_open(64, "dynamic");
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
	collect(h);
	same_as_sent(h, "all, accesses of a node", accesses);
	smile_histogram_free(h);
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
static void loss(char **words)
{
	const unsigned accesses = (unsigned)argument(words, 0, 50000);
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
	uint64_t told = 0, before[SCIR_MAX_NODES], after = 0;
	unsigned limit;

	bench_open(64, "dynamic");
	limit = set_limit(1);
	start();
	for (unsigned n = 0; n < b.set.count; n++)
		before[n] = stats_of(n).lost;
	traffic_run(&b.t, accesses);
	must(!smile_run_all(&b.set, 0), "stop");
	set_limit(limit);
	collect(h);
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
	collect(h);
	for (unsigned n = 0; n < b.set.count; n++)
		after += stats_of(n).lost - before[n];
	same(after, told, "lost altogether after a run that fits, nodes", b.set.count);
	same_as_sent(h, "all of it, accesses of a node", 1000);
	smile_histogram_free(h);
}

/* --- several readers share what there is --- */

static int done;

static void *read_all(void *argument)
{
	struct smile_histogram *h = argument;

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		read_cards(h);
	return NULL;
}

static void readers(char **words)
{
	struct smile_histogram *h[3];
	pthread_t thread[2];

	bench_open(64, "dynamic");
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
	collect(h[2]);
	same(smile_histogram_total(h[0]) + smile_histogram_total(h[1]) + smile_histogram_total(h[2]), traffic_total(&b.t), "all, readers", 3);
	for (unsigned i = 0; i < 3; i++)
		smile_histogram_free(h[i]);
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
	touch_words(1);
	got = read(fd, r, sizeof(r)); /* one entry, out of the range table by the swap */
	pthread_join(thread, NULL);
	same((unsigned long long)got, sizeof(r[0]), "a read that waits for a swap: bytes, node", m->info.node);
	same(SMR_GET(RECORD_WHY, r[0].word0), SMR_RECORD_DEMAND, "demanded, node", m->info.node);
	check_refused(read(fd, r, 7), EINVAL, "a read of less than a record");
	check(!read(fd, r, 0), "a read of nothing");
	close(fd);
}

static void waiting(char **words)
{
	struct smile *m;
	struct smile_record r[8];
	struct pollfd p;

	bench_open(4, "dynamic");
	m = &b.set.card[1];
	start();
	pin(1);
	p = (struct pollfd){ m->fd, POLLIN, 0 };
	same((unsigned)smile_read(m, r, 8), 0, "nothing to read, node", 1);
	same((unsigned)poll(&p, 1, 0), 0, "poll says so, node", 1);
	blocking_read(m);
	/* 5000 single words: the ring, 2048 records, is full twice. */
	touch_words(5000);
	same((unsigned)poll(&p, 1, 10000), 1, "full rings can be polled for, node", 1);
	check(p.revents & POLLIN, "readable");
	same((unsigned)smile_read(m, r, 8), 8, "read, node", 1);
}

/* --- a buffer at its limit: what is in the card becomes readable as soon as there is room --- */

static void full(char **words)
{
	const unsigned page = (unsigned)(sysconf(_SC_PAGESIZE) / sizeof(struct smile_record)) - 4; /* its records */
	struct smile_record *r = zeroed(page, sizeof(*r));
	struct pollfd p;
	unsigned limit, all;

	bench_open(4, "dynamic");
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

static void slow(char **words)
{
	pthread_t slow, other;
	uint64_t waiting;
	bool good = false;

	bench_open(4, "dynamic");
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
}

/* --- rules --- */

static const struct contract contract = {
	.device = "/dev/smile0",
	.asks = { SMILE_IOC_INFO, SMILE_IOC_STATS },
	.changes = { SMILE_IOC_LOAD, SMILE_IOC_DYNAMIC, SMILE_IOC_PAGE, SMILE_IOC_EVENT, SMILE_IOC_COUNTER, SMILE_IOC_COUNTERS, SMILE_IOC_TIMER,
		     SMILE_IOC_GLOBAL_EVENT, SMILE_IOC_RUN, SMILE_IOC_RESET, SMILE_IOC_SWAP },
	.reads = true,
};

static void rules_of_dynamic(int fd)
{
	const struct smile_dynamic far = { SMR_MAXR_MASK + 1, 0 }, ninth = { 0, 0x100 };
	const struct smile_page p = { .index = 0 };
	struct smile_counters c;
	const uint32_t two = 2;

	CALLS(fd, { SMILE_IOC_DYNAMIC, &far, EINVAL, "a range beyond all addresses" },
	      { SMILE_IOC_DYNAMIC, &ninth, EINVAL, "a ninth bit of the mask" },
	      { SMILE_IOC_PAGE, &p, ENOMEDIUM, "the other design's page table" },
	      { SMILE_IOC_COUNTERS, &c, ENOMEDIUM, "and its counters" },
	      { SMILE_IOC_RUN, &two, EINVAL, "switch 2" });
}

static void rules_of_static(int fd)
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
	const struct smile_dynamic d = { 0, 0 };

	for (unsigned i = 0; i < COUNT(pages); i++)
		CALLS(fd, { SMILE_IOC_PAGE, &pages[i], EINVAL, "a page table entry" });
	for (unsigned i = 0; i < COUNT(events); i++)
		CALLS(fd, { SMILE_IOC_EVENT, &events[i], EINVAL, "an event" }, { SMILE_IOC_COUNTER, &counters[i], EINVAL, "a counter" });
	CALLS(fd, { SMILE_IOC_DYNAMIC, &d, ENOMEDIUM, "the other design's range" });
}

static void rules(char **words)
{
	struct smile *const card = &b.set.card[0];
	struct smile_load flag = { .name = "static", .flags = 2 }, endless = { .flags = 0 };

	bench_open(4, "dynamic");
	check_contract(&contract);
	check_refused(smile_load_design(card, "nothing"), ENOENT, "a design that is not there");
	check_refused(smile_load_design(card, "../x"), EINVAL, "a name with a path");
	same(card->info.design, SMILE_DESIGN_DYNAMIC, "the old one is still there: design", 2);
	check_refused(smile_load_design(card, "large"), EFBIG, "an image larger than a slot");
	check_refused(smile_load_design(card, "damaged"), EIO, "a damaged image");
	same(card->info.design, SMILE_DESIGN_DYNAMIC, "the card has its initial design: design", 2);
	memset(endless.name, 'a', sizeof(endless.name));
	CALLS(card->fd, { SMILE_IOC_LOAD, &flag, EINVAL, "an unknown flag" }, { SMILE_IOC_LOAD, &endless, EINVAL, "a name without an end" });
	rules_of_dynamic(card->fd);
	must(!smile_load_design(card, "static"), "static");
	rules_of_static(card->fd);
	must(!smile_load_design(card, ""), "initial");
	same(card->info.design, SMILE_DESIGN_DYNAMIC, "the initial design", 2);
}

/* --- the RAM cache --- */

static unsigned copies_of_load(const char *name, unsigned flags)
{
	struct smile_load load = { .flags = flags };

	strcpy(load.name, name);
	must(!ioctl(b.set.card[0].fd, SMILE_IOC_LOAD, &load), name);
	return load.copied;
}

static void cache(char **words)
{
	bench_open(4, "static");
	must(!smile_load_design(&b.set.card[0], "dynamic"), "dynamic");
	same(copies_of_load("static", 0), 0, "in a slot already: copies, load", 3);
	same(copies_of_load("dynamic", 0), 0, "the other, too: copies, load", 4);
	same(copies_of_load("dynamic", SMILE_LOAD_COPY), 1, "asked for: copies, load", 5);
	same(copies_of_load("dynamic2", 0), 1, "a third design: copies, load", 6);
	same(copies_of_load("dynamic", 0), 0, "it took the slot of the older one: copies, load", 7);
	same(copies_of_load("static", 0), 1, "which is copied again: copies, load", 8);
	same(copies_of_load("", 0), 0, "the flash needs no slot: copies, load", 9);
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
static void reload(char **words)
{
	const unsigned rounds = (unsigned)argument(words, 0, 4);
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
	struct smile_record r[16];
	pthread_t thread[2];

	bench_open(64, "dynamic");
	count_sent();
	traffic_run(&b.t, 3000);
	must(!smile_load_design_all(&b.set, "static") && !smile_load_design_all(&b.set, "dynamic"), "load");
	read_cards(h);
	same_as_sent(h, "counted by the design before, accesses of a node", 3000);

	traffic_start(&b.t, 60000);
	for (unsigned i = 0; i < 2; i++)
		must(!pthread_create(&thread[i], NULL, ask_all_the_time, i ? &b : NULL), "thread");
	for (unsigned i = 0; i < rounds; i++) {
		must(!smile_load_design_all(&b.set, "static") && !smile_run_all(&b.set, 1), "static");
		must(!smile_load_design_all(&b.set, "dynamic"), "dynamic");
		count_sent();
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
	collect(h);
	same_as_sent(h, "exact again, accesses of a node", 3000);
	for (unsigned n = 0; n < b.set.count; n++)
		same((unsigned)smile_read(&b.set.card[n], r, 16), 0, "nothing is left, node", n);
	smile_histogram_free(h);
}

/* --- removal, sleep --- */

static void *wait_for_records(void *argument)
{
	struct smile_record r;
	const ssize_t got = read(*(int *)argument, &r, sizeof(r));

	check_refused(got, ENODEV, "a read that waited");
	return NULL;
}

static void gone(char **words)
{
	struct smile_record r;
	struct smile_stats s;
	pthread_t thread;
	int fd;

	bench_open(4, "dynamic");
	fd = open("/dev/smile0", O_RDWR);
	must(fd >= 0 && !smile_run(&b.set.card[0], 1) && !pthread_create(&thread, NULL, wait_for_records, &fd), "reader");
	usleep(20000);
	remove_card(words[0]);
	pthread_join(thread, NULL);
	check_gone(&contract, b.set.card[0].fd);
	CALLS(b.set.card[0].fd, { SMILE_IOC_STATS, &s, ENODEV, "statistics" });
	check_refused(smile_load_design(&b.set.card[0], "static"), ENODEV, "a design");
	check_refused(smile_read(&b.set.card[0], &r, 1), ENODEV, "records");
	close(fd);
}

/* What was counted is kept; afterwards the card has its initial design, and works. */
static void power(char **words)
{
	struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);

	bench_open(16, "dynamic");
	count_sent();
	traffic_run(&b.t, 1000);
	write_file("/sys/power/state", "mem");
	read_cards(h);
	same_as_sent(h, "counted before the sleep, accesses of a node", 1000);
	smile_histogram_clear(h);
	traffic_forget(&b.t);
	must(!smile_load_design_all(&b.set, "static") && !smile_load_design_all(&b.set, "dynamic"), "load");
	count_sent();
	traffic_run(&b.t, 1000);
	collect(h);
	same_as_sent(h, "counted after it, accesses of a node", 1000);
	smile_histogram_free(h);
}

/* --- what scripts call --- */

static void plain(char **words)
{
	traffic_open(&b.t, 64);
	traffic_run(&b.t, (unsigned)argument(words, 0, 1000));
	printf("sent %llu\n", (unsigned long long)traffic_total(&b.t));
	traffic_close(&b.t);
}

#define USER_PAGES 8u

static void homes(char **words)
{
	must(!sci_open(&b.t.sci, NULL), SCI_DEVICE);
	for (unsigned p = 0; p < USER_PAGES; p++)
		must(!sci_set_home(&b.t.sci, p, (unsigned)argument(words, 0, 0)), "home");
	sci_close(&b.t.sci);
}

static void use(char **words)
{
	must(!sci_open(&b.t.sci, NULL), SCI_DEVICE);
	b.t.base = sci_map(&b.t.sci, 0, USER_PAGES * SCI_PAGE_BYTES, 0);
	must(b.t.base != NULL, "window");
	pin((unsigned)argument(words, 0, 0));
}

static void load_pages(unsigned accesses)
{
	for (unsigned i = 0; i < accesses; i++)
		(void)__atomic_load_n((volatile uint32_t *)(b.t.base + (i % USER_PAGES) * SCI_PAGE_BYTES + 4 * (i / 7 % 1024)), __ATOMIC_RELAXED);
}

static void user(char **words)
{
	use(words);
	load_pages((unsigned)argument(words, 1, 1000));
	sci_close(&b.t.sci);
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
		must(!sci_get_homes(&b.t.sci, 0, USER_PAGES, now), "homes");
		for (moved = 0; moved < USER_PAGES && now[moved] == sched_getcpu(); moved++)
			;
	}
	load_pages(1000);
	printf("accesses %llu\n", (unsigned long long)accesses + 1000);
	sci_close(&b.t.sci);
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
	int status;

	status = run_tests(argc, argv, tests, COUNT(tests));
	if (b.set.count)
		bench_close();
	return status;
}
