/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mktest rules|user|others|samples|counters|sources|churn|gone PCI_DEVICE|power - what multikron.ko and mklib promise.
 * Prints a line per check; exit status 1 if one fails. What must have come out of the network is in lines
 * "stored trace N resource M"; data of traced samples are source << 16 | anything, for the host to compare.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>

#include "guest/multikron/lib/mklib.h"
#include "tests/guest/linux/contract.h"

#define NOBODY 65534

int failures;
static unsigned long stored_trace, stored_resource; /* what must come out of the network */

static void refused_of(long result, int error, const char *what, unsigned value)
{
	check(result < 0 && errno == error, "%s %u refused: %s", what, value, result < 0 ? strerror(errno) : "not at all");
}

/* Until the network has sent all: virtual time is enough, 8 samples of 80 bytes take 26 us. */
static void settle(void)
{
	usleep(1000);
}

static void fresh(uint32_t commands)
{
	must(!mk_reset() && !mk_filter(0xffff) && !mk_csr(commands), "setting the chip up");
}

/* --- rules --- */

static const struct contract contract = {
	.device = MK_DEVICE,
	.asks = { MK_IOC_INFO, MK_IOC_GET },
	.changes = { MK_IOC_SET, MK_IOC_COUNT, MK_IOC_TRACE, MK_IOC_UNTRACE },
	.map = { { PROT_READ | PROT_WRITE, MK_MAP_SAMPLE }, { PROT_READ, MK_MAP_REGISTERS } },
};

static void rules_of_mmap(void)
{
	const int reader = open(MK_DEVICE, O_RDONLY);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile uint64_t *registers = mmap(NULL, page, PROT_READ, MAP_SHARED, reader, MK_MAP_REGISTERS);

	check((void *)registers != MAP_FAILED && registers[MKR_TIMESTAMP] > 0, "read-only: the registers map");
	MAPS(mk_main.fd, { PROT_READ, MAP_SHARED, 2 * page, MK_MAP_REGISTERS, EINVAL, "two pages" },
	     { PROT_READ, MAP_SHARED, page, 0x30000, EINVAL, "an offset above all" });
	close(reader);
}

static void rules_of_registers(void)
{
	static const unsigned unreadable[] = { 0, 3, 7, 9, 10, 12, 15, 24, 31, 48, 63, 64, 96, 112, 127, 128, 0xffffffff };
	static const unsigned unwritable[] = { 2, 3, 7, 9, 13, 15, 24, 32, 47, 48, 96, 112, 127, 128, 0xffffffff };
	static const struct { unsigned address; uint64_t value; } beyond[] = {
		{ MKR_RESET, 1 }, { MKR_CSR, MKR_CSR_FFULL }, { MKR_CSR, 1u << 16 }, { MKR_FILTER, 0x10000 },
		{ MKR_WAIT, 1 }, { MKR_OVERRUN, 1 }, { MKR_MUXSEL, 1u << 16 }, { MKR_MUXSEL, 1ull << 48 },
		{ MKR_RRESET, 0x10000 }, { MKR_ENABLE, 0x10000 }, { MKR_DISABLE, 1ull << 32 },
		{ MKR_TEST, 1ull << 48 }, { MKR_SOURCE(7), 1ull << 32 },
	};
	static const struct { unsigned address; uint64_t value; } holds[] = {
		{ MKR_FILTER, 0xa5c3 }, { MKR_MUXSEL, 0x0000aaaa0000ffffull }, { MKR_SOURCE(0), 0xffffffff },
		{ MKR_SOURCE(7), 0x12345678 },
	};
	uint64_t value = 0;

	for (size_t i = 0; i < COUNT(unreadable); i++)
		refused_of(mk_get(&mk_main, unreadable[i], &value), EINVAL, "reading address", unreadable[i]);
	for (size_t i = 0; i < COUNT(unwritable); i++)
		refused_of(mk_set(&mk_main, unwritable[i], 0), EINVAL, "writing address", unwritable[i]);
	for (size_t i = 0; i < COUNT(beyond); i++)
		refused_of(mk_set(&mk_main, beyond[i].address, beyond[i].value), ERANGE, "bits too high for address",
			      beyond[i].address);
	for (unsigned bit = 0; bit < 16; bit += bit == 4 ? 10 : 2)
		refused_of(mk_csr(3u << bit), EINVAL, "CSR set and clear from bit", bit);
	for (size_t i = 0; i < COUNT(holds); i++) {
		must(!mk_set(&mk_main, holds[i].address, holds[i].value), "MK_IOC_SET");
		must(!mk_get(&mk_main, holds[i].address, &value), "MK_IOC_GET");
		check(value == holds[i].value && mk_read(&mk_main, holds[i].address) == value,
		      "address %u holds %#llx, by ioctl and by a load", holds[i].address, (unsigned long long)value);
	}
}

