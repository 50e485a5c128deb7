/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bus - the memory that devices read and write, seen line by line where the machine moves it. For the events dma-reads and
 * dma-writes (events.h).
 *
 *   pb_bus_line(256);                 a line has so many bytes (while devices are made)
 *   pb_bus_open(moved);               once, while devices are made: who is to be told
 *   pb_bus_watch(true);               from now on moved(write) is called for each line that a device reads or writes
 *
 * What is seen: PCI devices, by an IOMMU of ours that maps everything to itself, or by the machine's own (pseries, intel-iommu);
 * virtio devices, whether they use that IOMMU or not. A transfer is a line for each line of memory that it touches; where
 * a device accesses memory piece by piece (descriptors, rings), each access is. Memory that a device keeps mapped (AHCI's
 * lists) is seen when it is mapped. Not seen: devices without PCI or virtio (the ISA bus's DMA, fw_cfg), vhost.
 *
 * hw/qemu/core/bus.c implements it.
 */
#ifndef PERFBOARD_PLUGINS_BUS_H
#define PERFBOARD_PLUGINS_BUS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PB_BUS_LINE 128
void pb_bus_line(uint32_t bytes); /* a power of two, 16 to 4096; at first PB_BUS_LINE */
void pb_bus_open(void (*moved)(bool write)); /* moved: any thread; not the same line again and again for one access */
void pb_bus_watch(bool on);                  /* big lock held */

#ifdef __cplusplus
}
#endif
#endif
