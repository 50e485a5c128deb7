/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The properties of inspect.h. Their field is the board's PbGlue. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/inspect/inspect.h"

static PbGlue *glue_of(Object *obj, void *opaque)
{
    return object_field_prop_ptr(obj, opaque);
}

static void get_text(Visitor *v, const char *name, const char *text, Error **errp)
{
    char *copy = g_strdup(text ? text : "");

    visit_type_str(v, name, &copy, errp);
    g_free(copy);
}

/* set: of one that is set while the machine runs, too: what is wrong leaves the old one. */
static void set_text(PbGlue *g, Visitor *v, const char *name, char **text, bool (*set)(PbGlue *, const char *, Error **),
                     Error **errp)
{
    char *fresh;

    if (!visit_type_str(v, name, &fresh, errp)) {
        return;
    }
    if (set && !set(g, fresh, errp)) {
        g_free(fresh);
        return;
    }
    g_free(*text);
    *text = fresh;
}

#define TEXT(member)                                                                                \
    static void get_##member(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp) \
    {                                                                                               \
        get_text(v, name, glue_of(obj, opaque)->lookers.member, errp);                              \
    }                                                                                               \
    static void free_##member(Object *obj, const char *name, void *opaque)                          \
    {                                                                                               \
        g_clear_pointer(&glue_of(obj, opaque)->lookers.member, g_free);                             \
    }
TEXT(log)
TEXT(log_format)
TEXT(log_filter)
TEXT(coverage)
TEXT(break_at)

#define SET(member, set)                                                                            \
    static void set_##member(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp) \
    {                                                                                               \
        PbGlue *g = glue_of(obj, opaque);                                                           \
        set_text(g, v, name, &g->lookers.member, set, errp);                                        \
    }
SET(log, NULL)
SET(log_format, NULL)
SET(log_filter, pb_glue_filter)
SET(coverage, NULL)
SET(break_at, pb_glue_break)

static void get_log_size(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    uint64_t size = pb_glue_log_size(glue_of(obj, opaque));

    visit_type_size(v, name, &size, errp);
}

static void set_log_size(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    PbLookers *l = &glue_of(obj, opaque)->lookers;

    l->has_log_size = visit_type_size(v, name, &l->log_size, errp);
}

static void get_recent(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &glue_of(obj, opaque)->lookers.recent, errp);
}

static void set_recent(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    PbGlue *g = glue_of(obj, opaque);
    uint32_t n;

    if (visit_type_uint32(v, name, &n, errp) && pb_glue_recent(g, n, errp)) {
        g->lookers.recent = n;
    }
}

static void get_registers(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    PbGlue *g = glue_of(obj, opaque);
    g_autofree char *json = NULL;

    if (!g->inspect) {
        error_setg(errp, "%s: registers: the board is not plugged in yet", object_get_typename(obj));
        return;
    }
    json = pb_inspect_registers(g->inspect, pb_time_now(), g->irq);
    get_text(v, name, json, errp);
}

/* For info qtree, which shows properties of all devices. */
PB_PROPERTY_SHOWN_AS(print_registers, "(JSON; qom-get)")

static const PropertyInfo log_info = {
    .type = "str", .description = "file for the access log; -: QEMU's own log", .get = get_log, .set = set_log, .release = free_log,
};
static const PropertyInfo log_format_info = {
    .type = "str", .description = "of the access log: text (default) or json", .get = get_log_format, .set = set_log_format,
    .release = free_log_format,
};
static const PropertyInfo log_size_info = {
    .type = "size", .description = "bytes that the access log may have (256M), 0: any number", .get = get_log_size, .set = set_log_size,
};
static const PropertyInfo log_filter_info = {
    .type = "str", .description = "patterns with ; between: what the log keeps, or behind ! leaves out",
    .realized_set_allowed = true, .get = get_log_filter, .set = set_log_filter, .release = free_log_filter,
};
static const PropertyInfo coverage_info = {
    .type = "str", .description = "file to which is added what the guest has touched", .get = get_coverage, .set = set_coverage,
    .release = free_coverage,
};
static const PropertyInfo break_at_info = {
    .type = "str", .description = "a pattern: the machine stops before the access",
    .realized_set_allowed = true, .get = get_break_at, .set = set_break_at, .release = free_break_at,
};
static const PropertyInfo recent_info = {
    .type = "uint32", .description = "how many accesses are kept for registers, 0 to 65536",
    .realized_set_allowed = true, .get = get_recent, .set = set_recent,
};
static const PropertyInfo registers_info = {
    .type = "str", .description = "every register decoded, and the last accesses, as JSON", .print = print_registers, .get = get_registers,
};

void pb_inspect_properties(GArray *all, size_t glue)
{
    static const struct { const char *name; const PropertyInfo *info; } rows[] = {
        { "log", &log_info }, { "log-format", &log_format_info }, { "log-size", &log_size_info }, { "log-filter", &log_filter_info },
        { "coverage", &coverage_info }, { "break", &break_at_info }, { "recent", &recent_info }, { "registers", &registers_info },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const Property p = { .name = rows[i].name, .info = rows[i].info, .offset = glue };
        g_array_append_val(all, p);
    }
}
