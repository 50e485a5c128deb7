// SPDX-License-Identifier: GPL-2.0-or-later
//
// CLEAR, LOAD and SAVE of the trace memory, the histogram memory and the FIFO.
//
//   what       CLEAR                     LOAD file                    SAVE file
//   TRACE      presence bits 3, else 0   entries to their index       valid entries, oldest first
//   HISTOGRAM  every bin 0               bins to their address        bins that are not 0
//   FIFO       HTCR.FRS 1, then 0        appends bin addresses        oldest first; the FIFO keeps them
//
// Which entries are valid, and what LOAD leaves: README.md, Files. Errors are FileError or BoardError; what
// the user should know besides goes to `note`.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "guest/surfboard/cmd/board.h"
#include "guest/surfboard/regs.h"

namespace perfboard::prompt {

enum class MemoryType { trace, histogram, fifo };

using Note = std::function<void(std::string_view)>;
// Called now and then while a transfer lasts: parts done of parts in all.
using Progress = std::function<void(size_t done, size_t all)>;

// The memory itself; BoardError if its socket is empty.
std::span<uint32_t> present(std::span<uint32_t> memory, const char* what);
void clear_memory(Board& board, MemoryType type, const Progress& progress);
void load_memory(Board& board, MemoryType type, const std::string& file, const Progress& progress);
void save_memory(Board& board, MemoryType type, const std::string& file, const Note& note,
                 const Progress& progress);

// surf hot: which sender, color or category is hot, while it becomes so (3.6).
//
//   Hot hot{.variable = kHotVariables[1], .selector = "/firmware/color.bit", .threshold = 1000};
//   watch_hot(board, hot, std::cout, note, progress);
//
// Every bin of the variable's selector gets a threshold: 2^32 - n, so that its n-th packet wraps it. The
// interrupt wakes the handler, which takes the bins' addresses out of the FIFO, tells each with the time,
// and gives it the next threshold (README.md). Errors are FileError or BoardError.

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
