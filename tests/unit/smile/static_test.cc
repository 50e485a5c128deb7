// SPDX-License-Identifier: GPL-2.0-or-later
//
// The static part: each comparator on both sides of its boundary, filters, counters, overflow, global and
// timer events.
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

constexpr Bench::Options kStaticDesign = {.design = SMILE_STATIC};

class SmileStatic : public testing::Test {
 protected:
  // The event that a packet is; SMILE_NO_ENTRY: none.
  unsigned event_of(const Packet& p) {
    b.send(p);
    return b.waves.back().entry;
  }
  Bench b{kStaticDesign};
};

// --- the page table's comparators ---------------------------------------------------

TEST_F(SmileStatic, EveryBitOfPageAndNodeIsCompared) {
  for (unsigned i = 0; i < 32; ++i) {
    b.page(i, 0x15, 0xa5c3);
    b.event(0, i, mask::kAll, 0, 1023);
    EXPECT_EQ(event_of(write(1, 0x15, 0xa5c3, 0)), 0u) << i;
    for (unsigned bit = 0; bit < 16; ++bit)
      EXPECT_EQ(event_of(write(1, 0x15, 0xa5c3 ^ 1u << bit, 0)), SMILE_NO_ENTRY) << i << ' ' << bit;
    for (unsigned bit = 0; bit < 5; ++bit)
      EXPECT_EQ(event_of(write(1, 0x15 ^ 1u << bit, 0xa5c3, 0)), SMILE_NO_ENTRY) << i << ' ' << bit;
    b.page(i, 0x15, 0xa5c3, false);
    EXPECT_EQ(event_of(write(1, 0x15, 0xa5c3, 0)), SMILE_NO_ENTRY) << "not valid";
    EXPECT_EQ(b.waves.back().last, SMILE_FORWARD);
  }
}

// 20 bits are compared, and the decoder delivers 16.
TEST_F(SmileStatic, APageWithOneOfTheHighestFourBitsNeverMatches) {
  b.event(0, 3, mask::kAll, 0, 1023);
  for (unsigned bit = 16; bit < 20; ++bit) {
    b.page(3, 1, 5 | 1u << bit);
    EXPECT_EQ(b.get(reg::kPage + 12), 5 | 1u << bit | 1u << 20 | kValidBit);
    EXPECT_EQ(event_of(write(0, 1, 5, 0)), SMILE_NO_ENTRY);
    b.put(bd1(write(0, 1, 5, 0)), bd2(write(0, 1, 5, 0)) | uint64_t{1} << (bit + 12));
    EXPECT_EQ(b.waves.back().entry, SMILE_NO_ENTRY);
  }
}

TEST_F(SmileStatic, TheLowestPageEntryWins) {
  for (unsigned low = 0; low < 32; ++low)
    for (unsigned high = low + 1; high < 32; high += 5) {
      Bench c(kStaticDesign);
      c.page(low, 1, 9);
      c.page(high, 1, 9);
      c.event(0, high, mask::kAll, 0, 1023);
      c.send(write(0, 1, 9, 0));
      EXPECT_EQ(c.waves.back().entry, SMILE_NO_ENTRY) << "entry " << high << " is never reached";
      c.event(1, low, mask::kAll, 0, 1023);
      c.send(write(0, 1, 9, 0));
      EXPECT_EQ(c.waves.back().entry, 1);
    }
}

// --- the event table's comparators --------------------------------------------------

// The last range is empty: its top is below its bottom.
TEST_F(SmileStatic, BottomAndTopAreInclusive) {
  b.page(0, 1, 9);
  for (unsigned i = 0; i < 16; ++i) {
    for (const auto& [bottom, top] :
         {std::pair{0u, 0u}, {0u, 1023u}, {1u, 1022u}, {511u, 512u}, {1023u, 1023u}, {6u, 5u}}) {
      b.event(i, 0, mask::kAll, bottom, top);
      for (const int64_t word : {int64_t{bottom} - 1, int64_t{bottom}, int64_t{top}, int64_t{top} + 1}) {
        if (word < 0 || word > 1023) continue;
        const bool inside = word >= bottom && word <= top;
        EXPECT_EQ(event_of(write(0, 1, 9, static_cast<uint32_t>(word))), inside ? i : SMILE_NO_ENTRY)
            << i << ": " << bottom << ' ' << top << ' ' << word;
      }
    }
    b.event(i, 0, mask::kAll, 0, 1023, false);
  }
}

