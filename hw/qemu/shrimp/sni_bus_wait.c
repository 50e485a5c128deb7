/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SNI's processor in a node in step, with contention: what it has on its bus, and that it stands still meanwhile (hw/shrimp/bus_wait.cc). */
#include "qemu/osdep.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/shrimp/sni.h"

static void waits_behind(SniDevice *s, CPUState *cpu)
{
    if (sni_bus_waits_until(&s->board)) {
        pb_time_cut(cpu, 0);
    }
}

/* The clock shows the instruction's end, as it is alone in its block. */
void sni_observed_in_step(void *opaque, const PbTapAccess *a)
{
    SniDevice *s = opaque;
    const uint64_t ends = pb_time_now();

    qemu_mutex_lock(s->glue.mutex);
    if (!sni_begins_again(&s->board, ends)) {
        pb_glue_at(a->now);
        sni_cycle(&s->board, a->now, ends, a->addr, a->data, a->store ? a->bytes : 0);
        pb_glue_at(PB_NEVER);
    }
    sni_say_what_counts(s);
    waits_behind(s, pb_running_cpu());
    qemu_mutex_unlock(s->glue.mutex);
    s->accessed = a->store ? ends : s->accessed;
}

static uint64_t waits_until(void *dev)
{
    SniDevice *s = dev;
    uint64_t until;

    qemu_mutex_lock(s->glue.mutex);
    until = sni_bus_waits_until(&s->board);
    qemu_mutex_unlock(s->glue.mutex);
    return until;
}

static bool waited(void *dev, uint64_t now)
{
    SniDevice *s = dev;
    bool again;

    qemu_mutex_lock(s->glue.mutex);
    pb_glue_at(now);
    again = sni_bus_waited(&s->board, now);
    pb_glue_at(PB_NEVER);
    sni_say_what_counts(s);
    qemu_mutex_unlock(s->glue.mutex);
    return again;
}

void sni_access_in_step(SniDevice *s, CPUState *cpu)
{
    const uint64_t now = pb_time_now();
    bool waits;

    qemu_mutex_lock(s->glue.mutex);
    waits = sni_access_waits(&s->board, now, pb_time_of_instruction(), s->accessed == now);
    qemu_mutex_unlock(s->glue.mutex);
    if (waits) {
        pb_stall_begin_again(cpu);
    }
    s->accessed = now;
    waits_behind(s, cpu);
    sni_run(s);
}

void sni_open_bus_wait(SniDevice *s)
{
    s->bus_wait = (PbBusWait){ .until = waits_until, .come = waited, .dev = s };
    pb_time_grant_bus_wait(&s->bus_wait);
}
