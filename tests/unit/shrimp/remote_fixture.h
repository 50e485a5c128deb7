// SPDX-License-Identifier: GPL-2.0-or-later
//
// Boards that are nodes of a cluster, in one thread.
//
//   make(4);                                     node n is board(n)
//   stores_[0] = {{kBegin + 5000, 0x3010, 42}};  each at its time
//   run(kBegin + 50'000);                        all get there
#pragma once

#include <unistd.h>

#include <filesystem>
#include <random>

#include "hw/cluster/cluster.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {

inline constexpr uint64_t kBegin = 1'000'000'020;  // SniBench's

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

  void make(uint16_t nodes, uint32_t cable = 0, bool links = false, uint16_t width = 2) {
    for (uint16_t n = 0; n < nodes; n++) {
      const ClusterConfig config = {
          .path = path_.c_str(), .node = n, .nodes = nodes, .join = kBegin, .patience_ms = 0};
      char why[200];
      Cluster* const c = cluster_open(&config, why, sizeof why);
      ASSERT_TRUE(c) << why;
      clusters_.push_back(c);
      boards_.push_back(std::make_unique<SniBench>(SniBench::Setup{.node = n,
                                                                   .nodes = nodes,
                                                                   .width = width,
                                                                   .fabric = &kSniRemote,
                                                                   .cluster = c,
                                                                   .cable = cable,
                                                                   .links = links}));
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
  // Whose turn it is is random, and must not matter.
  void run(uint64_t end, uint32_t seed = 1) {
    limits_.resize(boards_.size());
    std::mt19937 turns(seed);
    for (unsigned stuck = 0; stuck < 1000;) stuck = step(turns() % boards_.size(), end) ? 0 : stuck + 1;
    for (const auto& b : boards_) ASSERT_EQ(b->now, end) << "they wait for each other";
  }

  const std::string path_;
  std::vector<Cluster*> clusters_;
  std::vector<std::unique_ptr<SniBench>> boards_;
  std::vector<std::vector<Store>> stores_;
  std::vector<uint64_t> limits_;
};

}  // namespace perfboard::sni
