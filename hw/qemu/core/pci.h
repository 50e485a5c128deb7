/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What boards on PCI share.
 */
#ifndef PERFBOARD_QEMU_CORE_PCI_H
#define PERFBOARD_QEMU_CORE_PCI_H

#include "hw/pci/pci_device.h"

/* pci_default_write_config(), but the board's windows come, move and go between two blocks (commit.h). Big lock held. */
void pb_pci_write_config(PCIDevice *pci, uint32_t addr, uint32_t value, int len);

/* The configuration space's registers that software writes are as after a reset: the windows are gone. Big lock held. */
void pb_pci_reset_config(PCIDevice *pci);

/* PbGlueOps.set_irq of a card with an interrupt pin. */
void pb_pci_set_irq(void *dev, bool level);

#endif
