/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mktest rules|user|others|samples|counters|sources|churn|gone PCI_DEVICE|power - what multikron.ko and mklib promise.
 * Prints a line per check; exit status 1 if one fails. What must have come out of the network is in lines
 * "stored trace N resource M"; data of traced samples are source << 16 | anything, for the host to compare.
 */
#define _GNU_SOURCE
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/guest/linux/multikron/mktest.h"

#define NOBODY 65534
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int failures;
unsigned long stored_trace, stored_resource;

void refused_of(long result, int error, const char *what, unsigned value)
{
	check(result < 0 && errno == error, "%s %u refused: %s", what, value, result < 0 ? strerror(errno) : "not at all");
}

/* Until the network has sent all: virtual time is enough, 8 samples of 80 bytes take 26 us. */
void settle(void)
{
	usleep(1000);
}

void fresh(uint32_t commands)
{
	must(!mk_reset() && !mk_filter(0xffff) && !mk_csr(commands), "setting the chip up");
}

/* --- rules --- */

static void rules_of_mmap(void)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page;

	check(!try_map(PROT_READ | PROT_WRITE, MAP_SHARED, 4096, MK_MAP_SAMPLE), "sample page maps for writing");
	check(!try_map(PROT_READ, MAP_SHARED, 4096, MK_MAP_REGISTERS), "registers map for reading");
	check_refused(try_map(PROT_READ | PROT_WRITE, MAP_SHARED, 4096, MK_MAP_REGISTERS), EACCES, "writable registers");
	check_refused(try_map(PROT_READ | PROT_EXEC, MAP_SHARED, 4096, MK_MAP_SAMPLE), EACCES, "executable page");
	check_refused(try_map(PROT_READ, MAP_PRIVATE, 4096, MK_MAP_REGISTERS), EINVAL, "private mapping");
	check_refused(try_map(PROT_READ, MAP_SHARED, 2 * page_bytes, MK_MAP_REGISTERS), EINVAL, "two pages");
	refused_of(try_map(PROT_READ, MAP_SHARED, 4096, 0x30000), EINVAL, "offset", 0x30000);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, mk_main.fd, MK_MAP_REGISTERS);
	must(page != MAP_FAILED, "mmap");
	check_refused(mprotect(page, 4096, PROT_READ | PROT_WRITE), EACCES, "mprotect to writable");
	check(mremap(page, page_bytes, 2 * page_bytes, MREMAP_MAYMOVE) == MAP_FAILED, "a mapping does not grow");
	munmap(page, 4096);
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
	refused_of(ioctl(mk_main.fd, MK_IOC_GET, &r), EINVAL, "reserved word", 1);
	refused_of(ioctl(mk_main.fd, MK_IOC_SET, &r), EINVAL, "reserved word", 1);
	refused_of(ioctl(mk_main.fd, MK_IOC_COUNT, &number), EINVAL, "counter", number);
	refused_of(ioctl(mk_main.fd, MK_IOC_GET, (void *)8), EFAULT, "bad pointer", 8);
	check_refused(ioctl(mk_main.fd, _IO(MK_IOC_MAGIC, 0x05)), ENOTTY, "another driver's ioctl");
	refused_of(ioctl(mk_main.fd, _IO(MK_IOC_MAGIC, 0x60)), ENOTTY, "unknown ioctl", 0x60);
	refused_of(ioctl(mk_main.fd, _IOW(MK_IOC_MAGIC, 0x41, char[4000]), &r), ENOTTY, "ioctl size", 4000);
	refused_of(mk_trace_me(8, 0), EINVAL, "trace flags", 8);
	refused_of(mk_trace_me(MK_TRACE_THREAD | MK_TRACE_CHILDREN, 0), EINVAL, "trace flags", 6);
	refused_of(mk_untrace_me(MK_TRACE_CHILDREN), EINVAL, "untrace flags", 4);
	check_refused(mk_untrace_me(0), ESRCH, "untracing who is not traced");
	check(mk_main.info.cpus == (unsigned)sysconf(_SC_NPROCESSORS_CONF), "%u processors", mk_main.info.cpus);
	check(mk_line_of(&mk_main, mk_main.info.cpu[0]) == 0, "line 0 is CPU %u", mk_main.info.cpu[0]);
}

static void rules(char **words)
{
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
	must(!setgid(NOBODY) && !setuid(NOBODY), "setuid");
	must(!mk_open(NULL), "opening as nobody");
	check(!mk_main.raw, "nobody gets no writable registers");
	check_refused(try_map(PROT_READ | PROT_WRITE, MAP_SHARED, 4096, MK_MAP_RAW), EPERM, "writable registers");
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

	for (unsigned i = 0; i < 50 && !(value & bit); i++) {
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
