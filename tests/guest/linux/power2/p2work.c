/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2work - a program that is always the same, for what monitoring costs (the script intrusion beside this): two processes that compute and
 * hand each other a byte, so that they call the kernel and are switched. It knows of no monitor. A mark before its work and one
 * behind it are for the plugin marks.so: at the first the other process is stopped, at the second it has ended, so that what it executes
 * between them is the same however the kernel chooses whom to run.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../guest/common/mark.h"

enum { ROUNDS = 400, ITERATIONS = 10000 };

static void compute(void)
{
	unsigned long n = ITERATIONS;

#ifdef __powerpc64__
	__asm__ volatile("mtctr %0\n1: addi %0,%0,1\nbdnz 1b" : "+b"(n) : : "ctr");
#else
	__asm__ volatile("1: dec %0\njnz 1b" : "+r"(n) : : "cc");
#endif
}

static void must(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static void play(int from, int to)
{
	char ball = 0;

	for (int i = 0; i < ROUNDS; i++) {
		must(read(from, &ball, 1) == 1, "read");
		compute();
		must(write(to, &ball, 1) == 1, "write");
	}
}

int main(void)
{
	int there[2], back[2], status = 1;
	char ball = 0;
	pid_t other;

	must(!pipe(there) && !pipe(back), "pipe");
	other = fork();
	must(other >= 0, "fork");
	if (!other) {
		must(read(there[0], &ball, 1) == 1 && write(back[1], &ball, 1) == 1, "the first byte");
		must(!raise(SIGSTOP), "stop");
		play(there[0], back[1]);
		_exit(0);
	}
	/* Both are there, and have touched what they will need. */
	must(write(there[1], &ball, 1) == 1 && read(back[0], &ball, 1) == 1, "the first byte");
	must(waitpid(other, &status, WUNTRACED) == other && WIFSTOPPED(status), "the other process stops");
	MARK();
	must(!kill(other, SIGCONT) && write(there[1], &ball, 1) == 1, "the other process goes on");
	play(back[0], there[1]);
	must(waitpid(other, &status, 0) == other && !status, "the other process");
	MARK();
	return 0;
}