static void rules_of_ioctl(void)
{
	struct mk_register r = { .address = MKR_CSR, .reserved = 1 };
	uint32_t number = MKR_COUNTERS;
	uint64_t before = mk_timestamp(), value = 0;

	must(!mk_get(&mk_main, MKR_TIMESTAMP, &value), "Timestamp");
	check(before <= value && value <= mk_timestamp(), "the Timestamp goes on, by load and by ioctl");
	CALLS(mk_main.fd, { MK_IOC_GET, &r, EINVAL, "reading with a reserved word" },
	      { MK_IOC_SET, &r, EINVAL, "writing with one" },
	      { MK_IOC_COUNT, &number, EINVAL, "counter 16" });
	refused_of(mk_trace_me(8, 0), EINVAL, "trace flags", 8);
	refused_of(mk_trace_me(MK_TRACE_THREAD | MK_TRACE_CHILDREN, 0), EINVAL, "trace flags", 6);
	refused_of(mk_untrace_me(MK_TRACE_CHILDREN), EINVAL, "untrace flags", 4);
	check_refused(mk_untrace_me(0), ESRCH, "untracing who is not traced");
	check(mk_main.info.cpus == (unsigned)sysconf(_SC_NPROCESSORS_CONF), "%u processors", mk_main.info.cpus);
	check(mk_line_of(&mk_main, mk_main.info.cpu[0]) == 0, "line 0 is CPU %u", mk_main.info.cpu[0]);
}

static void rules(char **words)
{
	check_contract(&contract);
	rules_of_mmap();
	rules_of_ioctl();
	rules_of_registers();
}

/* As anybody: samples and reading, but no settings. */
static void user(char **words)
{
	uint64_t value;
	uint32_t number = 0;

	mk_close();
	become(NOBODY);
	must(!mk_open(NULL), "opening as nobody");
	check(!mk_main.raw, "nobody gets no writable registers");
	MAPS(mk_main.fd, { PROT_READ | PROT_WRITE, MAP_SHARED, 4096, MK_MAP_RAW, EPERM, "writable registers" });
	refused_of(mk_csr(MKR_CSR_SE), EPERM, "writing address", MKR_CSR);
	refused_of(mk_reset(), EPERM, "writing address", MKR_RESET);
	check(!mk_get(&mk_main, MKR_CSR, &value), "nobody reads");
	check(!ioctl(mk_main.fd, MK_IOC_COUNT, &number), "nobody counts");
	check(mk_trace_me(0, 0) >= 0 && !mk_untrace_me(0), "nobody has himself traced");
	MK_TRACE(0, 0);
	check(true, "nobody stores samples");
}

/* --- samples --- */

/* A resource sample, and at once a load: what it says while the shadow registers are being sent. They are for 3.2 us,
 * in which another processor may have its turn: then again. */
static uint64_t load_while_sent(unsigned address, uint64_t bit)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 1000 && !(value & bit); i++) {
		MK_RESOURCE(7, 0xffff00000000);
		value = mk_read(&mk_main, address);
		stored_resource++;
		settle();
	}
	return value & bit;
}

