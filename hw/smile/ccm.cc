// SPDX-License-Identifier: GPL-2.0-or-later
//
// The configuration cache manager (ccm.h): loads an image into the card's FPGA, and has the interrupt's
// latch.
//
// A load takes as long as the image's bits at CCLK. Its outcome is worked out when it begins, since neither
// flash nor RAM cache can change while the card is off the bus. What is wrong with an image shows at the bit
// where the FPGA finds it. Then the initial configuration is loaded from flash, which takes its own time.
#include "hw/smile/ccm.h"

#include "hw/model/log.h"
#include "hw/smile/card.h"
#include "hw/smile/daughter.h"
#include "hw/smile/image.h"
#include "hw/smile/view.h"

namespace perfboard::smile {
namespace {

constexpr const Field& kLoad = at(kCcmRegisters, "CCM_COMMAND").field("LOAD");

enum Source : uint8_t { kFlash, kSlot0, kSlot1 };

consteval const Field& status_field(std::string_view name) {
  return at(kCcmRegisters, "CCM_STATUS").field(name);
}

uint32_t interrupt(const SmileHwm* m, const RegisterAccess&) { return !m->state.card.interrupt; }
uint32_t loaded(const SmileHwm* m, const RegisterAccess&) { return m->state.card.loaded; }
uint32_t status(const SmileHwm* m, const RegisterAccess&) {
  const SmileCard& card = m->state.card;
  uint32_t v = status_field("BUSY").set(0, card.busy);
  v = status_field("DONE").set(v, card.done);
  v = status_field("ERROR").set(v, card.error);
  return status_field("SOURCE").set(v, card.source);
}

LoadedImage load_from(const SmileHwm* m, uint8_t source) {
  const SmileConfig& c = m->config;
  const Board board = c.two ? Board::kCard : Board::kOne;
  if (source != kFlash)
    return c.cache ? load_image(c.cache + (source - kSlot0) * SMILE_SLOT_BYTES, SMILE_SLOT_BYTES, board)
                   : LoadedImage{};
  if (c.flash) return load_image(c.flash, SMILE_FLASH_BYTES, board);
  LoadedImage built_in{};  // a bench without a flash
  built_in.ok = true;
  built_in.clocks = kFpga.stream_bits();
  built_in.image.design = static_cast<uint8_t>(c.initial);
  return built_in;
}

uint64_t load_ns(const SmileHwm* m, uint64_t clocks) {
  return (clocks * kSecond + m->config.cclk - 1) / m->config.cclk;
}

// An error on purpose: the last frame's CRC is found to be wrong.
bool breaks_image(SmileHwm* m, uint8_t source) {
  uint32_t& left = m->state.inject.image;
  return source != kFlash && left && left--;
}

// What there will be in the FPGA; returns CCLKs that it takes.
uint64_t load(SmileHwm* m, uint8_t source) {
  SmileCard& card = m->state.card;
  LoadedImage l = load_from(m, source);
  const bool broken = breaks_image(m, source);
  l.ok &= !broken;
  uint64_t clocks = l.clocks;
  card.error = !l.ok;
  card.done = l.ok;
  card.source = source;
  if (!l.ok && source != kFlash) {
    tell_effect(m, effect("load-failed"), l.clocks);
    if (!broken)
      log_mistake(
          m, mistake("bad-image"),
          "CCM_COMMAND: slot %u of the RAM cache holds no configuration for this card (wrong after %u bits); "
          "the flash's is loaded",
          source - kSlot0, l.clocks);
    l = load_from(m, kFlash);
    clocks += l.clocks;
    card.source = kFlash;
  }
  card.loaded = l.ok ? l.image.design : uint8_t{SMILE_NONE};
  return clocks;
}

// Its first byte is the command.
void begin_load(SmileHwm* m, const RegisterAccess& asked, uint32_t value) {
  const uint32_t source = kLoad.get(value);
  SmileCard& card = m->state.card;
  if (asked.place.byte != 0) return;
  if (card.busy || source > kSlot1) {
    if (card.busy)
      log_mistake(m, mistake("load-under-way"), "CCM_COMMAND: a load is under way; ignored");
    else
      log_mistake(m, mistake("no-source"), "CCM_COMMAND: there is no source 3; ignored");
    return;
  }
  const uint64_t clocks = load(m, static_cast<uint8_t>(source));
  card.busy = 1;
  tell_effect(m, effect("load-begun"), source);
  card.ready = m->host.now(m->host.opaque) + load_ns(m, clocks);
  smile_set_design(m, SMILE_NONE);
}

// smile_write() looks at the condition again (settle).
void clear_latch(SmileHwm* m, const RegisterAccess&, uint32_t) {
  if (m->state.card.interrupt) tell_effect(m, effect("latch-cleared"));
  m->state.card.interrupt = 0;
}

constexpr Row kRows[] = {
    {"CCM_INTERRUPT", interrupt}, {"CCM_COMMAND", {}, nullptr, begin_load}, {"CCM_STATUS", status},
    {"CCM_DESIGN", loaded},       {"CCM_CLEAR", {}, nullptr, clear_latch},
};

}  // namespace

constexpr Behaviours<Row> kCcmBehaviours = behaviours<kCcmRegisters, kRows>;

void card_reset(SmileHwm* m) {
  m->state.card = SmileCard{};
  m->state.card.ready = PB_NEVER;
  load(m, kFlash);  // no time passes: it is there when the machine begins
  smile_set_design(m, design_there(m->state));
}

void card_reconfigured(SmileHwm* m) { bridge_reset(m); }

void card_timer(SmileHwm* m, uint64_t now) {
  SmileCard& card = m->state.card;
  if (!card.busy || now < card.ready) return;
  card.busy = 0;
  card.ready = PB_NEVER;
  smile_set_design(m, design_there(m->state));
  tell_effect(m, effect("design-loaded"), m->state.card.loaded);
}

uint64_t card_deadline(const SmileHwm* m) { return m->state.card.ready; }

void check_card(StateCheck& check, const SmileHwm* m, const SmileState& image) {
  const SmileCard& card = image.card;
  const bool away = card.busy || bridge_holds_local_side(card), two = m->config.two;
  {
    const StateCheck::Part part(check, "card");
    check.is("error", card.error, !card.done);
    check.in("source", card.source, kFlash, card.done ? kSlot1 : kFlash);
    check.that(!two || card.loaded == SMILE_NONE || card.loaded == SMILE_TARGET, "loaded", card.loaded,
               "legal with a daughter board are 0 and 3");
    check.in("ready", card.ready, card.busy ? 0 : PB_NEVER, card.busy ? INT64_MAX : PB_NEVER);
    check_bridge(check, card);
  }
  const StateCheck::Part part(check, "target");
  check.is("design", image.target.design, away ? SMILE_NONE : design_there(image));
}

}  // namespace perfboard::smile

bool smile_away(const SmileHwm* m) { return m->state.card.busy; }

bool smile_image_ok(const uint8_t* image, uint32_t bytes, enum smile_fpga fpga, uint32_t* clocks) {
  using perfboard::smile::Board;
  constexpr Board kBoards[] = {Board::kOne, Board::kCard, Board::kDaughter};
  const perfboard::smile::LoadedImage l = perfboard::smile::load_image(image, bytes, kBoards[fpga]);
  *clocks = l.clocks;
  return l.ok;
}
