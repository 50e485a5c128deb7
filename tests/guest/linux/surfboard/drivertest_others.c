/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drivertest: what a program of one user can do, by the SNI's pages, to one of another and to all. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/uio.h>

#include "tests/guest/linux/surfboard/drivertest.h"

#define PAGE 4096
#define COUNT 16 /* as many pages as a pipe holds */
#define MINE 0xA11CEA11u
#define SECRET 0x5EC2E75Eu

static void fill(uint32_t *p, uint32_t value)
{
	for (size_t i = 0; i < COUNT * PAGE / 4; i++)
		p[i] = value;
}

static unsigned int found(const uint32_t *p, uint32_t value)
{
	unsigned int n = 0;

	for (size_t i = 0; i < COUNT * PAGE / 4; i++)
		n += p[i] == value;
	return n;
}

/* The first user: pages in a pipe, pages of a child; the mappings go, what holds them stays. */
static int holder(int done, int go)
{
	static uint32_t seen[COUNT * PAGE / 4];
	struct iovec v = { .iov_len = COUNT * PAGE };
	uint32_t *piped, *kept;
	int ends[2], gone[2];
	pid_t child;
	size_t got = 0;

	become(1000);
	piped = sni_pages(sni, COUNT);
	kept = sni_pages(sni, COUNT);
	must(piped && kept && !pipe(ends) && !pipe(gone), "pages");
	fill(piped, MINE);
	fill(kept, MINE);
	v.iov_base = piped;
	check(vmsplice(ends[1], &v, 1, 0) == COUNT * PAGE, "a pipe holds the pages");
	child = fork_child();
	if (!child) {
		sni_unmap(piped, COUNT);
		step(gone[1]);
		await(go);
		check(found(kept, MINE) == COUNT * PAGE / 4, "a child's pages are still its own");
		_exit(found(kept, MINE) != COUNT * PAGE / 4);
	}
	sni_unmap(piped, COUNT);
	sni_unmap(kept, COUNT);
	await(gone[0]);
	step(done);
	await(go);
	while (got < sizeof(seen)) {
		const ssize_t n = read(ends[0], (char *)seen + got, sizeof(seen) - got);

		must(n > 0, "read");
		got += n;
	}
	check(!found(seen, SECRET), "of another user's words the pipe has %u", found(seen, SECRET));
	return found(seen, SECRET) || child_status(child);
}

/* The second. */
static int writer(int done, int go)
{
	uint32_t *p[4];
	unsigned int dirty = 0;

	become(1001);
	for (int i = 0; i < 4; i++) {
		p[i] = sni_pages(sni, COUNT);
		must(p[i], "pages");
		dirty += COUNT * PAGE / 4 - found(p[i], 0);
		fill(p[i], SECRET);
	}
	check(!dirty, "another user's pages are zeroed (%u words are not)", dirty);
	step(done);
	await(go);
	return dirty != 0;
}

void held(char **words)
{
	static int (*const part[2])(int, int) = { holder, writer };
	int done[2][2], go[2][2];
	pid_t child[2];

	for (int i = 0; i < 2; i++) {
		must(!pipe(done[i]) && !pipe(go[i]), "pipe");
		child[i] = fork_child();
		if (!child[i])
			_exit(part[i](done[i][1], go[i][0]));
		await(done[i][0]);
	}
	step(go[0][1]); /* the holder and its child */
	step(go[0][1]);
	check(!child_status(child[0]), "nobody reads another's memory");
	step(go[1][1]);
	check(!child_status(child[1]), "nor what was there before");
}

/* --- memory that stays free --- */

struct zone {
	unsigned long free, high, managed;
};

/* The one that the search goes through. */
static struct zone zone_now(void)
{
	struct zone z = { 0 };
	char line[200], name[32] = "";
	FILE *f = fopen("/proc/zoneinfo", "r");

	must(f, "/proc/zoneinfo");
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Node 0, zone %31s", name);
		if (strcmp(name, "DMA32"))
			continue;
		sscanf(line, " pages free %lu", &z.free);
		sscanf(line, " high %lu", &z.high);
		sscanf(line, " managed %lu", &z.managed);
	}
	fclose(f);
	return z;
}

/* As many pages as anybody can have, while another process looks at what is free. */
void drain(char **words)
{
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	const struct zone start = zone_now();
	volatile unsigned long *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const unsigned long limit = start.high + start.managed / 64;
	pid_t watcher;
	int areas = 0;

	must(shared != MAP_FAILED && start.managed, "zone");
	must(!setrlimit(RLIMIT_MEMLOCK, &any), "setrlimit");
	shared[0] = start.free;
	watcher = fork_child();
	if (!watcher) {
		while (!shared[1]) {
			const struct zone z = zone_now();

			if (z.free < shared[0])
				shared[0] = z.free;
			shared[2]++;
		}
		_exit(0);
	}
	while (shared[2] < 2)
		usleep(1000);
	become(1000);
	while (areas < 8 && sni_pages(sni, 4096))
		areas++;
	shared[1] = 1;
	child_status(watcher);
	check(areas >= 2, "%d mappings of 16 MB", areas);
	check(shared[0] >= limit, "of %lu pages %lu were always free, at least %lu wanted (looked %lu times)", start.managed, shared[0],
	      limit, shared[2]);
}
