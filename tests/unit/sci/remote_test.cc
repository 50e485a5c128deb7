// SPDX-License-Identifier: GPL-2.0-or-later
//
// Nodes that are machines of their own: several adapters, each with a clock, a memory and a processor, in
// step. What they do is compared with the adapters of one machine.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <tuple>

#include "hw/cluster/cluster.h"
#include "hw/sci/timing.h"
#include "hw/sci/view.h"
#include "tests/unit/cluster/machine.h"
#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

constexpr uint64_t kBegin = 1'000'000'007;  // SciBench's
constexpr uint32_t kPages = 16;

// One instruction. An addition is a locked one.
struct Op {
  uint64_t gap;  // from the end of the one before, or to the first one's begin
  enum Kind { kLoad, kStore, kAdd, kCombined, kFaults } kind;
  uint32_t offset, bytes;
  uint64_t value;
};
using Program = std::deque<Op>;

// A processor with one access under way at most.
struct Processor {
  explicit Processor(SciBench& bench, uint32_t number) : b(bench), node(number) {}
  void start(Program p) {
    program = std::move(p);
    at = b.now + (program.empty() ? 0 : program.front().gap);
  }
  bool done() const { return program.empty(); }
  bool is_waiting() const { return waits; }
  uint64_t next() const { return done() ? PB_NEVER : waits ? b.until : at; }

  // At its time. In the adapters of one machine memory is the test's to access.
  void run(uint8_t* memory = nullptr) {
    const Op op = program.front();
    if (!second && !access(op, op.kind == Op::kStore || op.kind == Op::kCombined, memory)) return;
    if (op.kind == Op::kAdd) {
      second = true;
      value += op.value;
      if (!access(op, true, memory)) return;
    }
    if (op.kind == Op::kLoad) seen.push_back(value);
    second = false;
    program.pop_front();
    if (!program.empty()) at = b.now + program.front().gap;
  }

  SciBench& b;
  const uint32_t node;
  Program program;
  std::vector<uint64_t> seen;  // by loads

 private:
  bool access(const Op& op, bool store, uint8_t* memory) {
    uint8_t bytes[8];
    if (store) std::memcpy(bytes, op.kind == Op::kAdd ? &value : &op.value, 8);
    SciAccess a = {.ns = b.now,
                   .offset = op.offset,
                   .bytes = op.bytes,
                   .vcpu = node,
                   .store = store,
                   .locked = op.kind == Op::kAdd || op.kind == Op::kFaults,
                   .write_combining = op.kind == Op::kCombined,
                   .can_wait = true,
                   .data = bytes,
                   .loaded = bytes};
    waits = sci_access(b.adapter(), &a, &b.until) == SCI_WAIT;
    if (waits) return false;
    if (memory && store) std::memcpy(memory + op.offset, bytes, op.bytes);
    if (memory && !store) std::memcpy(bytes, memory + op.offset, op.bytes);
    if (!store) {
      value = 0;
      std::memcpy(&value, bytes, op.bytes);
    }
    return true;
  }

  uint64_t at = 0, value = 0;
  bool waits = false, second = false;
};

class SciRemote : public cluster::NodesInTurn<SciBench> {
 protected:
  SciRemote() : NodesInTurn("sci-remote") {}
  void unmake() {
    processors_.clear();
    NodesInTurn::unmake();
  }
  void make(uint32_t nodes, uint32_t cable = 0, uint64_t begin = kBegin) {
    unmake();
    for (uint32_t n = 0; n < nodes; n++) {
      Cluster* const c = join(nodes, begin);
      ASSERT_TRUE(c);
      nodes_.push_back(std::make_unique<SciBench>(
          SciBench::Setup{.nodes = nodes, .cluster = c, .node = n, .cable = cable}));
      cluster_answers_after(c, sci_answers_after(&node(n).adapter()->config));
      processors_.push_back(std::make_unique<Processor>(node(n), n));
      for (uint32_t p = 0; p < kPages; p++) node(n).home(p, p % nodes);
    }
  }
  SciBench& node(size_t n) { return *nodes_[n]; }
  Processor& processor(size_t n) { return *processors_[n]; }
  uint64_t word(uint32_t offset) {
    uint64_t w;
    std::memcpy(&w, node(offset / SCI_PAGE_BYTES % nodes_.size()).memory.data() + offset, 8);
    return w;
  }

