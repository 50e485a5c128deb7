/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/core/tell.h"
#include "plugins/port.h"

static unsigned waiting[PB_MAX_VCPUS + 1]; /* by vCPU, a bit for each kind */

bool pb_tell(const CPUState *cpu, unsigned what)
{
    g_assert((unsigned)cpu->cpu_index < ARRAY_SIZE(waiting));
    return !(qatomic_fetch_or(&waiting[cpu->cpu_index], what) & what);
}

void pb_tell_begins(const CPUState *cpu, unsigned what)
{
    qatomic_and(&waiting[cpu->cpu_index], ~what);
}

void pb_tell_fresh(unsigned vcpu)
{
    if (vcpu < ARRAY_SIZE(waiting)) {
        qatomic_set(&waiting[vcpu], 0);
    }
}