static void samples(char **words)
{
	uint32_t lost;

	fresh(MKR_CSR_SE);
	must(!mk_filter(0x00ff), "filter");
	for (unsigned i = 0; i < 100; i++)
		MK_TRACE(8 + i % 8, i);
	check(!mk_overruns(), "filtered: no samples, no overruns");

	for (unsigned i = 0; i < 20; i++) { /* slowly: each finds room */
		MK_TRACE(i % 8, 0xffff00000000 | i);
		settle();
	}
	check(!mk_overruns(), "20 trace samples with time between: no overruns");
	check(load_while_sent(MKR_CSR, MKR_CSR_SHFULL), "a resource sample fills the shadow registers");
	check(!(mk_read(&mk_main, MKR_CSR) & MKR_CSR_SHFULL), "for a while");
	stored_trace += 20;

	for (unsigned i = 0; i < 1000; i++)
		MK_TRACE(0, 0xffff00000000 | i);
	lost = mk_overruns();
	check(lost > 0 && lost < 1000, "1000 at once: %u overruns", lost);
	stored_trace += 1000 - lost;
	settle();
	check(!mk_waits(), "nobody has waited");

	must(!mk_clear_overruns() && !mk_csr(MKR_CSR_WWAIT), "write wait");
	check(!mk_overruns(), "overrun counter cleared");
	for (unsigned i = 0; i < 1000; i++)
		MK_TRACE(0, 0xffff00000000 | i);
	stored_trace += 1000;
	check(!mk_overruns() && mk_waits(), "write wait: no overruns, %u cycles waited", mk_waits());
	must(!mk_clear_waits(), "wait counter");
	check(!mk_waits(), "wait counter cleared");
	settle();
}

static void counters(char **words)
{
	struct mk plain = mk_main;
	enum { NODE_CYCLES = 5 }; /* of the node clock in a tick of the timestamp */
	uint64_t value, before, at[4];

	fresh(MKR_CSR_SE);
	must(!mk_mux(0, MKR_MUX_NODE) && !mk_mux(1, MKR_MUX_SLOW) && !mk_mux(2, MKR_MUX_SOFTWARE) &&
	     !mk_mux(3, MKR_MUX_EXTERNAL), "mux");
	check(mk_read(&mk_main, MKR_MUXSEL) == 0x0000000500000009ull, "MUX SEL by counter");
	plain.raw = NULL;
	must(!MK_COUNT(2) && !mk_enable(0xf) && !MK_COUNT(2) && !mk_count_on(&plain, 2) && !MK_COUNT(0), "counting");
	check(mk_main.raw && mk_counter(2) == 2, "software counts, by a store and by ioctl: %llu, not while disabled",
	      (unsigned long long)mk_counter(2));
	/* Time passes between two looks, on a busy host a lot. */
	at[0] = mk_timestamp();
	before = mk_counter(0);
	at[1] = mk_timestamp();
	usleep(2000);
	at[2] = mk_timestamp();
	value = mk_counter(0);
	at[3] = mk_timestamp();
	check(value - before >= 100000 && value - before >= (at[2] - at[1] - 1) * NODE_CYCLES &&
	      value - before <= (at[3] - at[0] + 1) * NODE_CYCLES, "node clock: %llu cycles in %llu to %llu ticks",
	      (unsigned long long)(value - before), (unsigned long long)(at[2] - at[1]), (unsigned long long)(at[3] - at[0]));
	check(mk_counter(1) >= 2000, "slow clock: %llu us", (unsigned long long)mk_counter(1));
	check(!mk_counter(3), "no external signal");
	value = 0;
	must(!mk_disable(0xf) && !mk_clear(0x4), "clear");
	check(!mk_counter(2) && mk_counter(0) == mk_counter(0), "cleared; disabled ones stand");

	check(load_while_sent(MKR_COUNTER(0), MKR_COUNTER_ERROR),
	      "no read wait: error bit while the shadow registers are sent");
	must(!mk_csr(MKR_CSR_RWAIT), "read wait");
	for (unsigned i = 0; i < 10; i++) {
		MK_RESOURCE(0, 0xffff00000000);
		value |= mk_counter(0);
		stored_resource++;
		settle();
	}
	check(!(value & MKR_COUNTER_ERROR) && mk_waits(), "read wait: no error, %u cycles waited", mk_waits());
}

/* --- whose samples they are, and what is left when a process or the card goes away, or the machine sleeps --- */

