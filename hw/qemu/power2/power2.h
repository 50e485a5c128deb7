/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The POWER2 performance monitor's QOM object: shared by its shim (power2.c) and its snapshot description. */
#ifndef PERFBOARD_QEMU_POWER2_H
#define PERFBOARD_QEMU_POWER2_H

#include "hw/pci/pci_device.h"

#include "hw/qemu/core/host_glue.h"

#define TYPE_POWER2_PM "power2-pm"
OBJECT_DECLARE_SIMPLE_TYPE(Power2Device, POWER2_PM)

struct Power2Device {
    PCIDevice parent_obj;
    PbGlue glue;
    MemoryRegion little, big; /* the same registers in either byte order */
    uint32_t vcpus;
    uint32_t (*registers)[64]; /* by vCPU: until the monitor's model is there */
};

#endif