  bool step(size_t n, uint64_t end) override {
    SciBench& b = node(n);
    Processor& p = processor(n);
    const uint64_t own = std::max(b.now, std::min({p.next(), b.armed, end}));
    const ClusterMessage* const first =
        say(n, b.now, own, [&b](uint64_t from, uint64_t* promise, uint64_t* answers) {
          sci_promise(b.adapter(), b.now, from, promise, answers);
        });
    const uint64_t limit = limits_[n];
    if (b.now >= end) return false;
    if (first && first->at <= b.now && first->at < limit) {
      EXPECT_TRUE(sci_take(b.adapter(), first));
      cluster_take(clusters_[n]);
      return true;
    }
    if (b.armed <= b.now) {
      b.pass_until(b.now);
      return true;
    }
    if (p.next() <= b.now && b.now < limit) {
      p.run();
      return true;
    }
    const uint64_t to = std::min({limit, own, first ? std::max(first->at, b.now) : PB_NEVER});
    if (to <= b.now) return false;
    // An instruction is over at a time of its own; who waits is there just in time.
    b.now = p.is_waiting() ? to : kBegin + (to - kBegin + grain_ - 1) / grain_ * grain_;
    return true;
  }
  void run(uint64_t end) {
    take_turns(end);
    for (const auto& b : nodes_) ASSERT_GE(b->now, end) << "they wait for each other";
    for (const auto& p : processors_) EXPECT_TRUE(p->done());
  }

  std::vector<std::unique_ptr<Processor>> processors_;
  uint64_t grain_ = 16;
};

// The same programs on the processors of one machine, whichever is next.
std::vector<Processor> in_one_machine(SciBench& b, std::vector<Program> programs) {
  std::vector<Processor> all;
  for (uint32_t n = 0; n < programs.size(); n++) {
    all.emplace_back(b, n);
    all.back().start(std::move(programs[n]));
  }
  std::vector<uint64_t> until(all.size(), PB_NEVER);  // the bench has one for all
  for (;;) {
    size_t who = all.size();
    uint64_t at = PB_NEVER;
    for (size_t n = 0; n < all.size(); n++) {
      b.until = until[n];
      if (all[n].next() < at) at = all[n].next(), who = n;
    }
    if (who == all.size()) return all;
    b.pass_until(at);
    all[who].run(b.memory.data());
    until[who] = b.until;
  }
}

Program some_program(uint32_t node, uint32_t nodes, uint64_t gap, size_t length) {
  std::mt19937 random(node + 1);
  Program program;
  for (size_t i = 0; i < length; i++) {
    const uint32_t bytes = 1u << random() % 4, page = random() % kPages;
    // Words of its own, so that what a load sees does not depend on the others.
    const uint32_t offset =
        page * SCI_PAGE_BYTES + (random() % 64 * nodes + node) * 8 + random() % 8 / bytes * bytes;
    program.push_back({gap + random() % 100,
                       random() % 3   ? Op::kStore
                       : random() % 4 ? Op::kLoad
                                      : Op::kAdd,
                       offset, bytes, random()});
  }
  return program;
}

using Place = std::tuple<unsigned, unsigned, unsigned, unsigned,
                         unsigned>;  // B-Link, command, source, destination, page
std::map<Place, unsigned> by_place(const std::vector<SciPacket>& packets) {
  std::map<Place, unsigned> all;
  for (const SciPacket& p : packets)
    all[{p.node, unsigned(p.bd1 >> 16 & 0x7f), unsigned(p.bd1 & 0xffff), unsigned(p.bd1 >> 32 & 0xffff),
         unsigned(p.bd2 >> 12 & 0xffff)}]++;
  return all;
}

