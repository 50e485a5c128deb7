/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkcount PROCESSORS [ROUNDS] - reads MULTIKRON's counters around work of many sorts, on processors 0, 1, ... at once.
 *
 * Counters 8 n to 8 n + 7 are external: instructions, loads, stores and branches of processor n, in user and kernel mode apart. A line
 * "read COUNTER VALUE" tells of each load of a counter, in order; the host compares them with another plugin's counts
 * (tests/guest/oracle). A process stays on its processor, so what it reads is what this processor has done until that load.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/multikron/lib/mklib.h"

enum { KINDS = 8, PROCESSORS = 2, MOST_ROUNDS = 1000, MEMORY = 1 << 20 };

struct look {
	uint64_t value[KINDS];
};

static void must(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

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
	const pid_t pid = fork();

	must(pid >= 0, "fork");
	if (!pid) {
		memory[0][getpid() % sizeof(memory[0])] = 1;
		_exit(0);
	}
	must(waitpid(pid, NULL, 0) == pid, "waitpid");
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

static void look(struct look *l, unsigned first)
{
	for (unsigned i = 0; i < KINDS; i++)
		l->value[i] = mk_counter(first + i);
}

static void measure(unsigned processor, unsigned rounds)
{
	static void (*const work[])(void) = { compute, copy, touch, call, breed, blunder, rest };
	static struct look looks[MOST_ROUNDS + 1];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	must(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
	look(&looks[0], KINDS * processor);
	for (unsigned i = 0; i < rounds; i++) {
		work[i % (sizeof(work) / sizeof(work[0]))]();
		look(&looks[i + 1], KINDS * processor);
	}
	for (unsigned i = 0; i <= rounds; i++)
		for (unsigned k = 0; k < KINDS; k++)
			printf("read %u %llu\n", KINDS * processor + k, (unsigned long long)looks[i].value[k]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const unsigned processors = argc > 1 ? (unsigned)atoi(argv[1]) : 0, rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 70;
	int status = 0, bad = 0;

	if (!processors || processors > PROCESSORS || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: mkcount PROCESSORS [ROUNDS]: 1 to %d, up to %d\n", PROCESSORS, MOST_ROUNDS);
		return 2;
	}
	must(!mk_open(NULL), MK_DEVICE);
	must(!mk_reset(), "reset");
	for (unsigned i = 0; i < KINDS * processors; i++)
		must(!mk_mux(i, MKR_MUX_EXTERNAL), "mux");
	must(!mk_clear(0xffff) && !mk_enable(0xffff), "enable");
	for (unsigned n = 0; n < processors; n++) {
		const pid_t pid = fork();

		must(pid >= 0, "fork");
		if (!pid) {
			measure(n, rounds);
			_exit(0);
		}
	}
	for (unsigned n = 0; n < processors; n++)
		bad += wait(&status) < 0 || status;
	must(!mk_disable(0xffff), "disable");
	return bad != 0;
}
