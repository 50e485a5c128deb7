// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fabric of other machines: several boards, each with a clock of its own, in step; busy links of the
// backplane.
#include <cstddef>
#include <cstring>
#include <random>

#include "hw/cluster/cluster.h"
#include "hw/model/state_check.h"
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/pipeline.h"
#include "tests/unit/cluster/machine.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

// Boards that are nodes of a cluster, in one thread.
//
//   make(4);                                     node n is board(n)
//   stores_[0] = {{kBegin + 5000, 0x3010, 42}};  each at its time
//   run(kBegin + 50'000);                        all get there

constexpr uint64_t kBegin = 1'000'000'020;  // SniBench's

struct Store {
  uint64_t at;
  uint32_t address, value;
};

class SniRemote : public cluster::NodesInTurn<SniBench> {
 protected:
  SniRemote() : NodesInTurn("remote") {}
  void unmake() {
    NodesInTurn::unmake();
    stores_.clear();
  }
  void make(uint16_t nodes, uint32_t cable = 0, bool links = false, uint16_t width = 2) {
    for (uint16_t n = 0; n < nodes; n++) {
      Cluster* const c = join(nodes, kBegin);
      ASSERT_TRUE(c);
      nodes_.push_back(std::make_unique<SniBench>(SniBench::Setup{
          .node = n,
          .nodes = nodes,
          .width = width,
          .fabric = &kSniRemote,
          .cluster = c,
          .cable = cable,
          .links = links,
      }));
      cluster_answers_after(c, sni_answers_after(&board(n).board()->config));
    }
    stores_.resize(nodes);
  }
  SniBench& board(size_t n) { return *nodes_[n]; }

  bool step(size_t n, uint64_t end) override {
    SniBench& b = board(n);
    std::vector<Store>& stores = stores_[n];
    const uint64_t next = std::max(b.now, std::min(stores.empty() ? end : stores.front().at, end));
    const ClusterMessage* const first =
        say(n, b.now, next, [&b](uint64_t from, uint64_t* promise, uint64_t* answers) {
          sni_promise(b.board(), b.now, from, promise, answers);
        });
    const uint64_t limit = limits_[n];
    if (b.now >= end) return false;
    if (first && first->at <= b.now && first->at < limit) {
      EXPECT_TRUE(sni_take(b.board(), first));
      cluster_take(clusters_[n]);
      sni_timer(b.board());
      b.pop();
      return true;
    }
    const uint64_t to = std::min({limit, next, first ? std::max(first->at, b.now) : PB_NEVER});
    if (to <= b.now && next > b.now) return false;
    if (to > b.now) b.run_until(to);
    if (b.now == next && !stores.empty() && b.now < limit) {
      b.store32(stores.front().address, stores.front().value);
      stores.erase(stores.begin());
    }
    return true;
  }
  void run(uint64_t end, uint32_t seed = 1) {
    take_turns(end, seed);
    for (const auto& b : nodes_) ASSERT_EQ(b->now, end) << "they wait for each other";
  }

  std::vector<std::vector<Store>> stores_;
};

std::vector<Store> some_stores() {
  std::mt19937 random(7);
  std::vector<Store> stores;
  uint64_t at = kBegin + 1000;
  for (uint32_t i = 0; i < 300; i++) {
    at += 1500 + random() % 9000;
    stores.push_back({at, 0x3000 + 4 * (i % 1024), i * 0x01010101});
  }
  return stores;
}

// A ring whose nodes all do the same is what loopback stands for: each node gets what loopback's node gets.
TEST_F(SniRemote, ARingOfMachinesIsWhatLoopbackStandsFor) {
  // Its nodes share no link.
  for (const auto& [comb, cable, links] : {
           std::tuple{false, 0u, false},
           {true, 0u, false},
           {true, 1000u, false},
           {false, 0u, true},
           {true, 1000u, true},
       }) {
    SniBench alone({.cable = cable});
    alone.map(3, {.page = 7, .comb = comb, .bound = 2, .timed = comb});
    for (const Store& s : some_stores()) {
      alone.run_until(s.at);
      alone.store32(s.address, s.value);
    }
    const uint64_t end = alone.now + 100'000;
    alone.run_until(end);
    unmake();
    make(4, cable, links);
    for (size_t n = 0; n < 4; n++) {
      board(n).map(3, {.page = 7, .comb = comb, .bound = 2, .timed = comb});
      stores_[n] = some_stores();
    }
    run(end);
    for (size_t n = 0; n < 4; n++) {
      if (n == 2)  // its packets come from node 1, which alone is, and from as far
        expect_same(board(n).packets, alone.packets);
      ASSERT_EQ(board(n).packets.size(), alone.packets.size()) << n;
      for (size_t i = 0; i < alone.packets.size(); i++)
        EXPECT_EQ(board(n).packets[i].payload, alone.packets[i].payload) << i;
      EXPECT_EQ(board(n).memory, alone.memory) << n;
      EXPECT_EQ(board(n).counter(TXP), board(n).counter(RXP));
      EXPECT_EQ(board(n).state().credits_used, 0u);
    }
  }
}

