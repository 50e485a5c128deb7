/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ours.h - whether a PCI card is a board of ours, by the first word of its configuration space. */
#ifndef PERFBOARD_BARE_OURS_H
#define PERFBOARD_BARE_OURS_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/multikron/regs.h"
#include "guest/power2/regs.h"
#include "guest/sci/regs.h"
#include "guest/smile/regs.h"

static inline bool ours(uint32_t id) {
  return id == (SCIR_DEVICE << 16 | SCIR_VENDOR) || id == (MKR_DEVICE << 16 | MKR_VENDOR) || id == (P2_PCI_DEVICE << 16 | P2_PCI_VENDOR) ||
         id == (SMR_DEVICE << 16 | SMR_VENDOR);
}

#endif
