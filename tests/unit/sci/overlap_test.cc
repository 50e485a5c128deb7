// SPDX-License-Identifier: GPL-2.0-or-later
//
// latency=on: transactions of several nodes overlap, and each packet passes at its time, as Sec. I's split
// transactions do.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "hw/sci/timing.h"
#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

constexpr uint32_t kThird = 0x5000;
constexpr uint64_t kWhole = 2 * kBlink + kHome;  // a request of two words, and its response

unsigned trans_of(const SciPacket& p) { return p.bd1 >> SCI_BD1_TRANS_SHIFT & 63; }
unsigned what_of(const SciPacket& p) { return p.bd1 >> SCI_BD1_COMMAND_SHIFT & SCI_COMMAND_WHAT; }
bool is_response(const SciPacket& p) { return p.bd1 >> SCI_BD1_COMMAND_SHIFT & SCI_COMMAND_RESPONSE; }

// The table of Fig. 4, as a monitor on one B-Link keeps it.
struct Table {
  std::array<std::optional<SciPacket>, 64> row;
  unsigned awaited = 0, most = 0, clashes = 0, orphans = 0, soon = 0, between = 0, last = 64;

  void take(const SciPacket& p) {
    std::optional<SciPacket>& r = row[trans_of(p)];
    if (is_response(p)) {
      if (!r) return void(++orphans);
      soon += p.ns < r->ns + kWhole;
      between += last != trans_of(p);
      r.reset();
      --awaited;
    } else {
      clashes += r.has_value();
      if (what_of(p) == SCI_READ || what_of(p) == SCI_LOCK) {
        r = p;
        most = std::max(most, ++awaited);
      }
      last = trans_of(p);
    }
  }
};

class SciOverlap : public testing::Test {
 protected:
  explicit SciOverlap(uint32_t nodes = 4) : b({.nodes = nodes, .latency = true}) {
    for (uint32_t page = 0; page < 16; ++page) b.home(page, page % nodes);
  }
  SciAccess load(uint32_t vcpu, uint64_t offset) {
    return {.offset = offset, .bytes = 4, .vcpu = vcpu, .can_wait = true};
  }
  SciAccess store(uint32_t vcpu, uint64_t offset) {
    return {.offset = offset, .bytes = 4, .vcpu = vcpu, .store = true, .can_wait = true};
  }
  // Each of the nodes makes its next access as soon as the last one is done; next(node, i): its i-th.
  template <typename Next>
  void run(const std::vector<uint32_t>& nodes, unsigned each, Next&& next) {
    std::map<std::pair<uint64_t, uint32_t>, unsigned> when;  // of (time, node): which one
    for (uint32_t n : nodes) when[{b.now + 31 * n, n}] = 0;
    while (!when.empty()) {
      const auto [key, i] = *when.begin();
      const auto [ns, node] = key;
      when.erase(when.begin());
      b.pass_until(ns);
      if (b.access(next(node, i)) == SCI_WAIT)
        when[{b.until, node}] = i;
      else if (i + 1 < each)
        when[{b.now + 40 + 7 * node, node}] = i + 1;
    }
    b.pass_until(b.now + 2'000'000);
  }
  void expect_order() {
    std::array<uint64_t, 32> last{};
    uint64_t any = 0;
    for (const SciPacket& p : b.packets) {
      EXPECT_GE(p.ns, any) << "of all B-Links the earliest first";
      EXPECT_GE(p.ns, last[p.node] + (last[p.node] ? 3 * kBlink : 0)) << "B-Link " << int(p.node);
      EXPECT_EQ(p.known, p.ns) << "told when its time has come";
      any = last[p.node] = p.ns;
    }
  }
  Table table(unsigned node) {
    Table t;
    for (const SciPacket& p : b.packets)
      if (p.node == node) t.take(p);
    return t;
  }
  SciBench b;
};

TEST_F(SciOverlap, ThreeNodesReadOne) {
  run({1, 2, 3}, 400, [&](uint32_t node, unsigned i) { return load(node, 4 * (i % 1024)); });
  EXPECT_EQ(b.packets.size(), 4u * 1200);
  expect_order();
  const Table t = table(0);
  EXPECT_EQ(t.soon, 0u) << "responses sooner than HOME behind their requests";
  EXPECT_GT(t.between, 400u) << "other nodes' packets stand between";
  EXPECT_EQ(t.most, 3u) << "rows that hold an awaited transaction";
  EXPECT_EQ(t.clashes + t.orphans, 0u);
}

class SciManyNodes : public SciOverlap {
 protected:
  SciManyNodes() : SciOverlap(32) {}
};

TEST_F(SciManyNodes, AnyAccessesOfThirtyTwo) {
  std::vector<uint32_t> all;
  for (uint32_t n = 0; n < 32; ++n) all.push_back(n);
  run(all, 100, [&](uint32_t node, unsigned i) {
    const uint64_t offset = i % 3 ? 4 * i : 0x1000 * ((node + i) % 16);
    return i % 2 ? load(node, offset) : store(node, offset);
  });
  EXPECT_GT(b.packets.size(), 6000u);
  expect_order();
  unsigned most = 0;
  for (unsigned node = 0; node < 32; ++node) {
    const Table t = table(node);
    EXPECT_EQ(t.soon + t.clashes + t.orphans, 0u) << node;
    most = std::max(most, t.most);
  }
  EXPECT_GT(most, 8u);
}

