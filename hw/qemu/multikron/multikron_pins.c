/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The card's pins: external inputs of the 16 counters, TEST Mode, External FIFO Free, Reset. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/multikron/multikron.h"

/* --- what the external inputs are connected to ------------------------------- */

static void wire_changed(void *opaque, bool high)
{
    MkPin *p = opaque;
    if (high) {
        mk_external_edges(&p->card->chip, p - p->card->pin, 1);
    }
}

bool multikron_connect_pins(MultiKronDevice *s, Error **errp)
{
    for (unsigned i = 0; i < MK_PINS; i++) {
        MkPin *p = &s->pin[i];
        g_autofree char *why = NULL;

        p->card = s;
        if (!p->source) {
            continue;
        }
        if (g_str_has_prefix(p->source, "wire:") && p->source[5]) {
            p->end = (PbWireEnd){ wire_changed, p };
            p->wire = pb_wire_join(p->source + 5, &p->end);
            continue;
        }
        p->events = pb_event_source(p->source, current_machine->smp.max_cpus, &why);
        if (!p->events) {
            error_setg(errp, "multikron: ext%u=%s: %s; or wire:NAME, an external wire of a surfboard", i, p->source, why);
            return false;
        }
    }
    return true;
}

void multikron_disconnect_pins(MultiKronDevice *s)
{
    for (unsigned i = 0; i < MK_PINS; i++) {
        MkPin *p = &s->pin[i];

        if (p->events) {
            pb_event_close(p->events);
            p->events = NULL;
        }
        if (p->wire) {
            pb_wire_leave(p->wire, &p->end);
            p->wire = NULL;
        }
    }
}

uint64_t multikron_external(void *opaque, unsigned pin)
{
    MultiKronDevice *s = opaque;
    return s->pin[pin].events ? pb_event_total(s->pin[pin].events) : 0;
}

void multikron_watch(void *opaque, uint16_t pins)
{
    MultiKronDevice *s = opaque;
    for (unsigned i = 0; i < MK_PINS; i++) {
        if (s->pin[i].events) {
            pb_event_watch(s->pin[i].events, pins >> i & 1);
        }
    }
}

void multikron_rebase(void *opaque, uint16_t pins)
{
    MultiKronDevice *s = opaque;
    for (unsigned i = 0; i < MK_PINS; i++) {
        if (s->pin[i].events && (pins >> i & 1)) {
            pb_event_rebase(s->pin[i].events);
        }
    }
}

/* --- pins that somebody outside drives ---------------------------------------- */

static bool plugged_in(MultiKronDevice *s, const char *name, Error **errp)
{
    if (!DEVICE(s)->realized) {
        error_setg(errp, "multikron: %s: the card is not plugged in yet", name);
        return false;
    }
    return true;
}

static void get_pin(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    visit_type_bool(v, name, &MULTIKRON(obj)->pin[g_ascii_strtoull(name + 3, NULL, 10)].high, errp);
}

static void set_pin(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    MultiKronDevice *s = MULTIKRON(obj);
    unsigned i = g_ascii_strtoull(name + 3, NULL, 10);
    bool high, before = s->pin[i].high;

    if (!visit_type_bool(v, name, &high, errp) || !plugged_in(s, name, errp)) {
        return;
    }
    s->pin[i].high = high;
    if (high && !before) {
        mk_external_edges(&s->chip, i, 1);
    }
}

static bool get_test_mode(Object *obj, Error **errp)
{
    return MULTIKRON(obj)->test_mode;
}

static void set_test_mode(Object *obj, bool on, Error **errp)
{
    MultiKronDevice *s = MULTIKRON(obj);
    s->test_mode = on;
    if (DEVICE(s)->realized) {
        mk_set_test_mode(&s->chip, on);
    }
}

static bool get_external_free(Object *obj, Error **errp)
{
    return MULTIKRON(obj)->external_free;
}

static void set_external_free(Object *obj, bool high, Error **errp)
{
    MultiKronDevice *s = MULTIKRON(obj);
    s->external_free = high;
    if (!DEVICE(s)->realized) {
        return;
    }
    if (s->chip.config.free != MK_FREE_PIN) {
        error_setg(errp, "multikron: external-free: it is driven from outside with free=pin only, and this card has free=%s",
                   s->free ?: "always");
        return;
    }
    mk_set_external_free(&s->chip, high);
}

static bool get_delayed(Object *obj, Error **errp)
{
    return MULTIKRON(obj)->chip.state.waiting;
}

static bool get_reset(Object *obj, Error **errp)
{
    return false;
}

static void set_reset(Object *obj, bool on, Error **errp)
{
    if (on && plugged_in(MULTIKRON(obj), "reset", errp)) {
        multikron_reset_all();
    }
}

/* --- QOM ------------------------------------------------------------------------ */

void multikron_add_properties(ObjectClass *klass)
{
    for (unsigned i = 0; i < MK_PINS; i++) {
        g_autofree char *pin = g_strdup_printf("pin%u", i);
        pb_board_add(klass, pin, "bool", get_pin, set_pin, "the external input's level from outside; counts when it rises");
    }
    pb_board_add_bool(klass, "test-mode", get_test_mode, set_test_mode, "the TEST Mode pin");
    pb_board_add_bool(klass, "external-free", get_external_free, set_external_free, "the External FIFO Free pin, with free=pin");
    pb_board_add_bool(klass, "delayed", get_delayed, NULL, "RDY is being delayed: a processor stands before an access");
    pb_board_add_bool(klass, "reset", get_reset, set_reset, "set to pulse the reset pin, which all chips share");
}