TEST_F(SniRemote, APacketToANodeItself) {
  make(2);
  board(0).map(3, {.page = 7, .node = 0});
  stores_[0] = {{kBegin + 5000, 0x3010, 42}};
  run(kBegin + 50'000);
  EXPECT_EQ(board(0).memory32(0x7010), 42u);
  EXPECT_EQ(board(0).packets.at(0).p.sender, 0u);
  EXPECT_EQ(board(0).state().credits_used, 0u);
}

// Six packets are under way at most; the credit of the first comes back over the backplane.
TEST_F(SniRemote, CreditsComeBackOverTheBackplane) {
  make(2);
  board(0).map(3, {.page = 7, .node = 1});
  board(1).map(3, {.page = 7});
  for (uint32_t i = 0; i < 20; i++) stores_[0].push_back({kBegin + 1000 + 100 * i, 0x3000 + 8 * i, i});
  run(kBegin + 200'000);
  ASSERT_EQ(board(1).packets.size(), 20u);
  const SniState& s = board(0).state();
  EXPECT_EQ(s.credits_used, 0u);
  const SniFlight& last = board(1).state().flight[19];
  EXPECT_EQ(s.credit_at, last.landed + kBackplane);
  for (uint32_t i = 0; i < 20; i++) EXPECT_EQ(board(1).memory32(0x7000 + 8 * i), i);
}

// A credit that is delivered behind its time (a vCPU stops at an instruction, not at a time) is as one that
// came in time: what was to leave before it has left.
TEST_F(SniRemote, ACreditDoesNotHoldUpWhatWasToLeaveBeforeIt) {
  for (const bool looked : {true, false}) {
    make(2);
    SniBench& b = board(0);
    b.map(3, {.page = 7, .node = 1});
    board(1).map(3, {.page = 7});
    b.run_until(kBegin + 1000);
    b.store32(0x3000, 1);
    b.run_until(kBegin + 5000);
    b.store32(0x3008, 2);
    const uint64_t leaves = next_leave_at(*b.board()), credit = leaves + 10;
    ASSERT_EQ(b.state().credits_used, 1u);
    uint64_t promise, answers;
    if (looked) sni_promise(b.board(), credit, PB_NEVER, &promise, &answers);
    const ClusterMessage m{
        .at = credit, .to = 0, .from = 1, .kind = SNI_CLUSTER_KIND, .bytes = 0, .answers = true, .data = {}};
    EXPECT_TRUE(sni_take(b.board(), &m));
    sni_promise(b.board(), kBegin + 9000, PB_NEVER, &promise, &answers);
    cluster_limit(clusters_[1]);
    cluster_take(clusters_[1]);
    ASSERT_TRUE(cluster_first(clusters_[1]));
    SniFlight second;
    std::memcpy(&second, cluster_first(clusters_[1])->data, offsetof(SniFlight, payload));
    EXPECT_EQ(second.leave, leaves) << looked;
    unmake();
  }
}

// A machine is reset while packets are under way to it or from it.
class SniRemoteReset : public SniRemote, public testing::WithParamInterface<uint64_t> {};

TEST_P(SniRemoteReset, LeavesTheNetworkWhole) {
  for (size_t who : {0u, 1u}) {
    make(2);
    board(0).map(3, {.page = 7, .node = 1});
    board(1).map(3, {.page = 7});
    for (uint32_t i = 0; i < 40; i++) stores_[0].push_back({kBegin + 1000 + 100 * i, 0x3000 + 8 * i, i + 1});
    run(kBegin + GetParam());
    const uint64_t sent = board(0).state().counter[TXP];
    const auto before = board(1).packets.size();
    sni_bus_reset(board(who).board());
    if (who == 0) stores_[0].clear();
    run(kBegin + 200'000);
    EXPECT_EQ(board(0).state().credits_used, 0u) << "they all come back";
    const SniState& s = board(1).state();
    EXPECT_EQ(s.popped, s.arrived);
    if (who == 0) {
      EXPECT_EQ(board(1).packets.size(), sent) << "what has left arrives";
    } else {
      EXPECT_EQ(board(1).packets.size(), 40u);
      for (uint32_t i = 0; i < 40; i++)
        EXPECT_EQ(board(1).memory32(0x7000 + 8 * i), i < before ? i + 1 : 0) << i;
    }
    for (size_t n : {0u, 1u}) EXPECT_EQ(board(n).refusal(board(n).state()), "") << n;
    unmake();
  }
}
INSTANTIATE_TEST_SUITE_P(At, SniRemoteReset, testing::Values(1000, 2050, 3500, 5000, 5001, 8000));

TEST_F(SniRemote, WhatIsNoPacketIsRefused) {
  for (const bool links : {false, true}) {
    make(2, 0, links);
    ClusterMessage m{.at = kBegin + 10'000,
                     .to = 1,
                     .from = 0,
                     .kind = SNI_CLUSTER_KIND,
                     .bytes = 0,
                     .answers = true,
                     .data = {}};
    EXPECT_FALSE(sni_take(board(1).board(), &m)) << "a credit for nothing";
    m.answers = false;
    for (m.bytes = 0; m.bytes < 200; m.bytes++) EXPECT_FALSE(sni_take(board(1).board(), &m)) << m.bytes;
    m.bytes = CLUSTER_MOST_BYTES;
    std::mt19937 random(3);
    for (int i = 0; i < 2000; i++) {
      m.bytes = static_cast<uint32_t>(random() % (CLUSTER_MOST_BYTES + 1));
      for (uint8_t& b : m.data) b = static_cast<uint8_t>(random());
      EXPECT_FALSE(sni_take(board(1).board(), &m));
    }
    EXPECT_EQ(board(1).state().arrived, 0u);
    unmake();
  }
}

// --- busy links of the backplane ---------------------------------------------------------

constexpr uint64_t kOneWord = 3 * kLinkWord;  // header, timestamp, one word

class SniMeshTest : public SniRemote {
 protected:
  // Node n's page 3 goes to the node `to`.
  void map(uint32_t n, uint32_t to) { board(n).map(3, {.page = 8 + n, .node = int(to)}); }
  const SniFlight& got(size_t n, size_t i) { return board(n).state().flight[i]; }
  // When a packet came to its first router.
  static uint64_t first(const SniFlight& f) { return f.leave + kSend + kBackplane; }
};

// 0 and 3 are neighbours of 1 on a 2 x 2 mesh.
TEST_F(SniMeshTest, TwoSendersToOneReceiver) {
  for (const bool links : {false, true}) {
    unmake();
    make(4, 0, links);
    for (const uint32_t n : {0u, 3u}) {
      map(n, 1);
      stores_[n] = {{kBegin + 5000, 0x3000, n}};
    }
    run(kBegin + 50'000);
    ASSERT_EQ(board(1).packets.size(), 2u);
    EXPECT_EQ(board(1).packets[0].p.sender, 0u);
    EXPECT_EQ(got(1, 0).arrive, first(got(1, 0)) + kHop + kOneWord);
    EXPECT_EQ(got(1, 1).arrive - got(1, 0).arrive, links ? kOneWord : 0u)
        << "the link from the router to node 1";
    EXPECT_EQ(got(1, 1).tail, got(1, 1).arrive);
  }
}

// In a row of four both take the link from 1 to 2. The first of them is there a hop later than the other.
TEST_F(SniMeshTest, CrossingWaysShareALink) {
  for (const bool links : {false, true}) {
    unmake();
    make(4, 0, links, 4);
    map(0, 2);
    map(1, 3);
    stores_[0] = stores_[1] = {{kBegin + 5000, 0x3000, 7}};
    run(kBegin + 50'000);
    EXPECT_EQ(got(2, 0).arrive, first(got(2, 0)) + 2 * kHop + kOneWord);
    EXPECT_EQ(got(3, 0).arrive, first(got(3, 0)) + 2 * kHop + kOneWord + (links ? kHop + kOneWord : 0u));
  }
}

// The engine reads a page for 177 us, and the packet has its links for as long.
TEST_F(SniMeshTest, APageThatIsReadHoldsItsLinks) {
  make(4, 0, true, 4);
  board(0).update(0x100000, 0x7000, 1024);
  map(1, 3);
  stores_[1] = {{kBegin + 50'000, 0x3000, 7}};
  run(kBegin + 500'000);
  const SniFlight &page = got(2, 0), &word = got(3, 0);
  ASSERT_LT(word.leave, page.tail);
  EXPECT_EQ(word.arrive, page.tail - kHop + 2 * kHop + kOneWord)
      << "the last word passes the link from 1 to 2 a hop earlier";
}

// What a node has sent and whose turn has not come is in its state, too.
TEST_F(SniMeshTest, AStateOfWhichABoardCannotBeIsRefused) {
  make(4, 0, true, 4);
  map(0, 2);
  stores_[0] = {{kBegin + 5000, 0x3000, 7}};
  run(kBegin + 7000);
  ASSERT_EQ(board(0).state().mesh.own, 1u);
  EXPECT_EQ(board(0).refusal(board(0).state()), "");
  static constexpr boards::DamageOf<SniState> kDamages[] = {
      {"mesh.own=7: legal are 0 to 6", [](SniState& s) { s.mesh.own = SNI_CREDITS + 1; }},
      {"mesh.sent[0].from=1: legal is 0", [](SniState& s) { s.mesh.sent[0].from = 1; }},
      {"mesh.sent[0].to=64: no node has this coordinate", [](SniState& s) { s.mesh.sent[0].to = 64; }},
      {"mesh.sent[0].length=2000000000: ", [](SniState& s) { s.mesh.sent[0].length = 2 * kSoonNs; }},
      SET(mesh.sent[0].first, PB_NEVER),
      {"mesh.free[127]=", [](SniState& s) { s.mesh.free[127][4] = PB_NEVER; }},
  };
  expect_refused(board(0), kDamages);
  EXPECT_GT(board(0).state().mesh.sent[0].first, board(0).now);
  run(kBegin + 50'000);
  EXPECT_EQ(board(0).state().mesh.own, 0u) << "its credit has come";
}

// By hand, in a row of four: A goes 2 to 3, B 0 to 3, C 0 to 1. B stands behind A, and C behind B, whose end
// has not left node 0.
TEST(SniMesh, AWormThatStandsKeepsTheLinksBehindItsHead) {
  SniBench bench({.node = 0, .nodes = 4, .width = 4});
  const auto waited = [&](uint64_t first, uint64_t length, uint16_t from, uint16_t to) {
    uint64_t ns = PB_NEVER;
    EXPECT_TRUE(mesh_take(*bench.board(),
                          {.first = first, .length = length, .from = from, .to = to, .spare = 0}, ns));
    return ns;
  };
  EXPECT_EQ(waited(0, 1000, 2, 3), 0u);
  EXPECT_EQ(waited(10, 100, 0, 3), 1000u - 90);
  EXPECT_EQ(waited(100, 100, 0, 1), 10u + 100 + 910 - 100);
  EXPECT_EQ(waited(100, 100, 3, 0), 0u) << "links have two directions";
}

TEST(SniMesh, WhatWouldTakeASecondIsRefused) {
  SniBench bench({.node = 0, .nodes = 4, .width = 4});
  uint64_t ns;
  const SniWorm w = {.first = 0, .length = kSoonNs / 2, .from = 0, .to = 1, .spare = 0};
  EXPECT_TRUE(mesh_take(*bench.board(), w, ns));
  EXPECT_FALSE(mesh_take(*bench.board(), w, ns));
}

// Six nodes send at random to each other. All work out what one queue of all packets gives, whoever of them
// has the processor.
TEST_F(SniMeshTest, AllNodesWorkOutTheSame) {
  constexpr uint16_t kNodes = 6;
  for (const uint32_t seed : {1u, 2u, 3u}) {
    unmake();
    make(kNodes, 0, true, 3);
    std::mt19937 random(5);
    for (uint32_t n = 0; n < kNodes; n++) {
      for (uint32_t to = 0; to < kNodes; to++) board(n).map(16 + to, {.page = 8 + n, .node = int(to)});
      uint64_t at = kBegin + 1000;
      for (uint32_t i = 0; i < 60; i++) {
        const auto to = uint32_t((n + 1 + random() % (kNodes - 1)) % kNodes);
        stores_[n].push_back({at += random() % 2000, (16 + to) << 12 | (4 * i), i});
      }
    }
    run(kBegin + 1'000'000, seed);
    struct Sent {
      const SniFlight* f;
      uint32_t from;
    };
    std::vector<Sent> all;
    for (uint32_t n = 0; n < kNodes; n++) {
      const SniState& s = board(n).state();
      ASSERT_LE(s.arrived, uint32_t{SNI_FLIGHTS});
      EXPECT_EQ(s.credits_used, 0u);
      for (uint32_t i = 0; i < s.arrived; i++)
        all.push_back({&s.flight[i], node_at(board(n).board()->config, s.flight[i].sender)});
    }
    ASSERT_EQ(all.size(), size_t{60 * kNodes});
    std::sort(all.begin(), all.end(), [](const Sent& a, const Sent& b) {
      return std::pair(a.f->leave, a.from) < std::pair(b.f->leave, b.from);
    });
    SniBench one({.node = 0, .nodes = kNodes, .width = 3});
    uint32_t waits = 0;
    for (const Sent& p : all) {
      const SniWorm w = {.first = first(*p.f),
                         .length = kOneWord,
                         .from = p.f->sender,
                         .to = uint16_t(p.f->header >> 16 & 0xfff),
                         .spare = 0};
      uint64_t waited;
      ASSERT_TRUE(mesh_take(*one.board(), w, waited));
      waits += waited != 0;
      EXPECT_EQ(p.f->arrive, w.first + kHop * hops(w.from, w.to) + kOneWord + waited);
    }
    EXPECT_GT(waits, 20u);
  }
}

}  // namespace
}  // namespace perfboard::sni
