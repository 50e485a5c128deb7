// SPDX-License-Identifier: GPL-2.0-or-later
//
// The configuration cache manager, and the interrupt's way out.
#include "hw/core/log.h"
#include "hw/smile/card.h"

namespace perfboard::smile {

uint32_t ccm_read(SmileHwm* m, uint32_t offset, uint32_t) {
  log_guest_error(m, "read of CCM register 0x%x: there is none", offset);
  return SMILE_NO_ANSWER;
}
void ccm_write(SmileHwm* m, uint32_t offset, uint32_t, uint32_t) {
  log_guest_error(m, "write to CCM register 0x%x: there is none", offset);
}

void card_reset(SmileHwm* m) {
  m->state.card = {};
  smile_set_design(m, m->config.initial);
}
void card_reconfigured(SmileHwm*) {}
void card_interrupt(SmileHwm* m) {
  if (m->host.set_irq) m->host.set_irq(m->host.opaque, m->state.card.interrupt);
}
void card_timer(SmileHwm*, uint64_t) {}
uint64_t card_deadline(const SmileHwm*) { return PB_NEVER; }

void check_card(StateCheck& check, const SmileHwm*, const SmileState& image) {
  const auto& [interrupt] = image.card;
  check.part("card");
  check.flag("interrupt", interrupt);
}

}  // namespace perfboard::smile
