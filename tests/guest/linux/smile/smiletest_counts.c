/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE

#include "tests/guest/linux/smile/smiletest.h"

static struct bench b;

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
void exact(char **words)
{
	const uint32_t range = (uint32_t)argument(words, 0, 0);
	const unsigned accesses = (unsigned)argument(words, 1, 10000);
	static const uint32_t masks[] = { SMILE_SENT, SMILE_RECEIVED, SMR_FILTER_ALL };

	bench_open(&b, 48, "dynamic");
	for (unsigned i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
		uint64_t responses = 0;

		must(h && !smile_reset_all(&b.set) && !smile_set_dynamic_all(&b.set, range, masks[i]) && !smile_run_all(&b.set, 1), "start");
		traffic_run(&b.t, accesses);
		must(!smile_run_all(&b.set, 0) && !smile_collect_all(&b.set, h), "end");
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
	bench_close(&b);
}

/* --- static --- */

/* Loads of one word by one node. */
static void load_word(unsigned node, size_t offset, unsigned times)
{
	pin(node);
	for (unsigned i = 0; i < times; i++)
		(void)__atomic_load_n((volatile uint32_t *)(b.t.base + offset), __ATOMIC_RELAXED);
}

void totals(char **words)
{
	const unsigned accesses = (unsigned)argument(words, 0, 200000);
	struct smile_counters c;
	struct smile_watch w[] = {
		{ .name = "word", .offset = 8, .bytes = 4, .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT },
		{ .name = "rest", .offset = 12, .bytes = SCI_PAGE_BYTES - 12, .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT },
	};
	struct smile *m;

	bench_open(&b, 4, "static");
	m = &b.set.card[1];
	must(!smile_watch_program(m, &b.t.sci, w, 2) && !smile_run(m, 1), "program");
	load_word(1, 8, accesses);
	load_word(1, 12, 70000);
	load_word(1, 4, 1000);
	must(!smile_get_counters(m, &c), "counters");
	same(smile_watch_count(&w[0], &c), accesses, "a word's loads, counter", w[0].first);
	same(smile_watch_count(&w[1], &c), 70000, "the rest's loads, counter", w[1].first);
	load_word(1, 8, 3);
	must(!smile_get_counters(m, &c), "counters");
	same(smile_watch_count(&w[0], &c), accesses + 3, "they run on, counter", w[0].first);
	must(!smile_set_active(m, 0, SMILE_NO_EVENT, 0), "counter 0");
	load_word(1, 8, 5);
	load_word(1, 12, 1);
	must(!smile_get_counters(m, &c), "counters");
	same(c.value[0], 5, "set anew it begins at 0, counter", 0);
	same(c.value[1], 70001, "the other does not, counter", 1);
	must(!smile_reset(m), "reset");
	load_word(1, 8, 7); /* a reset counter is not active: no start event */
	must(!smile_get_counters(m, &c), "counters");
	same(c.value[0] + c.value[1] + c.lost, 0, "after a reset, monitor", 1);
	bench_close(&b);
}

/* Named structures, of part of a page and of several, with filters, against what the traffic says of its pages. */
void watches(char **words)
{
	struct smile_counters c;
	struct smile_watch w[] = {
		{ .name = "five pages", .offset = 5 * SCI_PAGE_BYTES, .bytes = 5 * SCI_PAGE_BYTES, .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT },
		{ .name = "page 2, loads", .offset = 2 * SCI_PAGE_BYTES, .bytes = SCI_PAGE_BYTES, .start = SMILE_NO_EVENT,
		  .stop = SMILE_NO_EVENT, .filter = SMR_FILTER_READ | SMR_FILTER_REQUEST | SMR_FILTER_OUTBOUND },
		{ .name = "page 2, the rest", .offset = 2 * SCI_PAGE_BYTES, .bytes = SCI_PAGE_BYTES, .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT },
	};
	struct smile_watch many = { .name = "17 pages", .offset = 4, .bytes = 16 * SCI_PAGE_BYTES, .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT };
	struct smile_watch far = { .name = "far", .offset = 1ull << 40, .bytes = 4, .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT };

	bench_open(&b, 12, "static");
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
		must(!smile_get_counters(&b.set.card[n], &c), "counters");
		same(smile_watch_count(&w[0], &c), five, "five pages, node", n);
		same(smile_watch_count(&w[1], &c), n == b.t.home[2] ? 0 : page2[READ], "loads of page 2, node", n);
		same(smile_watch_count(&w[2], &c), n == b.t.home[2] ? 0 : page2[WRITE] + 2 * page2[LOCKED], "the rest of page 2, node", n);
	}
	bench_close(&b);
}

/* Start and stop by an access, by the program, by the timer. */
void events(char **words)
{
	struct smile_counters c;
	struct smile_watch w[] = {
		{ .name = "counted", .offset = 0, .bytes = 4, .start = SMILE_EVENT_OF(1), .stop = SMILE_EVENT_OF(2) },
		{ .name = "start", .offset = 4, .bytes = 4, .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT },
		{ .name = "stop", .offset = 8, .bytes = 4, .start = SMILE_NO_EVENT, .stop = SMILE_NO_EVENT },
		{ .name = "global", .offset = 12, .bytes = 4, .start = 17, .stop = 31 },
	};
	struct smile *m;

	bench_open(&b, 4, "static");
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
	must(!smile_get_counters(m, &c), "counters");
	same(smile_watch_count(&w[0], &c), 20, "between start and stop, counter", 0);
	same(smile_watch_count(&w[1], &c), 1, "starts, counter", 1);
	same(smile_watch_count(&w[3], &c), 6, "between global events, counter", 3);
	check_refused(smile_global_event(m, 16), EINVAL, "the timer's event");
	check_refused(smile_global_event(m, 32), EINVAL, "event 32");
	must(!smile_set_active(m, 15, SMILE_NO_EVENT, SMR_TIMER_EVENT) && !smile_set_timer(m, 50000), "timer of a millisecond");
	usleep(20000);
	must(!smile_set_timer(m, 0) && !smile_get_counters(m, &c), "counters");
	check(c.value[15] >= 15, "the timer's events are counted");
	printf("%llu of them\n", (unsigned long long)c.value[15]);
	bench_close(&b);
}
