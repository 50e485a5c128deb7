// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "hw/cluster/cluster.h"
#include "hw/cluster/ring.h"
#include "hw/core/host.h"
#include "hw/core/state_check.h"

namespace perfboard::cluster {
namespace {

constexpr uint64_t kAnswer = 500, kNow = 100;

ClusterMessage message(uint32_t to, uint64_t at, uint8_t what) {
  ClusterMessage m = {};
  m.at = at;
  m.to = to;
  m.kind = 1;
  m.bytes = 3;
  std::memset(m.data, what, m.bytes);
  return m;
}

// Two nodes in a segment of their own.
struct Pair {
  explicit Pair(const std::string& name) : path(testing::TempDir() + name + std::to_string(getpid())) {
    for (uint32_t n = 0; n < 2; n++) {
      const ClusterConfig config = {.path = path.c_str(), .node = n, .nodes = 2, .join = 0, .patience_ms = 0};
      char why[200] = "";
      node[n] = cluster_open(&config, why, sizeof why);
      EXPECT_TRUE(node[n]) << why;
      cluster_answers_after(node[n], kAnswer);
    }
  }
  ~Pair() {
    for (Cluster* c : node) cluster_close(c);
    std::filesystem::remove(path);
  }
  const std::string path;
  Cluster* node[2];
};

std::vector<uint8_t> saved(Cluster* c) {
  uint8_t* bytes;
  const uint32_t n = cluster_save(c, &bytes);
  std::vector<uint8_t> all(bytes, bytes + n);
  std::free(bytes);
  return all;
}

std::string load(Cluster* c, const std::vector<uint8_t>& bytes) {
  char why[200] = "";
  return cluster_load(c, bytes.data(), static_cast<uint32_t>(bytes.size()), kNow, why, sizeof why) ? "" : why;
}

// When each message is due, and what is in it; all are taken.
std::vector<std::pair<uint64_t, int>> taken(Cluster* c) {
  std::vector<std::pair<uint64_t, int>> all;
  for (const ClusterMessage* m; (m = cluster_first(c)); cluster_take(c)) all.emplace_back(m->at, m->data[0]);
  return all;
}

TEST(Checkpoint, WhatIsUnderWayComesToTheNodesThatGoOn) {
  Pair first("kept-first"), then("kept-then");
  for (Cluster* c : first.node) cluster_promise(c, 100, 1000, 1000, 1000);
  ClusterMessage question = message(1, 2000, 7);
  question.asks = true;
  ASSERT_TRUE(cluster_send(first.node[0], &question));
  const ClusterMessage later = message(1, 3000, 8), sooner = message(1, 1500, 9);
  ASSERT_TRUE(cluster_send(first.node[0], &later));
  cluster_limit(first.node[1]);  // two have come, one is in the ring
  ASSERT_TRUE(cluster_send(first.node[0], &sooner));
  for (uint32_t n = 0; n < 2; n++) ASSERT_EQ(load(then.node[n], saved(first.node[n])), "");
  // One that is sent at the same time as one that was kept comes behind it.
  const ClusterMessage same = message(1, 3000, 10);
  ASSERT_TRUE(cluster_send(then.node[0], &same));
  cluster_limit(then.node[1]);
  const std::vector<std::pair<uint64_t, int>> wanted = {{1500, 9}, {2000, 7}, {3000, 8}, {3000, 10}};
  EXPECT_EQ(taken(then.node[1]), wanted);
  // What was promised still is; the question may be answered, once.
  const ClusterMessage early = message(1, 999, 0);
  EXPECT_FALSE(cluster_send(then.node[0], &early));
  ClusterMessage answer = message(0, 2500, 11);
  answer.answers = true;
  ASSERT_TRUE(cluster_send(then.node[1], &answer));
  cluster_limit(then.node[0]);
  EXPECT_EQ(cluster_wrong(then.node[0]), nullptr);
  EXPECT_EQ(taken(then.node[0]).size(), 1u);
  ASSERT_TRUE(cluster_send(then.node[1], &answer));
  cluster_limit(then.node[0]);
  EXPECT_STREQ(cluster_wrong(then.node[0]), "node 1 has answered what nobody asked");
}

TEST(Checkpoint, AnotherNodesOrAClusterThatHasBegunIsRefused) {
  Pair first("kept-refused"), then("kept-begun");
  const std::vector<uint8_t> bytes = saved(first.node[0]);
  EXPECT_EQ(load(then.node[1], bytes), "the snapshot of the cluster is of node 0 of 2, this is node 1 of 2");
  cluster_promise(then.node[0], 5, 50, 50, 50);
  EXPECT_EQ(load(then.node[0], bytes), "the snapshot of the cluster is for a machine that has not begun");
}

TEST(Checkpoint, DamageIsFound) {
  Checkpoint kept = {.nodes = 3,
                     .node = 1,
                     .promise = 10,
                     .answers = 20,
                     .limit = 30,
                     .asked = {{0, 40}, {2, 50}},
                     .here = {}};
  kept.here.push_back(message(1, 60, 1));
  kept.here.back().from = 2;
  const std::vector<uint8_t> good = checkpoint_bytes(kept);
  Checkpoint got;
  ASSERT_EQ(read_checkpoint(good.data(), good.size(), 3, 1, kNow, got), "");
  EXPECT_EQ(checkpoint_bytes(got), good);
  for (size_t n = 0; n < good.size(); n++)
    EXPECT_NE(read_checkpoint(good.data(), n, 3, 1, kNow, got), "") << n;
  // Each byte but those of promise, answers, limit, which any value may have, and what means nothing.
  for (size_t i = 0; i < good.size(); i++) {
    if ((i >= 16 && i < 40) || (i >= 52 && i < 56)) continue;
    std::vector<uint8_t> bad = good;
    bad[i] ^= 0x10;
    EXPECT_NE(read_checkpoint(bad.data(), bad.size(), 3, 1, kNow, got), "") << i;
  }
  for (const uint32_t from : {1u, 3u}) {  // itself, and nobody
    kept.here.back().from = from;
    const std::vector<uint8_t> bad = checkpoint_bytes(kept);
    EXPECT_EQ(read_checkpoint(bad.data(), bad.size(), 3, 1, kNow, got), "is damaged") << from;
  }
}

// What was under way arrives soon, and is no more than may be.
TEST(Checkpoint, TimesAreChecked) {
  const auto wrong = [](const Checkpoint& kept) {
    Checkpoint got;
    const std::vector<uint8_t> bytes = checkpoint_bytes(kept);
    return read_checkpoint(bytes.data(), bytes.size(), 3, 1, kNow, got);
  };
  const uint64_t latest = kNow + kSoonNs;
  const std::string legal = ": legal are 0 to " + std::to_string(latest);
  Checkpoint kept = {.nodes = 3, .node = 1, .promise = PB_NEVER, .answers = PB_NEVER, .limit = PB_NEVER};
  kept.asked = {{0, latest}, {2, latest}};
  for (int i = 0; i < 2; i++) kept.here.push_back(message(1, latest, 1));
  EXPECT_EQ(wrong(kept), "");
  kept.here[1].at++;
  EXPECT_EQ(wrong(kept), "is damaged: here[1].at=" + std::to_string(latest + 1) + legal);
  kept.asked[0].second = PB_NEVER;
  EXPECT_EQ(wrong(kept), "is damaged: asked[0].at=" + std::to_string(PB_NEVER) + legal);
  ClusterMessage large = message(1, kNow, 1);
  large.from = 2;
  large.bytes = CLUSTER_MOST_BYTES;
  kept.asked.clear();
  kept.here.assign(kMostKept / ring_room(CLUSTER_MOST_BYTES), large);
  EXPECT_EQ(wrong(kept), "");
  kept.here.push_back(large);
  EXPECT_EQ(wrong(kept), "is damaged: here[56].bytes=4608: its sender has more under way than may be");
}

// A limit of a snapshot's own would blame the others for what they send before it.
TEST(Checkpoint, TheOthersAreAskedAgainForWhatIsLater) {
  Pair then("kept-limit");
  const Checkpoint kept = {
      .nodes = 2, .node = 0, .promise = 200, .answers = 200, .limit = PB_NEVER, .asked = {}, .here = {}};
  ASSERT_EQ(load(then.node[0], checkpoint_bytes(kept)), "");
  cluster_promise(then.node[1], kNow, 150, 150, 0);
  EXPECT_EQ(cluster_limit(then.node[0]), 150u);
  ASSERT_TRUE(cluster_send(then.node[1], &static_cast<const ClusterMessage&>(message(0, 160, 1))));
  cluster_limit(then.node[0]);
  EXPECT_EQ(cluster_wrong(then.node[0]), nullptr);
}

}  // namespace
}  // namespace perfboard::cluster