TEST_F(SmileStatic, EveryBitOfThePageIndexIsCompared) {
  for (unsigned i = 0; i < 32; ++i) b.page(i, 1, i);
  for (unsigned entry = 0; entry < 16; ++entry) {
    for (unsigned i = 0; i < 32; ++i) {
      b.event(entry, i, mask::kAll, 0, 1023);
      for (unsigned page = 0; page < 32; ++page)
        EXPECT_EQ(event_of(write(0, 1, page, 5)), page == i ? entry : SMILE_NO_ENTRY);
    }
    b.event(entry, 0, mask::kAll, 0, 1023, false);
  }
}

// All 256 filters, each type, kind and direction.
TEST_F(SmileStatic, TheFilterPassesWhatHasItsTypeKindAndDirectionSet) {
  b.set(reg::kNode, 4);
  b.page(0, 4, 9);
  b.page(1, 5, 9);
  for (uint32_t filter = 0; filter < 256; ++filter) {
    b.event(14, 0, filter, 0, 1023);
    b.event(15, 1, filter, 0, 1023);
    each_kind(4, [&](unsigned type, bool is_response, unsigned from, unsigned to, uint32_t needed) {
      unsigned found;
      if (is_response) {
        b.send(read(to, from, 9, 0, 1));
        found = event_of(response(type, from, to, 1));
      } else {
        found = event_of(request(type, from, to, 9, 0, 1));
        b.send(write(from, to, 9, 0, 1));
      }
      const unsigned home = is_response ? from : to;
      ASSERT_EQ(found, (filter & needed) == needed ? home + 10 : SMILE_NO_ENTRY) << filter << ' ' << needed;
      b.waves.clear();
    });
  }
}

TEST_F(SmileStatic, TheLowestEventEntryWins) {
  b.page(0, 1, 9);
  for (unsigned i = 16; i-- > 0;) {
    b.event(i, 0, mask::kAll, 0, 1023);
    EXPECT_EQ(event_of(write(0, 1, 9, 3)), i);
  }
}

// --- counters -----------------------------------------------------------------------

// Events of their own: word n of page 9 is event n.
class SmileCounters : public SmileStatic {
 protected:
  SmileCounters() {
    b.page(0, 1, 9);
    for (unsigned n = 0; n < 16; ++n) b.event(n, 0, mask::kAll, n, n);
  }
  void happen(unsigned event) {
    if (event < 16)
      b.send(write(0, 1, 9, event));
    else
      b.global(event - 16);
  }
};

TEST_F(SmileCounters, EachRegisterIsComparedWithEach32Events) {
  for (unsigned i = 0; i < 16; ++i)
    for (int event = 0; event < 32; ++event) {
      if (event == 16) continue;  // the timer's
      b.counter(i, Bench::kNoEvent, Bench::kNoEvent, event);
      b.activate(i, 0);
      for (unsigned other = 0; other < 32; ++other)
        if (other != 16) happen(other);
      ASSERT_EQ(b.value(i), 1u) << i << ' ' << event;
      ASSERT_TRUE(b.active(i));

      b.counter(i, event, Bench::kNoEvent, Bench::kNoEvent);
      b.set(reg::kCounter + 16 * i + 12, 0);
      for (unsigned other = 0; other < 32; ++other) {
        if (other == 16) continue;
        happen(other);
        ASSERT_EQ(b.active(i), static_cast<int>(other) >= event) << "started by " << event;
      }
      b.counter(i, Bench::kNoEvent, event, Bench::kNoEvent);
      for (unsigned other = 0; other < 32; ++other) {
        if (other == 16) continue;
        happen(other);
        ASSERT_EQ(b.active(i), static_cast<int>(other) < event) << "stopped by " << event;
      }
      b.counter(i, Bench::kNoEvent, Bench::kNoEvent, Bench::kNoEvent);
    }
}

