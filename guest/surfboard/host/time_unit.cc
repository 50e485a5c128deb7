// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/host/time_unit.h"

#include "guest/common/tool.h"
#include "hw/core/number.h"

namespace perfboard {

TimeUnit::TimeUnit(Arguments& args) {
  args.flag("--ticks", ticks_, "times in clock ticks of 100 ns instead of microseconds");
  args.option("--lat-s", lat_s_, "ACDR.LAT_S of the run: a latency unit is 100 ns * 4^LAT_S")
      .range(0, 20)
      .show_default();
}

void TimeUnit::put_time(Output& out, uint64_t ticks) const {
  if (ticks_) return out.number(ticks);
  out.number(ticks / 10);
  out.put('.');
  out.number(ticks % 10);
}

bool TimeUnit::parse(const std::string& text, uint64_t& ticks) const {
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

}  // namespace perfboard
