// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "plugins/block_book.h"
#include "plugins/block_count.h"
#include "plugins/block_slots.h"

namespace perfboard {
namespace {

// A model whose state and count depend on all instructions before.
enum { kInsns, kWeight, kCounts };
constexpr uint32_t kStates = 23;

void step(const ModelInsn& insn, uint32_t& state, uint64_t* counts) {
  counts[kInsns]++;
  counts[kWeight] += state;
  state = (state / 2 + insn.opcode) %
          kStates;  // a block that follows itself soon leaves the state as it finds it
}

void run(const void* insns, size_t n, void* state, uint32_t* counts) {
  uint32_t s;
  uint64_t c[kCounts] = {};
  std::memcpy(&s, state, sizeof s);
  for (size_t i = 0; i < n; ++i) step(static_cast<const ModelInsn*>(insns)[i], s, c);
  std::memcpy(state, &s, sizeof s);
  std::copy_n(c, kCounts, counts);
}

constexpr PbBlockModel kModel = {kCounts, sizeof(uint32_t), run, nullptr};
bool matches(const ModelInsn& insn, uint32_t pattern) { return insn.opcode % 8 == pattern; }

// Where the vCPU is, for another thread's look.
bool g_runs, g_privileged;
bool runs(unsigned, bool* privileged) {
  *privileged = g_privileged;
  return g_runs;
}

constexpr uint32_t kMostSlots = 64;

class BlocksTest : public testing::Test {
 protected:
  // So many instructions from this address on; the last one repeats in the block, if `iterates`.
  const CountedBlock& make(uint64_t address, size_t n, bool privileged = false, bool iterates = false) {
    std::vector<ModelInsn> insns(n);
    for (size_t i = 0; i < n; ++i) {
      insns[i].address = address + 4 * i;
      insns[i].bytes = 4;
      insns[i].opcode = static_cast<uint32_t>(address / 4 + 7 * i);
    }
    const CountedBlock* b =
        book.block(std::to_string(address) + (privileged ? "k" : "u"), privileged, iterates, insns);
    EXPECT_NE(b, nullptr);
    return *b;
  }
  uint64_t total(unsigned contexts, unsigned what, bool own = true) {
    uint64_t totals[kCounts + 1];
    count.read(contexts, own, totals);
    return totals[what];
  }

