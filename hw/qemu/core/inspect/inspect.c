/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/inspect/inspect.h"
#include "plugins/ports.h"

/* --- what hw/inspect asks -------------------------------------------------------- */

static uint64_t now(void *opaque)
{
    return pb_glue_time();
}

static void lock(void *opaque, bool on)
{
    pb_glue_lock(opaque, on);
}

static void to_log(const char *text, size_t bytes)
{
    FILE *log = qemu_log_trylock();

    fwrite(text, 1, bytes, log ? log : stderr);
    qemu_log_unlock(log);
}

static void broke(void *opaque)
{
    pb_break_event();
}

/* --- files ------------------------------------------------------------------------ */

static void machine_changed(void *opaque, bool running, RunState state)
{
    if (!running) {
        pb_inspect_flush();
    }
}

static void machine_ends(Notifier *notifier, void *unused)
{
    pb_inspect_flush();
}

static void flush_in_time(void)
{
    static Notifier at_end = { .notify = machine_ends };
    static bool done;

    if (!done) {
        done = true;
        qemu_add_vm_change_state_handler(machine_changed, NULL);
        qemu_register_shutdown_notifier(&at_end);
    }
}

/* --- a board's ---------------------------------------------------------------------- */

static void settle(PbGlue *g)
{
    unsigned looks = (pb_inspect_looking(g->inspect) ? PB_LOOKED_AT : 0) | (pb_inspect_may_break(g->inspect) ? PB_MAY_BREAK : 0);

    bool ports = g->has_ports && looks;

    if (looks) {
        qatomic_set(&pb_glue_looked_at, true);
    }
    qatomic_set(&g->attention, (g->attention & ~(PB_LOOKED_AT | PB_MAY_BREAK)) | looks);
    if (ports != g->ports_watched) {
        g->ports_watched = ports;
        pb_ports_watch(ports);
    }
}

void pb_glue_ports(PbGlue *g)
{
    g->has_ports = true;
    if (g->inspect) {
        settle(g);
    }
}

static bool answer(PbGlue *g, bool ok, const char *why, Error **errp)
{
    if (!ok) {
        error_setg(errp, "%s: %s", object_get_typename(OBJECT(g->dev)), why);
        return false;
    }
    settle(g);
    return true;
}

bool pb_glue_filter(PbGlue *g, const char *patterns, Error **errp)
{
    char why[PB_INSPECT_WHY];
    return !g->inspect || answer(g, pb_inspect_filter(g->inspect, patterns, why, sizeof(why)), why, errp);
}

bool pb_glue_break(PbGlue *g, const char *pattern, Error **errp)
{
    const char *refused = pattern && *pattern ? pb_break_refused() : NULL;
    char why[PB_INSPECT_WHY];

    if (refused) {
        return answer(g, false, refused, errp);
    }
    pb_break_init();
    return !g->inspect || answer(g, pb_inspect_break(g->inspect, pattern, why, sizeof(why)), why, errp);
}

bool pb_glue_recent(PbGlue *g, uint32_t n, Error **errp)
{
    char why[PB_INSPECT_WHY];
    return !g->inspect || answer(g, pb_inspect_recent(g->inspect, n, why, sizeof(why)), why, errp);
}

PbInspectAwait *pb_glue_await(PbGlue *g, const char *pattern, void (*come)(void *opaque, uint64_t ns), void *opaque, Error **errp)
{
    char why[PB_INSPECT_WHY];
    PbInspectAwait *await = pb_inspect_await(g->inspect, pattern, come, opaque, why, sizeof(why));

    if (!await) {
        error_setg(errp, "%s", why);
        return NULL;
    }
    settle(g);
    return await;
}

void pb_glue_await_on(PbGlue *g, PbInspectAwait *await, bool on)
{
    pb_inspect_await_on(g->inspect, await, on);
    settle(g);
}

bool pb_file_size(const char *property, uint64_t size, DeviceState *dev, Error **errp)
{
    if (!size || (size >= PB_INSPECT_LOG_LEAST && size <= PB_INSPECT_LOG_MOST)) {
        return true;
    }
    error_setg(errp, "%s: %s=%" PRIu64 ": legal are 64K to 1024T, or 0: no limit", object_get_typename(OBJECT(dev)), property, size);
    return false;
}

uint64_t pb_glue_log_size(const PbGlue *g)
{
    return g->lookers.has_log_size ? g->lookers.log_size : PB_INSPECT_LOG_SIZE;
}

static bool open_log(PbGlue *g, Error **errp)
{
    const PbLookers *l = &g->lookers;
    char why[PB_INSPECT_WHY];

    if (l->log_format && !l->log) {
        error_setg(errp, "%s: log-format=%s: legal only with log=FILE", object_get_typename(OBJECT(g->dev)), l->log_format);
        return false;
    }
    if (l->has_log_size && !l->log) {
        error_setg(errp, "%s: log-size=%" PRIu64 ": legal only with log=FILE", object_get_typename(OBJECT(g->dev)), l->log_size);
        return false;
    }
    return !l->log || answer(g, pb_inspect_log(g->inspect, l->log, l->log_format, pb_glue_log_size(g), why, sizeof(why)), why, errp);
}

static bool open_coverage(PbGlue *g, Error **errp)
{
    char why[PB_INSPECT_WHY];

    return !g->lookers.coverage || answer(g, pb_inspect_coverage(g->inspect, g->lookers.coverage, why, sizeof(why)), why, errp);
}

bool pb_glue_inspect(PbGlue *g, const void *view, void *model, Error **errp)
{
    g_autofree char *unit = pb_glue_unit(g);
    const PbLookers *l = &g->lookers;

    g->model = model;
    g->inspect = pb_inspect_new(&(PbInspectBoard){
        .view = view, .model = model, .board = object_get_typename(g->dev), .unit = unit, .opaque = g,
        .now = now, .lock = g->ops->lock == PB_BIG_LOCK ? NULL : lock, .log = to_log, .broke = broke,
    });
    flush_in_time();
    pb_unserviced_irq_add(g, unit);
    return pb_glue_filter(g, l->log_filter, errp) && pb_glue_break(g, l->break_at, errp) && pb_glue_recent(g, l->recent, errp) &&
           open_log(g, errp) && open_coverage(g, errp);
}

void pb_glue_look_away(PbGlue *g)
{
    if (g->inspect) {
        pb_inspect_leave(g->inspect);
        settle(g);
        pb_unserviced_irq_leave(g);
    }
}