TEST_F(SciRemote, TransactionsAreThoseOfOneMachine) {
  for (const auto& [nodes, gap, cable] :
       {std::tuple{2u, 5000u, 0u}, {4u, 0u, 0u}, {4u, 300u, 3000u}, {5u, 0u, 0u}}) {
    SciBench one({.nodes = nodes, .latency = true});
    std::vector<Program> programs;
    for (uint32_t n = 0; n < nodes; n++) programs.push_back(some_program(n, nodes, gap, 400));
    for (uint32_t p = 0; p < kPages; p++) one.home(p, p % nodes);
    const std::vector<Processor> wanted = in_one_machine(one, programs);
    make(nodes, cable);
    for (uint32_t n = 0; n < nodes; n++) processor(n).start(programs[n]);
    run(kBegin + 20'000'000);
    std::map<Place, unsigned> all;
    for (uint32_t n = 0; n < nodes; n++) {
      all.merge(by_place(node(n).packets));  // a B-Link is one machine's
      EXPECT_EQ(processor(n).seen, wanted[n].seen) << n;
      for (const Count c : {kReads, kWrites, kLocks, kUnlocks, kReceived, kPackets})
        EXPECT_EQ(node(n).count(n, c), one.count(n, c)) << n << ' ' << c;
      EXPECT_EQ(node(n).count(n, kOutstanding), 0u);
    }
    EXPECT_EQ(all, by_place(one.seen()));
    EXPECT_GT(all.size(), 100u);
    for (uint32_t at = 0; at < kPages * SCI_PAGE_BYTES; at += 8) {
      uint64_t is;
      std::memcpy(&is, one.memory.data() + at, 8);
      EXPECT_EQ(word(at), is) << at;
    }
  }
}

