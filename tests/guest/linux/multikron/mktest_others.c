/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mktest: what a program without privileges can do to others: nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/linux/multikron/mktest.h"

#define NOBODY 65534
#define ROUNDS 200

static long number_in(const char *path)
{
	long value = -1;
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* The next process gets a number behind this one. */
static void set_last_pid(long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	write_file("/proc/sys/kernel/ns_last_pid", text);
}

static long traced(void)
{
	return number_in("/sys/class/misc/multikron0/traced");
}

static long probes(void)
{
	return number_in("/sys/class/misc/multikron0/probes");
}

/* In virtual time it is a second. */
static bool probes_go(void)
{
	for (int i = 0; i < 6000 && probes() >= 0; i++) {
		if (!probes())
			return true;
		usleep(100000);
	}
	return false;
}

/* Function call interrupts of a processor. */
static unsigned long calls(unsigned cpu)
{
	char line[1000];
	unsigned long n = 0;
	FILE *f = fopen("/proc/interrupts", "r");

	must(f, "/proc/interrupts");
	while (fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "CAL:");

		if (!at)
			continue;
		at += 4;
		for (unsigned i = 0; i <= cpu; i++)
			n = strtoul(at, &at, 10);
	}
	fclose(f);
	return n;
}

static void become_nobody(void)
{
	must(!setgid(NOBODY) && !setuid(NOBODY), "setuid");
}

static void ended_well(pid_t pid, const char *what)
{
	check(!child_status(pid), "%s", what);
}

/* --- a source that is another's --- */

static void take_source(void)
{
	const int64_t mine = mk_trace_me(0, 0);
	pid_t pid = fork_child();

	must(mine >= 0, "trace");
	if (!pid) {
		become_nobody();
		_exit(!(mk_trace_me(MK_TRACE_SOURCE, (uint32_t)mine) < 0 && errno == EPERM &&
			mk_trace_me(MK_TRACE_SOURCE | MK_TRACE_THREAD, (uint32_t)mine) < 0 && errno == EPERM));
	}
	ended_well(pid, "nobody cannot name a source");
	/* A process whose number has the same lower half. */
	write_file("/proc/sys/kernel/pid_max", "200000");
	set_last_pid(getpid() + 65535);
	pid = fork_child();
	if (!pid) {
		become_nobody();
		_exit(!(mk_trace_me(0, 0) < 0 && errno == EBUSY));
	}
	check(pid == getpid() + 65536, "processes %d and %d", getpid(), pid);
	ended_well(pid, "nor get one that looks the same");
	must(!mk_untrace_me(0), "untrace");
	set_last_pid(getpid() + 65535);
	pid = fork_child();
	if (!pid) {
		become_nobody();
		_exit(mk_trace_me(0, 0) != mine);
	}
	ended_well(pid, "but when it is free");
	set_last_pid(getpid() + 100);
}

/* --- interrupts and probes --- */

/* In a loop, on the first processor: what the second sees of it. */
static void trace_loop(const char *what)
{
	const unsigned other = mk_main.info.cpu[1];
	const unsigned long before = calls(other);
	const pid_t pid = fork_child();
	unsigned long seen;

	if (!pid) {
		bool good = true;

		pin(mk_main.info.cpu[0]);
		become_nobody();
		for (int i = 0; i < ROUNDS; i++)
			good &= mk_trace_me(0, 0) >= 0 && !mk_untrace_me(0);
		_exit(!good);
	}
	ended_well(pid, what);
	seen = calls(other) - before;
	check(seen < ROUNDS / 2, "%d times: the other processor was interrupted %lu times", ROUNDS, seen);
}

