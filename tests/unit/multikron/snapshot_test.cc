// SPDX-License-Identifier: GPL-2.0-or-later
//
// A snapshot at any point: a copy of the state, in a chip of another process, goes on bit by bit as the
// first.
#include <algorithm>

#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

TEST(MkSnapshotPoint, AtEachCycleOfAResourceSampleAndOfADelayedWrite) {
  for (uint64_t c = 0; c < 180; ++c) {
    MkBench first;
    first.write(addr::kCsr, csr::kWriteWait);
    first.count_cycles();
    first.at(4);
    first.write(addr::kResource, 1);
    EXPECT_EQ(first.try_write(addr::kResource, 2), MK_WAIT);
    first.at(c + 4);
    mk_pre_save(&first.chip);
    MkBench second;
    second.now = first.now;
    second.load(first.state());
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
  b.count_cycles();
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
  b.load(image);
}

}  // namespace
}  // namespace perfboard::mk
