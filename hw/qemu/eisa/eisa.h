/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * EISA bus for QEMU - slot-specific I/O, interrupt lines that boards share, memory windows.
 *
 * A board is a TYPE_EISA_DEVICE with a slot. Its class says how its slot I/O is read and
 * written (offset 0x000..0xfff in the slot; the bus decodes n000-n0FF, n400-n4FF, n800-n8FF
 * and nC00-nCFF only). Boards put their memory windows into eisa_memory(), where RAM and PCI
 * BARs win over them, as on a bridge that decodes subtractively. Window 0 of a board's view is its slot, 0x000 to 0xfff.
 */
#ifndef PERFBOARD_QEMU_EISA_H
#define PERFBOARD_QEMU_EISA_H

#include "hw/qdev-core.h"
#include "exec/memory.h"
#include "qom/object.h"

#include "hw/qemu/core/region.h"

#define TYPE_EISA_BUS "EISA"
#define TYPE_EISA_DEVICE "eisa-device"
OBJECT_DECLARE_TYPE(EisaDevice, EisaDeviceClass, EISA_DEVICE)
OBJECT_DECLARE_SIMPLE_TYPE(EisaBus, EISA_BUS)

struct EisaDeviceClass {
    DeviceClass parent_class;
    uint32_t (*slot_read)(EisaDevice *dev, uint32_t offset, uint32_t size);
    void (*slot_write)(EisaDevice *dev, uint32_t offset, uint32_t value, uint32_t size);
    void (*board_realize)(EisaDevice *dev, Error **errp);
};

struct EisaDevice {
    DeviceState parent_obj;
    uint32_t slot;
    uint16_t drives; /* lines: bit n is IRQ n; one at most */
    MemoryRegion io[4];
    PbRegion region[4];
    PbGlue *glue; /* board_realize() sets it */
};

/* Drive line irq (-1: none, any level) for this board; a line is high while any board drives it. */
void eisa_set_irq(EisaDevice *dev, int irq, bool level);
MemoryRegion *eisa_memory(EisaDevice *dev);
EisaBus *eisa_bus(EisaDevice *dev);
/* "EISA slot 2: surfboard: " prefix for log lines; free with g_free. */
char *eisa_describe(EisaDevice *dev);

#endif
