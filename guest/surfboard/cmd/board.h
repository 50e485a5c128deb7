// SPDX-License-Identifier: GPL-2.0-or-later
//
// Board - a SurfBoard as surf sees it: registers, two memories, the FPGA.
//
// DeviceBoard (device_board.h) is the one behind /dev/surfN; the unit tests put the board's model
// behind another. A board that fails throws BoardError, with the reason in words.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

namespace perfboard::prompt {

struct BoardError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Woken { exception, time, signal };

class Board {
 public:
  virtual ~Board() = default;

  // One 32-bit access at an offset of guest/surfboard/regs.h.
  virtual uint32_t get(uint32_t offset) = 0;
  virtual void put(uint32_t offset, uint32_t value) = 0;

  // The memories, in place; empty if the SIMM socket is.
  virtual std::span<uint32_t> trace() = 0;
  virtual std::span<uint32_t> histogram() = 0;

  // Configure the Histogram Address Selector: first bit in bit 7 of the first byte.
  virtual void configure(std::span<const uint8_t> bits) = 0;

  // Sleep until there is an exception (interrupt) that has not been cleared, for so many milliseconds or
  // for ever. The signals that Undisturbed (port.h) holds back end it, too, and are still held back then.
  static constexpr int kForever = -1;
  virtual Woken wait(int timeout_ms) = 0;
  virtual void clear_exception() = 0;
};

}  // namespace perfboard::prompt
