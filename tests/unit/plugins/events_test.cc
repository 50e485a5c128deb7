// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events: their names, their counts by vCPU and context, a total over a raw count that falls when an
// instruction is taken back, and what callbacks point to, which stays until all blocks are thrown away: that
// is asked for at the limit.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugins/event_set.h"
#include "plugins/event_total.h"
#include "plugins/events_text.h"
#include "plugins/mark_split.h"
#include "plugins/udata_arena.h"

namespace perfboard {
namespace {

std::string wrong(std::string_view text, unsigned vcpus = 4) {
  std::string why;
  EXPECT_FALSE(parse_event(text, vcpus, why)) << text;
  EXPECT_EQ(why.find('\n'), std::string::npos);
  return why;
}

EventSpec right(std::string_view text, unsigned vcpus = 4) {
  std::string why;
  const auto spec = parse_event(text, vcpus, why);
  EXPECT_TRUE(spec) << text << ": " << why;
  EXPECT_EQ(why, "");
  return spec.value_or(EventSpec{});
}

TEST(EventsText, KnowsEveryName) {
  const struct {
    const char* name;
    EventKind kind;
  } all[] = {{"instructions", EventKind::kInstructions},
             {"loads", EventKind::kLoads},
             {"stores", EventKind::kStores},
             {"branches", EventKind::kBranches},
             {"exceptions", EventKind::kExceptions},
             {"interrupts", EventKind::kInterrupts},
             {"dcache-misses", EventKind::kDcacheMisses},
             {"tlb-misses", EventKind::kTlbMisses},
             {"dcache-load-misses", EventKind::kDcacheLoadMisses},
             {"dcache-store-misses", EventKind::kDcacheStoreMisses},
             {"castouts", EventKind::kCastouts},
             {"itlb-misses", EventKind::kItlbMisses},
             {"io-loads", EventKind::kIoLoads},
             {"io-stores", EventKind::kIoStores},
             {"dma-reads", EventKind::kDmaReads},
             {"dma-writes", EventKind::kDmaWrites}};
  for (const auto& a : all) {
    EXPECT_EQ(right(a.name).kind, a.kind);
    EXPECT_EQ(right(a.name).vcpu, -1);
    EXPECT_EQ(right(std::string(a.name) + ":3").kind, a.kind);
    EXPECT_EQ(right(std::string(a.name) + ":3").vcpu, 3);
  }
}

TEST(EventsText, Ranges) {
  EventSpec s = right("pages:0x100000-0x1fffff");
  EXPECT_EQ(s.kind, EventKind::kPages);
  EXPECT_EQ(s.low, 0x100000u);
  EXPECT_EQ(s.high, 0x1fffffu);
  EXPECT_EQ(s.vcpu, -1);
  s = right("pages:4096-0XFFFFFFFFFFFFFFFF:0");
  EXPECT_EQ(s.low, 4096u);
  EXPECT_EQ(s.high, UINT64_MAX);
  EXPECT_EQ(s.vcpu, 0);
  EXPECT_EQ(right("pages:0-0").high, 0u);
}

TEST(EventsText, SaysWhatIsWrongAndWhatIsLegal) {
  for (const char* text : {"", "load", "loads ", "Loads", ":0", "wire:x", "pagess:0-1"})
    EXPECT_NE(
        wrong(text).find(
            "legal are instructions, loads, stores, branches, exceptions, interrupts, "
            "dcache-misses, icache-misses, tlb-misses, dcache-load-misses, dcache-store-misses, castouts, "
            "itlb-misses, io-loads, io-stores, dma-reads, dma-writes, pages:LOW-HIGH, each with an optional "
            ":VCPU"),
        std::string::npos);
  for (const char* text : {"loads:", "loads:4", "loads:-1", "loads:x", "loads:0x", "loads:1:2", "loads: 1",
                           "pages:0-1:4", "pages:0-1:", "loads:18446744073709551616"})
    EXPECT_NE(wrong(text).find("legal are 0..3"), std::string::npos) << text;
  for (const char* text : {"pages", "pages:", "pages:5", "pages:2-1", "pages:0x-0x1", "pages:1-", "pages:-1",
                           "pages:0-1-2", "pages:0-18446744073709551616", "pages:zero-one"})
    EXPECT_NE(wrong(text).find("LOW-HIGH"), std::string::npos) << text;
  EXPECT_NE(wrong("loads:1", 1).find("'1' is no vCPU of this machine; legal are 0..0"), std::string::npos);
}

TEST(EventsText, Contexts) {
  const struct {
    const char* words;
    unsigned contexts;
  } all[] = {{"", kAllContexts},         {":user", 0b0101},
             {":kernel", 0b1010},        {":unmarked", 0b0011},
             {":marked", 0b1100},        {":user:marked", 0b0100},
             {":marked:user", 0b0100},   {":kernel:unmarked", 0b0010},
             {":kernel:marked", 0b1000}, {":user:unmarked", 0b0001},
             {":user:user", 0b0101}};
  for (const auto& a : all) {
    for (const char* event : {"loads", "pages:0x1000-0x1fff"}) {
      const EventSpec everywhere = right(std::string(event) + a.words);
      EXPECT_EQ(everywhere.contexts, a.contexts) << event << a.words;
      EXPECT_EQ(everywhere.vcpu, -1);
      const EventSpec one = right(std::string(event) + a.words + ":2");
      EXPECT_EQ(one.contexts, a.contexts) << event << a.words;
      EXPECT_EQ(one.vcpu, 2);
    }
  }
  EXPECT_EQ(context_index(false, false), 0u);
  EXPECT_EQ(context_index(true, false), 1u);
  EXPECT_EQ(context_index(false, true), 2u);
  EXPECT_EQ(context_index(true, true), 3u);
}

TEST(EventsText, ContextsThatAreWrong) {
  for (const char* text : {"loads:users", "loads:0:user", "loads:user:", "loads:user:4", "loads:User"})
    EXPECT_NE(wrong(text).find("legal are 0..3, or a context: user, kernel, marked, unmarked"),
              std::string::npos)
        << text;
  for (const char* text : {"loads:user:kernel", "loads:marked:unmarked", "loads:user:marked:kernel:0"})
    EXPECT_NE(wrong(text).find("leaves no context"), std::string::npos) << text;
}

// What two vCPUs have counted of each kind, by context; ranges count apart.
struct Key {
  EventKind kind;
  int range;
  unsigned vcpu;
  auto operator<=>(const Key&) const = default;
};
std::map<Key, ContextCounts> g_raw;
ContextCounts raw(const EventPlace& place, unsigned vcpu) { return g_raw[{place.kind, place.range, vcpu}]; }

constexpr unsigned kUser = 0, kKernel = 1, kUserMarked = 2, kKernelMarked = 3;

class EventSetTest : public testing::Test {
 protected:
  void SetUp() override { g_raw.clear(); }
  static uint64_t& count(unsigned vcpu, unsigned context, EventKind kind = EventKind::kLoads, int range = 0) {
    return g_raw[{kind, range, vcpu}][context];
  }
  static EventSpec loads(unsigned contexts = kAllContexts, int vcpu = -1) {
    return {EventKind::kLoads, contexts, vcpu};
  }
  // Of both vCPUs' counts, if nothing else is said.
  uint64_t total(unsigned contexts = kAllContexts, int vcpu = kAllVcpus, size_t event = 0) {
    return set.total(event, vcpu, contexts);
  }
  EventSet set{raw, 2};
};

TEST_F(EventSetTest, SumsOverVcpusAndContexts) {
  set.add(loads(), {EventKind::kLoads});
  count(0, kUser) = 1000;
  set.watch(true);
  uint64_t n = 1;
  for (unsigned vcpu : {0u, 1u})
    for (unsigned context = 0; context < kContexts; ++context, n *= 10) count(vcpu, context) += n;
  EXPECT_EQ(total(), 11111111u);
  EXPECT_EQ(total(kAllContexts, 0), 1111u);
  EXPECT_EQ(total(kAllContexts, 1), 11110000u);
  const uint64_t both[kContexts] = {10001, 100010, 1000100, 10001000};
  for (unsigned context = 0; context < kContexts; ++context) EXPECT_EQ(total(1u << context), both[context]);
  EXPECT_EQ(total(1u << kUser | 1u << kKernelMarked, 0), 1001u);
  EXPECT_EQ(total(0, 0), 0u);
  EXPECT_EQ(total(kAllContexts, 7), 0u) << "no such vCPU";
}

TEST_F(EventSetTest, AnEventOfSomeContextsAndOneVcpu) {
  set.add(loads(1u << kUser | 1u << kUserMarked, 1), {EventKind::kLoads});
  set.add(loads(), {EventKind::kLoads});
  set.watch(true);
  for (unsigned vcpu : {0u, 1u})
    for (unsigned context = 0; context < kContexts; ++context)
      count(vcpu, context) += 1 + context + 10 * vcpu;
  EXPECT_EQ(total(), 11u + 13u);
  EXPECT_EQ(total(1u << kUserMarked | 1u << kKernel, 1), 13u);
  EXPECT_EQ(total(kAllContexts, 0), 0u);
  EXPECT_EQ(total(kAllContexts, 0, 1), 10u);
}

TEST_F(EventSetTest, StandsStillWhileItIsNotWatched) {
  set.add(loads(), {EventKind::kLoads});
  count(0, kKernel) += 5;
  EXPECT_EQ(total(), 0u);
  set.watch(true);
  set.watch(true);
  count(0, kKernel) += 3;
  set.watch(false);
  count(0, kKernel) += 100;
  EXPECT_EQ(total(), 3u);
  set.watch(true);
  count(0, kKernel) += 1;
  EXPECT_EQ(total(), 4u);
}

// What is taken back in one context is not made up for by events in another.
TEST_F(EventSetTest, NoTotalOfAContextFalls) {
  set.add(loads(), {EventKind::kLoads});
  set.watch(true);
  count(0, kUser) = 7;
  EXPECT_EQ(total(1u << kUser), 7u);
  count(0, kUser) = 6;
  count(0, kKernel) = 4;
  EXPECT_EQ(total(1u << kUser), 7u);
  EXPECT_EQ(total(1u << kKernel), 4u);
  EXPECT_EQ(total(), 11u);
  count(1, kUser) = 1;
  EXPECT_EQ(total(1u << kUser), 8u) << "the other vCPU's";
  count(0, kUser) = 7;
  EXPECT_EQ(total(1u << kUser), 8u) << "made up for";
  count(0, kUser) = 8;
  EXPECT_EQ(total(1u << kUser), 9u);
  EXPECT_EQ(total(), 13u);
}

// All that it has told of, of each vCPU and context.
TEST_F(EventSetTest, ForgetsWhatItOwes) {
  set.add(loads(), {EventKind::kLoads});
  set.watch(true);
  count(0, kUser) = count(1, kKernel) = 7;
  EXPECT_EQ(total(), 14u);
  count(0, kUser) = count(1, kKernel) = 6;
  EXPECT_TRUE(set.rebase(kAllVcpus));
  EXPECT_EQ(total(), 12u);
  count(0, kUser) = 7;
  EXPECT_EQ(total(), 13u);
  count(0, kUser) = 6;
  set.watch(false);
  count(0, kUser) = 1000;
  EXPECT_TRUE(set.rebase(kAllVcpus));
  EXPECT_EQ(total(), 12u);
  set.watch(true);
  count(0, kUser) = 1001;
  EXPECT_EQ(total(), 13u);
}

TEST_F(EventSetTest, ForgetsWhatIsOwedByOneVcpu) {
  set.add(loads(), {EventKind::kLoads});
  set.watch(true);
  EXPECT_FALSE(set.rebase(kAllVcpus));
  count(0, kUser) = count(1, kKernel) = 7;
  EXPECT_EQ(total(), 14u);
  count(0, kUser) = count(1, kKernel) = 6;
  EXPECT_TRUE(set.rebase(1));
  EXPECT_FALSE(set.rebase(1));
  EXPECT_EQ(total(kAllContexts, 0), 7u);
  EXPECT_EQ(total(kAllContexts, 1), 6u);
}

TEST_F(EventSetTest, RangesCountApart) {
  set.add({EventKind::kPages, kAllContexts, -1, 0, 9}, {EventKind::kPages, 0});
  set.add({EventKind::kPages, kAllContexts, 0, 10, 19}, {EventKind::kPages, 1});
  set.watch(true);
  count(0, kUser, EventKind::kPages, 0) = 2;
  count(0, kUser, EventKind::kPages, 1) = 5;
  EXPECT_EQ(total(), 2u);
  EXPECT_EQ(total(kAllContexts, kAllVcpus, 1), 5u);
  EXPECT_EQ(set.place(1).kind, EventKind::kPages);
  EXPECT_EQ(set.size(), 2u);
}

TEST(EventTotal, CountsWhileItIsWatched) {
  EventTotal t;
  EXPECT_EQ(t.at(77), 0u);
  t.begin(100);
  EXPECT_EQ(t.at(100), 0u);
  EXPECT_EQ(t.at(107), 7u);
  t.end(110);
  EXPECT_EQ(t.at(5000), 10u);
  t.begin(6000);
  EXPECT_EQ(t.at(6001), 11u);
}

TEST(EventTotal, WhatIsTakenBackAfterALookIsMadeUpForByWhatComesNext) {
  EventTotal t;
  t.begin(100);
  EXPECT_EQ(t.at(110), 10u);  // the tenth is under way
  EXPECT_EQ(t.at(109), 10u);  // it faulted
  EXPECT_EQ(t.at(110), 10u);  // and was made again
  EXPECT_EQ(t.at(111), 11u);
  EXPECT_EQ(t.at(105), 11u);  // several accesses of one instruction
  EXPECT_EQ(t.at(112), 12u);
}

// An instruction that was under way when the watch began is taken back, and made again within the watch.
TEST(EventTotal, DoesNotFallBelowItsBeginning) {
  EventTotal t;
  t.begin(100);
  EXPECT_EQ(t.at(99), 0u);
  EXPECT_EQ(t.at(100), 1u);
  EXPECT_EQ(t.at(102), 3u);
  EventTotal unseen;
  unseen.begin(100);
  unseen.end(99);
  EXPECT_EQ(unseen.at(0), 0u);
}

// Who begins from zero after he was told of what was taken back has all that comes after.
TEST(EventTotal, WhatItOwesCanBeForgotten) {
  for (const bool stopped : {false, true}) {
    EventTotal t;
    t.begin(100);
    EXPECT_EQ(t.at(110), 10u);
    if (stopped) t.end(109);
    t.rebase(109);
    if (stopped) t.begin(109);
    EXPECT_EQ(t.at(109), 9u);
    EXPECT_EQ(t.at(110), 10u);
    EXPECT_EQ(t.at(112), 12u);
    t.end(112);
    EXPECT_EQ(t.at(0), 12u);
  }
}

// What is under way while it is rebased, and is taken back, is none of what comes after, nor of its
// undercount.
TEST(EventTotal, AnInstructionUnderWayWhenItIsForgotten) {
  EventTotal t;
  t.begin(100);
  EXPECT_EQ(t.at(110), 10u);
  t.rebase(110);
  EXPECT_EQ(t.at(110), 10u);
  EXPECT_EQ(t.at(109), 10u);
  EXPECT_EQ(t.at(110), 11u);
  EXPECT_EQ(t.at(111), 12u);
}

TEST(EventTotal, TheRawCountMayWrap) {
  EventTotal t;
  t.begin(UINT64_MAX - 1);
  EXPECT_EQ(t.at(UINT64_MAX), 1u);
  EXPECT_EQ(t.at(UINT64_MAX - 1), 1u);
  EXPECT_EQ(t.at(3), 5u);
}

// Two processors, looked at in any order between counting and taking back: what is told never falls, is never
// more than what has been begun, and at rest is what has been completed.
TEST(EventTotal, NothingIsLostOrCountedTwice) {
  uint32_t x = 1;
  const auto random = [&x](uint32_t below) { return (x = x * 1664525 + 1013904223) / 65536 % below; };
  EventTotal t;
  uint64_t raw = 1000, completed = 0, told = 0;
  t.begin(raw);
  for (int i = 0; i < 100'000; ++i) {
    bool under_way[2] = {false, false};
    for (bool& mine : under_way)
      if (random(2)) {
        mine = true;
        ++raw;
      }
    const uint64_t begun = completed + under_way[0] + under_way[1];
    if (random(3) == 0) {
      const uint64_t n = t.at(raw);
      ASSERT_GE(n, told);
      ASSERT_LE(n, begun + 2) << "two may have been told of and taken back before";
      told = n;
    }
    for (const bool mine : under_way) {
      if (!mine) continue;
      if (random(2))
        --raw;
      else
        ++completed;
    }
    if (random(1000) == 0) {
      t.end(raw);
      raw += random(50);  // another source's
      t.begin(raw);
    }
    if (i % 1000 == 999) {
      raw += 10;
      completed += 10;
      told = t.at(raw);
      ASSERT_EQ(told, completed);
    }
  }
}

// One vCPU's counts, as translated code adds to them.
struct Cpu {
  uint64_t count[3] = {};
  MarkSplit<3> marks;

