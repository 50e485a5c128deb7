// SPDX-License-Identifier: GPL-2.0-or-later
//
// The daughter board's FPGA (daughter.h).
#include "hw/smile/daughter.h"

#include <cstring>

#include "hw/fpga/load.h"
#include "hw/smile/image.h"
#include "hw/smile/model.h"

namespace perfboard::smile {
namespace {

using namespace xc4000;

constexpr uint32_t kFrameBits = kDaughterFpga.frame_bits;
static_assert((kDaughterFpga.frames * kFrameBits + 7) / 8 == SMILE_DAUGHTER_BYTES);
static_assert(kDaughterFpga.stream_bytes() <= SMILE_SLOT_BYTES);

constexpr uint8_t mask_of(uint32_t bit) { return static_cast<uint8_t>(0x80 >> bit % 8); }

void store(SmileHwm* m, uint32_t bit, bool value) {
  if (!m->config.daughter_memory) return;
  uint8_t& byte = m->config.daughter_memory[bit / 8];
  byte = static_cast<uint8_t>(value ? byte | mask_of(bit) : byte & ~mask_of(bit));
}
bool stored(const SmileHwm* m, uint32_t bit) {
  return m->config.daughter_memory && m->config.daughter_memory[bit / 8] & mask_of(bit);
}

// Behind a frame's start bit are its data.
Image image_in(const SmileHwm* m) {
  ImageBytes bytes{};
  for (uint32_t frame = 0; frame < 2; ++frame)
    for (uint32_t i = 0; i < kFrameBits; ++i)
      if (stored(m, frame * kFrameBits + 1 + i)) set_image_bit(bytes, frame, i);
  Image image = unpack(bytes);
  image.daughter = true;
  return image;
}

// INFERRED: a design that is none of ours does nothing, and to PCI_Target looks as none.
void configured(SmileHwm* m) {
  const Image image = image_in(m);
  const uint8_t design = image_fits(image, Board::kDaughter) ? image.design : uint8_t{SMILE_NONE};
  smile_set_daughter(m, static_cast<enum smile_design>(design));
  tell_effect(m, effect("daughter-loaded"), design);
}

void clear_part(SmileHwm* m) {
  load_clear(&m->state.daughter);
  if (m->config.daughter_memory) std::memset(m->config.daughter_memory, 0, SMILE_DAUGHTER_BYTES);
}

// A bench has designs without bitstreams.
void load_without_stream(SmileHwm* m, enum smile_design design) {
  SmileDaughter& d = m->state.daughter;
  d.phase = design ? kStartup : kSeekPreamble;
  d.startup = design ? kFinishedClock : 0;
  d.frame = design ? kDaughterFpga.frames : 0;
  smile_set_daughter(m, design);
  if (design) tell_effect(m, effect("daughter-loaded"), design);
}

}  // namespace

void daughter_power_on(SmileHwm* m) {
  m->state.daughter = SmileDaughter{};
  m->state.daughter.ready = PB_NEVER;
  clear_part(m);
  if (!m->config.two) return;
  if (m->config.stream)
    daughter_clock(m, m->config.stream, m->config.stream_bytes);
  else
    load_without_stream(m, m->config.daughter);
}

void daughter_clear(SmileHwm* m) {
  SmileDaughter& d = m->state.daughter;
  clear_part(m);
  if (d.loaded) tell_effect(m, effect("daughter-cleared"));
  smile_set_daughter(m, SMILE_NONE);
}

void daughter_clock(SmileHwm* m, const uint8_t* bytes, uint32_t count) {
  SmileDaughter& d = m->state.daughter;
  const bool was_active = load_active(&d), was_wrong = d.error;
  for (uint32_t i = 0; i < 8 * count && !load_stands(&d); ++i) {
    const bool din = bytes[i / 8] & mask_of(i);
    if (d.phase == kFrameData) store(m, d.frame * kFrameBits + d.bit, din);
    load_clock<kDaughterFpga>(&d, din, [](uint32_t, uint32_t, bool) {});
  }
  if (load_active(&d) && !was_active) configured(m);
  if (d.error && !was_wrong) tell_effect(m, effect("daughter-failed"), d.count);
}

void daughter_load(SmileHwm* m, enum smile_design design) {
  if (m->config.streams[design])
    daughter_clock(m, m->config.streams[design], m->config.streams_bytes[design]);
  else
    load_without_stream(m, design);
}

bool daughter_done(const SmileDaughter& daughter) { return load_done(&daughter); }
bool daughter_error(const SmileDaughter& daughter) { return daughter.error; }

// INFERRED: an FPGA that is not configured reads back nothing.
uint8_t daughter_byte(const SmileHwm* m, uint32_t at) {
  if (at >= SMILE_DAUGHTER_BYTES || !daughter_done(m->state.daughter)) return 0xff;
  return m->config.daughter_memory ? m->config.daughter_memory[at] : uint8_t{0};
}

void check_daughter(StateCheck& check, const SmileHwm* m, const SmileState& image) {
  const SmileDaughter& d = image.daughter;
  const StateCheck::Part part(check, "daughter");
  const LoadLimits limits = load_limits<kDaughterFpga>(d.phase);
  check.in("frame", d.frame, limits.first_frame, limits.last_frame);
  check.in("bit", d.bit, 0, limits.most_bits);
  check.in("error", d.error, 0, d.phase == kFrameData || d.phase == kWrite);
  check.in("startup", d.startup, 0, d.phase == kStartup ? kFinishedClock : 0);
  check.in("loaded", d.loaded, SMILE_NONE, load_active(&d) ? SMILE_DYNAMIC : SMILE_NONE);
  const uint32_t whole = xchecker_command_bytes(d);
  const uint32_t most = d.work || !m->config.two ? 0 : whole - 1;
  check.in("have", d.have, d.work == 1 ? whole : 0, d.work == 1 ? whole : most);
  check.in("ready", d.ready, d.work ? 0 : PB_NEVER, d.work ? INT64_MAX : PB_NEVER);
}

}  // namespace perfboard::smile

using namespace perfboard::smile;

void smile_set_daughter(SmileHwm* m, enum smile_design design) {
  SmileTarget& t = m->state.target;
  const bool same = !design && !m->state.daughter.loaded;
  m->state.daughter.loaded = static_cast<uint8_t>(design);
  if (same || t.design == SMILE_NONE) return;  // there is no PCI_Target that would see it
  const SmileTarget old = t;
  t = powered_on(design_there(m->state));
  t.exchanged = 1;
  t.mcr = old.mcr;
  t.node = old.node;
  t.maxr = old.maxr;
  t.mask = old.mask;
  t.rdp = old.rdp;
  t.wrp = old.wrp;
  t.queue_head = old.queue_head;
  t.queue_count = old.queue_count;
  t.lost = old.lost;
  t.lost_untold = old.lost_untold;
  t.lost_flag = old.lost_flag;
  t.done = old.done;
  derive(m);
}
