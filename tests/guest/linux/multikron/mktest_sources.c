/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mktest: whose samples they are, and what is left when a process or the card goes away, or the machine sleeps. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/linux/multikron/mktest.h"

uint32_t source_now(unsigned cpu)
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

void sources(char **words)
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
void is(char **words)
{
	const uint32_t source = strcmp(words[0], "own") ? (uint32_t)strtoul(words[0], NULL, 0)
							 : mk_main.info.node << 16 | ((uint32_t)getpid() & 0xffff);
	failures += source_now((unsigned)sched_getcpu()) != source;
}

/* Traced processes and threads come and go on all processors. */
void churn(char **words)
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

static sigjmp_buf bus_error;

static void on_bus_error(int number)
{
	siglongjmp(bus_error, 1);
}

static void check_bus_error(volatile uint64_t *page, const char *what)
{
	if (!sigsetjmp(bus_error, 1)) {
		page[MKR_SAMPLE_TRACE(0)] = 0;
		check(false, "a store to %s of a card that is gone", what);
	} else {
		check(true, "a store to %s is a bus error", what);
	}
}

/* A node of its own for the same device, as a container has it. */
static void open_another(struct mk *another)
{
	struct stat device;

	must(!stat(MK_DEVICE, &device) && !mknod("another", S_IFCHR | 0600, device.st_rdev), "mknod");
	must(!mk_open_card(another, "another"), "another node of the device");
	another->sample[MKR_SAMPLE_TRACE(0)] = 0;
}

void gone(char **words)
{
	struct mk another;
	char path[200];
	uint64_t value;

	must(!mk_csr(MKR_CSR_SEOFF) && mk_trace_me(0, 0) >= 0, "trace");
	MK_TRACE(0, 0);
	open_another(&another);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", words[0]);
	write_file(path, "1");
	check_refused(mk_get(&mk_main, MKR_CSR, &value), ENODEV, "a card that is gone");
	check_refused(try_map(PROT_READ, MAP_SHARED, 4096, MK_MAP_REGISTERS), ENODEV, "mapping it");
	signal(SIGBUS, on_bus_error);
	check_bus_error(mk_main.sample, "its page");
	check_bus_error(another.sample, "its page by another node");
	sched_yield();
}

/* --- the machine sleeps (ACPI S3, which resets the card) and wakes up --- */

void power(char **words)
{
	static const unsigned registers[] = { MKR_FILTER, MKR_MUXSEL, MKR_ENABLE };
	const uint64_t csr = MKR_CSR_SE | MKR_CSR_WWAIT | MKR_CSR_RWAIT | MKR_CSR_SLOW10US;
	enum { n = sizeof(registers) / sizeof(*registers) };
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
