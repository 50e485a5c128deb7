// SPDX-License-Identifier: GPL-2.0-or-later
//
// Monitors on a bench: a fake machine whose events a test makes by hand, in the context that it says.
//
//   Bench b;                                   one monitor, awake
//   b.mode(mmcr::kDp);                         MMCR; set() is of any register
//   b.kernel(); b.happens(P2S_insns, 3);       three instructions in privileged state
//   b.get(reg::counter(10))                    as the processor reads it
//   b.taken_back(P2S_insns);                   the last of them was under way, and did not come to its end
//
// What nobody watches does not count, and a look at its total finds any number. Numbers here are the paper's
// and the interface's, not those of registers.h.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/power2/power2.h"
#include "tests/unit/model/rig.h"

namespace perfboard::p2 {

namespace reg {
inline constexpr uint32_t kMmcr = 0, kPad = 0x5c, kImr = 0x60, kSpe = 0x64, kMark = 0x68, kState = 0x6c;
constexpr uint32_t counter(unsigned i) { return 4 + 4 * i; }
inline constexpr uint32_t kCard = 0x800, kWindow = 0x1000, kWindowBytes = 0x100;
}  // namespace reg

namespace mmcr {  // Figure 2: bit 0 is the most significant
constexpr uint32_t bit(unsigned n) { return 0x80000000u >> n; }
inline constexpr uint32_t kDis = bit(0), kDp = bit(1), kDu = bit(2), kDms = bit(3), kDmr = bit(4),
                          kSga = bit(5), kReserved = 0x03ff0000;
constexpr uint32_t fpu(uint32_t group) { return group << 12; }
constexpr uint32_t fxu(uint32_t group) { return group << 8; }
constexpr uint32_t icu(uint32_t group) { return group << 4; }
constexpr uint32_t scu(uint32_t group) { return group; }
}  // namespace mmcr

// Counters, and some events' places, of group 0 if none is named.
inline constexpr unsigned kFpu = 0, kFxu = 5, kIcu = 10, kScu = 15, kCycleCounter = 20, kErrorCounter = 21;
inline constexpr unsigned kInstructions = kIcu + 0, kBranches = kIcu + 1;

class Bench : public Rig {
 public:
  struct Options {
    bool power = true, stalls = true;
    unsigned monitors = 1;
    bool awake = true;
  };

  Bench() : Bench(Options{}) {}
  explicit Bench(const Options& o)
      : processors(o.monitors), monitors(o.monitors), card{monitors.data(), o.monitors} {
    host().now = nullptr;  // events are all that it knows of time
    host().set_irq = nullptr;
    host().arm = nullptr;
    for (unsigned i = 0; i < o.monitors; ++i) {
      P2Config c = default_config();
      c.power = o.power;
      c.own_mark = !o.power;
      c.stalls = o.stalls;
      c.opaque = &processors[i];
      processors[i].power = o.power;
      char why[200] = "";
      EXPECT_TRUE(p2_config_ok(&c, why, sizeof why)) << why;
      p2_init(&monitors[i], &c, &host());
      if (o.awake) p2_wake(&monitors[i]);
    }
  }
  Bench(const Bench&) = delete;

  struct Processor {
    bool power = true, privileged = true, marked = false, takes_marks = true;
    uint64_t total[4][P2_SOURCES] = {};
    uint64_t undercount[4][P2_SOURCES] = {};  // of total, until more has happened or it is rebased
    uint64_t sources[P2_SOURCE_WORDS] = {};
    bool counts = false;
    int watches = 0;
    std::vector<bool> marks;
    std::vector<uint32_t> matches;
    mutable uint64_t noise = 12345;
    bool watched(unsigned source) const { return sources[source / 64] >> source % 64 & 1; }
    unsigned context() const { return (privileged ? 1 : 0) + (marked ? 2 : 0); }
  };

