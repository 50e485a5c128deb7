// SPDX-License-Identifier: GPL-2.0-or-later
// Trace files for the utilities' tests, by hand.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "guest/surfboard/regs.h"

namespace perfboard {

struct Sample {
  uint32_t sender, latency, size, page;
  uint64_t time;
  uint32_t flags = 0;  // SURF_TRACE0_V, SURF_TRACE0_U
  uint32_t category = 0, color = 0;
};

inline std::string trace_of(const std::vector<Sample>& samples) {
  std::string text;
  uint32_t index = 0;
  for (const Sample& s : samples)
    text += fmt::format("{:06X} {:08X} {:08X} {:08X} {:08X}\n", index++, s.sender << 26 | s.flags | s.latency,
                        s.category << SURF_TRACE1_CATEGORY_SHIFT | (s.size & 1023) << 18 |
                            s.color << SURF_TRACE1_COLOR_SHIFT | static_cast<uint32_t>(s.time >> 32),
                        static_cast<uint32_t>(s.time), s.page << 14 | 0xF);
  return text;
}

}  // namespace perfboard
