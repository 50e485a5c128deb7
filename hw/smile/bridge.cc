// SPDX-License-Identifier: GPL-2.0-or-later
//
// The PCI 9060-style runtime registers.
#include "hw/core/log.h"
#include "hw/smile/card.h"

namespace perfboard::smile {

uint32_t bridge_read(SmileHwm* m, uint32_t offset, uint32_t) {
  log_guest_error(m, "read of bridge register 0x%x: there is none", offset);
  return SMILE_NO_ANSWER;
}
void bridge_write(SmileHwm* m, uint32_t offset, uint32_t, uint32_t) {
  log_guest_error(m, "write to bridge register 0x%x: there is none", offset);
}

}  // namespace perfboard::smile
