/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of events of its own: what the tools make of one does not change with the monitor's. */
#include "guest/power2/lib/p2lib.h"

#define FPU(group_, counter_) P2_UNIT_FPU, group_, P2_FPU0 + (counter_)
#define FXU(group_, counter_) P2_UNIT_FXU, group_, P2_FXU0 + (counter_)
#define ICU(group_, counter_) P2_UNIT_ICU, group_, P2_ICU0 + (counter_)
#define SCU(group_, counter_) P2_UNIT_SCU, group_, P2_SCU0 + (counter_)
const struct p2_event p2_events[] = {
	{ "flops", FPU(0, 0), "" },	      { "fp_add", FPU(1, 0), "" },
	{ "shared", FPU(5, 3), "" },	      { "fxu0_instructions", FXU(0, 0), "executed by FXU0" },
	{ "loads", FXU(0, 1), "" },	      { "imr", FXU(13, 0), "" },
	{ "instructions", FXU(13, 1), "" },   { "shared", FXU(2, 0), "" },
	{ "instructions", ICU(0, 0), "" },    { "branches", ICU(0, 1), "" },
	{ "interrupts", ICU(8, 0), "" },      { "shared", ICU(3, 4), "" },
	{ "dcache_mis", SCU(1, 0), "" },      { "dma_rd", SCU(2, 0), "" },
	{ "mem_reads", SCU(5, 0), "" },	      { "latency", SCU(4, 2), "" },
	{ "dcache_mis", P2_UNIT_SGA, 0, 2, "" }, { "dma_rd", P2_UNIT_SGA, 0, 15, "" },
	{ "mem_reads", P2_UNIT_SGA, 0, 17, "" }, { "only_sga", P2_UNIT_SGA, 0, 19, "" },
	{ "cycles", P2_UNIT_ALWAYS, 0, P2_CYCLES, "" }, { "errors", P2_UNIT_ALWAYS, 0, P2_ERRORS, "" },
};
const size_t p2_event_count = sizeof(p2_events) / sizeof(p2_events[0]);
const struct p2_alias p2_aliases[] = { { "fxu0", "fxu0_instructions" }, { NULL, NULL } };
const char *const p2_group_titles[P2_UNITS][P2_GROUPS] = { { "operations" } };
