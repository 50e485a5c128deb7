// SPDX-License-Identifier: GPL-2.0-or-later
/* p2test: the log, hooks, the kernel's trace events, and segments of code. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "p2test.h"

#define MOST_CPUS 64
#define HOOKS "/sys/module/power2/parameters/hooks"

struct p2_record records[MOST_RECORDS];
static unsigned count;

static unsigned of_type(uint32_t type)
{
	unsigned n = 0;

	for (unsigned i = 0; i < count; i++)
		n += records[i].type == type;
	return n;
}

/* All that there is, behind what was taken already. */
static void take_more(int fd)
{
	ssize_t n;

	must(!fcntl(fd, F_SETFL, O_NONBLOCK), "fcntl");
	for (; count < MOST_RECORDS; count += n / sizeof(records[0])) {
		n = read(fd, records + count, (MOST_RECORDS - count) * sizeof(records[0]));
		if (n <= 0)
			break;
		must(n % sizeof(records[0]) == 0, "whole records");
	}
	must(!fcntl(fd, F_SETFL, 0), "fcntl");
}

unsigned take_records(int fd)
{
	count = 0;
	take_more(fd);
	return count;
}

/* On each processor times and counts go up. */
static void check_order(const char *what)
{
	const struct p2_record *last[MOST_CPUS] = { NULL };
	unsigned wrong = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct p2_record *r = &records[i], *l = r->cpu < MOST_CPUS ? last[r->cpu] : NULL;

		wrong += r->cpu >= MOST_CPUS || !r->type || r->type > P2_RECORD_SET || !memchr(r->comm, 0, sizeof(r->comm));
		wrong += l && r->clock_ns < l->clock_ns;
		for (unsigned c = 0; l && l->mmcr == r->mmcr && c < P2_UAPI_COUNTERS; c++)
			wrong += r->counter[c] < l->counter[c];
		if (r->cpu < MOST_CPUS)
			last[r->cpu] = r;
	}
	check(count && !wrong, "%s: records in order", what);
}

