/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simple - the SIMPLE micro-benchmark (TR-596-99, 4.2.4).
 *
 * Writes to one page that is mapped to the next node of the ring: --groups times, --words
 * consecutive words, one word every --wait-us, paced by the processor's cycle counter. Each
 * target time is the one before plus the wait, through all groups: what is late is made up for
 * as fast as the program can store. Every node of the ring runs the same program; it receives
 * from its predecessor into a page of its own.
 *
 * INFERRED: how fast that is. Paper 4.4.2 has a packet each 2 us at the receiver, with latencies
 * that grow by 500 ns: the sender stores each 1.5 us, though its pace is 1 us (--store-us). Single
 * words at 1 us do not queue (Figures 75 to 92): from group to group it takes more (--group-us).
 * INFERRED: the page frame of the peer's receive page equals ours (--peer-pfn overrides): all
 * nodes run the same program from the same start. On SHRIMP the LAN carried it.
 *
 * Barriers surround the run; they use pages of their own and are not in the counts. After the
 * last store the program makes no memory access for --linger-us: with combining, the last
 * packet stays open, as the lone late one of Figures 80 to 84, until something ends it.
 *
 * Output: key=value lines. Exit status 1 if words were lost or the receive page is wrong.
 */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../lib/snilib.h"

#define PAGE_WORDS (SNI_PAGE_BYTES / 4)
#define WALK_BYTES (4u << 20) /* more than any second-level cache of the time */
#define BARRIER_NS 5000000000ull
#define DELIVERY_NS 2000000000ull

static struct options {
	const char *device;
	uint32_t groups, words;
	double wait_us, store_us, group_us, linger_us;
	bool combine;
	uint32_t boundary, color, quantum_ms;
	int64_t peer, peer_pfn;
	uint64_t tsc_khz;
} opt = {
	.device = SNI_DEVICE,
	.groups = 512, .words = 1024, .wait_us = 1, .store_us = 1.45, .group_us = 0.2, .linger_us = 200, .combine = true,
	.boundary = 4096, .color = 1, .peer = -1, .peer_pfn = -1,
};

struct node {
	int fd;
	struct sni_info info;
	volatile uint32_t *send, *receive;                 /* the benchmark's */
	volatile uint32_t *barrier_send, *barrier_receive; /* not combined */
	uint32_t peer, receive_pfn, barrier_pfn;
	uint32_t round;
};

