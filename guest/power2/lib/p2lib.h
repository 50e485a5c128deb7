/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * p2lib - a program's use of the POWER2 performance monitor (C and C++).
 *
 *   struct p2_session p2 = P2_CLOSED;              segments of one's own code
 *   p2_count_me(&p2, "cycles,instructions", P2_USER_ONLY);
 *   p2_enable(&p2);                                /dev/power2 counts from here ...
 *   multiply(a, b);
 *   p2_disable(&p2);                               ... to here; again as often as one likes
 *   p2_print(&p2, stderr);                         or: p2_count(&p2, "cycles")
 *   p2_end(&p2);
 *
 *   p2_hook_here(&p2, 7, row, 0);                  a record in the log, with the counters as they are there
 *   p2_mark_process(&p2, pid, 0);                  MSR(PM) of a process and its children (x86: the monitor's own mark)
 *   p2_watch_segment(&p2, file, entry, exits, n);  enabled at an instruction, disabled by a trap at each exit; n is 0: at the function's return
 *
 * Names and MMCR. An event is a counter of a unit while MMCR selects one of the unit's groups. What is named together in p2_choose()
 * may need several values of MMCR, "sets": the driver takes turns (multiplexing), and counts are scaled by the cycle counter, which counts in
 * every turn: not by time, of which a busy host takes any share. How many of the cycles an event was counted is part of each value.
 *
 * Functions return 0, or -1 with errno set, unless they say something else. A session that is closed (P2_CLOSED) refuses with EBADF: a
 * program that does not look at what they return runs without a monitor as well.
 */
#ifndef PERFBOARD_P2LIB_H
#define PERFBOARD_P2LIB_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../regs.h"
#include "../uapi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define P2_DEVICE "/dev/power2"

/* --- events --- */

enum { P2_UNIT_FPU, P2_UNIT_FXU, P2_UNIT_ICU, P2_UNIT_SCU, P2_UNIT_SGA, P2_UNIT_ALWAYS };

/* A row of guest/power2/events.h. An event may stand in several rows: then each of them counts the same. */
struct p2_event {
	const char *name;
	unsigned char unit;    /* P2_UNIT_* */
	unsigned char group;   /* 0 ... 15; P2_UNIT_SGA and P2_UNIT_ALWAYS: 0 */
	unsigned char counter; /* of the 22, as in regs.h */
	const char *text;      /* its definition */
};

extern const struct p2_event p2_events[];
extern const size_t p2_event_count;

/* What the literature calls an event as well. */
struct p2_alias {
	const char *other, *name;
};
extern const struct p2_alias p2_aliases[]; /* the last one has no name */
extern const char *const p2_group_titles[P2_UNITS][P2_GROUPS];

extern const char *const p2_unit_names[]; /* by P2_UNIT_*: fpu fxu icu scu sga always */

const char *p2_event_name(const char *name); /* of an alias the event's own; else as it was */
const struct p2_event *p2_find_event(const char *name); /* its first row; NULL: there is no such event */
/* What a counter counts while MMCR is so; NULL: the group has no event there. */
const struct p2_event *p2_event_at(uint32_t mmcr, unsigned counter);
/* The counter that counts the event while MMCR is so; -1: none. */
int p2_counter_of(uint32_t mmcr, const char *name);

/*
 * The fewest sets in which each of the events is counted. control: bits DIS to DMR of MMCR, which all sets get. Returns how many there are;
 * 0: errno is EINVAL (no such event; *wrong is its number), or E2BIG (more than `most` sets).
 */
size_t p2_choose(const char *const *names, size_t count, uint32_t control, struct p2_set *sets, size_t most, size_t *wrong);

/* --- sessions --- */

struct p2_session {
	int fd; /* -1: closed */
	struct p2_info info;
	unsigned sets; /* as chosen, or as the caller filled them in */
	struct p2_set set[P2_MOST_SETS];
};
#define P2_CLOSED { .fd = -1 }

/* Which of MSR(PR)'s states count: into MMCR's DP and DU. */
#define P2_USER_ONLY 1u
#define P2_KERNEL_ONLY 2u
uint32_t p2_control(unsigned which);

int p2_connect(struct p2_session *s, const char *device); /* NULL: P2_DEVICE; idle so far */
/* Names with commas between them become the session's sets. EINVAL, E2BIG: as p2_choose(). */
int p2_select(struct p2_session *s, const char *names, unsigned which);
/* P2_IOC_OPEN. how->set 0: the session's sets; else they become it. period_ns 0 with several sets: P2_PERIOD_NS. */
int p2_begin(struct p2_session *s, struct p2_open *how);
#define P2_PERIOD_NS 4000000u
/* Instead of it: the session that another has left (P2_KEEP), with its sets. keep: it is left again by p2_end(). how may be NULL. */
int p2_take(struct p2_session *s, int keep, struct p2_open *how);
void p2_end(struct p2_session *s);

/* All three for the caller: private counters, not yet enabled. */
int p2_count_me(struct p2_session *s, const char *names, unsigned which);

int p2_enable(const struct p2_session *s);
int p2_disable(const struct p2_session *s);
int p2_reset(const struct p2_session *s);

/* Everything that was counted so far. cpu -1: of all processors together. */
struct p2_counts {
	struct p2_read set[P2_MOST_SETS];
};
int p2_get_counts(const struct p2_session *s, int cpu, struct p2_counts *counts);

struct p2_value {
	double count;      /* scaled to all cycles that the session has counted, in whatever set */
	uint64_t raw;      /* as counted */
	uint64_t all_cycles, cycles; /* of the session; of these, while the event was counted. Less: count is an estimate */
	uint64_t enabled_ns, running_ns;
};
/*
 * An event out of counts, or of the difference of two (before may be NULL). ENOENT: no set counts it; ENODATA: there was no cycle in which it was
 * counted. All sets are to have the same bits DIS to DMR: their cycles are added.
 */
int p2_value_of(const struct p2_session *s, const struct p2_counts *before, const struct p2_counts *now, const char *name,
		struct p2_value *value);
/* An event's count so far, rounded; 0 if there is none. */
uint64_t p2_count(const struct p2_session *s, const char *name);
/* A line for each event of the session. */
int p2_print(const struct p2_session *s, FILE *to);

/* --- places in programs, and processes --- */

int p2_hook_here(const struct p2_session *s, unsigned id, uint64_t data0, uint64_t data1);
int p2_mark_process(const struct p2_session *s, int pid, uint32_t flags); /* 0: the caller; P2_ALONE, P2_MARK_OFF */
int p2_watch_segment(const struct p2_session *s, int file, uint64_t entry, const uint64_t *exits, size_t count); /* CAP_PERFMON */
int p2_spe(const struct p2_session *s, int on); /* the same */
/* P2_IOC_RULES: which hooks record in this session, which is not enabled yet. */
int p2_set_rules(const struct p2_session *s, const struct p2_rule *rules, size_t count);
/* Records of the log, up to `most`; 0: there are none now. Does not wait if the descriptor is set so (O_NONBLOCK). */
ptrdiff_t p2_read_log(const struct p2_session *s, struct p2_record *records, size_t most);

#ifdef __cplusplus
}
#endif
#endif