static void breed(unsigned long rounds)
{
	pid_t pid = fork();

	if (!pid) {
		loop_calls(rounds, 3);
		execl("/proc/self/exe", "p2test", "program", NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 5; i++) {
		usleep(1000);
		loop(rounds);
	}
}

static void processes_log(void)
{
	pid_t pid = start(breed, 300000);
	struct p2_open o = session(P2_PRIVATE, P2_LOG_SWITCH | P2_LOG_TICK | P2_CHILDREN, pid, &user_set);
	struct pollfd p;
	uint64_t last = 0;
	struct p2_read r;
	unsigned ticks = 0;
	int fd;

	o.log_ns = 2000000;
	fd = opened(&o);
	p = (struct pollfd){ fd, POLLIN, 0 };
	must(!fcntl(fd, F_SETFL, O_NONBLOCK), "fcntl");
	check_refused(read(fd, records, sizeof(records)), EAGAIN, "an empty log");
	check_refused(read(fd, records, sizeof(records[0]) - 1), EINVAL, "less than a record");
	go(pid);
	must(!fcntl(fd, F_SETFL, 0), "fcntl");
	check(read(fd, records, sizeof(records[0])) == sizeof(records[0]), "a reader waits for a record");
	count = 1;
	same(finished(pid), 0, "the process", 0);
	check(poll(&p, 1, 1000) == 1 && p.revents & POLLIN && p.revents & POLLHUP, "poll: records, and no more to come");
	take_more(fd);
	check_order("processes");
	check(of_type(P2_RECORD_SWITCH) >= 6, "switches");
	same(of_type(P2_RECORD_FORK), 1, "forks", 0);
	same(of_type(P2_RECORD_EXEC), 1, "execs", 0);
	same(of_type(P2_RECORD_EXIT), 2, "exits", 0);
	for (unsigned i = 0; i < count; i++) {
		if (records[i].type != P2_RECORD_TICK)
			continue;
		ticks += !last || records[i].clock_ns - last >= 2000000 || records[i].cpu != records[i - 1].cpu;
		last = records[i].clock_ns;
	}
	check(ticks > 0, "ticks");
	r = counted(fd, 0, -1);
	same(r.lost, 0, "records lost", 0);
	check(r.switches >= 6, "switches: %s", "counters were saved");
	same(read(fd, records, sizeof(records)), 0, "the end of the log", 0);
	close(fd);
}

static void short_log(void)
{
	struct p2_open o = session(P2_SYSTEM, P2_LOG_SWITCH, 0, &user_set);
	int fd;

	o.log_records = 16;
	fd = opened(&o);
	for (int i = 0; i < 100; i++)
		usleep(500);
	check(counted(fd, 0, -1).lost > 0, "a short log loses records, and says so");
	take_records(fd);
	check(count >= 16, "what it has are whole ones");
	check_order("a short log");
	close(fd);
}

/* Of one processor's log, what a process has executed: the differences between records that end its turns. */
static uint64_t by_log(unsigned long rounds)
{
	struct p2_open o = session(P2_SYSTEM, P2_LOG_SWITCH, 0, &user_set);
	uint64_t last[MOST_CPUS] = { 0 }, sum = 0;
	pid_t pid = start(loop, rounds);
	int fd;

	o.log_records = 8192;
	fd = opened(&o);
	go(pid);
	finished(pid);
	call(fd, P2_IOC_DISABLE);
	take_records(fd);
	for (unsigned i = 0; i < count; i++) {
		const uint64_t n = records[i].counter[INSTRUCTIONS];

		/* An exit is no switch, but all that follows is the kernel's. */
		if (records[i].tgid == pid)
			sum += n - last[records[i].cpu];
		last[records[i].cpu] = n;
	}
	close(fd);
	return sum;
}

void test_log(char **words)
{
	pid_t load = burn(0);
	uint64_t few;

	processes_log();
	short_log();
	few = by_log(1000);
	same(by_log(2001000) - few, 2000000 * LOOP_INSTRUCTIONS, "instructions of a process, by the log", 0);
	stop(load);
}

/* --- hooks --- */

void set_hooks(const char *names, bool good)
{
	int fd = open(HOOKS, O_WRONLY);
	ssize_t n;

	must(fd >= 0, HOOKS);
	n = write(fd, names, strlen(names));
	if (good)
		check(n == (ssize_t)strlen(names), "hooks=%s", names);
	else
		check(n < 0, "hooks=%s refused", names);
	close(fd);
}

void test_hooks(char **words)
{
	struct p2_hook hook = { .id = 7, .data = { 0x123456789abcdef0ull, 2 } };
	uint64_t once, more;
	unsigned id[2] = { 0 };
	int fd, other = device();
	pid_t pid, load;

	pin(0); /* a record has what this processor has counted */
	fd = counting(P2_PRIVATE, P2_LOG_HOOK, 0, &user_set);
	for (unsigned i = 0; i < 3; i++) {
		hook.id = 7 + i;
		must(!ioctl(i == 1 ? fd : other, P2_IOC_HOOK, &hook), "P2_IOC_HOOK"); /* of any descriptor */
		loop(1 + 1000 * (i == 1));
	}
	take_records(fd);
	same(count, 3, "hooks", 0);
	check_order("hooks");
	for (unsigned i = 0; i < count; i++)
		check(records[i].type == P2_RECORD_HOOK && records[i].id == 7 + i && records[i].data[0] == hook.data[0] &&
			      records[i].data[1] == 2 && records[i].tgid == getpid(), "hook %u", i);
	once = records[1].counter[BRANCHES] - records[0].counter[BRANCHES];
	/* As the compiler lays it out, a round may have a branch more than the next, or less. */
	more = records[2].counter[BRANCHES] - records[1].counter[BRANCHES] - once;
	check(more > 1000 - 20 && more < 1000 + 20, "between hooks: what was executed there");
	close(fd);
	close(other);

	set_hooks("sched_wakeup,nothing_of_that_name", false);
	set_hooks("sched_wakeup,sched_process_wait", true);
	fd = counting(P2_SYSTEM, P2_LOG_HOOK, 0, &user_set);
	set_hooks("sched_wakeup", false); /* while they are used */
	pid = start(loop, 1);
	go(pid);
	finished(pid);
	take_records(fd);
	check_order("trace events");
	for (unsigned i = 0; i < count; i++)
		if (records[i].type == P2_RECORD_EVENT && records[i].id < 2)
			id[records[i].id]++;
	check(id[0] && id[1], "both trace events are in the log");
	close(fd);

	/* Who collects leaves itself out. */
	set_hooks("sys_enter", true);
	fd = counting(P2_SYSTEM, P2_LOG_HOOK | P2_HOOK_OTHERS, 0, &user_set);
	pid = start(loop, 1);
	go(pid);
	finished(pid);
	take_records(fd);
	id[0] = id[1] = 0;
	for (unsigned i = 0; i < count; i++)
		id[records[i].tgid == getpid()]++;
	check(id[0] && !id[1], "system calls of others: %u records, of the collector: %u", id[0], id[1]);
	close(fd);

	/* What the driver itself does is an event, too: it starts a timer when it loads counters. */
	set_hooks("hrtimer_start,hrtimer_cancel,sched_switch", true);
	load = burn(0);
	fd = counting(P2_PRIVATE, P2_LOG_HOOK, 0, &user_set);
	count_of(fd, BRANCHES);
	once = count_of(fd, BRANCHES);
	once = count_of(fd, BRANCHES) - once;
	for (unsigned i = 0; i < 20; i++) {
		uint64_t before = count_of(fd, BRANCHES), n;

		loop(100000);
		usleep(1000);
		n = count_of(fd, BRANCHES) - before - once - 100000;
		if (n >= 100)
			same(n, 0, "branches too many, round", i);
	}
	take_records(fd);
	check(of_type(P2_RECORD_EVENT) > 20, "the driver's own events");
	check_order("its own events");
	close(fd);
	stop(load);
	set_hooks("\n", true);
}

/* --- segments --- */

extern const char p2_segment_in[], p2_segment_out[], p2_segment_other_out[];

static __attribute__((noinline, noclone)) void segment(unsigned long rounds, bool other)
{
	__asm__ volatile(".globl p2_segment_in\np2_segment_in: nop");
	loop(rounds);
	if (other)
		__asm__ volatile(".globl p2_segment_other_out\np2_segment_other_out: nop");
	else
		__asm__ volatile(".globl p2_segment_out\np2_segment_out: nop");
}

static void segments(unsigned long rounds, unsigned long outside)
{
	for (int i = 0; i < 10; i++) {
		loop(outside);
		segment(rounds, i & 1);
		syscall(SYS_getppid);
	}
}

/* Where an instruction stands in its file. */
static uint64_t offset_of(const char *at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long first, end, offset;
	char line[512];

	must(maps, "/proc/self/maps");
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &first, &end, &offset) == 3 && (uintptr_t)at >= first && (uintptr_t)at < end) {
			fclose(maps);
			return (uintptr_t)at - first + offset;
		}
	must(false, "the program's own code");
	return 0;
}

