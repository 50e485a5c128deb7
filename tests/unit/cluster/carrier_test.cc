// SPDX-License-Identifier: GPL-2.0-or-later
//
// What carries messages between hosts. What another host may send: a carrier that is sent it says what is
// wrong, and nothing of it is used.
#include "hw/cluster/carrier.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hw/cluster/batch.h"
#include "hw/cluster/segment.h"
#include "hw/model/host.h"
#include "tests/unit/cluster/machine.h"
#include "tests/unit/cluster/net.h"

namespace perfboard::cluster {
namespace {

ClusterMessage message(uint64_t at, uint32_t from, uint32_t to, uint32_t bytes = 5) {
  ClusterMessage m{.at = at, .to = to, .from = from, .kind = 3, .bytes = bytes, .data = "four"};
  return m;
}

TEST(Batch, ComesAsItWent) {
  std::mt19937 random(1);
  BatchWriter writer;
  std::vector<ClusterMessage> sent;
  for (uint32_t i = 0; i < 50; i++) {
    ClusterMessage m = message(random(), random() % 16, random() % 16,
                               i ? static_cast<uint32_t>(random() % (CLUSTER_MOST_BYTES + 1)) : 0);
    m.asks = i % 3 == 1;
    m.answers = i % 3 == 2;
    for (uint32_t b = 0; b < m.bytes; b++) m.data[b] = static_cast<uint8_t>(random());
    sent.push_back(m);
    writer.message(m);
  }
  const Page page = {.node = 3, .state = kHere, .promise = 7, .answers = 8, .now = 6};
  writer.page(page);
  const Quiet quiet = {.is = 1, .alone = 99, .came = {1, 2, 3}, .went = {4, 5, 6}};
  writer.quiet(quiet, 3);
  const Bytes bytes = writer.finish(17, true);
  EXPECT_TRUE(writer.empty());

  BatchReader reader;
  ASSERT_TRUE(reader.open(bytes, 17));
  ClusterMessage got;
  for (const ClusterMessage& m : sent) {
    ASSERT_TRUE(reader.message(got));
    ASSERT_EQ(std::make_tuple(got.at, got.from, got.to, got.kind, got.bytes, got.asks, got.answers),
              std::make_tuple(m.at, m.from, m.to, m.kind, m.bytes, m.asks, m.answers));
    ASSERT_EQ(std::memcmp(got.data, m.data, m.bytes), 0);
  }
  EXPECT_FALSE(reader.message(got));
  ASSERT_EQ(reader.pages().size(), 1u);
  EXPECT_EQ(std::memcmp(reader.pages().data(), &page, sizeof page), 0);
  EXPECT_EQ(reader.quiet(), quiet);
  EXPECT_TRUE(reader.last());
}

TEST(Batch, EachByteCountsAndEachLength) {
  BatchWriter writer;
  writer.message(message(1500, 1, 0));
  writer.page({.node = 1, .state = kHere, .promise = 7, .answers = 8, .now = 6});
  const Bytes good = writer.finish(2, false);
  BatchReader reader;
  ASSERT_TRUE(reader.open(good, 2));
  EXPECT_FALSE(reader.open(good, 1)) << "repeated, or one is missing";
  for (size_t i = 0; i < good.size(); i++) {
    Bytes bad = good;
    bad[i] ^= 1;
    EXPECT_FALSE(reader.open(bad, 2)) << "byte " << i;
    EXPECT_FALSE(reader.open(Bytes(good.begin(), good.begin() + static_cast<long>(i)), 2)) << i << " bytes";
  }
  Bytes longer = good;
  longer.resize(good.size() + 8);
  EXPECT_FALSE(reader.open(longer, 2));
}

TEST(Batch, NodesAreDividedInOrder) {
  for (uint32_t nodes = 2; nodes <= kMostNodes; nodes += 1 + nodes / 32)
    for (uint32_t hosts = 1; hosts <= std::min(nodes, kMostHosts); hosts++)
      for (uint32_t n = 0; n < nodes; n++) {
        const uint32_t h = host_of(nodes, hosts, n);
        EXPECT_TRUE(h < hosts && first_node(nodes, hosts, h) <= n && n < first_node(nodes, hosts, h + 1));
      }
}

// --- a carrier, and another host of which a test decides what it sends --------------------------------

struct Script : Transport {
  void send(uint32_t, Bytes bytes) override { sent.push_back(std::move(bytes)); }
  bool receive(uint32_t host, Bytes& bytes) override {
    std::deque<Bytes>& from = host == 1 ? to_come : to_come_of_2;
    if (from.empty()) return false;
    bytes = std::move(from.front());
    from.pop_front();
    return true;
  }
  uint64_t under_way(uint32_t) const override { return waits; }
  std::deque<Bytes> sent, to_come, to_come_of_2;
  uint64_t waits = 0;  // bytes
};

// Host 0 has nodes 0 and 1, host 1 has nodes 2 and 3.
class OneHost : public testing::Test {
 protected:
  OneHost() : path_(testing::TempDir() + "batch." + std::to_string(getpid())) { open(carrier_, 4); }
  ~OneHost() override {
    unmap_segment(segment_);
    std::filesystem::remove(path_);
  }
  void open(Carrier& carrier, uint32_t nodes) {
    std::filesystem::remove(path_);
    EXPECT_TRUE(carrier.open()) << carrier.wrong();
    std::string why;
    EXPECT_TRUE(map_segment(path_.c_str(), nodes, 1000, segment_, why)) << why;
  }
  // Another carrier than carrier_, in a segment of its own.
  void open_instead(Carrier& carrier, uint32_t nodes) {
    unmap_segment(segment_);
    open(carrier, nodes);
  }
  void hello(Hello h = {.nodes = 4, .hosts = 2, .host = 1, .join = 1000}) {
    script_.to_come.push_back(hello_bytes(h));
  }
  static Page page(uint32_t node, uint64_t promise, uint64_t answers, uint32_t state = kHere) {
    return {.node = node, .state = state, .promise = promise, .answers = answers, .now = 0};
  }
  // What the carrier says of a batch.
  std::string batch(const std::function<void(BatchWriter&)>& fill, bool last = false) {
    BatchWriter writer;
    fill(writer);
    script_.to_come.push_back(writer.finish(number_++, last));
    carrier_.step();
    return carrier_.wrong();
  }
  const std::string path_;
  Script script_;
  Carrier carrier_{{.path = path_, .nodes = 4, .hosts = 2, .host = 0, .join = 1000}, script_};
  Segment segment_;
  uint64_t number_ = 0;
};

TEST_F(OneHost, MessagesAreThereBeforeWhatIsPromisedBehindThem) {
  hello();
  EXPECT_EQ(batch([](BatchWriter& w) {
              w.message(message(1500, 2, 1));
              w.page(page(2, 1600, 1700));
            }),
            "");
  const Node& node = segment_.node(2);
  EXPECT_EQ(node.sent, 1u);
  EXPECT_EQ(node.promise, 1600u);
  EXPECT_EQ(node.answers, 1700u);
  EXPECT_EQ(node.alone, 1600u) << "the earlier one: true whatever happens";
  EXPECT_EQ(node.state, kHere);
  EXPECT_EQ(node.stamp % 2, 0u);
  ClusterMessage got;
  EXPECT_EQ(perfboard::cluster::take(segment_.ring(2, 1), 0, got), Taken::kOne);
  EXPECT_EQ(got.at, 1500u);
}

TEST_F(OneHost, AnotherHostsHello) {
  const std::vector<std::pair<Hello, const char*>> hellos = {
      {{.nodes = 5, .hosts = 2, .host = 1, .join = 1000}, "host 1 has nodes=5, here it is 4"},
      {{.nodes = 4, .hosts = 3, .host = 1, .join = 1000}, "host 1 has hosts=3, here it is 2"},
      {{.nodes = 4, .hosts = 2, .host = 0, .join = 1000}, "host 1 has host=0, here it is 1"},
      {{.nodes = 4, .hosts = 2, .host = 1, .join = 7}, "host 1 has join=7, here it is 1000"},
      {{.magic = 1, .nodes = 4, .hosts = 2, .host = 1, .join = 1000}, "host 1 is another version's"}};
  for (const auto& [h, what] : hellos) {
    std::filesystem::remove(path_);
    Script script;
    Carrier carrier({.path = path_, .nodes = 4, .hosts = 2, .host = 0, .join = 1000}, script);
    ASSERT_TRUE(carrier.open());
    script.to_come.push_back(hello_bytes(h));
    carrier.step();
    EXPECT_EQ(carrier.wrong(), what);
  }
  script_.to_come.push_back(Bytes(5));
  carrier_.step();
  EXPECT_EQ(carrier_.wrong(), "host 1 is no carrier, or another version's");
}

TEST_F(OneHost, WhatIsNotABatch) {
  hello();
  script_.to_come.push_back(Bytes(100, 7));
  carrier_.step();
  EXPECT_EQ(carrier_.wrong(), "host 1 has sent a damaged batch");
}

TEST_F(OneHost, ABatchThatComesAgain) {
  hello();
  EXPECT_EQ(batch([](BatchWriter& w) { w.page(page(2, 1600, 1700)); }), "");
  number_ = 0;
  EXPECT_EQ(batch([](BatchWriter& w) { w.page(page(2, 1600, 1700)); }), "host 1 has sent a damaged batch");
}

TEST_F(OneHost, BatchesInAnotherOrder) {
  hello();
  number_ = 1;
  EXPECT_EQ(batch([](BatchWriter& w) { w.page(page(2, 1600, 1700)); }), "host 1 has sent a damaged batch");
}

TEST_F(OneHost, ABatchBehindTheLastOne) {
  hello();
  const auto left = [](BatchWriter& w) {
    w.page(page(2, ~0ull, ~0ull, kLeft));
    w.page(page(3, ~0ull, ~0ull, kLeft));
  };
  EXPECT_EQ(batch(left, true), "");
  EXPECT_EQ(segment_.node(2).state, kLeft);
  EXPECT_EQ(batch(left), "host 1 has sent a damaged batch");
}

class Untrue : public OneHost, public testing::WithParamInterface<int> {};

struct Lie {
  const char* says;
  void (*fill)(BatchWriter&);
};
const Lie kLies[] = {
    {"host 1 has sent a message from node 1 to node 0, which it does not carry",
     [](BatchWriter& w) { w.message(message(1500, 1, 0)); }},
    {"host 1 has sent a message from node 2 to node 3, which it does not carry",
     [](BatchWriter& w) { w.message(message(1500, 2, 3)); }},
    {"host 1 has sent a message from node 77 to node 0, which it does not carry",
     [](BatchWriter& w) { w.message(message(1500, 77, 0)); }},
    {"host 1 has sent a message from node 2 to node 4294967295, which it does not carry",
     [](BatchWriter& w) { w.message(message(1500, 2, ~0u)); }},
    {"node 2 has sent a message for 0.000001399 s, later than it had promised",
     [](BatchWriter& w) { w.message(message(1399, 2, 0)); }},
    {"node 2 has sent a message for 0.000001299 s, later than it had promised",
     [](BatchWriter& w) {
       ClusterMessage m = message(1299, 2, 0);
       m.answers = true;
       w.message(m);
     }},
    {"node 2 takes back what it had promised", [](BatchWriter& w) { w.page({2, kHere, 1399, 1300, 0}); }},
    {"node 2 takes back what it had promised", [](BatchWriter& w) { w.page({2, kHere, 1400, 1299, 0}); }},
    {"host 1 speaks for node 0, which it does not have",
     [](BatchWriter& w) { w.page({0, kHere, 1400, 1300, 0}); }},
    {"host 1 speaks for node 16, which it does not have",
     [](BatchWriter& w) { w.page({16, kHere, 1400, 1300, 0}); }},
    {"node 2 has the state 5", [](BatchWriter& w) { w.page({2, kDied + 1, 1400, 1300, 0}); }},
    {"node 2 has the state 1", [](BatchWriter& w) { w.page({2, kComes, 1400, 1300, 0}); }},
    {"host 1 counts messages that nobody has sent",
     [](BatchWriter& w) { w.quiet({.is = 1, .alone = 9, .came = {1}, .went = {}}, 2); }},
    {"host 1 counts messages that nobody has sent",
     [](BatchWriter& w) { w.quiet({.is = 1, .alone = 9, .came = {}, .went = {1}}, 2); }},
};

TEST_P(Untrue, IsNamed) {
  hello();
  ASSERT_EQ(batch([](BatchWriter& w) { w.page(page(2, 1400, 1300)); }), "");
  EXPECT_EQ(batch(kLies[GetParam()].fill), kLies[GetParam()].says);
  for (uint32_t from : {2u, 3u})
    for (uint32_t to : {0u, 1u}) EXPECT_EQ(segment_.ring(from, to).written, 0u);
  EXPECT_EQ(segment_.node(2).promise, 1400u);
}
INSTANTIATE_TEST_SUITE_P(Lies, Untrue, testing::Range(0, static_cast<int>(std::size(kLies))));

TEST_F(OneHost, ARingThatIsFull) {
  hello();
  EXPECT_EQ(batch([](BatchWriter& w) {
              for (int i = 0; i < 40; i++) w.message(message(1500, 2, 1, CLUSTER_MOST_BYTES));
            }),
            "node 1 takes no messages");
}

TEST_F(OneHost, AHostThatTakesNothing) {
  script_.waits = kMostUnderWay;
  segment_.node(1).promise = 2000;
  carrier_.step();
  EXPECT_EQ(carrier_.wrong(), "");
  script_.waits++;
  segment_.node(1).promise = 3000;
  carrier_.step();
  EXPECT_EQ(carrier_.wrong(), "host 1 takes no messages");
}

// The own nodes have their turn.
TEST_F(OneHost, AHostThatSendsWithoutEnd) {
  hello();
  BatchWriter writer;
  for (; number_ < 100; number_++) {
    writer.page(page(2, 2000 + number_, 2000 + number_));
    script_.to_come.push_back(writer.finish(number_, false));
  }
  EXPECT_TRUE(carrier_.step());
  EXPECT_FALSE(script_.to_come.empty());
  for (int i = 0; i < 100; i++) carrier_.step();
  EXPECT_TRUE(script_.to_come.empty());
  EXPECT_EQ(segment_.node(2).promise, 2099u);
}

TEST_F(OneHost, AFileThatIsCutShort) {
  ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(rings_at(4))), 0);
  put_into_set(segment_.node(3).inbox, 1);
  carrier_.step();
  EXPECT_EQ(carrier_.wrong(), "node 1 is not heard any more, memory of " + path_ +
                                  " is gone: it was cut short, or its file system is full");
}

