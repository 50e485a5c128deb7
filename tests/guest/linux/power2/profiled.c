/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiled - what profile-test looks at: without a library each instruction of the program is its own, and the same under Linux in QEMU,
 * under valgrind and on POWER.
 *
 *   profiled          all of it; it ends with a process of its own that executes `profiled child`
 *   profiled child    recursion alone
 */
#include "profiled.h"

typedef unsigned long word;

enum { FIB = 15, CHILD_FIB = 10, BYTES = 5000, TURNS = 1000, LINE = 64, LARGE = 256 * 1024, SMALL = 16 * 1024, TWICE = 64 * 1024,
       RANDOM = 20000, WALKS = 4 };

#define APART __attribute__((noipa, used))

static char from[BYTES], to[BYTES];
static volatile word heard, seen;
static void *place[5];
static _Alignas(4096) char large[LARGE], small[SMALL];

APART word fib(word n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

APART word twice(word n)
{
	return 2 * n;
}

APART word square(word n)
{
	return n * n;
}

APART word indirect(word n)
{
	static word (*const volatile functions[])(word) = { twice, square, twice };
	word sum = 0;

	for (word i = 0; i < n; i++)
		sum += functions[i % 3](i);
	return sum;
}

APART void on_signal(int signal)
{
	heard += signal;
}

APART void deep(word n)
{
	if (!n)
		__builtin_longjmp(place, 1);
	deep(n - 1);
	seen++; /* never */
}

APART word jump(void)
{
	if (__builtin_setjmp(place))
		return seen;
	deep(20);
	return 1;
}

APART void load_large(void)
{
	for (word i = 0; i < LARGE; i += LINE)
		seen = *(volatile char *)&large[i];
}

APART void store_large(void)
{
	for (word i = 0; i < LARGE; i += LINE)
		*(volatile char *)&large[i] = 1;
}

APART void load_small(void)
{
	for (word i = 0; i < SMALL; i += LINE)
		seen = *(volatile char *)&small[i];
}

/* Half of it misses a cache of half the size: which half depends on what is replaced. */
APART void load_at_random(void)
{
	for (word i = 0, n = 1; i < RANDOM; i++) {
		n = n * 6364136223846793005 + 1442695040888963407;
		seen = *(volatile char *)&large[n >> 33 & (TWICE - 1)];
	}
}

/* Each page has its memory before what is compared begins: clearing it brings its lines. */
APART void touch(void)
{
	for (word i = 0; i < LARGE; i += LINE)
		*(volatile char *)&large[i] = 1;
	for (word i = 0; i < SMALL; i += LINE)
		*(volatile char *)&small[i] = 1;
}

APART void walk(void)
{
	touch();
	for (word i = 0; i < WALKS; i++) {
		load_large();
		store_large();
	}
	for (word i = 0; i < WALKS; i++)
		load_small();
	load_at_random();
}

APART void in_child(const char *self)
{
	const char *const words[] = { self, "child", 0 };

	call3(CALL_EXECVE, (word)self, (word)words, 0);
	call3(CALL_EXIT, 127, 0, 0);
}

APART word run_child(const char *self)
{
	int status = -1;
	const long pid = call_fork();

	if (!pid)
		in_child(self);
	call_wait(pid, &status);
	return status;
}

APART int start(word *stack)
{
	word wrong = 0;

	if (stack[0] > 1)
		return fib(CHILD_FIB) != 55;
	wrong |= fib(FIB) != 610;
	wrong |= indirect(TURNS) == 0;
	fill(from, 7, BYTES);
	copy(to, from, BYTES);
	wrong |= to[BYTES - 1] != 7;
	on_signals(on_signal);
	for (int i = 0; i < 3; i++)
		send_signal();
	wrong |= heard != 3 * SIGNAL;
	wrong |= jump();
	walk();
	wrong |= run_child((const char *)stack[1]);
	return wrong != 0;
}
