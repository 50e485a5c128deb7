/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smilelib - a program's use of the PCI-SCI adapter and of its SMiLE hardware monitors (C and C++).
 *
 *   struct sci sci;                                the shared memory
 *   sci_open(&sci, NULL);                          /dev/sci
 *   sci_policy(&sci, SCI_FIRST_TOUCH);             or: sci_set_homes(&sci, 0, sci.info.pages, homes);
 *   double *a = sci_map(&sci, 0, bytes, 0);        uncached; 1: write-combining
 *
 *   struct smile_set set;                          all monitors: one for each node, say
 *   smile_open_all(&set);
 *   smile_load_design_all(&set, "dynamic");
 *   smile_set_dynamic_all(&set, 63, SMILE_SENT);       64 words count as similar; each transaction once, where it was sent
 *   smile_run_all(&set, 1);
 *   ...                                            the work
 *   smile_run_all(&set, 0);
 *   struct smile_histogram *h = smile_histogram_new(SMR_PAGE_WORDS);
 *   smile_collect_all(&set, h);                    swaps, and reads all records
 *   smile_histogram_get(h, page, source, destination);
 *   smile_histogram_write(h, stdout, &sci);        CSV
 *   smile_histogram_free(h);
 *   smile_close_all(&set);
 *
 * Everything has a form for one monitor (struct smile), too. Functions return 0, or -1 with errno set; those that say so, a
 * pointer or NULL. Memory that the library takes is given back by the _free or _close of its name.
 *
 * One transaction is seen by two monitors: outbound by that of its source, inbound by that of its destination. SMILE_SENT
 * counts each once, if every node that sends has a monitor. What a node does in pages at home is no transaction.
 *
 * A histogram's unit. A monitor's record has the address of the first event of an entry. Events up to max_range words before
 * and behind it are counted in the same entry, so they may be in the unit beside. Sums are exact all the same, and so are
 * sources and destinations; units are if max_range is 0.
 */
#ifndef PERFBOARD_SMILELIB_H
#define PERFBOARD_SMILELIB_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../sci/uapi.h"
#include "../regs.h"
#include "../uapi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- the adapter --- */

#define SCI_DEVICE "/dev/sci"

struct sci {
	int fd; /* -1: closed */
	struct sci_info info;
	size_t bytes; /* of the window */
};

int sci_open(struct sci *sci, const char *device); /* NULL: SCI_DEVICE */
void sci_close(struct sci *sci);
/* Part of the window; NULL: errno says why. offset: a multiple of a kernel's page. sci_close() leaves mappings alone. */
void *sci_map(const struct sci *sci, size_t offset, size_t bytes, int write_combining);
int sci_unmap(void *at, size_t bytes);
int sci_get_homes(const struct sci *sci, unsigned first, unsigned count, uint8_t *homes);
int sci_set_homes(const struct sci *sci, unsigned first, unsigned count, const uint8_t *homes);
int sci_set_home(const struct sci *sci, unsigned page, unsigned home);
int sci_policy(struct sci *sci, unsigned policy); /* SCI_FIXED, SCI_FIRST_TOUCH */
int sci_enable(struct sci *sci, int on);
int sci_get_stats(const struct sci *sci, unsigned node, struct sci_stats *stats);
int sci_clear_stats(const struct sci *sci);
/* The node of the processor that the caller runs on; -1: none. */
int sci_node(const struct sci *sci);

/* --- a monitor --- */

#define SMILE_DEVICE "/dev/smile0"
#define SMILE_CARDS 64

struct smile {
	int fd; /* -1: closed */
	char device[32];
	struct smile_info info; /* as of the open or the last load */
};

#define SMILE_TYPES (SMR_FILTER_READ | SMR_FILTER_WRITE | SMR_FILTER_LOCK | SMR_FILTER_UNLOCK)
#define SMILE_SENT (SMILE_TYPES | SMR_FILTER_REQUEST | SMR_FILTER_OUTBOUND)
#define SMILE_RECEIVED (SMILE_TYPES | SMR_FILTER_REQUEST | SMR_FILTER_INBOUND)

