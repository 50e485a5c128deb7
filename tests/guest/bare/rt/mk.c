/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mk.h"

enum { PCI_ID = 0x00, PCI_COMMAND = 0x04, PCI_BAR0 = 0x10, PCI_MEMORY = 2 };

bool mk_find(unsigned i, struct mk *card) {
  for (uint32_t device = 0; device < 32; device++) {
    if (pci_config(0, device, 0, PCI_ID) != (MKR_DEVICE << 16 | MKR_VENDOR) || i-- > 0) continue;
    card->four = pci_config(0, device, 0, PCI_BAR0 + 4 * MKR_BAR4) & ~15u;
    card->eight = pci_config(0, device, 0, PCI_BAR0 + 4 * MKR_BAR8) & ~15u;
    card->sample = pci_config(0, device, 0, PCI_BAR0 + 4 * MKR_BAR_SAMPLE) & ~15u;
    pci_config_put(0, device, 0, PCI_COMMAND, pci_config(0, device, 0, PCI_COMMAND) | PCI_MEMORY);
    return true;
  }
  return false;
}
