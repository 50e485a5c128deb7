/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Windows that come, move and go while the guest runs.
 *
 *   memory_region_transaction_begin();
 *   ... memory_region_add_subregion(), memory_region_set_enabled() ...
 *   pb_map_update();                   in the place of memory_region_transaction_commit()
 *
 * When. The map of memory changes between two blocks, when no vCPU runs: each one stops before its next block. An access to a device
 * is the last of its block. So no instruction behind the access that moves a window finds the old map; nor does one behind another
 * vCPU's access that shows what was written. If all vCPUs stand still the map changes at once.
 *
 * Why. Otherwise a guest could end QEMU. What a vCPU's TLB knows of a device is its number in the map of memory, and builds of
 * QEMU 10.0 look that number up in the newest map (iotlb_to_section). A vCPU that is in the middle of a block then reaches
 * another device, or none: then QEMU asserts. QEMU's own devices have this fault. So may a guest that moves their windows reach
 * ours with any offset: PbRegion (window.h) looks at it. */
#ifndef PERFBOARD_QEMU_CORE_MAP_UPDATE_H
#define PERFBOARD_QEMU_CORE_MAP_UPDATE_H

#include "hw/qemu/series/qemu.h"

/* Big lock held. */
void pb_map_update(void);
/* The same, for a board that goes: it lives at least until no vCPU is in a block that began before. Then gone() is called, if there is one. */
void pb_map_update_last(Object *board, void (*gone)(void *board));

/* pci_default_write_config(), but the board's windows come, move and go between two blocks. Big lock held. */
void pb_pci_write_config(PCIDevice *pci, uint32_t addr, uint32_t value, int len);

/* The configuration space's registers that software writes are as after a reset: the windows are gone. Big lock held. */
void pb_pci_reset_config(PCIDevice *pci);

#endif
