/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The monitor's errors on purpose (hw/qemu/core/inject.h): what they do is in hw/smile. */
#include "qemu/osdep.h"

#include "hw/qemu/smile/smile.h"

static uint64_t get(Object *obj, unsigned which)
{
    return smile_injected(&SMILE_HWM(obj)->hwm, which);
}

static void set(Object *obj, unsigned which, uint64_t value)
{
    SmileDevice *s = SMILE_HWM(obj);

    pb_cable_catch_up(&s->cable);
    qemu_spin_lock(&s->lock);
    smile_inject(&s->hwm, which, value);
    qemu_spin_unlock(&s->lock);
}

#define NUMBER(n, limit, i, t) { .property = n, .text = t, .most = limit, .which = i, .get = get, .set = set }
static const char *const designs[] = { [SMILE_NONE] = "none", [SMILE_STATIC] = "static", [SMILE_DYNAMIC] = "dynamic", NULL };

#define SWITCH(n, i, t) { .property = n, .text = t, .words = pb_off_on, .which = i, .get = get, .set = set }

const PbInjection smile_injections[] = {
    NUMBER("inject-drop", UINT32_MAX, SMILE_INJECT_DROP, "next packets that are not heard"),
    NUMBER("inject-damage", UINT32_MAX, SMILE_INJECT_DAMAGE, "next packets that are heard with another trans_ID"),
    NUMBER("inject-image", UINT32_MAX, SMILE_INJECT_IMAGE, "next loads out of the RAM cache that fail"),
    NUMBER("inject-ring", SMILE_RING_RECORDS, SMILE_INJECT_RING, "records that fill the ring; 0 is all that it has"),
    SWITCH("inject-queue", SMILE_INJECT_QUEUE, "the swap queue takes no record"),
    SWITCH("inject-saturate", SMILE_INJECT_SATURATE, "counters stay at FFFF"),
    { .property = "inject-daughter", .text = "somebody at the daughter board's cable clears its FPGA, or loads a design", .words = designs,
      .which = SMILE_INJECT_DAUGHTER, .get = get, .set = set },
    { .property = NULL },
};
