// SPDX-License-Identifier: GPL-2.0-or-later
/* p2test: what a user without rights can do with power2.ko, and what he cannot. Root prepares each part, and is an ordinary user then. */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "p2test.h"

#define USER_ID 1000
#define GROUP_ID 900 /* as udev's rule gives the device to a group */
#define COPY "/tmp/p2test-copy"

/* What sessions of the scope have. */
static const struct p2_set *set_of(uint32_t scope)
{
	return scope == P2_MARKED ? &marked_set : &user_set;
}

void become_user(void)
{
	const gid_t group = GROUP_ID;

	must(!chown(DEVICE, 0, group), "chown");
	must(!setgroups(1, &group) && !setgid(USER_ID) && !setuid(USER_ID), "setuid");
	prctl(PR_SET_DUMPABLE, 1);
}

static void run_as(void (*change)(void), void (*run)(void))
{
	pid_t pid = fork_child();

	if (!pid) {
		change();
		failures = 0;
		run();
		_exit(failures != 0);
	}
	failures += child_status(pid) != 0;
}

void as_user(void (*run)(void))
{
	run_as(become_user, run);
}

/* --- the device --- */

static void become_stranger(void)
{
	must(!setgroups(0, NULL) && !setgid(USER_ID) && !setuid(USER_ID), "setuid");
}

static void device_refused(void)
{
	check_refused(open(DEVICE, O_RDWR), EACCES, "the device, to who is not in its group");
}

void test_device(char **words)
{
	struct stat s;

	must(!stat(DEVICE, &s), DEVICE);
	same(s.st_mode & 0777, 0660, "mode of the device", 0);
	run_as(become_stranger, device_refused);
}

/* --- segments --- */

static void copy_self(const char *to, mode_t mode, uid_t uid, gid_t gid)
{
	static char block[65536];
	int in = open("/proc/self/exe", O_RDONLY), out;
	ssize_t n;

	unlink(to);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0700);
	must(in >= 0 && out >= 0, to);
	while ((n = read(in, block, sizeof(block))) > 0)
		must(write(out, block, n) == n, to);
	must(!fchown(out, uid, gid) && !fchmod(out, mode), to);
	close(in);
	close(out);
}

/* Two instructions of loop(): anything that a uprobe takes. */
static struct p2_segment a_segment(const char *path)
{
	struct p2_segment g = { .exits = 1 };

	g.file = open(path, O_RDONLY | O_CLOEXEC);
	must(g.file >= 0, path);
	segment_places(&g);
	return g;
}

static void segment_as_user(void)
{
	int fd = counting(P2_PRIVATE, P2_STOPPED, 0, &user_set);
	struct p2_segment g = a_segment(COPY);

	check_refused(ioctl(fd, P2_IOC_SEGMENT, &g), EPERM, "a segment of a user without CAP_PERFMON");
	close(fd);
}

static unsigned segments_until(int fd, struct p2_segment *g, unsigned most)
{
	unsigned n = 0;

	while (n < most && !ioctl(fd, P2_IOC_SEGMENT, g))
		n++;
	return n;
}

static void segments_bounded(void)
{
	struct p2_segment g = a_segment("/proc/self/exe");
	int fd = counting(P2_PRIVATE, P2_STOPPED, 0, &user_set);

	same(segments_until(fd, &g, P2_MOST_SEGMENTS + 1), P2_MOST_SEGMENTS, "segments of a session", 0);
	check_refused(ioctl(fd, P2_IOC_SEGMENT, &g), ENOSPC, "one more");
	close(fd);
	close(g.file);
}

static void nothing(unsigned long unused)
{
}

/* A session for each process: a process is counted by one only. */
static void segments_of_all_bounded(void)
{
	enum { SESSIONS = 1024 / P2_MOST_SEGMENTS };
	struct p2_segment g = a_segment("/proc/self/exe");
	pid_t pid[SESSIONS + 1];
	int fd[SESSIONS + 1];
	unsigned n = 0;

	for (unsigned i = 0; i <= SESSIONS; i++)
		pid[i] = start(nothing, 0); /* first: a child would hold the sessions that are there */
	for (unsigned i = 0; i <= SESSIONS; i++) {
		fd[i] = counting(P2_PRIVATE, P2_STOPPED, pid[i], &user_set);
		n += segments_until(fd[i], &g, P2_MOST_SEGMENTS);
	}
	same(n, 1024, "segments of all sessions", 0);
	check_refused(ioctl(fd[SESSIONS], P2_IOC_SEGMENT, &g), ENOSPC, "one more of another session");
	close(fd[0]);
	same(segments_until(fd[SESSIONS], &g, P2_MOST_SEGMENTS), P2_MOST_SEGMENTS, "behind the end of one session", 0);
	for (unsigned i = 0; i <= SESSIONS; i++) {
		if (i)
			close(fd[i]);
		stop(pid[i]);
	}
	close(g.file);
}

