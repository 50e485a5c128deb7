// SPDX-License-Identifier: GPL-2.0-or-later
/* p2test: the card and processors that go away, and sleep; what a switch costs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "p2test.h"

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

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
	close(fd);
}

/* A session whose card goes while it counts. Without words: somebody else unplugs it as soon as /tmp/counting is there. */
void test_gone(char **words)
{
	struct p2_read r = { .cpu = -1 };
	struct p2_info info;
	struct pollfd p;
	char path[128];
	int fd = counting(P2_MARKED, P2_LOG_SWITCH, 0, &marked_set);
	pid_t pid = burn(0);

	loop(100000);
	if (words[0]) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", words[0]);
		put_file(path, "1");
	} else {
		close(creat("/tmp/counting", 0600));
		while (!ioctl(fd, P2_IOC_READ, &r))
			loop(1000);
		r = (struct p2_read){ .cpu = -1 };
	}
	check_refused(ioctl(fd, P2_IOC_READ, &r), ENODEV, "counts of a card that is gone");
	check_refused(ioctl(fd, P2_IOC_INFO, &info), ENODEV, "information");
	p = (struct pollfd){ fd, POLLIN, 0 };
	check(poll(&p, 1, 1000) == 1 && p.revents & POLLERR, "poll says so");
	while (read(fd, path, 0) > 0)
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
	char path[128];
	int fd;
	pid_t pid;

	a.inherit = 1;
	fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
	must(fd >= 0, "perf_event_open");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", words[0]);
	put_file(path, "1");
	pid = fork();
	if (!pid)
		_exit(0);
	check(pid > 0, "a fork when the card of an inherited event has gone: %s", pid > 0 ? "succeeds" : strerror(errno));
	if (pid > 0)
		finished(pid);
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
		put_file("/sys/power/state", "mem");
		after = count_of(fd, INSTRUCTIONS);
		check(after > before && after - before < 100000, "counts from before the sleep, scope %u", o[i].scope);
		before = count_of(fd, INSTRUCTIONS);
		loop(1000000);
		after = count_of(fd, INSTRUCTIONS);
		check(after - before - once - 1000000 * LOOP_INSTRUCTIONS < 10, "counts after it, scope %u", o[i].scope);
		close(fd);
	}
}