static void leave_probes(void)
{
	int held[2];
	pid_t pid;

	check(probes_go(), "nobody is traced: no probe");
	trace_loop("nobody has himself traced in a loop, alone");
	check(probes_go() && !traced(), "no probe is left behind");
	must(!pipe(held), "pipe");
	pid = fork_child();
	if (!pid) {
		char byte;

		close(held[1]);
		_exit(mk_trace_me(0, 0) < 0 || read(held[0], &byte, 1) != 0);
	}
	close(held[0]);
	while (traced() == 0 || probes() == 0)
		usleep(1000);
	trace_loop("nobody has himself traced in a loop, beside another");
	usleep(3000000);
	check(probes() == 1, "the other's probe stays");
	close(held[1]);
	ended_well(pid, "the other ends");
	check(probes_go(), "and its probe goes");
	pid = fork_child();
	if (!pid) {
		become_nobody();
		if (mk_trace_me(MK_TRACE_CHILDREN, 0) >= 0)
			raise(SIGKILL);
		_exit(1);
	}
	child_status(pid);
	check(probes_go(), "so does that of one that is killed");
}

/* --- threads that run elsewhere --- */

static volatile bool over;
static volatile pid_t spinning;
static volatile unsigned long turns;

static void *spin(void *cpu)
{
	pin((unsigned)(uintptr_t)cpu);
	spinning = gettid();
	while (!over)
		turns++;
	return NULL;
}

static void see_it_run(void)
{
	const unsigned long then = turns;

	while (turns == then)
		usleep(100);
}

/* How often something else has run in its place. */
static long interruptions(void)
{
	char path[64], line[128];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)spinning);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "nonvoluntary_ctxt_switches: %ld", &n);
	if (f)
		fclose(f);
	must(n >= 0, path);
	return n;
}

/*
 * Without a switch: a thread of the kernel that runs there meanwhile has no source, and then it is tried again. It may run there
 * already, and be counted already: so the spinning thread is seen to run behind the first look at the count.
 */
static bool source_at_once(unsigned cpu)
{
	for (;;) {
		const long before = interruptions();
		int64_t source;

		see_it_run();
		source = mk_trace_me(0, 0);
		if (source > 0 && source_now(cpu) == source)
			return true;
		if (source <= 0 || interruptions() == before || mk_untrace_me(0))
			return false;
	}
}

static void threads_elsewhere(void)
{
	const unsigned other = mk_main.info.cpu[1];
	pthread_t thread;

	pin(mk_main.info.cpu[0]);
	must(!pthread_create(&thread, NULL, spin, (void *)(uintptr_t)other), "pthread_create");
	while (!spinning)
		usleep(1000);
	check(source_at_once(other), "a thread that runs elsewhere has the source at once");
	check(!mk_untrace_me(0) && !source_now(other), "and has it no more");
	over = true;
	pthread_join(thread, NULL);
}

/* --- a descriptor that may only read --- */

static void read_only(void)
{
	const int fd = open(MK_DEVICE, O_RDONLY);
	struct mk plain = { .fd = fd };
	uint64_t value;
	uint32_t none = 0;
	struct mk_trace t = { 0, 0 };
	void *page;

	must(fd >= 0, MK_DEVICE);
	check(!mk_get(&plain, MKR_CSR, &value), "read-only: reading a register");
	refused_of(mk_set(&plain, MKR_FILTER, 1), EBADF, "read-only: writing address", MKR_FILTER);
	check_refused(mk_count_on(&plain, 0), EBADF, "read-only: counting");
	check_refused(ioctl(fd, MK_IOC_TRACE, &t), EBADF, "read-only: tracing");
	check_refused(ioctl(fd, MK_IOC_UNTRACE, &none), EBADF, "read-only: untracing");
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, MK_MAP_REGISTERS);
	check(page != MAP_FAILED && ((volatile uint64_t *)page)[MKR_TIMESTAMP] > 0, "read-only: the registers map");
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, MK_MAP_SAMPLE);
	check(page != MAP_FAILED, "read-only: the sample page maps for reading");
	check_refused(mprotect(page, 4096, PROT_READ | PROT_WRITE), EACCES, "read-only: making it writable");
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, MK_MAP_SAMPLE);
	check(page == MAP_FAILED && errno == EACCES, "read-only: a sample page for writing is refused");
	close(fd);
}

void others(char **words)
{
	read_only();
	take_source();
	threads_elsewhere();
	leave_probes();
}
