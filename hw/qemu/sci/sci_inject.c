/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The adapters' errors on purpose (hw/qemu/core/inject.h): what they do is in hw/sci. */
#include "qemu/osdep.h"

#include "hw/qemu/sci/sci.h"

static uint64_t get(Object *obj, unsigned which)
{
    return sci_injected(&SMILE_SCI(obj)->board, which);
}

static void set(Object *obj, unsigned which, uint64_t value)
{
    SciDevice *s = SMILE_SCI(obj);

    qemu_spin_lock(&s->lock);
    sci_inject(&s->board, which, value);
    qemu_spin_unlock(&s->lock);
}

#define SCI_INJECTION(n, t, w, m, i) { .property = n, .text = t, .words = w, .most = m, .which = i, .get = get, .set = set }
const PbInjection sci_injections[] = {
    SCI_INJECTION("inject-drop", "next transactions that the ring loses", NULL, UINT32_MAX, SCI_INJECT_DROP),
    SCI_INJECTION("inject-late", "next transactions that come 10 us later", NULL, UINT32_MAX, SCI_INJECT_LATE),
    SCI_INJECTION("inject-damage", "next transactions whose trans_ID is damaged", NULL, UINT32_MAX, SCI_INJECT_DAMAGE),
    SCI_INJECTION("inject-stop", "no transaction passes the ring", pb_off_on, 1, SCI_INJECT_STOP),
    { .property = NULL },
};
