/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "system/runstate.h"

#include "hw/qemu/host_glue.h"

static uint64_t glue_now(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void glue_set_irq(void *opaque, bool level)
{
    PbGlue *g = opaque;
    g->ops->set_irq(g->dev, level);
}

/* Callable without the big lock: a timer has a lock of its own. Under icount it makes the
 * vCPU leave its block chain, so the deadline is met at the same instruction in every run. */
static void glue_arm(void *opaque, uint64_t deadline)
{
    PbGlue *g = opaque;
    g->deadline = deadline;
    g->late = false;
    if (deadline >= INT64_MAX) {
        timer_del(&g->timer);
    } else {
        timer_mod_ns(&g->timer, deadline);
    }
}

/* A machine may stop when a timer is due but has not run, and QEMU may run it all the same while
 * the machine stands still: when the vCPU's thread is asked to end its block, as savevm does after
 * its last look at dirty pages, it switches the virtual clock on again and looks for timers. A
 * store into a board's memories would then be missing in the snapshot, while the registers, saved
 * later, say that it was made. So nothing happens until the machine goes on: then at the same
 * virtual time. */
static void glue_expired(void *opaque)
{
    PbGlue *g = opaque;
    if (runstate_is_running() || runstate_check(RUN_STATE_SUSPENDED)) {
        g->ops->expired(g->dev);
    } else {
        g->late = true;
    }
}

static void glue_run_state(void *opaque, bool running, RunState state)
{
    PbGlue *g = opaque;
    if (running && g->late) {
        glue_arm(g, g->deadline);
    }
}

/* A board masters the bus to memory only: a device at that address is not an answer, and a
 * board that writes to its own registers cannot recurse. */
static const MemTxAttrs to_memory = { .memory = 1 };

static bool glue_dma_read(void *opaque, uint64_t addr, void *data, uint32_t bytes)
{
    return address_space_read(&address_space_memory, addr, to_memory, data, bytes) == MEMTX_OK;
}

static bool glue_dma_write(void *opaque, uint64_t addr, const void *data, uint32_t bytes)
{
    return address_space_write(&address_space_memory, addr, to_memory, data, bytes) == MEMTX_OK;
}

static void glue_log(void *opaque, enum pb_log_kind kind, const char *line)
{
    PbGlue *g = opaque;
    g_autofree char *who = g->ops->describe(g->dev);
    qemu_log_mask(kind == PB_LOG_UNIMP ? LOG_UNIMP : LOG_GUEST_ERROR, "%s%s\n", who, line);
}

void pb_glue_init(PbGlue *g, void *dev, const PbGlueOps *ops)
{
    g->ops = ops;
    g->dev = dev;
    timer_init_ns(&g->timer, QEMU_CLOCK_VIRTUAL, glue_expired, g);
    qemu_add_vm_change_state_handler(glue_run_state, g);
    g->host = (PbHost){
        .opaque = g,
        .now = glue_now,
        .set_irq = ops->set_irq ? glue_set_irq : NULL,
        .arm = glue_arm,
        .dma_read = glue_dma_read,
        .dma_write = glue_dma_write,
        .log = glue_log,
    };
}