static uint32_t source_now(unsigned cpu)
{
	return (uint32_t)mk_read(&mk_main, MKR_SOURCE(mk_line_of(&mk_main, cpu)));
}

static unsigned long traced_events = 300;

/* Stores samples that say whose they are, letting others run in between. */
static void store_as(uint32_t source, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		MK_TRACE(0, (uint64_t)source << 16 | (i & 0xffff));
		if (i % 3 == 0)
			sched_yield();
	}
}

static pid_t traced_child(uint32_t flags, uint32_t source, unsigned long n)
{
	const pid_t pid = fork();

	if (pid)
		return pid;
	source = (uint32_t)mk_trace_me(flags, source);
	store_as(source, n);
	_exit(0);
}

static void wait_all(int n)
{
	int status, bad = 0;

	for (int i = 0; i < n; i++)
		bad += wait(&status) < 0 || status;
	check(!bad, "%d processes have ended well", n);
}

static void *own_thread(void *number)
{
	const int64_t source = mk_trace_me(MK_TRACE_THREAD | MK_TRACE_SOURCE, (uint32_t)(uintptr_t)number);

	store_as((uint32_t)source, traced_events);
	return NULL;
}

static void *plain_thread(void *process_source)
{
	store_as((uint32_t)(uintptr_t)process_source, traced_events);
	return NULL;
}

static void sources_of_threads(uint32_t source)
{
	pthread_t thread[3];

	must(!pthread_create(&thread[0], NULL, own_thread, (void *)0x11110001) &&
	     !pthread_create(&thread[1], NULL, own_thread, (void *)0x11110002) &&
	     !pthread_create(&thread[2], NULL, plain_thread, (void *)(uintptr_t)source), "threads");
	store_as(source, traced_events);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	stored_trace += 4 * traced_events;
}

static void sources(char **words)
{
	const unsigned cpu = mk_main.info.cpu[0];
	const uint32_t made = mk_main.info.node << 16 | ((uint32_t)getpid() & 0xffff);
	int64_t source;
	int held[2];
	pid_t pid;

	pin(cpu);
	fresh(MKR_CSR_SE | MKR_CSR_WWAIT);
	check(!source_now(cpu), "not traced: 0");
	traced_child(MK_TRACE_SOURCE, 0xaaaa0001, traced_events);
	traced_child(MK_TRACE_SOURCE, 0xbbbb0002, traced_events);
	traced_child(0, 0, traced_events);
	for (unsigned i = 0; i < traced_events; i++) { /* and one that is not traced, on the same processor */
		MK_TRACE(0, i);
		sched_yield();
	}
	wait_all(3);
	stored_trace += 4 * traced_events;
	check(!source_now(cpu), "still 0 after them");

	source = mk_trace_me(0, 0);
	check(source == made && source_now(cpu) == made, "node.process: %08llx", (unsigned long long)source);
	must(!mk_reset() && !mk_filter(0xffff), "reset");
	check(source_now(cpu) == made, "a reset leaves who runs with his source");
	must(!mk_csr(MKR_CSR_SE | MKR_CSR_WWAIT), "csr");
	sources_of_threads((uint32_t)source);
	check(source_now(cpu) == made, "the process's again after its threads");

	must(!pipe(held), "pipe");
	pid = fork(); /* children are not traced unless asked for */
	if (!pid) {
		const bool none = !source_now(cpu);

		_exit(!(none && write(held[1], "", 1) == 1));
	}
	wait_all(1);
	source = mk_trace_me(MK_TRACE_CHILDREN, 0);
	pid = fork();
	if (!pid) {
		const uint32_t mine = mk_main.info.node << 16 | ((uint32_t)getpid() & 0xffff);

		if (source_now(cpu) != mine)
			_exit(1);
		store_as(mine, traced_events);
		execl("/bin/mktest", "mktest", "is", "own", (char *)NULL);
		_exit(2);
	}
	store_as((uint32_t)source, traced_events);
	wait_all(1);
	source = mk_trace_me(MK_TRACE_CHILDREN | MK_TRACE_SOURCE, 0xcccc0003);
	traced_child(0, 0, 0);
	wait_all(1);
	pid = fork();
	if (!pid) {
		store_as(0xcccc0003, traced_events);
		execl("/bin/mktest", "mktest", "is", "0xcccc0003", (char *)NULL);
		_exit(2);
	}
	store_as((uint32_t)source, traced_events);
	wait_all(1);
	stored_trace += 4 * traced_events;
	check(!mk_untrace_me(0) && !source_now(cpu), "untraced: 0");
	settle();
}

