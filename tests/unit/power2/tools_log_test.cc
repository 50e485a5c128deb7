// SPDX-License-Identifier: GPL-2.0-or-later
//
// p2trace's file, and what its records mean.
#include <gtest/gtest.h>

#include <cmath>

#include "guest/power2/cmd/log.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/power2/tools_records.h"

namespace perfboard::p2 {
namespace {

TEST(Power2Log, WhatIsWrittenIsRead) {
  const Folder folder;
  const std::string file =
      write_log(folder, head({0, 0x1000}), {record({.clock = 5, .pid = 7}), record({.clock = 6})},
                "0 sched_wakeup\n1 irq\n", "a line\n");
  LogReader log(file);
  EXPECT_EQ(log.head().begun_ns, 1000u);
  EXPECT_EQ(log.head().info.clock_hz, 66666667u);
  ASSERT_EQ(log.head().sets.size(), 2u);
  EXPECT_EQ(log.head().sets[1].mmcr, 0x1000u);
  EXPECT_EQ(log.head().events, (std::vector<std::string>{"flops", "cycles", "fp_add", "instructions"}));
  ASSERT_TRUE(log.next());
  EXPECT_EQ(log.record().pid, 7);
  ASSERT_TRUE(log.next());
  EXPECT_FALSE(log.next());
  EXPECT_EQ(log.event_name(1), "irq");
  EXPECT_EQ(log.event_name(9), "event 9");
  EXPECT_EQ(log.kernel_trace(), "a line\n");
}

// Every file that is cut off is refused, and so is one with a wrong part.
TEST(Power2Log, DamagedFiles) {
  const Folder folder;
  const std::string whole =
      Folder::read(write_log(folder, head({0}), {record({.clock = 5}), record({.clock = 6})}, "", ""));
  const auto records = [&](const std::string& bytes) {
    LogReader log(folder.write("cut", bytes));
    unsigned n = 0;
    while (log.next()) n++;
    return n;
  };
  EXPECT_EQ(records(whole), 2u);
  const size_t head_ends = whole.size() - 8 - 2 * sizeof(p2_record);
  for (size_t size = 0; size < whole.size(); size++) {
    if (size == head_ends) continue;  // a log without records
    EXPECT_THROW(records(whole.substr(0, size)), FileError) << size;
  }
  for (const size_t at : {size_t{0}, size_t{8}, size_t{12}, head_ends, head_ends + 4, head_ends + 7}) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x40);
    EXPECT_THROW(records(wrong), FileError) << at;
  }
}

// What a slicer says of records, a line each.
std::vector<std::string> slices(const LogHead& log_head, const std::vector<p2_record>& records) {
  std::vector<std::string> lines;
  const SliceEvents events(log_head);
  Slicer slicer(log_head, [&](const Slice& s) {
    std::string line =
        fmt::format("cpu {} pid {} {}-{} {}", s.cpu, s.pid, s.begin_ns, s.end_ns, record_name(s.record.type));
    for (size_t e = 0; e < events.names().size(); e++)
      if (const double n = events.count(s, e); n > 0) line += fmt::format(" {}={}", events.names()[e], n);
    lines.push_back(line);
  });
  for (const p2_record& r : records) slicer.add(r);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Power2Slices, DifferencesOnEachProcessor) {
  EXPECT_EQ(slices(head({0}), {record({.clock = 1500, .pid = 7, .cycles = 100}),
                               record({.cpu = 1, .clock = 1600, .pid = 0, .cycles = 5}),
                               record({.clock = 1700, .pid = 8, .cycles = 150}),
                               record({.type = P2_RECORD_TICK, .clock = 1800, .pid = 7, .cycles = 150}),
                               record({.cpu = 1, .clock = 1900, .pid = 8, .cycles = 1005})}),
            (Lines{"cpu 0 pid 7 1000-1500 switch cycles=100", "cpu 1 pid 0 1000-1600 switch cycles=5",
                   "cpu 0 pid 8 1500-1700 switch cycles=50", "cpu 0 pid 7 1700-1800 tick",
                   "cpu 1 pid 8 1600-1900 switch cycles=1000"}));
}

// A set's last counts before its turn ends come when it begins again, for whom they were.
TEST(Power2Slices, SetsInTurns) {
  EXPECT_EQ(
      slices(head({0, 0x1000}),
             {
                 record({.clock = 1100, .pid = 7, .cycles = 10, .fpu0 = 1}),
                 record({.type = P2_RECORD_SET, .clock = 1200, .pid = 8, .set = 1}),
                 record({.clock = 1300, .pid = 8, .cycles = 40, .fpu0 = 4}),
                 record({.type = P2_RECORD_SET, .clock = 1400, .pid = 9, .set = 0, .cycles = 30, .fpu0 = 3}),
                 record({.clock = 1500, .pid = 9, .cycles = 31, .fpu0 = 3}),
                 record({.type = P2_RECORD_SET, .clock = 1600, .pid = 7, .set = 1, .cycles = 45, .fpu0 = 9}),
             }),
      (Lines{"cpu 0 pid 7 1000-1100 switch flops=1 cycles=10",
             "cpu 0 pid 8 1200-1300 switch cycles=40 fp_add=4", "cpu 0 pid 8 1100-1200 set flops=2 cycles=20",
             "cpu 0 pid 9 1400-1500 switch cycles=1", "cpu 0 pid 9 1300-1400 set cycles=5 fp_add=5"}));
}

TEST(Power2Slices, ResetAndWrongSets) {
  EXPECT_EQ(slices(head({0}), {record({.clock = 900, .pid = 7, .cycles = 10}),
                               record({.clock = 1500, .pid = 7, .cycles = 3}),
                               record({.type = P2_RECORD_SET, .clock = 1600, .set = 9}),
                               record({.clock = 1550, .pid = 7, .cycles = 4})}),
            (Lines{"cpu 0 pid 7 900-900 switch cycles=10", "cpu 0 pid 7 900-1500 switch cycles=3",
                   "cpu 0 pid 7 1600-1600 switch cycles=1"}));
}

}  // namespace
}  // namespace perfboard::p2
