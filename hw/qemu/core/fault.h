/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbFault - the errors that every board can have on purpose (inject.h).
 *
 *   inject-gone   on: the board is not on its bus. Each access reads all ones and writes nothing, its configuration space too; it asks for
 *                 no interrupt and reaches no memory. What it holds, hears and counts goes on. When it is back it is as it was.
 *   inject-irq    stuck-high, stuck-low: its interrupt line, whatever the board wants. pulse: high for PB_FAULT_PULSE_NS, once, without a
 *                 reason; then the property reads none. Only boards with an interrupt line have it.
 *
 * Whoever answers an access asks pb_fault_gone() (region.c), or is covered (cover.h).
 *
 * In a snapshot this is a section of its own, read into a copy and checked, and loaded before the board.
 */
#ifndef PERFBOARD_QEMU_CORE_FAULT_H
#define PERFBOARD_QEMU_CORE_FAULT_H

#include "hw/pci/pci_device.h"

#include "hw/qemu/core/cover.h"
#include "hw/qemu/core/inject.h"
#include "hw/qemu/core/time.h"

#define PB_FAULT_PULSE_NS 10000

struct PbGlue;

typedef struct PbFaultState {
    uint8_t gone;
    uint8_t irq;         /* a word of inject-irq */
    uint64_t pulse_ends; /* virtual ns; 0: there is no pulse */
} PbFaultState;

typedef struct PbFault {
    PbFaultState state, image; /* image: what a snapshot is read into */
    bool level;                /* what the board wants of its interrupt line */
    PbTimer pulse;
    PbCover cover;
    PCIConfigReadFunc *config_read;
    PCIConfigWriteFunc *config_write;
} PbFault;

void pb_fault_init(struct PbGlue *glue); /* by pb_glue_init() */
void pb_fault_leave(struct PbGlue *glue); /* from now on it is gone, whatever inject-gone says */

/* False: the property is another. Big lock held. */
bool pb_fault_injected(struct PbGlue *glue, const char *property, uint64_t *value);
bool pb_fault_inject(struct PbGlue *glue, const char *property, uint64_t value);

/* Any thread. */
bool pb_fault_gone(const struct PbGlue *glue);
/* The interrupt line's level if the board wants this one. Big lock held. */
bool pb_fault_level(struct PbGlue *glue, bool wanted);

#endif