/* A segment holds the file system that its file is on: unmounting it under an uprobe would leave the probe's inode behind. */
static void segment_holds_mount(void)
{
	struct p2_segment g;
	int fd = counting(P2_PRIVATE, P2_STOPPED, 0, &user_set);

	mkdir("/tmp/mount", 0755);
	must(!mount("none", "/tmp/mount", "tmpfs", 0, NULL), "mount");
	copy_self("/tmp/mount/p2test", 0755, 0, 0);
	g = a_segment("/tmp/mount/p2test");
	DO(fd, P2_IOC_SEGMENT, &g);
	close(g.file);
	check_refused(umount("/tmp/mount"), EBUSY, "unmounting what a segment's file is on");
	close(fd);
	umount("/tmp/mount");
	check(access("/tmp/mount/p2test", F_OK), "when the session has ended it can be unmounted");
}

void test_user_segments(char **words)
{
	copy_self(COPY, 04755, 0, 0);
	as_user(segment_as_user);
	unlink(COPY);
	segments_bounded();
	segments_of_all_bounded();
	segment_holds_mount();
}

/* --- whose counts --- */

static const char *program_path;

static void run_copy(unsigned long unused)
{
	execl(program_path, "p2test", "program", NULL);
	_exit(127);
}

static uint64_t copy_counts(uint32_t scope, uint32_t flags)
{
	pid_t pid = start(run_copy, 0);
	int fd = counting(scope, flags, pid, set_of(scope));
	uint64_t n;

	go(pid);
	same(child_status(pid), 0, "the program", 0);
	n = count_of(fd, BRANCHES);
	close(fd);
	return n;
}

#define PROGRAM_BRANCHES (20 * 100000)

/* Neither what is set-uid, nor set-gid, nor what cannot be read, is the user's own. The last is root's to count. */
static const struct {
	const char *path, *what;
	mode_t mode;
	uid_t uid;
	gid_t gid;
} programs[] = {
	{ COPY, "one's own program", 0755, 0, 0 },
	{ COPY "-uid", "a set-uid program", 04755, 0, 0 },
	{ COPY "-gid", "a set-gid program", 02755, 0, 5 },
	{ COPY "-hidden", "a program that cannot be read", 0711, 0, 0 },
	{ COPY "-user", "a set-uid program of a user", 04755, USER_ID, 0 },
};
enum { PROGRAMS = COUNT(programs) };

static void execs(void)
{
	static const uint32_t scopes[] = { P2_PRIVATE, P2_MARKED }, flags[] = { 0, P2_ON_EXEC, P2_CHILDREN };

	for (unsigned p = 0; p < PROGRAMS - 1; p++)
		for (unsigned s = 0; s < 2; s++)
			for (unsigned f = 0; f < 3; f++) {
				program_path = programs[p].path;
				uint64_t n = copy_counts(scopes[s], flags[f]);

				check((p == 0) == (n >= PROGRAM_BRANCHES), "%s, scope %u, flags %u: %s", programs[p].what, scopes[s], flags[f],
				      p ? "does not count" : "counts");
			}
}

/* Whoever may do more is not dropped at such an exec. */
static void execs_of_root(void)
{
	program_path = programs[PROGRAMS - 1].path;
	check(copy_counts(P2_PRIVATE, 0) >= PROGRAM_BRANCHES, "root counts a set-uid program");
}

/* --- what ptrace asks --- */

/* What root reads only, or who has CAP_SYS_PTRACE in the namespace in which the program began. */
void test_hidden(char **words)
{
	prctl(PR_SET_DUMPABLE, 0);
	raise(SIGSTOP);
}

static void hide(unsigned long unused)
{
	test_hidden(NULL);
}

static void run_hidden(unsigned long unused)
{
	execl(program_path, "p2test", "hidden", NULL);
	_exit(127);
}

static void *stay(void *unused)
{
	pause();
	return NULL;
}

/* Only the other thread has memory. */
static void hide_without_leader(unsigned long unused)
{
	pthread_t thread;

	prctl(PR_SET_DUMPABLE, 0);
	must(!pthread_create(&thread, NULL, stay, NULL), "pthread_create");
	pthread_exit(NULL);
}

static bool is_zombie(pid_t pid)
{
	char path[64], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	must(f && fgets(line, sizeof(line), f), path);
	fclose(f);
	return strstr(line, ") Z ");
}

