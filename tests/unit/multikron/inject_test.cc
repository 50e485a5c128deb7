// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose: each shows as the condition that the paper names, nothing is lost uncounted, and the
// next sample is right again.
#include "hw/multikron/view.h"
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

TEST(MultiKronInject, TheNetworkStopsAndGoesOn) {
  MkBench b;
  b.write(addr::kTrace, 1);
  b.at(b.cycle() + 11);
  mk_inject(&b.chip, injection("inject-net-stop"), 1);
  EXPECT_EQ(mk_injected(&b.chip, injection("inject-net-stop")), 1u);
  const size_t sent = b.words().size();
  EXPECT_GT(sent, 0u);
  EXPECT_LT(sent, 16u) << "in the middle of a sample";
  for (int i = 0; i < 9; ++i) b.write(addr::kTrace, 2);
  b.at(b.cycle() + 100'000);
  EXPECT_EQ(b.words().size(), sent);
  EXPECT_EQ(b.csr() & (csr::kFull | csr::kFifoOverrun), csr::kFull | csr::kFifoOverrun);
  EXPECT_EQ(b.read(addr::kOverrun), 2u) << "eight levels";
  mk_inject(&b.chip, injection("inject-net-stop"), 0);
  b.at(b.cycle() + 8 * 32 + 2);
  EXPECT_EQ(b.samples().size(), 8u);
  EXPECT_EQ(b.csr() & csr::kFull, 0u);
}

TEST(MultiKronInject, AStoreWaitsForTheStoppedNetwork) {
  MkBench b;
  b.at(1000);
  b.write(addr::kCsr, csr::kWriteWait);
  mk_inject(&b.chip, injection("inject-net-stop"), 1);
  for (int i = 0; i < 8; ++i) b.write(addr::kTrace, 0);
  EXPECT_EQ(b.try_write(addr::kTrace, 0), MK_WAIT);
  EXPECT_EQ(b.release, PB_NEVER) << "nobody knows when";
  EXPECT_FALSE(b.logged("until a hardware reset")) << "the network may come back";
  b.at(3000);
  mk_inject(&b.chip, injection("inject-net-stop"), 0);
  EXPECT_NE(b.release, PB_NEVER);
  b.now = b.release;
  EXPECT_EQ(b.try_write(addr::kTrace, 0), MK_DONE);
  EXPECT_EQ(b.read(addr::kWait), b.cycle() - 1000);
  EXPECT_EQ(b.read(addr::kOverrun), 0u);
}

TEST(MultiKronInject, ShadowRegistersStayFullWithoutANetwork) {
  MkBench b;
  mk_inject(&b.chip, injection("inject-net-stop"), 1);
  b.write(addr::kResource, 0);
  b.at(b.cycle() + 10'000);
  EXPECT_EQ(b.read(addr::kCounter) & kWrongData, kWrongData);
  EXPECT_EQ(b.csr() & csr::kShadowFull, csr::kShadowFull);
}

TEST(MultiKronInject, Overruns) {
  for (const bool wait : {false, true}) {
    MkBench b;
    if (wait) b.write(addr::kCsr, csr::kWriteWait);
    mk_inject(&b.chip, injection("inject-overrun"), 2);
    for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(b.try_write(addr::kTrace, i), MK_DONE);
    EXPECT_EQ(mk_injected(&b.chip, injection("inject-overrun")), 0u);
    EXPECT_EQ(b.read(addr::kOverrun), 2u);
    b.at(b.cycle() + 1000);
    const auto samples = b.samples();
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_EQ(samples[0].data(), 2u);
    EXPECT_EQ(samples[0].flags(), 4u) << "FIFO overrun";
    EXPECT_EQ(samples[1].flags(), 0u);
  }
}

TEST(MultiKronInject, WhatIsFilteredOutIsNotLost) {
  MkBench b;
  b.write(addr::kFilter, 1);
  mk_inject(&b.chip, injection("inject-overrun"), 1);
  b.write(addr::kTrace + 1, 0);
  EXPECT_EQ(mk_injected(&b.chip, injection("inject-overrun")), 1u);
  EXPECT_EQ(b.read(addr::kOverrun), 0u);
}

bool odd(uint16_t word) { return __builtin_popcount(word & 0x1ff) % 2; }

// Whatever the moments at which elements are made.
TEST(MultiKronInject, DamagedSamples) {
  for (unsigned step = 1; step < 40; ++step) {
    MkBench b;
    mk_inject(&b.chip, injection("inject-damage"), 1);
    b.write(addr::kTrace, 0xabcdef);
    b.write(addr::kResource, 0x123456);
    for (unsigned at = 0; at < 300; at += step) {
      b.at(b.cycle() + step);
      b.words();
    }
    const auto& words = b.words();
    ASSERT_EQ(words.size(), 96u);
    for (size_t i = 0; i < words.size(); ++i) EXPECT_EQ(odd(words[i]), i != 10) << i << ", step " << step;
    EXPECT_EQ(words[15] & MK_STREAM_END, MK_STREAM_END);
  }
}

TEST(MultiKronInject, SamplesWithoutAnEnd) {
  MkBench b;
  mk_inject(&b.chip, injection("inject-no-end"), 1);
  b.write(addr::kTrace, 1);
  b.write(addr::kTrace, 2);
  b.at(b.cycle() + 1000);
  const auto& words = b.words();
  ASSERT_EQ(words.size(), 32u);
  for (size_t i = 0; i < words.size(); ++i) {
    EXPECT_TRUE(odd(words[i]));
    EXPECT_EQ((words[i] & MK_STREAM_END) != 0, i == 31) << i;
  }
}

TEST(MultiKronInject, FullAndWrongCounters) {
  MkBench b;
  b.write(addr::kMuxSel, 0xffff00000000);  // 10: software
  b.write(addr::kEnable, 0xffff);
  for (int i = 0; i < 3; ++i) b.write(addr::kCounter + 3, 0);
  mk_inject(&b.chip, injection("inject-flip"), 3 * 32 + 7);
  EXPECT_EQ(b.read(addr::kCounter + 3), 3u + 128);
  mk_inject(&b.chip, injection("inject-flip"), 3 * 32 + 7);
  EXPECT_EQ(b.read(addr::kCounter + 3), 3u);
  mk_inject(&b.chip, injection("inject-saturate"), 1 << 3 | 1 << 15);
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(b.read(addr::kCounter + i), i == 3 || i == 15 ? 0xffffffffu : 0u) << i;
  b.write(addr::kCounter + 3, 0);
  EXPECT_EQ(b.read(addr::kCounter + 3), 0xffffffffu) << "it sticks";
  b.write(addr::kRReset, 0xffff);
  EXPECT_EQ(b.read(addr::kCounter + 3), 0u);
}

// Nor does a hardware reset: unit-board-multikron.
TEST(MultiKronInject, ASoftwareResetEndsNoneAndASnapshotSaysAllAnew) {
  MkBench b;
  for (const auto which : {injection("inject-net-stop"), injection("inject-overrun"),
                           injection("inject-damage"), injection("inject-no-end")}) {
    mk_inject(&b.chip, which, 1);
    b.write(addr::kReset, 0);
    EXPECT_EQ(mk_injected(&b.chip, which), 1u) << which;
    mk_power_on(&b.chip);
    EXPECT_EQ(mk_injected(&b.chip, which), 0u) << which;
  }
}

TEST(MultiKronInject, SnapshotsHoldThem) {
  MkBench b, other;
  mk_inject(&b.chip, injection("inject-damage"), 2);
  b.write(addr::kTrace, 1);
  mk_pre_save(&b.chip);
  other.now = b.now;
  other.load(b.state());
  EXPECT_EQ(mk_injected(&other.chip, injection("inject-damage")), 1u);
  other.out.clear();
  other.at(other.cycle() + 100);
  ASSERT_EQ(other.words().size(), 16u);
  EXPECT_FALSE(odd(other.words()[10])) << "the sample in the FIFO is damaged there, too";
}

}  // namespace
}  // namespace perfboard::mk