/* After exec: the source is still the one expected. */
static void is(char **words)
{
	const uint32_t source = strcmp(words[0], "own") ? (uint32_t)strtoul(words[0], NULL, 0)
							 : mk_main.info.node << 16 | ((uint32_t)getpid() & 0xffff);
	failures += source_now((unsigned)sched_getcpu()) != source;
}

/* Traced processes and threads come and go on all processors. */
static void churn(char **words)
{
	fresh(MKR_CSR_SE | MKR_CSR_WWAIT);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 8; i++) {
			const pid_t pid = fork();

			if (pid)
				continue;
			pin((round + i) % mk_main.info.lines);
			if (i % 2)
				own_thread((void *)(uintptr_t)(0x40000000 + 16 * round + i));
			else
				store_as((uint32_t)mk_trace_me(MK_TRACE_CHILDREN, 0), traced_events);
			if (i == 6)
				raise(SIGKILL);
			if (i == 7) {
				pthread_t t;

				pthread_create(&t, NULL, own_thread, (void *)(uintptr_t)(0x50000000 + round));
				pthread_join(t, NULL);
			}
			_exit(0);
		}
		for (unsigned i = 0; i < 8; i++)
			wait(NULL);
	}
	stored_trace += 20 * 9 * traced_events;
	settle();
	for (unsigned line = 0; line < mk_main.info.lines; line++) {
		pin(mk_main.info.cpu[line]);
		check(!mk_read(&mk_main, MKR_SOURCE(line)), "line %u: no source is left", line);
	}
}

/* --- the card goes away --- */

/* A node of its own for the same device, as a container has it. */
static void open_another(struct mk *another)
{
	struct stat device;

	must(!stat(MK_DEVICE, &device) && !mknod("another", S_IFCHR | 0600, device.st_rdev), "mknod");
	must(!mk_open_card(another, "another"), "another node of the device");
	another->sample[MKR_SAMPLE_TRACE(0)] = 0;
}

static void gone(char **words)
{
	struct mk another;

	must(!mk_csr(MKR_CSR_SEOFF) && mk_trace_me(0, 0) >= 0, "trace");
	MK_TRACE(0, 0);
	open_another(&another);
	remove_card(words[0]);
	check_gone(&contract, mk_main.fd);
	check_bus_error(&mk_main.sample[MKR_SAMPLE_TRACE(0)], "its page");
	check_bus_error(&another.sample[MKR_SAMPLE_TRACE(0)], "its page by another node");
	sched_yield();
}

/* --- the machine sleeps (ACPI S3, which resets the card) and wakes up --- */

static void power(char **words)
{
	static const unsigned registers[] = { MKR_FILTER, MKR_MUXSEL, MKR_ENABLE };
	const uint64_t csr = MKR_CSR_SE | MKR_CSR_WWAIT | MKR_CSR_RWAIT | MKR_CSR_SLOW10US;
	enum { n = COUNT(registers) };
	uint64_t before[n], count;
	int64_t source;

	pin(mk_main.info.cpu[0]);
	fresh((uint32_t)csr);
	must(!mk_filter(0x8421) && !mk_mux(0, MKR_MUX_NODE) && !mk_mux(5, MKR_MUX_SOFTWARE) && !mk_enable(0x21), "settings");
	source = mk_trace_me(0, 0);
	must(source > 0, "trace");
	for (int i = 0; i < n; i++)
		before[i] = mk_read(&mk_main, registers[i]);

	write_file("/sys/power/state", "mem"); /* power-test wakes the machine up */

	for (int i = 0; i < n; i++) {
		const uint64_t now = mk_read(&mk_main, registers[i]);

		check(now == before[i], "address %u is %#llx after the sleep, %#llx before", registers[i],
		      (unsigned long long)now, (unsigned long long)before[i]);
	}
	check((mk_read(&mk_main, MKR_CSR) & csr) == csr, "CSR is %#llx", (unsigned long long)mk_read(&mk_main, MKR_CSR));
	check(source_now(mk_main.info.cpu[0]) == source, "who runs has his source");
	count = mk_counter(0);
	check(mk_counter(0) > count, "counter 0 counts");
	must(!MK_COUNT(5), "MK_COUNT");
	check(mk_counter(5) == 1, "counter 5 counts");
	MK_TRACE(15, (uint64_t)source << 16);
	stored_trace++;
	settle();
}

