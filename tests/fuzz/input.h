// SPDX-License-Identifier: GPL-2.0-or-later
//
// Input - a fuzzer's bytes as a source of decisions; FUZZ_CHECK - what must hold whatever they say.
//
//   while (!in.empty()) switch (in.below(3)) { ... in.u32() ... }
//   FUZZ_CHECK(head < size, "head %u", head);     prints and aborts: fuzzers see a crash
//
// Bytes that are missing are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace perfboard::fuzz {

// What all inputs so far did to a model: accesses, packets, steps of time, resets, snapshots; for a language,
// a text or an image. Targets that are no bench add theirs.
inline uint64_t operations = 0;

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  uint8_t u8() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  uint16_t u16() { return static_cast<uint16_t>(u8() | u8() << 8); }
  uint32_t u32() { return u16() | uint32_t{u16()} << 16; }
  uint64_t u64() { return u32() | uint64_t{u32()} << 32; }
  // 0 .. n-1; n up to 65536
  uint32_t below(uint32_t n) { return n <= 256 ? u8() % n : u16() % n; }
  bool flip() { return u8() & 1; }
  // Values as registers meet them: few bits, all bits, any bits.
  uint32_t value() {
    switch (below(4)) {
      case 0:
        return 0xffffffff;
      case 1:
        return 1u << below(32);
      case 2:
        return u8();
      default:
        return u32();
    }
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

// A target that is a bench: step() until the input is used up, then finish(). On the heap: a board is large.
template <typename Bench>
int run_bench(const uint8_t* data, size_t size) {
  Input in(data, size);
  const auto bench = std::make_unique<Bench>(in);
  for (; !in.empty(); ++operations) bench->step();
  if constexpr (requires { bench->finish(); }) bench->finish();
  return 0;
}

}  // namespace perfboard::fuzz

#define FUZZ_CHECK(condition, ...)                                                       \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition); \
      std::fprintf(stderr, __VA_ARGS__);                                                 \
      std::fputc('\n', stderr);                                                          \
      std::abort();                                                                      \
    }                                                                                    \
  } while (0)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
