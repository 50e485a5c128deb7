// SPDX-License-Identifier: GPL-2.0-or-later
/* p2test: what power2.ko promises (guest/power2/uapi.h). Counts are of programs whose instructions are known. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "guest/power2/lib/p2lib.h"
#include "p2test.h"

int failures;
const struct p2_set user_set = { USER }, marked_set = { USER | P2_MMCR_DMR };

/* --- programs --- */

void loop(unsigned long rounds)
{
	if (!rounds)
		return;
#ifdef __powerpc64__
	__asm__ volatile("mtctr %0\n1: addi 9,9,1\nbdnz 1b" : : "r"(rounds) : "ctr", "9");
#else
	__asm__ volatile("1: dec %0\njnz 1b" : "+r"(rounds) : : "cc");
#endif
}

void loop_calls(unsigned long rounds, unsigned calls)
{
	while (calls--) {
		loop(rounds);
		syscall(SYS_getppid);
	}
}

void work(unsigned long bytes)
{
	volatile uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(memory != MAP_FAILED, "mmap");
	for (unsigned long i = 0; i < bytes; i += 64)
		memory[i]++;
	munmap((void *)memory, bytes);
}

pid_t start(void (*run)(unsigned long), unsigned long argument)
{
	pid_t pid = fork_child();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
		run(argument);
		_exit(0);
	}
	must(waitpid(pid, NULL, WUNTRACED) == pid, "waitpid");
	return pid;
}

void go(pid_t pid)
{
	must(!kill(pid, SIGCONT), "kill");
}

static void burn_for_ever(unsigned long cpu)
{
	pin(cpu);
	for (;;)
		loop_calls(20000, 1);
}

pid_t burn(unsigned cpu)
{
	pid_t pid = start(burn_for_ever, cpu);

	go(pid);
	return pid;
}

void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	child_status(pid);
}

/* --- sessions --- */

int device(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	must(fd >= 0, DEVICE);
	return fd;
}

struct p2_open session(uint32_t scope, uint32_t flags, pid_t pid, const struct p2_set *set)
{
	return (struct p2_open){ .scope = scope, .flags = flags, .pid = pid, .sets = 1, .set = (uintptr_t)set };
}

int opened(const struct p2_open *o)
{
	int fd = device();

	DO(fd, P2_IOC_OPEN, o);
	return fd;
}

int counting(uint32_t scope, uint32_t flags, pid_t pid, const struct p2_set *set)
{
	const struct p2_open o = session(scope, flags, pid, set);

	return opened(&o);
}

void refuse_open(struct p2_open o, int error, const char *what)
{
	int fd = device();

	check_refused(ioctl(fd, P2_IOC_OPEN, &o), error, what);
	close(fd);
}

struct p2_read counted(int fd, uint32_t set, int cpu)
{
	struct p2_read r = { .set = set, .cpu = cpu };

	DO(fd, P2_IOC_READ, &r);
	return r;
}

uint64_t count_of(int fd, unsigned counter)
{
	return counted(fd, 0, -1).counter[counter];
}

