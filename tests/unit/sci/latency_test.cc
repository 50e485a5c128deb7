// SPDX-License-Identifier: GPL-2.0-or-later
//
// When packets are on B-Links, and with latency=on which accesses wait, for how long, and what becomes of
// them. The times are worked out by hand.
#include <algorithm>

#include "hw/sci/timing.h"
#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

constexpr uint64_t kBase = 1'000'000'000;  // the bench begins 7 ns later
constexpr uint32_t kFar = 0x4000, kOwn = 0x5000;

class SciLatency : public testing::Test {
 protected:
  explicit SciLatency(SciBench::Setup setup = {.latency = true}) : b(setup) {
    b.home(3, 1);
    b.home(4, 2);
  }
  std::vector<uint64_t> times() {
    std::vector<uint64_t> t;
    for (const SciPacket& p : b.seen()) t.push_back(p.ns - kBase);
    b.packets.clear();
    return t;
  }
  // The access, which waits, until it is done.
  void wait_for(SciAccess a) {
    a.can_wait = true;
    while (b.access(a) == SCI_WAIT) b.now = b.until;
  }
  SciAccess load(uint32_t vcpu, uint64_t offset, uint32_t bytes = 4) {
    return {.offset = offset, .bytes = bytes, .vcpu = vcpu, .can_wait = true};
  }
  SciAccess store(uint32_t vcpu, uint64_t offset, uint32_t bytes = 4) {
    return {.offset = offset, .bytes = bytes, .vcpu = vcpu, .store = true, .can_wait = true};
  }
  SciBench b;
};
using Times = std::vector<uint64_t>;

class SciNoLatency : public SciLatency {
 protected:
  SciNoLatency() : SciLatency({}) {}
};

// A read by node 0 at 7 ns: on its B-Link at the first edge from 707 ns on. 2 words of 20 ns, 100 ns to the
// link, 110 ns in the ring, 100 ns to the home's B-Link: 1070, edge 1080. 40 + 1200 ns later the response:
// 2320. 3 words, 100 ns, 290 ns in the ring, 100 ns: 2870, edge 2880. The processor has it 60 + 700 ns later.
const Times kRead = {720, 1080, 2320, 2880};
constexpr uint64_t kReadEnds = 3640;

TEST_F(SciNoLatency, TimesAreThoseOfAnEmptyRing) {
  EXPECT_EQ(b.access(load(0, kAway)), SCI_DONE);
  EXPECT_EQ(times(), kRead);
  EXPECT_EQ(b.count(0, kWait), 0u);
  EXPECT_EQ(b.count(0, kOutstanding), 0u);
}

TEST_F(SciNoLatency, TimesOfABLinkNeverGoBackAndDoNotPileUp) {
  b.access(load(0, kAway));
  b.access(load(0, kAway));
  EXPECT_EQ(times(), (Times{720, 1080, 2320, 2880, 2880, 2880, 2880, 2880}));
  for (int i = 0; i < 1000; ++i) b.access(load(0, kAway));
  EXPECT_EQ(times().back(), 2880u);
  b.now += 20;
  b.access(load(0, kAway));
  EXPECT_EQ(times(), (Times{2880, 2880, 2880, 2900}));
  b.now += 5000;
  b.access(load(0, kAway));
  EXPECT_EQ(times(), (Times{720 + 5020, 1080 + 5020, 2320 + 5020, 2880 + 5020}));
}

TEST_F(SciLatency, AReadWaitsForItsResponse) {
  EXPECT_EQ(b.access(load(0, kAway)), SCI_WAIT);
  EXPECT_EQ(b.until, kBase + kReadEnds);
  EXPECT_EQ(b.count(0, kOutstanding), 1u);
  b.now = b.until - 1;
  EXPECT_EQ(b.access(load(0, kAway)), SCI_WAIT) << "a nanosecond too early";
  EXPECT_EQ(b.until, kBase + kReadEnds);
  b.now = b.until;
  EXPECT_EQ(b.access(load(0, kAway)), SCI_DONE);
  EXPECT_EQ(times(), kRead);
  EXPECT_EQ(b.count(0, kWait), kReadEnds - 7);
  EXPECT_EQ(b.count(0, kOutstanding), 0u);
  EXPECT_EQ(b.count(0, kReads), 1u);
  EXPECT_EQ(b.access(load(0, kAway)), SCI_WAIT) << "the next one is an access of its own";
}

TEST_F(SciLatency, ALateRetryHasTheTimesOfTheFirstTry) {
  b.access(load(0, kAway));
  b.now = b.until + 100'000;
  EXPECT_EQ(b.access(load(0, kAway)), SCI_DONE);
  EXPECT_EQ(times(), kRead);
  EXPECT_EQ(b.count(0, kWait), kReadEnds - 7) << "the ring has held it no longer";
}

