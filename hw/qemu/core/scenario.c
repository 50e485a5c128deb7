/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/notify.h"
#include "hw/qdev-core.h"
#include "migration/vmstate.h"
#include "system/system.h"

#include "hw/core/host.h"
#include "hw/qemu/core/boards.h"
#include "hw/qemu/core/inject.h"
#include "hw/qemu/core/scenario.h"
#include "hw/qemu/core/scenario_file.h"
#include "hw/qemu/core/time.h"

static struct {
    const char *file;
    GArray *lines; /* PbScenarioLine, in order of time; NULL: no scenario */
    guint next;    /* to be done */
    PbTimer timer;
    uint64_t done_before; /* lines of earlier times have been done; only in a snapshot */
} scenario;

static PbScenarioLine *line(guint i)
{
    return &g_array_index(scenario.lines, PbScenarioLine, i);
}

bool pb_scenario_read(const char *file)
{
    scenario.file = g_strdup(file);
    scenario.lines = file ? pb_scenario_file(file) : NULL;
    return !file || scenario.lines;
}

/* --- devices --------------------------------------------------------------------------- */

static const char *device_of(const char *name)
{
    for (size_t i = 0; i < pb_board_count; i++) {
        if (!strcmp(pb_boards[i].name, name)) {
            return pb_boards[i].device;
        }
    }
    return name;
}

static bool find_board(PbScenarioLine *l)
{
    const char *name = l->words[1], *device = device_of(name);
    bool ambiguous = false;

    l->board = object_resolve_path_component(machine_get_container("peripheral"), name);
    if (!l->board && object_class_by_name(device)) {
        l->board = object_resolve_path_type("", device, &ambiguous);
    }
    if (ambiguous) {
        return pb_scenario_refuse(scenario.file, l->number, "device '%s': the machine has several; give each an id= and name that", name);
    }
    return l->board || pb_scenario_refuse(scenario.file, l->number, "device '%s': the machine has no device with this id, and no board of this name", name);
}

static bool complete_line(PbScenarioLine *l)
{
    Error *why = NULL;

    if (!find_board(l)) {
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

static void arm(void)
{
    pb_timer_set(&scenario.timer, scenario.next < scenario.lines->len ? line(scenario.next)->ns : PB_NEVER);
}

static void due(void *unused)
{
    uint64_t now = pb_time_now();

    while (scenario.next < scenario.lines->len && line(scenario.next)->ns <= now) {
        PbScenarioLine *l = line(scenario.next++);
        pb_injection_set(l->board, l->injection, l->value);
    }
    arm();
}

/* Without a scenario all is done up to now: one that the snapshot is loaded with goes on from there. But a line that waits for
 * its timer has not been done. */
static int scenario_pre_save(void *unused)
{
    uint64_t now = pb_time_now();
    bool waits = scenario.lines && scenario.next < scenario.lines->len && line(scenario.next)->ns <= now;

    scenario.done_before = waits ? line(scenario.next)->ns : now + 1;
    return 0;
}

static int scenario_post_load(void *unused, int version)
{
    if (scenario.lines) {
        for (scenario.next = 0; scenario.next < scenario.lines->len && line(scenario.next)->ns < scenario.done_before;) {
            scenario.next++;
        }
        arm();
    }
    return 0;
}

static const VMStateDescription vmstate_scenario = {
    .name = "perfboard-scenario",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = scenario_pre_save,
    .post_load = scenario_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(done_before, typeof(scenario)),
        VMSTATE_END_OF_LIST()
    }
};

static void machine_complete(Notifier *notifier, void *unused)
{
    vmstate_register(NULL, 0, &vmstate_scenario, &scenario);
    if (!scenario.lines) {
        return;
    }
    for (guint i = 0; i < scenario.lines->len; i++) {
        if (!complete_line(line(i))) {
            exit(1);
        }
    }
    pb_timer_init(&scenario.timer, due, NULL);
    arm();
}

void pb_scenario_start(void)
{
    static Notifier at_start = { .notify = machine_complete };

    qemu_add_machine_init_done_notifier(&at_start);
}
