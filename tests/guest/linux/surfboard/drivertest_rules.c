/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest: what a descriptor may do, mappings, waits, where the SNI's pages come from, and what a program of one user can do by them to one of
 * another and to all.
 */
#define _GNU_SOURCE
#include <linux/kernel-page-flags.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "tests/guest/linux/surfboard/drivertest.h"

#define PAGE 4096
#define NOBODY 65534

/* --- rules --- */

static void contracts(void)
{
	const int both = PROT_READ | PROT_WRITE;
	const struct contract of_surf = {
		.device = "/dev/surf0",
		.asks = { SURF_IOC_INFO, SURF_IOC_GETREG, SURF_IOC_WAIT },
		.changes = { SURF_IOC_PUTREG, SURF_IOC_CONFIG, SURF_IOC_CLEAR },
		.reads = true, .writes = true, .seeks = true,
		.map = { { both, SURF_MAP_TRACE }, { info.hist_size ? both : 0, SURF_MAP_HIST } },
	};
	const struct contract of_sni = {
		.device = SNI_DEVICE,
		.asks = { SNI_IOC_INFO, SNI_IOC_PFN, SNI_IOC_GETREG, SNI_IOC_STATS, SNI_IOC_WAIT, SNI_IOC_NOTIFY },
		.changes = { SNI_IOC_EXPORT, SNI_IOC_IMPORT, SNI_IOC_EXPORT_TO, SNI_IOC_IMPORT_FROM, SNI_IOC_DU, SNI_IOC_DU_TO, SNI_IOC_SETREG },
		.map = { { both, SNI_MAP_PAGES } },
	};

	check_contract(&of_surf);
	check_contract(&of_sni);
}

static void surf_read_only(void)
{
	const int fd = open("/dev/surf0", O_RDONLY);
	struct surf_reg r = { .offset = SURF_WCDR, .value = 0xCAFE0002 };
	struct surf_exception e = { 0 };

	must(fd >= 0, "/dev/surf0");
	put(SURF_WCDR, 0xCAFE0001);
	CALLS(fd, { SURF_IOC_PUTREG, &r, EBADF, "surf, read-only: writing a register" },
	      { SURF_IOC_GETREG, &r, 0, "surf, read-only: reading a register" },
	      { SURF_IOC_WAIT, &e, ETIMEDOUT, "surf, read-only: a wait of no time" });
	check(r.value == 0xCAFE0001, "WCDR is as it was");
	put(SURF_WCDR, 0);
	close(fd);
}

static void sni_read_only(void)
{
	const int fd = open(SNI_DEVICE, O_RDONLY);
	struct ring r = open_ring(false);
	uint32_t before, value;

	must(fd >= 0, SNI_DEVICE);
	must(!sni_get_reg(fd, SNI_CTOR, &before), "CTOR");
	check_refused(sni_set_reg(fd, SNI_CTOR, before + 1), EBADF, "sni, read-only: writing a register");
	check(!sni_get_reg(fd, SNI_CTOR, &value) && value == before, "CTOR is as it was");
	check(sni_pfn(fd, r.receive) == r.pfn, "sni, read-only: a page frame's number");
	sni_close(fd);
	sni_unmap((void *)r.send, 1);
	sni_unmap((void *)r.receive, 1);
}

static void parts(uint32_t offset)
{
	const size_t bytes = 64 * PAGE;
	volatile uint32_t *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, surf, offset);

	must(p != MAP_FAILED, "mmap");
	p[0] = 0x600D0001;
	p[bytes / 4 - 1] = 0x600D0002;
	/* finish() looks at what the kernel's log says of these. */
	check(!munmap((char *)p + 8 * PAGE, PAGE), "a page out of the middle of a mapping is unmapped");
	check(!munmap((char *)p + 32 * PAGE, 16 * PAGE), "and a part of it");
	check(p[0] == 0x600D0001 && p[bytes / 4 - 1] == 0x600D0002, "the rest is still there");
	check(!munmap((char *)p, bytes), "and goes");
}

void rules(char **words)
{
	contracts();
	surf_read_only();
	sni_read_only();
	parts(SURF_MAP_TRACE);
	if (info.hist_size)
		parts(SURF_MAP_HIST);
}

/* --- waits --- */

#define SIGNALS 200 /* then the timer is stopped, so that a wait that starts anew each time ends as well */
static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	if (++signals == SIGNALS)
		alarms(0, 0);
}

static uint64_t now_ms(void)
{
	return now_ns() / 1000000;
}

static int wait_surf(uint32_t ms)
{
	struct surf_exception e = { .timeout_ms = ms };

	return ioctl(surf, SURF_IOC_WAIT, &e);
}

static int wait_sni(uint32_t ms)
{
	return sni_wait_packet(sni, ms);
}