TEST_F(OneHost, ADamagedMessageOfTheHostsOwn) {
  hello();
  ASSERT_TRUE(post(segment_, 1, 3, 5, message(1500, 1, 3)));
  carrier_.step();
  EXPECT_EQ(carrier_.wrong(), "node 1 has sent a damaged message");
}

// More than a batch holds: it comes as several, and what is promised is in the last one.
TEST_F(OneHost, ManyMessages) {
  Script script;
  Carrier carrier({.path = path_, .nodes = 16, .hosts = 2, .host = 0, .join = 1000}, script);
  open_instead(carrier, 16);
  uint32_t sent = 0, came = 0;
  for (uint32_t from = 0; from < 8; from++)
    for (uint32_t to = 8; to < 16; to++)
      for (uint64_t n = 0; post(segment_, from, to, n, message(1500, from, to, CLUSTER_MOST_BYTES)); n++)
        sent++;
  script.sent.clear();  // the greeting
  carrier.step();
  EXPECT_EQ(carrier.wrong(), "");
  EXPECT_GT(script.sent.size(), 5u);
  BatchReader reader;
  ClusterMessage m;
  for (uint64_t i = 0; i < script.sent.size(); i++) {
    ASSERT_TRUE(reader.open(script.sent[i], i));
    while (reader.message(m)) came++;
    EXPECT_EQ(reader.pages().size(), i + 1 == script.sent.size() ? 8u : 0u);
  }
  EXPECT_EQ(came, sent);
}

