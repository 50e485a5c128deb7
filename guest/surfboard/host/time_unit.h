// SPDX-License-Identifier: GPL-2.0-or-later
//
// TimeUnit - options --ticks and --lat-s, and what they mean for the times of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "guest/common/arguments.h"
#include "guest/common/output.h"
#include "hw/model/number.h"

namespace perfboard {

// Times of a trace as numbers of a CSV: microseconds with one decimal, or clock ticks of 100 ns.
// The board measures a latency with 44 bits and records the bits from bit 2 * LAT_S on (ACDR).
class TimeUnit {
 public:
  explicit TimeUnit(Arguments& args) {
    args.flag("--ticks", ticks_, "times in clock ticks of 100 ns instead of microseconds");
    args.option("--lat-s", lat_s_, "ACDR.LAT_S of the run: a latency unit is 100 ns * 4^LAT_S")
        .range(0, 20)
        .show_default();
  }
  void put_time(Output& out, uint64_t ticks) const {
    if (ticks_) return out.number(ticks);
    out.number(ticks / 10);
    out.put('.');
    out.number(ticks % 10);
  }
  void put_latency(Output& out, uint64_t raw) const { put_time(out, raw << 2 * lat_s_); }
  // A latency as the user gives it in options, in ticks: "4.6" microseconds or "46".
  bool parse(const std::string& text, uint64_t& ticks) const {
    if (ticks_) return parse_integer(text, 10, ticks);
    const size_t dot = text.find('.');
    uint64_t whole = 0, tenth = 0;
    if (!parse_integer(std::string_view(text).substr(0, dot), 10, whole) || whole > UINT64_MAX / 10 - 1)
      return false;
    if (dot != text.npos && (text.size() != dot + 2 || !parse_integer(text.substr(dot + 1), 10, tenth)))
      return false;
    ticks = 10 * whole + tenth;
    return true;
  }
  bool ticks() const { return ticks_; }
  uint64_t latency_ticks(uint32_t raw) const { return uint64_t{raw} << 2 * lat_s_; }

 private:
  bool ticks_ = false;
  unsigned lat_s_ = 0;
};

}  // namespace perfboard
