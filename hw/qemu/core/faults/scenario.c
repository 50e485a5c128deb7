/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/faults/inject.h"
#include "hw/qemu/core/faults/scenario.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/time/time.h"

PbScenarioState pb_scenario;

static PbScenarioLine *line(const PbSchedule *s, guint i)
{
    return &g_array_index(s->part->lines, PbScenarioLine, i);
}

static bool ended(const PbSchedule *s)
{
    return s->next == s->part->lines->len;
}

uint64_t pb_scenario_next(const PbSchedule *s)
{
    return s->from == PB_NEVER || ended(s) ? PB_NEVER : s->from + line(s, s->next)->ns;
}

bool pb_scenario_read(const char *file, const char *unreached)
{
    GArray *parts = file ? pb_scenario_file(file) : NULL;

    pb_scenario.file = g_strdup(file);
    pb_scenario.unreached = g_strdup(unreached);
    pb_scenario.count = parts ? parts->len : 0;
    for (guint i = 0; i < pb_scenario.count; i++) {
        pb_scenario.schedule[i] = (PbSchedule){ .part = &g_array_index(parts, PbScenarioPart, i), .from = i ? PB_NEVER : 0 };
    }
    return !file || parts;
}

/* --- devices --------------------------------------------------------------------------- */

static bool complete_line(PbScenarioLine *l)
{
    Error *why = NULL;
    Object *board = pb_scenario_board(pb_scenario.file, l->number, l->words[1]);

    if (!board) {
        return false;
    }
    l->injection = pb_injection_find(board, l->words[2]);
    if (!l->injection) {
        return pb_scenario_refuse(pb_scenario.file, l->number, "property '%s': %s has no such error on purpose; -plugin perfboard.so,help lists them", l->words[2],
                      object_get_typename(board));
    }
    if (!pb_injection_parse(l->injection, l->words[3], &l->value, &why)) {
        pb_scenario_refuse(pb_scenario.file, l->number, "%s", error_get_pretty(why));
        error_free(why);
        return false;
    }
    return true;
}

/* --- time ------------------------------------------------------------------------------ */

void pb_scenario_arm(PbSchedule *s)
{
    pb_timer_set(&s->timer, pb_scenario_next(s));
}

/* A board may have been unplugged, and another one plugged in under its name. */
static void do_line(PbScenarioLine *l)
{
    bool ambiguous;
    Object *board = pb_scenario_find(l->words[1], &ambiguous);

    l->missed = !board || pb_injection_find(board, l->words[2]) != l->injection;
    if (!l->missed) {
        pb_injection_set(board, l->injection, l->value);
    }
}

static void due(void *opaque)
{
    PbSchedule *s = opaque;
    uint64_t now = pb_time_now();

    if (s->await) {
        pb_glue_await_on(s->board, s->await, false);
    }
    while (pb_scenario_next(s) <= now) {
        do_line(line(s, s->next++));
    }
    pb_scenario_arm(s);
}

/* In the thread that makes the access, perhaps in a plugin's callback. The timer's thread does the rest. */
static void come(void *opaque, uint64_t ns)
{
    PbSchedule *s = opaque;

    qatomic_set(&s->from, ns);
    pb_timer_set(&s->timer, ns);
}

static bool complete(PbSchedule *s)
{
    PbScenarioPart *p = s->part;
    Error *why = NULL;

    pb_timer_init(&s->timer, due, s);
    if (p->after) {
        Object *board = pb_scenario_board(pb_scenario.file, p->number, p->after[0]);
        if (!board) {
            return false;
        }
        if (!pb_board_type(board)) {
            return pb_scenario_refuse(pb_scenario.file, p->number, "device '%s': %s is no board", p->after[0], object_get_typename(board));
        }
        s->board = pb_board_glue(board);
        s->await = pb_glue_await(s->board, p->after[1], come, s, &why);
        if (!s->await) {
            pb_scenario_refuse(pb_scenario.file, p->number, "%s", error_get_pretty(why));
            error_free(why);
            return false;
        }
    }
    for (guint i = 0; i < p->lines->len; i++) {
        if (!complete_line(line(s, i))) {
            return false;
        }
    }
    pb_scenario_arm(s);
    return true;
}

void pb_scenario_plugged(PbGlue *g)
{
    bool ambiguous;

    for (guint i = 1; i < pb_scenario.count; i++) {
        PbSchedule *s = &pb_scenario.schedule[i];
        if (!s->board && s->from == PB_NEVER && pb_scenario_find(s->part->after[0], &ambiguous) == g->dev) {
            s->board = g;
            s->await = pb_glue_await(g, s->part->after[1], come, s, NULL);
        }
    }
}

void pb_scenario_leave(PbGlue *g)
{
    for (guint i = 1; i < pb_scenario.count; i++) {
        if (pb_scenario.schedule[i].board == g) {
            pb_scenario.schedule[i].board = NULL;
            pb_scenario.schedule[i].await = NULL;
        }
    }
}

/* --- the machine ------------------------------------------------------------------------- */

static void machine_complete(Notifier *notifier, void *unused)
{
    pb_scenario_snapshots();
    for (guint i = 0; i < pb_scenario.count; i++) {
        if (!complete(&pb_scenario.schedule[i])) {
            exit(1);
        }
    }
    if (pb_scenario.count) {
        pb_scenario_at_end();
    }
}

void pb_scenario_start(void)
{
    static Notifier at_start = { .notify = machine_complete };

    qemu_add_machine_init_done_notifier(&at_start);
}
