// SPDX-License-Identifier: GPL-2.0-or-later
/* p2test: the counters as the kernel's perf subsystem has them; the card and processors that go away, and sleep. */
#define _GNU_SOURCE
#include <dirent.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/syscall.h>

#include "p2test.h"

#define PMU "/sys/bus/event_source/devices/power2/"

struct perf_read {
	uint64_t value, enabled, running;
};

static bool read_file(const char *folder, const char *name, char *text, size_t bytes)
{
	char path[256];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), PMU "%s%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		n = read(fd, text, bytes - 1);
		close(fd);
	}
	text[n < 0 ? 0 : n] = 0;
	return n > 0;
}

static uint64_t config_of(const char *name)
{
	unsigned unit, group, counter;
	char text[128];

	if (!read_file("events/", name, text, sizeof(text)) || sscanf(text, "unit=%u,group=%u,counter=%u", &unit, &group, &counter) != 3) {
		printf("FAILED: no event %s\n", name);
		exit(1);
	}
	return unit | group << 4 | counter << 8;
}

/* Disabled, without the kernel. */
static struct perf_event_attr event(const char *name)
{
	struct perf_event_attr a = { .size = sizeof(a), .exclude_kernel = 1, .disabled = 1 };
	char text[32];

	must(read_file("", "type", text, sizeof(text)), "the PMU's type");
	a.type = strtoul(text, NULL, 10);
	a.config = config_of(name);
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return a;
}

static int event_open(const struct perf_event_attr *a, pid_t pid, int cpu, int group)
{
	return syscall(SYS_perf_event_open, a, pid, cpu, group, 0);
}

static int event_must(const struct perf_event_attr *a, pid_t pid, int cpu, int group)
{
	int fd = event_open(a, pid, cpu, group);

	must(fd >= 0, "perf_event_open");
	return fd;
}

static struct perf_read event_read(int fd)
{
	struct perf_read r;

	must(read(fd, &r, sizeof(r)) == sizeof(r), "reading an event");
	return r;
}

static uint64_t instructions_of(int fd, unsigned long rounds)
{
	struct perf_read before = event_read(fd), after;

	loop(rounds);
	after = event_read(fd);
	return after.value - before.value;
}

/* What perf and a session may not have at the same time. */
static void exclusion(void)
{
	struct p2_open o = session(P2_PRIVATE, 0, 0, &user_set);
	struct perf_event_attr a = event("instructions");
	int fd = event_must(&a, 0, -1, -1), dev = device();

	check_refused(ioctl(dev, P2_IOC_OPEN, &o), EBUSY, "a session beside an event");
	close(fd);
	DO(dev, P2_IOC_OPEN, &o);
	check_refused(event_open(&a, 0, -1, -1), EBUSY, "an event beside a session");
	close(dev);
}

static void refusals(void)
{
	const struct perf_event_attr good = event("instructions");
	struct perf_event_attr a[] = { good, good, good, good };
	const struct {
		int error;
		const char *what;
	} cases[] = {
		{ EOPNOTSUPP, "sampling" }, { EINVAL, "neither user nor kernel" }, { EINVAL, "a unit that is none" },
		{ EINVAL, "a configuration that is none" },
	};
	struct perf_event_attr other = good;
	int fd;

	a[0].sample_period = 1000;
	a[1].exclude_user = 1;
	a[2].config = 6;
	a[3].config = 1ull << 40;
	for (unsigned i = 0; i < 4; i++)
		check_refused(event_open(&a[i], 0, -1, -1), cases[i].error, cases[i].what);
	fd = event_must(&good, 0, -1, -1);
	other.exclude_kernel = 0;
	check_refused(event_open(&other, 0, -1, fd), EINVAL, "a group of which half counts the kernel");
	close(fd);
	other = event("br_unconditional");
	fd = event_must(&other, 0, -1, -1);
	other = event("dispatch_1");
	check_refused(event_open(&other, 0, -1, fd), EINVAL, "a group of two groups of a unit");
	other = event("branches");
	check(event_open(&other, 0, -1, fd) >= 0, "a group of one");
	close(fd);
}

void test_perf(char **words)
{
	struct perf_event_attr a = event("instructions"), b = event("branches");
	struct dirent *entry;
	unsigned names = 0;
	DIR *folder = opendir(PMU "events");
	int fd, other;
	uint64_t once;

	must(folder, PMU "events");
	while ((entry = readdir(folder)))
		names += entry->d_name[0] != '.';
	closedir(folder);
	check(names > 100, "%u events have names", names);
	check(config_of("fxu0") == config_of("fxu0_instructions"), "and other names");

	fd = event_must(&a, 0, -1, -1);
	other = event_must(&b, 0, -1, fd);
	loop(100);
	same(event_read(fd).value, 0, "disabled", 0);
	DO(fd, PERF_EVENT_IOC_ENABLE, 0);
	DO(other, PERF_EVENT_IOC_ENABLE, 0);
	instructions_of(fd, 1);
	once = instructions_of(fd, 1);
	for (unsigned long n = 1000; n <= 10000000; n *= 10)
		same(instructions_of(fd, 1 + n) - once, n * LOOP_INSTRUCTIONS, "instructions", n);
	once = instructions_of(other, 1);
	same(instructions_of(other, 100001) - once, 100000, "branches", 0);
	DO(fd, PERF_EVENT_IOC_RESET, 0);
	check(event_read(fd).value < 10000, "reset");
	close(other);
	close(fd);
	exclusion();
	refusals();
}

static void child(unsigned long rounds)
{
	loop_calls(rounds, 10);
}

