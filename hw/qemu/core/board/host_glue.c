/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/inspect/inspect.h"
#include "hw/qemu/core/board/host_glue.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "plugins/taps.h"

static bool looked_at(const PbGlue *g)
{
    return qatomic_read(&g->attention) & (PB_LOOKED_AT | PB_MAY_BREAK);
}

void pb_spin_wait(QemuSpin *spin)
{
    enum { POLLS = 256 };

    do {
        for (int i = 0; qemu_spin_locked(spin); i++) {
            if (i < POLLS) {
                cpu_relax();
            } else {
                sched_yield();
            }
        }
    } while (qemu_spin_trylock(spin));
}

bool pb_glue_looked_at;
static __thread uint64_t told_at = PB_NEVER;

void pb_glue_say_time(uint64_t ns)
{
    told_at = ns;
}

uint64_t pb_glue_time(void)
{
    return told_at == PB_NEVER ? pb_time_now() : told_at;
}

static uint64_t glue_now(void *opaque)
{
    return pb_time_now();
}

static void glue_set_irq(void *opaque, bool level)
{
    PbGlue *g = opaque;

    level = pb_fault_level(g, level);
    if (g->irq != level) {
        g->irq = level;
        g->irq_ns = pb_glue_time();
        if (looked_at(g)) {
            pb_inspect_irq(g->inspect, level);
        }
    }
    g->ops->set_irq(g->dev, level);
}

static void glue_arm(void *opaque, uint64_t deadline)
{
    pb_timer_set(&((PbGlue *)opaque)->timer, deadline);
}

/* A board's DMA reaches memory only. An access to a device's address fails, so a board cannot call itself by
 * writing to its own registers. */
static const MemTxAttrs to_memory = { .memory = 1 };

static bool glue_dma_read(void *opaque, uint64_t addr, void *data, uint32_t bytes)
{
    return !pb_fault_gone(opaque) &&
           address_space_read(&address_space_memory, addr, to_memory, data, bytes) == MEMTX_OK;
}

static bool glue_dma_write(void *opaque, uint64_t addr, const void *data, uint32_t bytes)
{
    return !pb_fault_gone(opaque) &&
           address_space_write(&address_space_memory, addr, to_memory, data, bytes) == MEMTX_OK;
}

void pb_pci_set_irq(void *dev, bool level)
{
    pci_set_irq(dev, level);
}

char *pb_glue_unit(const PbGlue *g)
{
    const PCIDevice *pci = (PCIDevice *)object_dynamic_cast(g->dev, TYPE_PCI_DEVICE);

    if (pci) {
        return g_strdup_printf("%02x.%x", PCI_SLOT(pci->devfn), PCI_FUNC(pci->devfn));
    }
    if (object_property_find(g->dev, "slot")) {
        return g_strdup_printf("%" PRIu64, object_property_get_uint(g->dev, "slot", &error_abort));
    }
    return NULL;
}

char *pb_glue_describe(const PbGlue *g)
{
    g_autofree char *unit = pb_glue_unit(g);
    const char *name = object_get_typename(g->dev);

    if (!unit) {
        return g_strdup_printf("%s: ", name);
    }
    return object_dynamic_cast(g->dev, TYPE_PCI_DEVICE) ? g_strdup_printf("%s %s: ", name, unit) : g_strdup_printf("EISA slot %s: %s: ", unit, name);
}

static void glue_log(void *opaque, enum pb_log_kind kind, const char *line)
{
    PbGlue *g = opaque;

    if (qemu_loglevel_mask(kind == PB_LOG_UNIMP ? LOG_UNIMP : LOG_GUEST_ERROR)) {
        g_autofree char *who = pb_glue_describe(g);
        qemu_log("%s%s\n", who, line);
    }
}

static void glue_mistake(void *opaque, unsigned number, const char *line)
{
    PbGlue *g = opaque;

    if (looked_at(g)) {
        pb_inspect_mistake(g->inspect, number, line);
    }
    glue_log(opaque, PB_LOG_GUEST_ERROR, line);
}

static void glue_effect(void *opaque, unsigned number, uint64_t value)
{
    PbGlue *g = opaque;

    if (looked_at(g)) {
        pb_inspect_effect(g->inspect, number, value);
    }
}

void pb_glue_reset(PbGlue *g)
{
    if (looked_at(g)) {
        pb_inspect_reset(g->inspect);
    }
}

void pb_glue_injected(PbGlue *g, const char *property, uint64_t value)
{
    if (looked_at(g)) {
        pb_inspect_injected(g->inspect, property, value);
    }
}

void pb_glue_init(PbGlue *g, void *dev, const PbGlueOps *ops)
{
    g->ops = ops;
    g->dev = dev;
    pb_timer_init(&g->timer, pb_glue_expired, g);
    qemu_spin_init(&g->spin);
    if (ops->lock == PB_MUTEX) {
        qemu_mutex_init(&g->own_mutex);
        g->mutex = &g->own_mutex;
    }
    g->host = (PbHost){
        .opaque = g,
        .now = glue_now,
        .set_irq = ops->set_irq ? glue_set_irq : NULL,
        .arm = glue_arm,
        .dma_read = glue_dma_read,
        .dma_write = glue_dma_write,
        .log = glue_log,
        .mistake = glue_mistake,
        .effect = glue_effect,
    };
    pb_inject_init(g);
    pb_fault_init(g);
}

void pb_glue_leave(PbGlue *g)
{
    if (!g->timer.machine) { /* not begun, or done */
        return;
    }
    if (g->machine) {
        qemu_del_vm_change_state_handler(g->machine);
    }
    if (g->at_end.notify) {
        notifier_remove(&g->at_end);
    }
    if (g->tap) {
        pb_tap_close(g->tap);
    }
    pb_timer_end(&g->timer);
    pb_glue_look_away(g);
    pb_inject_leave(g);
    pb_fault_leave(g);
    pb_break_leave(g->dev);
}

void pb_glue_free(PbGlue *g)
{
    pb_inject_free(g);
    pb_master_abort_free(&g->fault.master_abort);
    g_free(g->loaded);
    g_free(g->windows);
    if (g->tap) {
        pb_tap_free(g->tap);
    }
    if (g->inspect) {
        pb_inspect_free(g->inspect);
    }
}
