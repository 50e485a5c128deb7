// SPDX-License-Identifier: GPL-2.0-or-later
//
// Nodes of a cluster in one host's memory, what a peer may do, and snapshots of what is under way.
#include "hw/cluster/cluster.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "hw/cluster/checkpoint.h"
#include "hw/cluster/polling.h"
#include "hw/cluster/segment.h"
#include "hw/model/host.h"
#include "hw/model/state_check.h"
#include "tests/unit/cluster/machine.h"

namespace perfboard::cluster {
namespace {

class ClusterFile : public testing::Test {
 protected:
  ClusterFile() : path_(testing::TempDir() + "cluster." + std::to_string(getpid())) {
    std::filesystem::remove(path_);
  }
  ~ClusterFile() override {
    for (Cluster* c : opened_) cluster_close(c);
    std::filesystem::remove(path_);
  }

  ClusterConfig config(uint32_t node, uint32_t nodes) const {
    return {.path = path_.c_str(), .node = node, .nodes = nodes, .join = 1000, .patience_ms = 60'000};
  }
  Cluster* open(uint32_t node, uint32_t nodes) {
    return opened_.emplace_back(open_node(config(node, nodes)));
  }
  std::string refusal(const ClusterConfig& config) {
    char why[200] = "";
    EXPECT_FALSE(cluster_open(&config, why, sizeof why));
    return why;
  }
  // Each node a thread.
  std::vector<uint64_t> in_threads(uint32_t nodes, unsigned delays) {
    std::vector<uint64_t> seen(nodes);
    std::vector<std::thread> threads;
    for (uint32_t n = 0; n < nodes; n++)
      threads.emplace_back([&, n] {
        Cluster* const c = open_node(config(n, nodes));
        seen[n] = in_step(c, n, nodes, delays);
        cluster_close(c);
      });
    for (std::thread& t : threads) t.join();
    return seen;
  }
  const std::string path_;

 private:
  std::vector<Cluster*> opened_;
};

TEST_F(ClusterFile, NodesInStepDoWhatOneThreadDoes) {
  for (const uint32_t nodes : {2u, 3u, 5u}) {
    const std::vector<uint64_t> wanted = in_one_thread(nodes);
    for (const unsigned delays : {0u, 3u, 40u}) {
      std::filesystem::remove(path_);
      EXPECT_EQ(in_threads(nodes, delays), wanted) << nodes << " nodes, delays " << delays;
    }
  }
}

// More than a group: most of them see of each other what their groups say.
TEST_F(ClusterFile, NodesOfSeveralGroupsDoWhatOneThreadDoes) {
  constexpr uint32_t kNodes = 2 * kGroup + 3;
  EXPECT_EQ(in_threads(kNodes, 0), in_one_thread(kNodes));
}

TEST_F(ClusterFile, AGroupSaysTheLeastOfItsNodes) {
  constexpr uint32_t kNodes = kGroup + 1;
  std::vector<Cluster*> all;
  for (uint32_t n = 0; n < kNodes; n++) all.push_back(open(n, kNodes));
  cluster_promise(all[kGroup], 900, 5000, 5000, 0);
  for (uint32_t n = 0; n < kGroup; n++) {
    EXPECT_EQ(cluster_limit(all[kGroup]), 1000u) << n << " have promised";
    cluster_promise(all[n], 900, 4000 - n, 4000 - n, 0);
  }
  EXPECT_EQ(cluster_limit(all[kGroup]), 4000u - kGroup + 1);
  cluster_promise(all[kGroup - 1], 900, 3990, 3990, 0);
  EXPECT_EQ(cluster_limit(all[kGroup]), 4000u - kGroup + 2);
}

// Node 0 sleeps and waits for `whom`, which sleeps itself or not. Whether node 1 wakes it.
bool wakes(const Segment& segment, uint32_t whom, bool sleeps, uint32_t own = 1) {
  if (whom < segment.nodes) segment.node(whom).waits_for = sleeps;
  segment.node(0).waits_for = whom + 1;
  put_into_set(segment.header().sleepers, 0);
  const uint32_t bell = segment.node(0).bell;
  wake_sleepers(segment, own);
  EXPECT_NE(segment.node(0).bell == bell, !any_in_set(segment.header().sleepers, segment.nodes));
  return segment.node(0).bell != bell;
}

// Each step of each node would wake all that sleep.
TEST_F(ClusterFile, WhoeverSleepsIsWokenByWhomItWaitsFor) {
  for (uint32_t n = 0; n < 3; n++) open(n, 4);
  Segment segment;
  std::string wrong;
  ASSERT_TRUE(map_segment(path_.c_str(), 4, 1000, segment, wrong)) << wrong;
  EXPECT_TRUE(wakes(segment, 1, false));
  EXPECT_FALSE(wakes(segment, 2, false)) << "that one does it";
  EXPECT_TRUE(wakes(segment, 2, false, kNobody)) << "a carrier, for that one";
  EXPECT_TRUE(wakes(segment, 2, true)) << "all may be quiet now";
  EXPECT_TRUE(wakes(segment, 3, false)) << "it has not come";
  EXPECT_TRUE(wakes(segment, 1024, false)) << "a peer may say anything";
  unmap_segment(segment);
}

// Of three nodes that hold a fourth one back the first two to come would wake it for nothing.
TEST_F(ClusterFile, WhoeverSleepsIsWokenByTheLastOneThatHoldsIt) {
  for (uint32_t n = 0; n < 4; n++) open(n, 4);
  Segment segment;
  std::string wrong;
  ASSERT_TRUE(map_segment(path_.c_str(), 4, 1000, segment, wrong)) << wrong;
  Node& sleeper = segment.node(0);
  sleeper.needs = 1000;
  const auto come = [&](uint32_t n, uint64_t promise, uint64_t alone) {
    segment.node(n).promise = promise;
    segment.node(n).alone = alone;
  };
  come(1, 1001, 1001);
  EXPECT_FALSE(wakes(segment, 1, false));
  EXPECT_EQ(sleeper.waits_for, 2u + 1) << "the next one that holds it";
  EXPECT_FALSE(wakes(segment, 2, true)) << "all are not quiet before that one says so";
  come(2, 1000, 1001);
  EXPECT_TRUE(wakes(segment, 2, true)) << "it may be that all are quiet";
  come(1, 1000, 1000);
  come(2, 1001, 1001);
  come(3, 1001, 1001);
  EXPECT_FALSE(wakes(segment, 1, false)) << "it has not said enough";
  EXPECT_EQ(sleeper.waits_for, 1u + 1);
  come(1, 1001, 1001);
  EXPECT_TRUE(wakes(segment, 1, false)) << "nobody holds it";
  unmap_segment(segment);
}

// 64 windows are a period: in the first one all poll, in the second one all sleep.
TEST(Polling, UsesWhatWasFasterWhenAllTriedIt) {
  constexpr uint64_t kWindow = Polling::kWindowNs, kPeriod = Polling::kPeriod;
  Polling polling;
  uint64_t steps = 0;
  const auto period = [&](uint64_t number, uint64_t polled, uint64_t slept) {
    polling.look(number * kPeriod * kWindow, steps);
    EXPECT_TRUE(polling.pays());
    polling.look((number * kPeriod + 1) * kWindow, steps += polled);
    EXPECT_FALSE(polling.pays());
    polling.look((number * kPeriod + 2) * kWindow, steps += slept);
    return polling.pays();
  };
  EXPECT_TRUE(polling.pays()) << "before it is known";
  EXPECT_TRUE(period(1, 100, 30));
  EXPECT_TRUE(period(2, 40, 60)) << "once is not enough";
  for (uint64_t n = 3; n < 8; n++) period(n, 2, 60);
  EXPECT_FALSE(period(8, 2, 60));
  polling.look((8 * kPeriod + 63) * kWindow, steps += 1'000'000);
  EXPECT_FALSE(polling.pays()) << "of neither try";
  for (uint64_t n = 9; n < 14; n++) period(n, 100, 30);
  EXPECT_TRUE(period(14, 100, 30)) << "the host has nothing else to do any more";
}

// Whoever has what it waits for at once does not look at the clock.
TEST(Polling, AWindowThatNobodyHasEndedCountsAsLongAsItTook) {
  constexpr uint64_t kWindow = Polling::kWindowNs, kPeriod = Polling::kPeriod;
  Polling polling;
  polling.look(kPeriod * kWindow, 0);
  polling.look((2 * kPeriod + 1) * kWindow, 65 * 10);
  EXPECT_FALSE(polling.pays());
  polling.look((2 * kPeriod + 2) * kWindow, 65 * 10 + 9);
  EXPECT_TRUE(polling.pays()) << "10 steps a window, and 9";
}

TEST_F(ClusterFile, ANodeOfAnotherGroupThatDiesIsNamed) {
  constexpr uint32_t kNodes = 3 * kGroup;
  Cluster* const one = open(0, kNodes);
  for (uint32_t n = 1; n < kNodes; n++)
    if (n != kGroup + 5) cluster_promise(open(n, kNodes), 900, 5000, 5000, 0);
  cluster_promise(one, 900, 5000, 5000, 0);
  in_child([&] { open(kGroup + 5, kNodes); });
  EXPECT_EQ(last_words(one), "node 37 has died");
}

// --- what is refused ----------------------------------------------------------------------------

TEST_F(ClusterFile, ConfigurationsAreRefusedByName) {
  EXPECT_EQ(refusal({.path = path_.c_str(), .node = 0, .nodes = 1}), "nodes=1: legal range is 2 to 1024");
  EXPECT_EQ(refusal({.path = path_.c_str(), .node = 0, .nodes = 1025}),
            "nodes=1025: legal range is 2 to 1024");
  EXPECT_EQ(refusal({.path = path_.c_str(), .node = 2, .nodes = 2}), "node=2: legal range is 0 to 1");
  EXPECT_EQ(refusal({.path = "/nowhere/at/all", .node = 0, .nodes = 2}),
            "cluster=/nowhere/at/all: cannot be made: No such file or directory");
  open(0, 2);
  EXPECT_EQ(refusal(config(0, 2)), "node=0: cluster " + path_ + " has that node already");
  EXPECT_EQ(refusal(config(1, 3)), "cluster=" + path_ + ": is no cluster of 3 nodes");
  ClusterConfig other = config(1, 2);
  other.join = 7;
  EXPECT_EQ(refusal(other), "cluster=" + path_ + ": has join=1000");
}

TEST_F(ClusterFile, AFileThatIsNoCluster) {
  std::ofstream(path_) << "something";
  EXPECT_EQ(refusal(config(0, 2)), "cluster=" + path_ + ": is no cluster of 2 nodes");
}

// Of a run that was killed; and of one that was another user's.
TEST_F(ClusterFile, AFileThatIsLeftOver) {
  const std::string left = "cluster " + path_ + " is left over: ";
  open(0, 2);
  in_child([&] { open(1, 2); });
  EXPECT_EQ(refusal(config(0, 2)), "node=0: cluster " + path_ + " has that node already");
  EXPECT_EQ(refusal(config(1, 2)), "node=1: " + left + "the process that was that node has ended; remove it");
  std::string wrong;
  Segment segment;
  ASSERT_TRUE(map_segment(path_.c_str(), 2, 1000, segment, wrong)) << wrong;
  segment.node(1).state = kComes;  // it was killed before it had come, or a carrier that held it was
  EXPECT_EQ(refusal(config(1, 2)), "node=1: " + left + "the process that was that node has ended; remove it");
  segment.header().began = PB_NEVER - 1;
  unmap_segment(segment);
  EXPECT_EQ(refusal(config(1, 2)), "node=1: " + left + "it has begun before this host; remove it");
}

TEST_F(ClusterFile, AFileOfAnotherUser) {
  open(0, 2);
  ASSERT_EQ(chmod(path_.c_str(), 0620), 0);
  EXPECT_EQ(refusal(config(1, 2)), "cluster=" + path_ + ": is open to other users");
  if (chown(path_.c_str(), 65534, 65534)) GTEST_SKIP() << "only root gives files away";
  EXPECT_EQ(refusal(config(1, 2)), "cluster=" + path_ + ": belongs to user 65534");
}

// --- what a peer may do ---------------------------------------------------------------------------

class TwoNodes : public ClusterFile {
 protected:
  TwoNodes() : one_(open(0, 2)), other_(open(1, 2)) {
    std::string wrong;
    EXPECT_TRUE(map_segment(path_.c_str(), 2, 1000, segment_, wrong)) << wrong;
  }
  ~TwoNodes() override { unmap_segment(segment_); }
  ClusterMessage message(uint64_t at) const {
    ClusterMessage m{.at = at, .to = 1, .kind = 3, .bytes = 5, .data = "four"};
    return m;
  }
  // What the other one says of what has come; nothing: it is right.
  std::string other_says() {
    cluster_limit(other_);
    return cluster_wrong(other_) ? cluster_wrong(other_) : "";
  }
  Cluster *one_, *other_;
  Segment segment_;
};

TEST_F(TwoNodes, AMessageIsThereWithItsLimit) {
  const ClusterMessage m = message(1500);
  EXPECT_TRUE(cluster_send(one_, &m));
  cluster_promise(one_, 900, 1400, PB_NEVER, 0);
  cluster_promise(other_, 900, 5000, 5000, 0);
  EXPECT_EQ(cluster_limit(other_), 1400u);
  const ClusterMessage* const got = cluster_first(other_);
  ASSERT_TRUE(got);
  EXPECT_EQ(std::make_tuple(got->at, got->from, got->to, got->kind, got->bytes),
            std::make_tuple(1500ul, 0u, 1u, 3u, 5u));
  EXPECT_STREQ(reinterpret_cast<const char*>(got->data), "four");
  cluster_take(other_);
  EXPECT_FALSE(cluster_first(other_));
}

TEST_F(TwoNodes, NothingIsSentThatIsTooEarly) {
  ClusterMessage m = message(999);  // before join
  EXPECT_FALSE(cluster_send(one_, &m));
  cluster_promise(one_, 900, 1400, 1400, 0);
  m = message(1399);
  EXPECT_FALSE(cluster_send(one_, &m));
  m = message(1400);
  EXPECT_TRUE(cluster_send(one_, &m));
  m.to = 0;
  EXPECT_FALSE(cluster_send(one_, &m));
  m.to = 2;
  EXPECT_FALSE(cluster_send(one_, &m));
}

TEST_F(TwoNodes, AnAnswerHoldsTheLimitUntilItIsThere) {
  cluster_promise(one_, 900, 1400, 1400, 0);
  cluster_promise(other_, 900, 5000, 1100, 0);
  EXPECT_EQ(cluster_limit(one_), 1400 + kAnswer) << "a question may follow";
  ClusterMessage ask = message(1500);
  ask.asks = true;
  ASSERT_TRUE(cluster_send(one_, &ask));
  cluster_promise(one_, 1450, 4000, 4000, 0);
  EXPECT_EQ(cluster_limit(one_), 1500 + kAnswer);
  cluster_promise(other_, 1500, 5000, 1900, 0);
  EXPECT_EQ(cluster_limit(one_), 1900u);
  cluster_limit(other_);
  ClusterMessage answer{.at = 1950, .to = 0, .answers = true};
  ASSERT_TRUE(cluster_send(other_, &answer));
  EXPECT_EQ(cluster_limit(one_), 4000 + kAnswer);
}

TEST_F(TwoNodes, DamagedMessages) {
  const std::vector<std::pair<const char*, void (*)(Ring&)>> damages = {
      {"a length", [](Ring& r) { r.bytes[4] = 0xff, r.bytes[5] = 0xff; }},
      {"its data", [](Ring& r) { r.bytes[32] ^= 1; }},
      {"its time", [](Ring& r) { r.bytes[17] ^= 1; }},
      {"its number: it comes again", [](Ring& r) { r.bytes[8] = 7; }},
      {"cut off", [](Ring& r) { r.written = r.written - 8; }},
      {"only a part", [](Ring& r) { r.written = 8; }},
      {"more than there is room", [](Ring& r) { r.written = uint64_t{kRingBytes} + 8; }},
      {"back", [](Ring& r) { r.written = uint64_t(0) - 8; }},
      {"begun anew, behind its end", [](Ring& r) { r.begin = r.written + 8; }},
      {"begun anew, in the middle", [](Ring& r) { r.begin = 8; }},
  };
  const ClusterMessage m = message(1500);
  Ring& ring = segment_.ring(0, 1);
  for (const auto& [name, damage] : damages) {
    ring.written = ring.read = ring.begin = 0;
    ASSERT_TRUE(post(segment_, 0, 1, 0, m));
    damage(ring);
    ClusterMessage got;
    EXPECT_EQ(perfboard::cluster::take(ring, 0, got), Taken::kDamaged) << name;
  }
  EXPECT_EQ(other_says(), "node 0 has sent a damaged message");
}

TEST_F(TwoNodes, APromiseThatIsBroken) {
  cluster_promise(one_, 900, 2000, 2000, 0);
  cluster_promise(other_, 900, 5000, 5000, 0);
  cluster_limit(other_);
  ASSERT_TRUE(post(segment_, 0, 1, 0, message(1999)));
  EXPECT_EQ(other_says(), "node 0 has sent a message for 0.000001999 s, later than it had promised");
}

TEST_F(TwoNodes, AMessageForATimeThatIsTooFarAhead) {
  cluster_promise(other_, 900, 5000, 5000, 7000);
  cluster_promise(other_, 950, 5000, 5000, 6000);
  cluster_limit(other_);
  ASSERT_TRUE(post(segment_, 0, 1, 0, message(7000 + kSoonNs)));
  EXPECT_EQ(other_says(), "");
  ASSERT_TRUE(post(segment_, 0, 1, 1, message(7001 + kSoonNs)));
  EXPECT_EQ(other_says(), "node 0 has sent a message for 1.000007001 s, too far ahead");
}

// No later than a time that QEMU can have, whatever was promised.
TEST_F(TwoNodes, AMessageForATimeThatNeverComes) {
  cluster_promise(other_, 900, PB_NEVER, PB_NEVER, PB_NEVER);
  cluster_limit(other_);
  ASSERT_TRUE(post(segment_, 0, 1, 0, message(PB_NEVER / 2 + 1)));
  EXPECT_EQ(other_says(), "node 0 has sent a message for 9223372036.854776382 s, too far ahead");
}

TEST_F(TwoNodes, MoreThanMayBeUnderWay) {
  cluster_promise(other_, 900, 5000, 5000, 0);
  uint64_t number = 0;
  const auto send = [&](uint32_t bytes) {
    ClusterMessage m = message(5000);
    m.bytes = bytes;
    EXPECT_TRUE(post(segment_, 0, 1, number++, m));
    cluster_limit(other_);
    return !cluster_wrong(other_);
  };
  for (uint32_t n = 0; n < 3 * kMostKept / ring_room(CLUSTER_MOST_BYTES); n++) {
    ASSERT_TRUE(send(CLUSTER_MOST_BYTES)) << n;
    cluster_take(other_);  // there is room for it again
  }
  for (uint32_t n = 0; n < kMostKept / ring_room(0); n++) ASSERT_TRUE(send(0)) << n << cluster_wrong(other_);
  EXPECT_FALSE(send(0));
  EXPECT_STREQ(cluster_wrong(other_), "node 0 has sent more than may be under way");
}

TEST_F(TwoNodes, AnAnswerThatNobodyWaitsFor) {
  ClusterMessage m = message(1500);
  m.answers = true;
  ASSERT_TRUE(post(segment_, 0, 1, 0, m));
  EXPECT_EQ(other_says(), "node 0 has answered what nobody asked");
}

TEST_F(TwoNodes, MessagesGoRoundTheRing) {
  Ring& ring = segment_.ring(0, 1);
  std::mt19937 random(1);
  std::vector<ClusterMessage> sent;
  uint64_t put_number = 0, take_number = 0;
  for (int i = 0; i < 5000; i++) {
    ClusterMessage m{.at = random(),
                     .kind = static_cast<uint32_t>(random()),
                     .bytes = static_cast<uint32_t>(random() % (CLUSTER_MOST_BYTES + 1))};
    for (uint32_t b = 0; b < m.bytes; b++) m.data[b] = static_cast<uint8_t>(random());
    if (put(ring, put_number, m)) {
      put_number++;
      sent.push_back(m);
      if (random() % 2) continue;
    }
    ClusterMessage got;
    ASSERT_EQ(perfboard::cluster::take(ring, take_number, got), Taken::kOne);
    const ClusterMessage& wanted = sent[take_number++];
    ASSERT_EQ(std::make_tuple(got.at, got.kind, got.bytes),
              std::make_tuple(wanted.at, wanted.kind, wanted.bytes));
    ASSERT_EQ(std::memcmp(got.data, wanted.data, wanted.bytes), 0);
  }
  EXPECT_GT(take_number, 1000u);
}

// What has been taken leaves room for more, and where nothing is left the next one goes to the same place.
TEST_F(TwoNodes, ARingThatIsEmptyBeginsAnew) {
  Ring& ring = segment_.ring(0, 1);
  ClusterMessage got;
  for (uint64_t n = 0; n < 100; n++) {
    const ClusterMessage m = message(1000 + n);
    ASSERT_TRUE(put(ring, n, m));
    ASSERT_EQ(perfboard::cluster::take(ring, n, got), Taken::kOne);
    ASSERT_EQ(got.at, m.at);
  }
  EXPECT_TRUE(std::all_of(ring.bytes + 40, ring.bytes + kRingBytes, [](uint8_t b) { return !b; }));
}

// Whoever writes there may set any bit.
TEST_F(TwoNodes, AnInboxMayHoldAnything) {
  for (std::atomic<uint64_t>& word : segment_.node(1).inbox) word = ~uint64_t{0};
  for (std::atomic<uint64_t>& word : segment_.header().sleepers) word = ~uint64_t{0};
  cluster_promise(one_, 900, 2000, 2000, 0);
  cluster_promise(other_, 900, 5000, 5000, 0);
  EXPECT_EQ(cluster_limit(other_), 2000u);
  EXPECT_FALSE(cluster_wrong(other_));
}

TEST_F(TwoNodes, ARingIsNeverOverfilled) {
  Ring& ring = segment_.ring(0, 1);
  ClusterMessage m{.bytes = CLUSTER_MOST_BYTES, .data = {}};
  uint64_t n = 0;
  while (put(ring, n, m)) n++;
  EXPECT_EQ(n, kRingBytes / (32 + CLUSTER_MOST_BYTES));
  m.bytes = CLUSTER_MOST_BYTES + 1;
  ring.read = ring.written.load();
  EXPECT_FALSE(put(ring, n, m));
}

TEST_F(TwoNodes, HalfARingIsForMessagesThatMayNotBeLost) {
  Ring& ring = segment_.ring(0, 1);
  ClusterMessage m{.bytes = 1000, .data = {}};
  uint64_t n = 0;
  while (has_room(ring, m.bytes)) ASSERT_TRUE(put(ring, n++, m));
  EXPECT_EQ(n, kRingBytes / 2 / (32 + 1000));
  EXPECT_FALSE(has_room(ring, m.bytes));
  EXPECT_TRUE(put(ring, n, m));
  ring.read = ring.written.load();
  EXPECT_TRUE(has_room(ring, m.bytes));
}

// A file system of our own, in a process of our own. False: nobody may mount here.
bool mount_pages(const std::string& where, uint32_t pages) {
  const std::string user = "0 " + std::to_string(geteuid()) + " 1";
  const std::string group = "0 " + std::to_string(getegid()) + " 1";
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << user;
  std::ofstream("/proc/self/gid_map") << group;
  const std::string size = "size=" + std::to_string(pages * kPage);
  return !mount("none", where.c_str(), "tmpfs", 0, size.c_str());
}

// What `say` says there. "": nobody may mount.
std::string in_pages(const std::string& folder, uint32_t pages, const std::function<std::string()>& say) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (!child) {
    if (!mount_pages(folder, pages)) _exit(2);
    const std::string said = say();
    _exit(::write(ends[1], said.data(), said.size()) != static_cast<ssize_t>(said.size()));
  }
  close(ends[1]);
  std::string said(1000, '\0');
  said.resize(static_cast<size_t>(std::max<ssize_t>(0, ::read(ends[0], said.data(), said.size()))));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status == 2 << 8) return "";
  EXPECT_EQ(status, 0) << pages << " pages: " << said;
  return said.empty() ? "nothing" : said;
}

// What two nodes say, while one sends and the other takes nothing. hears: the other one is told of a ring
// that has no memory.
std::string fill(const std::string& folder, bool hears) {
  const std::string path = folder + "/nodes";
  Cluster* nodes[2];
  for (uint32_t n = 0; n < 2; n++) {
    const ClusterConfig config = {
        .path = path.c_str(), .node = n, .nodes = 2, .join = 1000, .patience_ms = 0};
    char why[200] = "";
    nodes[n] = cluster_open(&config, why, sizeof why);
    if (!nodes[n]) return why;
  }
  if (hears) {
    Segment segment;
    std::string wrong;
    if (!map_segment(path.c_str(), 2, 1000, segment, wrong)) return wrong;
    put_into_set(segment.node(1).inbox, 0);
    cluster_limit(nodes[1]);
    return cluster_wrong(nodes[1]) ? cluster_wrong(nodes[1]) : "";
  }
  const ClusterMessage m{.at = 1500, .to = 1, .bytes = CLUSTER_MOST_BYTES, .data = {}};
  uint32_t sent = 0;
  while (cluster_send(nodes[0], &m)) sent++;
  return std::to_string(sent) + " sent, then: " + cluster_wrong(nodes[0]);
}

TEST_F(ClusterFile, AFileSystemThatIsFull) {
  std::filesystem::create_directory(path_);
  const std::string none = ": No space left on device";
  const uint32_t shared = rings_at(2) / kPage, whole = shared + sizeof(Ring) / kPage;
  const uint64_t each = CLUSTER_MOST_BYTES + 32;  // a message, with what stands in front of it
  for (const uint32_t pages : {1u, shared - 1, shared, shared + 1, shared + 2, whole - 1, whole}) {
    const std::string said = in_pages(path_, pages, [&] { return fill(path_, false); });
    if (said.empty()) GTEST_SKIP() << "no mount of our own here";
    const uint64_t room = pages < shared ? 0 : (pages - shared) * kPage;
    const std::string sent = std::to_string(
        room < kPage ? 0 : std::min<uint64_t>(kRingBytes, room - offsetof(Ring, bytes)) / each);
    EXPECT_EQ(said, pages < shared ? "cluster=" + path_ + "/nodes: cannot be made" + none
                    : pages < whole
                        ? sent + " sent, then: node 1 cannot be sent to, " + path_ + "/nodes" + none
                        : sent + " sent, then: node 1 takes no messages");
  }
}

TEST_F(ClusterFile, ARingThatHasNoMemory) {
  std::filesystem::create_directory(path_);
  const std::string said = in_pages(path_, rings_at(2) / kPage, [&] { return fill(path_, true); });
  if (said.empty()) GTEST_SKIP() << "no mount of our own here";
  EXPECT_EQ(said, "node 0 is not heard any more, " + path_ + "/nodes: No space left on device");
}

// In a thread that blocks SIGBUS, as QEMU's do.
std::string blocked_last_words(Cluster* c, const std::function<void()>& step) {
  std::thread([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    for (int i = 0; i < 1000 && !cluster_wrong(c); i++) step();
  }).join();
  return cluster_wrong(c) ? cluster_wrong(c) : "nothing";
}

TEST_F(TwoNodes, AFileThatIsCutShort) {
  ClusterMessage m = message(1500);
  m.bytes = CLUSTER_MOST_BYTES;
  const std::string what = " is not heard any more, memory of " + path_ + " is gone: it was cut short, or " +
                           "its file system is full";
  ASSERT_TRUE(cluster_send(one_, &m));
  ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(rings_at(2))), 0);
  EXPECT_EQ(blocked_last_words(other_,
                               [&] {
                                 cluster_promise(other_, 900, 5000, 5000, 0);
                                 cluster_limit(other_);
                                 cluster_wait(other_, 0);
                               }),
            "node 0" + what);
  EXPECT_EQ(blocked_last_words(one_, [&] { cluster_send(one_, &m); }), "node 1" + what) << "of its own ring";
  std::string wrong;
  Segment again;
  EXPECT_FALSE(map_segment(path_.c_str(), 2, 1000, again, wrong));
  EXPECT_EQ(wrong, "is no cluster of 2 nodes");
}