TEST_F(SciOverlap, ATransIdThatIsAwaitedIsNotTaken) {
  b.access(load(1, 0));
  b.access(load(2, 4));
  b.access(store(3, 8));
  b.access(load(0, kAway));  // node 3: no B-Link in common with the first two but node 0's
  std::map<unsigned, unsigned> of;
  for (const SciPacket& p : b.seen())
    if (!is_response(p)) of[p.bd1 & 31] = trans_of(p);
  EXPECT_EQ(of[1], 0u);
  EXPECT_EQ(of[2], 1u);
  EXPECT_EQ(of[3], 2u);
  EXPECT_EQ(of[0], 3u);
  b.pass_until(b.now + 100'000);
  b.packets.clear();
  b.access(load(2, 8));
  EXPECT_EQ(trans_of(b.seen()[0]), 2u) << "round and round";
}

TEST_F(SciOverlap, NothingIsSeenBeforeItsTime) {
  b.now = 1'000'000'000;
  b.access(store(0, kAway));  // 700; three words, LINK, three links, LINK: 1260
  EXPECT_EQ(b.armed, b.now + 700);
  sci_tell_due(b.adapter());
  EXPECT_TRUE(b.packets.empty());
  b.pass_until(b.now + 699);
  EXPECT_TRUE(b.packets.empty());
  b.pass_until(b.now + 1);
  EXPECT_EQ(b.packets.size(), 1u);
  b.now += 10'000;
  sci_tell_due(b.adapter());
  EXPECT_EQ(b.packets.size(), 2u) << "the timer is late";
  EXPECT_EQ(b.armed, PB_NEVER);
}

TEST_F(SciOverlap, AnAccessTellsWhatIsDue) {
  b.access(store(0, kAway));
  b.now += 5'000;
  b.access(store(0, kAway));
  EXPECT_EQ(b.packets.size(), 2u);
}

TEST_F(SciOverlap, ANodesRequestsLeaveInTheirOrder) {
  b.access(store(0, kAway));
  b.seen().clear();
  for (int i = 0; i < 3; ++i) {
    for (uint64_t at = 0; at < 64; at += 8) {
      SciAccess a = store(0, kAway + at);
      a.bytes = 8;
      a.write_combining = true;
      b.access(a);
    }
    b.access(load(0, kThird + 4 * i));
    b.access(store(0, kAway + 8 * i));
  }
  std::vector<unsigned> out;
  for (const SciPacket& p : b.seen())
    if (p.node == 0 && !is_response(p)) out.push_back(trans_of(p));
  EXPECT_EQ(out, (std::vector<unsigned>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(SciOverlap, AResetLosesWhatLiesAheadAndNothingElse) {
  b.now = 1'000'000'000;
  b.access(store(0, kAway));
  b.now += 1'000;
  sci_reset(b.adapter());
  EXPECT_EQ(b.packets.size(), 1u);
  EXPECT_EQ(b.armed, PB_NEVER);
  b.pass_until(b.now + 10'000);
  EXPECT_EQ(b.packets.size(), 1u);
}

TEST_F(SciOverlap, ASnapshotHasThem) {
  for (uint32_t n = 0; n < 4; ++n) {
    b.access(store(n, 0x1000 * ((n + 1) % 4)));
    b.access(load(n, 0x1000 * ((n + 2) % 4)));
  }
  b.pass_until(b.now + 1'500);
  EXPECT_FALSE(b.packets.empty());
  SciBench other({.latency = true, .enable = false});
  other.now = b.now;
  char why[PB_WHY_BYTES] = "";
  ASSERT_TRUE(sci_load(other.adapter(), &b.state(), why, sizeof why)) << why;
  EXPECT_EQ(other.armed, b.armed);
  b.packets.clear();
  for (SciBench* bench : {&b, &other}) {
    bench->pass_until(bench->now + 800);
    bench->access(store(1, 0));
    bench->pass_until(bench->now + 10'000);
  }
  ASSERT_EQ(b.packets.size(), other.packets.size());
  for (size_t i = 0; i < b.packets.size(); ++i) {
    EXPECT_EQ(b.packets[i].ns, other.packets[i].ns);
    EXPECT_EQ(text(b.packets[i]), text(other.packets[i]));
  }
}

TEST_F(SciOverlap, MoreThanThereIsRoomForPassEarly) {
  constexpr unsigned kLines = 3000;
  for (unsigned i = 0; i < kLines; ++i)
    for (uint64_t at = 0; at < 64; at += 8) {
      SciAccess a = store(0, kAway + 64 * (i % 64) + at);
      a.bytes = 8;
      a.write_combining = true;
      EXPECT_EQ(b.access(a), SCI_DONE);
    }
  EXPECT_FALSE(b.packets.empty());
  b.pass_until(b.now + 2'000'000);
  EXPECT_EQ(b.packets.size(), 2 * kLines);
  uint64_t last[2] = {};
  for (const SciPacket& p : b.packets) {
    EXPECT_GE(p.ns, last[p.node != 0]);
    last[p.node != 0] = p.ns;
  }
}

}  // namespace
}  // namespace perfboard::sci