  std::vector<PbBlockSlot> memory{kMostSlots};
  std::array<char*, 1> start{reinterpret_cast<char*>(memory.data())};
  PbBlockSlots slots{kMostSlots, start.data(), 0, 31};
  BlockBook book{kModel, kMostSlots};
  BlockCount count{book, slots, 0, matches, runs};
};

TEST_F(BlocksTest, EqualBlocksAreOne) {
  const CountedBlock& b = make(0x1000, 3);
  EXPECT_EQ(&make(0x1000, 3), &b);
  EXPECT_NE(&make(0x2000, 3), &b);
  EXPECT_NE(&make(0x1000, 3, true), &b);
  EXPECT_EQ(book.block_of(b.slot), &b);
}

TEST_F(BlocksTest, NoSlotIsGivenTwiceAndTheBookSaysInTime) {
  EXPECT_FALSE(book.crowded());
  std::vector<uint32_t> given;
  for (uint64_t i = 0; i < kMostSlots - kMostSlots / 8; ++i) given.push_back(make(0x1000 * i, 1).slot);
  EXPECT_TRUE(book.crowded());
  std::sort(given.begin(), given.end());
  EXPECT_EQ(std::adjacent_find(given.begin(), given.end()), given.end());
  EXPECT_GT(given.front(), 0u);
  EXPECT_LT(given.back(), kMostSlots);
  ModelInsn insn;
  for (unsigned i = 0; i < kMostSlots; ++i) book.block(std::to_string(i), false, false, {insn});
  EXPECT_EQ(book.block("one more", false, false, {insn}), nullptr);
  EXPECT_EQ(book.slots(), kMostSlots);
  count.drop_blocks();
  book.clear();
  EXPECT_FALSE(book.crowded());
}

TEST_F(BlocksTest, ABlockThatIsLeftCountsAsFarAsItCame) {
  const CountedBlock& b = make(0x1ff0, 4);
  count.plain(b.slot);
  count.left(false, 0x1ff8, false);
  EXPECT_EQ(total(PB_USER, kInsns), 2u);
  count.plain(b.slot);
  count.left(false, 0x5ff8, true);  // the same page, mapped elsewhere; executed, and again without being seen
  EXPECT_EQ(total(PB_USER, kInsns), 5u);
  count.left(false, 0x1ff8, false);  // that was given up, too
  EXPECT_EQ(total(PB_USER, kInsns), 5u) << "what was told stands still";
  count.plain(b.slot);
  EXPECT_EQ(total(PB_USER, kInsns), 8u);
}

// Who begins from zero after he was told of what was taken back has all that comes after.
TEST_F(BlocksTest, WhatIsOwedCanBeForgotten) {
  for (const bool own : {false, true}) {
    const CountedBlock& b = make(0x1000, 4, own);
    const unsigned context = own ? PB_KERNEL : PB_USER;
    count.plain(b.slot);
    EXPECT_FALSE(count.rebase(own));
    EXPECT_EQ(total(context, kInsns), 4u);
    count.left(own, 0x1008, false);
    EXPECT_EQ(total(context, kInsns), 4u);
    EXPECT_TRUE(count.rebase(own));
    EXPECT_EQ(total(context, kInsns), 2u);
    EXPECT_FALSE(count.rebase(own));
    count.plain(b.slot);
    EXPECT_EQ(total(context, kInsns), 6u);
  }
}

TEST_F(BlocksTest, AnAddressThatIsNotInTheBlockTakesNothingBack) {
  const CountedBlock& b = make(0x1000, 4);
  count.left(false, 0x1000, false);  // nothing has begun
  count.plain(b.slot);
  count.left(false, 0x1100, false);
  count.left(false, 0x1002, false);
  EXPECT_EQ(total(PB_USER, kInsns), 4u);
}

TEST_F(BlocksTest, IterationsCountInThePresentContext) {
  const CountedBlock& b = make(0x1000, 2, false, true);
  ASSERT_NE(b.iterations, 0u);
  count.plain(b.slot);
  count.iteration(b.iterations);
  EXPECT_EQ(total(PB_USER, kInsns), 3u);
  for (unsigned i = 0; i < 5; ++i) count.iteration(b.iterations);
  EXPECT_EQ(total(PB_USER, kInsns), 8u) << "read in the midst of them";
  count.set_mark(true);
  count.plain(b.slot);
  count.iteration(b.iterations);
  EXPECT_EQ(total(PB_USER, kInsns), 8u);
  EXPECT_EQ(total(PB_USER_MARKED, kInsns), 3u);
}

TEST_F(BlocksTest, ThePipelineIsSavedAndLoaded) {
  const CountedBlock& b = make(0x1000, 3);
  uint32_t before, now;
  count.plain(b.slot);
  count.set_mark(true);
  count.save(false, &before);
  count.plain(b.slot);
  const uint64_t weight = total(PB_USER_MARKED, kWeight);
  count.empty();
  EXPECT_TRUE(count.marked());
  count.save(false, &now);
  EXPECT_EQ(now, 0u);
  count.load(false, &before);
  EXPECT_TRUE(count.marked());
  count.save(false, &now);
  EXPECT_EQ(now, before);
  count.plain(b.slot);
  EXPECT_EQ(total(PB_USER_MARKED, kWeight), 2 * weight);
  count.load(false, &before);
  count.left(false, 0x1000, false);  // of no block
  EXPECT_EQ(total(PB_USER_MARKED, kWeight), 2 * weight);
}

// --- all of it, in any order, against instructions that are stepped one by one

constexpr unsigned kOwners = 3;
uint64_t g_told[kOwners][kContexts];  // instructions
void told(unsigned, uint32_t owner, bool marked, const BlockStep& step, bool, size_t from, size_t to,
          uint64_t times) {
  g_told[owner][context_index(step.block->privileged, marked)] += times * (to - from);
}

struct Naive {
  uint32_t state[2] = {};  // of what is not privileged, and of what is
  bool marked = false;
  uint64_t counts[kContexts][kCounts + 1] = {};
  unsigned owner = 0;
  uint64_t owned[kOwners][kContexts] = {};

