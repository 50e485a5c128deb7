// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every register of a monitor, every bit of MMCR: what can be read and written, what is said about the rest.
#include "hw/power2/registers.h"

#include "hw/power2/view.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

TEST(P2Registers, EveryBitOfMmcr) {
  for (unsigned n = 0; n < 32; ++n) {
    Bench b;
    b.mode(mmcr::bit(n));
    const bool there = n < 6 || n >= 16;
    EXPECT_EQ(b.get(reg::kMmcr), there ? mmcr::bit(n) : 0) << n;
    EXPECT_EQ(b.get(reg::kMmcr), there ? mmcr::bit(n) : 0)
        << "reading this register does not change its content";
    EXPECT_EQ(b.logged("MMCR: bits"), !there) << n;
  }
}

TEST(P2Registers, ASelectorChangesItsOwnUnitOnly) {
  // Group 12 of the FXU (multi-cycle operations), all else group 0.
  Bench b;
  b.mode(mmcr::fxu(12));
  b.happens(P2S_fx_mul, 3);
  b.happens(P2S_fxu0, 5);
  b.happens(P2S_insns, 7);
  EXPECT_EQ(b.count(kFxu + 0), 3u);
  EXPECT_EQ(b.count(kInstructions), 7u);
  b.mode(mmcr::icu(12));
  b.happens(P2S_fxu0, 5);
  b.happens(P2S_insns, 1);
  EXPECT_EQ(b.count(kFxu + 0), 8u) << "FXU instructions on top of what the counter held";
  EXPECT_EQ(b.count(kInstructions), 8u);
}

// "This bit overrides the FPU, FXU, ICU, and SCU source event set selection."
TEST(P2Registers, ScuGetsAllOverridesEverySelector) {
  Bench b;
  b.mode(mmcr::kSga | 0x1234);
  b.happens(P2S_loads, 2);
  b.happens(P2S_dma_write_lines, 4);
  b.happens(P2S_insns, 100);
  b.happens(P2S_cycles, 50);
  EXPECT_EQ(b.count(0), 2u);
  EXPECT_EQ(b.count(16), 4u) << "dma_wr";
  EXPECT_EQ(b.count(kInstructions), 0u) << "the ICU has no counters";
  EXPECT_EQ(b.count(kCycleCounter), 50u) << "20 of the 22: the dedicated ones stay";
  b.errors(6);
  EXPECT_EQ(b.count(kErrorCounter), 6u);
}

TEST(P2Registers, CountersReadAndWrite) {
  Bench b;
  b.mode(mmcr::kDis);
  for (unsigned i = 0; i < 22; ++i) b.set(reg::counter(i), 0x80000000u + i);
  for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(b.count(i), 0x80000000u + i);
  b.set(reg::kPad, 0xffffffff);
  EXPECT_EQ(b.get(reg::kPad), 0u);
  EXPECT_TRUE(b.log.empty()) << "64-bit accesses save and restore all counters";
}

TEST(P2Registers, ImrIsHandedOn) {
  Bench b;
  b.mode(mmcr::fxu(13));
  b.set(reg::kImr, 0x7c0004ac);
  EXPECT_EQ(b.get(reg::kImr), 0x7c0004acu);
  EXPECT_EQ(b.cpu().matches, std::vector<uint32_t>{0x7c0004ac});
  b.happens(P2S_imr_matches, 4);
  EXPECT_EQ(b.count(kFxu), 4u);
  b.set(reg::kImr, 0);
  EXPECT_EQ(b.count(kFxu), 4u);
  EXPECT_EQ(b.cpu().matches.back(), 0u);
}

// "The number of cycles for which the SPE bit is 1"
TEST(P2Registers, SpeCountsCyclesWhileItIsOne) {
  Bench b({.stalls = false});
  b.mode(mmcr::fxu(13));
  b.happens(P2S_cycles, 10);
  EXPECT_EQ(b.count(kFxu + 1), 0u);
  b.set(reg::kSpe, 1);
  EXPECT_EQ(b.get(reg::kSpe), 1u);
  b.happens(P2S_cycles, 5);
  EXPECT_EQ(b.count(kFxu + 1), 5u);
  b.set(reg::kSpe, 1);
  b.happens(P2S_cycles, 2);
  b.set(reg::kSpe, 0);
  b.happens(P2S_cycles, 100);
  EXPECT_EQ(b.count(kFxu + 1), 7u);
  b.set(reg::kSpe, 3);
  b.happens(P2S_cycles, 1);
  EXPECT_EQ(b.count(kFxu + 1), 8u);
  EXPECT_EQ(b.get(reg::kSpe), 1u);
  EXPECT_TRUE(b.logged("SPE: bits 0x2"));
  EXPECT_EQ(b.count(kCycleCounter), 118u);
}

TEST(P2Registers, MarkIsTheMsrsOnPower) {
  Bench b;
  b.mark();
  EXPECT_EQ(b.get(reg::kMark), 1u);
  b.set(reg::kMark, 0);
  EXPECT_EQ(b.get(reg::kMark), 1u);
  EXPECT_TRUE(b.logged("MARK"));
  EXPECT_TRUE(b.cpu().marks.empty());
  b.mark(false);
  EXPECT_EQ(b.get(reg::kMark), 0u);
}

// Another processor that runs takes its mark between two blocks; until then it counts by the old one.
TEST(P2Registers, MarkIsWhatTheProcessorHas) {
  Bench b({.power = false});
  b.cpu().takes_marks = false;
  b.set(reg::kMark, 1);
  EXPECT_EQ(b.get(reg::kMark), 0u);
  EXPECT_EQ(b.get(reg::kState) & 2, 0u);
  b.mark();
  EXPECT_EQ(b.get(reg::kMark), 1u);
  EXPECT_EQ(b.get(reg::kState) & 2, 2u);
}

// --- what is printed from the model's tables is what the tree has

TEST(P2Manual, TheGuestsEventsHaveNotDrifted) {
  const std::string header = source("guest/power2/events.h");
  EXPECT_FALSE(header.empty());
  EXPECT_TRUE(header == guest_header()) << "run power2-events > guest/power2/events.h";
}

}  // namespace
}  // namespace perfboard::p2
