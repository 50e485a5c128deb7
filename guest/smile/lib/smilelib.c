/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The adapter, monitors, and sets of them: calls of the drivers. */
#define _GNU_SOURCE
#include "smilelib.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "timeline.h"

static int close_with(int fd, int error)
{
	close(fd);
	errno = error;
	return -1;
}

/* All calls of the drivers that change something or wait go through these, so that they are in the timeline. */
static int call(int fd, unsigned long command, void *argument, const char *name)
{
	int result;

	smile_timeline_begin("library", name);
	result = ioctl(fd, command, argument);
	smile_timeline_end();
	return result;
}

static int open_device(const char *device, int flags, const char *name)
{
	int fd;

	smile_timeline_begin("library", name);
	fd = open(device, O_RDWR | O_CLOEXEC | flags);
	smile_timeline_end();
	return fd;
}

/* --- the adapter --- */

int sci_open(struct sci *sci, const char *device)
{
	memset(sci, 0, sizeof(*sci));
	sci->fd = open_device(device ? device : SCI_DEVICE, 0, __func__);
	if (sci->fd < 0)
		return -1;
	if (ioctl(sci->fd, SCI_IOC_INFO, &sci->info)) {
		close_with(sci->fd, errno);
		sci->fd = -1;
		return -1;
	}
	sci->bytes = (size_t)sci->info.pages * SCI_PAGE_BYTES;
	return 0;
}

void sci_close(struct sci *sci)
{
	if (sci->fd >= 0)
		close(sci->fd);
	sci->fd = -1;
}

void *sci_map(const struct sci *sci, size_t offset, size_t bytes, int write_combining)
{
	void *at;

	smile_timeline_begin("library", __func__);
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, sci->fd, (off_t)(offset + (write_combining ? SCI_MMAP_WC : 0)));
	smile_timeline_end();
	return at == MAP_FAILED ? NULL : at;
}

int sci_unmap(void *at, size_t bytes)
{
	return munmap(at, bytes);
}

int sci_get_homes(const struct sci *sci, unsigned first, unsigned count, uint8_t *homes)
{
	struct sci_homes h = { first, count, (uintptr_t)homes };

	return call(sci->fd, SCI_IOC_GET_HOMES, &h, __func__);
}

int sci_set_homes(const struct sci *sci, unsigned first, unsigned count, const uint8_t *homes)
{
	struct sci_homes h = { first, count, (uintptr_t)homes };

	return call(sci->fd, SCI_IOC_SET_HOMES, &h, __func__);
}

int sci_set_home(const struct sci *sci, unsigned page, unsigned home)
{
	const uint8_t one = (uint8_t)home;

	if (home > UINT8_MAX) {
		errno = EINVAL;
		return -1;
	}
	return sci_set_homes(sci, page, 1, &one);
}

int sci_policy(struct sci *sci, unsigned policy)
{
	uint32_t number = policy;

	if (call(sci->fd, SCI_IOC_POLICY, &number, __func__))
		return -1;
	sci->info.policy = policy;
	return 0;
}

int sci_enable(struct sci *sci, int on)
{
	uint32_t number = !!on;

	if (call(sci->fd, SCI_IOC_ENABLE, &number, __func__))
		return -1;
	sci->info.enabled = number;
	return 0;
}

int sci_get_stats(const struct sci *sci, unsigned node, struct sci_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->node = node;
	return call(sci->fd, SCI_IOC_STATS, stats, __func__);
}

int sci_clear_stats(const struct sci *sci)
{
	return call(sci->fd, SCI_IOC_CLEAR, NULL, __func__);
}

int sci_node(const struct sci *sci)
{
	struct sci_info info;

	return ioctl(sci->fd, SCI_IOC_INFO, &info) ? -1 : (int)info.node;
}

/* --- a monitor --- */

static int get_info(struct smile *m)
{
	return ioctl(m->fd, SMILE_IOC_INFO, &m->info);
}

int smile_open(struct smile *m, const char *device)
{
	memset(m, 0, sizeof(*m));
	snprintf(m->device, sizeof(m->device), "%s", device ? device : SMILE_DEVICE);
	m->fd = open_device(m->device, O_NONBLOCK, __func__);
	if (m->fd < 0)
		return -1;
	if (get_info(m)) {
		close_with(m->fd, errno);
		m->fd = -1;
		return -1;
	}
	return 0;
}

void smile_close(struct smile *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}

int smile_load_design(struct smile *m, const char *name)
{
	struct smile_load load = { .flags = 0 };
	int error;

	if (strlen(name) >= sizeof(load.name)) {
		errno = EINVAL;
		return -1;
	}
	strcpy(load.name, name);
	if (!call(m->fd, SMILE_IOC_LOAD, &load, __func__))
		return get_info(m);
	error = errno;
	get_info(m);
	errno = error;
	return -1;
}

static int set_number(struct smile *m, unsigned long command, uint32_t number, const char *name)
{
	return call(m->fd, command, &number, name);
}

