/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of a scenario: how far it is. */
#include "qemu/osdep.h"
#include "migration/vmstate.h"

#include "hw/core/host.h"
#include "hw/qemu/core/inspect.h"
#include "hw/qemu/core/scenario_state.h"

/* A line that waits for its timer has not been done. */
static uint64_t done_before(const PbSchedule *s)
{
    return MIN(pb_scenario_next(s), pb_time_now() + 1);
}

/* Without a scenario all is done up to now, and nothing that a time could count from has come: one that the snapshot is loaded with goes on
 * from there. */
static int scenario_pre_save(void *unused)
{
    pb_scenario.done_before = pb_scenario.count ? done_before(&pb_scenario.schedule[0]) : pb_time_now() + 1;
    for (guint i = 1; i < PB_MOST_SCHEDULES; i++) {
        const PbSchedule *s = &pb_scenario.schedule[i];
        pb_scenario.from[i - 1] = i < pb_scenario.count ? s->from : PB_NEVER;
        pb_scenario.done_after[i - 1] = i < pb_scenario.count ? done_before(s) : 0;
    }
    return 0;
}

/* One of an earlier version has no `after`. */
static int scenario_pre_load(void *unused)
{
    for (guint i = 0; i < PB_SCENARIO_AFTER; i++) {
        pb_scenario.from[i] = PB_NEVER;
    }
    return 0;
}

static void go_on(PbSchedule *s, uint64_t from, uint64_t done)
{
    s->from = from;
    s->next = 0;
    while (pb_scenario_next(s) < done) {
        s->next++;
    }
    if (s->await) {
        pb_glue_await_on(s->board, s->await, from == PB_NEVER);
    }
    pb_scenario_arm(s);
}

static int scenario_post_load(void *unused, int version)
{
    for (guint i = 0; i < pb_scenario.count; i++) {
        go_on(&pb_scenario.schedule[i], i ? pb_scenario.from[i - 1] : 0, i ? pb_scenario.done_after[i - 1] : pb_scenario.done_before);
    }
    return 0;
}

static const VMStateDescription vmstate_scenario = {
    .name = "perfboard-scenario",
    .version_id = 2,
    .minimum_version_id = 1,
    .pre_save = scenario_pre_save,
    .pre_load = scenario_pre_load,
    .post_load = scenario_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(done_before, PbScenarioState),
        VMSTATE_UINT64_ARRAY_V(done_after, PbScenarioState, PB_SCENARIO_AFTER, 2),
        VMSTATE_UINT64_ARRAY_V(from, PbScenarioState, PB_SCENARIO_AFTER, 2),
        VMSTATE_END_OF_LIST()
    }
};

void pb_scenario_snapshots(void)
{
    vmstate_register(NULL, 0, &vmstate_scenario, &pb_scenario);
}