// While nothing of one node is in another one's way, times are those of one machine, too; a cable adds to
// them.
TEST_F(SciRemote, TimesAreThoseOfOneMachine) {
  grain_ = 1;
  for (const uint32_t cable : {0u, 2000u}) {
    SciBench one({.nodes = 3, .latency = true});
    std::vector<Program> programs(3);
    for (uint32_t n = 0; n < 3; n++) {
      programs[n] = some_program(n, 3, 300'000, 60);
      programs[n].front().gap = 100'000 * n;
    }
    for (uint32_t p = 0; p < kPages; p++) one.home(p, p % 3);
    in_one_machine(one, programs);
    make(3, cable);
    for (uint32_t n = 0; n < 3; n++) processor(n).start(programs[n]);
    run(kBegin + 30'000'000);
    for (uint32_t n = 0; n < 3; n++) {
      size_t i = 0;
      for (const SciPacket& p : one.seen()) {
        if (p.node != n) continue;
        const SciPacket& is = node(n).packets.at(i++);
        EXPECT_EQ(is.bd2, p.bd2);
        EXPECT_EQ(is.bd1 & ~(uint64_t{63} << SCI_BD1_TRANS_SHIFT),
                  p.bd1 & ~(uint64_t{63} << SCI_BD1_TRANS_SHIFT));
        if (!cable) {
          EXPECT_EQ(is.ns, p.ns) << i;
        }
      }
      EXPECT_EQ(i, node(n).packets.size());
      const uint64_t ways = 2 * uint64_t{cable} * (one.count(n, kReads) + one.count(n, kLocks));
      EXPECT_EQ(node(n).count(n, kWait), one.count(n, kWait) + ways);
    }
  }
}

TEST_F(SciRemote, LockedAdditionsOfAllNodesAddUp) {
  make(4);
  for (uint32_t n = 0; n < 4; n++) {
    Program program;
    for (int i = 0; i < 200; i++) {
      program.push_back({i * n % 70u, Op::kAdd, 0x1008, 8, 1});
      program.push_back({0, Op::kAdd, 0x2010 + 8 * (i & 1u), 8, n + 1});
    }
    processor(n).start(program);
  }
  run(kBegin + 30'000'000);
  EXPECT_EQ(word(0x1008), 800u);
  EXPECT_EQ(word(0x2010) + word(0x2018), 200u * (1 + 2 + 3 + 4));
  for (uint32_t n = 0; n < 4; n++) {
    EXPECT_EQ(node(n).state().cluster.locked_by, 0);
    EXPECT_EQ(node(n).state().cluster.release_ns, 0u);
  }
}

// A store meanwhile is the later one: the unlock leaves it alone.
TEST_F(SciRemote, AStoreToWhatIsLockedIsNotLost) {
  make(2);
  Program adds, stores;
  std::vector<uint64_t> wanted;
  for (int i = 0; i < 300; i++) adds.push_back({0, Op::kAdd, 0x1000, 8, 1});
  for (uint64_t i = 1; i <= 200; i++) {
    stores.push_back({1000 + 7 * i, Op::kStore, 0x1004, 4, i});
    stores.push_back({4000, Op::kLoad, 0x1004, 4, 0});
    wanted.push_back(i);
  }
  processor(0).start(adds);
  processor(1).start(stores);
  run(kBegin + 10'000'000);
  EXPECT_EQ(processor(1).seen, wanted);
  EXPECT_EQ(word(0x1000), uint64_t{200} << 32 | 300);
}

TEST_F(SciRemote, ALoadDoesNotOvertakeAStore) {
  make(2);
  sci_inject(node(0).adapter(), injection("inject-late"), 1);
  processor(0).start({{0, Op::kStore, 0x1000, 4, 7}, {0, Op::kLoad, 0x1000, 4, 0}});
  run(kBegin + 1'000'000);
  EXPECT_EQ(processor(0).seen, (std::vector<uint64_t>{7}));
  EXPECT_GT(node(0).count(0, kWait), kLateBy);
}

// Its program ends between the halves of a locked instruction: the home is locked for TIMEOUT.
TEST_F(SciRemote, ALockWhoseStoreNeverComesIsGivenUp) {
  make(3);
  processor(0).start({{0, Op::kFaults, 0x1000, 4, 0}});
  processor(1).start({{10'000, Op::kAdd, 0x1000, 4, 1}});  // its own memory
  processor(2).start({{10'000, Op::kAdd, 0x1008, 4, 1}});
  run(kBegin + 1'000'000);
  EXPECT_EQ(word(0x1000), 1u);
  EXPECT_EQ(word(0x1008), 1u);
  EXPECT_EQ(node(0).count(0, kUnlocks), 1u);
  for (uint32_t n = 1; n < 3; n++) {
    EXPECT_GT(node(n).count(n, kWait), kTimeout - 10'000) << n;
    EXPECT_LT(node(n).count(n, kWait), kTimeout) << n;
  }
}

TEST_F(SciRemote, AtMost64StoresAreOutstanding) {
  make(2);
  Program program;
  for (uint32_t i = 0; i < 200; i++) program.push_back({16, Op::kStore, 0x1000 + 4 * i, 4, i});
  processor(0).start(program);
  run(kBegin + 1'000'000);
  EXPECT_GT(node(0).count(0, kWait), 0u);
  for (uint32_t i = 0; i < 200; i++) EXPECT_EQ(static_cast<uint32_t>(word(0x1000 + 4 * i)), i) << i;
}

TEST_F(SciRemote, CombinedStoresTravelTogether) {
  make(2);
  Program program;
  for (uint32_t i = 0; i < 16; i++) program.push_back({16, Op::kCombined, 0x1040 + 4 * i, 4, i + 1});
  program.push_back({16, Op::kCombined, 0x1088, 1, 0xaa});
  program.push_back({16, Op::kLoad, 0x1040, 8, 0});
  processor(0).start(program);
  run(kBegin + 1'000'000);
  EXPECT_EQ(node(0).count(0, kWrites), 2u);
  EXPECT_EQ(processor(0).seen, (std::vector<uint64_t>{uint64_t{2} << 32 | 1}));
  for (uint32_t i = 0; i < 8; i++) EXPECT_EQ(word(0x1040 + 8 * i), uint64_t{2 * i + 2} << 32 | (2 * i + 1));
  EXPECT_EQ(word(0x1088), 0xaau);
}

// A node that sends to no-one's memory but the one that its own table names.
TEST_F(SciRemote, TheTableOfWhoAccessesSaysWhereMemoryIs) {
  make(3);
  node(0).home(4, 2);  // the others say 1
  processor(0).start({{100, Op::kStore, 0x4000, 4, 7}, {100, Op::kLoad, 0x4000, 4, 0}});
  processor(1).start({{50'000, Op::kLoad, 0x4000, 4, 0}});
  run(kBegin + 100'000);
  EXPECT_EQ(processor(0).seen, (std::vector<uint64_t>{7}));
  EXPECT_EQ(processor(1).seen, (std::vector<uint64_t>{0}));
}

TEST_F(SciRemote, WhatIsLostOnPurposeIsNotThere) {
  make(2);
  sci_inject(node(0).adapter(), injection("inject-drop"), 2);
  processor(0).start(
      {{0, Op::kStore, 0x1000, 4, 7}, {0, Op::kLoad, 0x1000, 4, 0}, {0, Op::kLoad, 0x1000, 4, 0}});
  run(kBegin + 1'000'000);
  EXPECT_EQ(processor(0).seen, (std::vector<uint64_t>{UINT32_MAX, 0}));
  EXPECT_GT(node(0).count(0, kWait), kTimeout);
}

// The home stays locked until the unlock has been made up for.
TEST_F(SciRemote, AnUnlockThatIsLostLocksTheHomeForAWhile) {
  make(3);
  node(0).on_effect = [&](unsigned number, uint64_t value) {
    if (number == effect("request") && value >> 16 == SCI_LOCK)
      sci_inject(node(0).adapter(), injection("inject-drop"), 1);
  };
  processor(0).start({{0, Op::kAdd, 0x1000, 4, 1}});
  processor(2).start({{10'000, Op::kAdd, 0x1000, 4, 1}});
  run(kBegin + 1'000'000);
  EXPECT_EQ(word(0x1000), 1u) << "the sum of what arrived";
  EXPECT_GT(node(2).count(2, kWait), kTimeout / 2);
}

TEST_F(SciRemote, BeforeTheNodesAreInStepNobodyAnswers) {
  make(2, 0, kBegin + 50'000);
  processor(0).start({{0, Op::kLoad, 0x1000, 4, 0}, {50'000, Op::kLoad, 0x1000, 4, 0}});
  run(kBegin + 500'000);
  EXPECT_EQ(processor(0).seen, (std::vector<uint64_t>{UINT32_MAX, 0}));
}

TEST_F(SciRemote, AHomeThatLeavesAnswersNoMore) {
  make(2);
  cluster_leave(clusters_[1]);
  processor(0).start({{0, Op::kLoad, 0x1000, 4, 0}});
  for (int i = 0; i < 100 && !processor(0).done(); i++) step(0, PB_NEVER);
  EXPECT_EQ(processor(0).seen, (std::vector<uint64_t>{UINT32_MAX}));
}

// A reset loses the home's locks, not who waits for them.
TEST_F(SciRemote, AResetLetsEverybodyGo) {
  make(3);
  processor(0).start({{0, Op::kFaults, 0x1000, 4, 0}});
  processor(2).start({{10'000, Op::kAdd, 0x1000, 4, 1}});
  for (int i = 0; i < 10'000 && !node(1).state().cluster.waiting[0].node; i++)
    step(i % 3, kBegin + 1'000'000);
  ASSERT_TRUE(node(1).state().cluster.waiting[0].node);
  sci_reset(node(1).adapter());
  run(kBegin + 1'000'000);
  EXPECT_EQ(word(0x1000), 1u);
  EXPECT_LT(node(2).count(2, kWait), kTimeout / 2);
}

TEST_F(SciRemote, WhatIsNoPacketIsRefused) {
  make(2);
  const SciState before = node(1).state();
  ClusterMessage m{.at = kBegin + 10'000,
                   .to = 1,
                   .from = 0,
                   .kind = SCI_CLUSTER_KIND,
                   .bytes = 0,
                   .asks = false,
                   .answers = false,
                   .data = {}};
  for (m.bytes = 0; m.bytes < 200; m.bytes++)
    for (const bool asks : {false, true}) {
      m.asks = asks;
      std::memset(m.data, 0xff, sizeof m.data);
      EXPECT_FALSE(sci_take(node(1).adapter(), &m)) << m.bytes;
    }
  EXPECT_TRUE(before == node(1).state());
}

TEST(SciRemoteConfig, ANodeAndItsCableHaveLimits) {
  SciConfig c = {.nodes = 4, .size = SCI_DEFAULT_SIZE, .latency = true, .ringlet = 8, .wc_buffers = 4};
  char why[200];
  c.cluster = reinterpret_cast<Cluster*>(&c);
  c.node = 4;
  EXPECT_FALSE(sci_config_ok(&c, why, sizeof why));
  EXPECT_STREQ(why, "node=4: legal are 0 to 3");
  c.node = 3;
  c.cable_ns = SCI_CABLE_MOST + 1;
  EXPECT_FALSE(sci_config_ok(&c, why, sizeof why));
  EXPECT_STREQ(why, "cable=10000001: legal are 0 to 10000000 ns");
  c.cable_ns = SCI_CABLE_MOST;
  EXPECT_TRUE(sci_config_ok(&c, why, sizeof why));
}

}  // namespace
}  // namespace perfboard::sci