  static P2Config default_config() {
    P2Config c;
    p2_config_default(&c, P2_WIDE);
    c.totals = [](void* p, unsigned contexts, uint64_t* totals) {
      const Processor& cpu = *static_cast<Processor*>(p);
      EXPECT_TRUE(contexts != 0 && cpu.counts) << "totals, though nothing counts";
      for (unsigned s = 0; s < P2_SOURCES; ++s) {
        totals[s] = cpu.noise = cpu.noise * 6364136223846793005u + 1442695040888963407u;
        if (!cpu.watched(s)) continue;
        totals[s] = 0;
        for (unsigned i = 0; i < 4; ++i) totals[s] += contexts >> i & 1 ? cpu.total[i][s] : 0;
      }
    };
    c.rebase = [](void* p) {
      Processor& cpu = *static_cast<Processor*>(p);
      bool any = false;
      for (unsigned i = 0; i < 4; ++i) {
        for (unsigned s = 0; s < P2_SOURCES; ++s) {
          any |= cpu.undercount[i][s] != 0;
          cpu.total[i][s] -= std::exchange(cpu.undercount[i][s], 0);
        }
      }
      return any;
    };
    c.watch = [](void* p, const uint64_t* sources, bool counts) {
      Processor& cpu = *static_cast<Processor*>(p);
      std::memcpy(cpu.sources, sources, sizeof cpu.sources);
      cpu.counts = counts;
      ++cpu.watches;
    };
    c.mark = [](void* p, bool marked) {
      auto* cpu = static_cast<Processor*>(p);
      if (cpu->takes_marks) cpu->marked = marked;
      cpu->marks.push_back(marked);
    };
    c.match = [](void* p, uint32_t imr) { static_cast<Processor*>(p)->matches.push_back(imr); };
    c.context = [](void* p, bool* privileged, bool* marked) {
      *privileged = static_cast<Processor*>(p)->privileged;
      *marked = static_cast<Processor*>(p)->marked;
    };
    return c;
  }

  // --- the machine
  void user() { cpu().privileged = false; }
  void kernel() { cpu().privileged = true; }
  void mark(bool on = true) { cpu().marked = on; }
  void context(bool privileged, bool marked, unsigned processor = 0) {
    processors[processor].privileged = privileged;
    processors[processor].marked = marked;
  }
  void happens(unsigned source, uint64_t n = 1, unsigned processor = 0) {
    Processor& c = processors[processor];
    if (!c.watched(source)) return;
    uint64_t& undercount = c.undercount[c.context()][source];
    const uint64_t made_up = std::min(undercount, n);
    undercount -= made_up;
    c.total[c.context()][source] += n - made_up;
  }
  // It stands still: somebody has looked.
  void taken_back(unsigned source, uint64_t n = 1) { cpu().undercount[cpu().context()][source] += n; }
  Processor& cpu() { return processors[0]; }

  // --- the program
  uint32_t get(uint32_t offset, unsigned n = 0) { return p2_read(&monitors[n], offset); }
  void set(uint32_t offset, uint32_t value, unsigned n = 0) { p2_write(&monitors[n], offset, value); }
  uint32_t count(unsigned i) { return get(reg::counter(i)); }
  void mode(uint32_t value) { set(reg::kMmcr, value); }
  void errors(uint32_t n) { p2_correctable_errors(&monitors[0], n); }
  // All that a state can hold is in use.
  void make_busy() {
    set(reg::kMmcr, mmcr::fxu(13) | mmcr::icu(4) | mmcr::kDmr);
    set(reg::kImr, 0x7c000214);
    set(reg::kSpe, 1);
    if (monitors[0].config.own_mark) set(reg::kMark, 1);
    mark();
    set(reg::counter(kErrorCounter), 9);
    for (unsigned s = 0; s < P2_SOURCES; ++s) happens(s, 100 + s);
  }
  void reset() { p2_reset(&monitors[0]); }
  void restore(const P2State& image) {
    char why[PB_WHY_BYTES] = "";
    EXPECT_TRUE(p2_load(&monitors[0], &image, why, sizeof why)) << why;
  }
  uint64_t load(uint32_t offset, uint32_t size, bool big = false, int processor = 0) {
    const P2Access a = {offset, size, big, processor};
    return p2_card_load(&card, &a);
  }
  void store(uint32_t offset, uint32_t size, uint64_t value, bool big = false, int processor = 0) {
    const P2Access a = {offset, size, big, processor};
    p2_card_store(&card, &a, value);
  }

  P2State& state() { return monitors[0].state; }

  std::vector<Processor> processors;
  std::vector<P2Monitor> monitors;
  P2Card card;
};

}  // namespace perfboard::p2
