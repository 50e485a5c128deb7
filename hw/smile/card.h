// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card around the monitor, as the monitor sees it: bridge registers (bridge.cc) and CCM (ccm.cc).
//
//   k*Behaviours      what their registers do (hw/model/behaviour.h)
//   card_reset        power-on or RST#: the card's own reset; loads the flash's design by smile_set_design()
//   card_reconfigured smile_set_design() was called: what the FPGA's PCI core and bridge lose
//   card_interrupt    drives the interrupt line (host.set_irq) as latch, INTCSR and doorbell say
//   card_timer        time has come to now: the end of a load, if it is due
//   card_deadline     when card_timer is to be called; PB_NEVER
//   check_card        rules between SmileCard's members (state_ok.cc)
//
// The latch, card.interrupt, is set by the PCI_Target (ring.cc: latch_interrupt()) and cleared by the CCM,
// which then calls latch_interrupt(): a condition that still holds sets the latch again.
// smile_read/write/timer call card_interrupt() last, so that no register needs to.
#pragma once

#include "hw/model/bank.h"
#include "hw/model/behaviour.h"
#include "hw/model/state_check.h"
#include "hw/model/view.h"
#include "hw/smile/smile.h"

namespace perfboard::smile {

inline constexpr uint64_t kSecond = 1'000'000'000;  // ns

// What is known of an access to a register, of whichever table.
struct RegisterAccess {
  Place place;
  uint64_t now;
  uint32_t offset;  // in BAR 0
  Lanes lanes;
};
using Row = Behaviour<SmileHwm, SmileTarget, RegisterAccess>;
extern const Behaviours<Row> kBridgeBehaviours, kCcmBehaviours;

void bridge_reset(SmileHwm* m);
bool bridge_holds_local_side(const SmileCard& card);  // CONTROL.SW_RESET
void check_bridge(StateCheck& check, const SmileCard& card);

void card_reset(SmileHwm* m);
void card_reconfigured(SmileHwm* m);
void card_interrupt(SmileHwm* m);
void card_timer(SmileHwm* m, uint64_t now);
uint64_t card_deadline(const SmileHwm* m);
void check_card(StateCheck& check, const SmileHwm* m, const SmileState& image);

}  // namespace perfboard::smile
