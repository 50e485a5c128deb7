/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/series/insides.h"

enum { IRQ_NONE, IRQ_STUCK_HIGH, IRQ_STUCK_LOW, IRQ_PULSE }; /* the words of hw/model/generic_injections.h */

/* --- accesses --------------------------------------------------------------------- */

bool pb_fault_gone(const PbGlue *g)
{
    return qatomic_read(&g->fault.state.gone);
}

/* What the state says, in the windows (master_abort.c, region.c). */
static void show_gone(PbGlue *g)
{
    bool gone = pb_fault_gone(g);

    qatomic_set(&g->attention, gone ? g->attention | PB_GONE : g->attention & ~PB_GONE);
    pb_master_abort_set(&g->fault.master_abort, gone);
}

static uint32_t config_read(PCIDevice *pci, uint32_t addr, int len)
{
    const PbGlue *g = pb_board_glue(OBJECT(pci));
    return pb_fault_gone(g) ? UINT32_MAX >> (32 - 8 * len) : g->fault.config_read(pci, addr, len);
}

static void config_write(PCIDevice *pci, uint32_t addr, uint32_t value, int len)
{
    const PbGlue *g = pb_board_glue(OBJECT(pci));
    if (!pb_fault_gone(g)) {
        g->fault.config_write(pci, addr, value, len);
    }
}

/* --- the interrupt line ------------------------------------------------------------- */

bool pb_fault_level(PbGlue *g, bool wanted)
{
    const PbFaultState *s = &g->fault.state;

    g->fault.level = wanted;
    return !s->gone && s->irq != IRQ_STUCK_LOW && (wanted || s->irq != IRQ_NONE);
}

static void drive(PbGlue *g)
{
    if (g->host.set_irq) {
        g->host.set_irq(g->host.opaque, g->fault.level);
    }
}

static void arm_pulse(PbFault *f)
{
    pb_timer_set(&f->pulse, f->state.irq == IRQ_PULSE ? f->state.pulse_ends : PB_NEVER);
}

static void pulse_over(void *opaque)
{
    PbGlue *g = opaque;

    g->fault.state.irq = IRQ_NONE;
    g->fault.state.pulse_ends = 0;
    drive(g);
}

/* --- the injections ----------------------------------------------------------------- */

static void set_gone(PbGlue *g, bool gone)
{
    qatomic_set(&g->fault.state.gone, gone);
    show_gone(g);
}

static void set_irq(PbGlue *g, uint64_t value)
{
    g->fault.state.irq = value;
    g->fault.state.pulse_ends = value == IRQ_PULSE ? pb_time_now() + PB_FAULT_PULSE_NS : 0;
    arm_pulse(&g->fault);
}

bool pb_fault_injected(PbGlue *g, const char *property, uint64_t *value)
{
    bool gone = !strcmp(property, "inject-gone");

    if (!gone && strcmp(property, "inject-irq")) {
        return false;
    }
    *value = gone ? pb_fault_gone(g) : g->fault.state.irq;
    return true;
}

bool pb_fault_inject(PbGlue *g, const char *property, uint64_t value)
{
    if (!strcmp(property, "inject-gone")) {
        set_gone(g, value);
    } else if (!strcmp(property, "inject-irq")) {
        set_irq(g, value);
    } else {
        return false;
    }
    drive(g);
    return true;
}

/* --- snapshots ---------------------------------------------------------------------- */

static int fault_pre_save(void *opaque)
{
    PbFault *f = opaque;
    f->image = f->state;
    return 0;
}

static bool image_ok(const PbFaultState *s, char *why, size_t size)
{
    bool pulse = s->irq == IRQ_PULSE;
    uint64_t latest = pb_time_now() + PB_FAULT_PULSE_NS;

    if (s->gone > 1) {
        snprintf(why, size, "gone=%u: legal are 0 and 1", s->gone);
    } else if (s->irq > IRQ_PULSE) {
        snprintf(why, size, "irq=%u: legal are 0 to %u", s->irq, IRQ_PULSE);
    } else if (pulse ? s->pulse_ends > latest : s->pulse_ends) {
        snprintf(why, size, "pulse_ends=%" PRIu64 ": legal are 0 to %" PRIu64, s->pulse_ends, pulse ? latest : 0);
    } else {
        return true;
    }
    return false;
}

static int fault_post_load(void *opaque, int version)
{
    PbFault *f = opaque;
    PbGlue *g = container_of(f, PbGlue, fault);
    char why[PB_WHY_BYTES];

    if (!image_ok(&f->image, why, sizeof(why))) {
        g_autofree char *who = pb_glue_describe(g);
        error_report("%sthe snapshot is damaged, and its errors on purpose stay as they were: %s", who, why);
        return -EINVAL;
    }
    f->state = f->image;
    arm_pulse(f);
    show_gone(g);
    return 0;
}

static const VMStateDescription vmstate_fault = {
    .name = "perfboard-fault",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = fault_pre_save,
    .post_load = fault_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8(image.gone, PbFault),
        VMSTATE_UINT8(image.irq, PbFault),
        VMSTATE_UINT64(image.pulse_ends, PbFault),
        VMSTATE_END_OF_LIST()
    }
};

void pb_fault_init(PbGlue *g)
{
    PCIDevice *pci = (PCIDevice *)object_dynamic_cast(g->dev, TYPE_PCI_DEVICE);

    g->fault.master_abort.board = g->dev;
    pb_timer_init(&g->fault.pulse, pulse_over, g);
    vmstate_register_any(VMSTATE_IF(g->dev), pb_vmstate(&vmstate_fault), &g->fault);
    if (pci) {
        pb_inside_needed("config", pci->config_write == (PCI_DEVICE_GET_CLASS(pci)->config_write ?: pci_default_write_config));
        g->fault.config_read = pci->config_read;
        g->fault.config_write = pci->config_write;
        pci->config_read = config_read;
        pci->config_write = config_write;
    }
}

void pb_fault_leave(PbGlue *g)
{
    PCIDevice *pci = (PCIDevice *)object_dynamic_cast(g->dev, TYPE_PCI_DEVICE);

    pb_timer_end(&g->fault.pulse);
    vmstate_unregister(VMSTATE_IF(g->dev), pb_vmstate(&vmstate_fault), &g->fault);
    if (pci) {
        pci->config_read = g->fault.config_read;
        pci->config_write = g->fault.config_write;
    }
    qatomic_set(&g->fault.state.gone, true);
    qatomic_set(&g->attention, g->attention | PB_GONE);
    pb_master_abort_leave(&g->fault.master_abort);
}
