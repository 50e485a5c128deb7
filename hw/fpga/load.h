// SPDX-License-Identifier: GPL-2.0-or-later
//
// load - a part of the XC4000 family takes its bitstream, one CCLK after the other.
//
//   Load load = {};                        // or a board's own state, with members of the same names
//   load_clear(&load);                     // PROG* was low: the memory is clear
//   load_clock<kXc4003>(&load, din, [&](uint32_t frame, uint32_t i, bool bit) { ... });
//   load_done(&load), load_active(&load)   // pin DONE; outputs active, HDC released
//   load_limits<kXc4003>(phase)            // what bit and frame can be then, for who checks a state
//
// The function gets each data bit as it comes. After a wrong start or check bit error is 1 (INIT* low), and
// no clock has an effect until load_clear().
#pragma once

#include <cstdint>

#include "hw/fpga/xc4000.h"

namespace perfboard::xc4000 {

enum LoadPhase : uint8_t {
  kSeekPreamble,
  kLength,
  kFill,
  kFrameData,
  kWrite,    // the last frame goes to the memory
  kFull,     // waits for the length count
  kStartup,  // C1, C2, ...; stays here
};

struct Load {
  uint32_t count;   // CCLKs since PROG* rose, modulo 2^24
  uint32_t length;  // length count of the header
  uint16_t frame;   // frames loaded
  uint16_t bit;     // bits taken of the present field or frame
  uint16_t crc;     // running CRC of the frames' data
  uint8_t phase;    // LoadPhase
  uint8_t error;    // a frame was bad: INIT* low until the memory is cleared
  uint8_t startup;  // CCLKs since the length count matched: C1, C2, ...
  uint8_t shift;    // last four DIN bits, newest in bit 0
};

inline constexpr uint32_t kMostCount = (1u << kLengthBits) - 1;

template <typename State>
void load_clear(State* s) {
  s->count = 0;
  s->length = 0;
  s->frame = 0;
  s->bit = 0;
  s->crc = kCrcPreset;
  s->phase = kSeekPreamble;
  s->error = 0;
  s->startup = 0;
  s->shift = 0xf;
}

template <typename State>
bool load_done(const State* s) {
  return s->startup >= kDoneClock;
}
template <typename State>
bool load_active(const State* s) {
  return s->startup >= kActiveClock;
}
// No further clock has an effect.
template <typename State>
bool load_stands(const State* s) {
  return s->error || (s->phase == kStartup && s->startup == kFinishedClock);
}

template <typename State>
void load_enter(State* s, LoadPhase phase) {
  s->phase = phase;
  s->bit = 0;
}

struct LoadLimits {
  uint32_t most_bits, first_frame, last_frame;
};
// phase: up to kStartup.
template <const Device& device>
constexpr LoadLimits load_limits(uint32_t phase) {
  constexpr LoadLimits kLimits[kStartup + 1] = {
      {0, 0, 0},
      {kLengthBits - 1, 0, 0},
      {kFillBits - 1, 0, 0},
      {device.frame_bits - 1, 0, device.frames - 1},
      {kWriteClocks - 1, device.frames, device.frames},
      {0, device.frames, device.frames},
      {0, device.frames, device.frames},
  };
  return kLimits[phase];
}

template <const Device& device, typename State, typename TakeData>
void load_frame_bit(State* s, bool din, TakeData&& take) {
  const uint32_t data = device.data_bits(s->frame);
  const uint32_t at = s->bit++;
  if (at == 0) {
    // INFERRED: frames follow each other at fixed distances, so a start bit of 1 is a frame error.
    s->error = din;
  } else if (at <= data) {
    s->crc = crc_step(s->crc, din);
    take(uint32_t{s->frame}, at - 1, din);
  } else {
    s->error = din != check_bit(s->crc, at - 1 - data);
  }
  if (s->bit == device.frame_bits) {
    s->bit = 0;
    if (++s->frame == device.frames) load_enter(s, kWrite);
  }
}

template <const Device& device, typename State, typename TakeData>
void load_clock(State* s, bool din, TakeData&& take) {
  if (load_stands(s)) return;
  s->shift = static_cast<uint8_t>(((s->shift << 1) | din) & 0xf);
  s->count = (s->count + 1) & kMostCount;

  switch (s->phase) {
    case kSeekPreamble:
      if (s->shift == kPreamble) load_enter(s, kLength);
      break;
    case kLength:
      s->length = ((s->length << 1) | din) & kMostCount;
      if (++s->bit == kLengthBits) load_enter(s, kFill);
      break;
    case kFill:  // clocked through, not looked at
      if (++s->bit == kFillBits) load_enter(s, kFrameData);
      break;
    case kFrameData:
      load_frame_bit<device>(s, din, take);
      break;
    case kWrite:  // the part has no use for the postamble's value
      if (++s->bit == kWriteClocks) load_enter(s, kFull);
      break;
    case kStartup:
      ++s->startup;
      return;
    default:
      break;
  }
  // If the count reaches the length before the memory is full, nothing starts until it comes round to the
  // length again, 2^24 clocks later.
  if (s->phase == kFull && s->count == s->length) load_enter(s, kStartup);
}

}  // namespace perfboard::xc4000
