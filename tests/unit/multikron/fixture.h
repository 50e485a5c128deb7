// SPDX-License-Identifier: GPL-2.0-or-later
//
// A MULTIKRON on a bench: a fake machine around it, accesses at chosen node clock cycles, the samples
// that come out of its network. Numbers here are the paper's, not those of registers.h.
//
//   MkBench bench;                         50 MHz, 10 MHz, 8 levels, always free; sampling on, all filters
//   bench.at(7);                           it is the first ns of node clock cycle 7
//   bench.write(addr::kTrace + 3, 0x1234); 64 bits, by the processor on line 0; trace(0x1234): of level 0
//   bench.samples()                        all that has come out by now, parity and ends checked
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/multikron/multikron.h"
#include "hw/multikron/stream.h"
#include "tests/unit/model/rig.h"

namespace perfboard::mk {

namespace addr {  // Table A-1
inline constexpr unsigned kReset = 0, kCsr = 1, kTimestamp = 2, kFilter = 4, kWait = 5, kOverrun = 6,
                          kMuxSel = 8, kRReset = 10, kEnable = 11, kDisable = 12, kFifo = 13, kTest = 14,
                          kSource = 16, kCounter = 32, kTrace = 96, kResource = 112;
}  // namespace addr

namespace csr {  // Table 2
inline constexpr uint32_t kSample = 1u << 0, kNoSample = 1u << 1, kWriteWait = 1u << 2,
                          kNoWriteWait = 1u << 3, kReadWait = 1u << 4, kNoReadWait = 1u << 5, kFull = 1u << 6,
                          kShadowFull = 1u << 7, kFifoOverrun = 1u << 8, kShadowOverrun = 1u << 9,
                          kBit128 = 1u << 10, kSlow10 = 1u << 14, kSlow1 = 1u << 15;
}  // namespace csr

inline constexpr uint64_t kWrongData = uint64_t{1} << 63;  // Table 3A
inline constexpr uint64_t kBenchStart = 1'000'003;         // on no edge of any clock

// TEST register: data and instruction (Table C-1).
struct TestWord {
  uint32_t data = 0;
  uint32_t set = 0, inc = 0, group = 0;
  bool off = false, load = false, shift = false;
  uint64_t value() const {
    return data | uint64_t{set | inc << 2 | group << 4 | uint32_t{off} << 6 | uint32_t{load} << 7 |
                           uint32_t{shift} << 8}
                      << 32;
  }
};

struct Sample {
  std::vector<uint8_t> bytes;
  uint64_t field(unsigned first_bit, unsigned bits) const {  // Table 6: from the left, as sent
    uint64_t v = 0;
    for (unsigned i = first_bit; i < first_bit + bits; ++i) v = v << 1 | (bytes[i / 8] >> (7 - i % 8) & 1);
    return v;
  }
  uint8_t header() const { return bytes[0]; }
  unsigned cpu() const { return bytes[0] >> 5; }
  unsigned type() const { return bytes[0] >> 3 & 3; }
  unsigned flags() const { return bytes[0] & 7; }
  uint64_t time() const { return field(8, 40); }
  uint32_t source() const { return static_cast<uint32_t>(field(48, 32)); }
  uint64_t data() const { return field(80, 48); }
  uint32_t counter(unsigned i) const { return static_cast<uint32_t>(field(128 + 32 * i, 32)); }
  bool operator==(const Sample&) const = default;
};

class MkBench : public Rig {
 public:
  struct Options {
    uint32_t node_hz = 50'000'000, timestamp_hz = 10'000'000, depth = 8, wait_states = 0;
    enum mk_free free = MK_FREE_ALWAYS;
    uint32_t free_bytes = 16, drain_hz = 0;
    bool sources = false;  // external() is connected, not only mk_external_edges()
  };