// It counts by its state before the event.
TEST_F(SmileCounters, TheEventThatStartsItIsNotCountedAndTheOneThatStopsItIs) {
  b.counter(0, 5, Bench::kNoEvent, 5);
  happen(5);
  EXPECT_EQ(b.value(0), 0u);
  EXPECT_TRUE(b.active(0));
  happen(5);
  EXPECT_EQ(b.value(0), 1u);

  b.counter(1, Bench::kNoEvent, 6, 6);
  b.activate(1);
  happen(6);
  EXPECT_EQ(b.value(1), 1u);
  EXPECT_FALSE(b.active(1));
  happen(6);
  EXPECT_EQ(b.value(1), 1u);
}

TEST_F(SmileCounters, OverflowIsARecordAndTheIndexOfTheLastOne) {
  EXPECT_EQ(b.get(reg::kOvf), 0u);
  for (const unsigned i : {2u, 9u}) {
    b.counter(i, Bench::kNoEvent, Bench::kNoEvent, 5);
    b.activate(i, 0xfffe);
  }
  happen(5);
  EXPECT_EQ(b.value(2), 0xffffu);
  EXPECT_TRUE(b.records().empty());
  EXPECT_EQ(b.waves.back().last, SMILE_BUSY);
  happen(5);
  EXPECT_EQ(b.waves.back().last, SMILE_SWAP);
  EXPECT_EQ(b.waves.back().records, 2);
  const std::vector<Record> records = b.records();
  ASSERT_EQ(records.size(), 2u);
  for (const unsigned i : {0u, 1u}) {
    EXPECT_EQ(records[i].word0, 2u << 29 | 1u << 28 | 1u << 26 | (i ? 9 : 2));
    EXPECT_EQ(records[i].word1, 0u);
  }
  EXPECT_EQ(b.get(reg::kOvf), 16u + 9);
  EXPECT_EQ(b.value(2), 0u);
  EXPECT_TRUE(b.active(2)) << "it counts on";
  happen(5);
  EXPECT_EQ(b.value(2), 1u);
}

TEST_F(SmileCounters, ResetOfChosenOnes) {
  for (unsigned i = 0; i < 16; ++i) b.activate(i, 100 + i);
  b.set(reg::kCrst, 0xa5a5);
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_EQ(b.value(i), 0xa5a5 >> i & 1 ? 0 : 100 + i);
    EXPECT_TRUE(b.active(i));
  }
}

TEST_F(SmileCounters, SwapOutOnDemandStoresAllAndTheyRunOn) {
  for (unsigned i = 0; i < 16; ++i) b.activate(i, 1000 * i);
  b.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  const std::vector<Record> records = b.records();
  ASSERT_EQ(records.size(), 16u);
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_EQ(records[i].word0, 2u << 29 | 2u << 26 | i);
    EXPECT_EQ(records[i].word1, 1000 * i);
    EXPECT_EQ(b.value(i), 1000 * i);
    EXPECT_TRUE(b.active(i));
  }
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kDone);
  EXPECT_EQ(b.waves.back().records, 16);
}

// --- the timer ----------------------------------------------------------------------

class SmileTimer : public SmileCounters {
 protected:
  SmileTimer() {
    b.counter(0, Bench::kNoEvent, Bench::kNoEvent, 16);
    b.activate(0);
  }
};

TEST_F(SmileTimer, AnEventAtTheEndOfEachPeriod) {
  const uint64_t begin = b.now;
  b.set(reg::kTimer, 50);
  b.now = begin + 50 * kClock - 1;
  EXPECT_EQ(b.value(0), 0u);
  b.now = begin + 50 * kClock;
  EXPECT_EQ(b.value(0), 1u);
  b.now = begin + 100 * kClock - 1;
  EXPECT_EQ(b.value(0), 1u);
  b.now = begin + 1050 * kClock;
  EXPECT_EQ(b.value(0), 21u);
}

TEST_F(SmileTimer, TheFirstPeriodBeginsWithTheClockOfTheWrite) {
  b.now += 13;
  b.set(reg::kTimer, 1);
  const uint64_t edge = b.now - b.now % kClock;
  b.now = edge + kClock - 1;
  EXPECT_EQ(b.value(0), 0u);
  b.now = edge + kClock;
  EXPECT_EQ(b.value(0), 1u);
}

// latency=off: a packet that lies ahead does not take the timer with it.
TEST_F(SmileTimer, APacketAheadBringsNoEventEarly) {
  const uint64_t begin = b.now;
  b.set(reg::kTimer, 1);
  b.send_ahead(read(0, 1, 1, 1), begin + 700);
  EXPECT_EQ(b.value(0), 0u);
  b.now = begin + 2 * kClock;
  b.send_ahead(read(0, 1, 1, 1), begin + 2700);
  EXPECT_EQ(b.value(0), 2u);
  b.now = begin + 700;
  EXPECT_EQ(b.value(0), 35u);
}

