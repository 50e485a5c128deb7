/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contract.h - what is asked of every driver's device (guest/linux/ioctl_call.h, guest/linux/vm_flags.h), and rows for what is asked of one:
 *
 *   CALLS(fd, { call, argument, error, what }, ...)                                error 0: it is done
 *   MAPS(fd, { protection, flags, bytes, offset, error, what }, ...)
 */
#ifndef PERFBOARD_GUEST_CONTRACT_H
#define PERFBOARD_GUEST_CONTRACT_H

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "tests/guest/linux/check.h"

/* A call that is done. */
#define DO(fd, call, ...) must(!ioctl(fd, call, ##__VA_ARGS__), #call)

struct call_row {
	unsigned long call;
	const void *argument;
	int error;
	const char *what;
};
#define CALLS(fd, ...) check_calls(fd, (const struct call_row[]){ __VA_ARGS__, { 0 } })

static inline void check_calls(int fd, const struct call_row *row)
{
	for (; row->what; row++)
		check_answer(ioctl(fd, row->call, row->argument), row->error, row->what);
}

struct map_row {
	int protection, flags;
	uint64_t bytes, offset;
	int error;
	const char *what;
};
#define MAPS(fd, ...) check_maps(fd, (const struct map_row[]){ __VA_ARGS__, { 0 } })

static inline void check_maps(int fd, const struct map_row *row)
{
	for (; row->what; row++)
		check_answer(try_mmap(fd, row->protection, row->flags, row->bytes, (off_t)row->offset), row->error, row->what);
}

struct contract {
	const char *device;
	unsigned long asks[7], changes[12]; /* calls; who may only read cannot make the latter. asks[0] fills a structure */
	bool reads, writes, seeks;
	struct {
		int protection; /* 0: the end */
		uint64_t offset;
	} map[3];
};

static inline void call_at_0(const struct contract *c, int fd, unsigned long call, int error)
{
	const long result = ioctl(fd, call, NULL);

	check(result < 0 && errno == error, "%s: call %02x at 0: %s", c->device, (unsigned)_IOC_NR(call), result < 0 ? strerror(errno) : "done");
}

static inline void contract_calls(const struct contract *c, int fd, int reader)
{
	const unsigned type = _IOC_TYPE(c->asks[0]);
	unsigned wrong = 0;
	char room[8];

	for (unsigned n = 0; n < 256; n++) {
		wrong += !(ioctl(fd, _IOR(type, n, uint32_t), room) < 0 && errno == ENOTTY);
		if (n % 16 == 15) /* the last of each driver's, which none has */
			wrong += !(ioctl(fd, _IO(type, n)) < 0 && errno == ENOTTY);
	}
	check(!wrong, "%s: calls of others, and unknown ones, are none (%u are)", c->device, wrong);
	check_refused(ioctl(fd, _IOC(_IOC_WRITE, type, _IOC_NR(c->asks[0]), 4000), room), ENOTTY, "a structure that is too large");
	for (const unsigned long *call = c->asks; *call; call++)
		call_at_0(c, reader, *call, EFAULT);
	for (const unsigned long *call = c->changes; *call; call++) {
		call_at_0(c, reader, *call, EBADF);
		if (_IOC_DIR(*call) & _IOC_WRITE)
			call_at_0(c, fd, *call, EFAULT);
	}
	if (!c->reads)
		check_refused(read(fd, room, sizeof(room)), EINVAL, "read()");
	if (!c->writes)
		check_refused(write(fd, room, sizeof(room)), EINVAL, "write()");
	if (!c->seeks)
		check_refused(lseek(fd, 0, SEEK_SET), ESPIPE, "lseek()");
}

static inline void contract_map(int fd, int reader, int protection, uint64_t offset)
{
	const int both = PROT_READ | PROT_WRITE, code = PROT_READ | PROT_EXEC;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ, MAP_SHARED, protection == both ? reader : fd, (off_t)offset);

	must(at != MAP_FAILED, "a mapping for reading");
	check_refused(mprotect(at, page, both), EACCES, "making it writable");
	check_refused(mprotect(at, page, code), EACCES, "making it code");
	check(mremap(at, page, 2 * page, MREMAP_MAYMOVE) == MAP_FAILED, "it does not grow");
	munmap(at, page);
	MAPS(fd, { both, MAP_SHARED, page, offset, protection == both ? 0 : EACCES, "a writable mapping" },
	     { both, MAP_PRIVATE, page, offset, EINVAL, "a private mapping" },
	     { PROT_READ, MAP_PRIVATE, page, offset, EINVAL, "a private mapping for reading" },
	     { code, MAP_SHARED, page, offset, EACCES, "an executable mapping" },
	     { PROT_READ, MAP_SHARED, page, offset + 1, EINVAL, "an odd offset" });
	MAPS(reader, { both, MAP_SHARED, page, offset, EACCES, "a reader's writable mapping" });
}

static inline void check_contract(const struct contract *c)
{
	const int fd = open(c->device, O_RDWR), reader = open(c->device, O_RDONLY);

	must(fd >= 0 && reader >= 0, c->device);
	contract_calls(c, fd, reader);
	for (unsigned i = 0; c->map[i].protection; i++)
		contract_map(fd, reader, c->map[i].protection, c->map[i].offset);
	close(reader);
	close(fd);
}

/* --- what a driver says, and what other processors notice --- */

/* -1: there is none. */
static inline long attribute(const char *device, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/misc/%s/%s", device, name);
	return number_in(path, "%li");
}

/* They stay for a second after the last that needs them, in virtual time. */
static inline bool probes_go(const char *device)
{
	for (int i = 0; i < 6000 && attribute(device, "probes") >= 0; i++) {
		if (!attribute(device, "probes"))
			return true;
		usleep(100000);
	}
	return false;
}

/* Function calls by other processors, that a processor has had: lines of one or the other name. */
static inline uint64_t interrupts_of(unsigned cpu, const char *name, const char *other)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[4096];
	uint64_t sum = 0;

	must(file, "/proc/interrupts");
	while (fgets(line, sizeof(line), file)) {
		char *at = strchr(line, ':');

		if (!at || (!strstr(line, name) && !strstr(line, other)))
			continue;
		at++;
		for (unsigned i = 0; i < cpu; i++)
			strtoull(at, &at, 10);
		sum += strtoull(at, NULL, 10);
	}
	fclose(file);
	return sum;
}

/* --- a card that goes --- */

static inline void remove_card(const char *pci)
{
	char path[128];

	must(pci != NULL, "PCI device");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", pci);
	write_file(path, "1");
}

static inline void check_gone(const struct contract *c, int fd)
{
	char room[4096] = "";

	CALLS(fd, { c->asks[0], room, ENODEV, "information of a card that is gone" });
	if (c->map[0].protection)
		MAPS(fd, { PROT_READ, MAP_SHARED, (uint64_t)sysconf(_SC_PAGESIZE), c->map[0].offset, ENODEV, "a new mapping" });
}

static sigjmp_buf bus_error;

static inline void on_bus_error(int number)
{
	siglongjmp(bus_error, 1);
}

static inline void check_bus_error(volatile uint64_t *at, const char *what)
{
	signal(SIGBUS, on_bus_error);
	if (!sigsetjmp(bus_error, 1)) {
		*at = 0;
		check(false, "a store to %s of a card that is gone", what);
	} else {
		check(true, "a store to %s is a bus error", what);
	}
}

#endif
