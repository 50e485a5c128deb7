// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which entry is replaced: the rules by hand, and against a reference that was written from the manual page's
// words.
#include <optional>
#include <random>

#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

Packet region(uint32_t i) { return write(1, 2, i, 0); }

TEST(SmileLru, FreeEntriesAreTakenFirstTheLowestFirst) {
  Bench b({.entries = 4});
  for (unsigned i = 0; i < 4; ++i) {
    b.send(region(i));
    EXPECT_EQ(b.waves.back().entry, i);
  }
}

TEST(SmileLru, TheBitsAreClearedRatherThanAllBeSet) {
  Bench b({.entries = 4});
  for (unsigned i = 0; i < 3; ++i) b.send(region(i));
  for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(entry(b, i).used);
  b.send(region(3));
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(entry(b, i).used, i == 3) << i;
}

TEST(SmileLru, TheVictimIsTheLowestEntryWhoseBitIsClear) {
  Bench b({.entries = 4});
  for (unsigned i = 0; i < 4; ++i) b.send(region(i));
  b.send(region(0));  // used: 0 and 3
  b.send(region(9));
  EXPECT_EQ(b.waves.back().entry, 1);
  const std::vector<Record> records = b.records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].word0, 1u << 29 | 1u << 10) << "replaced; region 1";
  EXPECT_EQ(records[0].word1, 1u << 26 | 2u << 21 | 1u << 16 | 1);
  EXPECT_EQ(entry(b, 1).address, 9u << 10);
  EXPECT_TRUE(entry(b, 1).used);
  b.send(region(10));  // the last clear bit is 2's: setting it would make all set
  EXPECT_EQ(b.waves.back().entry, 2);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(entry(b, i).used, i == 2) << i;
}

// The words: a USED bit an entry, set at each use; if that would make all bits set, the others are cleared. A
// free entry (lowest) is taken first, else the lowest whose bit is clear. An overflow frees the entry.
class Reference {
 public:
  explicit Reference(size_t n) : slots_(n) {}
  struct Step {
    size_t entry;
    std::optional<uint32_t> swapped;
  };
  Step touch(uint32_t region) {
    for (size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i] && slots_[i]->region == region) {
        if (slots_[i]->count == 65535) {
          slots_[i].reset();
          return {i, region};
        }
        ++slots_[i]->count;
        mark(i);
        return {i, {}};
      }
    for (size_t i = 0; i < slots_.size(); ++i)
      if (!slots_[i]) return {put(i, region), {}};
    for (size_t i = 0;; ++i)
      if (!slots_.at(i)->used) {
        const uint32_t old = slots_[i]->region;
        return {put(i, region), old};
      }
  }
  bool used(size_t i) const { return slots_[i] && slots_[i]->used; }
  uint32_t count(size_t i) const { return slots_[i] ? slots_[i]->count : 0; }
  void set_count(size_t i, uint32_t n) { slots_[i]->count = n; }

 private:
  struct Slot {
    uint32_t region, count;
    bool used;
  };
  size_t put(size_t i, uint32_t region) {
    slots_[i] = Slot{region, 1, false};
    mark(i);
    return i;
  }
  void mark(size_t i) {
    slots_[i]->used = true;
    size_t set = 0;
    for (size_t k = 0; k < slots_.size(); ++k) set += used(k);
    if (set < slots_.size()) return;
    for (size_t k = 0; k < slots_.size(); ++k)
      if (k != i) slots_[k]->used = false;
  }
  std::vector<std::optional<Slot>> slots_;
};

class SmileLruAgainst : public testing::TestWithParam<uint32_t> {};

TEST_P(SmileLruAgainst, AReference) {
  const uint32_t entries = GetParam();
  Bench b({.entries = entries, .queue = 0});
  Reference reference(entries);
  std::mt19937 random(entries);
  for (int i = 0; i < 20'000; ++i) {
    const uint32_t wanted = random() % (1 + random() % (3 * entries));
    b.waves.clear();
    b.send(region(wanted));
    const Reference::Step step = reference.touch(wanted);
    ASSERT_EQ(b.waves.back().entry, step.entry) << i;
    const std::vector<Record> records = b.records();
    ASSERT_EQ(records.size(), step.swapped ? 1u : 0u) << i;
    if (step.swapped) {
      ASSERT_EQ(records[0].address(), *step.swapped << 10) << i;
    }
    for (uint32_t k = 0; k < entries; ++k) {
      ASSERT_EQ(b.target().used >> k & 1, reference.used(k)) << i << ' ' << k;
      ASSERT_EQ(b.target().count[k], reference.count(k)) << i << ' ' << k;
    }
    if (random() % 64 == 0 && reference.count(step.entry)) {  // so that counters overflow at times
      b.target().count[step.entry] = 65533;
      reference.set_count(step.entry, 65533);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Entries, SmileLruAgainst, testing::Values(4, 5, 8, 15, 16, 17, 32, 63, 64));

}  // namespace
}  // namespace perfboard::smile
