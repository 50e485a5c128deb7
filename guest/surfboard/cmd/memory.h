// SPDX-License-Identifier: GPL-2.0-or-later
//
// CLEAR, LOAD and SAVE of the trace memory, the histogram memory and the FIFO.
//
//   what       CLEAR                     LOAD file                    SAVE file
//   TRACE      presence bits 3, else 0   entries to their index       valid entries, oldest first
//   HISTOGRAM  every bin 0               bins to their address        bins that are not 0
//   FIFO       HTCR.FRS 1, then 0        appends bin addresses        oldest first; the FIFO keeps them
//
// LOAD leaves what the file does not name as it was: to restore, CLEAR first.
// CLEAR FIFO also sets the offset registers to their default, as FRS does.
// An entry of the trace is valid (INFERRED) if its presence bits are 0 and it is among the last TECR
// entries before TICR. The presence bits alone decide where TECR may not count every entry: if TECR is 0,
// as after TC was cleared; and in TTCR.MODE 01 from half the buffer's size on.
// Errors are FileError or BoardError; what the user should know besides goes to `note`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "guest/surfboard/cmd/board.h"

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

}  // namespace perfboard::prompt