static void looked_at(void (*run)(unsigned long), bool may, const char *what)
{
	pid_t pid = start(run, 0);
	struct p2_mark mark = { .pid = pid };
	int fd, status;

	go(pid);
	if (run == hide_without_leader)
		while (!is_zombie(pid))
			usleep(1000);
	else
		must(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), "waitpid");
	if (may)
		close(counting(P2_PRIVATE, 0, pid, &user_set));
	else
		refuse_open(session(P2_PRIVATE, 0, pid, &user_set), EPERM, what);
	fd = counting(P2_MARKED, 0, 0, &marked_set);
	if (may)
		check(!ioctl(fd, P2_IOC_MARK, &mark), "marking %s", what);
	else
		check_refused(ioctl(fd, P2_IOC_MARK, &mark), EPERM, "marking it");
	close(fd);
	stop(pid);
}

static void ptrace_rules(void)
{
	looked_at(hide, false, "a process that cannot be dumped");
	looked_at(hide_without_leader, false, "one whose first thread has exited");
	must(!unshare(CLONE_NEWUSER), "unshare");
	looked_at(hide, false, "one whose program began outside of this namespace");
	program_path = COPY;
	looked_at(run_hidden, true, "one whose program began in this namespace");
	program_path = COPY "-hidden";
	looked_at(run_hidden, false, "one whose program cannot be read here");
}

void test_user_execs(char **words)
{
	for (unsigned p = 0; p < PROGRAMS; p++)
		copy_self(programs[p].path, programs[p].mode, programs[p].uid, programs[p].gid);
	as_user(execs);
	as_user(ptrace_rules);
	execs_of_root();
	for (unsigned p = 0; p < PROGRAMS; p++)
		unlink(programs[p].path);
}

/* --- whose schedule --- */

/* How many records of others a session of this scope has, while root's processes run beside it. */
static void own_schedule(uint32_t scope)
{
	struct p2_open o = session(scope, P2_LOG_SWITCH | P2_LOG_TICK | P2_LOG_HOOK, 0, set_of(scope));
	struct p2_set sets[2] = { *(struct p2_set *)(uintptr_t)o.set, *(struct p2_set *)(uintptr_t)o.set };
	struct p2_hook hook = { .id = 7 };
	unsigned others = 0, events = 0, own = 0, hooks = 0, n;
	int fd;

	o.set = (uintptr_t)sets;
	o.sets = 2;
	o.period_ns = 2000000;
	o.log_ns = 1000000;
	fd = opened(&o);
	for (int i = 0; i < 50; i++) {
		loop(100000);
		usleep(2000);
	}
	DO(fd, P2_IOC_HOOK, &hook);
	n = take_records(fd);
	for (unsigned i = 0; i < n; i++) {
		others += records[i].tgid != getpid();
		own += records[i].tgid == getpid();
		events += records[i].type == P2_RECORD_EVENT;
		hooks += records[i].type == P2_RECORD_HOOK;
	}
	check(own > 20, "scope %u: the log has one's own records", scope);
	same(hooks, 1, "hooks of one's own", scope);
	same(others, 0, "records of others' processes, scope", scope);
	same(events, 0, "records of the kernel's events, scope", scope);
	close(fd);
}

static void own_schedules(void)
{
	own_schedule(P2_PRIVATE);
	own_schedule(P2_MARKED);
}

/* A process that root has marked is not in a user's count. */
static void own_marks(void)
{
	int fd = counting(P2_MARKED, 0, 0, &marked_set);
	uint64_t before = count_of(fd, BRANCHES);

	for (int i = 0; i < 20; i++)
		usleep(5000);
	check(count_of(fd, BRANCHES) - before < 50000, "who was marked by root is not counted");
	close(fd);
}

static void breed(unsigned long unused)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			program_path = "/proc/self/exe";
			run_copy(0);
		}
		waitpid(pid, NULL, 0);
	}
}

void test_user_schedule(char **words)
{
	struct p2_mark mark = { .flags = P2_CHILDREN };
	pid_t load = burn(0), breeder = start(breed, 0);
	int fd = device();

	set_hooks("sched_wakeup,sched_switch", true);
	go(breeder);
	as_user(own_schedules);
	mark.pid = load;
	DO(fd, P2_IOC_MARK, &mark);
	as_user(own_marks);
	close(fd);
	stop(breeder);
	stop(load);
	set_hooks("\n", true);
}

/* --- memory --- */

