// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a model says of itself.
//
//   log_mistake(board, mistake("fifo-empty"), "HFDR read from an empty FIFO")   the guest did what the paper forbids (a row of the board's view.h)
//   log_unimp(board, ...)                                                       the hardware has it, the model has not
//   tell_effect(board, effect("fifo-popped"), byte)                             for whoever looks (a row of the board's view.h)
//
// board is any struct with a PbHost named host; a host without log hears nothing. A line has at most
// 199 characters, names the register, and has no newline.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "hw/model/host.h"

namespace perfboard {

template <typename Board>
void log_line(const Board* board, enum pb_log_kind kind, const char* format, va_list args) {
  char line[200];
  std::vsnprintf(line, sizeof line, format, args);
  if (board->host.log) board->host.log(board->host.opaque, kind, line);
}

template <typename Board>
__attribute__((format(printf, 3, 4))) void log_mistake(const Board* board, unsigned number,
                                                       const char* format, ...) {
  va_list args;
  va_start(args, format);
  if (board->host.mistake) {
    char line[200];
    std::vsnprintf(line, sizeof line, format, args);
    board->host.mistake(board->host.opaque, number, line);
  } else {
    log_line(board, PB_LOG_GUEST_ERROR, format, args);
  }
  va_end(args);
}

template <typename Board>
void tell_effect(const Board* board, unsigned number, uint64_t value = 0) {
  if (board->host.effect) board->host.effect(board->host.opaque, number, value);
}

template <typename Board>
__attribute__((format(printf, 2, 3))) void log_unimp(const Board* board, const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_line(board, PB_LOG_UNIMP, format, args);
  va_end(args);
}

}  // namespace perfboard
