/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How far a scenario is: what a snapshot holds of it, and what of it was not done when the machine ends. */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/core/faults/scenario.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/series/insides.h"

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
    vmstate_register(NULL, 0, pb_vmstate(&vmstate_scenario), &pb_scenario);
}

/* --- what was not done ---------------------------------------------------------------- */

static void tell_part(const PbSchedule *s, FILE *to, const char *prefix)
{
    const PbScenarioPart *part = s->part;
    const char *file = pb_scenario.file;
    const uint64_t now = pb_time_now(), second = 1000000000;

    if (s->from == PB_NEVER) {
        fprintf(to, "%s%s:%u: 'after %s %s': it never came, and what stands below it was not done\n", prefix, file, part->number, part->after[0],
                part->after[1]);
        return;
    }
    for (guint n = 0; n < part->lines->len; n++) {
        const PbScenarioLine *l = &g_array_index(part->lines, PbScenarioLine, n);
        g_autofree char *words = g_strjoinv(" ", l->words);
        uint64_t due = s->from + l->ns;
        if (n >= s->next) {
            fprintf(to, "%s%s:%u: '%s': not done: its time was %" PRIu64 ".%09" PRIu64 " s, and the machine ended at %" PRIu64 ".%09" PRIu64 " s\n",
                    prefix, file, l->number, words, due / second, due % second, now / second, now % second);
        } else if (l->missed) {
            fprintf(to, "%s%s:%u: '%s': not done: the device had been unplugged at its time, %" PRIu64 ".%09" PRIu64 " s\n", prefix, file,
                    l->number, words, due / second, due % second);
        }
    }
}

static void tell_left(FILE *to, const char *prefix)
{
    for (guint i = 0; i < pb_scenario.count; i++) {
        tell_part(&pb_scenario.schedule[i], to, prefix);
    }
}

static void machine_ends(Notifier *notifier, void *unused)
{
    static bool told;
    FILE *to;

    if (told || replay_mode == REPLAY_MODE_PLAY) {
        return;
    }
    told = true;
    if (!pb_scenario.unreached) {
        tell_left(stderr, "perfboard: ");
        return;
    }
    to = fopen(pb_scenario.unreached, "w");
    if (to) {
        tell_left(to, "");
    }
    if (!to || fclose(to)) {
        fprintf(stderr, "perfboard: unreached=%s: %s\n", pb_scenario.unreached, strerror(errno));
    }
}

void pb_scenario_at_end(void)
{
    static Notifier notifier = { .notify = machine_ends };

    qemu_register_shutdown_notifier(&notifier);
}
