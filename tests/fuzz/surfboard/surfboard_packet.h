// SPDX-License-Identifier: GPL-2.0-or-later
//
// A packet as an SNI sends it: in the order of start times, at any distance; rarely without its end of data.
#pragma once

#include <algorithm>

#include "hw/shrimp/packet.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {

// `last_start` is the start of the packet before, and becomes that of this one; all in ns.
inline ShrimpPacket random_packet(Input& in, uint64_t now, uint64_t& last_start) {
  ShrimpPacket p{};
  p.start_ns = std::max(last_start, now - std::min<uint64_t>(now, in.below(4000)));
  p.words = static_cast<uint16_t>(1 + (in.flip() ? in.below(4) : in.below(1024)));
  p.end_ns = p.start_ns + (in.below(4) ? 60 * (2 + (p.words + 1) / 2) : in.u16());
  p.sender = in.u16() & 0xfff;
  p.color = in.u8() & 0x3f;
  p.interrupt = in.flip();
  p.eod = in.below(16) != 0;
  p.byte_enables = in.u8() & 0xf;
  p.address = in.u32() & 0x07fffffc;
  p.timestamp = in.flip() ? p.start_ns / 100 - in.below(100) : in.u64() & ((uint64_t{1} << 45) - 1);
  p.first_word = in.u32();
  last_start = p.start_ns;
  return p;
}

}  // namespace perfboard::fuzz
