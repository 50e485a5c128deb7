/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profiled_libc - as profiled, with what a program has of others: a C library, threads, a library that it opens when it runs. */
#define APART __attribute__((noipa, used))

#ifdef OPENED
APART unsigned long opened(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum = sum * 3 + i;
	return sum;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { SORTED = 500, THREADS = 3, TURNS = 2000 };

static int numbers[SORTED];

APART int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

APART void *in_thread(void *turns)
{
	unsigned long n = 1;

	for (unsigned long i = 0; i < (unsigned long)turns; i++)
		n = n * 5 + i;
	return (void *)n;
}

APART int threads(void)
{
	pthread_t thread[THREADS];
	int wrong = 0;

	for (int i = 0; i < THREADS; i++)
		wrong |= pthread_create(&thread[i], NULL, in_thread, (void *)(TURNS * (i + 1UL)));
	for (int i = 0; i < THREADS; i++)
		wrong |= pthread_join(thread[i], NULL);
	return wrong;
}

int main(int argc, char **argv)
{
	void *const library = dlopen(argc > 1 ? argv[1] : "./profiled_opened.so", RTLD_NOW);
	unsigned long (*const opened)(unsigned long) = library ? (unsigned long (*)(unsigned long))dlsym(library, "opened") : NULL;

	if (!opened || !opened(TURNS) || threads())
		return 1;
	for (unsigned int i = 0, n = 1; i < SORTED; i++)
		numbers[i] = (n = n * 1103515245 + 12345) >> 16;
	qsort(numbers, SORTED, sizeof(numbers[0]), compare);
	return numbers[0] > numbers[SORTED - 1];
}
#endif
