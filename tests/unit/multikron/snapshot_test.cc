// SPDX-License-Identifier: GPL-2.0-or-later
//
// A snapshot at any point: a copy of the state, in a chip of another process, goes on bit by bit as the
// first.
#include <algorithm>

#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

using Options = MkBench::Options;

// A program that does everything; each step is the same for whoever is in the same state.
class Program {
 public:
  explicit Program(uint32_t seed) : x_(seed) {}
  void step(MkBench& b) {
    const uint32_t r = next();
    b.now += r >> 8 & 0x7f;
    const unsigned level = r >> 16 & 15;
    const int line = r >> 20 & 7;
    uint64_t v = 0;
    result_ = MK_DONE;
    switch (r >> 24 & 15) {
      case 0:
      case 1:
      case 2:
      case 3:
        result_ = b.try_write(addr::kTrace + level, next(), line);
        break;
      case 4:
      case 5:
        result_ = b.try_write(addr::kResource + level, next(), line);
        break;
      case 6:
      case 7:
        result_ = b.try_read(addr::kCounter + level, &v, line);
        break;
      case 8:
        result_ = b.try_write(addr::kCounter + level, 1, line);
        break;
      case 9:
        result_ = b.try_write(addr::kMuxSel, next() | uint64_t{next()} << 32, line);
        break;
      case 10:
        result_ = b.try_write(next() & 1 ? addr::kEnable : addr::kDisable, next(), line);
        break;
      case 11:
        mk_external_edges(&b.chip, level, 3);
        break;
      case 12:
        mk_set_external_free(&b.chip, next() & 3);
        break;
      case 13:
        result_ = b.try_write(addr::kCsr, csr::kSample | (next() & 1 ? 0x14 : 0x28), line);
        break;
      case 14:
        b.test_mode(!(next() & 3));
        b.write(addr::kTest, (next() & 0x1ff) * (uint64_t{1} << 32) | next());
        break;
      default:
        result_ = b.try_read(next() % 24, &v, line);
    }
    read_ = v;
  }
  uint64_t seen() const { return read_ * 2 + result_; }

 private:
  uint32_t next() { return x_ = x_ * 1664525 + 1013904223; }
  uint32_t x_;
  uint64_t read_ = 0;
  mk_result result_ = MK_DONE;
};

class MkSnapshot : public testing::TestWithParam<Options> {};
TEST_P(MkSnapshot, GoesOnBitByBit) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    MkBench first(GetParam());
    Program program(seed * 7919);
    for (uint32_t i = 0; i < 3 * seed; ++i) program.step(first);
    // Save, and load into a chip that has been doing something else.
    mk_pre_save(&first.chip);
    const MkState saved = first.state();
    MkBench second(GetParam());
    Program other(seed);
    for (int i = 0; i < 50; ++i) other.step(second);
    second.state() = saved;
    second.now = first.now;
    second.release = 0;
    mk_post_load(&second.chip);
    first.out.clear();
    second.out.clear();
    EXPECT_EQ(second.watched, first.watched);
    if (saved.waiting) {
      EXPECT_EQ(second.release, first.release) << seed;
    }
    Program same = program;
    for (int i = 0; i < 300; ++i) {
      program.step(first);
      same.step(second);
      ASSERT_EQ(program.seen(), same.seen()) << seed << ' ' << i;
    }
    EXPECT_EQ(first.words(), second.words()) << seed;
    for (const auto member : {&MkState::wait_count, &MkState::overrun_count, &MkState::filter, &MkState::csr})
      EXPECT_EQ(first.state().*member, second.state().*member);
    mk_pre_save(&first.chip);
    mk_pre_save(&second.chip);
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(first.state().counter[i], second.state().counter[i]);
  }
}
INSTANTIATE_TEST_SUITE_P(
    All, MkSnapshot,
    testing::Values(Options{}, Options{.depth = 1}, Options{.free = MK_FREE_PIN},
                    Options{.node_hz = 33'333'333},
                    Options{.depth = 3, .free = MK_FREE_FIFO, .free_bytes = 9, .drain_hz = 3'333'333}));

