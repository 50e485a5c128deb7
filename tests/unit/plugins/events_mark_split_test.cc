// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <thread>

#include "plugins/mark_split.h"

namespace perfboard {
namespace {

// One vCPU's counts, as translated code adds to them.
struct Cpu {
  uint64_t count[3] = {};
  MarkSplit<3> marks;

  void mark(bool on) {
    marks.set(on, 3, [this](size_t i) { return count[i]; });
  }
  uint64_t marked(size_t i) {
    return marks.of(i, [&] { return count[i]; }).marked;
  }
  uint64_t unmarked(size_t i) {
    return marks.of(i, [&] { return count[i]; }).unmarked;
  }
};

TEST(MarkSplit, EachCountFallsIntoOnePart) {
  Cpu cpu;
  cpu.count[0] = 5;
  EXPECT_EQ(cpu.marked(0), 0u);
  EXPECT_EQ(cpu.unmarked(0), 5u);
  cpu.mark(true);
  cpu.count[0] += 3;
  cpu.count[2] += 7;
  EXPECT_EQ(cpu.marked(0), 3u);
  EXPECT_EQ(cpu.unmarked(0), 5u);
  EXPECT_EQ(cpu.marked(2), 7u);
  cpu.mark(false);
  cpu.count[0] += 11;
  EXPECT_EQ(cpu.marked(0), 3u);
  EXPECT_EQ(cpu.unmarked(0), 16u);
  cpu.mark(true);
  cpu.count[0] += 1;
  EXPECT_EQ(cpu.marked(0), 4u);
  EXPECT_EQ(cpu.unmarked(0), 16u);
  EXPECT_EQ(cpu.marked(1), 0u);
}

TEST(MarkSplit, TheSameMarkAgainChangesNothing) {
  Cpu cpu;
  cpu.mark(true);
  cpu.count[0] = 2;
  cpu.mark(true);
  cpu.count[0] = 5;
  EXPECT_EQ(cpu.marked(0), 5u);
  cpu.mark(false);
  cpu.mark(false);
  EXPECT_EQ(cpu.marked(0), 5u);
}

TEST(MarkSplit, WhatIsTakenBackIsTakenFromThePartUnderWay) {
  Cpu cpu;
  cpu.count[0] = 10;
  cpu.mark(true);
  cpu.count[0]++;
  cpu.count[0]--;
  EXPECT_EQ(cpu.marked(0), 0u);
  EXPECT_EQ(cpu.unmarked(0), 10u);
  cpu.mark(false);
  cpu.count[0]--;
  EXPECT_EQ(cpu.marked(0), 0u);
  EXPECT_EQ(cpu.unmarked(0), 9u);
}

// The instruction that sets the mark is a store that is counted after it: it belongs to where it began.
TEST(MarkSplit, AStoreThatSetsTheMark) {
  Cpu cpu;
  cpu.marks.set(true, 3, [&](size_t i) { return cpu.count[i] + (i == 1); });
  cpu.count[1]++;
  EXPECT_EQ(cpu.marked(1), 0u);
  EXPECT_EQ(cpu.unmarked(1), 1u);
  cpu.count[1]++;
  EXPECT_EQ(cpu.marked(1), 1u);
}

TEST(MarkSplit, AReaderNeverSeesAHalfChangedSplit) {
  Cpu cpu;
  std::atomic<uint64_t> count{0};
  std::atomic<bool> done{false};
  std::thread vcpu([&] {
    for (unsigned i = 0; i < 200000; ++i) {
      // Marked for 1 of 4.
      cpu.marks.set(i % 4 == 0, 1, [&](size_t) { return count.load(); });
      count.store(count.load() + 1);
    }
    done = true;
  });
  uint64_t last_marked = 0, last_unmarked = 0;
  while (!done) {
    const auto parts = cpu.marks.of(0, [&] { return count.load(); });
    ASSERT_GE(parts.marked, last_marked);
    ASSERT_GE(parts.unmarked, last_unmarked);
    ASSERT_LE(parts.unmarked, 3 * parts.marked);
    ASSERT_LE(parts.marked, parts.unmarked / 3 + 1);
    last_marked = parts.marked;
    last_unmarked = parts.unmarked;
  }
  vcpu.join();
  const auto parts = cpu.marks.of(0, [&] { return count.load(); });
  EXPECT_EQ(parts.marked, 50000u);
  EXPECT_EQ(parts.unmarked, 150000u);
}

}  // namespace
}  // namespace perfboard