static int log_of(uint32_t log_records)
{
	struct p2_open o = session(P2_MARKED, P2_LOG_SWITCH, 0, &marked_set);
	int fd = device();

	o.log_records = log_records;
	if (ioctl(fd, P2_IOC_OPEN, &o)) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static void child_with_log(unsigned long log_records)
{
	struct p2_open o = session(P2_PRIVATE, P2_LOG_SWITCH, 0, &user_set);
	int fd = device();

	o.log_records = log_records;
	if (ioctl(fd, P2_IOC_OPEN, &o))
		_exit(errno == ENOMEM ? 2 : 3);
	raise(SIGSTOP); /* keeps it */
}

static void limit_memory(rlim_t bytes)
{
	const struct rlimit limit = { bytes, bytes };

	must(!setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit");
}

static void memory(void)
{
	pid_t pid[64];
	unsigned n = 0, refused = 0;
	int fd, status;

	limit_memory(8 << 20);
	check_refused(log_of(1u << 20), ENOMEM, "a log of 240 MB for each processor");
	fd = log_of(0);
	check(fd >= 0, "a log of the usual length");
	close(fd);
	for (unsigned i = 0; i < 100; i++) {
		fd = log_of(2048);
		must(fd >= 0, "a session's memory comes back with its end");
		close(fd);
	}
	/* The limit is the user's, whatever the number of his processes. */
	while (n < 64 && !refused) {
		pid[n] = start(child_with_log, 2048);
		go(pid[n]);
		must(waitpid(pid[n], &status, WUNTRACED) == pid[n], "waitpid");
		if (WIFSTOPPED(status))
			n++;
		else
			refused = WEXITSTATUS(status);
	}
	check(n > 0 && (n * 2048ull + 2048) * sizeof(struct p2_record) * processors() > 8 << 20, "as many as the limit has room for");
	check(n * 2048ull * sizeof(struct p2_record) * processors() <= 8 << 20, "and no more");
	same(refused, 2, "one more is refused: ENOMEM", 0);
	while (n)
		stop(pid[--n]);
	limit_memory(4096);
	check_refused(log_of(0), ENOMEM, "a log with no room");
}

void test_user_memory(char **words)
{
	as_user(memory);
}

/* --- interrupts of other processors --- */

/*
 * Closing waits for RCU, whose threads may be woken there: the more often, the slower a free-running guest's host is. 16,000 they were with all
 * processors asked.
 */
enum { ROUNDS = 200, FEW = ROUNDS / 4, FEW_CLOSED = 4 * ROUNDS };

static void quiet(const char *what, void (*round)(int fd), int fd, uint64_t few)
{
	uint64_t before = interrupts_of(1, "CAL:", "IPI"), n;

	for (unsigned i = 0; i < ROUNDS; i++)
		round(fd);
	n = interrupts_of(1, "CAL:", "IPI") - before;
	if (n < few)
		check(true, "%s: the other processor has its peace", what);
	else
		check(false, "%s: the other processor is interrupted %llu times in %u", what, (unsigned long long)n, ROUNDS);
}

static void round_read(int fd)
{
	counted(fd, 0, -1);
}

static void round_reset(int fd)
{
	DO(fd, P2_IOC_RESET);
}

static void round_enable(int fd)
{
	DO(fd, P2_IOC_DISABLE);
	DO(fd, P2_IOC_ENABLE);
}

static void round_mark(int fd)
{
	struct p2_mark mark = { 0 };

	DO(fd, P2_IOC_MARK, &mark);
	mark.flags = P2_MARK_OFF;
	DO(fd, P2_IOC_MARK, &mark);
}

static void round_open(int scope)
{
	close(counting(scope, P2_LOG_SWITCH, 0, set_of(scope)));
}

static void storms(void)
{
	static const uint32_t scopes[] = { P2_PRIVATE, P2_MARKED };
	pid_t load = burn(1); /* no work of others is sent there because it idles */

	pin(0);
	for (unsigned i = 0; i < 2; i++) {
		int fd = counting(scopes[i], 0, 0, set_of(scopes[i]));

		quiet("READ", round_read, fd, FEW);
		quiet("RESET", round_reset, fd, FEW);
		quiet("DISABLE, ENABLE", round_enable, fd, FEW);
		if (scopes[i] == P2_MARKED)
			quiet("MARK", round_mark, fd, FEW);
		close(fd);
		quiet("open, close", round_open, scopes[i], FEW_CLOSED);
	}
	stop(load);
}

static void spe(void)
{
	int fd = counting(P2_PRIVATE, 0, 0, &user_set);

	check_refused(ioctl(fd, P2_IOC_SPE, &(uint32_t){ 1 }), EPERM, "SPE, which is the processor's");
	close(fd);
}

void test_user_storms(char **words)
{
	as_user(storms);
	as_user(spe);
}