void segment_places(struct p2_segment *g)
{
	g->entry = offset_of(p2_segment_in);
	g->exit[0] = offset_of(p2_segment_out);
}

static uint64_t segments_of(int fd, unsigned long rounds, unsigned long outside)
{
	uint64_t before = count_of(fd, INSTRUCTIONS);

	segments(rounds, outside);
	return count_of(fd, INSTRUCTIONS) - before;
}

static void segments_in(uint32_t scope, const struct p2_set *set)
{
	struct p2_segment g = { .exits = 2 };
	int fd = counting(scope, P2_STOPPED, 0, set);
	uint64_t once;

	g.file = open("/proc/self/exe", O_RDONLY);
	segment_places(&g);
	g.exit[1] = g.entry;
	check_refused(ioctl(fd, P2_IOC_SEGMENT, &g), EINVAL, "an exit at the entry");
	g.exit[1] = offset_of(p2_segment_other_out);
	g.exits = 0;
	check_refused(ioctl(fd, P2_IOC_SEGMENT, &g), EINVAL, "a segment without an exit");
	g.exits = P2_MOST_EXITS + 1;
	check_refused(ioctl(fd, P2_IOC_SEGMENT, &g), EINVAL, "17 exits");
	g.exits = 2;
	must(!ioctl(fd, P2_IOC_SEGMENT, &g), "P2_IOC_SEGMENT");
	loop(1000);
	same(count_of(fd, INSTRUCTIONS), 0, "before the first one", scope);
	once = segments_of(fd, 1, 1);
	check(once > 10 * LOOP_INSTRUCTIONS && once < 500, "ten segments of a few instructions: %llu", (unsigned long long)once);
	same(segments_of(fd, 10001, 1) - once, 10 * 10000 * LOOP_INSTRUCTIONS, "ten segments, scope", scope);
	same(segments_of(fd, 1, 10001) - once, 0, "what is outside, scope", scope);
	close(g.file);
	close(fd);
	segments(1, 1); /* no trap is left */
}

void test_segments(char **words)
{
	pid_t load = burn(0);

	pin(0);
	segments_in(P2_PRIVATE, &user_set);
	segments_in(P2_MARKED, &marked_set);
	stop(load);
}
