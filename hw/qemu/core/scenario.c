/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/notify.h"
#include "migration/vmstate.h"
#include "system/system.h"

#include "hw/core/host.h"
#include "hw/qemu/core/inject.h"
#include "hw/qemu/core/inspect.h"
#include "hw/qemu/core/scenario.h"
#include "hw/qemu/core/scenario_file.h"
#include "hw/qemu/core/scenario_left.h"
#include "hw/qemu/core/time.h"

typedef struct Schedule {
    PbScenarioPart *part;
    guint next; /* line to be done */
    PbTimer timer;
    uint64_t from; /* what the times count from; PB_NEVER: it has not come */
    PbGlue *board; /* whose access is awaited; NULL: none is */
    PbInspectAwait *await;
} Schedule;

enum { MOST_SCHEDULES = 1 + PB_SCENARIO_AFTER };

static struct {
    const char *file;
    const char *unreached; /* file for what is not done; NULL: stderr */
    Schedule schedule[MOST_SCHEDULES];
    guint count; /* 0: no scenario */
    /* Only in a snapshot, of each schedule: lines of earlier times have been done; what it counts from. */
    uint64_t done_before, done_after[PB_SCENARIO_AFTER], from[PB_SCENARIO_AFTER];
} scenario;

static PbScenarioLine *line(const Schedule *s, guint i)
{
    return &g_array_index(s->part->lines, PbScenarioLine, i);
}

static bool ended(const Schedule *s)
{
    return s->next == s->part->lines->len;
}

static uint64_t next_time(const Schedule *s)
{
    return s->from == PB_NEVER || ended(s) ? PB_NEVER : s->from + line(s, s->next)->ns;
}

bool pb_scenario_read(const char *file, const char *unreached)
{
    GArray *parts = file ? pb_scenario_file(file) : NULL;

    scenario.file = g_strdup(file);
    scenario.unreached = g_strdup(unreached);
    scenario.count = parts ? parts->len : 0;
    for (guint i = 0; i < scenario.count; i++) {
        scenario.schedule[i] = (Schedule){ .part = &g_array_index(parts, PbScenarioPart, i), .from = i ? PB_NEVER : 0 };
    }
    return !file || parts;
}

/* --- devices --------------------------------------------------------------------------- */

static bool complete_line(PbScenarioLine *l)
{
    Error *why = NULL;

    l->board = pb_scenario_board(scenario.file, l->number, l->words[1]);
    if (!l->board) {
        return false;
    }
    l->injection = pb_injection_find(l->board, l->words[2]);
    if (!l->injection) {
        return pb_scenario_refuse(scenario.file, l->number, "property '%s': %s has no such error on purpose; -plugin perfboard.so,help lists them", l->words[2],
                      object_get_typename(l->board));
    }
    if (!pb_injection_parse(l->injection, l->words[3], &l->value, &why)) {
        pb_scenario_refuse(scenario.file, l->number, "%s", error_get_pretty(why));
        error_free(why);
        return false;
    }
    return true;
}

/* --- time ------------------------------------------------------------------------------ */

static void arm(Schedule *s)
{
    pb_timer_set(&s->timer, next_time(s));
}

static void due(void *opaque)
{
    Schedule *s = opaque;
    uint64_t now = pb_time_now();

    if (s->await) {
        pb_glue_await_on(s->board, s->await, false);
    }
    while (next_time(s) <= now) {
        PbScenarioLine *l = line(s, s->next++);
        pb_injection_set(l->board, l->injection, l->value);
    }
    arm(s);
}

/* In the thread that makes the access, perhaps in a plugin's callback. The timer's thread does the rest. */
static void come(void *opaque, uint64_t ns)
{
    Schedule *s = opaque;

    qatomic_set(&s->from, ns);
    pb_timer_set(&s->timer, ns);
}

static bool complete(Schedule *s)
{
    PbScenarioPart *p = s->part;
    Error *why = NULL;

    pb_timer_init(&s->timer, due, s);
    if (p->after) {
        Object *board = pb_scenario_board(scenario.file, p->number, p->after[0]);
        if (!board) {
            return false;
        }
        if (!pb_injection_find(board, "inject-gone")) { /* which every board has */
            return pb_scenario_refuse(scenario.file, p->number, "device '%s': %s is no board", p->after[0], object_get_typename(board));
        }
        s->board = pb_inject_glue(board);
        s->await = pb_glue_await(s->board, p->after[1], come, s, &why);
        if (!s->await) {
            pb_scenario_refuse(scenario.file, p->number, "%s", error_get_pretty(why));
            error_free(why);
            return false;
        }
    }
    for (guint i = 0; i < p->lines->len; i++) {
        if (!complete_line(line(s, i))) {
            return false;
        }
    }
    arm(s);
    return true;
}

/* --- snapshots ------------------------------------------------------------------------- */

/* A line that waits for its timer has not been done. */
static uint64_t done_before(const Schedule *s)
{
    return MIN(next_time(s), pb_time_now() + 1);
}

/* Without a scenario all is done up to now, and nothing that a time could count from has come: one that the snapshot is loaded with goes on
 * from there. */
static int scenario_pre_save(void *unused)
{
    scenario.done_before = scenario.count ? done_before(&scenario.schedule[0]) : pb_time_now() + 1;
    for (guint i = 1; i < MOST_SCHEDULES; i++) {
        const Schedule *s = &scenario.schedule[i];
        scenario.from[i - 1] = i < scenario.count ? s->from : PB_NEVER;
        scenario.done_after[i - 1] = i < scenario.count ? done_before(s) : 0;
    }
    return 0;
}

/* One of an earlier version has no `after`. */
static int scenario_pre_load(void *unused)
{
    for (guint i = 0; i < PB_SCENARIO_AFTER; i++) {
        scenario.from[i] = PB_NEVER;
    }
    return 0;
}

static void go_on(Schedule *s, uint64_t from, uint64_t done)
{
    s->from = from;
    s->next = 0;
    while (next_time(s) < done) {
        s->next++;
    }
    if (s->await) {
        pb_glue_await_on(s->board, s->await, from == PB_NEVER);
    }
    arm(s);
}

static int scenario_post_load(void *unused, int version)
{
    for (guint i = 0; i < scenario.count; i++) {
        go_on(&scenario.schedule[i], i ? scenario.from[i - 1] : 0, i ? scenario.done_after[i - 1] : scenario.done_before);
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
        VMSTATE_UINT64(done_before, typeof(scenario)),
        VMSTATE_UINT64_ARRAY_V(done_after, typeof(scenario), PB_SCENARIO_AFTER, 2),
        VMSTATE_UINT64_ARRAY_V(from, typeof(scenario), PB_SCENARIO_AFTER, 2),
        VMSTATE_END_OF_LIST()
    }
};

static void tell_left(FILE *to, const char *prefix)
{
    for (guint i = 0; i < scenario.count; i++) {
        const Schedule *s = &scenario.schedule[i];
        pb_scenario_left(s->part, s->from, s->next, scenario.file, to, prefix);
    }
}

static void machine_complete(Notifier *notifier, void *unused)
{
    vmstate_register(NULL, 0, &vmstate_scenario, &scenario);
    for (guint i = 0; i < scenario.count; i++) {
        if (!complete(&scenario.schedule[i])) {
            exit(1);
        }
    }
    if (scenario.count) {
        pb_scenario_at_end(scenario.unreached, tell_left);
    }
}

void pb_scenario_start(void)
{
    static Notifier at_start = { .notify = machine_complete };

    qemu_add_machine_init_done_notifier(&at_start);
}
