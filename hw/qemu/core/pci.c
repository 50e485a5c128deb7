/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/range.h"
#include "exec/memory.h"

#include "hw/qemu/core/commit.h"
#include "hw/qemu/core/pci.h"

static bool moves_windows(uint32_t addr, int len)
{
    return ranges_overlap(addr, len, PCI_COMMAND, 1) || ranges_overlap(addr, len, PCI_BASE_ADDRESS_0, 24) ||
           ranges_overlap(addr, len, PCI_ROM_ADDRESS, 4);
}

void pb_pci_write_config(PCIDevice *pci, uint32_t addr, uint32_t value, int len)
{
    if (!moves_windows(addr, len)) {
        pci_default_write_config(pci, addr, value, len);
        return;
    }
    memory_region_transaction_begin();
    pci_default_write_config(pci, addr, value, len);
    pb_windows_commit();
}

void pb_pci_reset_config(PCIDevice *pci)
{
    pb_pci_write_config(pci, PCI_COMMAND, 0, 2);
    for (unsigned i = 0; i < PCI_NUM_REGIONS - 1; i++) {
        pb_pci_write_config(pci, PCI_BASE_ADDRESS_0 + 4 * i, 0, 4);
    }
    pci_default_write_config(pci, PCI_CACHE_LINE_SIZE, 0, 1);
    pci_default_write_config(pci, PCI_LATENCY_TIMER, 0, 1);
    pci_default_write_config(pci, PCI_INTERRUPT_LINE, 0, 1);
}

void pb_pci_set_irq(void *dev, bool level)
{
    pci_set_irq(dev, level);
}
