/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named data structures as events of the static design. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "smilelib.h"

#define PAGE_BYTES ((uint64_t)SCI_PAGE_BYTES)

static int fail(int error)
{
	errno = error;
	return -1;
}

static uint32_t parts_of(const struct smile_watch *w)
{
	return w->bytes ? (uint32_t)((w->offset + w->bytes - 1) / PAGE_BYTES - w->offset / PAGE_BYTES + 1) : 0;
}

/* Numbers of counters and events; refuses what does not fit. */
static int allot(const struct sci *sci, struct smile_watch *watches, size_t count)
{
	uint64_t taken = 0;

	for (struct smile_watch *w = watches; w < watches + count; w++) {
		if (w->offset > sci->bytes || w->bytes > sci->bytes - w->offset)
			return fail(EINVAL);
		w->first = (uint32_t)taken;
		w->count = parts_of(w);
		taken += w->count;
		if (taken > SMR_EVENTS)
			return fail(ENOSPC);
	}
	return 0;
}

/* The event that a start or stop names. */
static int event_of(const struct smile_watch *watches, size_t count, uint32_t named, uint32_t *event)
{
	const size_t of = named - SMILE_EVENT_OF(0);

	*event = named;
	if (named == SMILE_NO_EVENT || (named >= SMR_TIMER_EVENT && named < SMR_ALL_EVENTS))
		return 0;
	if (named < SMILE_EVENT_OF(0) || of >= count || watches[of].count != 1)
		return fail(EINVAL);
	*event = watches[of].first;
	return 0;
}

/* The entry of the page table that has the page. Only the lowest entry of a page ever matches, so each page has one. True: it is a new one. */
static bool entry_of(uint32_t page, uint32_t *pages, uint32_t *used, uint32_t *entry)
{
	for (*entry = 0; *entry < *used; (*entry)++)
		if (pages[*entry] == page)
			return false;
	pages[(*used)++] = page;
	return true;
}

static int page_entry(struct smile *m, const struct sci *sci, uint32_t page, uint32_t *pages, uint32_t *used, uint32_t *entry)
{
	uint8_t home;

	if (!entry_of(page, pages, used, entry))
		return 0;
	if (sci_get_homes(sci, page, 1, &home))
		return -1;
	return smile_set_page(m, *entry, page, home);
}

static int program_part(struct smile *m, const struct smile_watch *w, uint32_t part, uint32_t entry)
{
	const uint64_t page = w->offset / PAGE_BYTES + part, from = page * PAGE_BYTES, end = w->offset + w->bytes;
	const uint64_t low = part ? from : w->offset, high = end < from + PAGE_BYTES ? end : from + PAGE_BYTES;

	return smile_set_event(m, w->first + part, entry, w->filter ? w->filter : SMILE_SENT, (unsigned)((low - from) / 4),
			       (unsigned)((high - from - 1) / 4));
}

/* What an earlier program left in the tables. */
static int clear_tables(struct smile *m)
{
	for (uint32_t i = 0; i < SMR_COUNTERS; i++)
		if (smile_set_counter(m, i, SMILE_NO_EVENT, SMILE_NO_EVENT, SMILE_NO_EVENT))
			return -1;
	for (uint32_t i = 0; i < SMR_EVENTS; i++)
		if (smile_clear_event(m, i))
			return -1;
	for (uint32_t i = 0; i < SMR_PAGES; i++)
		if (smile_clear_page(m, i))
			return -1;
	return 0;
}

int smile_watch_program(struct smile *m, const struct sci *sci, struct smile_watch *watches, size_t count)
{
	uint32_t pages[SMR_EVENTS], used = 0, entry, start, stop;

	if (allot(sci, watches, count))
		return -1;
	for (const struct smile_watch *w = watches; w < watches + count; w++)
		if (event_of(watches, count, w->start, &start) || event_of(watches, count, w->stop, &stop))
			return -1;
	if (clear_tables(m))
		return -1;
	for (const struct smile_watch *w = watches; w < watches + count; w++) {
		event_of(watches, count, w->start, &start);
		event_of(watches, count, w->stop, &stop);
		for (uint32_t part = 0; part < w->count; part++) {
			const uint32_t n = w->first + part;

			if (page_entry(m, sci, (uint32_t)(w->offset / PAGE_BYTES) + part, pages, &used, &entry) ||
			    program_part(m, w, part, entry) ||
			    (start == SMILE_NO_EVENT ? smile_set_active(m, n, stop, n) : smile_set_counter(m, n, start, stop, n)))
				return -1;
		}
	}
	return 0;
}

int smile_watch_follow(struct smile *m, const struct smile_watch *watches, size_t count, uint32_t first, uint32_t moved, const uint8_t *homes)
{
	uint32_t pages[SMR_EVENTS], used = 0, entry;

	for (const struct smile_watch *w = watches; w < watches + count; w++)
		for (uint32_t part = 0; part < w->count; part++) {
			const uint32_t page = (uint32_t)(w->offset / PAGE_BYTES) + part;

			if (entry_of(page, pages, &used, &entry) && page >= first && page - first < moved &&
			    smile_set_page(m, entry, page, homes[page - first]))
				return -1;
		}
	return 0;
}

uint64_t smile_watch_count(const struct smile_watch *watch, const struct smile_counters *counters)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < watch->count; i++)
		sum += counters->value[watch->first + i];
	return sum;
}
