// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surfboard/has.h"

#include "hw/surfboard/has_phase.h"
#include "hw/surfboard/xc4000.h"

namespace xc = perfboard::xc4000;

namespace {

constexpr uint32_t kCountMask = (1u << xc::kLengthBits) - 1;
constexpr uint32_t kAllHigh = (1u << HAS_OUTPUTS) - 1;

using xc::has_phase;
using enum xc::has_phase;

void enter(HasState* h, has_phase phase) {
  h->phase = phase;
  h->bit = 0;
}

void frame_bit(HasState* h, bool din) {
  const uint32_t data = xc::data_bits(h->frame);
  const uint32_t at = h->bit++;
  if (at == 0) {
    // INFERRED: frames follow each other at fixed distances, so a start bit of 1 is a frame error.
    h->error = din;
  } else if (at <= data) {
    const uint32_t i = at - 1;
    h->crc = xc::crc_step(h->crc, din);
    if (h->frame < HAS_OUTPUTS && i < xc::kSwitches) h->pip[h->frame] |= uint64_t{din} << i;
  } else {
    h->error = din != xc::check_bit(h->crc, at - 1 - data);
  }
  if (h->bit == xc::kFrameBits) {
    h->bit = 0;
    if (++h->frame == xc::kFrames) enter(h, kWrite);
  }
}

// DOUT repeats DIN one clock later, for a next device in the chain. While frames come it is high, because a
// start bit would start that device.
bool dout_level(const HasState* h, bool previous) {
  switch (h->phase) {
    case kSeekPreamble:
    case kLength:
      return previous;
    case kFill:
      return h->bit == 0 ? previous : true;
    case kFrameData:
      return true;
    default:
      // INFERRED: the design leaves the pin unused, so it is pulled up once outputs are active.
      return h->startup < xc::kActiveClock ? previous : true;
  }
}

void clear_memory(HasState* h) {
  const uint8_t prog = h->prog;
  *h = HasState{};
  h->prog = prog;
  h->crc = xc::kCrcPreset;
  h->shift = 0xf;
  h->dout = 1;
}

}  // namespace

void has_power_on(HasState* h) {
  h->prog = 1;
  clear_memory(h);
}

// INFERRED: the real part clears its memory for some hundred microseconds after PROG* rises, and holds INIT*
// low until then. Here the memory is clear at once, so INIT* rises together with PROG*.
void has_prog(HasState* h, bool prog) {
  h->prog = prog;
  if (prog) clear_memory(h);
}

void has_clock(HasState* h, bool din) {
  if (h->prog || h->error) return;
  if (h->phase == kStartup && h->startup == xc::kFinishedClock) return;

  const bool previous = h->shift & 1;
  h->dout = dout_level(h, previous);
  h->shift = static_cast<uint8_t>(((h->shift << 1) | din) & 0xf);
  h->count = (h->count + 1) & kCountMask;

  switch (h->phase) {
    case kSeekPreamble:
      if (h->shift == xc::kPreamble) enter(h, kLength);
      break;
    case kLength:
      h->length = ((h->length << 1) | din) & kCountMask;
      if (++h->bit == xc::kLengthBits) enter(h, kFill);
      break;
    case kFill:  // clocked through, not looked at
      if (++h->bit == xc::kFillBits) enter(h, kFrameData);
      break;
    case kFrameData:
      frame_bit(h, din);
      break;
    case kWrite:  // the part has no use for the postamble's value
      if (++h->bit == xc::kWriteClocks) enter(h, kFull);
      break;
    case kStartup:
      ++h->startup;
      return;
    default:
      break;
  }
  // If the count reaches the length before the memory is full, nothing starts until it comes round to the
  // length again, 2^24 clocks later.
  if (h->phase == kFull && h->count == h->length) enter(h, kStartup);
}

bool has_done(const HasState* h) { return h->startup >= xc::kDoneClock; }
bool has_error(const HasState* h) { return h->prog || h->error; }
bool has_hdc(const HasState* h) { return h->startup < xc::kActiveClock; }
bool has_read_data(const HasState* h) { return h->dout; }

uint32_t has_address(const HasState* h, uint64_t input50) {
  if (h->startup < xc::kActiveClock) return kAllHigh;
  const uint64_t levels = input50 | uint64_t{1} << xc::kVcc;  // no switch is above that one
  uint32_t address = 0;
  for (uint32_t k = 0; k < HAS_OUTPUTS; ++k) {
    const uint64_t closed = h->pip[k];
    address |= uint32_t{closed != 0 && (closed & ~levels) == 0} << k;
  }
  return address;
}