int smile_open(struct smile *m, const char *device); /* NULL: SMILE_DEVICE */
void smile_close(struct smile *m);
/* The design of that name (/lib/firmware/smile/NAME.bit), whether it is loaded already or not: it begins anew. */
int smile_load_design(struct smile *m, const char *name);
int smile_run(struct smile *m, int on);
int smile_reset(struct smile *m);
int smile_swap(struct smile *m); /* afterwards everything that was counted can be read */
int smile_get_stats(struct smile *m, struct smile_stats *stats);
/* Up to `most` records; 0: there are none now. Does not wait. */
ptrdiff_t smile_read(struct smile *m, struct smile_record *records, size_t most);
/* Dynamic design. max_range in words of 4 bytes; mask: SMR_FILTER_*, SMILE_SENT. */
int smile_set_dynamic(struct smile *m, uint32_t max_range, uint32_t mask);
/* Static design: its tables as they are. guest/smile/uapi.h says what the fields mean. */
int smile_set_page(struct smile *m, unsigned index, unsigned page, unsigned home);
int smile_set_event(struct smile *m, unsigned index, unsigned page_index, unsigned filter, unsigned bottom, unsigned top);
int smile_set_counter(struct smile *m, unsigned index, unsigned start, unsigned stop, unsigned count);
int smile_set_active(struct smile *m, unsigned index, unsigned stop, unsigned count); /* counts from now on */
int smile_clear_page(struct smile *m, unsigned index);
int smile_clear_event(struct smile *m, unsigned index);
int smile_set_timer(struct smile *m, uint32_t clocks);
int smile_global_event(struct smile *m, unsigned event); /* 17 to 31 */
int smile_get_counters(struct smile *m, struct smile_counters *counters); /* 64-bit totals */

/* --- all monitors --- */

struct smile_set {
	unsigned count;
	struct smile card[SMILE_CARDS];
};

/* /dev/smile0, 1, ...; ENODEV: there is none. */
int smile_open_all(struct smile_set *set);
void smile_close_all(struct smile_set *set);
/*
 * The same for each card. On the first failure they stop; errno is its. run with 0 goes on with the others all the same, so
 * that none keeps running.
 */
int smile_load_design_all(struct smile_set *set, const char *name);
int smile_set_dynamic_all(struct smile_set *set, uint32_t max_range, uint32_t mask);
int smile_run_all(struct smile_set *set, int on);
int smile_reset_all(struct smile_set *set);
int smile_swap_all(struct smile_set *set);
int smile_global_event_all(struct smile_set *set, unsigned event);

/* --- histogram: counts of 64 bits by unit of memory, source and destination --- */

struct smile_cell {
	uint64_t unit; /* number: the window's byte offset / bytes of a unit */
	uint8_t source, destination;
	uint64_t count;
};

struct smile_histogram;

/* Words of 4 bytes in a unit: a power of two, SMR_PAGE_WORDS for pages; else NULL and EINVAL. Or ENOMEM. */
struct smile_histogram *smile_histogram_new(unsigned unit_words);
void smile_histogram_free(struct smile_histogram *h); /* NULL: nothing */
void smile_histogram_clear(struct smile_histogram *h);
/* Records of the dynamic design; those of static counters are left out. ENOMEM: all up to here are in. */
int smile_histogram_add(struct smile_histogram *h, const struct smile_record *records, size_t count);
int smile_histogram_add_cell(struct smile_histogram *h, const struct smile_cell *cell);
/* All records that there are now, without a swap. */
int smile_histogram_read(struct smile_histogram *h, struct smile *m);
/* smile_swap() and smile_histogram_read(), of one card and of all. */
int smile_collect(struct smile *m, struct smile_histogram *h);
int smile_collect_all(struct smile_set *set, struct smile_histogram *h);

