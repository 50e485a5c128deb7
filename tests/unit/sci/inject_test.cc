// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters' errors on purpose.
#include "hw/sci/timing.h"
#include "hw/sci/view.h"
#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

struct InjectBench : SciBench {
  explicit InjectBench(Setup setup = {}) : SciBench(setup) { home(1, 1); }
  void inject(unsigned which, uint64_t value) { sci_inject(adapter(), which, value); }
};

TEST(SciInject, WhatIsLostIsOnItsOwnBLinkOnly) {
  InjectBench b;
  b.inject(injection("inject-drop"), 2);
  b.load(0, 0x1000);
  b.store(0, 0x1004);
  b.load(0, 0x1008);
  EXPECT_EQ(b.take(), (Lines{"0: 0>1 read #0 1.000", "0: 0>1 write #1 1.004", "0: 0>1 read #2 1.008",
                             "1: 0>1 read #2 1.008", "1: 1>0 read' #2 1.008", "0: 1>0 read' #2 1.008"}));
  EXPECT_EQ(b.count(0, kReads), 2u);
  EXPECT_EQ(b.count(0, kWrites), 1u);
  EXPECT_EQ(b.count(1, kReceived), 1u);
  EXPECT_EQ(sci_injected(b.adapter(), injection("inject-drop")), 0u);
}

TEST(SciInject, ALinkThatStopsLosesAllUntilItGoesOn) {
  InjectBench b;
  b.inject(injection("inject-stop"), 1);
  b.inject(injection("inject-drop"), 1);
  for (int i = 0; i < 5; ++i) b.load(0, 0x1000);
  EXPECT_EQ(b.count(1, kReceived), 0u);
  b.inject(injection("inject-stop"), 0);
  EXPECT_EQ(sci_injected(b.adapter(), injection("inject-drop")), 1u) << "not used up meanwhile";
  b.load(0, 0x1000);
  b.load(0, 0x1000);
  EXPECT_EQ(b.count(1, kReceived), 1u);
}

TEST(SciInject, LateIsLaterByTheTablesTime) {
  InjectBench b, same;
  b.inject(injection("inject-late"), 1);
  b.load(0, 0x1000);
  same.load(0, 0x1000);
  ASSERT_EQ(b.seen().size(), 4u);
  EXPECT_EQ(b.seen()[0].ns, same.packets[0].ns);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(b.seen()[i].ns, same.packets[i].ns + timing("LATE")) << i;
}

TEST(SciInject, ADamagedOneHasAnotherTransIdFromItsHomeOn) {
  InjectBench b;
  b.inject(injection("inject-damage"), 1);
  b.load(0, 0x1000);
  EXPECT_EQ(b.take(), (Lines{"0: 0>1 read #0 1.000", "1: 0>1 read #32 1.000", "1: 1>0 read' #32 1.000",
                             "0: 1>0 read' #32 1.000"}));
}

TEST(SciInject, AProcessorWaitsForWhatIsLostAndForWhatIsLate) {
  const auto waited = [](unsigned which) {
    InjectBench b({.latency = true});
    if (which < 4) b.inject(which, 1);
    SciAccess a = {.offset = 0x1000, .bytes = 4, .vcpu = 0, .can_wait = true};
    EXPECT_EQ(b.access(a), SCI_WAIT);
    const uint64_t wait = b.until - b.now;
    b.now = b.until;
    EXPECT_EQ(b.access(a), SCI_DONE);
    EXPECT_EQ(b.count(0, kWait), wait);
    EXPECT_EQ(b.seen().size(), which == injection("inject-drop") ? 1u : 4u);
    return wait;
  };
  const uint64_t plain = waited(4);
  EXPECT_EQ(waited(injection("inject-drop")), timing("TIMEOUT"));
  EXPECT_EQ(waited(injection("inject-late")), plain + timing("LATE"));
  EXPECT_EQ(waited(injection("inject-damage")), plain);
}

}  // namespace
}  // namespace perfboard::sci
