/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How far the scenario is: shared by what does it (scenario.c) and its snapshot description (scenario_vmstate.c). */
#ifndef PERFBOARD_QEMU_CORE_SCENARIO_STATE_H
#define PERFBOARD_QEMU_CORE_SCENARIO_STATE_H

#include "hw/qemu/core/host_glue.h"
#include "hw/qemu/core/scenario_file.h"

typedef struct PbSchedule {
    PbScenarioPart *part;
    guint next; /* line to be done */
    PbTimer timer;
    uint64_t from; /* what the times count from; PB_NEVER: it has not come */
    PbGlue *board; /* whose access is awaited; NULL: none is */
    struct PbInspectAwait *await;
} PbSchedule;

enum { PB_MOST_SCHEDULES = 1 + PB_SCENARIO_AFTER };

typedef struct PbScenarioState {
    const char *file;
    const char *unreached; /* file for what is not done; NULL: stderr */
    PbSchedule schedule[PB_MOST_SCHEDULES];
    guint count; /* 0: no scenario */
    /* Only in a snapshot, of each schedule: lines of earlier times have been done; what it counts from. */
    uint64_t done_before, done_after[PB_SCENARIO_AFTER], from[PB_SCENARIO_AFTER];
} PbScenarioState;

extern PbScenarioState pb_scenario;

uint64_t pb_scenario_next(const PbSchedule *s); /* when its next line is to be done; PB_NEVER: there is none */
void pb_scenario_arm(PbSchedule *s);            /* for that */
void pb_scenario_snapshots(void);

#endif
