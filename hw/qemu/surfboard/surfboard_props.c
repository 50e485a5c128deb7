/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a user can see and do from outside: LEDs (A.3), the external wire, the receive clock. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/memory/map_update.h"
#include "hw/qemu/surfboard/surfboard.h"

static uint32_t leds_now(SurfBoardDevice *s)
{
    pb_cable_catch_up(&s->cable);
    return surf_leds(&s->board);
}

static void get_leds(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    uint32_t leds = leds_now(SURFBOARD(obj));
    visit_type_uint32(v, name, &leds, errp);
}

static void get_receive_time(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    uint64_t ticks = surf_receive_time(&SURFBOARD(obj)->board);
    visit_type_uint64(v, name, &ticks, errp);
}

static void set_receive_time(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    uint64_t ticks;
    if (!visit_type_uint64(v, name, &ticks, errp)) {
        return;
    }
    if (ticks >> 44) {
        error_setg(errp, "receive-time=%" PRIu64 ": legal are 0..2^44-1 (100 ns each)", ticks);
        return;
    }
    surf_set_receive_time(&SURFBOARD(obj)->board, ticks);
}

static bool get_ext_pull(Object *obj, Error **errp)
{
    return SURFBOARD(obj)->outside.pulls;
}

static void set_ext_pull(Object *obj, bool low, Error **errp)
{
    SurfBoardDevice *s = SURFBOARD(obj);
    if (!s->wire) {
        error_setg(errp, "ext-pull: the board is not plugged in yet");
        return;
    }
    pb_cable_catch_up(&s->cable);
    pb_wire_pull(s->wire, &s->outside, low);
}

static bool get_ext_output(Object *obj, Error **errp)
{
    return SURFBOARD(obj)->own.pulls;
}

static bool get_ext_wire(Object *obj, Error **errp)
{
    SurfBoardDevice *s = SURFBOARD(obj);
    return !s->wire || pb_wire_high(s->wire);
}

static const char *const led_text[10] = {
    "LED 1, red: external input at 0 volts (X_IN_L)",
    "LED 2, red: any reset (ANYRST_L)",
    "LED 3, red: trigger occurred (HTCR.TRG)",
    "LED 4, yellow: FIFO not empty",
    "LED 5, yellow: trace enabled (HTCR.TEN)",
    "LED 6, yellow: EISA access",
    "LED 7, yellow: EISA IRQ pending (ISCR.PEND)",
    "LED 8, green: packet in stage 2",
    "LED 9, green: packet in stage 1",
    "LED 10, green: user defined (PCLR.LED)",
};

static void get_led(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    bool on = leds_now(SURFBOARD(obj)) >> (g_ascii_strtoull(name + 3, NULL, 10) - 1) & 1;
    visit_type_bool(v, name, &on, errp);
}

void surfboard_add_properties(ObjectClass *klass)
{
    pb_board_add(klass, "leds", "uint32", get_leds, NULL, "the ten LEDs of A.3, bit 0 is LED 1");
    for (int i = 0; i < 10; i++) {
        g_autofree char *name = g_strdup_printf("led%d", i + 1);
        pb_board_add(klass, name, "bool", get_led, NULL, led_text[i]);
    }
    pb_board_add(klass, "receive-time", "uint64", get_receive_time, set_receive_time, "44-bit receive clock, 100 ns");
    pb_board_add_bool(klass, "ext-pull", get_ext_pull, set_ext_pull, "pull the external wire low from outside");
    pb_board_add_bool(klass, "ext-output", get_ext_output, NULL, "this board pulls the external wire low");
    pb_board_add_bool(klass, "ext-wire", get_ext_wire, NULL, "level of the external wire: on is high");
}

/* The SurfBoard's 128 MB of memory window (A.7, A.8): plain RAM, or each access announced to the model
 * first, as the model wants it (hw/surfboard/surfboard.h, watch_memory). A change takes effect at the end of each
 * processor's present block (map_update.h). */

static uint64_t surfboard_announce(void *opaque, Simm *m)
{
    SurfBoardDevice *s = opaque;
    pb_cable_catch_up(&s->cable);
    surf_memory_access(&s->board);
    return surf_memory_bytes(&s->board, m == &s->trace ? SURF_MEM_TRACE : SURF_MEM_HIST);
}

bool surfboard_realize_memory(SurfBoardDevice *s, Error **errp)
{
    s->trace.announce = s->hist.announce = surfboard_announce;
    s->trace.opaque = s->hist.opaque = s;
    memory_region_init(&s->memory, OBJECT(s), "surfboard-memory", 2 * SIMM_WINDOW);
    return simm_realize(&s->trace, OBJECT(s), "trace", &s->memory, 0, errp) &&
           simm_realize(&s->hist, OBJECT(s), "hist", &s->memory, SIMM_WINDOW, errp);
}

void surfboard_wrote(void *opaque, enum surf_memory which, uint32_t offset, uint32_t bytes)
{
    SurfBoardDevice *s = opaque;
    memory_region_set_dirty(which == SURF_MEM_TRACE ? &s->trace.ram : &s->hist.ram, offset, bytes);
}

void surfboard_watch_memory(void *opaque, bool on)
{
    SurfBoardDevice *s = opaque;
    memory_region_transaction_begin();
    simm_watch(&s->trace, on);
    simm_watch(&s->hist, on);
    pb_map_update();
}
