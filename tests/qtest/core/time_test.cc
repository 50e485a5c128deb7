// SPDX-License-Identifier: GPL-2.0-or-later
//
// The test machine's own promise: time passes exactly as asked, and not otherwise.
#include <gtest/gtest.h>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

TEST(Time, StandsStillBetweenSteps) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  EXPECT_EQ(m.get("surf", "receive-time"), 0u);
  m.in32(0x2c80);
  m.qmp("query-status");
  EXPECT_EQ(m.get("surf", "receive-time"), 0u);
  m.step(96'000);
  EXPECT_EQ(m.get("surf", "receive-time"), 960u);
  m.in32(0x2c80);
  EXPECT_EQ(m.get("surf", "receive-time"), 960u);
}

TEST(Time, StepsAddUpToTheTick) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  for (uint64_t ns : {960u, 1u, 10'000u, 123'456u, 999'999'000u, 960u}) {
    m.step(ns);
    EXPECT_EQ(m.get("surf", "receive-time"), m.stepped() / 100) << ns;
  }
  m.step(uint64_t{20'000'000'000});  // the slow unit
  EXPECT_GE(m.stepped(), 21'000'000'000u);
  EXPECT_EQ(m.get("surf", "receive-time"), m.stepped() / 100);
}

TEST(Time, ProgramRunsInTheFirstStep) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"},
             .program = {0xb8, 0x34, 0x12,        // mov ax, 1234
                         0x2e, 0xa3, 0x00, 0x10,  // mov cs:[1000], ax
                         0xf4, 0xeb, 0xfd}});     // hlt; jmp to it
  EXPECT_EQ(m.read16(0x1000), 0u);
  m.step(1'000);
  EXPECT_EQ(m.read16(0x1000), 0x1234u);
  EXPECT_EQ(m.get("surf", "receive-time"), m.stepped() / 100);
}

}  // namespace
}  // namespace perfboard::qtest