class SciLocks : public SciLatency {
 protected:
  // A locked instruction's halves; the load has waited.
  void lock(uint64_t offset, uint32_t bytes = 4) {
    SciAccess a = load(0, offset, bytes);
    a.locked = true;
    wait_for(a);
  }
  void unlock(uint64_t offset, uint32_t bytes = 4) {
    SciAccess a = store(0, offset, bytes);
    a.locked = true;
    EXPECT_EQ(b.access(a), SCI_DONE);
  }
};

TEST_F(SciLocks, ALockWaitsAndAnUnlockDoesNot) {
  lock(kAway);
  EXPECT_EQ(b.now, kBase + kReadEnds);
  unlock(kAway);
  EXPECT_EQ(b.take(), (Lines{"0: 0>1 lock #0 3.000", "1: 0>1 lock #0 3.000", "1: 1>0 lock' #0 3.000",
                             "0: 1>0 lock' #0 3.000", "0: 0>1 unlock #1 3.000", "1: 0>1 unlock #1 3.000"}));
  EXPECT_EQ(b.count(0, kWait), kReadEnds - 7);
}

TEST_F(SciLocks, ALockWhoseStoreFaultsPassesOnce) {
  lock(kAway);
  const uint64_t done = b.now;
  lock(kAway);
  EXPECT_EQ(b.now, done) << "it has its data";
  unlock(kAway);
  EXPECT_EQ(b.take().size(), 6u) << "begun again at once";
  lock(kAway);
  wait_for(load(0, kFar));
  lock(kAway);
  unlock(kAway);
  EXPECT_EQ(b.take().size(), 6u + 4) << "something else came in between";
  lock(kFar);
  unlock(kFar);
  lock(kFar);
  unlock(kFar);
  EXPECT_EQ(b.take().size(), 12u) << "with its store it is over";
  EXPECT_EQ(b.count(0, kLocks), 4u);
}

TEST_F(SciLocks, AcrossPagesOfWhichOneIsAtHome) {
  lock(kFar + 0xffe, 2);
  lock(kOwn, 2);
  unlock(kFar + 0xffe, 2);
  unlock(kOwn, 2);
  EXPECT_EQ(b.take().size(), 6u);
}

TEST_F(SciLocks, EightPiecesOfOneByte) {
  for (int round = 0; round < 2; ++round)
    for (uint32_t i = 0; i < 8; ++i) lock(kAway + 1 + i, 1);
  for (uint32_t i = 0; i < 8; ++i) unlock(kAway + 1 + i, 1);
  EXPECT_EQ(b.take().size(), 8u * 6);
}

TEST_F(SciLatency, AWriteIsPosted) {
  EXPECT_EQ(b.access(store(0, kAway)), SCI_DONE);
  // 720; 3 words, 100 ns, 70 + 80 ns, 100 ns: 1130, edge 1140. The echo: at 880 + 150 + 210 + 20.
  EXPECT_EQ(times(), (Times{720, 1140}));
  EXPECT_EQ(b.count(0, kOutstanding), 1u);
  b.now = kBase + 1259;
  EXPECT_EQ(b.count(0, kOutstanding), 1u);
  b.now = kBase + 1260;
  EXPECT_EQ(b.count(0, kOutstanding), 0u);
}

TEST_F(SciLatency, TheSixtyFifthWriteWaitsForTheFirstEcho) {
  for (int i = 0; i < 64; ++i) EXPECT_EQ(b.access(store(0, kAway + 4 * i)), SCI_DONE) << i;
  EXPECT_EQ(b.count(0, kOutstanding), 64u);
  b.seen().clear();
  EXPECT_EQ(b.access(store(0, kFar)), SCI_WAIT);
  EXPECT_EQ(b.until, kBase + 1260);
  EXPECT_TRUE(b.seen().empty());
  EXPECT_EQ(b.access(store(2, kAway)), SCI_DONE) << "another node has 64 of its own";
  b.seen().clear();
  b.now = b.until;
  EXPECT_EQ(b.access(store(0, kFar)), SCI_DONE);
  EXPECT_EQ(b.take(), (Lines{"0: 0>2 write #0 4.000", "2: 0>2 write #0 4.000"}));
  EXPECT_EQ(b.count(0, kWait), 1260 - 7u);
  EXPECT_EQ(b.count(0, kOutstanding), 64u);
  EXPECT_EQ(b.access(store(0, kFar)), SCI_WAIT);
}

TEST_F(SciLatency, AnUnlockNeverWaitsThoughSixtyFourAreOutstanding) {
  for (int i = 0; i < 64; ++i) b.access(store(0, kAway));
  SciAccess unlock = store(0, kAway);
  unlock.locked = true;
  EXPECT_EQ(b.access(unlock), SCI_DONE);
  EXPECT_EQ(b.count(0, kOutstanding), 64u);
}

TEST_F(SciLatency, AReadBehindSixtyFourWritesLeavesWhenOneIsBack) {
  for (int i = 0; i < 64; ++i) b.access(store(0, kAway));
  b.access(load(0, kAway));
  EXPECT_GE(b.until, kBase + 1260 + kReadEnds - 20);
  EXPECT_EQ(b.count(0, kOutstanding), 64u);
}