  MkBench() : MkBench(Options{}) {}
  explicit MkBench(const Options& o) {
    config = {
        .node_hz = o.node_hz,
        .timestamp_hz = o.timestamp_hz,
        .fifo_depth = o.depth,
        .wait_states = o.wait_states,
        .free = o.free,
        .free_bytes = o.free_bytes,
        .drain_hz = o.drain_hz,
        .lines = 8,
        .line_cpu = {0, 1, 2, 3, 4, 5, 6, 7},
        .opaque = this,
        .network = [](void* p, const uint16_t* w, size_t n) { self(p).take(w, n); },
        .external = nullptr,
        .watch = [](void* p, uint16_t pins) { self(p).watched = pins; },
        .rebase =
            [](void* p, uint16_t pins) {
              for (unsigned pin = 0; pin < 16; ++pin)
                if (pins >> pin & 1) self(p).total[pin] -= std::exchange(self(p).undercount[pin], 0);
            },
        .release_at =
            [](void* p, uint64_t ns) {
              self(p).release = ns;
              ++self(p).releases;
            },
    };
    if (o.sources)
      config.external = [](void* p, unsigned pin) {
        return self(p).watched >> pin & 1 ? self(p).total[pin] : self(p).still[pin];
      };
    char why[200] = "";
    EXPECT_TRUE(mk_config_ok(&config, why, sizeof why)) << why;
    now = kBenchStart;
    host().set_irq = [](void*, bool) { FAIL() << "the card has no interrupt"; };
    mk_init(&chip, &config, &host());
    write(addr::kCsr, csr::kSample);
    write(addr::kFilter, 0xffff);
  }
  MkBench(const MkBench&) = delete;

  // --- time ---
  uint64_t ns_of(uint64_t cycle) const {
    const unsigned __int128 n = static_cast<unsigned __int128>(cycle) * 1'000'000'000;
    return chip.state.reset_ns + static_cast<uint64_t>((n + config.node_hz - 1) / config.node_hz);
  }
  void at(uint64_t cycle) { now = ns_of(cycle); }
  void pass(uint64_t cycles) { at(cycle() + cycles); }
  uint64_t cycle() const {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(now - chip.state.reset_ns) * config.node_hz /
                                 1'000'000'000);
  }
  void run_until(uint64_t ns) {
    pass_until(ns, [this] { mk_timer(&chip); });
  }

  // --- accesses ---
  mk_result try_write(unsigned address, uint64_t value, int line = 0, bool can_wait = true) {
    const MkAccess a = {MK_WINDOW_8, 8 * address, 8, line, can_wait};
    return mk_write(&chip, &a, value);
  }
  mk_result try_read(unsigned address, uint64_t* value, int line = 0, bool can_wait = true) {
    const MkAccess a = {MK_WINDOW_8, 8 * address, 8, line, can_wait};
    return mk_read(&chip, &a, value);
  }
  // Not held: what cannot wait.
  void write(unsigned address, uint64_t value, int line = 0) {
    EXPECT_EQ(try_write(address, value, line, false), MK_DONE);
  }
  uint64_t read(unsigned address, int line = 0) {
    uint64_t value = 0x5555555555555555;
    EXPECT_EQ(try_read(address, &value, line, false), MK_DONE);
    return value;
  }
  // By a processor that could be held, and is not.
  uint64_t read_at_once(unsigned address) {
    uint64_t value = 0x5555555555555555;
    EXPECT_EQ(try_read(address, &value), MK_DONE) << address;
    return value;
  }
  void write_at(enum mk_window w, uint32_t offset, uint32_t size, uint64_t value, int line = 0) {
    const MkAccess a = {w, offset, size, line, false};
    EXPECT_EQ(mk_write(&chip, &a, value), MK_DONE);
  }
  uint64_t read_at(enum mk_window w, uint32_t offset, uint32_t size, int line = 0) {
    const MkAccess a = {w, offset, size, line, false};
    uint64_t value = 0x5555555555555555;
    EXPECT_EQ(mk_read(&chip, &a, &value), MK_DONE);
    return value;
  }
  // Makes the access until it is done, each time when the chip said; the time that it took, ns.
  uint64_t held_write(unsigned address, uint64_t value, int line = 0) {
    const uint64_t begin = now;
    for (int tries = 0; try_write(address, value, line) == MK_WAIT; ++tries) wait_for_release(tries);
    return now - begin;
  }
  uint64_t held_read(unsigned address, uint64_t* value, int line = 0) {
    const uint64_t begin = now;
    for (int tries = 0; try_read(address, value, line) == MK_WAIT; ++tries) wait_for_release(tries);
    return now - begin;
  }
  uint32_t csr() { return static_cast<uint32_t>(read(addr::kCsr)); }
  void command(uint32_t bits) { write(addr::kCsr, bits); }
  void reset() { write(addr::kReset, 0); }  // by software
  uint64_t timestamp() { return read(addr::kTimestamp); }
  uint64_t waits() { return read(addr::kWait); }
  uint64_t overruns() { return read(addr::kOverrun); }
  uint64_t counter(unsigned i) { return read(addr::kCounter + i); }
  void trace(uint64_t data, int line = 0) { write(addr::kTrace, data, line); }
  void resource(uint64_t data, int line = 0) { write(addr::kResource, data, line); }
  void fill() {
    for (uint64_t i = 0; i < config.fifo_depth; ++i) trace(i);
  }
  // Counters of the mask are enabled, with these inputs.
  void count(uint64_t mux, uint32_t counters = 0xffff) {
    write(addr::kMuxSel, mux);
    write(addr::kEnable, counters);
  }
  void count_cycles(uint32_t counters = 0xffff) { count(uint64_t{counters} << 32 | counters, counters); }
  // All counters have this value, but one of them.
  void expect_counters(uint64_t value, unsigned but = 16, uint64_t its = 0) {
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(counter(i), i == but ? its : value) << i;
  }
  void test(const TestWord& t) { write(addr::kTest, t.value()); }
  void test_mode(bool on) { mk_set_test_mode(&chip, on); }
  // Test mode comes for this instruction alone.
  void test_once(const TestWord& t) {
    test_mode(true);
    test(t);
    test_mode(false);
  }
  void inject(unsigned what, uint64_t value = 1) { mk_inject(&chip, what, value); }
  uint64_t injected(unsigned what) { return mk_injected(&chip, what); }
  void load(const MkState& image) {
    char why[PB_WHY_BYTES] = "";
    EXPECT_TRUE(mk_load(&chip, &image, why, sizeof why)) << why;
  }