  void mark(bool on) {
    marks.set(on, 3, [this](size_t i) { return count[i]; });
  }
  using Parts = std::pair<uint64_t, uint64_t>;
  Parts of(size_t i) {  // marked, and not
    const auto parts = marks.of(i, [&] { return count[i]; });
    return {parts.marked, parts.unmarked};
  }
};

TEST(MarkSplit, EachCountFallsIntoOnePart) {
  Cpu cpu;
  cpu.count[0] = 5;
  EXPECT_EQ(cpu.of(0), Cpu::Parts(0, 5));
  cpu.mark(true);
  cpu.count[0] += 3;
  cpu.count[2] += 7;
  EXPECT_EQ(cpu.of(0), Cpu::Parts(3, 5));
  EXPECT_EQ(cpu.of(2).first, 7u);
  cpu.mark(false);
  cpu.count[0] += 11;
  EXPECT_EQ(cpu.of(0), Cpu::Parts(3, 16));
  cpu.mark(true);
  cpu.count[0] += 1;
  EXPECT_EQ(cpu.of(0), Cpu::Parts(4, 16));
  EXPECT_EQ(cpu.of(1).first, 0u);
}

TEST(MarkSplit, TheSameMarkAgainChangesNothing) {
  Cpu cpu;
  cpu.mark(true);
  cpu.count[0] = 2;
  cpu.mark(true);
  cpu.count[0] = 5;
  EXPECT_EQ(cpu.of(0).first, 5u);
  cpu.mark(false);
  cpu.mark(false);
  EXPECT_EQ(cpu.of(0).first, 5u);
}

TEST(MarkSplit, WhatIsTakenBackIsTakenFromThePartUnderWay) {
  Cpu cpu;
  cpu.count[0] = 10;
  cpu.mark(true);
  cpu.count[0]++;
  cpu.count[0]--;
  EXPECT_EQ(cpu.of(0), Cpu::Parts(0, 10));
  cpu.mark(false);
  cpu.count[0]--;
  EXPECT_EQ(cpu.of(0), Cpu::Parts(0, 9));
}

// The instruction that sets the mark is a store that is counted after it: it belongs to where it began.
TEST(MarkSplit, AStoreThatSetsTheMark) {
  Cpu cpu;
  cpu.marks.set(true, 3, [&](size_t i) { return cpu.count[i] + (i == 1); });
  cpu.count[1]++;
  EXPECT_EQ(cpu.of(1), Cpu::Parts(0, 1));
  cpu.count[1]++;
  EXPECT_EQ(cpu.of(1).first, 1u);
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

constexpr size_t kMost = 100;

TEST(Kept, AsksAtTheLimitAndKeepsWhatItHas) {
  UdataArena<size_t, kMost> kept;
  std::vector<const size_t*> places;
  unsigned asked = 0;
  for (size_t round = 0; round < 50; ++round) {
    for (size_t i = 0; i < kMost + 7; ++i) {  // a few more, before blocks go
      bool full;
      places.push_back(kept.add(i, full));
      asked += full;
      EXPECT_EQ(full, i + 1 == kMost);
    }
    for (size_t i = 0; i < places.size(); ++i) ASSERT_EQ(*places[i], i);
    EXPECT_EQ(kept.size(), kMost + 7);
    kept.clear();
    places.clear();
    EXPECT_EQ(kept.size(), 0u);
  }
  EXPECT_EQ(asked, 50u);
}

TEST(Kept, EqualOnesShareAPlace) {
  UdataArena<size_t, kMost> kept;
  bool full;
  const size_t* const three = kept.same(3, full);
  EXPECT_FALSE(full);
  for (unsigned i = 0; i < 10 * kMost; ++i) {
    EXPECT_EQ(kept.same(3, full), three);
    EXPECT_FALSE(full);
  }
  EXPECT_EQ(kept.size(), 1u);
  for (size_t i = 10; i < 10 + kMost - 1; ++i) kept.same(i, full);
  EXPECT_TRUE(full);
  EXPECT_EQ(kept.same(3, full), three);
  EXPECT_FALSE(full);
}

}  // namespace
}  // namespace perfboard
