/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which values of MMCR count the events that somebody names. */
#include <errno.h>
#include <string.h>

#include "p2lib.h"

#define MOST_NAMES 512
#define WORDS (MOST_NAMES / 64)

/* A set of the events that are wanted, by their place among them. */
struct names {
	uint64_t bits[WORDS];
};

static void add(struct names *to, size_t i) { to->bits[i / 64] |= 1ull << i % 64; }
static int has(const struct names *n, size_t i) { return n->bits[i / 64] >> i % 64 & 1; }

static void join(struct names *to, const struct names *from)
{
	for (unsigned w = 0; w < WORDS; w++)
		to->bits[w] |= from->bits[w];
}

/* Where the wanted events are counted. */
struct places {
	struct names group[P2_UNITS][P2_GROUPS], sga, always;
	uint16_t groups[MOST_NAMES][P2_UNITS]; /* by event: bits of the groups that count it */
};

static void find_places(struct places *p, const char *const *names, size_t count)
{
	memset(p, 0, sizeof(*p));
	for (size_t e = 0; e < p2_event_count; e++)
		for (size_t i = 0; i < count; i++) {
			const struct p2_event *event = &p2_events[e];

			if (strcmp(event->name, p2_event_name(names[i])))
				continue;
			if (event->unit == P2_UNIT_ALWAYS)
				add(&p->always, i);
			else if (event->unit == P2_UNIT_SGA)
				add(&p->sga, i);
			else {
				add(&p->group[event->unit][event->group], i);
				p->groups[i][event->unit] |= (uint16_t)(1u << event->group);
			}
		}
}

/* Groups of each unit, as bits. */
struct plan {
	unsigned groups[P2_UNITS];
	int sga;
};

static size_t sets_of(const struct plan *plan)
{
	int most = 0;

	for (unsigned u = 0; u < P2_UNITS; u++)
		if (__builtin_popcount(plan->groups[u]) > most)
			most = __builtin_popcount(plan->groups[u]);
	return (size_t)most + (plan->sga ? 1 : 0);
}

/*
 * Groups for all that is not yet counted, at most `room` of each unit. First the event with the fewest places left: there the fewest can
 * be wrong. The budget ends a search that would take long; with more room there is an answer soon.
 */
static int search(struct plan *plan, const struct places *p, size_t count, struct names counted, int room, unsigned *budget)
{
	size_t event = count;
	int fewest = P2_UNITS * P2_GROUPS + 1;

	if (!*budget)
		return 0;
	--*budget;
	for (size_t i = 0; i < count; i++) {
		int places = 0;

		if (has(&counted, i))
			continue;
		for (unsigned u = 0; u < P2_UNITS; u++)
			if (__builtin_popcount(plan->groups[u]) < room)
				places += __builtin_popcount(p->groups[i][u]);
		if (places < fewest) {
			fewest = places;
			event = i;
		}
	}
	if (event == count)
		return 1;
	for (unsigned g = 0; g < P2_GROUPS; g++) /* low numbers first: their groups need no model of memory */
		for (unsigned u = 0; u < P2_UNITS; u++) {
			struct names more = counted;

			if (!(p->groups[event][u] >> g & 1) || __builtin_popcount(plan->groups[u]) >= room)
				continue;
			join(&more, &p->group[u][g]);
			plan->groups[u] |= 1u << g;
			if (search(plan, p, count, more, room, budget))
				return 1;
			plan->groups[u] &= ~(1u << g);
		}
	return 0;
}

/* Whether every event has a place; if so, in as few sets as are found. */
static int make_plan(struct plan *plan, const struct places *p, size_t count, int sga)
{
	struct names counted = p->always;

	if (sga)
		join(&counted, &p->sga);
	for (int room = 0; room <= P2_GROUPS; room++) {
		unsigned budget = 20000;

		memset(plan, 0, sizeof(*plan));
		plan->sga = sga;
		if (search(plan, p, count, counted, room, &budget))
			return 1;
	}
	return 0;
}

/* Group number `i` of the unit's, round and round: a unit with few groups is counted all the time. */
static unsigned group_of(unsigned groups, size_t i)
{
	if (!groups)
		return 0;
	for (i %= (size_t)__builtin_popcount(groups); i; i--)
		groups &= groups - 1;
	return (unsigned)__builtin_ctz(groups);
}

size_t p2_choose(const char *const *names, size_t count, uint32_t control, struct p2_set *sets, size_t most, size_t *wrong)
{
	struct places places;
	struct plan plain, with_sga;
	const struct plan *plan;
	size_t n, groups;

	for (size_t i = 0; i < count; i++)
		if (!p2_find_event(names[i])) {
			if (wrong)
				*wrong = i;
			errno = EINVAL;
			return 0;
		}
	if (wrong)
		*wrong = count;
	if (!count || count > MOST_NAMES) {
		errno = count ? E2BIG : EINVAL;
		return 0;
	}
	find_places(&places, names, count);
	plan = make_plan(&plain, &places, count, 0) ? &plain : NULL;
	if (make_plan(&with_sga, &places, count, 1) && (!plan || sets_of(&with_sga) < sets_of(plan)))
		plan = &with_sga;
	n = sets_of(plan);
	if (!n)
		n = 1; /* counters that count always */
	if (n > most) {
		errno = E2BIG;
		return 0;
	}
	groups = n - (plan->sga ? 1 : 0);
	for (size_t i = 0; i < n; i++) {
		sets[i].imr = 0;
		sets[i].mmcr = control;
		if (i == groups)
			sets[i].mmcr |= P2_MMCR_SGA;
		else
			sets[i].mmcr |= P2_MMCR_FPU(group_of(plan->groups[P2_UNIT_FPU], i)) |
					P2_MMCR_FXU(group_of(plan->groups[P2_UNIT_FXU], i)) |
					P2_MMCR_ICU(group_of(plan->groups[P2_UNIT_ICU], i)) |
					P2_MMCR_SCU(group_of(plan->groups[P2_UNIT_SCU], i));
	}
	return n;
}