  // --- what came out ---
  const std::vector<uint16_t>& words() {
    mk_catch_up(&chip);
    return out;
  }
  // Whole samples; a rest that is no sample yet stays in `rest`. Events are left out.
  std::vector<Sample> samples() {
    std::vector<Sample> all;
    rest = {};
    for (uint16_t w : words()) {
      if (w & MK_STREAM_EVENT) {
        rest = {};
        continue;
      }
      EXPECT_EQ(w & 0xfc00, 0);
      EXPECT_EQ(__builtin_popcount(w & 0x1ff) % 2, 1) << "odd parity of " << std::hex << w;
      rest.bytes.push_back(static_cast<uint8_t>(w));
      const size_t whole = rest.type() == MK_TYPE_RESOURCE ? 80 : 16;
      EXPECT_EQ((w & MK_STREAM_END) != 0, rest.bytes.size() == whole) << rest.bytes.size();
      if (!(w & MK_STREAM_END)) continue;
      all.push_back(rest);
      rest = {};
    }
    return all;
  }
  // So many, each of which has all fields.
  std::vector<Sample> samples(size_t wanted) {
    std::vector<Sample> all = samples();
    EXPECT_EQ(all.size(), wanted);
    all.resize(wanted, Sample{std::vector<uint8_t>(80)});
    return all;
  }
  Sample only_sample() { return samples(1)[0]; }
  MkState& state() { return chip.state; }

  MultiKron chip;
  MkConfig config;
  Sample rest;
  std::vector<uint16_t> out;
  std::vector<size_t> batches;
  uint64_t release = 0;
  int releases = 0;
  uint16_t watched = 0;
  uint64_t total[16] = {}, still[16] = {};  // external(): while watched, and when not
  uint64_t undercount[16] = {};             // of total, until it is rebased

 private:
  static MkBench& self(void* p) { return *static_cast<MkBench*>(p); }
  void take(const uint16_t* w, size_t n) {
    EXPECT_GT(n, 0u);
    out.insert(out.end(), w, w + n);
    batches.push_back(n);
  }
  void wait_for_release(int tries) {
    ASSERT_LT(tries, 3) << "delayed again and again";
    ASSERT_NE(release, PB_NEVER);
    now = std::max(now, release);
  }
};

}  // namespace perfboard::mk
