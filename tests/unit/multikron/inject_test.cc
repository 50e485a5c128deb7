// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose, and snapshots. Each error shows as the condition that the paper names, nothing is lost
// uncounted, and the next sample is right again.
#include <algorithm>

#include "hw/multikron/view.h"
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

TEST(MultiKronInject, TheNetworkStopsAndGoesOn) {
  MkBench b;
  b.trace(1);
  b.pass(11);
  b.inject(injection("inject-net-stop"));
  EXPECT_EQ(b.injected(injection("inject-net-stop")), 1u);
  const size_t sent = b.words().size();
  EXPECT_GT(sent, 0u);
  EXPECT_LT(sent, 16u) << "in the middle of a sample";
  for (int i = 0; i < 9; ++i) b.trace(2);
  b.pass(100'000);
  EXPECT_EQ(b.words().size(), sent);
  EXPECT_EQ(b.csr() & (csr::kFull | csr::kFifoOverrun), csr::kFull | csr::kFifoOverrun);
  EXPECT_EQ(b.overruns(), 2u) << "eight levels";
  b.inject(injection("inject-net-stop"), 0);
  b.pass(8 * 32 + 2);
  EXPECT_EQ(b.samples().size(), 8u);
  EXPECT_EQ(b.csr() & csr::kFull, 0u);
}

TEST(MultiKronInject, AStoreWaitsForTheStoppedNetwork) {
  MkBench b;
  b.at(1000);
  b.command(csr::kWriteWait);
  b.inject(injection("inject-net-stop"));
  b.fill();
  EXPECT_EQ(b.try_write(addr::kTrace, 0), MK_WAIT);
  EXPECT_EQ(b.release, PB_NEVER) << "nobody knows when";
  EXPECT_FALSE(b.logged("until a hardware reset")) << "the network may come back";
  b.at(3000);
  b.inject(injection("inject-net-stop"), 0);
  EXPECT_NE(b.release, PB_NEVER);
  b.now = b.release;
  EXPECT_EQ(b.try_write(addr::kTrace, 0), MK_DONE);
  EXPECT_EQ(b.waits(), b.cycle() - 1000);
  EXPECT_EQ(b.overruns(), 0u);
}

TEST(MultiKronInject, Overruns) {
  for (const bool wait : {false, true}) {
    MkBench b;
    if (wait) b.command(csr::kWriteWait);
    b.inject(injection("inject-overrun"), 2);
    for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(b.try_write(addr::kTrace, i), MK_DONE);
    EXPECT_EQ(b.injected(injection("inject-overrun")), 0u);
    EXPECT_EQ(b.overruns(), 2u);
    b.pass(1000);
    const std::vector<Sample> samples = b.samples(2);
    EXPECT_EQ(samples[0].data(), 2u);
    EXPECT_EQ(samples[0].flags(), 4u) << "FIFO overrun";
    EXPECT_EQ(samples[1].flags(), 0u);
  }
}

TEST(MultiKronInject, WhatIsFilteredOutIsNotLost) {
  MkBench b;
  b.write(addr::kFilter, 1);
  b.inject(injection("inject-overrun"));
  b.write(addr::kTrace + 1, 0);
  EXPECT_EQ(b.injected(injection("inject-overrun")), 1u);
  EXPECT_EQ(b.overruns(), 0u);
}

bool odd(uint16_t word) { return __builtin_popcount(word & 0x1ff) % 2; }

// Whatever the moments at which elements are made.
TEST(MultiKronInject, DamagedSamples) {
  for (unsigned step = 1; step < 40; ++step) {
    MkBench b;
    b.inject(injection("inject-damage"));
    b.trace(0xabcdef);
    b.resource(0x123456);
    for (unsigned at = 0; at < 300; at += step) {
      b.pass(step);
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
  b.inject(injection("inject-no-end"));
  b.trace(1);
  b.trace(2);
  b.pass(1000);
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
  b.inject(injection("inject-flip"), 3 * 32 + 7);
  EXPECT_EQ(b.counter(3), 3u + 128);
  b.inject(injection("inject-flip"), 3 * 32 + 7);
  EXPECT_EQ(b.counter(3), 3u);
  b.inject(injection("inject-saturate"), 1 << 3 | 1 << 15);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.counter(i), i == 3 || i == 15 ? 0xffffffffu : 0u) << i;
  b.write(addr::kCounter + 3, 0);
  EXPECT_EQ(b.counter(3), 0xffffffffu) << "it sticks";
  b.write(addr::kRReset, 0xffff);
  EXPECT_EQ(b.counter(3), 0u);
}

// Nor does a hardware reset: unit-board-multikron.
TEST(MultiKronInject, ASoftwareResetEndsNoneAndASnapshotSaysAllAnew) {
  MkBench b;
  for (const auto which : {injection("inject-net-stop"), injection("inject-overrun"),
                           injection("inject-damage"), injection("inject-no-end")}) {
    b.inject(which, 1);
    b.reset();
    EXPECT_EQ(b.injected(which), 1u) << which;
    mk_power_on(&b.chip);
    EXPECT_EQ(b.injected(which), 0u) << which;
  }
}

TEST(MultiKronInject, SnapshotsHoldThem) {
  MkBench b, other;
  b.inject(injection("inject-damage"), 2);
  b.trace(1);
  mk_pre_save(&b.chip);
  other.now = b.now;
  other.load(b.state());
  EXPECT_EQ(other.injected(injection("inject-damage")), 1u);
  other.out.clear();
  other.pass(100);
  ASSERT_EQ(other.words().size(), 16u);
  EXPECT_FALSE(odd(other.words()[10])) << "the sample in the FIFO is damaged there, too";
}

// --- a snapshot at any point: a copy of the state, in a chip of another process, goes on as the first ------

TEST(MkSnapshotPoint, AtEachCycleOfAResourceSampleAndOfADelayedWrite) {
  for (uint64_t c = 0; c < 180; ++c) {
    MkBench first;
    first.command(csr::kWriteWait);
    first.count_cycles();
    first.at(4);
    first.resource(1);
    EXPECT_EQ(first.try_write(addr::kResource, 2), MK_WAIT);
    first.at(c + 4);
    mk_pre_save(&first.chip);
    MkBench second;
    second.now = first.now;
    second.load(first.state());
    second.out.insert(second.out.begin(), first.out.begin(), first.out.end());
    if (c < 160) {
      EXPECT_EQ(second.release, second.ns_of(164)) << c;
    }
    second.now = std::max(second.now, second.ns_of(164));
    EXPECT_EQ(second.try_write(addr::kResource, 2), MK_DONE);
    EXPECT_EQ(second.waits(), 160u);
    second.at(2000);
    const std::vector<Sample> samples = second.samples(2);
    EXPECT_EQ(samples[0].counter(5), 4u);
    EXPECT_EQ(samples[1].counter(5), std::max<uint64_t>(164, c + 4));
  }
}

// Totals of event sources are the process's own: what the saved counters had seen is in them.
TEST(MkSnapshotPoint, SourcesTotalsAreNotInIt) {
  MkBench first({.sources = true});
  first.count(0xffff);
  first.total[2] = 500;
  mk_pre_save(&first.chip);
  first.total[2] = 600;
  MkBench second({.sources = true});
  for (uint64_t& t : second.total) t = 1'000'000;
  for (uint64_t& t : second.still) t = 1'000'000;
  second.state() = first.state();
  mk_post_load(&second.chip);
  EXPECT_EQ(second.watched, 0xffffu);
  second.total[2] = 1'000'100;
  EXPECT_EQ(second.counter(2), 600u);
  EXPECT_EQ(second.counter(3), 0u);
}

TEST(MkSnapshotPoint, SavingChangesNothing) {
  MkBench saved, not_saved;
  for (MkBench* b : {&saved, &not_saved}) {
    b->count(uint64_t{0xffff} << 32 | 0xff);
    b->resource(3);
  }
  saved.at(55);
  mk_pre_save(&saved.chip);
  for (MkBench* b : {&saved, &not_saved}) b->at(500);
  EXPECT_EQ(saved.words(), not_saved.words());
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(saved.counter(i), not_saved.counter(i));
}

// An access that the chip delays is given up, and time goes back to the start of its instruction. A
// snapshot made then is no damaged one, and counters do not run backwards.
TEST(MkGivenUp, TimeThatGoesBackIsNoDamage) {
  MkBench b;
  b.command(csr::kWriteWait);
  b.count_cycles();
  b.trace(1);
  b.resource(2);
  EXPECT_EQ(b.try_write(addr::kResource, 3), MK_WAIT);
  b.pass(20);
  mk_pre_save(&b.chip);
  b.pass(7);
  EXPECT_EQ(b.try_write(addr::kResource, 3), MK_WAIT);
  b.write(addr::kRReset, 0);  // counts
  const uint64_t counted = b.state().counter[0];
  b.now -= 30;
  mk_pre_save(&b.chip);
  EXPECT_EQ(b.state().counter[0], counted);
  const MkState image = b.state();
  b.load(image);
}

}  // namespace
}  // namespace perfboard::mk
