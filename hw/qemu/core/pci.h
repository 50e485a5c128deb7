/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What boards on PCI share.
 */
#ifndef PERFBOARD_QEMU_CORE_PCI_H
#define PERFBOARD_QEMU_CORE_PCI_H

#include "hw/pci/pci_device.h"

/* pci_default_write_config(), but the board's windows come, move and go between two blocks, when no vCPU runs: before the
 * calling vCPU's next block. Otherwise a guest could end QEMU. What a vCPU's TLB knows of a device is its number in the
 * map of memory, and builds of QEMU 10.0 look that number up in the newest map (iotlb_to_section). So a vCPU that is in the middle of
 * a block while another one moves a window reaches another device, or none: then QEMU asserts. Big lock held. */
void pb_pci_write_config(PCIDevice *pci, uint32_t addr, uint32_t value, int len);

/* Ends a transaction of changes to memory regions, in the same way: between two blocks. Big lock held. */
void pb_windows_commit(void);

/* The configuration space's registers that software writes are as after a reset: the windows are gone. Big lock held. */
void pb_pci_reset_config(PCIDevice *pci);

/* "multikron 04.0: ", for log lines; freed with g_free. */
char *pb_pci_describe(PCIDevice *pci, const char *name);

#endif
