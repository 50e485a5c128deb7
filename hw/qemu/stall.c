/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "qemu/seqlock.h"
#include "exec/cpu-common.h"
#include "hw/core/cpu.h"
#include "system/cpu-timers.h"
#include "system/cpu-timers-internal.h"
#include "system/runstate.h"

#include "hw/core/host.h"
#include "hw/qemu/stall.h"
#include "plugins/events.h"

/* The virtual time that an instruction takes: what the clock gains between a stop in front of an
 * access and the access. */
static uint64_t instruction_ns(void)
{
    return use_icount ? UINT64_C(1) << timers_state.icount_time_shift : 0;
}

static void release(void *opaque)
{
    PbStall *s = opaque;
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        /* A machine that is stopped lets all its vCPUs run when it goes on. */
        if (test_and_clear_bit(cpu->cpu_index, s->held) && runstate_is_running()) {
            cpu->stopped = false;
            qemu_cpu_kick(cpu);
        }
    }
}

void pb_stall_init(PbStall *s)
{
    timer_init_ns(&s->timer, QEMU_CLOCK_VIRTUAL, release, s);
}

void pb_stall_release_at(PbStall *s, uint64_t ns)
{
    if (ns >= INT64_MAX) {
        timer_del(&s->timer);
    } else {
        timer_mod_ns(&s->timer, ns - MIN(ns, instruction_ns()));
    }
}

/* Not current_cpu: thread-local data of the program that loads a plugin cannot be referred to. */
static CPUState *running_cpu(void)
{
    CPUState *cpu;
    CPU_FOREACH(cpu) {
        if (cpu->running && qemu_cpu_is_self(cpu)) {
            return cpu;
        }
    }
    return NULL;
}

CPUState *pb_accessing_cpu(MemTxAttrs attrs)
{
    return attrs.unspecified ? NULL : running_cpu();
}

void pb_stall_hold(PbStall *s, CPUState *cpu)
{
    set_bit(cpu->cpu_index, s->held);
    cpu->stopped = true;
    pb_event_retried(cpu->cpu_index);
    cpu->exception_index = EXCP_INTERRUPT; /* out of the execution loop, to look at `stopped` */
    cpu_loop_exit_restore(cpu, cpu->mem_io_pc);
}
