// SPDX-License-Identifier: GPL-2.0-or-later
//
// What Stage 2 makes of a packet: the 126 bits of the Trace Register (A.1), and from them the 50
// inputs of the histogram address selector and the four words of a trace entry (A.7).
#pragma once

#include <array>

#include "hw/surfboard/surfboard_state.h"

namespace perfboard::surf {

inline constexpr uint64_t kTimeMask = (uint64_t{1} << 44) - 1;

// Latency generator: transmit time subtracted from receive time, in 44 bits of 100 ns, and of that
// the window that LAT_S and LAT_N choose (p. 55).
struct Latency {
  uint32_t value;  // 24 bits
  bool over;       // V: more than the window holds; all 24 bits are 1
  bool under;      // U: received before it was sent; value is 0
};
Latency latency_window(uint64_t receive_time, uint64_t transmit_time, uint32_t lat_s, uint32_t lat_n);

// The 6-bit Sender ID of a 12-bit sender (Y in 11..6, X in 5..0).
uint32_t sender_id(uint32_t sender, uint32_t sendid);

struct Record {
  Latency latency;
  uint64_t receive_time;
  uint32_t sender;
  uint32_t category;
  uint32_t size;  // 10 bits
  uint32_t color;
  uint32_t address;
  uint32_t byte_enables;
  bool interrupt;
};
Record make_record(const SurfPipePacket& p, uint32_t shift_register);
uint64_t has_inputs(const Record& r);
std::array<uint32_t, 4> trace_words(const Record& r);

}  // namespace perfboard::surf