TEST_F(ClusterFile, AnEmptyFileOfFreeNodes) {
  ClusterConfig mine = config(0, 2);
  mine.join = CLUSTER_FREE;
  Cluster* const c = open_node(mine);
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  EXPECT_EQ(blocked_last_words(c,
                               [&] {
                                 cluster_listen(c, 0);
                                 cluster_take_in(c);
                               }),
            "node 1 is not heard any more, memory of " + path_ +
                " is gone: it was cut short, or its file system is full");
  cluster_close(c);
}

// What is not of a segment goes to whoever had that signal before.
TEST_F(TwoNodes, OtherBusErrorsAreNotOurs) {
  EXPECT_DEATH(
      {
        const int fd = ::open(path_.c_str(), O_RDWR);
        auto* const at = static_cast<volatile char*>(mmap(nullptr, kPage, PROT_READ, MAP_SHARED, fd, 0));
        EXPECT_EQ(ftruncate(fd, 0), 0);
        std::printf("%d", at[5]);
      },
      "");
  EXPECT_DEATH(raise(SIGBUS), "");
}

// A node that listens sleeps until something comes of a node that there is; and its time is not the others'.
TEST_F(ClusterFile, FreeNodesTakeNothingForGranted) {
  ClusterConfig mine = config(0, 2);
  mine.join = CLUSTER_FREE;
  Cluster* const c = open_node(mine);
  std::string wrong;
  Segment segment;
  ASSERT_TRUE(map_segment(path_.c_str(), 2, CLUSTER_FREE, segment, wrong)) << wrong;
  for (std::atomic<uint64_t>& word : segment.node(0).inbox) word = ~uint64_t{0};
  EXPECT_TRUE(cluster_listen(c, 0));
  cluster_take_in(c);
  EXPECT_FALSE(cluster_listen(c, 0));
  segment.header().began = PB_NEVER / 2;
  EXPECT_LT(cluster_age(c), PB_NEVER / 4);
  unmap_segment(segment);
  cluster_close(c);
}

