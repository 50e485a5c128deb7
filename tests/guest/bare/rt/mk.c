// SPDX-License-Identifier: GPL-2.0-or-later
// For both architectures.
#ifdef __powerpc64__
#include <rt.h>  // ppc's
#else
#include "mk.h"
#endif

bool mk_find(unsigned i, struct mk *card) {
  const uint32_t device = rt_pci_find(MKR_DEVICE << 16 | MKR_VENDOR, i);
  if (device == 32) return false;
  card->four = rt_pci_memory(device, MKR_BAR4);
  card->eight = rt_pci_memory(device, MKR_BAR8);
  card->sample = rt_pci_memory(device, MKR_BAR_SAMPLE);
  return true;
}
