/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The card's errors on purpose (hw/multikron/inject.cc), as properties. */
#include "qemu/osdep.h"

#include "hw/qemu/multikron/multikron.h"

static uint64_t get(Object *board, unsigned which)
{
    return mk_injected(&MULTIKRON(board)->chip, which);
}

static void set(Object *board, unsigned which, uint64_t value)
{
    mk_inject(&MULTIKRON(board)->chip, which, value);
}

#define INJECTION(name, number, ...) { .property = name, .which = number, .get = get, .set = set, __VA_ARGS__ }

const PbInjection multikron_injections[] = {
    INJECTION("inject-net-stop", MK_INJECT_NET_STOP, .words = pb_off_on, .text = "the network takes nothing"),
    INJECTION("inject-overrun", MK_INJECT_OVERRUN, .most = UINT32_MAX, .text = "next samples that find the FIFO full"),
    INJECTION("inject-damage", MK_INJECT_DAMAGE, .most = UINT32_MAX, .text = "next samples that get a wrong bit"),
    INJECTION("inject-no-end", MK_INJECT_NO_END, .most = UINT32_MAX, .text = "next samples that lose their end flag"),
    INJECTION("inject-saturate", MK_INJECT_SATURATE, .most = UINT16_MAX, .text = "a set of counters that are full now"),
    INJECTION("inject-flip", MK_INJECT_FLIP, .most = MK_INJECT_FLIP_MOST, .text = "bit n % 32 of counter n / 32 is inverted now"),
    { .property = NULL },
};