static void die(const char *what)
{
	fprintf(stderr, "simple: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint32_t in_cycles(double us)
{
	return (uint32_t)(us * opt.tsc_khz / 1000 + 0.5);
}

static inline uint64_t cycles(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* The low half is enough to wait by, and makes the loop three instructions. */
static inline uint32_t cycles_low(void)
{
	uint32_t low;

	__asm__ volatile("rdtsc" : "=a"(low) : : "edx");
	return low;
}

static inline uint32_t wait_until(uint32_t due)
{
	uint32_t now;

	do
		now = cycles_low();
	while ((int32_t)(now - due) < 0);
	return now;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t measure_tsc_khz(void)
{
	uint64_t ns = now_ns(), start = cycles(), end;

	while (now_ns() - ns < 20000000)
		;
	end = cycles();
	ns = now_ns() - ns;
	return ((end - start) * 1000000 + ns / 2) / ns;
}

/* The driver counts the interrupts of the processors' own timers; the machine's, IRQ 0, come to these. */
static void get_stats(int fd, struct sni_stats *stats)
{
	unsigned long long machine;
	FILE *f = fopen("/proc/interrupts", "r");

	if (sni_get_stats(fd, stats))
		die("SNI_IOC_STATS");
	if (!f)
		die("/proc/interrupts");
	if (fscanf(f, "%*[^\n] 0: %llu", &machine) == 1)
		stats->timer_ticks += machine;
	fclose(f);
}

/* Ends when every node has come this far: after round r, the r+1 predecessors have. */
static void barrier(struct node *n)
{
	uint32_t rounds = n->info.nodes > 1 ? n->info.nodes - 1 : 1;

	while (rounds--) {
		uint64_t start = now_ns();

		*n->barrier_send = ++n->round;
		/* The predecessor may be a round ahead by now. */
		while ((int32_t)(*n->barrier_receive - n->round) < 0)
			if (now_ns() - start > BARRIER_NS) {
				fprintf(stderr, "simple: barrier: nothing from the predecessor in 5 s\n");
				exit(1);
			}
	}
}

static void join_network(struct node *n)
{
	uint32_t flags = SNI_IMPORT_AU | (opt.combine ? SNI_IMPORT_COMBINE : 0);
	uint32_t *pages;

	n->fd = sni_open_device(opt.device);
	if (n->fd < 0)
		die(opt.device);
	if (sni_get_info(n->fd, &n->info))
		die("SNI_IOC_INFO");
	pages = sni_pages(n->fd, 4);
	if (!pages)
		die("pages of the network interface");
	n->send = pages;
	n->receive = pages + PAGE_WORDS;
	n->barrier_send = pages + 2 * PAGE_WORDS;
	n->barrier_receive = pages + 3 * PAGE_WORDS;
	n->peer = opt.peer < 0 ? (n->info.node + 1) % n->info.nodes : (uint32_t)opt.peer;
	n->receive_pfn = sni_pfn(n->fd, n->receive);
	n->barrier_pfn = sni_pfn(n->fd, n->barrier_receive);
	if (sni_export(n->fd, n->receive, opt.color, false) || sni_export(n->fd, n->barrier_receive, 0, false))
		die("export of the receive pages");
	if (sni_import(n->fd, n->send, n->peer, opt.peer_pfn < 0 ? n->receive_pfn : (uint32_t)opt.peer_pfn, flags,
		       opt.boundary) ||
	    sni_import(n->fd, n->barrier_send, n->peer, n->barrier_pfn, SNI_IMPORT_AU, 0))
		die("mapping to the next node");
}

struct pace { /* cycles */
	uint32_t wait, store, group, linger;
};

/*
 * Returns the time of the last word. The pause after it is in here: a return would load from the stack, and a load that
 * misses the caches ends the last packet. Whether it misses depends on which physical pages the program was given.
 */
static __attribute__((noinline)) uint64_t run(volatile uint32_t *page, uint32_t groups, uint32_t words, const struct pace *pace)
{
	const uint32_t wait = pace->wait, store = pace->store, group = pace->group, linger = pace->linger;
	uint64_t end;
	uint32_t value = 0, now = cycles_low(), target = now;

	while (groups--) {
		for (uint32_t word = 0; word < words; word++) {
			page[word] = ++value;
			target += wait;
			now += store + (word + 1 == words ? group : 0);
			now = wait_until((int32_t)(target - now) > 0 ? target : now);
		}
	}
	end = cycles();
	while (cycles() - end < linger)
		;
	return end;
}

/*
 * Waits for all words to be there. Asking for counters makes memory accesses of its own, and
 * one of them usually ends the packet still open; if all of them hit a cache, a walk through
 * more memory than the caches hold does.
 */
static bool delivered(struct node *n, uint64_t words)
{
	volatile uint8_t *memory = malloc(WALK_BYTES);
	uint64_t start = now_ns(), count = 0;

	do {
		if (sni_get_counter(n->fd, SNI_RXW, &count))
			die("RXW");
		if (count >= words)
			break;
		for (uint32_t i = 0; memory && i < WALK_BYTES; i += 32)
			(void)memory[i];
	} while (now_ns() - start < DELIVERY_NS);
	free((void *)memory);
	return count == words;
}

static uint32_t wrong_words(const struct node *n)
{
	uint32_t wrong = 0, first = (opt.groups - 1) * opt.words + 1;

	for (uint32_t i = 0; i < opt.words; i++)
		wrong += n->receive[i] != first + i;
	return wrong;
}

static void usage(FILE *to)
{
	fprintf(to,
		"usage: simple [options]\n"
		"  --device NAME     the network interface (" SNI_DEVICE ")\n"
		"  --groups N        groups to send (512)\n"
		"  --words N         words of a group, 1 to 1024 (1024)\n"
		"  --wait-us T       from word to word, up to 1000000 (1)\n"
		"  --store-us T      from a store to the next one, at least (1.45)\n"
		"  --group-us T      more than that to the next group, at least (0.2)\n"
		"  --combine on|off  combining on the page (on)\n"
		"  --boundary B      at which combining ends: 256, 512, 1024, 2048, 4096 bytes (4096)\n"
		"  --color N         of the receive page, 0 to 15 (1)\n"
		"  --linger-us T     without a memory access after the last word (200)\n"
		"  --beside MS       another program has every other quantum of the scheduler's, each so long, 10 to 1000 (none)\n"
		"  --peer N          node to send to (the next one)\n"
		"  --peer-pfn N      its receive page's frame (the same as here)\n"
		"  --tsc-khz N       cycle counter (measured)\n");
}

static double number(const char *name, double low, double high, bool whole)
{
	char *end;
	double value;

	if (whole)
		value = strtoull(optarg, &end, 0);
	else
		value = strtod(optarg, &end);
	if (end == optarg || *end || !(value >= low && value <= high)) {
		fprintf(stderr, "simple: --%s %s: expected %s from %g to %g\n", name, optarg,
			whole ? "a number" : "a time", low, high);
		exit(2);
	}
	return value;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", 1, 0, 'd' },
		{ "groups", 1, 0, 'g' },     { "words", 1, 0, 'w' },     { "wait-us", 1, 0, 't' },
		{ "combine", 1, 0, 'c' },    { "boundary", 1, 0, 'b' },  { "color", 1, 0, 'o' },
		{ "linger-us", 1, 0, 'l' },  { "peer", 1, 0, 'p' },      { "peer-pfn", 1, 0, 'f' },
		{ "tsc-khz", 1, 0, 'k' },    { "store-us", 1, 0, 's' },   { "group-us", 1, 0, 'u' },    { "beside", 1, 0, 'q' },
		{ "help", 0, 0, 'h' },      { 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'd':
			opt.device = optarg;
			break;
		case 'g':
			opt.groups = number("groups", 1, 4000000, true);
			break;
		case 'w':
			opt.words = number("words", 1, PAGE_WORDS, true);
			break;
		case 't':
			opt.wait_us = number("wait-us", 0, 1e6, false);
			break;
		case 's':
			opt.store_us = number("store-us", 0, 1e6, false);
			break;
		case 'u':
			opt.group_us = number("group-us", 0, 1e6, false);
			break;
		case 'c':
			if (strcmp(optarg, "on") && strcmp(optarg, "off")) {
				fprintf(stderr, "simple: --combine %s: expected on or off\n", optarg);
				exit(2);
			}
			opt.combine = !strcmp(optarg, "on");
			break;
		case 'b':
			opt.boundary = number("boundary", 256, 4096, true);
			break;
		case 'o':
			opt.color = number("color", 0, 15, true);
			break;
		case 'l':
			opt.linger_us = number("linger-us", 0, 1e6, false);
			break;
		case 'q':
			opt.quantum_ms = number("beside", 10, 1000, true);
			break;
		case 'p':
			opt.peer = number("peer", 0, 4095, true);
			break;
		case 'f':
			opt.peer_pfn = number("peer-pfn", 0, SNI_PAGES - 1, true);
			break;
		case 'k':
			opt.tsc_khz = number("tsc-khz", 1000, 1e8, true);
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	if (optind < argc) {
		fprintf(stderr, "simple: %s: no such argument\n", argv[optind]);
		exit(2);
	}
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		die(path);
}

/*
 * Another program, which needs only the processor. Each has it for a quantum of the scheduler's in turn, as any two programs had in the paper's Linux
 * (4.3.13): the class SCHED_RR does so today, if nothing is kept from it for others.
 */
static pid_t begin_beside(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	char text[16];
	pid_t other;

	snprintf(text, sizeof(text), "%u", opt.quantum_ms);
	write_file("/proc/sys/kernel/sched_rr_timeslice_ms", text);
	write_file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	if (sched_setscheduler(0, SCHED_RR, &first))
		die("SCHED_RR");
	other = fork();
	if (other < 0)
		die("another program");
	if (!other && prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(2);
	while (!other)
		continue;
	return other;
}

/* Nanoseconds that this program was ready and waited for a processor, because something else had it: the driver, too. */
static uint64_t waited_ns(void)
{
	unsigned long long ran = 0, waited = 0;
	FILE *f = fopen("/proc/self/schedstat", "r");

	if (!f || fscanf(f, "%llu %llu", &ran, &waited) != 2)
		die("/proc/self/schedstat");
	fclose(f);
	return waited;
}

int main(int argc, char **argv)
{
	static volatile uint32_t warm[PAGE_WORDS];
	struct sni_counters counters;
	struct sni_stats before, after;
	uint64_t start, end, words, waited, throttled;
	uint32_t scr, wrong;
	struct node n = { 0 };
	struct pace pace;
	pid_t other = 0;
	bool complete;

	parse(argc, argv);
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	join_network(&n);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	if (!opt.tsc_khz)
		opt.tsc_khz = measure_tsc_khz();
	words = (uint64_t)opt.groups * opt.words;

	if (opt.quantum_ms)
		other = begin_beside();
	run(warm, 2, opt.words, &(const struct pace){ 0 }); /* code and page tables, with stores that go nowhere */
	barrier(&n);
	if (sni_get_reg(n.fd, SNI_SCR, &scr) || sni_set_reg(n.fd, SNI_SCR, scr | SNI_SCR_CRST))
		die("clearing the counters");
	get_stats(n.fd, &before);

	pace = (struct pace){ in_cycles(opt.wait_us), in_cycles(opt.store_us), in_cycles(opt.group_us), in_cycles(opt.linger_us) };
	waited = waited_ns();
	start = cycles();
	end = run(n.send, opt.groups, opt.words, &pace);

	waited = waited_ns() - waited;
	get_stats(n.fd, &after);
	throttled = after.throttle_ns - before.throttle_ns; /* the driver's thread had the processor then */
	waited -= throttled < waited ? throttled : waited;
	complete = delivered(&n, words);
	if (sni_get_counters(n.fd, &counters))
		die("counters");
	wrong = wrong_words(&n);
	if (other)
		kill(other, SIGKILL);
	barrier(&n);

	printf("groups=%u\nwords_per_group=%u\nwait_us=%g\ncombine=%s\nboundary=%u\n", opt.groups, opt.words,
	       opt.wait_us, opt.combine ? "on" : "off", opt.boundary);
	printf("node=%u\npeer=%u\nreceive_page=0x%05x\nbarrier_page=0x%05x\n", n.info.node, n.peer, n.receive_pfn,
	       n.barrier_pfn);
	printf("tsc_khz=%llu\ntsc_elapsed=%llu\nelapsed_ns=%llu\nwords=%llu\n", (unsigned long long)opt.tsc_khz,
	       (unsigned long long)(end - start), (unsigned long long)((end - start) * 1e6 / opt.tsc_khz),
	       (unsigned long long)words);
	sni_print_counters(stdout, &counters);
	printf("timer_interrupts=%llu\n", (unsigned long long)(after.timer_ticks - before.timer_ticks));
	printf("waited_ns=%llu\n", (unsigned long long)waited);
	printf("throttle_entries=%llu\nthrottle_ns=%llu\nthrottle_loops=%llu\n",
	       (unsigned long long)(after.high_water - before.high_water),
	       (unsigned long long)throttled,
	       (unsigned long long)(after.throttle_loops - before.throttle_loops));
	printf("delivered=%s\nwrong_words=%u\n", complete ? "all" : "not all", wrong);
	fflush(stdout);
	sni_unmap((void *)n.send, 4);
	sni_close(n.fd);
	return complete && !wrong ? 0 : 1;
}
