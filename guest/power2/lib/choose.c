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

static int covers(const struct names *all, const struct names *part)
{
	uint64_t missing = 0;

	for (unsigned w = 0; w < WORDS; w++)
		missing |= part->bits[w] & ~all->bits[w];
	return !missing;
}

static int any_of(const struct names *n)
{
	const struct names none = { { 0 } };

	return !covers(&none, n);
}

/* Where the wanted events are counted. */
struct places {
	struct names group[P2_UNITS][P2_GROUPS], unit[P2_UNITS], sga, always;
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
				add(&p->unit[event->unit], i);
			}
		}
}

/* Groups of each unit, as bits, and what they count. */
struct plan {
	unsigned groups[P2_UNITS];
	int sga;
	struct names counted;
};

static size_t sets_of(const struct plan *plan)
{
	int most = 0;

	for (unsigned u = 0; u < P2_UNITS; u++)
		if (__builtin_popcount(plan->groups[u]) > most)
			most = __builtin_popcount(plan->groups[u]);
	return (size_t)most + (plan->sga ? 1 : 0);
}

static struct names in_groups(const struct places *p, unsigned unit, unsigned groups)
{
	struct names all = { { 0 } };

	for (unsigned g = 0; g < P2_GROUPS; g++)
		if (groups >> g & 1)
			join(&all, &p->group[unit][g]);
	return all;
}

/* The fewest of the unit's groups, and of these the ones with the lowest numbers, that count all of `wanted`. */
static unsigned fewest_groups(const struct places *p, unsigned unit, const struct names *wanted)
{
	unsigned useful = 0, best = 0;

	if (!any_of(wanted))
		return 0;
	for (unsigned g = 0; g < P2_GROUPS; g++)
		for (unsigned w = 0; w < WORDS; w++)
			if (p->group[unit][g].bits[w] & wanted->bits[w])
				useful |= 1u << g;
	for (unsigned groups = 1; groups < 1u << P2_GROUPS; groups++) {
		struct names counted;

		if (groups & ~useful)
			continue;
		if (best && __builtin_popcount(groups) >= __builtin_popcount(best))
			continue;
		counted = in_groups(p, unit, groups);
		if (covers(&counted, wanted))
			best = groups;
	}
	return best;
}

/* Whether every event has a place. */
static int make_plan(struct plan *plan, const struct places *p, size_t count, int sga)
{
	memset(plan, 0, sizeof(*plan));
	plan->sga = sga;
	plan->counted = p->always;
	if (sga)
		join(&plan->counted, &p->sga);
	/* First what only one unit has; its groups may hold some of the rest. */
	for (unsigned u = 0; u < P2_UNITS; u++) {
		struct names own = { { 0 } };
		struct names counted;

		for (size_t i = 0; i < count; i++) {
			unsigned others = 0;

			for (unsigned v = 0; v < P2_UNITS; v++)
				others += v != u && has(&p->unit[v], i);
			if (has(&p->unit[u], i) && !others && !has(&plan->counted, i))
				add(&own, i);
		}
		plan->groups[u] = fewest_groups(p, u, &own);
		counted = in_groups(p, u, plan->groups[u]);
		join(&plan->counted, &counted);
	}
	for (size_t i = 0; i < count; i++) {
		unsigned unit = P2_UNITS, group = 0;

		if (has(&plan->counted, i))
			continue;
		for (unsigned u = 0; u < P2_UNITS; u++)
			if (has(&p->unit[u], i) &&
			    (unit == P2_UNITS ||
			     __builtin_popcount(plan->groups[u]) < __builtin_popcount(plan->groups[unit])))
				unit = u;
		if (unit == P2_UNITS)
			return 0;
		while (!has(&p->group[unit][group], i))
			group++;
		plan->groups[unit] |= 1u << group;
		join(&plan->counted, &p->group[unit][group]);
	}
	return 1;
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
	plan = &plain;
	if (!make_plan(&plain, &places, count, 0))
		plan = NULL;
	make_plan(&with_sga, &places, count, 1);
	if (!plan || sets_of(&with_sga) < sets_of(plan))
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
