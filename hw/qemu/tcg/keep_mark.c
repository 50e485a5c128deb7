/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/machine.h"
#include "hw/qemu/tcg/cpu_kind.h"

static bool keep_mark;

void pb_cpu_keep_mark(bool on)
{
    keep_mark = on;
}

void pb_deliver(CPUState *cpu, void (*do_interrupt)(CPUState *cpu))
{
    bool keeps = keep_mark && pb_cpu_kind->keeps_mark && pb_cpu_kind->keeps_mark(cpu);

    do_interrupt(cpu);
    if (keeps) {
        pb_cpu_kind->set_mark(cpu);
    }
}
