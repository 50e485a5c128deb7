/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the monitor, as guest/power2/events.h has them. */
#include "p2lib.h"

#if __has_include("../events.h")
#include "../events.h"
#define ROW(name_, unit_, group_, counter_, text_) \
	{ name_, unit_, group_, unit_ < P2_UNIT_SGA ? 5 * unit_ + counter_ : counter_, text_ },
const struct p2_event p2_events[] = { P2_EVENTS(ROW) };
const size_t p2_event_count = sizeof(p2_events) / sizeof(p2_events[0]);
#else
const struct p2_event p2_events[] = {
	{ "cycles", P2_UNIT_ALWAYS, 0, P2_CYCLES, "cycles of the processor" },
	{ "memory_errors", P2_UNIT_ALWAYS, 0, P2_ERRORS, "correctable memory errors" },
};
const size_t p2_event_count = sizeof(p2_events) / sizeof(p2_events[0]);
#endif
