/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mk.h"

enum { PCI_ID = 0x00, PCI_COMMAND = 0x04, PCI_BAR0 = 0x10, PCI_MEMORY = 2 };

static uint32_t config(uint32_t device, uint32_t offset) {
  outl(0xcf8, 0x80000000u | device << 11 | offset);
  return inl(0xcfc);
}

bool mk_find(unsigned i, struct mk *card) {
  for (uint32_t device = 0; device < 32; device++) {
    if (config(device, PCI_ID) != (MKR_DEVICE << 16 | MKR_VENDOR) || i-- > 0) continue;
    card->four = config(device, PCI_BAR0 + 4 * MKR_BAR4) & ~15u;
    card->eight = config(device, PCI_BAR0 + 4 * MKR_BAR8) & ~15u;
    card->sample = config(device, PCI_BAR0 + 4 * MKR_BAR_SAMPLE) & ~15u;
    const uint32_t command = config(device, PCI_COMMAND);
    outl(0xcfc, command | PCI_MEMORY);
    return true;
  }
  return false;
}
