/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "system/runstate.h"

#include "hw/core/host.h"
#include "hw/qemu/core/time.h"

/* May be called without the big lock: QEMU's timers have a lock of their own. Under icount, arming a timer makes
 * the vCPU leave its chain of blocks, so the deadline is met at the same instruction in every run. */
void pb_timer_set(PbTimer *t, uint64_t ns)
{
    t->at = ns;
    t->late = false;
    if (ns >= INT64_MAX || !t->machine) {
        timer_del(&t->timer);
    } else {
        timer_mod_ns(&t->timer, ns);
    }
}

/* A timer may be due when the machine stops. QEMU may still run it while the machine stands still: a vCPU's thread that is asked to end its block
 * switches the virtual clock on again and looks for due timers. savevm asks for that after its last look at dirty pages. If the board then stored
 * into its memories, the snapshot would lack the store, but the registers, which are saved later, would tell of it. So a timer that comes in a
 * stopped machine only sets `late`. It is set again when the machine goes on, and comes at the same virtual time. */
static void expired_timer(void *opaque)
{
    PbTimer *t = opaque;
    if (runstate_is_running() || runstate_check(RUN_STATE_SUSPENDED)) {
        t->expired(t->opaque);
    } else {
        t->late = true;
    }
}

static void timer_machine_changed(void *opaque, bool running, RunState state)
{
    PbTimer *t = opaque;
    if (running && t->late) {
        pb_timer_set(t, t->at);
    }
}

void pb_timer_init(PbTimer *t, void (*expired)(void *opaque), void *opaque)
{
    *t = (PbTimer){ .at = PB_NEVER, .expired = expired, .opaque = opaque };
    timer_init_ns(&t->timer, QEMU_CLOCK_VIRTUAL, expired_timer, t);
    t->machine = qemu_add_vm_change_state_handler(timer_machine_changed, t);
}

void pb_timer_end(PbTimer *t)
{
    if (t->machine) {
        qemu_del_vm_change_state_handler(t->machine);
        t->machine = NULL;
        timer_del(&t->timer);
    }
}
