// SPDX-License-Identifier: GPL-2.0-or-later
//
// The PCI 9060-style runtime registers (bridge.h), and the way of the interrupt to INTA#.
#include "hw/smile/bridge.h"

#include <iterator>

#include "hw/model/log.h"
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

uint32_t held(const SmileHwm* m, const RegisterAccess& asked) {
  return m->state.card.bridge[asked.place.reg->offset / 4];
}

uint32_t intcsr_now(const SmileHwm* m, const RegisterAccess&) { return interrupts(m->state.card); }

// While the local side is in reset nothing of the design answers. The bridge itself stays as it is.
void hold_local_side(SmileHwm* m, bool reset) {
  const SmileCard card = m->state.card;
  smile_set_design(m, reset ? SMILE_NONE : design_there(m->state));
  m->state.card = card;
}

// The bits that have changed.
uint32_t store(SmileHwm* m, const RegisterAccess& asked, uint32_t value) {
  const Lanes in_place = {0, asked.lanes.mask, asked.lanes.bytes};
  uint32_t& word = stored(m, asked.place.reg->offset);
  const uint32_t old = word;
  word = bank_write(*asked.place.reg, old, in_place, value);
  return old ^ word;
}

void log_unconnected(SmileHwm* m, const RegisterAccess& asked) {
  log_unimp(m, "write to %s: stored, but nothing of this card is behind it", asked.place.reg->name.data());
}

void write_stored(SmileHwm* m, const RegisterAccess& asked, uint32_t value) { store(m, asked, value); }

void write_unconnected(SmileHwm* m, const RegisterAccess& asked, uint32_t value) {
  store(m, asked, value);
  log_unconnected(m, asked);
}

void ring(SmileHwm* m, const RegisterAccess&, uint32_t value) { stored(m, kToLocal) |= value; }

void write_control(SmileHwm* m, const RegisterAccess& asked, uint32_t value) {
  const uint32_t changed = store(m, asked, value);
  if (changed & kUnconnected) log_unconnected(m, asked);
  if (changed & kSwReset) hold_local_side(m, stored(m, kControl) & kSwReset);
}

constexpr Row kRows[] = {
    {"LAS0RR..DMPBAI", held, nullptr, write_unconnected},
    {"MBOX0..MBOX7", held, nullptr, write_stored},
    {"P2L_DOORBELL", held, nullptr, ring},
    {"L2P_DOORBELL", held, nullptr, write_stored},
    {"INTCSR", intcsr_now, nullptr, write_stored},
    {"CONTROL", held, nullptr, write_control},
    {"PCI_ID", held, nullptr, write_stored},
};

}  // namespace

constexpr Behaviours<Row> kBridgeBehaviours = behaviours<kBridgeRegisters, kRows>;

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
