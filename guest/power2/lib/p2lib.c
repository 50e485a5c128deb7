/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "p2lib.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *const p2_unit_names[] = { "fpu", "fxu", "icu", "scu", "sga", "always" };

const char *p2_event_name(const char *name)
{
	for (const struct p2_alias *a = p2_aliases; a->name; a++)
		if (!strcmp(a->other, name))
			return a->name;
	return name;
}

const struct p2_event *p2_find_event(const char *name)
{
	name = p2_event_name(name);
	for (size_t e = 0; e < p2_event_count; e++)
		if (!strcmp(p2_events[e].name, name))
			return &p2_events[e];
	return NULL;
}

/* Whether the row's counter counts its event while MMCR is so. */
static int selected(const struct p2_event *event, uint32_t mmcr)
{
	static const unsigned shift[P2_UNITS] = { 12, 8, 4, 0 };

	if (event->unit == P2_UNIT_ALWAYS)
		return 1;
	if (event->unit == P2_UNIT_SGA || mmcr & P2_MMCR_SGA)
		return event->unit == P2_UNIT_SGA && mmcr & P2_MMCR_SGA;
	return (mmcr >> shift[event->unit] & 15) == event->group;
}

const struct p2_event *p2_event_at(uint32_t mmcr, unsigned counter)
{
	for (size_t e = 0; e < p2_event_count; e++)
		if (p2_events[e].counter == counter && selected(&p2_events[e], mmcr))
			return &p2_events[e];
	return NULL;
}

int p2_counter_of(uint32_t mmcr, const char *name)
{
	name = p2_event_name(name);
	for (size_t e = 0; e < p2_event_count; e++)
		if (!strcmp(p2_events[e].name, name) && selected(&p2_events[e], mmcr))
			return p2_events[e].counter;
	return -1;
}

uint32_t p2_control(unsigned which)
{
	return (which & P2_USER_ONLY ? P2_MMCR_DP : 0) | (which & P2_KERNEL_ONLY ? P2_MMCR_DU : 0);
}