TEST_F(SciLatency, PacketsFollowEachOtherOnABLink) {
  b.access(store(0, kAway));
  b.access(store(2, kAway));
  const Times t = times();
  // Node 2's: three links of 70 ns to node 1. On the last one node 0's is before it, until 965; there it is
  // at 1020.
  EXPECT_EQ(t, (Times{720, 720, 1140, 1280}));
  b.now = kBase + 10'007;
  b.access(store(0, kFar));  // 0 to 2: 10720, and 11130 + 70, edge 11200
  b.access(store(1, kFar));  // 1 to 2: 10720 on the B-Link of node 1; there at 11130 but for the link, which
                             // node 0's packet takes
  b.access(store(0, kFar));  // 60 ns later on its own B-Link
  const Times u = times();
  EXPECT_EQ(u[0], 10'720u);
  EXPECT_EQ(u[1], 10'720u);
  EXPECT_EQ(u[2], 10'780u);
  EXPECT_EQ(u[3], 11'200u);
  EXPECT_GE(u[4], 11'260u) << "three words of 20 ns on the home's B-Link";
  EXPECT_GE(u[5], u[4] + 60);
}

TEST_F(SciLatency, ALoadThatWasInterruptedPassesOnce) {
  b.access(load(0, kAway));
  b.now = b.until;
  EXPECT_EQ(b.access(load(0, kFar)), SCI_WAIT) << "an interrupt came first";
  b.now = b.until;
  EXPECT_EQ(b.access(load(0, kFar)), SCI_DONE);
  EXPECT_EQ(b.access(load(0, kAway)), SCI_DONE) << "its data are there";
  EXPECT_EQ(b.take().size(), 8u);
  EXPECT_EQ(b.count(0, kReads), 2u);
  EXPECT_EQ(b.access(load(0, kAway)), SCI_WAIT) << "the next one";
}

TEST_F(SciLatency, WhatTellsARetry) {
  for (SciAccess other : {load(0, kAway + 4), load(0, kAway, 2), store(0, kAway), load(0, kOwn)}) {
    b.access(load(0, kAway));
    b.now = b.until;
    const uint64_t reads = b.count(0, kReads);
    wait_for(other);
    EXPECT_EQ(b.count(0, kReads), reads + (!other.store && other.offset != kOwn)) << "a load of its own";
    EXPECT_EQ(b.access(load(0, kAway)), SCI_DONE);
  }
  b.access(load(0, kAway));
  b.access(load(2, kAway));
  b.now = b.until;
  EXPECT_EQ(b.access(load(0, kAway)), SCI_DONE) << "another node's access is none of its";
  EXPECT_EQ(b.access(load(2, kAway)), SCI_DONE);
}

TEST_F(SciLatency, TheOldestOfManyInterruptedLoadsIsForgotten) {
  for (uint32_t i = 0; i <= SCI_HELD; ++i) b.access(load(0, kAway + 8 * i));
  b.now += 1'000'000;
  for (uint32_t i = 1; i <= SCI_HELD; ++i) EXPECT_EQ(b.access(load(0, kAway + 8 * i)), SCI_DONE) << i;
  EXPECT_EQ(b.access(load(0, kAway)), SCI_WAIT);
}

TEST_F(SciLatency, AnAccessThatCannotWaitIsDoneAtOnce) {
  SciAccess a = load(0, kAway);
  a.can_wait = false;
  EXPECT_EQ(b.access(a), SCI_DONE);
  EXPECT_EQ(times(), kRead);
  b.now += 10'000;
  EXPECT_EQ(b.access(load(0, kAway)), SCI_WAIT);
  EXPECT_EQ(b.access(a), SCI_DONE) << "also when it has waited";
  EXPECT_EQ(b.count(0, kReads), 2u);
}

TEST_F(SciLatency, ATransactionUnderWayKeepsItsHome) {
  b.access(load(0, kAway));
  b.home(3, 2);
  b.now = b.until;
  b.access(load(0, kAway));
  EXPECT_EQ(b.take()[0], "0: 0>1 read #0 3.000");
  b.access(load(0, kAway));
  b.home(3, 0);
  b.now = b.until;
  EXPECT_EQ(b.access(load(0, kAway)), SCI_DONE);
  EXPECT_EQ(b.take()[0], "0: 0>2 read #1 3.000");
}

TEST_F(SciLatency, SwitchingOffGivesUpWhatWaitsAndLosesNoPacket) {
  b.access(load(0, kAway));
  b.write(kCtrl, 0);
  EXPECT_EQ(b.access(load(0, kAway)), SCI_DONE);
  b.pass_until(b.until);
  EXPECT_EQ(b.packets.size(), 4u) << "the ring is none of the switch's business";
  b.write(kCtrl, 1);
  EXPECT_EQ(b.access(load(0, kAway)), SCI_WAIT);
}

}  // namespace
}  // namespace perfboard::sci