// One that counts the event that starts it: the first is not counted; one that the event stops: only the
// first is; one that it does both to goes on.
TEST_F(SmileTimer, ManyEventsAtOnceAreAsOneAfterTheOther) {
  b.counter(1, 16, Bench::kNoEvent, 16);
  b.counter(2, Bench::kNoEvent, 16, 16);
  b.activate(2);
  b.counter(3, 16, 16, 16);
  b.set(reg::kTimer, 1);
  b.now += 10 * kClock;
  EXPECT_EQ(b.value(0), 10u);
  EXPECT_EQ(b.value(1), 9u);
  EXPECT_EQ(b.value(2), 1u);
  EXPECT_FALSE(b.active(2));
  EXPECT_EQ(b.value(3), 9u);
}

TEST_F(SmileTimer, OverflowsInOrderHoweverLateTheyAreLookedAt) {
  b.activate(0, 0xfff0);  // overflows at 16, then at 65552
  b.counter(1, 16, Bench::kNoEvent, 16);
  b.set(reg::kCounter + 16 + 12, 0xfff0);  // started by the first: 17
  b.counter(2, Bench::kNoEvent, 16, 16);
  b.activate(2, 0xffff);  // 1, and is stopped
  b.counter(3, Bench::kNoEvent, Bench::kNoEvent, 16);
  b.activate(3, 0xfff0);  // 16
  b.set(reg::kTimer, 1);
  b.now += 65552 * kClock;
  std::vector<unsigned> counters;
  for (const Record& r : b.records()) {
    EXPECT_TRUE(r.kind() == kCounterKind && r.ovf() && r.why() == kOverflowWhy);
    counters.push_back(r.index());
  }
  EXPECT_EQ(counters, (std::vector<unsigned>{2, 0, 3, 1, 0, 3}));
  EXPECT_EQ(b.value(0), 0u);
  EXPECT_EQ(b.value(1), 0xffffu);
  EXPECT_EQ(b.value(2), 0u);
}

// The host's timer comes when a counter overflows, and not before.
TEST_F(SmileTimer, AsksToBeCalledAtTheOverflow) {
  const uint64_t begin = b.now;
  b.set(reg::kTimer, 10);
  EXPECT_EQ(b.armed, begin + 65536 * 10 * kClock);
  b.activate(0, 0xfffe);
  EXPECT_EQ(b.armed, begin + 2 * 10 * kClock);
  b.set(reg::kCounter + 12, 0xfffe);
  EXPECT_EQ(b.armed, PB_NEVER) << "not active";
  b.counter(0, 16, Bench::kNoEvent, 16);
  EXPECT_EQ(b.armed, begin + 3 * 10 * kClock);
  b.counter(0, 16, 5, 16);
  b.activate(0, 0xfff0);
  b.run_until(begin + 16 * 10 * kClock);
  EXPECT_EQ(b.value(0), 0u);
  EXPECT_EQ(b.records().size(), 1u);
  b.set(reg::kTimer, 0);
  EXPECT_EQ(b.armed, PB_NEVER);
}

// A packet that starts a counter of the timer's events brings a deadline.
TEST_F(SmileTimer, APacketMayBringTheOverflowNearer) {
  b.set(reg::kCounter + 12, 0xffff);
  b.counter(0, 5, Bench::kNoEvent, 16);
  const uint64_t begin = b.now;
  b.set(reg::kTimer, 100);
  EXPECT_EQ(b.armed, PB_NEVER);
  happen(5);
  EXPECT_EQ(b.armed, begin + 100 * kClock);
}

TEST_F(SmileTimer, LongestPeriod) {
  const uint64_t begin = b.now;
  b.set(reg::kTimer, 0xffffffff);
  EXPECT_EQ(b.get(reg::kTimer), 0xffffffffu);
  b.now = begin + 0xffffffffull * kClock - 1;
  EXPECT_EQ(b.value(0), 0u);
  b.now += 1;
  EXPECT_EQ(b.value(0), 1u);
}

}  // namespace
}  // namespace perfboard::smile
