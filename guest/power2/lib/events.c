/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the monitor, as guest/power2/events.h has them. */
#include "p2lib.h"

#include "../events.h"

#define ROW(name_, unit_, group_, counter_, text_) \
	{ #name_, unit_, group_, (unit_) < P2_UNIT_SGA ? P2_UNIT_COUNTERS * (unit_) + (counter_) : (counter_), text_ },
const struct p2_event p2_events[] = { P2_EVENTS(ROW) };
const size_t p2_event_count = sizeof(p2_events) / sizeof(p2_events[0]);

#define ALIAS(other_, name_) { #other_, #name_ },
const struct p2_alias p2_aliases[] = { P2_EVENT_ALIASES(ALIAS) { NULL, NULL } };

#define TITLE(unit_, group_, title_) [unit_][group_] = title_,
const char *const p2_group_titles[P2_UNITS][P2_GROUPS] = { P2_GROUP_TITLES(TITLE) };