/* Signals whose handler lets the call be restarted: 50 ms apart, in a wait of 300 ms. */
static void interrupted(const char *name, int (*wait)(uint32_t))
{
	const uint64_t start = now_ms();
	int result, error;

	signals = 0;
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART }, NULL);
	alarms(50000, 50000);
	result = wait(300);
	error = errno;
	alarms(0, 0);
	check(result < 0 && error == ETIMEDOUT, "%s: an interrupted wait ends", name);
	check(signals > 0 && signals < SIGNALS, "%s: within its time (%d signals)", name, (int)signals);
	check(now_ms() - start >= 300, "%s: and not before", name);
}

/*
 * One waits without limit, over and over; another clears each exception a little later each time, and so at some
 * time just between the moment when the first is woken and the one when it looks.
 */
#define RACES 3000

static volatile bool over;

static void *wait_for_ever(void *failed)
{
	while (!over)
		if (wait_surf(0xffffffff) < 0) {
			*(int *)failed = errno;
			break;
		}
	return NULL;
}

static void cleared_by_another(void)
{
	struct pollfd p = { .fd = surf, .events = POLLPRI };
	struct ring r = open_ring(false);
	pthread_t thread;
	int failed = 0;

	begin(0, SURF_IEMR_WCV, SURF_HTCR_WEN);
	must(!pthread_create(&thread, NULL, wait_for_ever, &failed), "pthread_create");
	for (int i = 0; i < RACES; i++) {
		put(SURF_WCDR, 0xFFFFFFFF);
		r.send[0] = i;
		while (!poll(&p, 1, 0))
			;
		for (volatile int later = 0; later < i % 500 * 4; later++)
			;
		put(SURF_ISCR, SURF_ISCR_WCV);
		DO(surf, SURF_IOC_CLEAR);
	}
	over = true;
	put(SURF_WCDR, 0xFFFFFFFF); /* this exception stays, so that the other one sees it */
	r.send[0] = 0;
	pthread_join(thread, NULL);
	check(!failed, "a wait without limit goes on when another clears the exception (%s)", strerror(failed));
	begin(0, 0, 0);
}

#define TRIES 100

static void on_usr1(int number)
{
}

/*
 * A handler that lets nothing be restarted: EINTR, and the same structure goes on. On a slow host the signal may come before the wait begins, which
 * then ends by itself: again.
 */
static void continued(void)
{
	struct surf_exception e;
	uint64_t start, deadline;
	int result;

	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_usr1 }, NULL);
	for (int i = 0; i < TRIES; i++) {
		e = (struct surf_exception){ .timeout_ms = 400 };
		start = now_ms();
		alarms(100000, 0);
		result = ioctl(surf, SURF_IOC_WAIT, &e);
		if (result >= 0 || errno != ETIMEDOUT)
			break;
	}
	check_refused(result, EINTR, "a wait that may not be restarted");
	deadline = e.deadline_ns / 1000000;
	check(deadline >= start + 400, "it says when it would have ended");
	check_refused(ioctl(surf, SURF_IOC_WAIT, &e), ETIMEDOUT, "the rest of it");
	check(now_ms() >= deadline && !e.deadline_ns, "it ends then");
}

void waits(char **words)
{
	ioctl(surf, SURF_IOC_CLEAR);
	while (!sni_wait_packet(sni, 0))
		;
	interrupted("surf", wait_surf);
	interrupted("sni", wait_sni);
	continued();
	cleared_by_another();
}

/* --- the SNI's pages --- */

/* 128 MB, which is more than the kernel leaves below 128 MB. */
enum { AREAS = 64, AREA = SNI_PAGES / AREAS };

/* Half of the free pages below 128 MB: a 32nd of all memory stays free, wherever that lies. */
static unsigned long least_pages(void)
{
	static uint64_t flags[SNI_PAGES];
	unsigned long n = 0;
	FILE *f = fopen("/proc/kpageflags", "r");

	must(f && fread(flags, sizeof(flags), 1, f) == 1, "/proc/kpageflags");
	fclose(f);
	for (int pfn = 0; pfn < SNI_PAGES; pfn++)
		n += flags[pfn] >> KPF_BUDDY & 1;
	return n / 2;
}

static unsigned long pinned(void)
{
	const long kb = number_in("/proc/self/status", "VmPin: %ld kB");

	must(kb >= 0, "VmPin");
	return (unsigned long)kb / 4;
}

/* As many areas as there are; how many pages. */
static unsigned long take_all(void **area)
{
	unsigned long n = 0;

	for (int i = 0; i < AREAS; i++)
		area[i] = i && !area[i - 1] ? NULL : sni_pages(sni, AREA);
	for (int i = 0; i < AREAS && area[i]; i++)
		n += AREA;
	return n;
}

