// SPDX-License-Identifier: GPL-2.0-or-later
//
// The PCI 9060-style runtime registers (bridge.h), and the way of the interrupt to INTA#.
#include "hw/smile/bridge.h"

#include <iterator>

#include "hw/core/bank.h"
#include "hw/core/log.h"
#include "hw/smile/card.h"
#include "hw/smile/daughter.h"
#include "hw/smile/view.h"

namespace perfboard::smile {
namespace {

consteval uint32_t offset_of(std::string_view name) { return at(kBridgeRegisters, name).offset; }
consteval uint32_t bit(std::string_view reg, std::string_view field) {
  return at(kBridgeRegisters, reg).field(field).mask();
}
consteval uint32_t intcsr(std::string_view field) { return bit("INTCSR", field); }

constexpr uint32_t kToLocal = offset_of("P2L_DOORBELL"), kToPci = offset_of("L2P_DOORBELL");
constexpr uint32_t kIntcsr = offset_of("INTCSR"), kControl = offset_of("CONTROL");
constexpr uint32_t kSwReset = bit("CONTROL", "SW_RESET");
// Bits of CONTROL that a bridge with an EEPROM and a connected pin would act on.
constexpr uint32_t kUnconnected = bit("CONTROL", "RELOAD") | bit("CONTROL", "EEDO") | bit("CONTROL", "EECS") |
                                  bit("CONTROL", "EESK") | bit("CONTROL", "GPO");
static_assert(kBridgeRegisters[std::size(kBridgeRegisters) - 1].offset / 4 + 1 == SMILE_BRIDGE_WORDS);

uint32_t& stored(SmileHwm* m, uint32_t offset) { return m->state.card.bridge[offset / 4]; }

// INTCSR with its active bits, which are no memory of their own.
uint32_t interrupts(const SmileCard& card) {
  uint32_t v = card.bridge[kIntcsr / 4];
  if (card.interrupt) v |= intcsr("LOCAL_INT");
  if (card.bridge[kToPci / 4]) v |= intcsr("DOORBELL_INT");
  if (card.bridge[kToLocal / 4] && (v & intcsr("LOCAL_DOORBELL_EN"))) v |= intcsr("LOCAL_DOORBELL_INT");
  return v;
}

uint32_t word(const SmileHwm* m, const Register& reg) {
  return reg.offset == kIntcsr ? interrupts(m->state.card) : m->state.card.bridge[reg.offset / 4];
}

// While the local side is in reset nothing of the design answers. The bridge itself stays as it is.
void hold_local_side(SmileHwm* m, bool reset) {
  const SmileCard card = m->state.card;
  smile_set_design(m, reset ? SMILE_NONE : design_there(m->state));
  m->state.card = card;
}

void log_unconnected(SmileHwm* m, const Register& reg, uint32_t changed) {
  if (reg.offset < offset_of("MBOX0") || (reg.offset == kControl && (changed & kUnconnected)))
    log_unimp(m, "write to %.*s: stored, but nothing of this card is behind it", int(reg.name.size()),
              reg.name.data());
}

}  // namespace

uint32_t bridge_word(const SmileHwm* m, const Register& reg) { return word(m, reg); }

uint32_t bridge_read(SmileHwm* m, uint32_t offset, uint32_t size) {
  const Lanes lanes = Lanes::of(offset & 3, size);
  const Register* reg = find(kBridgeRegisters, offset & ~3u);
  if (reg) return bank_read(*reg, word(m, *reg), lanes);
  log_mistake(m, kNoRegister, "read of offset 0x%x: the bridge has no register there", offset);
  return lanes.mask >> lanes.shift;
}

void bridge_write(SmileHwm* m, uint32_t offset, uint32_t size, uint32_t value) {
  const Lanes lanes = Lanes::of(offset & 3, size);
  const Register* reg = find(kBridgeRegisters, offset & ~3u);
  if (!reg) {
    log_mistake(m, kNoRegister, "write to offset 0x%x: the bridge has no register there", offset);
    return;
  }
  uint32_t& word = stored(m, reg->offset);
  const uint32_t old = word;
  word = reg->offset == kToLocal ? old | (value << lanes.shift & lanes.mask)
                                 : bank_write(*reg, old, lanes, value);
  const uint32_t changed = old ^ word;
  log_unconnected(m, *reg, changed);
  if (reg->offset == kControl && (changed & kSwReset)) hold_local_side(m, word & kSwReset);
}

void bridge_reset(SmileHwm* m) {
  for (const Register& reg : kBridgeRegisters) stored(m, reg.offset) = reg.reset();
}

bool bridge_holds_local_side(const SmileCard& card) { return card.bridge[kControl / 4] & kSwReset; }

void card_interrupt(SmileHwm* m) {
  const SmileCard& card = m->state.card;
  const uint32_t v = interrupts(card);
  const bool asked = ((v & intcsr("LOCAL_EN")) && (v & intcsr("LOCAL_INT"))) ||
                     ((v & intcsr("DOORBELL_EN")) && (v & intcsr("DOORBELL_INT"))) ||
                     ((v & intcsr("ABORT_EN")) && (v & intcsr("ABORT_INT")));
  const bool level = !card.busy && (v & intcsr("PCI_EN")) && asked;
  if (m->host.set_irq) m->host.set_irq(m->host.opaque, level);
}

void check_bridge(StateCheck& check, const SmileCard& card) {
  for (uint32_t i = 0; i < SMILE_BRIDGE_WORDS; ++i) {
    const Register* reg = find(kBridgeRegisters, 4 * i);
    const uint32_t changes = reg ? reg->mask(Access::rw) | reg->mask(Access::w1c) | reg->mask(Access::wa) : 0;
    const uint32_t fixed = reg ? reg->reset() & ~changes : 0;
    check.is("bridge", card.bridge[i] & ~changes, fixed, static_cast<int>(i));
  }
}

}  // namespace perfboard::smile
