/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkcount PROCESSORS [ROUNDS] - reads MULTIKRON's counters around work of many sorts, on processors 0, 1, ... at once.
 *
 * Counters 8 n to 8 n + 7 are external: instructions, loads, stores and branches of processor n, in user and kernel mode apart. A line
 * "read COUNTER VALUE" tells of each load of a counter, in order; the host compares them with another plugin's counts
 * (tests/guest/oracle). A process stays on its processor, so what it reads is what this processor has done until that load.
 *
 * With -DPOWER2 it is p2count user|kernel PROCESSORS [ROUNDS]: the same with each processor's own POWER2 monitor, which counts in one of the
 * two modes. COUNTER is the counter's number and 100 for each processor, from 100 on. Without the driver: it maps the card's window.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

#include "tests/guest/linux/check.h"
#ifdef POWER2
#include "guest/power2/events.h"
#include "guest/power2/regs.h"

enum { KINDS = 4, PROCESSORS = 4 };
#else
#include "guest/multikron/lib/mklib.h"

enum { KINDS = 8, PROCESSORS = 2 };
#endif
enum { MOST_ROUNDS = 1000, MEMORY = 1 << 20 };

struct look {
	uint64_t value[KINDS];
};

int failures;
static volatile double number = 1;
static volatile unsigned long whole;
static uint8_t memory[2][MEMORY / 8];

static void compute(void)
{
	for (int i = 0; i < 20000; i++) {
		whole = whole * 6364136223846793005ul + 1442695040888963407ul;
		number = number * 1.0000001 + 0.5;
	}
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, 4);
}

static void copy(void)
{
	for (int i = 0; i < 8; i++)
		memcpy(memory[i & 1] + i, memory[~i & 1], sizeof(memory[0]) - 8);
	qsort(memory[0], 2000, 4, by_bytes);
}

static void touch(void)
{
	volatile uint8_t *page = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(page != MAP_FAILED, "mmap");
	for (size_t i = 0; i < MEMORY; i += 4096)
		page[i]++;
	munmap((void *)page, MEMORY);
}

static void call(void)
{
	char bytes[512];
	int ends[2];

	must(!pipe(ends), "pipe");
	for (int i = 0; i < 50; i++)
		must(write(ends[1], bytes, sizeof(bytes)) == sizeof(bytes) && read(ends[0], bytes, sizeof(bytes)) == sizeof(bytes), "pipe");
	close(ends[0]);
	close(ends[1]);
}

static void breed(void)
{
	const pid_t pid = fork_child();

	if (!pid) {
		memory[0][getpid() % sizeof(memory[0])] = 1;
		_exit(0);
	}
	child_status(pid);
}

static sigjmp_buf fault;

static void on_fault(int signal)
{
	siglongjmp(fault, 1);
}

static void blunder(void)
{
	static volatile int *volatile nowhere; /* NULL: nothing is there */

	signal(SIGSEGV, on_fault);
	if (!sigsetjmp(fault, 1))
		*nowhere = 1;
	raise(SIGURG);
}

static void rest(void)
{
	usleep(300);
}

#ifdef POWER2
static volatile uint32_t *own; /* the executing processor's monitor */
static uint32_t mmcr;
static unsigned counter[KINDS];

