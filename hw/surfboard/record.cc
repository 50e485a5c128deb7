// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "hw/surfboard/has.h"
#include "hw/surfboard/model.h"
#include "hw/surfboard/registers.h"

namespace perfboard::surf {

// INFERRED, for settings that the paper does not allow: with N = 0 the window has no bits, and only the
// latency 0 fits; N above 12 acts as 12, the window's width; S above 20 shifts all 44 bits out.
Latency latency_window(uint64_t receive_time, uint64_t transmit_time, uint32_t lat_s, uint32_t lat_n) {
  constexpr uint32_t kAllOnes = 0xffffff;
  const uint64_t rx = receive_time & kTimeMask;
  const uint64_t tx = transmit_time & kTimeMask;
  if (rx < tx) return {0, false, true};
  const uint32_t num = 2 * std::min(lat_n, 12u);
  const uint64_t scaled = (rx - tx) >> (2 * lat_s);
  // INFERRED: all 24 bits are 1, also if NUM is smaller ("all 1's", 3.2; "all ones", p. 57).
  if (scaled >> num) return {kAllOnes, true, false};
  return {static_cast<uint32_t>(scaled), false, false};
}

uint32_t sender_id(uint32_t sender, uint32_t sendid) {
  if (sendid > 4) return 0;  // INFERRED: undefined in the paper
  const uint32_t x_bits = 5 - sendid;
  const uint32_t y_bits = 1 + sendid;
  const uint32_t x = sender & 0x3f;
  const uint32_t y = sender >> 6 & 0x3f;
  return (y & ((1u << y_bits) - 1)) << x_bits | (x & ((1u << x_bits) - 1));
}

Record make_record(const SurfPipePacket& p, uint32_t shift_register) {
  constexpr const Field& send_id = field("SHIFT.SENDID");
  constexpr const Field& lat_s = field("SHIFT.LAT_S");
  constexpr const Field& lat_n = field("SHIFT.LAT_N");
  return {
      .latency =
          latency_window(p.receive_time, p.timestamp, lat_s.get(shift_register), lat_n.get(shift_register)),
      .receive_time = p.receive_time,
      .sender = sender_id(p.sender, send_id.get(shift_register)),
      .category = shift_register & bits("SHIFT.CATMUX") ? p.remote_category : p.category,
      .size = p.words & 0x3ffu,
      .color = p.color & 0x3fu,
      .address = p.address & 0x07fffffcu,
      .byte_enables = p.byte_enables & 0xfu,
      .interrupt = p.interrupt != 0,
  };
}

uint64_t has_inputs(const Record& r) {
  return uint64_t{r.latency.value} << HAS_LATENCY_SHIFT | uint64_t{r.sender} << HAS_SENDER_SHIFT |
         uint64_t{r.color} << HAS_COLOR_SHIFT | uint64_t{r.category} << HAS_CATEGORY_SHIFT |
         uint64_t{r.size} << HAS_SIZE_SHIFT;
}

std::array<uint32_t, 4> trace_words(const Record& r) {
  constexpr const Field& sender = field("TRACE0.SENDER");
  constexpr const Field& category = field("TRACE1.CATEGORY");
  constexpr const Field& size = field("TRACE1.SIZE");
  constexpr const Field& color = field("TRACE1.COLOR");
  constexpr const Field& address = field("TRACE3.ADDRESS");
  return {
      r.sender << sender.lsb | (r.latency.over ? bits("TRACE0.V") : 0) |
          (r.latency.under ? bits("TRACE0.U") : 0) | r.latency.value,
      r.category << category.lsb | r.size << size.lsb | r.color << color.lsb |
          static_cast<uint32_t>(r.receive_time >> 32),
      static_cast<uint32_t>(r.receive_time),
      (r.interrupt ? bits("TRACE3.I") : 0) | (r.address >> 2) << address.lsb | r.byte_enables,
  };
}

}  // namespace perfboard::surf
