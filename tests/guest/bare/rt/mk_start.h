/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mk_start.h - a MULTIKRON found, and reset, with all counters on the external inputs; for mk.h and ppc/rt.h, whose functions it uses. */
#ifndef PERFBOARD_BARE_MK_START_H
#define PERFBOARD_BARE_MK_START_H

static inline bool mk_find(unsigned i, struct mk *card) {
  const uint32_t device = rt_pci_find(MKR_DEVICE << 16 | MKR_VENDOR, i);
  if (device == 32) return false;
  card->four = rt_pci_memory(device, MKR_BAR4);
  card->eight = rt_pci_memory(device, MKR_BAR8);
  card->sample = rt_pci_memory(device, MKR_BAR_SAMPLE);
  return true;
}

static inline void mk_start_external(const struct mk *c) {
  mk_put(c, MKR_RESET, 0);
  mk_put64(c, MKR_MUXSEL, 0xffff);
}

#endif
