// SPDX-License-Identifier: GPL-2.0-or-later
//
// Machines that only send and receive, and two ways to run them: all in one thread that has all events in one
// queue, and each in step with the others over a cluster. Both must see the same. And boards that are nodes,
// and take turns in one thread (NodesInTurn).
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "hw/cluster/cluster.h"
#include "hw/model/host.h"

namespace perfboard::cluster {

inline constexpr uint64_t kAnswer = 15, kLook = 40, kEnd = 20'000;

// What a node does next follows from all that it has seen, in its order: one thing otherwise, and all that
// follows differs.
struct Machine {
  uint32_t node, nodes;
  uint64_t seen = 0, steps = 0;
  std::map<uint64_t, std::vector<ClusterMessage>> to_send;  // by when; empty message: something of its own
  std::vector<ClusterMessage> out;                          // of the last step
  std::map<uint32_t, uint64_t> answered;                    // whom, when last

  Machine(uint32_t n, uint32_t all) : node(n), nodes(all), seen(n * 77 + 1) { plan(1000); }

  uint64_t random(uint64_t below) {
    seen = seen * 6364136223846793005 + 1442695040888963407;
    return (seen >> 33) % below;
  }
  void mix(uint64_t value) { seen = (seen ^ value) * 0x9e3779b97f4a7c15; }
  void plan(uint64_t now) { to_send[now + 1 + random(200)].push_back({.to = nodes}); }