TEST(MkSnapshotPoint, AtEachCycleOfAResourceSampleAndOfADelayedWrite) {
  for (uint64_t c = 0; c < 180; ++c) {
    MkBench first;
    first.write(addr::kCsr, csr::kWriteWait);
    first.write(addr::kMuxSel, uint64_t{0xffff} << 32 | 0xffff);
    first.write(addr::kEnable, 0xffff);
    first.at(4);
    first.write(addr::kResource, 1);
    EXPECT_EQ(first.try_write(addr::kResource, 2), MK_WAIT);
    first.at(c + 4);
    mk_pre_save(&first.chip);
    MkBench second;
    second.now = first.now;
    char why[PB_WHY_BYTES] = "";
    ASSERT_TRUE(mk_load(&second.chip, &first.state(), why, sizeof why)) << why;
    std::vector<uint16_t> all = first.out;
    if (c < 160) {
      EXPECT_EQ(second.release, second.ns_of(164)) << c;
    }
    second.now = std::max(second.now, second.ns_of(164));
    EXPECT_EQ(second.try_write(addr::kResource, 2), MK_DONE);
    EXPECT_EQ(second.read(addr::kWait), 160u);
    second.at(2000);
    second.words();
    all.insert(all.end(), second.out.begin(), second.out.end());
    second.out = all;
    const std::vector<Sample> samples = second.samples();
    ASSERT_EQ(samples.size(), 2u) << c;
    EXPECT_EQ(samples[0].counter(5), 4u);
    EXPECT_EQ(samples[1].counter(5), std::max<uint64_t>(164, c + 4));
  }
}

// Totals of event sources are the process's own: what the saved counters had seen is in them.
TEST(MkSnapshotPoint, SourcesTotalsAreNotInIt) {
  MkBench first({.sources = true});
  first.write(addr::kMuxSel, 0xffff);
  first.write(addr::kEnable, 0xffff);
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
  EXPECT_EQ(second.read(addr::kCounter + 2), 600u);
  EXPECT_EQ(second.read(addr::kCounter + 3), 0u);
}

TEST(MkSnapshotPoint, SavingChangesNothing) {
  MkBench saved, not_saved;
  for (MkBench* b : {&saved, &not_saved}) {
    b->write(addr::kMuxSel, uint64_t{0xffff} << 32 | 0xff);
    b->write(addr::kEnable, 0xffff);
    b->write(addr::kResource, 3);
  }
  saved.at(55);
  mk_pre_save(&saved.chip);
  for (MkBench* b : {&saved, &not_saved}) b->at(500);
  EXPECT_EQ(saved.words(), not_saved.words());
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(saved.read(addr::kCounter + i), not_saved.read(addr::kCounter + i));
}

// An access that the chip delays is given up, and time goes back to the start of its instruction. A
// snapshot made then is no damaged one, and counters do not run backwards.
TEST(MkGivenUp, TimeThatGoesBackIsNoDamage) {
  MkBench b;
  b.write(addr::kCsr, csr::kWriteWait);
  b.write(addr::kMuxSel, uint64_t{0xffff} << 32 | 0xffff);
  b.write(addr::kEnable, 0xffff);
  b.write(addr::kTrace, 1);
  b.write(addr::kResource, 2);
  EXPECT_EQ(b.try_write(addr::kResource, 3), MK_WAIT);
  b.at(b.cycle() + 20);
  mk_pre_save(&b.chip);
  b.at(b.cycle() + 7);
  EXPECT_EQ(b.try_write(addr::kResource, 3), MK_WAIT);
  b.write(addr::kRReset, 0);  // counts
  const uint64_t counted = b.state().counter[0];
  b.now -= 30;
  mk_pre_save(&b.chip);
  EXPECT_EQ(b.state().counter[0], counted);
  const MkState image = b.state();
  char why[PB_WHY_BYTES] = "";
  EXPECT_TRUE(mk_load(&b.chip, &image, why, sizeof why)) << why;
}

}  // namespace
}  // namespace perfboard::mk
