/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/inspect/inspect.h"
#include "hw/qemu/core/board/host_glue.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/time/time.h"

static const uint64_t second = 1000000000;

typedef struct Waiting {
    PbGlue *glue;
    char *unit;
} Waiting;

static GArray *boards;
static const char *to_file;

static const char *type_of(guint n)
{
    return object_get_typename(OBJECT(g_array_index(boards, Waiting, n).glue->dev));
}

static bool one_of_several(guint n)
{
    for (guint other = 0; other < boards->len; other++) {
        if (other != n && g_str_equal(type_of(n), type_of(other))) {
            return true;
        }
    }
    return false;
}

static void tell(GString *text, guint n, uint64_t now)
{
    const Waiting *w = &g_array_index(boards, Waiting, n);
    uint64_t high = now - w->glue->irq_ns;
    char *why;

    if (!w->glue->irq || now < w->glue->irq_ns || high < second) {
        return;
    }
    why = pb_inspect_unserviced_irq(w->glue->inspect, now);
    g_string_append(text, type_of(n));
    if (w->unit && one_of_several(n)) {
        g_string_append_printf(text, "@%s", w->unit);
    }
    g_string_append_printf(text, ": interrupt line high for %" PRIu64 ".%03" PRIu64 " s, %s\n", high / second, high % second / 1000000,
                           *why ? why : "and no condition is set and enabled");
    free(why);
}

static void machine_ends(Notifier *notifier, void *unused)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const uint64_t now = pb_time_now();

    for (guint n = 0; boards && n < boards->len; n++) {
        tell(text, n, now);
    }
    if (text->len && !g_file_set_contents(to_file, text->str, text->len, NULL)) {
        fprintf(stderr, "perfboard: pending=%s: it cannot be written\n", to_file);
    }
}

void pb_unserviced_irq_at_end(const char *file)
{
    static Notifier notifier = { .notify = machine_ends };

    if (file) {
        to_file = file;
        qemu_register_shutdown_notifier(&notifier);
    }
}

void pb_unserviced_irq_add(PbGlue *g, const char *unit)
{
    Waiting w = { .glue = g, .unit = g_strdup(unit) };

    if (!boards) {
        boards = g_array_new(false, false, sizeof(Waiting));
    }
    g_array_append_val(boards, w);
}

void pb_unserviced_irq_leave(PbGlue *g)
{
    for (guint n = 0; boards && n < boards->len; n++) {
        if (g_array_index(boards, Waiting, n).glue == g) {
            g_free(g_array_index(boards, Waiting, n).unit);
            g_array_remove_index(boards, n);
            return;
        }
    }
}