void pages(char **words)
{
	static uint8_t seen[SNI_PAGES];
	const unsigned long least = least_pages();
	void *area[AREAS];
	unsigned long n, twice = 0, high = 0, dirty = 0;

	must(!pinned(), "no page is pinned");
	n = take_all(area);
	check(n >= least, "%lu pages below 128 MB, at least %lu wanted", n, least);
	check(pinned() == n, "they are accounted for: %lu pinned", pinned());
	for (int i = 0; i < AREAS && area[i]; i++)
		for (size_t page = 0; page < AREA; page++) {
			uint32_t *p = (uint32_t *)((char *)area[i] + page * PAGE);
			const int64_t pfn = sni_pfn(sni, p);

			if (pfn < 0 || pfn >= SNI_PAGES) {
				high++;
				continue;
			}
			twice += seen[pfn]++;
			dirty += p[0] || p[1023];
			p[0] = p[1023] = 0xD1D1D1D1;
		}
	check(!high && !twice, "each lies below 128 MB (%lu do not), none is there twice (%lu are)", high, twice);
	check(!dirty, "they are zeroed (%lu are not)", dirty);
	for (int i = 0; i < AREAS; i++)
		if (!area[i] && !(area[i] = sni_pages(sni, AREA))) {
			check_refused(-1, ENOMEM, "when there are no more");
			break;
		}
	check(!area[AREAS - 1], "not all of the 128 MB are pages");
	for (int i = 0; i < AREAS; i++)
		if (area[i])
			must(!sni_unmap(area[i], AREA), "munmap");
	check(!pinned(), "unmapped: none is accounted for");
	n = take_all(area);
	check(n >= least, "and %lu can be had at once again", n);
	for (int i = 0; i < AREAS; i++)
		if (area[i])
			sni_unmap(area[i], AREA);
}

/* As anybody who has been given the device. */
void limit(char **words)
{
	const struct rlimit few = { 64 * PAGE, 64 * PAGE };
	void *first, *second;

	must(!setrlimit(RLIMIT_MEMLOCK, &few), "setrlimit");
	first = sni_pages(sni, 128);
	check(first != NULL, "root has as many pages as it likes");
	sni_unmap(first, 128);
	become(NOBODY);
	first = sni_pages(sni, 40);
	check(first != NULL, "nobody has pages within RLIMIT_MEMLOCK");
	second = sni_pages(sni, 25);
	check_refused(second ? 0 : -1, ENOMEM, "and none beyond");
	second = sni_pages(sni, 24);
	check(second != NULL, "up to the last");
	sni_unmap(first, 40);
	first = sni_pages(sni, 40);
	check(first != NULL, "and again what was given back");
}

/* --- pages that somebody still holds --- */

#define HELD 16 /* as many pages as a pipe holds */
#define MINE 0xA11CEA11u
#define SECRET 0x5EC2E75Eu

static void fill(uint32_t *p, uint32_t value)
{
	for (size_t i = 0; i < HELD * PAGE / 4; i++)
		p[i] = value;
}

static unsigned int found(const uint32_t *p, uint32_t value)
{
	unsigned int n = 0;

	for (size_t i = 0; i < HELD * PAGE / 4; i++)
		n += p[i] == value;
	return n;
}

/* The first user: pages in a pipe, pages of a child; the mappings go, what holds them stays. */
static int holder(int done, int go)
{
	static uint32_t seen[HELD * PAGE / 4];
	struct iovec v = { .iov_len = HELD * PAGE };
	uint32_t *piped, *kept;
	int ends[2], gone[2];
	pid_t child;
	size_t got = 0;

	become(1000);
	piped = own_pages(HELD);
	kept = own_pages(HELD);
	must(!pipe(ends) && !pipe(gone), "pipe");
	fill(piped, MINE);
	fill(kept, MINE);
	v.iov_base = piped;
	check(vmsplice(ends[1], &v, 1, 0) == HELD * PAGE, "a pipe holds the pages");
	child = fork_child();
	if (!child) {
		sni_unmap(piped, HELD);
		step(gone[1]);
		await(go);
		check(found(kept, MINE) == HELD * PAGE / 4, "a child's pages are still its own");
		_exit(found(kept, MINE) != HELD * PAGE / 4);
	}
	sni_unmap(piped, HELD);
	sni_unmap(kept, HELD);
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
		p[i] = own_pages(HELD);
		dirty += HELD * PAGE / 4 - found(p[i], 0);
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
	const unsigned long least = least_pages();
	unsigned long n = 0;
	pid_t watcher;

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
	for (int i = 0; i < AREAS && sni_pages(sni, AREA); i++)
		n += AREA;
	shared[1] = 1;
	child_status(watcher);
	check(n >= least, "%lu pages, at least %lu wanted", n, least);
	check(shared[0] >= limit, "of %lu pages %lu were always free, at least %lu wanted (looked %lu times)", start.managed, shared[0],
	      limit, shared[2]);
}
