// SPDX-License-Identifier: GPL-2.0-or-later
/* p2test: sessions that outlive their descriptor, rules that say which hooks record, and memory that is late. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/power2/lib/p2lib.h"
#include "p2test.h"
#include "tests/guest/linux/late.h"

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
	call(fd, P2_IOC_DISABLE);
	call(fd, P2_IOC_RESET);
	close(fd);
	loop(100000);
	fd = taken(P2_KEEP, got);
	same(count_of(fd, BRANCHES), 0, "stopped and reset, from one descriptor to the next", 0);
	call(fd, P2_IOC_ENABLE);
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

static int with_rules(struct p2_open o, const struct p2_rule *rules, unsigned count)
{
	struct p2_rules all = { .count = count, .rule = (uintptr_t)rules };
	int fd;

	o.flags |= P2_STOPPED | P2_LOG_HOOK;
	fd = opened(&o);
	must(!ioctl(fd, P2_IOC_RULES, &all), "P2_IOC_RULES");
	call(fd, P2_IOC_ENABLE);
	return fd;
}

static void illegal_rules(void)
{
	const struct p2_rule good = { .flags = P2_RULE_HOOK, .id = 1 };
	const uint64_t rule = (uintptr_t)&good;
	const struct {
		const char *what;
		struct p2_rule rule;
	} wrong[] = {
		{ "a flag that is none", { .flags = 16 } },
		{ "a hook that is an event", { .flags = P2_RULE_HOOK | P2_RULE_EVENT } },
		{ "a number of neither", { .id = 1 } },
		{ "an argument outside of its mask", { .value = { 2 }, .mask = { 1 } } },
		{ "a state outside of its mask", { .state_value = 1 } },
		{ "and the next one", { .set_value = 1 } },
		{ "addresses that end before they begin", { .link_first = 1 } },
	};
	struct p2_rules all = { .count = 1, .rule = rule };
	int fd = counting(P2_PRIVATE, P2_STOPPED, 0, &user_set);

	check_refused(ioctl(fd, P2_IOC_RULES, &all), EINVAL, "rules without P2_LOG_HOOK");
	close(fd);
	fd = counting(P2_PRIVATE, P2_STOPPED | P2_LOG_HOOK, 0, &user_set);
	all.count = 0;
	check_refused(ioctl(fd, P2_IOC_RULES, &all), EINVAL, "no rules");
	all.count = P2_MOST_RULES + 1;
	check_refused(ioctl(fd, P2_IOC_RULES, &all), EINVAL, "33 rules");
	all = (struct p2_rules){ .count = 1 };
	check_refused(ioctl(fd, P2_IOC_RULES, &all), EFAULT, "rules that are not there");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		all.rule = (uintptr_t)&wrong[i].rule;
		check_refused(ioctl(fd, P2_IOC_RULES, &all), EINVAL, wrong[i].what);
	}
	all.rule = rule;
	must(!ioctl(fd, P2_IOC_RULES, &all), "P2_IOC_RULES");
	check_refused(ioctl(fd, P2_IOC_RULES, &all), EBUSY, "rules twice");
	close(fd);
	fd = counting(P2_PRIVATE, P2_STOPPED | P2_LOG_HOOK, 0, &user_set);
	call(fd, P2_IOC_ENABLE);
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
		must(!ioctl(fd, P2_IOC_HOOK, &hook), "P2_IOC_HOOK");
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
	other = fork();
	must(other >= 0, "fork");
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
	for (size_t i = 0; i < sizeof(late_cases) / sizeof(*late_cases); i++)
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
