/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mklib-shared ONE.so ANOTHER.so - a program and two shared objects that it loads (mklib_part.cc) use mklib: they have
 * one state. Needs no card. Built as strict C11, the parts as strict C++20 with hidden symbols.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/multikron/lib/mklib.h"

struct part {
	void (*store)(unsigned level, uint64_t data);
	void (*open)(volatile uint64_t *page);
};

static int failures;
static volatile uint64_t page[MKR_ADDRESSES];

static void store_here(unsigned level, uint64_t data)
{
	MK_TRACE(level, data);
}

static void check(const char *who, void (*store)(unsigned, uint64_t), uint64_t data)
{
	store(3, data);
	printf("%s: what %s stores\n", page[MKR_SAMPLE_TRACE(3)] == data ? "ok" : "FAILED", who);
	failures += page[MKR_SAMPLE_TRACE(3)] != data;
	page[MKR_SAMPLE_TRACE(3)] = 0;
}

/* C has no conversion from dlsym's result to a function. */
static void find(void *object, const char *name, void *function, size_t bytes)
{
	void *address = dlsym(object, name);

	if (!address) {
		printf("FAILED: %s: %s\n", name, dlerror());
		exit(1);
	}
	memcpy(function, &address, bytes);
}

static struct part load(const char *path)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct part p;

	if (!object) {
		printf("FAILED: %s\n", dlerror());
		exit(1);
	}
	find(object, "part_store", &p.store, sizeof(p.store));
	find(object, "part_open", &p.open, sizeof(p.open));
	return p;
}

int main(int argc, char **argv)
{
	struct part one, another;

	if (argc != 3)
		return 2;
	one = load(argv[1]);
	another = load(argv[2]);
	if (one.store == another.store) {
		printf("FAILED: they are the same\n");
		return 1;
	}
	mk_page = page;
	check("the program", store_here, 0x111111111111);
	check("one part", one.store, 0x222222222222);
	check("the other", another.store, 0x333333333333);
	one.open(mk_nowhere);
	another.open(page);
	check("the program, when a part has opened,", store_here, 0x444444444444);
	check("one part, when the other has opened,", one.store, 0x555555555555);
	mk_close();
	one.store(3, 1);
	printf("%s: nothing is stored when the program has closed\n", page[MKR_SAMPLE_TRACE(3)] ? "FAILED" : "ok");
	failures += page[MKR_SAMPLE_TRACE(3)] != 0;
	return failures != 0;
}
