// SPDX-License-Identifier: GPL-2.0-or-later
//
// Log lines of a model: log_guest_error(board, "HTCR: %u is reserved", mode); log_unimp() for what the hardware has and the
// model has not.
//
// board is any struct with a PbHost named host; a host without log hears nothing. A line has at most
// 199 characters, names the register, and has no newline.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "hw/core/host.h"

namespace perfboard {

template <typename Board>
void log_line(const Board* board, enum pb_log_kind kind, const char* format, va_list args) {
  char line[200];
  std::vsnprintf(line, sizeof line, format, args);
  if (board->host.log) board->host.log(board->host.opaque, kind, line);
}

template <typename Board>
__attribute__((format(printf, 2, 3))) void log_guest_error(const Board* board, const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_line(board, PB_LOG_GUEST_ERROR, format, args);
  va_end(args);
}

template <typename Board>
__attribute__((format(printf, 2, 3))) void log_unimp(const Board* board, const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_line(board, PB_LOG_UNIMP, format, args);
  va_end(args);
}

}  // namespace perfboard
