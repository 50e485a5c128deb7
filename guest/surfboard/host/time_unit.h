// SPDX-License-Identifier: GPL-2.0-or-later
//
// TimeUnit - options --ticks and --lat-s, and what they mean for the times of a trace.
#pragma once

#include <cstdint>
#include <string>

#include "guest/common/arguments.h"
#include "guest/common/output.h"

namespace perfboard {

// Times of a trace as numbers of a CSV: microseconds with one decimal, or clock ticks of 100 ns.
// The board measures a latency with 44 bits and records the bits from bit 2 * LAT_S on (ACDR).
class TimeUnit {
 public:
  explicit TimeUnit(Arguments& args);
  void put_time(Output& out, uint64_t ticks) const;
  void put_latency(Output& out, uint64_t raw) const { put_time(out, raw << 2 * lat_s_); }
  // A latency as the user gives it in options, in ticks: "4.6" microseconds or "46".
  bool parse(const std::string& text, uint64_t& ticks) const;
  bool ticks() const { return ticks_; }
  uint64_t latency_ticks(uint32_t raw) const { return uint64_t{raw} << 2 * lat_s_; }

 private:
  bool ticks_ = false;
  unsigned lat_s_ = 0;
};

}  // namespace perfboard