/* An event of a group: its counter, by the monitor's own table. */
static unsigned counter_of(const char *name, unsigned unit, unsigned group)
{
#define FIND(event, u, g, n, text)                                        \
	if (unit == (u) && group == (g) && !strcmp(name, #event)) {       \
		mmcr |= group << (12 - 4 * unit);                         \
		return P2_UNIT_COUNTERS * unit + (n);                     \
	}
	P2_EVENTS(FIND)
	fprintf(stderr, "group %u of unit %u has no event %s\n", group, unit, name);
	exit(1);
}

static void open_card(void)
{
	const uint32_t card = P2_PCI_VENDOR | P2_PCI_DEVICE << 16;
	char path[300];
	glob_t all;

	must(!glob("/sys/bus/pci/devices/*", 0, NULL, &all), "/sys/bus/pci/devices");
	for (size_t i = 0; i < all.gl_pathc; i++) {
		uint8_t id[4] = { 0 };
		int file;

		snprintf(path, sizeof(path), "%s/config", all.gl_pathv[i]);
		file = open(path, O_RDONLY);
		must(file >= 0 && read(file, id, sizeof(id)) == sizeof(id), path);
		close(file);
		if ((id[0] | id[1] << 8 | id[2] << 16 | (uint32_t)id[3] << 24) != card)
			continue;
		snprintf(path, sizeof(path), "%s/driver/unbind", all.gl_pathv[i]);
		file = open(path, O_WRONLY); /* the monitors are to be this program's alone */
		if (file >= 0) {
			const char *name = strrchr(all.gl_pathv[i], '/') + 1;
			must(write(file, name, strlen(name)) == (ssize_t)strlen(name), path);
			close(file);
		}
		snprintf(path, sizeof(path), "%s/enable", all.gl_pathv[i]);
		write_file(path, "1");
		snprintf(path, sizeof(path), "%s/resource0", all.gl_pathv[i]);
		file = open(path, O_RDWR);
		must(file >= 0, path);
		own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		must(own != MAP_FAILED, "mmap");
		return;
	}
	fprintf(stderr, "no power2-pm\n");
	exit(1);
}

static void look(struct look *l, unsigned processor)
{
	for (unsigned i = 0; i < KINDS; i++)
		l->value[i] = own[P2R_COUNTER(counter[i]) / 4];
}

static void prepare(unsigned processor)
{
	own[P2R_MMCR / 4] = mmcr;
}

static unsigned number_of(unsigned processor, unsigned kind)
{
	return 100 * (processor + 1) + counter[kind];
}
#else
static void look(struct look *l, unsigned processor)
{
	for (unsigned i = 0; i < KINDS; i++)
		l->value[i] = mk_counter(KINDS * processor + i);
}

static void prepare(unsigned processor)
{
}

static unsigned number_of(unsigned processor, unsigned kind)
{
	return KINDS * processor + kind;
}
#endif

static void measure(unsigned processor, unsigned rounds)
{
	static void (*const work[])(void) = { compute, copy, touch, call, breed, blunder, rest };
	static struct look looks[MOST_ROUNDS + 1];

	pin(processor);
	prepare(processor);
	look(&looks[0], processor);
	for (unsigned i = 0; i < rounds; i++) {
		work[i % (sizeof(work) / sizeof(work[0]))]();
		look(&looks[i + 1], processor);
	}
	for (unsigned i = 0; i <= rounds; i++)
		for (unsigned k = 0; k < KINDS; k++)
			printf("read %u %llu\n", number_of(processor, k), (unsigned long long)looks[i].value[k]);
	fflush(stdout);
}

/* Each in a process of its own. */
static int work_on(unsigned processors, unsigned rounds)
{
	int status = 0, bad = 0;

	for (unsigned n = 0; n < processors; n++)
		if (!fork_child()) {
			measure(n, rounds);
			_exit(0);
		}
	for (unsigned n = 0; n < processors; n++)
		bad += wait(&status) < 0 || status;
	return bad != 0;
}

int main(int argc, char **argv)
{
#ifdef POWER2
	const int user = argc > 1 && !strcmp(argv[1], "user"), kernel = argc > 1 && !strcmp(argv[1], "kernel");

	argc--;
	argv++;
#endif
	const unsigned processors = argc > 1 ? (unsigned)atoi(argv[1]) : 0, rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 70;
	int bad;

#ifdef POWER2
	if (!user == !kernel || !processors || processors > PROCESSORS || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: p2count user|kernel PROCESSORS [ROUNDS]: 1 to %d, up to %d\n", PROCESSORS, MOST_ROUNDS);
		return 2;
	}
	open_card();
	counter[0] = counter_of("instructions", 2, 0);
	counter[1] = counter_of("loads", 1, 8);
	counter[2] = counter_of("stores", 1, 8);
	counter[3] = counter_of("branches", 2, 0);
	mmcr |= user ? P2_MMCR_DP : P2_MMCR_DU;
	bad = work_on(processors, rounds);
#else
	if (!processors || processors > PROCESSORS || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: mkcount PROCESSORS [ROUNDS]: 1 to %d, up to %d\n", PROCESSORS, MOST_ROUNDS);
		return 2;
	}
	must(!mk_open(NULL), MK_DEVICE);
	must(!mk_reset(), "reset");
	for (unsigned i = 0; i < KINDS * processors; i++)
		must(!mk_mux(i, MKR_MUX_EXTERNAL), "mux");
	must(!mk_clear(0xffff) && !mk_enable(0xffff), "enable");
	bad = work_on(processors, rounds);
	must(!mk_disable(0xffff), "disable");
#endif
	return bad;
}