// Three hosts with a node each: what 1 and 2 say of a quiet moment counts as long as no message crosses it.
TEST_F(OneHost, QuietMomentsOfOtherHosts) {
  Script script;
  Carrier carrier({.path = path_, .nodes = 3, .hosts = 3, .host = 0, .join = 1000}, script);
  open_instead(carrier, 3);
  uint64_t number[3] = {};
  const auto say = [&](uint32_t host, const Quiet& quiet, int messages = 0) {
    BatchWriter writer;
    for (; messages; messages--) writer.message(message(5000, host, 0));
    writer.page(page(host, 2000, 3000));
    writer.quiet(quiet, 3);
    (host == 1 ? script.to_come : script.to_come_of_2).push_back(writer.finish(number[host]++, false));
    carrier.step();
    EXPECT_EQ(carrier.wrong(), "");
    return std::make_pair(segment_.node(1).alone.load(), segment_.node(2).alone.load());
  };
  const auto anyway = std::make_pair(2000ul, 2000ul);
  for (uint32_t h : {1u, 2u})
    (h == 1 ? script.to_come : script.to_come_of_2)
        .push_back(hello_bytes({.nodes = 3, .hosts = 3, .host = h, .join = 1000}));
  EXPECT_EQ(say(1, {.is = 1, .alone = 8000, .came = {}, .went = {}}), std::make_pair(2000ul, 1000ul))
      << "2 has said nothing";
  EXPECT_EQ(say(2, {.is = 1, .alone = 9000, .came = {}, .went = {}}), std::make_pair(8000ul, 9000ul));
  EXPECT_EQ(say(1, {.is = 1, .alone = 8000, .came = {}, .went = {0, 0, 1}}), anyway) << "on the way to 2";
  EXPECT_EQ(say(2, {.is = 1, .alone = 1500, .came = {0, 1, 0}, .went = {}}), std::make_pair(8000ul, 2000ul));
  EXPECT_EQ(say(2, {.is = 1, .alone = 9000, .came = {0, 2, 0}, .went = {0, 1, 0}}), anyway)
      << "one on the way from 2 to 1; in a sum one that came to 2 behind 1's moment would hide it";
  EXPECT_EQ(say(1, {.is = 1, .alone = 8000, .came = {0, 0, 1}, .went = {1, 0, 2}}, 1),
            std::make_pair(8000ul, 9000ul))
      << "what has come here is for the nodes here to say";
  ASSERT_TRUE(post(segment_, 0, 2, 0, message(5000, 0, 2)));
  carrier.step();
  EXPECT_EQ(segment_.node(1).alone, 2000u) << "on the way to 2";
  EXPECT_EQ(segment_.node(2).taken, 1u);
  BatchWriter writer;
  writer.page(page(2, PB_NEVER, PB_NEVER, kLeft));
  writer.quiet({.is = 1, .alone = PB_NEVER, .came = {0, 2, 0}, .went = {0, 1, 0}}, 3);
  script.to_come_of_2.push_back(writer.finish(number[2], true));
  carrier.step();
  EXPECT_EQ(segment_.node(1).alone, 8000u) << "it has finished, and what is on the way to it is lost";
  EXPECT_EQ(segment_.node(2).alone, PB_NEVER);
}

