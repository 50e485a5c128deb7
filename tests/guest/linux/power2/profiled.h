/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiled.h - Linux's system calls, and what else profiled has no C for: begin(), fill(), copy().
 */
#ifndef PERFBOARD_TESTS_PROFILED_H
#define PERFBOARD_TESTS_PROFILED_H

enum { SIGNAL = 10 }; /* SIGUSR1 */

#ifdef __x86_64__
enum { CALL_SIGACTION = 13, CALL_FORK = 57, CALL_EXECVE = 59, CALL_EXIT = 60, CALL_WAIT4 = 61, CALL_KILL = 62, CALL_GETPID = 39 };

__asm__(".text\n.globl _start\n.type _start, @function\n_start: mov %rsp, %rdi\nand $-16, %rsp\ncall start\nmov %eax, %edi\nmov $60, %eax\nsyscall\n"
	".size _start, .-_start\n"
	".type restore, @function\nrestore: mov $15, %eax\nsyscall\n.size restore, .-restore\n");
void restore(void);

static inline long call4(long n, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return result;
}

/* As these repeat, each look at the count is an instruction: one for each byte, and the last, that finds none. */
__attribute__((noipa)) static void fill(char *to, int byte, unsigned long bytes)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(byte) : "memory");
}

__attribute__((noipa)) static void copy(char *to, const char *from, unsigned long bytes)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

#define SIGACTION_OF(handler) { (long)(handler), 0x04000000, (long)restore, 0 } /* SA_RESTORER */
#else
enum { CALL_SIGACTION = 173, CALL_FORK = 2, CALL_EXECVE = 11, CALL_EXIT = 1, CALL_WAIT4 = 114, CALL_KILL = 37, CALL_GETPID = 20 };

__asm__(".text\n.globl _start\n.type _start, @function\n_start: addis 2, 12, .TOC.-_start@ha\naddi 2, 2, .TOC.-_start@l\nmr 3, 1\nclrrdi 1, 1, 4\n"
	"li 0, 0\nstdu 0, -128(1)\nbl start\nnop\nli 0, 1\nsc\n.size _start, .-_start\n");

static inline long call4(long n, long a, long b, long c, long d)
{
	register long r0 __asm__("r0") = n;
	register long r3 __asm__("r3") = a;
	register long r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;

	__asm__ volatile("sc" : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6) : : "memory", "cr0", "r7", "r8", "r9", "r10", "r11", "r12", "ctr", "xer");
	return r3;
}

__attribute__((noipa)) static void fill(volatile char *to, int byte, unsigned long bytes)
{
	while (bytes--)
		*to++ = byte;
}

__attribute__((noipa)) static void copy(volatile char *to, const volatile char *from, unsigned long bytes)
{
	while (bytes--)
		*to++ = *from++;
}

#define SIGACTION_OF(handler) { (long)(handler), 0, 0, 0 } /* the way back is in the kernel's page */
#endif

#define call3(n, a, b, c) call4(n, a, b, c, 0)

static inline long call_fork(void)
{
	return call3(CALL_FORK, 0, 0, 0);
}

static inline void call_wait(long pid, int *status)
{
	call4(CALL_WAIT4, pid, (long)status, 0, 0);
}

static inline void on_signals(void (*handler)(int))
{
	const long action[4] = SIGACTION_OF(handler);

	call4(CALL_SIGACTION, SIGNAL, (long)action, 0, 8);
}

static inline void send_signal(void)
{
	call3(CALL_KILL, call3(CALL_GETPID, 0, 0, 0), SIGNAL, 0);
}

#endif
