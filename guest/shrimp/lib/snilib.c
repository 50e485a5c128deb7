/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "snilib.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const sni_counter_name[SNI_COUNTERS] = {
	"txp", "txw", "rxp", "rxw", "rxd", "txu", "ovf", "dup",
	"endd", "endr", "endn", "endb", "endt", "endp", "endf",
	"aus", "auw", "brd", "bwr",
};
const uint32_t sni_counter_offset[SNI_COUNTERS] = {
	SNI_TXP, SNI_TXW, SNI_RXP, SNI_RXW, SNI_RXD, SNI_TXU, SNI_OVFC, SNI_DUP,
	SNI_ENDD, SNI_ENDR, SNI_ENDN, SNI_ENDB, SNI_ENDT, SNI_ENDP, SNI_ENDF,
	SNI_AUS, SNI_AUW, SNI_BRD, SNI_BWR,
};
const char *const sni_term_name[SNI_TERMS] = { "comb", "fifo", "back", "eisa", "xfer", "total" };
static const uint32_t term_offset[SNI_TERMS] = {
	SNI_LAT_COMB, SNI_LAT_FIFO, SNI_LAT_BACK, SNI_LAT_EISA, SNI_LAT_XFER, SNI_LAT_TOTAL,
};

static uint64_t address(const volatile void *p)
{
	return (uintptr_t)p;
}

int sni_open(void)
{
	return sni_open_device(SNI_DEVICE);
}

int sni_open_device(const char *name)
{
	return open(name, O_RDWR | O_CLOEXEC);
}

int sni_get_info(int fd, struct sni_info *info)
{
	return ioctl(fd, SNI_IOC_INFO, info);
}

void *sni_pages(int fd, size_t count)
{
	void *p = mmap(NULL, count * SNI_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, SNI_MAP_PAGES);

	return p == MAP_FAILED ? NULL : p;
}

int sni_unmap(void *pages, size_t count)
{
	return munmap(pages, count * SNI_PAGE_BYTES);
}

int64_t sni_pfn(int fd, const volatile void *page)
{
	struct sni_pfn p = { .addr = address(page) };

	return ioctl(fd, SNI_IOC_PFN, &p) ? -1 : (int64_t)p.pfn;
}

int sni_export(int fd, volatile void *page, unsigned int color, bool interrupt)
{
	struct sni_export e = { .addr = address(page), .valid = 1, .color = color, .interrupt = interrupt };

	return ioctl(fd, SNI_IOC_EXPORT, &e);
}

int sni_export_to(int fd, volatile void *page, unsigned int color, bool interrupt, uint32_t node, uint32_t user, struct sni_grant *grant)
{
	struct sni_export_to e = {
		.page = { .addr = address(page), .valid = 1, .color = color, .interrupt = interrupt },
		.node = node, .user = user,
	};

	if (ioctl(fd, SNI_IOC_EXPORT_TO, &e))
		return -1;
	*grant = e.grant;
	return 0;
}

int sni_withdraw(int fd, volatile void *page)
{
	struct sni_export e = { .addr = address(page) };

	return ioctl(fd, SNI_IOC_EXPORT, &e);
}

int sni_import(int fd, volatile void *page, uint32_t node, uint32_t pfn, uint32_t flags, uint32_t boundary)
{
	struct sni_import m = {
		.addr = address(page), .node = node, .pfn = pfn, .flags = flags, .boundary = boundary,
	};

	return ioctl(fd, SNI_IOC_IMPORT, &m);
}

int sni_import_from(int fd, volatile void *page, const struct sni_grant *grant, uint32_t flags, uint32_t boundary)
{
	struct sni_import_from m = {
		.page = { .addr = address(page), .flags = flags, .boundary = boundary }, .grant = *grant,
	};

	return ioctl(fd, SNI_IOC_IMPORT_FROM, &m);
}

int sni_unimport(int fd, volatile void *page)
{
	return sni_import(fd, page, 0, 0, 0, 0);
}

int sni_send(int fd, const volatile void *from, uint32_t node, uint32_t pfn, uint32_t offset, uint32_t words)
{
	struct sni_du du = {
		.addr = address(from), .node = node, .pfn = pfn, .offset = offset, .words = words,
	};

	return ioctl(fd, SNI_IOC_DU, &du);
}

int sni_send_to(int fd, const volatile void *from, const volatile void *to, uint32_t words)
{
	struct sni_du_to du = { .addr = address(from), .to = address(to), .words = words };

	return ioctl(fd, SNI_IOC_DU_TO, &du);
}

void *sni_proxies(int fd, const volatile void *pages, size_t count)
{
	char *base = mmap(NULL, count * SNI_PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const int64_t pfn = sni_pfn(fd, (const volatile char *)pages + i * SNI_PAGE_BYTES);

		if (pfn < 0 || mmap(base + i * SNI_PAGE_BYTES, SNI_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
				    SNI_MAP_PROXY + pfn * SNI_PAGE_BYTES) == MAP_FAILED) {
			munmap(base, count * SNI_PAGE_BYTES);
			return NULL;
		}
	}
	return base;
}

int sni_wait_packet(int fd, uint32_t timeout_ms)
{
	struct sni_wait w = { .timeout_ms = timeout_ms };

	return ioctl(fd, SNI_IOC_WAIT, &w);
}

/* --- notifications --- */

