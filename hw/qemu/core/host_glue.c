/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "system/runstate.h"

#include "hw/qemu/core/host_glue.h"

static uint64_t glue_now(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void glue_set_irq(void *opaque, bool level)
{
    PbGlue *g = opaque;
    g->ops->set_irq(g->dev, level);
}

/* May be called without the big lock: QEMU's timers have a lock of their own. Under icount, arming a timer makes
 * the vCPU leave its chain of blocks, so the deadline is met at the same instruction in every run. */
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

/* A timer may be due when the machine stops. QEMU may still run this timer while the machine stands still: a vCPU's
 * thread that is asked to end its block switches the virtual clock on again and looks for due timers. savevm asks
 * for that after its last look at dirty pages. If the board then stored into its memories, the snapshot would lack
 * the store, but the registers, which are saved later, would tell of it. So a timer that comes in a stopped machine
 * only sets `late`. It is armed again when the machine goes on, and comes at the same virtual time. */
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

/* A board's DMA reaches memory only. An access to a device's address fails, so a board cannot call itself by
 * writing to its own registers. */
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
