/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/core/pci.h"

void pb_pci_reset_config(PCIDevice *pci)
{
    pci_default_write_config(pci, PCI_COMMAND, 0, 2);
    for (unsigned i = 0; i < PCI_NUM_REGIONS - 1; i++) {
        pci_default_write_config(pci, PCI_BASE_ADDRESS_0 + 4 * i, 0, 4);
    }
    pci_default_write_config(pci, PCI_CACHE_LINE_SIZE, 0, 1);
    pci_default_write_config(pci, PCI_LATENCY_TIMER, 0, 1);
    pci_default_write_config(pci, PCI_INTERRUPT_LINE, 0, 1);
}

char *pb_pci_describe(PCIDevice *pci, const char *name)
{
    return g_strdup_printf("%s %02x.%x: ", name, PCI_SLOT(pci->devfn), PCI_FUNC(pci->devfn));
}
