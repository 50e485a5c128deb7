/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/core/stall.h"
#include "hw/qemu/core/tell.h"
#include "plugins/port.h"

static unsigned waiting[PB_MAX_VCPUS]; /* by vCPU, a bit for each kind */

bool pb_tell(const CPUState *cpu, unsigned what)
{
    return !(qatomic_fetch_or(&waiting[pb_vcpu_index(cpu)], what) & what);
}

void pb_tell_begins(const CPUState *cpu, unsigned what)
{
    qatomic_and(&waiting[pb_vcpu_index(cpu)], ~what);
}

void pb_tell_fresh(unsigned vcpu)
{
    g_assert(vcpu < PB_MAX_VCPUS);
    qatomic_set(&waiting[vcpu], 0);
}
