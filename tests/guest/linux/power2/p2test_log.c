// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * p2test: the log, hooks, the kernel's trace events, and segments of code; sessions that outlive their descriptor, rules that say which hooks record,
 * and memory that is late.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "guest/power2/lib/p2lib.h"
#include "p2test.h"
#include "tests/guest/linux/late.h"

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
	same(child_status(pid), 0, "the process", 0);
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
	child_status(pid);
	DO(fd, P2_IOC_DISABLE);
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
		DO(i == 1 ? fd : other, P2_IOC_HOOK, &hook); /* of any descriptor */
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
	child_status(pid);
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
	child_status(pid);
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
	g.exits = P2_MOST_EXITS + 1;
	check_refused(ioctl(fd, P2_IOC_SEGMENT, &g), EINVAL, "17 exits");
	g.exits = 2;
	DO(fd, P2_IOC_SEGMENT, &g);
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

/* Without exits: until the outermost call of a function returns. By a pointer, so that POWER's global entry is what is called. */
static void nested(unsigned long rounds, int depth);
static void (*volatile call_nested)(unsigned long, int) = nested;

static void nested(unsigned long rounds, int depth)
{
	if (depth)
		call_nested(rounds, depth - 1);
	loop(rounds);
}

static uint64_t nested_of(int fd, unsigned long rounds)
{
	uint64_t before = count_of(fd, INSTRUCTIONS);

	call_nested(rounds, 2);
	loop(10000);
	return count_of(fd, INSTRUCTIONS) - before;
}

static void returns_in(uint32_t scope, const struct p2_set *set)
{
	struct p2_segment g = { .file = open("/proc/self/exe", O_RDONLY), .entry = offset_of((const char *)(uintptr_t)call_nested) };
	int fd = counting(scope, P2_STOPPED, 0, set);
	uint64_t once;

	DO(fd, P2_IOC_SEGMENT, &g);
	once = nested_of(fd, 1);
	check(once > 3 * LOOP_INSTRUCTIONS && once < 200, "three calls of a few instructions: %llu", (unsigned long long)once);
	same(nested_of(fd, 10001) - once, 3 * 10000 * LOOP_INSTRUCTIONS, "until the outermost return, scope", scope);
	close(g.file);
	close(fd);
}

void test_segments(char **words)
{
	pid_t load = burn(0);

	pin(0);
	segments_in(P2_PRIVATE, &user_set);
	segments_in(P2_MARKED, &marked_set);
	returns_in(P2_PRIVATE, &user_set);
	returns_in(P2_MARKED, &marked_set);
	stop(load);
}

/* --- sessions that are left --- */