unsigned processors(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/* What a counter counts of loop() and of looking. */
static uint64_t looked_at(int fd, int cpu, unsigned counter, unsigned long rounds)
{
	struct p2_read before, after;

	before = counted(fd, 0, cpu);
	loop(rounds);
	after = counted(fd, 0, cpu);
	return after.counter[counter] - before.counter[counter];
}

/* Without what it costs to look. */
static uint64_t loop_in(int fd, int cpu, unsigned counter, unsigned long rounds)
{
	looked_at(fd, cpu, counter, 1);
	return looked_at(fd, cpu, counter, 1 + rounds) - looked_at(fd, cpu, counter, 1);
}

static uint64_t loop_of(int fd, unsigned long rounds)
{
	return loop_in(fd, -1, INSTRUCTIONS, rounds);
}

/* --- tests --- */

const struct contract contract = {
	.device = DEVICE,
	.asks = { P2_IOC_INFO },
	.changes = { P2_IOC_OPEN, P2_IOC_ENABLE, P2_IOC_DISABLE, P2_IOC_RESET, P2_IOC_READ, P2_IOC_MARK, P2_IOC_HOOK, P2_IOC_SEGMENT, P2_IOC_SPE,
		     P2_IOC_TAKE, P2_IOC_RULES },
	.reads = true,
};

void test_info(char **words)
{
	struct p2_info info;
	int fd = open(DEVICE, O_RDONLY);

	must(fd >= 0, DEVICE);
	check(!ioctl(fd, P2_IOC_INFO, &info), "info, with a descriptor that may not write");
	same(info.version, 1, "version", 0);
	same(info.monitors, attribute("power2", "monitors"), "monitors", 0);
	check(info.monitors >= processors(), "a monitor for each processor");
	same(info.clock_hz, attribute("power2", "clock_hz"), "clock", 0);
#ifdef __powerpc64__
	same(info.flags & P2_INFO_POWER, P2_INFO_POWER, "POWER", 0);
#else
	same(info.flags & P2_INFO_POWER, 0, "POWER", 0);
#endif
	close(fd);
}

/* What nobody may open, and nothing is counted yet. */
static void illegal_sessions(void)
{
	const struct p2_set wrong = { 0x10000 }, two[2] = { { USER }, { USER } };
	const uint64_t set = (uintptr_t)&user_set;
	const struct {
		int error;
		const char *what;
		struct p2_open o;
	} cases[] = {
		{ EINVAL, "a scope that is none", { .scope = 3, .sets = 1, .set = set } },
		{ EINVAL, "a flag that is none", session(P2_PRIVATE, 1u << 20, 0, &user_set) },
		{ EINVAL, "reserved bits of MMCR", session(P2_PRIVATE, 0, 0, &wrong) },
		{ EFAULT, "no sets", session(P2_PRIVATE, 0, 0, NULL) },
		{ EINVAL, "0 sets", { .scope = P2_PRIVATE, .set = set } },
		{ EINVAL, "65 sets", { .scope = P2_PRIVATE, .sets = P2_MOST_SETS + 1, .set = set } },
		{ EINVAL, "two sets and no period", { .scope = P2_PRIVATE, .sets = 2, .set = (uintptr_t)two } },
		{ EINVAL, "a period below 1 ms", { .scope = P2_PRIVATE, .sets = 2, .set = (uintptr_t)two, .period_ns = 999999 } },
		{ EINVAL, "a period with one set", { .scope = P2_PRIVATE, .sets = 1, .set = set, .period_ns = 1000000 } },
		{ EINVAL, "reserved fields", { .scope = P2_PRIVATE, .sets = 1, .set = set, .reserved = { 0, 0, 1 } } },
		{ EINVAL, "a log without an interval", session(P2_PRIVATE, P2_LOG_TICK, 0, &user_set) },
		{ EINVAL, "too large a log", { .scope = P2_PRIVATE, .flags = P2_LOG_SWITCH, .sets = 1, .set = set, .log_records = 0xffffffff } },
		{ EINVAL, "children of the whole machine", session(P2_SYSTEM, P2_CHILDREN, 0, &user_set) },
		{ EINVAL, "a mark's flag without a mark", session(P2_PRIVATE, P2_ALONE, 0, &user_set) },
		{ EINVAL, "marked, and nothing that tells them apart", session(P2_MARKED, 0, 0, &user_set) },
		{ EINVAL, "alone, with children", session(P2_MARKED, P2_ALONE | P2_CHILDREN, 0, &marked_set) },
		{ ESRCH, "a process that is not there", session(P2_PRIVATE, 0, 0x3fffffff, &user_set) },
		{ EINVAL, "a thread of the kernel", session(P2_PRIVATE, 0, 2, &user_set) },
		{ EINVAL, "P2_HOOK_OTHERS without P2_LOG_HOOK", session(P2_PRIVATE, P2_STOPPED | P2_HOOK_OTHERS, 0, &user_set) },
		{ EINVAL, "private counters cannot be left", session(P2_PRIVATE, P2_KEEP, 0, &user_set) },
		{ EINVAL, "nor a log", session(P2_SYSTEM, P2_KEEP | P2_LOG_SWITCH, 0, &user_set) },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		refuse_open(cases[i].o, cases[i].error, cases[i].what);
}

static void illegal_marks(void)
{
	int fd = device();

	CALLS(fd, { P2_IOC_MARK, &(struct p2_mark){ .flags = P2_MARK_OFF }, ESRCH, "unmarking who is not marked" },
	      { P2_IOC_MARK, &(struct p2_mark){ .flags = 1u << 30 }, EINVAL, "a wrong flag" },
	      { P2_IOC_MARK, &(struct p2_mark){ .flags = P2_ALONE | P2_MARK_OFF }, EINVAL, "no mark, alone" });
	close(fd);
}

static void refuse_read(int fd, uint32_t set, int cpu, const char *what)
{
	struct p2_read r = { .set = set, .cpu = cpu };

	check_refused(ioctl(fd, P2_IOC_READ, &r), EINVAL, what);
}

void test_rules(char **words)
{
	const struct p2_open own = session(P2_PRIVATE, 0, 0, &user_set);
	struct p2_hook hook = { .id = 0x10000 };
	struct p2_read room;
	int fd = device();
	pid_t pid;

	check_refused(ioctl(fd, P2_IOC_ENABLE), EINVAL, "enabling what is not opened");
	refuse_read(fd, 0, 0, "reading it");
	check_refused(read(fd, &room, sizeof(room)), EINVAL, "its log");
	close(fd);
	check_contract(&contract);
	illegal_sessions();

	fd = opened(&own);
	check_refused(ioctl(fd, P2_IOC_OPEN, &own), EBUSY, "opening it twice");
	refuse_open(own, EBUSY, "a second one of the same process");
	refuse_open(session(P2_SYSTEM, 0, 0, &user_set), EBUSY, "the machine, while a process has the counters");
	pid = start(loop, 10);
	close(counting(P2_PRIVATE, 0, pid, &user_set));
	check(true, "another process has its own");
	stop(pid);
	refuse_read(fd, 1, -1, "a set that is none");
	refuse_read(fd, 0, 0, "private counters of a processor");
	check_refused(ioctl(fd, P2_IOC_HOOK, &hook), EINVAL, "a hook beyond 65535");
	close(fd);

	fd = counting(P2_MARKED, 0, 0, &marked_set);
	refuse_open(own, EBUSY, "a process, while the machine's counters are used");
	refuse_read(fd, 0, 100000, "a processor that is none");
	close(fd);
	same(attribute("power2", "sessions"), 0, "sessions left", 0);
	same(attribute("power2", "processes"), 0, "processes left", 0);
	check(probes_go("power2"), "no probe is left");
	illegal_marks();
}

/* What a user without rights may do. */
void test_user(char **words)
{
	const struct p2_set everything = { 0 }, others = { USER | P2_MMCR_DMS };
	const uint32_t scopes[] = { P2_PRIVATE, P2_MARKED };
	struct p2_mark mark = { 0 };
	pid_t root = start(loop, 10);
	int fd;

	become_user();
	refuse_open(session(P2_SYSTEM, 0, 0, &user_set), EACCES, "the machine");
	refuse_open(session(P2_PRIVATE, 0, 0, &everything), EACCES, "the kernel");
	refuse_open(session(P2_PRIVATE, 0, root, &user_set), EPERM, "root's process");
	refuse_open(session(P2_MARKED, 0, 0, &others), EACCES, "all others");
	refuse_open(session(P2_MARKED, P2_KEEP, 0, &marked_set), EACCES, "leaving a session without rights");
	fd = device();
	check_refused(ioctl(fd, P2_IOC_MARK, &mark), EPERM, "marking for another's session");
	check_refused(ioctl(fd, P2_IOC_SPE, &(uint32_t){ 1 }), EPERM, "SPE without a session");
	close(fd);
	for (unsigned i = 0; i < 2; i++) {
		fd = counting(scopes[i], 0, 0, i ? &marked_set : &user_set);
		same(loop_of(fd, 10000), 10000 * LOOP_INSTRUCTIONS, "one's own instructions, scope", scopes[i]);
		close(fd);
	}
}

/* A loop of known length, alone and with others on the same processor, in all scopes. */
static void exact_in(uint32_t scope, const struct p2_set *set, const char *what)
{
	int fd = counting(scope, scope == P2_MARKED ? P2_ALONE : 0, 0, set);
	pid_t pid[3];

	for (unsigned long n = 1000; n <= 1000000; n *= 10)
		same(loop_of(fd, n), n * LOOP_INSTRUCTIONS, what, n);
	for (unsigned i = 0; i < 3; i++)
		pid[i] = burn(i ? 0 : processors() - 1);
	for (unsigned i = 0; i < 3; i++)
		same(loop_of(fd, 3000000), 3000000 * LOOP_INSTRUCTIONS, "with other load", i);
	for (unsigned i = 0; i < 3; i++)
		stop(pid[i]);
	close(fd);
}

void test_exact(char **words)
{
	pin(0);
	exact_in(P2_PRIVATE, &user_set, "private");
	exact_in(P2_MARKED, &marked_set, "marked");
}

/* Processes that are forked later; and those that are not counted. */
static void run_children(unsigned long rounds)
{
	for (int i = 0; i < 4; i++) {
		if (!fork_child()) {
			loop_calls(rounds, 10);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static uint64_t children_of(uint32_t scope, uint32_t flags, const struct p2_set *set, unsigned long rounds)
{
	pid_t other = burn(0), pid = start(run_children, rounds);
	int fd = counting(scope, flags, pid, set);
	uint64_t n;

	go(pid);
	same(child_status(pid), 0, "children", flags);
	n = count_of(fd, INSTRUCTIONS);
	close(fd);
	stop(other);
	return n;
}

void test_children(char **words)
{
	const uint32_t scope[] = { P2_PRIVATE, P2_MARKED };
	const struct p2_set *set[] = { &user_set, &marked_set };
	/* A mark needs no word for it: a child has its parent's MSR. */
	const uint32_t with[] = { P2_CHILDREN, 0 }, without[] = { 0, P2_ALONE };

	for (unsigned i = 0; i < 2; i++) {
		uint64_t few = children_of(scope[i], with[i], set[i], 1000), many = children_of(scope[i], with[i], set[i], 51000);

		same(many - few, 4ull * 10 * 50000 * LOOP_INSTRUCTIONS, "four children, scope", scope[i]);
		few = children_of(scope[i], without[i], set[i], 1000);
		many = children_of(scope[i], without[i], set[i], 51000);
		same(many - few, 0, "without children, scope", scope[i]);
	}
}

/* Threads of one process. */
static void *run_thread(void *rounds)
{
	for (int i = 0; i < 5; i++) {
		loop((uintptr_t)rounds);
		sched_yield();
	}
	return NULL;
}

static uint64_t threads_of(int fd, unsigned long rounds)
{
	pthread_t thread[4];
	uint64_t before = count_of(fd, BRANCHES);

	for (int i = 0; i < 4; i++)
		must(!pthread_create(&thread[i], NULL, run_thread, (void *)rounds), "pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return count_of(fd, BRANCHES) - before;
}

void test_threads(char **words)
{
	int fd = counting(P2_PRIVATE, 0, 0, &user_set);
	uint64_t n = threads_of(fd, 1000000), least = 4ull * 5 * 1000000;

	/* What pthread's own code does depends on who is faster. */
	check(n >= least && n < least + 20000, "branches of four threads: %llu and %llu of pthread's", (unsigned long long)least,
	      (unsigned long long)(n - least));
	close(fd);
}

/* A program that execs: as many of its own instructions, however it is watched. */
static void run_program(unsigned long unused)
{
	personality(ADDR_NO_RANDOMIZE); /* what copies and compares strings does more or less by where they lie */
	execl("/proc/self/exe", "p2test", "program", NULL);
	_exit(127);
}

static void program(unsigned long rounds)
{
	loop_calls(rounds, 20);
	work(1 << 20);
	usleep(1000);
}

void test_program(char **words)
{
	program(100000);
}

/* What has counted it. */
static int program_under(struct p2_open o, const char *what)
{
	pid_t pid = start(run_program, 0);
	int fd;

	o.pid = pid;
	fd = opened(&o);
	go(pid);
	check(!child_status(pid), "%s: the program ends", what);
	return fd;
}

static uint64_t program_of(struct p2_open o, const char *what)
{
	int fd = program_under(o, what);
	uint64_t n = count_of(fd, INSTRUCTIONS);

	close(fd);
	return n;
}

void test_exec(char **words)
{
	const struct p2_set many[4] = { { USER }, { USER }, { USER }, { USER } };
	struct p2_open o = session(P2_MARKED, P2_ON_EXEC, 0, &marked_set);
	uint64_t n = program_of(o, "marked"), again;
	pid_t other;

	check(n > 20 * 100000 * LOOP_INSTRUCTIONS, "a program: %s", "its loops are in it");
	same(program_of(o, "marked again"), n, "marked, another time", 0);
	o = session(P2_PRIVATE, P2_ON_EXEC, 0, &user_set);
	same(program_of(o, "private"), n, "private", 0);
	other = burn(0);
	same(program_of(o, "private, with load"), n, "private, with other load", 0);
	o.flags |= P2_LOG_SWITCH | P2_LOG_TICK;
	o.log_ns = 1000000;
	same(program_of(o, "private, with a log"), n, "private, with a log", 0);
	stop(other);
	o = session(P2_PRIVATE, P2_ON_EXEC, 0, many);
	o.sets = 4;
	o.period_ns = 1000000;
	int fd = program_under(o, "multiplexed");
	again = 0;
	for (unsigned i = 0; i < 4; i++) {
		struct p2_read r = counted(fd, i, -1);

		check(r.counter[INSTRUCTIONS] > 0 && r.running_ns < r.enabled_ns, "set %u has had its turn", i);
		again += r.counter[INSTRUCTIONS];
	}
	same(again, n, "all sets together", 0);
	close(fd);
}

/* What processes leave behind. */
void test_death(char **words)
{
	struct pollfd p;
	pid_t pid = burn(0);
	int fd = counting(P2_PRIVATE, P2_LOG_SWITCH, pid, &user_set);
	uint64_t n;

	usleep(20000);
	p = (struct pollfd){ fd, POLLIN, 0 };
	check(poll(&p, 1, 1000) == 1 && !(p.revents & POLLHUP), "while it lives: no hang-up");
	stop(pid);
	n = count_of(fd, INSTRUCTIONS);
	check(n > 0, "a killed process has counted");
	usleep(1000);
	same(count_of(fd, INSTRUCTIONS), n, "and counts no more", 0);
	check(poll(&p, 1, 1000) == 1 && p.revents & POLLHUP, "hang-up");
	same(attribute("power2", "processes"), 0, "processes", 0);
	close(fd);

	/* The session's end, while its processes run. */
	pid = burn(processors() - 1);
	for (int i = 0; i < 20; i++) {
		fd = counting(P2_PRIVATE, P2_CHILDREN, pid, &user_set);
		usleep(200);
		close(fd);
	}
	stop(pid);
	same(attribute("power2", "sessions"), 0, "sessions", 0);
}

void test_enable(char **words)
{
	int fd = counting(P2_PRIVATE, P2_STOPPED, 0, &user_set);
	uint64_t n;

	loop(10000);
	same(count_of(fd, INSTRUCTIONS), 0, "stopped", 0);
	DO(fd, P2_IOC_ENABLE);
	same(loop_of(fd, 10000), 10000 * LOOP_INSTRUCTIONS, "enabled", 0);
	DO(fd, P2_IOC_DISABLE);
	n = count_of(fd, INSTRUCTIONS);
	loop(10000);
	same(count_of(fd, INSTRUCTIONS), n, "disabled", 0);
	DO(fd, P2_IOC_RESET);
	same(count_of(fd, INSTRUCTIONS), 0, "reset", 0);
	DO(fd, P2_IOC_ENABLE);
	loop(10000);
	DO(fd, P2_IOC_RESET);
	n = count_of(fd, INSTRUCTIONS);
	check(n < 10000, "reset while it counts: %s", "the loop before it is gone");
	close(fd);
}

/* Of each processor, of all, of the kernel. */
void test_system(char **words)
{
	const struct p2_set kernel = { KERNEL };
	int fd = counting(P2_SYSTEM, 0, 0, &user_set);
	uint64_t sum = 0;

	for (unsigned i = 0; i < processors(); i++) {
		pin(i);
		same(loop_in(fd, i, BRANCHES, 300000), 300000, "processor", i);
	}
	DO(fd, P2_IOC_DISABLE);
	for (unsigned i = 0; i < processors(); i++)
		sum += counted(fd, 0, i).counter[INSTRUCTIONS];
	same(count_of(fd, INSTRUCTIONS), sum, "all processors", 0);
	close(fd);
	fd = counting(P2_SYSTEM, 0, 0, &kernel);
	loop_calls(1, 1000);
	check(count_of(fd, INSTRUCTIONS) > 1000 * 20, "the kernel executes instructions");
	close(fd);
}

/* The mark across system calls, for one of two processes; and the others. */
void test_marks(char **words)
{
	const struct p2_set set[] = {
		{ P2_MMCR_DMR | P2_MMCR_DP }, { P2_MMCR_DMS | P2_MMCR_DP }, { P2_MMCR_DMR | P2_MMCR_DU }, { P2_MMCR_DMS | P2_MMCR_DU },
	};
	/* Who loops: nobody, the marked one, the other. From a table: the instructions of this process are counted, too. */
	static void (*volatile const first[3])(unsigned long) = { loop, program, loop };
	static const volatile unsigned long second[3] = { 100000, 100000, 1100000 };
	uint64_t n[4][3];

	pin(0);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned which = 0; which < 3; which++) {
			pid_t marked = start(first[which], 100000), other;
			int fd = counting(P2_MARKED, 0, marked, &set[i]);

			other = start(loop, second[which]);
			go(marked);
			go(other);
			child_status(marked);
			child_status(other);
			n[i][which] = count_of(fd, INSTRUCTIONS);
			close(fd);
		}
	check(n[0][1] - n[0][0] > 19 * 100000 * LOOP_INSTRUCTIONS, "marked, not privileged: the marked one's loops");
	same(n[0][2] - n[0][0], 0, "marked, not privileged: none of the other's", 0);
	same(n[1][2] - n[1][0], 1000000 * LOOP_INSTRUCTIONS, "unmarked, not privileged: the other's loop", 0);
	check(n[2][1] > n[2][0] + 20 * 20, "marked and privileged: the marked one's system calls: %s", "more");
	check(n[3][0] > 1000, "unmarked and privileged: the rest of the kernel");
}

void test_spe(char **words)
{
	const struct p2_event *spe = p2_find_event("spe_cycles"); /* of the FXU */
	const struct p2_set fxu = { P2_MMCR_FXU(spe->group) };
	int fd = counting(P2_SYSTEM, 0, 0, &fxu);
	uint32_t value = 2;

	pin(0);
	check_refused(ioctl(fd, P2_IOC_SPE, &value), EINVAL, "SPE 2");
	same(looked_at(fd, -1, spe->counter, 100000), 0, "cycles without SPE", 0);
	value = 1;
	check(!ioctl(fd, P2_IOC_SPE, &value), "SPE 1");
	check(looked_at(fd, -1, spe->counter, 100000) > 100000, "cycles with SPE: %s", "more than the loop has branches");
	value = 0;
	check(!ioctl(fd, P2_IOC_SPE, &value), "SPE 0");
	looked_at(fd, -1, spe->counter, 0);
	same(looked_at(fd, -1, spe->counter, 100000), 0, "and without", 0);
	value = 1;
	must(!ioctl(fd, P2_IOC_SPE, &value), "SPE 1");
	close(fd);
	fd = counting(P2_SYSTEM, 0, 0, &fxu);
	same(looked_at(fd, -1, spe->counter, 100000), 0, "a session that ends clears it", 0);
	close(fd);
}

int main(int argc, char **argv)
{
#define P2_NAMED(name) { #name, test_##name },
	static const struct test tests[] = { P2_TESTS(P2_NAMED) };

	setbuf(stdout, NULL);
	return run_tests(argc, argv, tests, COUNT(tests));
}
