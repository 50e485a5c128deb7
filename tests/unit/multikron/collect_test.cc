// SPDX-License-Identifier: GPL-2.0-or-later
//
// The collection network: what is whole, in which order it comes out, and when; batches, and what a peer may
// send.
#include "hw/multikron/collect.h"

#include <map>
#include <memory>
#include <random>

#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kMs = 1'000'000;
using Words = std::vector<uint16_t>;

struct Free {
  void operator()(MkCollection* c) const { mk_collection_free(c); }
};

struct Node {
  explicit Node(uint32_t number, uint64_t join = 0) : c(mk_collection_new(number, join)) {}
  void sample(uint64_t left, Words words) {
    mk_collection_words(c.get(), words.data(), words.size());
    mk_collection_whole(c.get(), left);
  }
  std::vector<uint8_t> batch(uint64_t arrives) {
    std::vector<uint8_t> data(CLUSTER_MOST_BYTES);
    data.resize(mk_collection_batch(c.get(), arrives, data.data()));
    return data;
  }
  bool take(uint32_t from, uint64_t arrived, const std::vector<uint8_t>& b) {
    return mk_collection_take(c.get(), from, arrived, b.data(), static_cast<uint32_t>(b.size()));
  }
  Words next(uint64_t now) {
    uint16_t words[1 + MK_WHOLE_WORDS];
    const size_t n = mk_collection_next(c.get(), now, words);
    return {words, words + n};
  }
  Words all(uint64_t now) {
    Words out;
    for (Words w; !(w = next(now)).empty();) out.insert(out.end(), w.begin(), w.end());
    return out;
  }
  std::unique_ptr<MkCollection, Free> c;
};

// --- whole samples, as the chip says it ---

struct WholeBench : MkBench {
  WholeBench() {
    config.whole = [](void* p, uint64_t ns) {
      auto& b = *static_cast<WholeBench*>(static_cast<MkBench*>(p));
      b.wholes.push_back({b.out.size(), ns});
    };
    chip.config.whole = config.whole;
  }
  std::vector<std::pair<size_t, uint64_t>> wholes;  // words so far; when the last of them left
};