static int take(uint32_t flags, struct p2_set *set, uint32_t room)
{
	struct p2_open o = { .flags = flags, .sets = room, .set = (uintptr_t)set };
	int fd = device();

	if (!ioctl(fd, P2_IOC_TAKE, &o))
		return fd;
	const int error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int taken(uint32_t flags, struct p2_set *set)
{
	int fd = take(flags, set, 2);

	must(fd >= 0, "P2_IOC_TAKE");
	return fd;
}

static void take_as_user(void)
{
	struct p2_set got[2];

	check_refused(take(0, got, 2), EPERM, "a user without rights");
}

void test_kept(char **words)
{
	const struct p2_set user = { USER, 5 }, many[2] = { { USER }, { USER | 1 } };
	const struct p2_open again = session(P2_SYSTEM, 0, 0, &user);
	struct p2_open o = session(P2_SYSTEM, P2_KEEP, 0, many);
	struct p2_set got[2] = { { 0 } };
	uint64_t before;
	int fd;

	check_refused(take(0, got, 2), ENOENT, "nothing was left");
	pin(0);
	fd = counting(P2_SYSTEM, P2_KEEP, 0, &user);
	check_refused(take(P2_KEEP, got, 2), EBUSY, "what a descriptor has");
	close(fd);
	refuse_open(again, EBUSY, "the counters are not free");
	loop(100000);
	check_refused(take(P2_KEEP, got, 0), ENOSPC, "no room for its sets");
	check_refused(take(1, got, 2), EINVAL, "a flag that is none");
	fd = taken(P2_KEEP, got);
	check(got[0].mmcr == user.mmcr && got[0].imr == user.imr, "MMCR and IMR are what was set");
	before = count_of(fd, BRANCHES);
	check(before >= 100000, "it has counted without a descriptor: %llu", (unsigned long long)before);
	check_refused(ioctl(fd, P2_IOC_OPEN, &again), EBUSY, "opening what was taken");
	check_refused(take(P2_KEEP, got, 2), EBUSY, "taking it twice");
	DO(fd, P2_IOC_DISABLE);
	DO(fd, P2_IOC_RESET);
	close(fd);
	loop(100000);
	fd = taken(P2_KEEP, got);
	same(count_of(fd, BRANCHES), 0, "stopped and reset, from one descriptor to the next", 0);
	DO(fd, P2_IOC_ENABLE);
	close(fd);
	loop(100000);
	fd = taken(0, got);
	check(count_of(fd, BRANCHES) >= 100000, "and enabled");
	close(fd);
	check_refused(take(0, got, 2), ENOENT, "taken without P2_KEEP it ends");

	/* Of the marked: this process, which has closed its descriptor, and not the other. */
	close(counting(P2_MARKED, P2_KEEP, 0, &marked_set));
	fd = taken(0, got);
	before = count_of(fd, BRANCHES);
	loop(100001);
	check(count_of(fd, BRANCHES) - before >= 100001, "marked, and kept");
	close(fd);

	/* Several sets; and whoever has no rights. */
	o.sets = 2;
	o.period_ns = 1000000;
	close(opened(&o));
	fd = taken(P2_KEEP, got);
	check(got[0].mmcr == many[0].mmcr && got[1].mmcr == many[1].mmcr, "two sets");
	close(fd);
	as_user(take_as_user);
	close(take(0, got, 2));
}

/* One that stays, for a module that goes. */
void test_leave(char **words)
{
	close(counting(P2_SYSTEM, P2_KEEP, 0, &user_set));
}

/* --- rules of hooks --- */

static int with_rules(struct p2_open o, const struct p2_rule *rules, unsigned many)
{
	struct p2_rules all = { .count = many, .rule = (uintptr_t)rules };
	int fd;

	o.flags |= P2_STOPPED | P2_LOG_HOOK;
	fd = opened(&o);
	DO(fd, P2_IOC_RULES, &all);
	DO(fd, P2_IOC_ENABLE);
	return fd;
}

#define RULE(...) &(struct p2_rules){ .count = 1, .rule = (uintptr_t)&(struct p2_rule){ __VA_ARGS__ } }

static void illegal_rules(void)
{
	const struct p2_rule good = { .flags = P2_RULE_HOOK, .id = 1 };
	struct p2_rules all = { .count = 1, .rule = (uintptr_t)&good };
	int fd = counting(P2_PRIVATE, P2_STOPPED, 0, &user_set);

	CALLS(fd, { P2_IOC_RULES, &all, EINVAL, "rules without P2_LOG_HOOK" });
	close(fd);
	fd = counting(P2_PRIVATE, P2_STOPPED | P2_LOG_HOOK, 0, &user_set);
	CALLS(fd, { P2_IOC_RULES, &(struct p2_rules){ .count = 0, .rule = all.rule }, EINVAL, "no rules" },
	      { P2_IOC_RULES, &(struct p2_rules){ .count = P2_MOST_RULES + 1, .rule = all.rule }, EINVAL, "33 rules" },
	      { P2_IOC_RULES, &(struct p2_rules){ .count = 1 }, EFAULT, "rules that are not there" },
	      { P2_IOC_RULES, RULE(.flags = 16), EINVAL, "a flag that is none" },
	      { P2_IOC_RULES, RULE(.flags = P2_RULE_HOOK | P2_RULE_EVENT), EINVAL, "a hook that is an event" },
	      { P2_IOC_RULES, RULE(.id = 1), EINVAL, "a number of neither" },
	      { P2_IOC_RULES, RULE(.value = { 2 }, .mask = { 1 }), EINVAL, "an argument outside of its mask" },
	      { P2_IOC_RULES, RULE(.state_value = 1), EINVAL, "a state outside of its mask" },
	      { P2_IOC_RULES, RULE(.set_value = 1), EINVAL, "and the next one" },
	      { P2_IOC_RULES, RULE(.link_first = 1), EINVAL, "addresses that end before they begin" },
	      { P2_IOC_RULES, &all, 0, "a rule that is good" }, { P2_IOC_RULES, &all, EBUSY, "rules twice" });
	close(fd);
	fd = counting(P2_PRIVATE, P2_STOPPED | P2_LOG_HOOK, 0, &user_set);
	DO(fd, P2_IOC_ENABLE);
	check_refused(ioctl(fd, P2_IOC_RULES, &all), EBUSY, "rules of what is enabled");
	close(fd);
}

static struct p2_session lib = P2_CLOSED;

/* Two places of the program, of which the link register tells. */
static __attribute__((noinline, noclone)) void here(unsigned id, uint64_t a, uint64_t b)
{
	must(!p2_hook_here(&lib, id, a, b), "p2_hook_here");
}

static __attribute__((noinline, noclone)) void there(unsigned id, uint64_t a, uint64_t b)
{
	must(!p2_hook_here(&lib, id, a, b), "p2_hook_here, elsewhere");
}

static void expect(int fd, const char *ids, const char *what)
{
	char got[64] = "";
	size_t n = take_records(fd);

	for (size_t i = 0; i < n && i < sizeof(got) - 1; i++)
		got[i] = records[i].type == P2_RECORD_HOOK ? (char)('0' + records[i].id) : '?';
	check(!strcmp(got, ids), "%s: %s", what, ids);
	if (strcmp(got, ids))
		printf("  got %s\n", got);
	close(fd);
}

static void of_hooks(void)
{
	const struct p2_open o = session(P2_PRIVATE, 0, 0, &user_set);
	const uint64_t all = ~0ull;
	int fd;

	const struct p2_rule one = { .flags = P2_RULE_HOOK, .id = 7 };
	fd = with_rules(o, &one, 1);
	for (unsigned id = 5; id < 9; id++)
		here(id, 0, 0);
	expect(fd, "7", "by the hook's number");

	const struct p2_rule arguments[] = {
		{ .flags = P2_RULE_HOOK, .id = 1, .value = { 3 }, .mask = { all } },
		{ .flags = P2_RULE_SILENT, .value = { 0, 1 }, .mask = { 0, 1 } },
		{ .flags = P2_RULE_HOOK, .id = 2 },
	};
	fd = with_rules(o, arguments, 3);
	here(1, 3, 1); /* the first rule that fits decides */
	here(1, 4, 0); /* none */
	here(2, 3, 1); /* silent */
	here(2, 3, 2);
	here(1, 3 | 1ull << 40, 0); /* none */
	expect(fd, "12", "by arguments");

	/* From hook 1 to hook 2. */
	const struct p2_rule states[] = {
		{ .flags = P2_RULE_HOOK, .id = 1, .set_value = 0x100, .set_mask = 0xf00 },
		{ .flags = P2_RULE_HOOK | P2_RULE_SILENT, .id = 2, .set_mask = 0xf00 },
		{ .flags = P2_RULE_HOOK, .id = 3, .state_value = 0x100, .state_mask = 0x100 },
	};
	fd = with_rules(o, states, 3);
	here(3, 0, 0);
	here(1, 0, 0);
	here(3, 0, 0);
	here(3, 0, 0);
	here(2, 0, 0);
	here(3, 0, 0);
	here(1, 0, 0);
	here(3, 0, 0);
	expect(fd, "13313", "by the state");

	const struct p2_rule link = { .flags = P2_RULE_LINK, .link_first = (uintptr_t)here, .link_last = (uintptr_t)here + 63 };
	fd = with_rules(o, &link, 1);
	here(1, 0, 0);
	there(2, 0, 0);
	here(3, 0, 0);
	expect(fd, "13", "by the link register");
}

/* The kernel's events, by name: one whose first argument is known, of which the second is the call's number. */
static void of_events(void)
{
	const struct p2_open o = session(P2_SYSTEM, 0, 0, &user_set);
	struct p2_rule calls = { .flags = P2_RULE_EVENT, .id = 1, .value = { 0, SYS_getppid }, .mask = { 0, 0xffffffff } };
	size_t n, mine = 0, others = 0;
	int fd;

	set_hooks("sched_switch,sys_enter", true);
	fd = with_rules(o, &calls, 1);
	for (unsigned i = 0; i < 5; i++) {
		syscall(SYS_getppid);
		syscall(SYS_getpid);
		usleep(100);
	}
	n = take_records(fd);
	for (size_t i = 0; i < n; i++) {
		const struct p2_record *r = &records[i];

		mine += r->type == P2_RECORD_EVENT && r->id == 1 && r->tgid == getpid();
		others += r->type != P2_RECORD_EVENT || r->id != 1;
	}
	close(fd);
	same(mine, 5, "of all system calls the one that a rule names", 0);
	same(others, 0, "and no switch", 0);

	/* From where the program has entered the kernel: nothing of this program lies there. */
	calls.flags |= P2_RULE_LINK;
	calls.link_first = 1;
	calls.link_last = 2;
	fd = with_rules(o, &calls, 1);
	syscall(SYS_getppid);
	same(take_records(fd), 0, "and from elsewhere: none", 0);
	close(fd);
	calls.link_last = 0x7fffffffffff;
	fd = with_rules(o, &calls, 1);
	syscall(SYS_getppid);
	n = take_records(fd);
	for (size_t i = mine = 0; i < n; i++)
		mine += records[i].tgid == getpid();
	same(mine, 1, "from the program", 0);
	close(fd);
	set_hooks("\n", true);
}

/* --- a program whose memory is late holds up nobody --- */

static struct late late;
static struct p2_set late_set = { USER, 5 };

/* Each returns 0 if all is well; fd: its own descriptor, or one that has a log of three hooks. */
static int late_open(int fd)
{
	struct p2_open o = session(P2_PRIVATE, P2_STOPPED, 0, late.at);

	return ioctl(fd, P2_IOC_OPEN, &o);
}

static int late_rules(int fd)
{
	struct p2_open o = session(P2_PRIVATE, P2_STOPPED | P2_LOG_HOOK, 0, &late_set);
	struct p2_rules all = { .count = 1, .rule = (uintptr_t)late.at };

	return ioctl(fd, P2_IOC_OPEN, &o) || ioctl(fd, P2_IOC_RULES, &all);
}

static int late_take(int fd)
{
	struct p2_open o = { .sets = 1, .set = (uintptr_t)late.at };

	return ioctl(fd, P2_IOC_TAKE, &o) || memcmp(late.at, &late_set, sizeof(late_set));
}

static int late_read(int fd)
{
	return read(fd, late.at, sizeof(records[0])) != sizeof(records[0]) || ((struct p2_record *)late.at)->id != 2;
}

/* Another process's; of a log: the next reader's. */
static int others_call(int fd)
{
	return !(ioctl(device(), P2_IOC_ENABLE) < 0 && errno == EINVAL);
}

static int others_read(int fd)
{
	return read(fd, records, sizeof(records[0])) != sizeof(records[0]) || records[0].id != 1;
}

static const struct late_case {
	const char *what;
	int (*run)(int fd), (*other)(int fd);
} late_cases[] = {
	{ "sets", late_open, others_call },
	{ "rules", late_rules, others_call },
	{ "room for the sets of a session that was left", late_take, others_call },
	{ "room for a log's records", late_read, others_read },
};

static int late_fd;

static void *run_late(void *c)
{
	return (void *)(intptr_t)((const struct late_case *)c)->run(late_fd);
}

static int late_prepare(const struct late_case *c)
{
	struct p2_hook hook = { 0 };
	int fd;

	if (c->run == late_take)
		close(counting(P2_SYSTEM, P2_KEEP, 0, &late_set));
	if (c->run != late_read)
		return device();
	fd = counting(P2_PRIVATE, P2_LOG_HOOK, 0, &late_set);
	for (hook.id = 1; hook.id <= 3; hook.id++)
		DO(fd, P2_IOC_HOOK, &hook);
	return fd;
}

static void late_one(const struct late_case *c)
{
	static const struct p2_rule rule = { .flags = P2_RULE_HOOK, .id = 1 };
	static char page[65536]; /* the largest that kernels have */
	int status = -1;
	pthread_t thread;
	void *result;
	pid_t other;

	memset(page, 0, sizeof(rule));
	if (c->run == late_open)
		memcpy(page, &late_set, sizeof(late_set));
	if (c->run == late_rules)
		memcpy(page, &rule, sizeof(rule));
	late = late_page();
	must(late.faults >= 0, "userfaultfd");
	late_fd = late_prepare(c);
	must(!pthread_create(&thread, NULL, run_late, (void *)c), "thread");
	late_touched(&late); /* it is in the middle of its call */
	other = fork_child();
	if (!other)
		_exit(c->other(late_fd));
	for (int i = 0; i < 6000 && waitpid(other, &status, WNOHANG) == 0; i++) /* ends a hang */
		usleep(100000);
	check(!status, "%s are late, and others go on", c->what);
	must(!late_bring(&late, page), "page");
	pthread_join(thread, &result);
	waitpid(other, NULL, 0);
	check(!result, "the late ones are right");
	close(late_fd);
	late_end(&late);
}

void test_late(char **words)
{
	for (size_t i = 0; i < COUNT(late_cases); i++)
		late_one(&late_cases[i]);
	close(counting(P2_SYSTEM, P2_KEEP, 0, &user_set));
	check_refused(take(0, (void *)16, 1), EFAULT, "room that is none");
	close(take(0, &late_set, 1)); /* it is there still */
	check_refused(take(0, &late_set, 1), ENOENT, "and is taken then");
}

void test_when(char **words)
{
	pin(0);
	must(!p2_connect(&lib, NULL), DEVICE);
	illegal_rules();
	of_hooks();
	of_events();
	p2_end(&lib);
}
