// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory for a board in a test: zero, and touched only where the test does. A std::vector writes each of its
// bytes when it is made, which was nearly all the time of tests that make a board of many megabytes hundreds
// of times.
//
//   BlankMemory memory(4 << 20);
//   memory[8] = 1;
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace perfboard {

class BlankMemory {
 public:
  explicit BlankMemory(size_t size) : size_(size), bytes_(static_cast<uint8_t*>(std::calloc(size, 1))) {
    if (size && !bytes_) throw std::bad_alloc();
  }
  BlankMemory(const BlankMemory& other) : BlankMemory(other.size_) {
    std::memcpy(data(), other.data(), size_);
  }
  BlankMemory& operator=(const BlankMemory& other) {
    BlankMemory copy(other);
    std::swap(size_, copy.size_);
    std::swap(bytes_, copy.bytes_);
    return *this;
  }
  bool operator==(const BlankMemory& other) const {
    return size_ == other.size_ && !std::memcmp(data(), other.data(), size_);
  }

  uint8_t* data() const { return bytes_.get(); }
  size_t size() const { return size_; }
  uint8_t* begin() const { return data(); }
  uint8_t* end() const { return data() + size_; }
  uint8_t& operator[](size_t at) const { return data()[at]; }

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  size_t size_;
  std::unique_ptr<uint8_t[], Free> bytes_;
};

}  // namespace perfboard
