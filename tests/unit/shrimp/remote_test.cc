// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fabric of other machines: several boards, each with a clock of its own, in step.
#include <unistd.h>

#include <filesystem>
#include <random>

#include "hw/cluster/cluster.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

constexpr uint64_t kBegin = 1'000'000'020;  // SniBench's

struct Store {
  uint64_t at;
  uint32_t address, value;
};

// Nodes of a ring, all in this thread: each in turn goes as far as it may.
class SniRemote : public testing::Test {
 protected:
  SniRemote() : path_(testing::TempDir() + "remote." + std::to_string(getpid())) {
    std::filesystem::remove(path_);
  }
  ~SniRemote() override { unmake(); }
  void unmake() {
    boards_.clear();
    for (Cluster* c : clusters_) cluster_close(c);
    clusters_.clear();
    limits_.clear();
    stores_.clear();
    std::filesystem::remove(path_);
  }

  void make(uint16_t nodes, uint32_t cable = 0) {
    for (uint16_t n = 0; n < nodes; n++) {
      const ClusterConfig config = {
          .path = path_.c_str(), .node = n, .nodes = nodes, .join = kBegin, .patience_ms = 0};
      char why[200];
      Cluster* const c = cluster_open(&config, why, sizeof why);
      ASSERT_TRUE(c) << why;
      clusters_.push_back(c);
      boards_.push_back(std::make_unique<SniBench>(
          SniBench::Setup{.node = n, .nodes = nodes, .fabric = &kSniRemote, .cluster = c, .cable = cable}));
      cluster_answers_after(c, sni_answers_after(&board(n).board()->config));
    }
    stores_.resize(nodes);
  }
  SniBench& board(size_t n) { return *boards_[n]; }

  // One step of a node; false: it may not go on, or is at the end.
  bool step(size_t n, uint64_t end) {
    SniBench& b = board(n);
    Cluster* const c = clusters_[n];
    std::vector<Store>& stores = stores_[n];
    const uint64_t next = std::max(b.now, std::min(stores.empty() ? end : stores.front().at, end));
    uint64_t promise, answers, alone, owed;
    const ClusterMessage* first = cluster_first(c);
    const uint64_t first_here = std::min(next, first ? std::max(b.now, first->at) : PB_NEVER);
    sni_promise(b.board(), b.now, first_here, &alone, &owed);
    sni_promise(b.board(), b.now, std::min(first_here, std::max(b.now, limits_[n])), &promise, &answers);
    cluster_promise(c, b.now, promise, answers, std::min(alone, owed));
    const uint64_t limit = limits_[n] = cluster_limit(c);
    EXPECT_FALSE(cluster_wrong(c)) << cluster_wrong(c);
    if (b.now >= end) return false;
    first = cluster_first(c);
    if (first && first->at <= b.now && first->at < limit) {
      EXPECT_TRUE(sni_take(b.board(), first));
      cluster_take(c);
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
  void run(uint64_t end) {
    limits_.resize(boards_.size());
    std::mt19937 turns(1);
    for (unsigned stuck = 0; stuck < 1000;) stuck = step(turns() % boards_.size(), end) ? 0 : stuck + 1;
    for (const auto& b : boards_) ASSERT_EQ(b->now, end) << "they wait for each other";
  }

  const std::string path_;
  std::vector<Cluster*> clusters_;
  std::vector<std::unique_ptr<SniBench>> boards_;
  std::vector<std::vector<Store>> stores_;
  std::vector<uint64_t> limits_;
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
  for (const auto& [comb, cable] : {std::pair{false, 0u}, {true, 0u}, {true, 1000u}}) {
    SniBench alone({.cable = cable});
    alone.map(3, {.page = 7, .comb = comb, .bound = 2, .timed = comb});
    for (const Store& s : some_stores()) {
      alone.run_until(s.at);
      alone.store32(s.address, s.value);
    }
    const uint64_t end = alone.now + 100'000;
    alone.run_until(end);
    unmake();
    make(4, cable);
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

TEST_F(SniRemote, WhatIsNoPacketIsRefused) {
  make(2);
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
}

}  // namespace
}  // namespace perfboard::sni
