/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/inspect/inspect.h"
#include "hw/qemu/core/board/board_type.h"

/* What a type's boards can have injected. */
typedef struct Injections {
    const PbBoardType *type;
    const void *view;
    GArray *all; /* PbInjection */
} Injections;

typedef struct InjectionRequest {
    const PbInjection *injection;
    uint64_t value;
} InjectionRequest;

static GPtrArray *types;  /* Injections */
static GPtrArray *boards; /* PbGlue, all of the machine's */

/* NULL: it is no board. */
static const Injections *injections_of(Object *board)
{
    const PbBoardType *type = pb_board_type(board);

    for (guint i = 0; type && i < types->len; i++) {
        const Injections *of = g_ptr_array_index(types, i);
        if (of->type == type) {
            return of;
        }
    }
    return NULL;
}

const PbInjection *pb_injection_find(Object *board, const char *property)
{
    const Injections *of = injections_of(board);

    for (guint i = 0; of && i < of->all->len; i++) {
        const PbInjection *j = &g_array_index(of->all, PbInjection, i);
        if (!strcmp(j->property, property)) {
            return j;
        }
    }
    return NULL;
}

/* Around the board's own: `in`, and out again. */
static void enter(PbGlue *g, bool in)
{
    if (in) {
        pb_glue_catch_up(g);
    }
    pb_glue_lock(g, in);
    if (!in) {
        pb_glue_catch_up(g);
    }
}

void pb_injection_set(Object *board, const PbInjection *j, uint64_t value)
{
    PbGlue *g = pb_board_glue(board);

    pb_glue_injected(g, j->property, value);
    if (!pb_fault_inject(g, j->property, value)) {
        enter(g, true);
        pb_view_inject(injections_of(board)->view, g->model, j->number, value);
        enter(g, false);
    }
}

static uint64_t injected(Object *board, const PbInjection *j)
{
    PbGlue *g = pb_board_glue(board);
    uint64_t value;

    if (!pb_fault_injected(g, j->property, &value)) {
        enter(g, true);
        value = pb_view_injected(injections_of(board)->view, g->model, j->number);
        enter(g, false);
    }
    return value;
}

/* --- properties ------------------------------------------------------------------- */

static uint64_t value_of(Object *board, const PbInjection *j)
{
    const PbInject *inject = &pb_board_glue(board)->inject;
    uint64_t value = 0;

    if (inject->complete) {
        return injected(board, j);
    }
    for (guint i = 0; inject->asked && i < inject->asked->len; i++) {
        const InjectionRequest *a = &g_array_index(inject->asked, InjectionRequest, i);
        value = a->injection == j ? a->value : value;
    }
    return value;
}

static void get_property(Object *board, Visitor *v, const char *name, void *opaque, Error **errp)
{
    const PbInjection *j = opaque;
    uint64_t value = value_of(board, j);
    bool on = value;
    char *word = j->words ? (char *)j->words[value] : NULL;

    if (!j->words) {
        visit_type_uint64(v, name, &value, errp);
    } else if (j->is_switch) {
        visit_type_bool(v, name, &on, errp);
    } else {
        visit_type_str(v, name, &word, errp);
    }
}

static bool read_value(const PbInjection *j, Visitor *v, const char *name, uint64_t *value, Error **errp)
{
    g_autofree char *text = NULL;
    bool on;

    if (j->is_switch) {
        if (!visit_type_bool(v, name, &on, errp)) {
            return false;
        }
        *value = on;
        return true;
    }
    if (j->words) {
        return visit_type_str(v, name, &text, errp) && pb_injection_parse(j, text, value, errp);
    }
    if (!visit_type_uint64(v, name, value, errp)) {
        return false;
    }
    text = g_strdup_printf("%" PRIu64, *value);
    return pb_injection_parse(j, text, value, errp);
}

static void set_property(Object *board, Visitor *v, const char *name, void *opaque, Error **errp)
{
    const PbInjection *j = opaque;
    PbInject *inject = &pb_board_glue(board)->inject;
    InjectionRequest asked = { .injection = j };

    if (!read_value(j, v, name, &asked.value, errp)) {
        return;
    }
    if (!inject->complete) {
        inject->asked = inject->asked ?: g_array_new(false, false, sizeof(InjectionRequest));
        g_array_append_val(inject->asked, asked);
    } else if (replay_mode != REPLAY_MODE_NONE) {
        error_setg(errp, "%s: a recording does not hold what a monitor sets; inject by -plugin perfboard.so,scenario=FILE", j->property);
    } else {
        pb_injection_set(board, j, asked.value);
    }
}

static void add_property(ObjectClass *klass, const PbInjection *j)
{
    g_autofree char *range = pb_injection_range(j);
    g_autofree char *text = g_strdup_printf("%s: %s", j->help, range);
    const char *type = !j->words ? "uint64" : j->is_switch ? "bool" : "str";

    object_class_property_add(klass, j->property, type, get_property, set_property, NULL, (void *)j);
    object_class_property_set_description(klass, j->property, text);
}

void pb_inject_class_init(ObjectClass *klass, const PbBoardType *type)
{
    const void *view = type->view ? type->view() : NULL;
    Injections *of = g_new(Injections, 1);
    PbInjection j;

    *of = (Injections){ type, view, g_array_new(false, false, sizeof(PbInjection)) };
    if (!types) {
        types = g_ptr_array_new();
    }
    g_ptr_array_add(types, of);
    for (unsigned n = 0; pb_view_injection(view, n, &j); n++) {
        g_array_append_val(of->all, j);
    }
    for (guint n = 0; n < of->all->len; n++) { /* which moves no more */
        add_property(klass, &g_array_index(of->all, PbInjection, n));
    }
}

/* --- the machine is complete -------------------------------------------------------- */

static void machine_complete(Notifier *notifier, void *unused)
{
    for (guint i = 0; i < boards->len; i++) {
        pb_inject_plugged(g_ptr_array_index(boards, i));
    }
}

void pb_inject_plugged(PbGlue *g)
{
    g->inject.complete = true;
    for (guint k = 0; g->inject.asked && k < g->inject.asked->len; k++) {
        const InjectionRequest *a = &g_array_index(g->inject.asked, InjectionRequest, k);
        pb_injection_set(g->dev, a->injection, a->value);
    }
}

void pb_inject_init(PbGlue *g)
{
    static Notifier at_start = { .notify = machine_complete };

    if (!boards) {
        boards = g_ptr_array_new();
        qemu_add_machine_init_done_notifier(&at_start); /* which calls it at once in a machine that is complete */
    }
    g_ptr_array_add(boards, g);
}

void pb_inject_leave(PbGlue *g)
{
    g_ptr_array_remove(boards, g);
}

void pb_inject_free(PbGlue *g)
{
    if (g->inject.asked) {
        g_array_free(g->inject.asked, true);
    }
}
