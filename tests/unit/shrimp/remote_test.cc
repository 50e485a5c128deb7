// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fabric of other machines: several boards, each with a clock of its own, in step.
#include <cstddef>
#include <cstring>

#include "hw/shrimp/pipeline.h"
#include "tests/unit/shrimp/remote_fixture.h"

namespace perfboard::sni {
namespace {

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
  for (const auto& [comb, cable, links] : {std::tuple{false, 0u, false},
                                           {true, 0u, false},
                                           {true, 1000u, false},
                                           {false, 0u, true},
                                           {true, 1000u, true}}) {
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
      ASSERT_EQ(board(n).packets.size(), alone.packets.size()) << n;
      for (size_t i = 0; i < alone.packets.size(); i++) {
        const SniBench::Packet &is = board(n).packets[i], &wanted = alone.packets[i];
        EXPECT_EQ(is.payload, wanted.payload) << i;
        if (n != 2) continue;  // its packets come from node 1, which alone is, and from as far
        EXPECT_EQ(is.p.start_ns, wanted.p.start_ns) << i;
        EXPECT_EQ(is.p.end_ns, wanted.p.end_ns) << i;
        EXPECT_EQ(is.terms, wanted.terms) << i;
      }
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
    char why[300];
    for (size_t n : {0u, 1u})
      EXPECT_TRUE(sni_state_ok(board(n).board(), &board(n).state(), why, sizeof why)) << n << ": " << why;
    unmake();
  }
}
INSTANTIATE_TEST_SUITE_P(At, SniRemoteReset, testing::Values(1000, 2050, 3500, 5000, 5001, 8000));

void nothing_else_is_taken(SniBoard* board) {
  ClusterMessage m{.at = kBegin + 10'000,
                   .to = 1,
                   .from = 0,
                   .kind = SNI_CLUSTER_KIND,
                   .bytes = 0,
                   .answers = true,
                   .data = {}};
  EXPECT_FALSE(sni_take(board, &m)) << "a credit for nothing";
  m.answers = false;
  for (m.bytes = 0; m.bytes < 200; m.bytes++) EXPECT_FALSE(sni_take(board, &m)) << m.bytes;
  m.bytes = CLUSTER_MOST_BYTES;
  std::mt19937 random(3);
  for (int i = 0; i < 2000; i++) {
    m.bytes = static_cast<uint32_t>(random() % (CLUSTER_MOST_BYTES + 1));
    for (uint8_t& b : m.data) b = static_cast<uint8_t>(random());
    EXPECT_FALSE(sni_take(board, &m));
  }
  EXPECT_EQ(board->state.arrived, 0u);
}

TEST_F(SniRemote, WhatIsNoPacketIsRefused) {
  make(2);
  nothing_else_is_taken(board(1).board());
}

TEST_F(SniRemote, WhatIsNoPacketIsRefusedWithLinks) {
  make(2, 0, true);
  nothing_else_is_taken(board(1).board());
}

}  // namespace
}  // namespace perfboard::sni
