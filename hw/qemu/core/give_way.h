/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whoever waits with the big lock held for what another thread does gives way: that thread may need the lock for it.
 *
 *   while (!done) { pb_give_way(20); }
 */
#ifndef PERFBOARD_QEMU_CORE_GIVE_WAY_H
#define PERFBOARD_QEMU_CORE_GIVE_WAY_H

#include "qemu/main-loop.h"

/* Big lock held, before and after; without it for so many microseconds of the host, or more. */
static inline void pb_give_way(unsigned us)
{
    bql_unlock();
    g_usleep(us);
    bql_lock();
}

#endif