TEST(Carrier, ConfigurationsAreRefusedByName) {
  const auto refusal = [](const CarrierConfig& config) {
    Script script;
    Carrier carrier(config, script);
    EXPECT_FALSE(carrier.open());
    return carrier.wrong();
  };
  EXPECT_EQ(refusal({.path = "x", .nodes = 1025, .hosts = 2, .host = 0, .join = 0}),
            "nodes=1025: legal range is 2 to 1024");
  EXPECT_EQ(refusal({.path = "x", .nodes = 2, .hosts = 1, .host = 0, .join = 0}),
            "hosts=1: legal range is 2 to 2");
  EXPECT_EQ(refusal({.path = "x", .nodes = 2, .hosts = 2, .host = 2, .join = 0}),
            "host=2: legal range is 0 to 1");
  EXPECT_EQ(refusal({.path = "/nowhere/at/all", .nodes = 2, .hosts = 2, .host = 0, .join = 0}),
            "cluster=/nowhere/at/all: cannot be made: No such file or directory");
}

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
    return open_node(
        {.path = file.c_str(), .node = node, .nodes = nodes, .join = kJoin, .patience_ms = patience_ms});
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
  for (const Case& c : std::vector<Case>{
           {2, 2, 0, 0},
           {2, 2, 3, 50},
           {3, 2, 40, 0},
           {5, 2, 3, 100},
           {3, 3, 0, 0},
           {3, 3, 3, 100},
           {5, 3, 40, 50},
           {6, 4, 0, 100},
       }) {
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
