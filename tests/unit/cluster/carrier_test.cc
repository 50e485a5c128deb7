// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/carrier.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/cluster/machine.h"
#include "tests/unit/cluster/net.h"

namespace perfboard::cluster {
namespace {

constexpr uint64_t kJoin = 1000;

// Hosts with a segment and a carrier each, and their nodes, all as threads.
class Hosts : public testing::Test {
 protected:
  ~Hosts() override { forget(); }

  std::string path(uint32_t host) const {
    return testing::TempDir() + "carrier." + std::to_string(pid_) + "." + std::to_string(host);
  }
  void forget() {
    for (uint32_t h = 0; h < kMostHosts; h++) std::filesystem::remove(path(h));
  }
  CarrierConfig config(uint32_t nodes, uint32_t hosts, uint32_t host) const {
    return {.path = path(host), .nodes = nodes, .hosts = hosts, .host = host, .join = kJoin};
  }
  Cluster* open(uint32_t node, uint32_t nodes, uint32_t hosts, uint32_t patience_ms = 60'000) {
    const std::string file = path(host_of(nodes, hosts, node));
    const ClusterConfig mine = {
        .path = file.c_str(), .node = node, .nodes = nodes, .join = kJoin, .patience_ms = patience_ms};
    char why[200] = "";
    Cluster* const c = cluster_open(&mine, why, sizeof why);
    EXPECT_TRUE(c) << why;
    if (c) cluster_answers_after(c, kAnswer);
    return c;
  }
  // Each node does `work`; afterwards its Cluster is closed.
  void run(uint32_t nodes, uint32_t hosts, Net& net, const std::function<void(Cluster*, uint32_t)>& work) {
    forget();
    std::vector<std::thread> threads;
    for (uint32_t h = 0; h < hosts; h++)
      threads.emplace_back([&, h] {
        Carrier carrier(config(nodes, hosts, h), net.port(h));
        EXPECT_TRUE(carrier.open()) << carrier.wrong();
        while (!carrier.done() && carrier.wrong().empty())
          if (!carrier.step()) std::this_thread::yield();
        EXPECT_EQ(carrier.wrong(), "");
        EXPECT_EQ(carrier.died(), "");
      });
    for (uint32_t n = 0; n < nodes; n++)
      threads.emplace_back([&, n] {
        Cluster* const c = open(n, nodes, hosts);
        work(c, n);
        cluster_close(c);
      });
    for (std::thread& t : threads) t.join();
  }
  const pid_t pid_ = getpid();
};

TEST_F(Hosts, NodesInStepDoWhatOneThreadDoes) {
  struct Case {
    uint32_t nodes, hosts;
    unsigned delays, most_us;
  };
  for (const Case& c : std::vector<Case>{{2, 2, 0, 0},
                                         {2, 2, 3, 50},
                                         {3, 2, 40, 0},
                                         {5, 2, 3, 100},
                                         {3, 3, 0, 0},
                                         {3, 3, 3, 100},
                                         {5, 3, 40, 50},
                                         {6, 4, 0, 100}}) {
    Net net(c.hosts, c.most_us);
    std::vector<uint64_t> seen(c.nodes);
    run(c.nodes, c.hosts, net,
        [&](Cluster* cluster, uint32_t n) { seen[n] = in_step(cluster, n, c.nodes, c.delays); });
    EXPECT_EQ(seen, in_one_thread(c.nodes))
        << c.nodes << " nodes on " << c.hosts << " hosts, delays " << c.delays << ", " << c.most_us << " us";
  }
}

// Each node does something of its own at multiples of kFar, and is idle otherwise: it takes about as many
// batches as there are such times, not as there are steps of the network's.
TEST_F(Hosts, IdleNodesAgreeOnATimeThatIsFarAway) {
  constexpr uint64_t kFar = 1'000'000, kTimes = 20;
  for (const uint32_t hosts : {2u, 3u}) {
    Net net(hosts, 20);
    std::atomic<uint64_t> came = 0;
    run(4, hosts, net, [&](Cluster* c, uint32_t n) {
      uint64_t now = 0, next = kFar + n, limit = 0;
      while (now < kTimes * kFar && !cluster_wrong(c)) {
        const ClusterMessage* first = cluster_first(c);
        const uint64_t first_at = first ? first->at : PB_NEVER;
        cluster_promise(c, now, std::min(next, std::max(now, limit)) + kLook, now + kAnswer,
                        std::min(next, first_at) + kAnswer);
        limit = cluster_limit(c);
        first = cluster_first(c);
        if (first && first->at <= std::min(next, limit - 1)) {
          now = first->at;
          came++;
          cluster_take(c);
        } else if (next <= limit) {
          now = next;
          next += kFar;
          const ClusterMessage m{.at = now + kLook, .to = (n + 1) % 4};
          // Not in the end: a node that has left does not take it, and it would be under way for ever.
          EXPECT_TRUE(now >= (kTimes - 1) * kFar || cluster_send(c, &m));
        } else if (limit > now) {
          now = limit;
        } else {
          cluster_wait(c, 5);
        }
      }
      EXPECT_FALSE(cluster_wrong(c)) << cluster_wrong(c);
      cluster_leave(c);
    });
    EXPECT_GE(came, 4 * (kTimes - 2));
    EXPECT_LT(net.batches(), kTimes * 200 * hosts) << "kFar / kLook would be 25000 for each of the times";
  }
}

// --- who dies, and who leaves --------------------------------------------------------------------------

// In a process that then is not there any more.
void in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (!child) {
    work();
    _exit(0);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

std::string last_words(Cluster* c) {
  for (int i = 0; i < 20'000 && !cluster_wrong(c); i++) {
    cluster_limit(c);
    cluster_wait(c, 0);
  }
  return cluster_wrong(c) ? cluster_wrong(c) : "nothing";
}

// A node each, and their carriers, which the test itself lets do a step.
class TwoHosts : public Hosts {
 protected:
  void SetUp() override {
    forget();
    ASSERT_TRUE(a.open() && b.open());
  }
  void carry(int steps) {
    for (int i = 0; i < steps; i++) a.step(), b.step();
  }
  Net net{2, 0};
  Carrier a{config(2, 2, 0), net.port(0)}, b{config(2, 2, 1), net.port(1)};
};

TEST_F(Hosts, ACarrierThatDiesIsWhomItStandsFor) {
  forget();
  Net net(2, 0);
  in_child([&] {
    Carrier carrier(config(2, 2, 0), net.port(0));
    carrier.open();
    Carrier other(config(2, 2, 1), net.port(1));
    other.open();
    open(1, 2, 2);
    for (int i = 0; i < 10; i++) carrier.step(), other.step();
  });
  Cluster* const one = open(0, 2, 2);
  EXPECT_EQ(last_words(one), "node 1 has died");
  cluster_close(one);
}

TEST_F(TwoHosts, ANodeThatDiesIsNamedOnAllHosts) {
  Cluster* const one = open(0, 2, 2);
  in_child([&] { open(1, 2, 2); });
  std::string said;
  std::thread node([&] {
    said = last_words(one);
    cluster_leave(one);
  });
  for (int i = 0; i < 100'000 && !(a.done() && b.done()); i++) {
    if (!a.step() && !b.step()) usleep(100);
  }
  node.join();
  EXPECT_EQ(said, "node 1 has died");
  EXPECT_EQ(b.died(), "node 1 has died");
  EXPECT_EQ(a.died(), "");
  EXPECT_TRUE(a.done() && b.done()) << a.wrong() << b.wrong();
  cluster_close(one);
}

TEST_F(TwoHosts, ANodeThatDoesNotCome) {
  Cluster* const one = open(0, 2, 2, 300);
  carry(10);
  EXPECT_EQ(last_words(one), "node 1 has not come");
  cluster_leave(one);
  carry(10);
  EXPECT_FALSE(b.done());
  b.no_more();
  carry(10);
  EXPECT_TRUE(a.done() && b.done());
  cluster_close(one);
}

TEST_F(TwoHosts, WhoeverLeavesHoldsNobodyAndWhatIsSentToItIsLost) {
  Cluster *const one = open(0, 2, 2), *const other = open(1, 2, 2);
  carry(4);
  cluster_leave(other);
  b.step();
  cluster_promise(one, 900, 5000, 5000, 0);
  const ClusterMessage m{.at = 5000, .to = 1, .bytes = CLUSTER_MOST_BYTES};
  for (int i = 0; i < 100; i++) {  // more than fit into a ring
    ASSERT_TRUE(cluster_send(one, &m));
    if (i % 10 == 0) carry(4);
  }
  carry(4);
  EXPECT_EQ(cluster_limit(one), 5000 + kAnswer) << "only its own questions";
  cluster_leave(one);
  carry(4);
  EXPECT_TRUE(a.done() && b.done()) << a.wrong() << b.wrong();
  cluster_close(one);
  cluster_close(other);
}

}  // namespace
}  // namespace perfboard::cluster
