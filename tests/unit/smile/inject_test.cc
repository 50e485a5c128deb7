// SPDX-License-Identifier: GPL-2.0-or-later
//
// The monitor's errors on purpose.
#include "hw/smile/view.h"
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

struct InjectBench : Bench {
  explicit InjectBench(const Options& o = {}) : Bench(o) {}
  void inject(unsigned which, uint64_t n) { smile_inject(hwm.get(), which, n); }
  // As many regions as that: each a record, when the table is full.
  void regions(uint32_t n, uint32_t first = 0) {
    for (uint32_t i = 0; i < n; ++i) send(write(1, 0, first + i, 0));
  }
};

TEST(SmileInject, APacketThatIsNotHeardLeavesAnOrphanOrAClash) {
  InjectBench b;
  const Packet first = read(0, 1, 3, 4, 9);
  b.inject(injection("inject-drop"), 1);
  b.send(first);
  EXPECT_EQ(b.get(reg::kPackets), 0u);
  b.send(answer(first));
  EXPECT_EQ(b.get(reg::kOrphans), 1u);
  b.send(first);
  b.inject(injection("inject-drop"), 1);
  b.send(answer(first));
  b.send(first);
  EXPECT_EQ(b.get(reg::kClashes), 1u);
  EXPECT_EQ(smile_injected(b.hwm.get(), injection("inject-drop")), 0u);
}

TEST(SmileInject, ADamagedPacketIsOfAnotherTransaction) {
  InjectBench b;
  const Packet first = read(0, 1, 3, 4, 9);
  b.inject(injection("inject-damage"), 1);
  b.send(first);
  b.send(answer(first));
  EXPECT_EQ(b.get(reg::kOrphans), 1u);
  b.send(read(0, 1, 3, 4, 8));
  EXPECT_EQ(b.get(reg::kClashes), 1u);
  EXPECT_EQ(b.values(effect("packet-damaged")), std::vector<uint64_t>{9});
}

TEST(SmileInject, NothingIsUsedUpWhileTheMonitorStands) {
  InjectBench b;
  b.set(reg::kMcr, 0);
  b.inject(injection("inject-drop"), 2);
  b.regions(3);
  EXPECT_EQ(smile_injected(b.hwm.get(), injection("inject-drop")), 2u);
}

TEST(SmileInject, ASmallRingIsFullAndNothingIsLost) {
  InjectBench b;
  b.set(reg::kMcr, mcr::kRun | mcr::kIef);
  b.inject(injection("inject-ring"), 3);
  b.regions(16 + 3);
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kFull);
  EXPECT_FALSE(b.interrupt());
  b.regions(2, 100);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kFull);
  EXPECT_TRUE(b.interrupt());
  EXPECT_EQ(b.get(reg::kQueue), 2u);
  EXPECT_EQ(b.records().size(), 3u);
  EXPECT_EQ(b.records().size(), 2u);
  EXPECT_EQ(b.get(reg::kLostN), 0u);
}

TEST(SmileInject, AQueueThatTakesNothingLosesAndTells) {
  InjectBench b;
  b.inject(injection("inject-ring"), 2);
  b.inject(injection("inject-queue"), 1);
  b.regions(16 + 2 + 5);
  EXPECT_EQ(b.get(reg::kLostN), 5u);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kLost);
  EXPECT_EQ(b.records().size(), 2u);
  const std::vector<Record> more = b.drain();
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].kind(), unsigned{kLossKind});
  EXPECT_EQ(more[0].word1, 5u);
}

TEST(SmileInject, RoomThatComesBackIsUsedAtOnce) {
  InjectBench b;
  b.inject(injection("inject-ring"), 1);
  b.inject(injection("inject-queue"), 1);
  b.regions(16 + 3);
  EXPECT_EQ(b.get(reg::kLostN), 2u);
  b.inject(injection("inject-queue"), 0);
  EXPECT_EQ(b.get(reg::kQueue), 1u) << "the loss record";
  b.inject(injection("inject-ring"), 0);
  EXPECT_EQ(b.get(reg::kQueue), 0u);
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kFull);
  EXPECT_EQ(b.drain().size(), 2u);
}

TEST(SmileInject, ACounterThatSaturates) {
  InjectBench b;
  b.inject(injection("inject-saturate"), 1);
  for (int i = 0; i < 70'000; ++i) b.send(write(1, 0, 9, 9));
  EXPECT_EQ(entry(b, 0).count, 0xffffu);
  EXPECT_TRUE(b.records().empty());
  b.inject(injection("inject-saturate"), 0);
  b.send(write(1, 0, 9, 9));
  const std::vector<Record> all = b.records();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].ovf());

  InjectBench fixed({.design = SMILE_STATIC});
  fixed.counter(2, -1, -1, 17);
  fixed.activate(2, 0xfffe);
  fixed.counter(3, -1, -1, 16);
  fixed.activate(3, 0xff00);
  fixed.set(reg::kTimer, 100);
  fixed.inject(injection("inject-saturate"), 1);
  for (int i = 0; i < 3; ++i) fixed.global(1);
  fixed.run_until(fixed.now + 2000 * 100'000);
  EXPECT_EQ(fixed.value(2), 0xffffu);
  EXPECT_EQ(fixed.value(3), 0xffffu) << "the timer's";
  EXPECT_TRUE(fixed.records().empty());
  fixed.inject(injection("inject-saturate"), 0);
  fixed.run_until(fixed.now + 2000);
  EXPECT_EQ(fixed.records().size(), 1u);
}

}  // namespace
}  // namespace perfboard::smile
