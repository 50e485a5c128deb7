/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late.h - a page that is not there until the program brings it: who touches it, the kernel too, waits so long. What a FUSE server makes of its
 * files' pages, without one. Needs root, or vm.unprivileged_userfaultfd.
 *
 *   struct late l = late_page();
 *   a thread, or a process of its own memory, gives l.at to a call
 *   late_touched(&l);            it waits for the page
 *   late_bring(&l, page);        these bytes are there; NULL: zeroes
 *   late_end(&l);
 */
#ifndef PERFBOARD_GUEST_LATE_H
#define PERFBOARD_GUEST_LATE_H

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct late {
	int faults;
	void *at;
	struct uffdio_range range;
};

/* faults -1: this kernel or user has none. */
static inline struct late late_page(void)
{
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct late l = { .faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK) };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register r = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	l.at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	r.range = l.range = (struct uffdio_range){ (uintptr_t)l.at, bytes };
	if (l.at == MAP_FAILED || ioctl(l.faults, UFFDIO_API, &api) || ioctl(l.faults, UFFDIO_REGISTER, &r))
		l.faults = -1;
	return l;
}

static inline void late_touched(const struct late *l)
{
	struct uffd_msg message;

	while (read(l->faults, &message, sizeof(message)) != sizeof(message))
		usleep(100);
}

static inline int late_bring(const struct late *l, const void *page)
{
	struct uffdio_zeropage zero = { .range = l->range };
	struct uffdio_copy copy = { .dst = l->range.start, .src = (uintptr_t)page, .len = l->range.len };

	return page ? ioctl(l->faults, UFFDIO_COPY, &copy) : ioctl(l->faults, UFFDIO_ZEROPAGE, &zero);
}

static inline void late_end(const struct late *l)
{
	munmap(l->at, l->range.len);
	close(l->faults);
}

#endif