int smile_run(struct smile *m, int on) { return set_number(m, SMILE_IOC_RUN, !!on, __func__); }
int smile_reset(struct smile *m) { return call(m->fd, SMILE_IOC_RESET, NULL, __func__); }
int smile_swap(struct smile *m) { return call(m->fd, SMILE_IOC_SWAP, NULL, __func__); }
int smile_get_stats(struct smile *m, struct smile_stats *stats) { return call(m->fd, SMILE_IOC_STATS, stats, __func__); }
int smile_set_timer(struct smile *m, uint32_t clocks) { return set_number(m, SMILE_IOC_TIMER, clocks, __func__); }
int smile_global_event(struct smile *m, unsigned event) { return set_number(m, SMILE_IOC_GLOBAL_EVENT, event, __func__); }
int smile_get_counters(struct smile *m, struct smile_counters *counters) { return call(m->fd, SMILE_IOC_COUNTERS, counters, __func__); }

ptrdiff_t smile_read(struct smile *m, struct smile_record *records, size_t most)
{
	ssize_t got;

	smile_timeline_begin("library", __func__);
	do
		got = read(m->fd, records, most * sizeof(*records));
	while (got < 0 && errno == EINTR);
	smile_timeline_end();
	if (got < 0)
		return errno == EAGAIN ? 0 : -1;
	return got / (ptrdiff_t)sizeof(*records);
}

int smile_set_dynamic(struct smile *m, uint32_t max_range, uint32_t mask)
{
	struct smile_dynamic d = { max_range, mask };

	return call(m->fd, SMILE_IOC_DYNAMIC, &d, __func__);
}

int smile_set_page(struct smile *m, unsigned index, unsigned page, unsigned home)
{
	struct smile_page p = { index, 1, page, home };

	return call(m->fd, SMILE_IOC_PAGE, &p, __func__);
}

int smile_set_event(struct smile *m, unsigned index, unsigned page_index, unsigned filter, unsigned bottom, unsigned top)
{
	struct smile_event e = { index, 1, page_index, filter, bottom, top };

	return call(m->fd, SMILE_IOC_EVENT, &e, __func__);
}

int smile_clear_page(struct smile *m, unsigned index)
{
	struct smile_page p = { .index = index };

	return call(m->fd, SMILE_IOC_PAGE, &p, __func__);
}

int smile_clear_event(struct smile *m, unsigned index)
{
	struct smile_event e = { .index = index };

	return call(m->fd, SMILE_IOC_EVENT, &e, __func__);
}

int smile_set_counter(struct smile *m, unsigned index, unsigned start, unsigned stop, unsigned count)
{
	struct smile_counter c = { index, start, stop, count, 0, 0 };

	return call(m->fd, SMILE_IOC_COUNTER, &c, __func__);
}

int smile_set_active(struct smile *m, unsigned index, unsigned stop, unsigned count)
{
	struct smile_counter c = { index, SMILE_NO_EVENT, stop, count, 1, 0 };

	return call(m->fd, SMILE_IOC_COUNTER, &c, __func__);
}

/* --- all monitors --- */

int smile_open_all(struct smile_set *set)
{
	char device[32];

	set->count = 0;
	for (unsigned n = 0; n < SMILE_CARDS; n++) {
		snprintf(device, sizeof(device), "/dev/smile%u", n);
		if (!smile_open(&set->card[set->count], device)) {
			set->count++;
		} else if (errno != ENOENT) { /* numbers of removed cards are free */
			const int error = errno;

			smile_close_all(set);
			errno = error;
			return -1;
		}
	}
	if (set->count)
		return 0;
	errno = ENODEV;
	return -1;
}

void smile_close_all(struct smile_set *set)
{
	while (set->count)
		smile_close(&set->card[--set->count]);
}

#define EACH(set, call)                                        \
	do {                                                   \
		for (unsigned n = 0; n < (set)->count; n++) {  \
			struct smile *m = &(set)->card[n];     \
			if (call)                              \
				return -1;                     \
		}                                              \
		return 0;                                      \
	} while (0)

int smile_load_design_all(struct smile_set *set, const char *name) { EACH(set, smile_load_design(m, name)); }
int smile_set_dynamic_all(struct smile_set *set, uint32_t range, uint32_t mask) { EACH(set, smile_set_dynamic(m, range, mask)); }
int smile_reset_all(struct smile_set *set) { EACH(set, smile_reset(m)); }
int smile_swap_all(struct smile_set *set) { EACH(set, smile_swap(m)); }
int smile_global_event_all(struct smile_set *set, unsigned event) { EACH(set, smile_global_event(m, event)); }

int smile_run_all(struct smile_set *set, int on)
{
	int error = 0;

	for (unsigned n = 0; n < set->count && !(on && error); n++)
		if (smile_run(&set->card[n], on))
			error = errno;
	errno = error ? error : errno;
	return error ? -1 : 0;
}