int p2_connect(struct p2_session *s, const char *device)
{
	memset(s, 0, sizeof(*s));
	s->fd = open(device ? device : P2_DEVICE, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return -1;
	if (ioctl(s->fd, P2_IOC_INFO, &s->info)) {
		const int error = errno;

		p2_end(s);
		errno = error;
		return -1;
	}
	return 0;
}

int p2_select(struct p2_session *s, const char *names, unsigned which)
{
	char copy[4096], *rest = copy;
	const char *name[P2_COUNTERS * P2_GROUPS];
	size_t count = 0;

	if (strlen(names) >= sizeof(copy)) {
		errno = E2BIG;
		return -1;
	}
	strcpy(copy, names);
	for (char *word; (word = strsep(&rest, ",")) != NULL;) {
		if (count == sizeof(name) / sizeof(name[0])) {
			errno = E2BIG;
			return -1;
		}
		name[count++] = word;
	}
	s->sets = (unsigned)p2_choose(name, count, p2_control(which), s->set, P2_MOST_SETS, NULL);
	return s->sets ? 0 : -1;
}

int p2_begin(struct p2_session *s, struct p2_open *how)
{
	if (how->set) {
		if (!how->sets || how->sets > P2_MOST_SETS) {
			errno = EINVAL;
			return -1;
		}
		s->sets = how->sets;
		memmove(s->set, (const void *)(uintptr_t)how->set, how->sets * sizeof(s->set[0]));
	}
	how->set = (uintptr_t)s->set;
	how->sets = s->sets;
	if (s->sets > 1 && !how->period_ns)
		how->period_ns = P2_PERIOD_NS;
	return ioctl(s->fd, P2_IOC_OPEN, how);
}

int p2_take(struct p2_session *s, int keep, struct p2_open *how)
{
	struct p2_open left = { .flags = keep ? P2_KEEP : 0, .sets = P2_MOST_SETS, .set = (uintptr_t)s->set };

	if (ioctl(s->fd, P2_IOC_TAKE, &left))
		return -1;
	s->sets = left.sets;
	if (how)
		*how = left;
	return 0;
}

void p2_end(struct p2_session *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int p2_count_me(struct p2_session *s, const char *names, unsigned which)
{
	struct p2_open how = { .scope = P2_PRIVATE, .flags = P2_STOPPED };

	if (p2_connect(s, NULL))
		return -1;
	if (p2_select(s, names, which) || p2_begin(s, &how)) {
		const int error = errno;

		p2_end(s);
		errno = error;
		return -1;
	}
	return 0;
}

int p2_enable(const struct p2_session *s) { return ioctl(s->fd, P2_IOC_ENABLE); }
int p2_disable(const struct p2_session *s) { return ioctl(s->fd, P2_IOC_DISABLE); }
int p2_reset(const struct p2_session *s) { return ioctl(s->fd, P2_IOC_RESET); }

int p2_get_counts(const struct p2_session *s, int cpu, struct p2_counts *counts)
{
	for (unsigned set = 0; set < s->sets; set++) {
		struct p2_read *r = &counts->set[set];

		memset(r, 0, sizeof(*r));
		r->set = set;
		r->cpu = cpu;
		if (ioctl(s->fd, P2_IOC_READ, r))
			return -1;
	}
	return 0;
}

static uint64_t counted(const struct p2_counts *before, const struct p2_counts *now, unsigned set, int counter)
{
	return now->set[set].counter[counter] - (before ? before->set[set].counter[counter] : 0);
}

int p2_value_of(const struct p2_session *s, const struct p2_counts *before, const struct p2_counts *now, const char *name,
		struct p2_value *value)
{
	int found = 0;

	memset(value, 0, sizeof(*value));
	for (unsigned set = 0; set < s->sets; set++) {
		const int counter = p2_counter_of(s->set[set].mmcr, name);
		const struct p2_read *n = &now->set[set], *b = before ? &before->set[set] : NULL;
		const uint64_t cycles = counted(before, now, set, P2_CYCLES);

		if (!set)
			value->enabled_ns = n->enabled_ns - (b ? b->enabled_ns : 0);
		value->all_cycles += cycles;
		if (counter < 0)
			continue;
		found = 1;
		value->raw += counted(before, now, set, counter);
		value->cycles += cycles;
		value->running_ns += n->running_ns - (b ? b->running_ns : 0);
	}
	if (!found) {
		errno = ENOENT;
		return -1;
	}
	if (s->sets == 1)
		value->running_ns = value->enabled_ns;
	value->count = (double)value->raw;
	if (value->cycles == value->all_cycles)
		return 0;
	if (!value->cycles) {
		errno = ENODATA;
		return -1;
	}
	value->count *= (double)value->all_cycles / (double)value->cycles;
	return 0;
}

uint64_t p2_count(const struct p2_session *s, const char *name)
{
	struct p2_counts now;
	struct p2_value value;

	if (p2_get_counts(s, -1, &now) || p2_value_of(s, NULL, &now, name, &value))
		return 0;
	return (uint64_t)(value.count + 0.5);
}

int p2_print(const struct p2_session *s, FILE *to)
{
	struct p2_counts now;

	if (p2_get_counts(s, -1, &now))
		return -1;
	for (size_t e = 0; e < p2_event_count; e++) {
		const struct p2_event *event = &p2_events[e];
		struct p2_value value;

		if (p2_find_event(event->name) != event || p2_value_of(s, NULL, &now, event->name, &value))
			continue;
		fprintf(to, "%18.0f  %s", value.count, event->name);
		if (value.cycles < value.all_cycles)
			fprintf(to, "  (counted %.1f %% of the cycles)",
				100.0 * (double)value.cycles / (double)value.all_cycles);
		fputc('\n', to);
	}
	return ferror(to) ? -1 : 0;
}

/* A call, so that its return address is the hook's place. */
__attribute__((noinline)) int p2_hook_here(const struct p2_session *s, unsigned id, uint64_t data0, uint64_t data1)
{
	const struct p2_hook hook = { .id = id, .data = { data0, data1 }, .link = (uintptr_t)__builtin_return_address(0) };

	return ioctl(s->fd, P2_IOC_HOOK, &hook);
}

int p2_mark_process(const struct p2_session *s, int pid, uint32_t flags)
{
	const struct p2_mark mark = { .pid = pid, .flags = flags };

	return ioctl(s->fd, P2_IOC_MARK, &mark);
}

int p2_watch_segment(const struct p2_session *s, int file, uint64_t entry, const uint64_t *exits, size_t count)
{
	struct p2_segment segment = { .file = file, .exits = (uint32_t)count, .entry = entry };

	if (count > P2_MOST_EXITS) {
		errno = EINVAL;
		return -1;
	}
	if (count)
		memcpy(segment.exit, exits, count * sizeof(exits[0]));
	return ioctl(s->fd, P2_IOC_SEGMENT, &segment);
}

int p2_spe(const struct p2_session *s, int on)
{
	const uint32_t spe = on ? 1 : 0;

	return ioctl(s->fd, P2_IOC_SPE, &spe);
}

int p2_set_rules(const struct p2_session *s, const struct p2_rule *rules, size_t count)
{
	const struct p2_rules all = { .count = (uint32_t)count, .rule = (uintptr_t)rules };

	return ioctl(s->fd, P2_IOC_RULES, &all);
}

ptrdiff_t p2_read_log(const struct p2_session *s, struct p2_record *records, size_t most)
{
	const ptrdiff_t got = read(s->fd, records, most * sizeof(records[0]));

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	return got / (ptrdiff_t)sizeof(records[0]);
}
