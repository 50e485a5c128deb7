/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/links/links.h"

struct PbWire {
    GPtrArray *ends;
    const char *name; /* NULL: none */
    uint32_t others;  /* machines that pull it, a bit each */
    bool pulls;       /* this one, as others were told */
    bool high;
};

static GHashTable *named;
static const PbWireReach *reach;

PbWire *pb_wire_join(const char *name, PbWireEnd *end)
{
    PbWire *w = NULL;

    if (!named) {
        named = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    }
    if (name && *name) {
        w = g_hash_table_lookup(named, name);
    }
    if (!w) {
        w = g_new0(PbWire, 1);
        w->ends = g_ptr_array_new();
        w->high = true;
        if (name && *name) {
            w->name = g_strdup(name);
            g_hash_table_insert(named, (char *)w->name, w);
            if (reach) {
                reach->joined(name);
            }
        }
    }
    pb_wire_attach(w, end);
    return w;
}

void pb_wire_attach(PbWire *w, PbWireEnd *end)
{
    g_ptr_array_add(w->ends, end);
}

static bool pulled(const PbWire *w)
{
    for (guint i = 0; i < w->ends->len; i++) {
        if (((PbWireEnd *)g_ptr_array_index(w->ends, i))->pulls) {
            return true;
        }
    }
    return false;
}

static bool level_of(const PbWire *w)
{
    return !w->others && !pulled(w);
}

static void tell(PbWire *w)
{
    const bool high = level_of(w);

    if (high == w->high) {
        return;
    }
    w->high = high;
    for (guint i = 0; i < w->ends->len; i++) {
        PbWireEnd *e = g_ptr_array_index(w->ends, i);
        if (w->high != high) {
            return; /* an end has pulled in answer, in a call of its own: that call has told all ends */
        }
        e->changed(e->opaque, high);
    }
}

void pb_wire_pull(PbWire *w, PbWireEnd *end, bool low)
{
    end->pulls = low;
    if (reach && w->name && pulled(w) != w->pulls) {
        w->pulls = !w->pulls;
        reach->pulls(w->name, w->pulls);
    }
    tell(w);
}

void pb_wire_reaches(const PbWireReach *r)
{
    reach = r;
}

void pb_wire_pull_from(unsigned machine, const char *name, bool low)
{
    PbWire *w = named ? g_hash_table_lookup(named, name) : NULL;

    if (w) {
        w->others = low ? w->others | 1u << machine : w->others & ~(1u << machine);
        tell(w);
    }
}

void pb_wire_each_pulled_from(void (*f)(const char *name, uint32_t machines, void *opaque), void *opaque)
{
    GHashTableIter i;
    gpointer wire;

    if (!named) {
        return;
    }
    g_hash_table_iter_init(&i, named);
    while (g_hash_table_iter_next(&i, NULL, &wire)) {
        const PbWire *w = wire;
        if (w->others) {
            f(w->name, w->others, opaque);
        }
    }
}

void pb_wire_restore_from(const char *name, uint32_t machines)
{
    PbWire *w = named ? g_hash_table_lookup(named, name) : NULL;

    if (w) {
        w->others = machines;
        w->high = level_of(w);
    }
}

static gboolean is_it(gpointer name, gpointer wire, gpointer it)
{
    return wire == it;
}

void pb_wire_leave(PbWire *w, PbWireEnd *end)
{
    pb_wire_pull(w, end, false);
    g_ptr_array_remove(w->ends, end);
    if (!w->ends->len) {
        g_hash_table_foreach_remove(named, is_it, w);
        g_ptr_array_free(w->ends, true);
        g_free(w);
    }
}

void pb_wire_restore(PbWire *w, PbWireEnd *end, bool low)
{
    end->pulls = low;
    w->pulls = pulled(w);
    w->high = level_of(w);
}

void pb_wire_agree(PbWire *w)
{
    for (guint i = 0; i < w->ends->len; i++) {
        PbWireEnd *e = g_ptr_array_index(w->ends, i);
        if (e->level && e->level(e->opaque) != w->high) {
            e->changed(e->opaque, w->high);
        }
    }
}

bool pb_wire_high(const PbWire *w)
{
    return w->high;
}
