// SPDX-License-Identifier: GPL-2.0-or-later
//
// DeviceBoard - a Board behind /dev/surfN: registers through surflib, the memories by mmap.
#pragma once

#include <string>

#include "guest/surfboard/cmd/board.h"

namespace perfboard::prompt {

class DeviceBoard : public Board {
 public:
  explicit DeviceBoard(const std::string& device);
  ~DeviceBoard() override;
  DeviceBoard(const DeviceBoard&) = delete;
  DeviceBoard& operator=(const DeviceBoard&) = delete;

  uint32_t get(uint32_t offset) override;
  void put(uint32_t offset, uint32_t value) override;
  std::span<uint32_t> trace() override;
  std::span<uint32_t> histogram() override;
  void configure(std::span<const uint8_t> bits) override;
  Woken wait(int timeout_ms) override;
  void clear_exception() override;

 private:
  std::span<uint32_t> map(std::span<uint32_t>& memory, int64_t size, uint32_t offset, const char* what);
  std::string device_;
  int board_;
  std::span<uint32_t> trace_, histogram_;  // mapped when first wanted
};

}  // namespace perfboard::prompt
