/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Until plugins/special.h is there. Weak: what comes takes its place. */
#include "qemu/osdep.h"

#define UNTIL __attribute__((weak))

void pb_special_watch(bool on);
void pb_special_read(unsigned vcpu, uint64_t by_context[4]);

UNTIL void pb_special_watch(bool on)
{
}

UNTIL void pb_special_read(unsigned vcpu, uint64_t by_context[4])
{
    memset(by_context, 0, 4 * sizeof(*by_context));
}
