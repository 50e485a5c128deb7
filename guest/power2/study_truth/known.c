/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known - a program of which everything is known: how often each of its functions is called, how many instructions a call is, how often it
 * multiplies, divides, loads, stores, misses the data cache, faults and sleeps.
 *
 *   known ORDER ROUNDS [PERIOD]
 *
 * A round calls each function once, and pauses in every fourth. All orders make the same calls, but for the pauses of "step":
 *
 *   mixed    round after round
 *   phased   all calls of a function, then all of the next
 *   step     three rounds in a row, function by function, begin with each tick of the kernel's clock (4 ms)
 *
 * PERIOD: microseconds; it samples itself with ITIMER_PROF as gprof's programs do, and prints "sample ADDRESS" for each.
 *
 * The functions are in assembler: what a compiler makes of C is not known. The C between them neither multiplies nor divides. A mark for the
 * plugin marks.so is at main's beginning, before the first call, behind each, and
 * behind all.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "../../common/fatal.h"
#include "../../common/mark.h"

enum { PAGE = 4096, LINE = 256, TICK = 4000000, PAUSE = 20000, PAUSE_EACH = 4, STEP = 3, MOST = 100000 };
/* Four times the data cache; pages that have no memory until they are touched. */
enum { MISS_LINES = (1 << 20) / LINE, TOUCH_PAGES = 2048 };

/* A loop of rdi turns; rsi is an address. The first instruction is not the loop's: a probe there is one for each call. */
#define FUNCTION(name, turn)                                                             \
	void name(unsigned long turns, char *at);                                        \
	__asm__(".text\n.p2align 6\n.globl " #name "\n.type " #name ", @function\n" #name \
		":\nnop\n1:" turn "dec %rdi\njnz 1b\nret\n.size " #name ", .-" #name "\n")

FUNCTION(compute, "");
FUNCTION(load, "mov (%rsi),%rax\n");
FUNCTION(multiply, "imul %rdi,%rax\n");
FUNCTION(miss, "mov (%rsi),%rax\nadd $256,%rsi\n");
FUNCTION(store, "mov %rdi,(%rsi)\n");
FUNCTION(divide, "mov %edi,%eax\nxor %edx,%edx\ndiv %edi\n");
FUNCTION(touch, "movb $1,(%rsi)\nadd $4096,%rsi\n");
FUNCTION(rare, "nop\n");

static const struct {
	void (*call)(unsigned long turns, char *at);
	unsigned long turns;
} functions[] = {
	{ compute, 12000 }, { load, 5000 }, { multiply, 3000 }, { miss, 1024 },
	{ store, 1000 },    { divide, 200 }, { touch, 8 },	{ rare, 20 },
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static char *missed, *touched;
static uint64_t samples[MOST];
static volatile sig_atomic_t sampled;

static void call(unsigned int f)
{
	const unsigned long turns = functions[f].turns;
	static char here[64];
	static unsigned long line, page; /* the next */
	char *at = here;

	if (functions[f].call == miss) {
		at = missed + line * LINE;
		line = (line + turns) % MISS_LINES;
	}
	if (functions[f].call == touch) {
		at = touched + page * PAGE;
		page = (page + turns) % TOUCH_PAGES;
		must(!madvise(at, turns * PAGE, MADV_DONTNEED), "madvise");
	}
	functions[f].call(turns, at);
	MARK();
}

static void pause_once(void)
{
	const struct timespec t = { .tv_nsec = PAUSE };

	must(!nanosleep(&t, NULL), "nanosleep");
	MARK();
}

static void until_tick(void)
{
	struct timespec t;

	must(!clock_gettime(CLOCK_MONOTONIC, &t), "clock_gettime");
	t.tv_nsec = (t.tv_nsec / TICK + 1) * TICK;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	must(!clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL), "clock_nanosleep");
}

/* So that the pages of code that only "step" comes to do not fault in its rounds. */
static void touch_clock(void)
{
	const struct timespec soon = { .tv_nsec = 1 };
	struct timespec t;

	must(!clock_gettime(CLOCK_MONOTONIC, &t) && !clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, NULL), "the clock");
}

/* Each function `together` times in a row; pauses by the number of the round. */
static void work(unsigned long rounds, unsigned long together, int in_step)
{
	for (unsigned long first = 0; first < rounds; first += together) {
		if (in_step) {
			until_tick();
			MARK();
		}
		for (unsigned int f = 0; f < FUNCTIONS; f++)
			for (unsigned long n = first; n < first + together; n++)
				call(f);
		for (unsigned long n = first; n < first + together; n++)
			if (n % PAUSE_EACH == 0)
				pause_once();
	}
}

static void on_sample(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;

	if (sampled < MOST)
		samples[sampled++] = c->uc_mcontext.gregs[REG_RIP];
}

static void sample(unsigned long period)
{
	const struct itimerval t = { { .tv_usec = period }, { .tv_usec = period } };
	const struct sigaction a = { .sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART };

	must(!sigaction(SIGPROF, &a, NULL), "sigaction");
	must(!setitimer(ITIMER_PROF, &t, NULL), "setitimer");
}

static char *small_pages(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED && !madvise(p, bytes, MADV_NOHUGEPAGE), "memory");
	return p;
}

static int run(int argc, char **argv)
{
	const char *order = argc > 1 ? argv[1] : "";
	const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, period = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	const int in_step = !strcmp(order, "step");
	const unsigned long together = in_step ? STEP : !strcmp(order, "phased") ? rounds : !strcmp(order, "mixed") ? 1 : 0;

	if (!together || !rounds || rounds % together || rounds > MOST || period > 1000000 || argc > 4) {
		refuse("legal are mixed|phased|step ROUNDS [PERIOD]: ROUNDS 1 to %d, of step a multiple of %d; PERIOD 1 to 1000000 us", MOST, STEP);
		return 2;
	}
	missed = small_pages(MISS_LINES * LINE);
	touched = small_pages(TOUCH_PAGES * PAGE);
	memset(missed, 1, MISS_LINES * LINE);
	touch_clock();
	if (period)
		sample(period);
	MARK();
	work(rounds, together, in_step);
	MARK();
	if (period)
		sample(0);
	for (int i = 0; i < sampled; i++)
		printf("sample %llx\n", (unsigned long long)samples[i]);
	return 0;
}

int main(int argc, char **argv)
{
	MARK(); /* what is before is the same in all orders */
	return run(argc, argv);
}