  uint64_t next() const { return to_send.begin()->first; }
  // Until when nothing of it arrives, if nothing comes before `next`.
  uint64_t alone(uint64_t next) const {
    uint64_t least = next + kLook;
    for (const auto& [at, what] : to_send)
      for (const ClusterMessage& m : what)
        if (m.answers) least = std::min(least, at + kAnswer);
    return std::min(least, next + kAnswer);
  }
  // Until when no answer of it arrives.
  uint64_t answers(uint64_t now) const {
    uint64_t least = now;
    for (const auto& [at, what] : to_send)
      for (const ClusterMessage& m : what)
        if (m.answers) return std::min(least, at) + kAnswer;
    return least + kAnswer;
  }
  // What it does of itself at next().
  void step() {
    out.clear();
    const auto [at, what] = *to_send.begin();
    to_send.erase(to_send.begin());
    for (ClusterMessage m : what) {
      steps++;
      if (m.answers) {
        m.at = at + kAnswer + random(30);
        out.push_back(m);
        continue;
      }
      m.to = static_cast<uint32_t>(random(nodes));
      if (m.to == node) m.to = (node + 1) % nodes;
      m.at = at + kLook + random(50);
      m.asks = random(2);
      m.kind = static_cast<uint32_t>(random(9));
      m.bytes = static_cast<uint32_t>(random(40));
      for (uint32_t i = 0; i < m.bytes; i++) m.data[i] = static_cast<uint8_t>(random(256));
      out.push_back(m);
      plan(at);
    }
  }
  void take(const ClusterMessage& m) {
    steps++;
    mix(m.at);
    mix(m.from);
    mix(m.kind * 2 + m.answers);
    for (uint32_t i = 0; i < m.bytes; i++) mix(m.data[i]);
    if (!m.asks) return;
    uint64_t& last = answered[m.from];  // whoever asks is answered in order
    last = std::max(last, m.at + random(20));
    to_send[last].push_back({.to = m.from, .answers = true});
  }
};

// All in one thread: whose turn it is, is the earliest's.
inline std::vector<uint64_t> in_one_thread(uint32_t nodes) {
  std::vector<Machine> all;
  for (uint32_t n = 0; n < nodes; n++) all.emplace_back(n, nodes);
  std::vector<std::map<std::tuple<uint64_t, uint32_t, uint64_t>, ClusterMessage>> here(nodes);
  uint64_t number = 0;
  for (;;) {
    uint32_t who = 0;
    uint64_t at = PB_NEVER;
    for (uint32_t n = 0; n < nodes; n++) {
      const uint64_t first = here[n].empty() ? PB_NEVER : std::get<0>(here[n].begin()->first);
      const uint64_t next = std::min(all[n].next(), first);
      if (next < at) at = next, who = n;
    }
    if (at >= kEnd) break;
    Machine& m = all[who];
    if (m.next() <= at) {
      m.step();
      for (ClusterMessage& s : m.out) {
        s.from = who;
        here[s.to].emplace(std::make_tuple(s.at, who, number++), s);
      }
    } else {
      m.take(here[who].begin()->second);
      here[who].erase(here[who].begin());
    }
  }
  std::vector<uint64_t> seen;
  for (const Machine& m : all) seen.push_back(m.seen ^ m.steps);
  return seen;
}

inline uint64_t in_step(Cluster* c, uint32_t node, uint32_t nodes, unsigned delays) {
  Machine m(node, nodes);
  std::mt19937 host(delays * 100 + node);
  uint64_t now = 0, limit = 0;
  while (now < kEnd && !cluster_wrong(c)) {
    if (delays && host() % delays == 0) std::this_thread::sleep_for(std::chrono::microseconds(host() % 300));
    const ClusterMessage* first = cluster_first(c);
    cluster_promise(c, now, std::min(m.next(), std::max(now, limit)) + kLook, m.answers(now),
                    m.alone(std::min(m.next(), first ? first->at : PB_NEVER)));
    limit = cluster_limit(c);
    first = cluster_first(c);
    const uint64_t next = m.next(), at = first ? first->at : PB_NEVER;
    if (next <= at && next <= limit) {
      now = next;
      if (now >= kEnd) break;
      m.step();
      for (const ClusterMessage& s : m.out) EXPECT_TRUE(cluster_send(c, &s)) << s.at;
    } else if (at < next && at < limit) {
      now = at;
      if (now >= kEnd) break;
      m.take(*first);
      cluster_take(c);
    } else if (limit > now) {
      now = limit;
    } else {
      cluster_wait(c, 5);
    }
  }
  EXPECT_FALSE(cluster_wrong(c)) << cluster_wrong(c);
  cluster_leave(c);
  return m.seen ^ m.steps;
}

inline Cluster* open_node(const ClusterConfig& config, uint64_t answers_after = kAnswer) {
  char why[200] = "";
  Cluster* const c = cluster_open(&config, why, sizeof why);
  EXPECT_TRUE(c) << why;
  if (c) cluster_answers_after(c, answers_after);
  return c;
}

// Each in turn goes as far as it may.
template <class Bench>
class NodesInTurn : public testing::Test {
 protected:
  explicit NodesInTurn(const std::string& name)
      : path_(testing::TempDir() + name + "." + std::to_string(getpid())) {
    std::filesystem::remove(path_);
  }
  ~NodesInTurn() override { unmake(); }
  void unmake() {
    nodes_.clear();
    for (Cluster* c : clusters_) cluster_close(c);
    clusters_.clear();
    limits_.clear();
    std::filesystem::remove(path_);
  }
  // The next node's: behind it nodes_ gets its bench.
  Cluster* join(uint32_t nodes, uint64_t at) {
    const auto node = static_cast<uint32_t>(clusters_.size());
    limits_.push_back(0);
    return clusters_.emplace_back(open_node(
        {.path = path_.c_str(), .node = node, .nodes = nodes, .join = at, .patience_ms = 0}, PB_NEVER));
  }
  // It tells the others of itself: its own next step is at `own`, and ask(next, &promise, &answers) asks its
  // board. The first message for it.
  template <class Ask>
  const ClusterMessage* say(size_t n, uint64_t now, uint64_t own, Ask ask) {
    Cluster* const c = clusters_[n];
    const ClusterMessage* const first = cluster_first(c);
    const uint64_t here = std::min(own, first ? std::max(now, first->at) : PB_NEVER);
    uint64_t promise, answers, alone, owed;
    ask(here, &alone, &owed);
    ask(std::min(here, std::max(now, limits_[n])), &promise, &answers);
    cluster_promise(c, now, promise, answers, std::min(alone, owed));
    limits_[n] = cluster_limit(c);
    EXPECT_FALSE(cluster_wrong(c)) << cluster_wrong(c);
    return cluster_first(c);
  }
  // One step of a node; false: it may not go on, or is at the end.
  virtual bool step(size_t n, uint64_t end) = 0;
  // Whose turn it is is random, and must not matter.
  void take_turns(uint64_t end, uint32_t seed = 1) {
    std::mt19937 turns(seed);
    for (unsigned stuck = 0; stuck < 1000;) stuck = step(turns() % nodes_.size(), end) ? 0 : stuck + 1;
  }

  const std::string path_;
  std::vector<Cluster*> clusters_;
  std::vector<std::unique_ptr<Bench>> nodes_;
  std::vector<uint64_t> limits_;
};

// In a process that then is not there any more.
inline void in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (!child) {
    work();
    _exit(0);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

inline std::string last_words(Cluster* c) {
  for (int i = 0; i < 100'000 && !cluster_wrong(c); i++) {
    cluster_limit(c);
    cluster_wait(c, 0);
  }
  return cluster_wrong(c) ? cluster_wrong(c) : "nothing";
}

}  // namespace perfboard::cluster