#define NOTIFIED_FILES 16

/* A place whose handler is NULL is free. */
static struct notified_file {
	sni_handler volatile handler;
	void *argument;
	int fd;
	volatile bool blocked; /* the signal may be under way when the driver is told */
} notified_files[NOTIFIED_FILES];

/* That a descriptor has gone, or is another device's, makes it one with nothing to take. */
static void on_packet(int number)
{
	const int error = errno;
	struct sni_notified what;

	(void)number;
	for (struct notified_file *n = notified_files; n < notified_files + NOTIFIED_FILES; n++)
		while (n->handler && !n->blocked && !ioctl(n->fd, SNI_IOC_NOTIFIED, &what))
			n->handler(n->argument, &what);
	errno = error;
}

static void hold_signal(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SNI_NOTIFY_SIGNAL);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

static struct notified_file *notified_file(int fd)
{
	for (struct notified_file *n = notified_files; n < notified_files + NOTIFIED_FILES; n++)
		if (n->handler && n->fd == fd)
			return n;
	return NULL;
}

static int set_mode(int fd, uint32_t mode)
{
	struct sni_notify notify = { .mode = mode, .signal = mode == SNI_NOTIFY_OFF ? 0 : SNI_NOTIFY_SIGNAL };

	return ioctl(fd, SNI_IOC_NOTIFY, &notify);
}

static int begin_notify(int fd, sni_handler handler, void *argument)
{
	const struct sigaction action = { .sa_handler = on_packet, .sa_flags = SA_RESTART };
	struct notified_file *n = notified_file(fd);

	for (int i = 0; !n && i < NOTIFIED_FILES; i++)
		if (!notified_files[i].handler)
			n = &notified_files[i];
	if (!n) {
		errno = ENOSPC;
		return -1;
	}
	n->handler = NULL;
	if (sigaction(SNI_NOTIFY_SIGNAL, &action, NULL) || set_mode(fd, SNI_NOTIFY_ON))
		return -1;
	n->fd = fd;
	n->argument = argument;
	n->blocked = false;
	n->handler = handler;
	return 0;
}

static int end_notify(int fd)
{
	struct notified_file *n = notified_file(fd);

	if (n)
		n->handler = NULL;
	return set_mode(fd, SNI_NOTIFY_OFF);
}

int sni_notify(int fd, sni_handler handler, void *argument)
{
	sigset_t before;
	int result;

	hold_signal(&before);
	result = handler ? begin_notify(fd, handler, argument) : end_notify(fd);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

static int block(int fd, bool blocked)
{
	struct notified_file *n = notified_file(fd);

	if (!n) {
		errno = EINVAL;
		return -1;
	}
	n->blocked = blocked;
	return set_mode(fd, blocked ? SNI_NOTIFY_BLOCKED : SNI_NOTIFY_ON);
}

int sni_notify_block(int fd)
{
	return block(fd, true);
}

/* The driver sends the signal within the call. */
int sni_notify_unblock(int fd)
{
	return block(fd, false);
}

void sni_close(int fd)
{
	struct notified_file *n = notified_file(fd);

	if (n)
		n->handler = NULL;
	close(fd);
}

int sni_get_reg(int fd, uint32_t offset, uint32_t *value)
{
	struct sni_reg r = { .offset = offset };

	if (ioctl(fd, SNI_IOC_GETREG, &r))
		return -1;
	*value = r.value;
	return 0;
}

int sni_set_reg(int fd, uint32_t offset, uint32_t value)
{
	struct sni_reg r = { .offset = offset, .value = value };

	return ioctl(fd, SNI_IOC_SETREG, &r);
}

int sni_get_counter(int fd, uint32_t offset, uint64_t *value)
{
	uint32_t low, high;

	/* The low word first: it latches the other. */
	if (sni_get_reg(fd, offset, &low) || sni_get_reg(fd, offset + 4, &high))
		return -1;
	*value = (uint64_t)high << 32 | low;
	return 0;
}

int sni_get_stats(int fd, struct sni_stats *stats)
{
	return ioctl(fd, SNI_IOC_STATS, stats);
}

int sni_get_counters(int fd, struct sni_counters *c)
{
	for (int i = 0; i < SNI_COUNTERS; i++)
		if (sni_get_counter(fd, sni_counter_offset[i], &c->count[i]))
			return -1;
	for (int i = 0; i < SNI_TERMS; i++)
		if (sni_get_counter(fd, term_offset[i] + SNI_LAT_SUM, &c->term_sum[i]) ||
		    sni_get_reg(fd, term_offset[i] + SNI_LAT_MIN, &c->term_min[i]) ||
		    sni_get_reg(fd, term_offset[i] + SNI_LAT_MAX, &c->term_max[i]))
			return -1;
	return 0;
}

void sni_print_counters(FILE *to, const struct sni_counters *c)
{
	for (int i = 0; i < SNI_COUNTERS; i++)
		fprintf(to, "%s=%llu\n", sni_counter_name[i], (unsigned long long)c->count[i]);
	for (int i = 0; i < SNI_TERMS; i++)
		fprintf(to, "lat_%s_sum=%llu\nlat_%s_min=%u\nlat_%s_max=%u\n", sni_term_name[i], (unsigned long long)c->term_sum[i],
			sni_term_name[i], c->term_min[i], sni_term_name[i], c->term_max[i]);
}