/* --- what a program without privileges can do to others: nothing --- */

#define ROUNDS 200

/* The next process gets a number behind this one. */
static void set_last_pid(long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	write_file("/proc/sys/kernel/ns_last_pid", text);
}

static long probes(void)
{
	return attribute("multikron0", "probes");
}

/* Function call interrupts of a processor. */
static unsigned long calls(unsigned cpu)
{
	return interrupts_of(cpu, "CAL:", "CAL:");
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
		become(NOBODY);
		_exit(!(mk_trace_me(MK_TRACE_SOURCE, (uint32_t)mine) < 0 && errno == EPERM &&
			mk_trace_me(MK_TRACE_SOURCE | MK_TRACE_THREAD, (uint32_t)mine) < 0 && errno == EPERM));
	}
	ended_well(pid, "nobody cannot name a source");
	/* A process whose number has the same lower half. */
	write_file("/proc/sys/kernel/pid_max", "200000");
	set_last_pid(getpid() + 65535);
	pid = fork_child();
	if (!pid) {
		become(NOBODY);
		_exit(!(mk_trace_me(0, 0) < 0 && errno == EBUSY));
	}
	check(pid == getpid() + 65536, "processes %d and %d", getpid(), pid);
	ended_well(pid, "nor get one that looks the same");
	must(!mk_untrace_me(0), "untrace");
	set_last_pid(getpid() + 65535);
	pid = fork_child();
	if (!pid) {
		become(NOBODY);
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
		become(NOBODY);
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

	check(probes_go("multikron0"), "nobody is traced: no probe");
	trace_loop("nobody has himself traced in a loop, alone");
	check(probes_go("multikron0") && !attribute("multikron0", "traced"), "no probe is left behind");
	must(!pipe(held), "pipe");
	pid = fork_child();
	if (!pid) {
		char byte;

		close(held[1]);
		_exit(mk_trace_me(0, 0) < 0 || read(held[0], &byte, 1) != 0);
	}
	close(held[0]);
	while (attribute("multikron0", "traced") == 0 || probes() == 0)
		usleep(1000);
	trace_loop("nobody has himself traced in a loop, beside another");
	usleep(3000000);
	check(probes() == 1, "the other's probe stays");
	close(held[1]);
	ended_well(pid, "the other ends");
	check(probes_go("multikron0"), "and its probe goes");
	pid = fork_child();
	if (!pid) {
		become(NOBODY);
		if (mk_trace_me(MK_TRACE_CHILDREN, 0) >= 0)
			raise(SIGKILL);
		_exit(1);
	}
	child_status(pid);
	check(probes_go("multikron0"), "so does that of one that is killed");
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
	char path[64];
	long n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)spinning);
	n = number_in(path, "nonvoluntary_ctxt_switches: %ld");
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

static void others(char **words)
{
	take_source();
	threads_elsewhere();
	leave_probes();
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "rules", rules }, { "user", user }, { "others", others }, { "power", power }, { "samples", samples }, { "counters", counters },
		{ "sources", sources }, { "is", is }, { "churn", churn }, { "gone", gone },
	};
	int status;

	must(!mk_open(NULL), MK_DEVICE);
	status = run_tests(argc, argv, tests, COUNT(tests));
	if (stored_trace || stored_resource)
		printf("stored trace %lu resource %lu\n", stored_trace, stored_resource);
	return status;
}
