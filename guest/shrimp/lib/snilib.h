/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snilib - the SHRIMP network interface from a program (C and C++): pages that others receive into, pages
 * whose stores others see. A thin layer over /dev/sni0 (guest/shrimp/uapi.h). Compile snilib.c with it.
 *
 *   int fd = sni_open();
 *   uint32_t *in = sni_pages(fd, 1), *out = sni_pages(fd, 1);
 *   sni_export(fd, in, 3, false);                         colour 3, no interrupt, for all who have the device
 *   sni_import(fd, out, peer, peer_pfn, SNI_IMPORT_AU | SNI_IMPORT_COMBINE, 4096);
 *   out[0] = 1;                                           and the peer's in[0] is 1
 *
 * For one node and user alone: sni_export_to(fd, in, 3, false, node, user, &grant), and there sni_import_from(fd, out, &grant, ...).
 *
 * To be called when a packet comes: export with the interrupt bit, and sni_notify(fd, handler, argument).
 *
 * Functions return 0 (or what they were asked for), and -1 with errno set on failure.
 */
#ifndef PERFBOARD_SNILIB_H
#define PERFBOARD_SNILIB_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../regs.h"
#include "../uapi.h"

#ifdef __cplusplus
extern "C" {
/* Functions have names of structures of the uapi, as in C. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#define SNI_DEVICE "/dev/sni0"
#define SNI_PAGE_BYTES 4096

int sni_open(void);
int sni_open_device(const char *name); /* another one: "/dev/sni1" */
void sni_close(int fd);
int sni_get_info(int fd, struct sni_info *info);

/* Zeroed resident pages below 128 MB; NULL on failure. Unmapping ends what they export and import. */
void *sni_pages(int fd, size_t count);
int sni_unmap(void *pages, size_t count);
int64_t sni_pfn(int fd, const volatile void *page); /* page frame number; -1 on failure */

int sni_export(int fd, volatile void *page, unsigned int color, bool interrupt);
/* To the named node and user only (SNI_ANY: any). Whom the exporter gives the grant can import the page if it is one of these. */
int sni_export_to(int fd, volatile void *page, unsigned int color, bool interrupt, uint32_t node, uint32_t user, struct sni_grant *grant);
int sni_withdraw(int fd, volatile void *page);
int sni_import(int fd, volatile void *page, uint32_t node, uint32_t pfn, uint32_t flags, uint32_t boundary);
int sni_import_from(int fd, volatile void *page, const struct sni_grant *grant, uint32_t flags, uint32_t boundary);
int sni_unimport(int fd, volatile void *page);

/* Deliberate update: returns when the words have left the source page. ETIMEDOUT: they may leave later; EBUSY: another's have not left. */
int sni_send(int fd, const volatile void *from, uint32_t node, uint32_t pfn, uint32_t offset, uint32_t words);
/* The same, to the word of an imported page. */
int sni_send_to(int fd, const volatile void *from, const volatile void *to, uint32_t words);
/* User-level deliberate update, without a system call: proxies of pages, one behind another. NULL on failure. */
void *sni_proxies(int fd, const volatile void *pages, size_t count);
/*
 * The store and the load: bytes from the word whose proxy is `from`, to where the page leads whose proxy's word is `to` (SNI_IMPORT_DU).
 * Returns when the transfer has begun; -1: the board refuses it. One thread of a process at a time.
 */
static inline int sni_user_send(volatile uint32_t *to, const volatile uint32_t *from, uint32_t bytes)
{
	uint32_t status = SNI_PROXY_INVALID;

	while (!(status & (SNI_PROXY_INITIATED | SNI_PROXY_REFUSED))) {
		if (status & SNI_PROXY_INVALID)
			*to = bytes;
		status = *from;
	}
	return status & SNI_PROXY_INITIATED ? 0 : -1;
}
/* Whether the words have left since. */
static inline bool sni_user_done(const volatile uint32_t *from)
{
	return !(*from & SNI_PROXY_MATCH);
}
/* Until a packet arrives on a page with the interrupt bit; 0xffffffff waits for ever. ETIMEDOUT; EINTR: a signal came. */
int sni_wait_packet(int fd, uint32_t timeout_ms);

/*
 * Notifications: the handler is called once for each packet that comes from now on to a page that this process has exported by fd
 * with its interrupt bit, and is told which page. It is called by the handler of SIGURG, which the library sets: so it may only do what
 * signal handlers may, and calls end early that no signal handler restarts. It is not called while it runs, unless other threads
 * take the signal. The handler NULL, sni_close() or another program ends it. Up to 16 descriptors (ENOSPC). EBUSY: fd is another
 * process's, as a parent's in its child.
 * While they are blocked notifications wait, all of them. In a program of one thread sni_notify_unblock() has called the handler for those
 * that had come.
 */
#define SNI_NOTIFY_SIGNAL SIGURG /* nothing happens to a program that has no handler of it */
typedef void (*sni_handler)(void *argument, const struct sni_notified *what);
int sni_notify(int fd, sni_handler handler, void *argument);
int sni_notify_block(int fd);
int sni_notify_unblock(int fd);

int sni_get_reg(int fd, uint32_t offset, uint32_t *value);
int sni_set_reg(int fd, uint32_t offset, uint32_t value);
int sni_get_counter(int fd, uint32_t offset, uint64_t *value); /* the 64-bit ones */
int sni_get_stats(int fd, struct sni_stats *stats);

/* All counters and latency terms at once. */
#define SNI_COUNTERS 19
#define SNI_TERMS 6
struct sni_counters {
	uint64_t count[SNI_COUNTERS]; /* in the order of sni_counter_name[] */
	uint64_t term_sum[SNI_TERMS]; /* ns; in the order of sni_term_name[] */
	uint32_t term_min[SNI_TERMS], term_max[SNI_TERMS];
};
extern const char *const sni_counter_name[SNI_COUNTERS];
extern const uint32_t sni_counter_offset[SNI_COUNTERS];
extern const char *const sni_term_name[SNI_TERMS];
int sni_get_counters(int fd, struct sni_counters *counters);
/* Lines name=value; of a latency term lat_comb_sum, lat_comb_min, lat_comb_max. */
void sni_print_counters(FILE *to, const struct sni_counters *counters);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
