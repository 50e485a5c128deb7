// SPDX-License-Identifier: GPL-2.0-or-later
//
// Busy links of the backplane.
#include "hw/shrimp/mesh.h"

#include "hw/core/state_check.h"
#include "tests/unit/shrimp/remote_fixture.h"

namespace perfboard::sni {
namespace {

constexpr uint64_t kOneWord = 3 * kLinkWord;  // header, timestamp, one word

class SniMeshTest : public SniRemote {
 protected:
  // Node n's page 3 goes to the node `to`.
  void map(uint32_t n, uint32_t to) { board(n).map(3, {.page = 8 + n, .node = int(to)}); }
  const SniFlight& got(size_t n, size_t i) { return board(n).state().flight[i]; }
  // When a packet came to its first router.
  static uint64_t first(const SniFlight& f) { return f.leave + kSend + kBackplane; }
};

// 0 and 3 are neighbours of 1 on a 2 x 2 mesh.
TEST_F(SniMeshTest, TwoSendersToOneReceiver) {
  for (const bool links : {false, true}) {
    unmake();
    make(4, 0, links);
    for (const uint32_t n : {0u, 3u}) {
      map(n, 1);
      stores_[n] = {{kBegin + 5000, 0x3000, n}};
    }
    run(kBegin + 50'000);
    ASSERT_EQ(board(1).packets.size(), 2u);
    EXPECT_EQ(board(1).packets[0].p.sender, 0u);
    EXPECT_EQ(got(1, 0).arrive, first(got(1, 0)) + kHop + kOneWord);
    EXPECT_EQ(got(1, 1).arrive - got(1, 0).arrive, links ? kOneWord : 0u)
        << "the link from the router to node 1";
    EXPECT_EQ(got(1, 1).tail, got(1, 1).arrive);
  }
}

// In a row of four both take the link from 1 to 2. The first of them is there a hop later than the other.
TEST_F(SniMeshTest, CrossingWaysShareALink) {
  for (const bool links : {false, true}) {
    unmake();
    make(4, 0, links, 4);
    map(0, 2);
    map(1, 3);
    stores_[0] = stores_[1] = {{kBegin + 5000, 0x3000, 7}};
    run(kBegin + 50'000);
    EXPECT_EQ(got(2, 0).arrive, first(got(2, 0)) + 2 * kHop + kOneWord);
    EXPECT_EQ(got(3, 0).arrive, first(got(3, 0)) + 2 * kHop + kOneWord + (links ? kHop + kOneWord : 0u));
  }
}

// The engine reads a page for 177 us, and the packet has its links for as long.
TEST_F(SniMeshTest, APageThatIsReadHoldsItsLinks) {
  make(4, 0, true, 4);
  board(0).write("DUDN", coordinate(board(0).board()->config, 2));
  board(0).write("DUSA", 0x100000);
  board(0).write("DUDA", 0x7000);
  board(0).write("DUWC", 1024);
  map(1, 3);
  stores_[1] = {{kBegin + 50'000, 0x3000, 7}};
  run(kBegin + 500'000);
  const SniFlight &page = got(2, 0), &word = got(3, 0);
  ASSERT_LT(word.leave, page.tail);
  EXPECT_EQ(word.arrive, page.tail - kHop + 2 * kHop + kOneWord)
      << "the last word passes the link from 1 to 2 a hop earlier";
}

// What a node has sent and whose turn has not come is in its state, too.
TEST_F(SniMeshTest, AStateOfWhichABoardCannotBeIsRefused) {
  make(4, 0, true, 4);
  map(0, 2);
  stores_[0] = {{kBegin + 5000, 0x3000, 7}};
  run(kBegin + 7000);
  ASSERT_EQ(board(0).state().mesh.own, 1u);
  char why[200] = "";
  EXPECT_TRUE(sni_state_ok(board(0).board(), &board(0).state(), why, sizeof why)) << why;
  const auto refused = [&](auto change, const char* line) {
    auto s = std::make_unique<SniState>(board(0).state());
    change(s->mesh);
    EXPECT_FALSE(sni_state_ok(board(0).board(), s.get(), why, sizeof why));
    EXPECT_EQ(std::string(why).find(line), 0u) << why;
  };
  refused([](SniMesh& m) { m.own = SNI_CREDITS + 1; }, "mesh.own=7: legal are 0 to 6");
  refused([](SniMesh& m) { m.sent[0].from = 1; }, "mesh.sent[0].from=1: legal is 0");
  refused([](SniMesh& m) { m.sent[0].to = 64; }, "mesh.sent[0].to=64: no node has this coordinate");
  refused([](SniMesh& m) { m.sent[0].length = 2 * kSoonNs; }, "mesh.sent[0].length=2000000000: ");
  refused([](SniMesh& m) { m.sent[0].first = PB_NEVER; }, "mesh.sent[0].first=");
  refused([](SniMesh& m) { m.free[127][4] = PB_NEVER; }, "mesh.free[127]=");
  EXPECT_GT(board(0).state().mesh.sent[0].first, board(0).now);
  run(kBegin + 50'000);
  EXPECT_EQ(board(0).state().mesh.own, 0u) << "its credit has come";
}

// By hand, in a row of four: A goes 2 to 3, B 0 to 3, C 0 to 1. B stands behind A, and C behind B, whose end
// has not left node 0.
TEST(SniMesh, AWormThatStandsKeepsTheLinksBehindItsHead) {
  SniBench bench({.node = 0, .nodes = 4, .width = 4});
  const auto waited = [&](uint64_t first, uint64_t length, uint16_t from, uint16_t to) {
    uint64_t ns = PB_NEVER;
    EXPECT_TRUE(mesh_take(*bench.board(),
                          {.first = first, .length = length, .from = from, .to = to, .spare = 0}, ns));
    return ns;
  };
  EXPECT_EQ(waited(0, 1000, 2, 3), 0u);
  EXPECT_EQ(waited(10, 100, 0, 3), 1000u - 90);
  EXPECT_EQ(waited(100, 100, 0, 1), 10u + 100 + 910 - 100);
  EXPECT_EQ(waited(100, 100, 3, 0), 0u) << "links have two directions";
}

TEST(SniMesh, WhatWouldTakeASecondIsRefused) {
  SniBench bench({.node = 0, .nodes = 4, .width = 4});
  uint64_t ns;
  const SniWorm w = {.first = 0, .length = kSoonNs / 2, .from = 0, .to = 1, .spare = 0};
  EXPECT_TRUE(mesh_take(*bench.board(), w, ns));
  EXPECT_FALSE(mesh_take(*bench.board(), w, ns));
}

// Six nodes send at random to each other. All work out what one queue of all packets gives, whoever of them
// has the processor.
TEST_F(SniMeshTest, AllNodesWorkOutTheSame) {
  constexpr uint16_t kNodes = 6;
  for (const uint32_t seed : {1u, 2u, 3u}) {
    unmake();
    make(kNodes, 0, true, 3);
    std::mt19937 random(5);
    for (uint32_t n = 0; n < kNodes; n++) {
      for (uint32_t to = 0; to < kNodes; to++) board(n).map(16 + to, {.page = 8 + n, .node = int(to)});
      uint64_t at = kBegin + 1000;
      for (uint32_t i = 0; i < 60; i++) {
        const auto to = uint32_t((n + 1 + random() % (kNodes - 1)) % kNodes);
        stores_[n].push_back({at += random() % 2000, (16 + to) << 12 | (4 * i), i});
      }
    }
    run(kBegin + 1'000'000, seed);
    struct Sent {
      const SniFlight* f;
      uint32_t from;
    };
    std::vector<Sent> all;
    for (uint32_t n = 0; n < kNodes; n++) {
      const SniState& s = board(n).state();
      ASSERT_LE(s.arrived, uint32_t{SNI_FLIGHTS});
      EXPECT_EQ(s.credits_used, 0u);
      for (uint32_t i = 0; i < s.arrived; i++)
        all.push_back({&s.flight[i], node_at(board(n).board()->config, s.flight[i].sender)});
    }
    ASSERT_EQ(all.size(), size_t{60 * kNodes});
    std::sort(all.begin(), all.end(), [](const Sent& a, const Sent& b) {
      return std::pair(a.f->leave, a.from) < std::pair(b.f->leave, b.from);
    });
    SniBench one({.node = 0, .nodes = kNodes, .width = 3});
    uint32_t waits = 0;
    for (const Sent& p : all) {
      const SniWorm w = {.first = first(*p.f),
                         .length = kOneWord,
                         .from = p.f->sender,
                         .to = uint16_t(p.f->header >> 16 & 0xfff),
                         .spare = 0};
      uint64_t waited;
      ASSERT_TRUE(mesh_take(*one.board(), w, waited));
      waits += waited != 0;
      EXPECT_EQ(p.f->arrive, w.first + kHop * hops(w.from, w.to) + kOneWord + waited);
    }
    EXPECT_GT(waits, 20u);
  }
}

}  // namespace
}  // namespace perfboard::sni
