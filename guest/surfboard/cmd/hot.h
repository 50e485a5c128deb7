// SPDX-License-Identifier: GPL-2.0-or-later
//
// surf hot: which sender, color or category is hot, while it becomes so (3.6).
//
//   Hot hot{.variable = kHotVariables[1], .selector = "/firmware/color.bit", .threshold = 1000};
//   watch_hot(board, hot, std::cout, note, progress);
//
// Every bin of the variable's selector gets a threshold: 2^32 - n, so that its n-th packet wraps it. The
// interrupt wakes the handler, which takes the bins' addresses out of the FIFO, tells each with the time,
// and gives it the next threshold. With a trace file the first bin also triggers the trace, in hardware, and
// the run lasts until the trace is complete.
//
// Packets that a bin counts between its wrap and the handler belong to the next threshold. One that comes
// between the handler's read of the bin and its write is not counted.
// Errors are FileError or BoardError.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "guest/surfboard/cmd/memory.h"
#include "guest/surfboard/regs.h"

namespace perfboard::prompt {

inline constexpr uint32_t kHotMost = 64;  // values that a variable may have
struct HotVariable {
  std::string_view name;
  uint32_t values;  // the selector's bins, from 0 on
};
inline constexpr HotVariable kHotVariables[] = {{"sender", 64}, {"color", 64}, {"category", 16}};

struct Hot {
  static constexpr uint32_t kMostPackets = 1u << 31;  // a smaller count is of a bin that has wrapped

  HotVariable variable = kHotVariables[0];
  std::string selector;          // its bitstream
  uint32_t threshold = 1000;     // packets
  std::optional<uint32_t> only;  // this value alone
  uint64_t times = 1;            // thresholds until it ends
  int timeout_ms = Board::kForever;
  std::string trace_file;  // empty: no trace
  uint32_t mode = SURF_MODE_MIDDLE;
};

void watch_hot(Board& board, const Hot& hot, std::ostream& out, const Note& note, const Progress& progress);

}  // namespace perfboard::prompt
