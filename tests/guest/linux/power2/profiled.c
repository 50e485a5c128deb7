// SPDX-License-Identifier: GPL-2.0-or-later
// What profile-test profiles: without a library, so that each instruction is its own, and the same under valgrind.
#define LINES 4096
#define NOT_INLINE __attribute__((noinline, noclone))

static unsigned char memory[64 * LINES] __attribute__((aligned(4096)));
static unsigned char other[2048];

NOT_INLINE unsigned leaf(unsigned n)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < n; i++)
		sum = sum * 3 + (i ^ sum >> 5);
	return sum;
}

NOT_INLINE unsigned recurse(unsigned n)
{
	return n < 2 ? leaf(n) : recurse(n - 1) + recurse(n - 2);
}

NOT_INLINE unsigned one(unsigned n) { return leaf(n) + 1; }
NOT_INLINE unsigned two(unsigned n) { return leaf(2 * n) + one(n); }

NOT_INLINE unsigned by_pointer(unsigned n)
{
	static unsigned (*volatile const table[])(unsigned) = { one, two, leaf };
	unsigned sum = 0;

	for (unsigned i = 0; i < 3 * n; i++)
		sum += table[i % 3](i);
	return sum;
}

NOT_INLINE void strings(void)
{
#ifdef __x86_64__
	void *to = other, *from = memory;
	unsigned long n = 1000;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	n = 500;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(7) : "memory");
#endif
}

/* Each access misses a cache of less than the array, but for those of a second look. */
NOT_INLINE unsigned walk_loads(unsigned times)
{
	unsigned sum = 0;

	for (unsigned t = 0; t < times; t++)
		for (unsigned i = 0; i < LINES; i++)
			sum += *(volatile unsigned char *)&memory[64 * i] + *(volatile unsigned char *)&memory[64 * i + 8];
	return sum;
}

NOT_INLINE void walk_stores(unsigned times)
{
	for (unsigned t = 0; t < times; t++)
		for (unsigned i = 0; i < LINES; i++)
			*(volatile unsigned char *)&memory[64 * i] = t;
}

NOT_INLINE void leave(void)
{
#ifdef __x86_64__
	__asm__ volatile("syscall" : : "a"(231), "D"(0)); /* exit_group */
#else
	register long number __asm__("r0") = 234, status __asm__("r3") = 0;

	__asm__ volatile("sc" : : "r"(number), "r"(status));
#endif
}

#ifdef __powerpc64__
__asm__(".globl _start\n_start:\n addis 2,12,.TOC.-_start@ha\n addi 2,2,.TOC.-_start@l\n bl begin\n");
void begin(void);
void begin(void)
#else
void _start(void);
void _start(void)
#endif
{
	leaf(recurse(12) + by_pointer(20));
	strings();
	walk_stores(3);
	leaf(walk_loads(5) & 15);
	leave();
	for (;;)
		;
}