uint64_t smile_histogram_get(const struct smile_histogram *h, uint64_t unit, unsigned source, unsigned destination);
uint64_t smile_histogram_total(const struct smile_histogram *h);
unsigned smile_histogram_unit_words(const struct smile_histogram *h);
/* What was added: records of the range table by why they left it (SMR_RECORD_REPLACED, _OVERFLOW, _DEMAND), and losses. */
uint64_t smile_histogram_records(const struct smile_histogram *h, unsigned why);
uint64_t smile_histogram_lost(const struct smile_histogram *h);
/*
 * All cells with a count, by unit, source, destination; or the largest counts first. The array is the caller's to free();
 * NULL: ENOMEM, or there are none (errno 0).
 */
struct smile_cell *smile_histogram_cells(const struct smile_histogram *h, size_t *count);
struct smile_cell *smile_histogram_hottest(const struct smile_histogram *h, size_t *count);
/*
 * CSV: comments with # (what `smile advise` needs: unit, nodes, pages, records, lost), a line of names, then a line for each
 * cell: offset,page,source,destination,count. offset: bytes in the window. sci: NULL if there is none at hand.
 */
int smile_histogram_write(const struct smile_histogram *h, FILE *to, const struct sci *sci);

/* --- named data structures, counted by the static design --- */

/*
 * A structure is a part of the window. Each page that it touches takes an event and a counter, so there is room for 16 parts of
 * pages in a monitor. Counts are sums over the pages of a structure. Where two structures overlap, the first one counts. The
 * page table has homes in it: a page that moves is no longer counted until smile_watch_follow(), or smile_watch_program() again.
 */
#define SMILE_EVENT_OF(watch) (0x100u + (watch)) /* as start or stop: an access to that one, which lies in one page */
struct smile_watch {
	const char *name;
	uint64_t offset, bytes; /* in the window; widened to whole words of 4 bytes */
	uint32_t filter;        /* SMR_FILTER_*; 0: SMILE_SENT */
	uint32_t start, stop;   /* event that starts and stops its counters: 16 the timer's, 17 to 31 global ones, SMILE_EVENT_OF;
				   SMILE_NO_EVENT: it counts from the beginning, and does not stop */
	/* what smile_watch_program() has taken */
	uint32_t first, count;  /* counters (and events, and pages of the page table) */
};

/* ENOSPC: more than 16 parts of pages; EINVAL: beyond the window, or no such event. The static design must be loaded. */
int smile_watch_program(struct smile *m, const struct sci *sci, struct smile_watch *watches, size_t count);
/*
 * So many pages from `first` on have these homes now, or are about to: what was counted stays, and what comes is counted. The
 * watches are those of smile_watch_program().
 */
int smile_watch_follow(struct smile *m, const struct smile_watch *watches, size_t count, uint32_t first, uint32_t moved, const uint8_t *homes);
/* A structure's count out of what smile_get_counters() gave. */
uint64_t smile_watch_count(const struct smile_watch *watch, const struct smile_counters *counters);

/* --- names of what a program has in the window --- */

/*
 * The window is a device's memory, so no symbol of a program lies in it. A program tells what it has put where, and `smile
 * --names FILE` says `keys` where it would say 0x4000.
 */
#define SMILE_NAMES "SMILE_NAMES" /* in the environment: the file; `smile run --names FILE` sets it */
struct smile_name {
	const char *name; /* printable ASCII without , = # " and not with a blank at an end */
	uint64_t offset, bytes;
};
/*
 * Writes all names, as lines name,offset,bytes; the file is there when it is whole. NULL: into the file that SMILE_NAMES says; with
 * no such variable nothing is written. EINVAL: no such name is legal, or a structure holds nothing.
 */
int smile_names_write(const char *file, const struct smile_name *names, size_t count);

/* --- a timeline: a program's own events beside those of the driver and the monitors --- */

/*
 * `smile timeline -- PROGRAM` records one; elsewhere these do nothing. A thread's phases may lie within each other: each begin has its
 * end. The library's own calls of the drivers are in the timeline without doing anything for it.
 */
#define SMILE_TIMELINE "SMILE_TIMELINE" /* in the environment: a trace_marker of the kernel's trace */
void smile_begin(const char *phase);
void smile_end(void);
void smile_value(const char *what, uint64_t value); /* a curve's value from now on */

#ifdef __cplusplus
}
#endif
#endif