static uint64_t inherited(unsigned long rounds)
{
	struct perf_event_attr a = event("instructions");
	uint64_t n;
	pid_t pid;
	int fd;

	a.inherit = 1;
	a.disabled = 0;
	fd = event_must(&a, 0, -1, -1);
	pid = start(child, rounds);
	go(pid);
	must(!child_status(pid), "the child");
	n = event_read(fd).value;
	close(fd);
	return n;
}

/* Children, processors, and events that cannot count at the same time. */
void test_perf_tasks(char **words)
{
	struct perf_event_attr a = event("instructions"), b = event("dispatch_1"); /* in one group of the ICU only, */
	struct perf_read one, two;
	uint64_t end;
	pid_t load = burn(0);
	int fd, other;

	inherited(10);
	same(inherited(100010) - inherited(10), 10 * 100000 * LOOP_INSTRUCTIONS, "a child", 0);
	for (unsigned i = 0; i < processors(); i++) {
		pin(i);
		a.disabled = 0;
		fd = event_must(&a, -1, i, -1);
		/* Others run there, too, the load among them. */
		check(instructions_of(fd, 300000) >= 300000 * LOOP_INSTRUCTIONS, "processor %u", i);
		close(fd);
	}
	stop(load);
	b.disabled = 0;
	a.config = config_of("br_unconditional"); /* as this in another */
	fd = event_must(&a, 0, -1, -1);
	other = event_must(&b, 0, -1, -1);
	end = now_ns() + 200000000;
	while (now_ns() < end)
		loop(10000);
	one = event_read(fd);
	two = event_read(other);
	check(one.running && one.running < one.enabled && two.running && two.running < two.enabled,
	      "two groups of a unit take turns: %s", "each has had some");
	/* The last look is the longest: time passes between them, on a busy host a lot. */
	check(one.running + two.running <= event_read(fd).enabled, "and not at the same time");
	close(fd);
	close(other);
}

/* An event holds the module. */
void test_pinned(char **words)
{
	struct perf_event_attr a = event("instructions");
	int fd = event_must(&a, 0, -1, -1);

	check_refused(syscall(SYS_delete_module, "power2", O_NONBLOCK), EAGAIN, "unloading");
	close(fd);
}

/* --- the card and processors go away, and the machine sleeps --- */

/* A session of the machine or of all marked that stays until the process is killed, with threads of load on all processors. */
void test_keep(char **words)
{
	const struct p2_open o = words[0] && words[0][0] == '1' ? session(P2_MARKED, P2_LOG_SWITCH | P2_CHILDREN, 0, &marked_set)
								: session(P2_SYSTEM, P2_LOG_SWITCH, 0, &user_set);
	uint64_t last = 0;
	int fd = device();

	if (ioctl(fd, P2_IOC_OPEN, &o)) {
		must(errno == EBUSY, "P2_IOC_OPEN");
		exit(1);
	}
	for (unsigned i = 0; i < processors(); i++)
		burn(i);
	for (;;) {
		uint64_t n = count_of(fd, INSTRUCTIONS);

		must(n >= last, "totals that never fall");
		last = n;
		usleep(3000);
	}
}

/* A session whose card goes while it counts. Without words: somebody else unplugs it as soon as /tmp/counting is there. */
void test_gone(char **words)
{
	struct p2_read r = { .cpu = -1 };
	struct pollfd p;
	int fd = counting(P2_MARKED, P2_LOG_SWITCH, 0, &marked_set);
	pid_t pid = burn(0);

	loop(100000);
	if (words[0]) {
		remove_card(words[0]);
	} else {
		close(creat("/tmp/counting", 0600));
		while (!ioctl(fd, P2_IOC_READ, &r))
			loop(1000);
		r = (struct p2_read){ .cpu = -1 };
	}
	check_refused(ioctl(fd, P2_IOC_READ, &r), ENODEV, "counts of a card that is gone");
	check_gone(&contract, fd);
	p = (struct pollfd){ fd, POLLIN, 0 };
	check(poll(&p, 1, 1000) == 1 && p.revents & POLLERR, "poll says so");
	while (read(fd, &p, 0) > 0)
		;
	loop(100000);
	stop(pid);
	close(fd);
	check(access(DEVICE, F_OK), "the device is gone");
}

/* The same under an event that children inherit: whoever forks afterwards still can. */
void test_perf_gone(char **words)
{
	struct perf_event_attr a = event("instructions");
	int fd;
	pid_t pid;

	a.inherit = 1;
	fd = event_must(&a, 0, -1, -1);
	remove_card(words[0]);
	pid = fork();
	if (!pid)
		_exit(0);
	check(pid > 0, "a fork when the card of an inherited event has gone: %s", pid > 0 ? "succeeds" : strerror(errno));
	if (pid > 0)
		child_status(pid);
	close(fd);
}

/* A sleep (S3): counts from before it are kept, and counting goes on. */
void test_sleep(char **words)
{
	const struct p2_open o[] = { session(P2_PRIVATE, 0, 0, &user_set), session(P2_MARKED, 0, 0, &marked_set) };

	for (unsigned i = 0; i < 2; i++) {
		int fd = opened(&o[i]);
		uint64_t before, after, once;

		loop(1000000);
		before = count_of(fd, INSTRUCTIONS);
		once = count_of(fd, INSTRUCTIONS) - before;
		write_file("/sys/power/state", "mem");
		after = count_of(fd, INSTRUCTIONS);
		check(after > before && after - before < 100000, "counts from before the sleep, scope %u", o[i].scope);
		before = count_of(fd, INSTRUCTIONS);
		loop(1000000);
		after = count_of(fd, INSTRUCTIONS);
		check(after - before - once - 1000000 * LOOP_INSTRUCTIONS < 10, "counts after it, scope %u", o[i].scope);
		close(fd);
	}
}
