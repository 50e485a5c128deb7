// SPDX-License-Identifier: GPL-2.0-or-later
//
// Log lines of a model: log_guest_error(board, "HTCR: %u is reserved", mode).
//
// board is any struct with a PbHost named host; a host without log hears nothing. A line has at most
// 199 characters, names the register, and has no newline.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "hw/core/host.h"

namespace perfboard {

template <typename Board>
__attribute__((format(printf, 2, 3))) void log_guest_error(const Board* board, const char* format, ...) {
  char line[200];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (board->host.log) board->host.log(board->host.opaque, PB_LOG_GUEST_ERROR, line);
}

}  // namespace perfboard