TEST_F(ClusterFile, ANodeThatDiesIsNamed) {
  Cluster* const one = open(0, 2);
  in_child([&] { open(1, 2); });
  EXPECT_EQ(last_words(one), "node 1 has died");
}

TEST_F(ClusterFile, ANodeThatDoesNotComeOrStandsStillIsNamed) {
  ClusterConfig mine = config(0, 2);
  mine.patience_ms = 300;
  for (const bool comes : {false, true}) {
    std::filesystem::remove(path_);
    Cluster* const one = open_node(mine);
    if (comes) open(1, 2);
    EXPECT_EQ(last_words(one),
              comes ? "node 1 stands still at 0.000000000 s since 0 s" : "node 1 has not come");
    cluster_close(one);
  }
}

// What it has not taken is lost. It is not under way for ever: the others go on to what is far away.
TEST_F(ClusterFile, WhatAnotherNodeLeavesBehindIsNotUnderWay) {
  Cluster *const one = open(0, 3), *const other = open(1, 3), *const leaver = open(2, 3);
  ClusterMessage m = {.at = 2000, .to = 2};
  ASSERT_TRUE(cluster_send(one, &m));
  for (Cluster* c : {one, other, leaver}) cluster_promise(c, 1000, 5000, 5000, 900'000);
  EXPECT_EQ(cluster_limit(one), 5000u) << "a message is under way, and what it makes node 2 do is not known";
  cluster_leave(leaver);
  EXPECT_EQ(cluster_limit(one), 900'000u);
  EXPECT_EQ(cluster_limit(other), 900'000u);
}

TEST_F(TwoNodes, WhoeverLeavesHoldsNobody) {
  cluster_leave(one_);
  cluster_promise(other_, 900, 5000, 5000, 0);
  EXPECT_EQ(cluster_limit(other_), 5000 + kAnswer) << "only its own questions";
  ClusterMessage m{.at = 5000, .to = 0};
  EXPECT_TRUE(cluster_send(other_, &m)) << "it is lost";
}

// --- snapshots ------------------------------------------------------------------------------------

constexpr uint64_t kNow = 100;

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
      node[n] = open_node({.path = path.c_str(), .node = n, .nodes = 2, .join = 0, .patience_ms = 0}, 500);
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
