/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SNI's own errors on purpose: hw/shrimp/README.md says what each does. */
#include "qemu/osdep.h"

#include "hw/qemu/shrimp/sni.h"

static uint64_t injected(Object *board, unsigned which)
{
    SniDevice *s = SHRIMP_SNI(board);
    uint32_t value;

    sni_run(s);
    qemu_mutex_lock(&s->lock);
    value = sni_injected(&s->board, which);
    qemu_mutex_unlock(&s->lock);
    return value;
}

static void inject(Object *board, unsigned which, uint64_t value)
{
    SniDevice *s = SHRIMP_SNI(board);

    sni_run(s);
    qemu_mutex_lock(&s->lock);
    sni_inject(&s->board, which, value);
    qemu_mutex_unlock(&s->lock);
    sni_run(s);
}

#define NUMBER(what, name, most_of, meaning) \
    { .property = name, .text = meaning, .most = most_of, .which = what, .get = injected, .set = inject }

const PbInjection sni_injections[] = {
    NUMBER(SNI_INJECT_DROP, "inject-drop", UINT32_MAX, "next packets that the backplane loses"),
    NUMBER(SNI_INJECT_LATE, "inject-late", SNI_INJECT_LATE_MOST, "ns that packets are in the backplane for longer"),
    NUMBER(SNI_INJECT_DAMAGE, "inject-damage", UINT32_MAX, "next packets that arrive damaged (SISR.RXE)"),
    NUMBER(SNI_INJECT_FIFO_OVERFLOW, "inject-fifo-overflow", UINT32_MAX, "next stores that find the outgoing FIFO full (SISR.OVF)"),
    { .property = "inject-network-stop", .text = "the backplane takes no packet", .words = pb_off_on,
      .which = SNI_INJECT_NETWORK_STOP, .get = injected, .set = inject },
    NUMBER(SNI_INJECT_CLOCK_WRAP, "inject-clock-wrap", UINT32_MAX, "ns after which the clock wraps (SISR.CKV)"),
    { .property = NULL },
};