TEST(MkCollect, ASampleIsWholeWhenItsLastElementLeaves) {
  WholeBench b;
  b.at(100);
  b.trace(1);
  b.resource(2);
  b.at(10'000);  // nobody has looked meanwhile
  b.words();
  ASSERT_EQ(b.wholes.size(), 2u);
  EXPECT_EQ(b.wholes[0], std::make_pair(size_t{16}, b.ns_of(102 + 2 * 15)));
  EXPECT_EQ(b.wholes[1], std::make_pair(size_t{96}, b.ns_of(102 + 2 * 95)));
}

TEST(MkCollect, WhatAResetLeavesOfASampleIsWholeWithTheReset) {
  WholeBench b;
  b.at(100);
  b.trace(1);
  b.at(108);
  b.reset();
  const uint64_t at = b.now;
  ASSERT_EQ(b.wholes.size(), 1u);
  EXPECT_EQ(b.wholes[0], std::make_pair(size_t{5}, at));
  EXPECT_EQ(b.out.back(), MK_STREAM_EVENT | MK_EVENT_SOFTWARE_RESET);
  mk_hardware_reset(&b.chip);
  EXPECT_EQ(b.wholes.back(), std::make_pair(size_t{6}, at));
}

TEST(MkCollect, WhatAShiftOutLeavesOfASampleIsWhole) {
  WholeBench b;
  b.test_mode(true);
  for (int i = 0; i < 10; i++) {
    b.trace(1);
    b.pass(20);
    b.test({.shift = true});
  }
  ASSERT_EQ(b.wholes.size(), 10u);
  size_t last = 0;
  for (const auto& [words, ns] : b.wholes) {
    EXPECT_LE(words - last, size_t{MK_WHOLE_WORDS});
    EXPECT_GT(words, last);
    last = words;
  }
}

// --- order and time ---

TEST(MkCollect, ComesOutInTheOrderOfLeavingThenOfNodes) {
  Node collects(1), zero(0), two(2);
  two.sample(5 * kMs, {20});
  two.sample(6 * kMs, {21});
  zero.sample(5 * kMs, {1});
  zero.sample(5 * kMs + 1, {2, 3});
  collects.sample(5 * kMs, {10});
  const uint64_t arrives = 6 * kMs + MK_COLLECT_WAY_NS;
  ASSERT_TRUE(collects.take(2, arrives, two.batch(arrives)));
  ASSERT_TRUE(collects.take(0, arrives, zero.batch(arrives)));
  EXPECT_EQ(mk_collection_due(collects.c.get()), 5 * kMs + MK_COLLECT_HOLD_NS + 1);
  EXPECT_EQ(collects.all(5 * kMs + MK_COLLECT_HOLD_NS), Words{}) << "a message of that time may still come";
  const auto n = [](unsigned node) { return static_cast<uint16_t>(0x8080 | node); };
  EXPECT_EQ(collects.all(5 * kMs + MK_COLLECT_HOLD_NS + 1), (Words{n(0), 1, n(1), 10, n(2), 20}));
  EXPECT_EQ(collects.all(PB_NEVER), (Words{n(0), 2, 3, n(2), 21}));
  EXPECT_EQ(collects.all(PB_NEVER), Words{});
  EXPECT_EQ(mk_collection_due(collects.c.get()), PB_NEVER);
}

TEST(MkCollect, WhatTookLongerCountsAsLater) {
  Node collects(0), late(1);
  late.sample(1 * kMs, {7});
  const uint64_t arrives = 9 * kMs;
  ASSERT_TRUE(collects.take(1, arrives, late.batch(arrives)));
  EXPECT_EQ(mk_collection_due(collects.c.get()), arrives + 1);
}

TEST(MkCollect, WhatLeavesBeforeTheyAreInStepIsNotCollected) {
  Node n(0, 5 * kMs);
  n.sample(5 * kMs - 1, {1});
  EXPECT_EQ(mk_collection_holds(n.c.get()), 0u);
  n.sample(5 * kMs, {2, 3});
  EXPECT_EQ(mk_collection_holds(n.c.get()), 2u);
}

// Whatever is sent when: nothing comes out behind something that left later, and nothing is lost.
TEST(MkCollect, AnyNodesAndBatchesComeOutInOrder) {
  std::mt19937 random(20);
  std::vector<Node> nodes;
  constexpr uint32_t kNodes = 16;
  for (uint32_t n = 0; n < kNodes; n++) nodes.emplace_back(n);
  std::map<uint64_t, std::vector<std::pair<uint32_t, std::vector<uint8_t>>>> messages;
  std::map<uint32_t, uint64_t> last;                     // when, of each node
  std::vector<std::pair<uint64_t, uint16_t>> want, got;  // of the samples: when, of which node
  const auto come_out = [&](uint64_t now) {
    for (Words w; !(w = nodes[0].next(now)).empty();) {
      uint64_t left = 0;
      std::memcpy(&left, w.data() + 1, 8);
      got.push_back({left, static_cast<uint16_t>(MK_STREAM_NODE_OF(w[0]))});
    }
  };
  for (uint64_t now = 0; now < 40 * kMs; now += 1000 + random() % 50'000) {
    while (!messages.empty() && messages.begin()->first <= now) {
      for (const auto& [from, batch] : messages.begin()->second)
        ASSERT_TRUE(nodes[0].take(from, messages.begin()->first, batch));
      messages.erase(messages.begin());
    }
    come_out(now);
    const uint32_t n = random() % kNodes;
    const uint64_t back = mk_collection_holds(nodes[n].c.get()) ? 0 : random() % MK_HAND_OVER_NS;
    for (uint64_t left = now - std::min(now, back); left <= now; left += 1 + random() % 200'000) {
      Words words(5 + random() % 70);
      std::memcpy(words.data(), &left, 8);  // a stamp; these words are no node's word
      if (std::any_of(words.begin(), words.end(), [](uint16_t w) { return MK_STREAM_IS_NODE(w); })) continue;
      if (left < last[n]) continue;
      last[n] = left;
      nodes[n].sample(left, words);
      want.push_back({left, static_cast<uint16_t>(n)});
    }
    if (n == 0) continue;
    const uint64_t arrives = now + MK_COLLECT_GATHER_NS + MK_COLLECT_WAY_NS;
    for (std::vector<uint8_t> b; !(b = nodes[n].batch(arrives)).empty();) messages[arrives].push_back({n, b});
  }
  for (const auto& [arrives, batches] : messages)
    for (const auto& [from, batch] : batches) ASSERT_TRUE(nodes[0].take(from, arrives, batch));
  come_out(PB_NEVER);
  std::sort(want.begin(), want.end());
  EXPECT_GT(want.size(), 1000u);
  EXPECT_EQ(got, want);
}

// --- peers ---

TEST(MkCollect, ABatchIsWholeSamplesUpToAMessage) {
  Node a(1), collects(0);
  for (uint16_t i = 0; i < 100; i++) a.sample(kMs + i, Words(80, i));
  const uint64_t arrives = kMs + 2000;
  size_t batches = 0, words = 0;
  for (std::vector<uint8_t> b; !(b = a.batch(arrives)).empty();) {
    ASSERT_TRUE(collects.take(1, arrives, b));
    if (++batches == 3) break;
    EXPECT_GT(b.size(), CLUSTER_MOST_BYTES - 200u);
  }
  EXPECT_EQ(batches, 3u);
  for (Words w; !(w = collects.next(PB_NEVER)).empty(); words += w.size() - 1) EXPECT_EQ(w.size(), 81u);
  EXPECT_EQ(words + mk_collection_holds(a.c.get()), 8000u);
}

TEST(MkCollect, WhatIsNoBatchIsRefusedWhole) {
  const uint64_t arrives = 10 * kMs;
  const auto batch = [&](uint64_t first, uint64_t second, uint16_t word = 5) {
    Node n(1);
    n.sample(first, {word, 6});
    std::vector<uint8_t> b = n.batch(arrives);
    n.sample(second, {7});
    const std::vector<uint8_t> more = n.batch(arrives);
    b.insert(b.end(), more.begin(), more.end());
    return b;
  };
  const std::vector<uint8_t> good = batch(9 * kMs, 9 * kMs + 1);
  {
    Node c(0);
    EXPECT_TRUE(c.take(1, arrives, good));
    EXPECT_FALSE(c.take(0, arrives, good)) << "of itself";
    EXPECT_FALSE(c.take(CLUSTER_MOST_NODES, arrives, good));
    EXPECT_FALSE(c.take(1, arrives, {}));
  }
  const auto refused = [&](const std::vector<uint8_t>& b, uint64_t at) {
    Node c(0);
    const bool taken = c.take(1, at, b);
    return !taken && mk_collection_due(c.c.get()) == PB_NEVER;
  };
  EXPECT_TRUE(refused(good, 9 * kMs)) << "left after it arrived";
  EXPECT_TRUE(refused(good, 9 * kMs + MK_COLLECT_HOLD_NS + 1)) << "left too early: others have come out";
  EXPECT_FALSE(refused(good, 9 * kMs + MK_COLLECT_HOLD_NS));
  EXPECT_TRUE(refused(batch(9 * kMs + 1, 9 * kMs), arrives)) << "not in order";
  EXPECT_TRUE(refused(batch(9 * kMs, 9 * kMs, 0x8082), arrives)) << "speaks for node 2";
  for (size_t n = 1; n < good.size(); n++) {
    if (n == 14) continue;  // the first one alone
    EXPECT_TRUE(refused({good.begin(), good.begin() + static_cast<ptrdiff_t>(n)}, arrives)) << n;
  }
  std::vector<uint8_t> many = good;
  many[8] = MK_WHOLE_WORDS + 1;
  many.resize(CLUSTER_MOST_BYTES, 1);
  EXPECT_TRUE(refused(many, arrives)) << "longer than a sample";
  many[8] = many[9] = 0;
  EXPECT_TRUE(refused(many, arrives)) << "of nothing";
}

TEST(MkCollect, APeerThatSendsWithoutEndIsRefused) {
  Node c(0), n(1);
  const uint64_t arrives = 10 * kMs;
  uint64_t taken = 0;
  for (;; taken++) {
    for (int i = 0; i < 27; i++) n.sample(arrives, Words(80, 1));
    if (!c.take(1, arrives, n.batch(arrives))) break;
    ASSERT_LT(taken, 10'000u);
  }
  EXPECT_GT(taken, uint64_t{MK_COLLECT_BATCHES} * MK_COLLECT_HOLD_NS / (2 * MK_COLLECT_WAY_NS))
      << "as much as can come is taken";
}

}  // namespace
}  // namespace perfboard::mk
