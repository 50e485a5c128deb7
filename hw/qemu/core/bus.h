/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bus - the memory that devices read and write, seen line by line where the machine moves it. For the events dma-reads and
 * dma-writes (plugins/events.h).
 *
 *   pb_bus_line(256);                 a line has so many bytes (while devices are made)
 *
 * What is seen: PCI devices, by an IOMMU of ours that maps everything to itself, or by the machine's own (pseries, intel-iommu);
 * virtio devices, whether they use that IOMMU or not. A transfer is a line for each line of memory that it touches; where
 * a device accesses memory piece by piece (descriptors, rings), each access is. Memory that a device keeps mapped (AHCI's
 * lists) is seen when it is mapped. Not seen: devices without PCI or virtio (the ISA bus's DMA, fw_cfg), vhost.
 *
 * plugins/machine.h says how observation is told (bus_open, bus_watch).
 */
#ifndef PB_BUS_H
#define PB_BUS_H

#include <stdint.h>

#define PB_BUS_LINE 128
void pb_bus_line(uint32_t bytes); /* a power of two, 16 to 4096; at first PB_BUS_LINE */

#endif
