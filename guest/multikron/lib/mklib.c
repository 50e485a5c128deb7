/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "mklib.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

volatile uint64_t mk_nowhere[MKR_ADDRESSES];
volatile uint64_t *mk_page = mk_nowhere;
struct mk mk_main = { .sample = mk_nowhere, .register_ = mk_nowhere, .fd = -1 };
static struct mk mk_others[MK_CARDS];
static unsigned mk_other_count;

static void *mk_map_page(int fd, int protection, long offset)
{
	void *page = mmap(NULL, MK_MAP_BYTES, protection, MAP_SHARED, fd, offset);

	return page == MAP_FAILED ? NULL : page;
}

void mk_close_card(struct mk *mk)
{
	if (mk->fd < 0)
		return;
	if (mk->sample != mk_nowhere)
		munmap((void *)mk->sample, MK_MAP_BYTES);
	if (mk->register_ != mk_nowhere)
		munmap((void *)mk->register_, MK_MAP_BYTES);
	if (mk->raw)
		munmap((void *)mk->raw, MK_MAP_BYTES);
	close(mk->fd);
	mk->fd = -1;
	mk->sample = mk_nowhere;
	mk->register_ = mk_nowhere;
	mk->raw = NULL;
}

int mk_open_card(struct mk *mk, const char *device)
{
	void *page;
	int error;

	mk->sample = mk_nowhere;
	mk->register_ = mk_nowhere;
	mk->raw = NULL;
	mk->fd = open(device, O_RDWR | O_CLOEXEC);
	if (mk->fd < 0)
		return -1;
	if (ioctl(mk->fd, MK_IOC_INFO, &mk->info))
		goto fail;
	page = mk_map_page(mk->fd, PROT_READ, MK_MAP_REGISTERS);
	if (!page)
		goto fail;
	mk->register_ = (const volatile uint64_t *)page;
	page = mk_map_page(mk->fd, PROT_READ | PROT_WRITE, MK_MAP_SAMPLE);
	if (!page)
		goto fail;
	mk->sample = (volatile uint64_t *)page;
	mk->raw = (volatile uint64_t *)mk_map_page(mk->fd, PROT_READ | PROT_WRITE, MK_MAP_RAW);
	return 0;
fail:
	error = errno;
	mk_close_card(mk);
	errno = error;
	return -1;
}

int mk_open(const char *device)
{
	mk_close_card(&mk_main);
	if (mk_open_card(&mk_main, device ? device : MK_DEVICE)) {
		mk_page = mk_nowhere;
		return -1;
	}
	mk_page = mk_main.sample;
	return 0;
}

void mk_close(void)
{
	mk_page = mk_nowhere;
	mk_close_card(&mk_main);
	while (mk_other_count)
		mk_close_card(&mk_others[--mk_other_count]);
}

int mk_line_of(const struct mk *mk, unsigned cpu)
{
	for (unsigned line = 0; line < mk->info.lines && line < MK_INFO_LINES; line++)
		if (mk->info.cpu[line] == cpu)
			return (int)line;
	return -1;
}

struct mk *mk_card_of(unsigned cpu)
{
	if (mk_main.fd >= 0 && mk_line_of(&mk_main, cpu) >= 0)
		return &mk_main;
	for (unsigned n = 0; n < mk_other_count; n++)
		if (mk_line_of(&mk_others[n], cpu) >= 0)
			return &mk_others[n];
	for (unsigned n = 0; n < MK_CARDS && mk_other_count < MK_CARDS; n++) {
		struct mk *mk = &mk_others[mk_other_count];
		char device[32];

		snprintf(device, sizeof(device), "/dev/multikron%u", n);
		if (mk_open_card(mk, device)) {
			if (errno != ENOENT)
				return NULL;
			continue;
		}
		if (mk_line_of(mk, cpu) >= 0) {
			mk_other_count++;
			return mk;
		}
		mk_close_card(mk);
	}
	errno = ENODEV;
	return NULL;
}

int mk_get(struct mk *mk, unsigned address, uint64_t *value)
{
	struct mk_register r = { address, 0, 0 };

	if (ioctl(mk->fd, MK_IOC_GET, &r))
		return -1;
	*value = r.value;
	return 0;
}

int mk_set(struct mk *mk, unsigned address, uint64_t value)
{
	struct mk_register r = { address, 0, value };

	return ioctl(mk->fd, MK_IOC_SET, &r);
}

int mk_set_mux(struct mk *mk, unsigned i, unsigned source)
{
	uint64_t mux;

	if (mk_get(mk, MKR_MUXSEL, &mux))
		return -1;
	return mk_set(mk, MKR_MUXSEL, (mux & ~MKR_MUX_FIELD(i)) | MKR_MUX_PUT(i, source));
}

int mk_count_ioctl(struct mk *mk, unsigned i)
{
	uint32_t number = i;

	return ioctl(mk->fd, MK_IOC_COUNT, &number);
}

int64_t mk_trace_me(uint32_t flags, uint32_t source)
{
	struct mk_trace t = { flags, source };

	return ioctl(mk_main.fd, MK_IOC_TRACE, &t) ? -1 : (int64_t)t.source;
}

int mk_untrace_me(uint32_t flags)
{
	return ioctl(mk_main.fd, MK_IOC_UNTRACE, &flags);
}