  void execute(const CountedBlock& b, size_t n, uint32_t pattern) {
    uint64_t* const c = counts[context_index(b.privileged, marked)];
    owned[owner][context_index(b.privileged, marked)] += n;
    for (size_t i = 0; i < n; ++i) {
      step(b.insns[i], state[b.privileged], c);
      c[kCounts] += pattern && matches(b.insns[i], pattern);
    }
  }
};

TEST_F(BlocksTest, EqualToInstructionsOneByOne) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::vector<const CountedBlock*> blocks;
  const auto make_blocks = [&] {
    blocks.clear();
    for (unsigned i = 0; i < 20; ++i) blocks.push_back(&make(0x1000 * (1 + i), 1 + below(9), below(2)));
  };
  make_blocks();
  Naive naive;
  uint32_t pattern = 0;
  unsigned reads = 0, lefts = 0;
  std::memset(g_told, 0, sizeof g_told);
  count.tell(told, true);
  for (unsigned i = 0; i < 200000; ++i) {
    const CountedBlock& b = *blocks[below(below(3) ? 4 : 20)];
    for (unsigned again = below(4) ? 0 : below(12); again > 0; --again) {
      count.plain(b.slot);
      naive.execute(b, b.insns.size(), pattern);
    }
    if (below(20)) count.set_mark(naive.marked = below(50) ? naive.marked : !naive.marked);
    count.plain(b.slot);
    if (below(20)) {
      naive.execute(b, b.insns.size(), pattern);
    } else {
      // Left early; or executed again unseen, and perhaps given up then.
      const size_t at = below(static_cast<unsigned>(b.insns.size()));
      const bool done = below(2), given_up = done && below(2);
      const CountedBlock* under_way = nullptr;
      ASSERT_EQ(count.at(b.privileged, static_cast<uint32_t>(b.insns.size() - 1 - at), &under_way),
                &b.insns[at]);
      ASSERT_EQ(under_way, &b);
      count.left(b.privileged, b.insns[at].address, done);
      if (done && at + 1 < b.insns.size()) {
        ASSERT_EQ(count.at(b.privileged, 0, &under_way), &b.insns[at]) << "it is executed again";
      }
      if (given_up && at + 1 < b.insns.size()) count.left(b.privileged, b.insns[at].address, false);
      const bool whole = done && (!given_up || at + 1 == b.insns.size());
      naive.execute(b, at + whole, pattern);
      ++lefts;
    }
    if (below(50) == 0) count.set_mark(naive.marked = below(2));
    if (below(100) == 0) count.set_owner(naive.owner = below(kOwners), below(2));
    if (below(200) == 0) count.set_pattern(pattern = below(4), below(2));
    if (below(1000) == 0) {
      uint32_t state[2];
      for (const bool privileged : {false, true}) count.save(privileged, &state[privileged]);
      ASSERT_EQ(state[0], naive.state[0]);
      ASSERT_EQ(state[1], naive.state[1]);
      count.drop_blocks();
      book.clear();
      for (const bool privileged : {false, true}) count.load(privileged, &state[privileged]);
      make_blocks();
    }
    if (below(40)) continue;
    ++reads;
    const bool own = below(2);
    uint64_t insns = 0;
    for (unsigned c = 0; c < kContexts; ++c) {
      uint64_t totals[kCounts + 1];
      insns += naive.counts[c][kInsns];
      count.read(1u << c, own, totals);
      for (unsigned what = 0; what <= kCounts; ++what) {
        ASSERT_EQ(totals[what], naive.counts[c][what])
            << "block " << i << " context " << c << " count " << what;
      }
    }
    ASSERT_EQ(total(PB_ANY_CONTEXT, kInsns, own), insns);
    ASSERT_EQ(std::memcmp(g_told, naive.owned, sizeof g_told), 0) << "block " << i;
  }
  EXPECT_GT(reads, 4000u);
  EXPECT_GT(lefts, 9000u);
}

// An interrupt, and what its handler executes, is nothing to the program's pipeline.
TEST_F(BlocksTest, PrivilegesHavePipelinesOfTheirOwn) {
  const CountedBlock &first = make(0x1000, 3), &second = make(0x2000, 5), &handler = make(0x9000, 7, true);
  uint64_t alone = 0;
  for (const bool interrupted : {false, true}) {
    count.empty();
    const uint64_t before = total(PB_USER, kWeight);
    count.plain(first.slot);
    if (interrupted) count.plain(handler.slot);
    count.plain(second.slot);
    if (interrupted) count.left(true, 0x9000, false);  // nothing of the program's
    const uint64_t weight = total(PB_USER, kWeight) - before;
    if (!interrupted) alone = weight;
    EXPECT_EQ(weight, alone);
  }
  EXPECT_GT(alone, 0u);
  EXPECT_EQ(total(PB_KERNEL, kInsns), 0u);
}

// Were it told of the block under way, the vCPU's own counts would lack what is then taken back.
TEST_F(BlocksTest, AnotherThreadIsToldOfBlocksThatHaveEnded) {
  const CountedBlock &b = make(0x1000, 4), &kernel = make(0x2000, 3, true);
  g_runs = true;
  g_privileged = false;
  count.plain(b.slot);
  EXPECT_EQ(total(PB_USER, kInsns, false), 0u);
  count.left(false, 0x1008, false);
  EXPECT_EQ(total(PB_USER, kInsns, false), 2u);
  EXPECT_EQ(total(PB_USER, kInsns), 2u);
  count.plain(b.slot);
  count.plain(b.slot);
  EXPECT_EQ(total(PB_USER, kInsns, false), 6u);
  g_privileged = true;
  count.plain(kernel.slot);
  EXPECT_EQ(total(PB_USER, kInsns, false), 10u);
  EXPECT_EQ(total(PB_KERNEL, kInsns, false), 0u);
  count.set_mark(true);
  EXPECT_EQ(total(PB_KERNEL, kInsns, false), 3u) << "it began before the mark changed";
  count.plain(kernel.slot);
  EXPECT_EQ(total(PB_KERNEL_MARKED, kInsns, false), 0u);
  g_runs = false;
  EXPECT_EQ(total(PB_KERNEL_MARKED, kInsns, false), 3u);
}

// Who owns a block that is left in the middle has what it counts and what is taken back: another thread gives
// the vCPU a new owner meanwhile.
TEST_F(BlocksTest, ABlockUnderWayIsItsNewOwners) {
  static std::array<int64_t, 2> told;
  told = {};
  count.tell([](unsigned, uint32_t owner, bool, const BlockStep&, bool, size_t from, size_t to,
                uint64_t times) { told[owner] += static_cast<int64_t>(times * (to - from)); },
             true);
  const CountedBlock& b = make(0x1000, 4);
  g_runs = true;
  g_privileged = false;
  count.plain(b.slot);
  count.plain(b.slot);
  count.set_owner(1, false);
  count.left(false, 0x1008, false);
  count.add_up(true);
  EXPECT_EQ(told, (std::array<int64_t, 2>{4, 2}));
}

// Another thread reads meanwhile: what it is told never falls, and the vCPU's own counts are exact.
TEST_F(BlocksTest, OtherThreadsRead) {
  g_runs = true;
  g_privileged = false;
  constexpr unsigned kBegins = 300000;
  std::vector<const CountedBlock*> blocks;
  for (unsigned i = 0; i < 10; ++i) blocks.push_back(&make(0x1000 * (1 + i), 4));
  std::atomic<bool> done{false};
  std::atomic<uint64_t> looks{0}, fell{0};
  uint64_t wrong = 0;
  std::thread other([&] {
    uint64_t last = 0;
    while (!done.load()) {
      const uint64_t now = total(PB_USER, kInsns, false);
      fell += now < last;
      last = now;
      ++looks;
    }
  });
  while (!looks.load()) std::this_thread::yield();
  std::mt19937 random(1);
  uint64_t insns = 0;
  for (unsigned i = 0; i < kBegins; ++i) {
    const CountedBlock& b = *blocks[random() % blocks.size()];
    count.plain(b.slot);
    insns += 4;
    if (random() % 8 == 0) {
      count.left(false, b.insns[2].address, false);
      insns -= 2;
    }
    if (random() % 64 == 0) wrong += total(PB_USER, kInsns) != insns;
  }
  done = true;
  other.join();
  g_runs = false;
  EXPECT_EQ(fell.load(), 0u);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(total(PB_USER, kInsns), insns);
}

}  // namespace
}  // namespace perfboard
