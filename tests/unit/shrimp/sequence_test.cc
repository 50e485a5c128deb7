// SPDX-License-Identifier: GPL-2.0-or-later
//
// A driver that does what the manual says walks each programming sequence of the view, as `coverage=` sees
// it, and each interrupt condition is raised, enabled and serviced by the access that the view names.
#include "hw/shrimp/view.h"
#include "tests/unit/model/sequence_walk.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

class LookedAt : public Covered<SniBench, [](SniBench& b) { return b.board(); }> {
 public:
  LookedAt() : Covered(sni_view(), Setup{.fifo_words = SNI_FIFO_MIN, .enable = false}) {}
  uint32_t get(uint32_t offset) {
    const uint32_t value = covered_read(1, offset, [&] { return sni_reg_read(board(), offset, 4); });
    pop();
    return value;
  }
  void put(uint32_t offset, uint32_t value) {
    covered_write(1, offset, value, [&] { sni_reg_write(board(), offset, value, 4); });
    pop();
  }
  uint32_t get(std::string_view name) { return get(at(kRegisters, name).offset); }
  void put(std::string_view name, uint32_t value) { put(at(kRegisters, name).offset, value); }
  void put_sbcr(uint32_t value) {
    covered_write(0, 0xc84, value, [&] { sni_io_write(board(), 0xc84, value, 4); });
  }
  void map_page(uint32_t page, uint32_t to, uint32_t entry) {
    put(kOutTable + 8 * page + 4, 0);
    put(kOutTable + 8 * page, bit::kAu | uint32_t{coordinate(board()->config, 2)} << 16 | to);
    put(kInTable + 4 * to, entry);
  }
  void service() {
    const uint32_t seen = get("SISR");
    put("SISR", seen & 0xff);
  }
};

constexpr uint32_t kRun = bit::kEn | bit::kAue | bit::kTse;

TEST(SniSequences, ADriverWalksThemAllAndMeetsEachCondition) {
  LookedAt b;
  const auto ended = [&](std::string_view name) { EXPECT_TRUE(b.walked(name)) << name; };

  b.put_sbcr(0xc0000000 | 4 << 8 | bit::kEnable);
  b.put("SIER", 0xff);
  EXPECT_FALSE(b.walked("set-up"));
  b.put("SCR", kRun);
  ended("set-up");

  b.map_page(3, 7, bit::kValid | bit::kInt);
  ended("send");
  b.store32(0x3000, 5);
  b.run_for(20'000);
  EXPECT_TRUE(b.irq);
  b.service();
  ended("receive");

  for (int i = 0; i < 2000; ++i) b.store32(0x3000, 5);  // HW, OVF
  b.run_for(1000);
  EXPECT_TRUE(b.irq);
  b.service();
  EXPECT_FALSE(b.walked("throttle"));
  while (!(b.get("SSR") & 1 << 3)) b.run_for(10'000);
  b.service();  // LW
  ended("throttle");
  b.run_for(20'000'000);
  b.service();

  b.put("DUSA", 0x4000);
  b.put("DUDA", 0x9000);  // not valid: RXE
  b.put("DUDN", coordinate(b.board()->config, 2));
  b.put("DUWC", 8);
  b.put("DUWC", 8);  // busy: DUE
  b.run_for(20'000);
  b.service();
  ended("deliberate-update");

  b.store32(0x3000, 6);
  b.put("SCR", kRun | bit::kFlush);
  b.run_for(20'000);
  b.get("SSR");
  ended("flush");
  b.put(kOutTable + 8 * 3, 0);
  ended("take-back");
  b.get(kCounters);
  b.get(kCounters + 4);
  ended("read-counter");
  b.get("CLKL");
  b.get("CLKH");
  ended("read-clock");
  b.put("SCR", kRun | bit::kGrst);
  ended("reset-clocks");
  b.put("SCR", kRun | bit::kCrst);
  b.get(kCounters);
  ended("clear-counters");
  b.set_clock(kClockMask);
  b.run_for(1000);
  b.service();

  b.expect_all_walked();
  b.expect_all_met();
}

}  // namespace
}  // namespace perfboard::sni
