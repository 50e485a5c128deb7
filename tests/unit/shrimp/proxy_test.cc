// SPDX-License-Identifier: GPL-2.0-or-later
//
// User-level deliberate update: the pair of a store and a load, whose halves it may have, and what it
// answers.
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

constexpr uint32_t kStarted = bit::kInitiated | bit::kTransferring | bit::kMatch;

struct SniProxy : testing::Test {
  SniBench bench;
  SniBoard* b = bench.board();
  // Page 3 leads to page 7, and words come from page 4; both are context 5's. Pages 5 and 6 are those of
  // context 6.
  void SetUp() override {
    bench.write("UDCR", 0xe8000000 | bit::kEnable);
    for (const uint32_t page : {3u, 4u}) entry(page, 5);
    for (const uint32_t page : {5u, 6u}) entry(page, 6);
    lead(3, 7);
    lead(5, 8);
    for (const uint32_t page : {7u, 8u}) bench.put(kInTable + 4 * page, bit::kValid);
    for (uint32_t i = 0; i < 2048; i++) std::memcpy(&bench.memory[0x4000 + 4 * i], &i, 4);
  }
  void entry(uint32_t page, uint32_t context) { bench.put(kOutTable + 8 * page + 4, context << 5); }
  void lead(uint32_t page, uint32_t to) {
    bench.put(kOutTable + 8 * page, bit::kDu | uint32_t{coordinate(b->config, 2)} << 16 | to);
  }
  void store(uint32_t to, uint32_t bytes) { sni_proxy_write(b, to, bytes, 4); }
  uint32_t load(uint32_t from) { return sni_proxy_read(b, from, 4); }
  void settle() { bench.run_for(1'000'000); }
};

TEST_F(SniProxy, APairIsAMessage) {
  bench.write("SIER", 0xff);
  EXPECT_EQ(load(0x4008), bit::kInvalid);
  store(0x3010, 12);
  EXPECT_EQ(load(0x4008), kStarted);
  EXPECT_EQ(load(0x4008), bit::kInvalid | bit::kTransferring | bit::kMatch) << "polled";
  EXPECT_EQ(load(0x400c), bit::kInvalid | bit::kTransferring) << "another word's";
  settle();
  EXPECT_EQ(load(0x4008), bit::kInvalid) << "done";
  ASSERT_EQ(bench.packets.size(), 1u);
  EXPECT_EQ(bench.packets[0].payload, (std::vector<uint32_t>{2, 3, 4}));
  EXPECT_EQ(bench.memory32(0x7014), 3u);
  EXPECT_EQ(bench.counter(DUP), 1u);
  EXPECT_FALSE(bench.irq) << "no interrupt, DUD neither";
  EXPECT_EQ(bench.read("SISR"), 0u);
}

TEST_F(SniProxy, TakesAsLongAsTheRegisters) {
  store(0x3000, 4096);
  load(0x4000);
  settle();
  bench.run_until((bench.now + kBclk - 1) / kBclk * kBclk + 20);
  bench.update(0x4000, 0x7000, 1024);
  settle();
  ASSERT_EQ(bench.packets.size(), 2u);
  EXPECT_EQ(bench.packets[0].payload, bench.packets[1].payload);
  EXPECT_EQ(bench.packets[0].terms[XFER], bench.packets[1].terms[XFER]);
}

// The half that another process has made is not taken, and does not stay for its own.
TEST_F(SniProxy, NoPairOfTwoContexts) {
  store(0x3000, 4);
  EXPECT_EQ(load(0x6000), bit::kInvalid);
  EXPECT_EQ(load(0x4000), kStarted) << "the first one's is whole still";
  settle();
  store(0x3000, 4);
  store(0x5000, 8);
  EXPECT_EQ(load(0x4000), bit::kInvalid) << "the second has stored since: the first begins again";
  EXPECT_EQ(load(0x6000), kStarted);
  settle();
  EXPECT_EQ(bench.packets.size(), 2u);
  EXPECT_EQ(bench.packets[1].p.address, 0x8000u);
}

TEST_F(SniProxy, WhatIsRefusedBeginsNothing) {
  struct Case {
    const char* what;
    uint32_t to, bytes, from, status;
  };
  const Case cases[] = {
      {"no context", 0x3000, 4, 0x9000, bit::kRefused},
      {"destination of nobody", 0x9000, 4, 0x4000, bit::kInvalid},
      {"no DU", 0x4000, 4, 0x4000, bit::kRefused},
      {"end of its page", 0x3ffc, 8, 0x4000, bit::kRefused},
      {"end of the source", 0x3000, 8, 0x4ffc, bit::kRefused},
      {"none", 0x3000, 0, 0x4000, bit::kInvalid},
      {"half a word", 0x3000, 6, 0x4000, bit::kInvalid},
      {"too many", 0x3000, 4100, 0x4000, bit::kInvalid},
      {"far too many", 0x3000, 0xfffffffc, 0x4000, bit::kInvalid},
  };
  for (const Case& c : cases) {
    store(0x3000, 0);
    store(c.to, c.bytes);
    EXPECT_EQ(load(c.from), c.status) << c.what;
    settle();
  }
  store(0x3000, 4);
  bench.write("SCR", 0);
  EXPECT_EQ(load(0x4000), bit::kRefused);
  EXPECT_EQ(bench.counter(TXP), 0u);
}

TEST_F(SniProxy, OnlyWholeWords) {
  store(0x3000, 4);
  sni_proxy_write(b, 0x3000, 4, 2);
  EXPECT_EQ(load(0x4000), bit::kInvalid);
  for (const uint32_t size : {1u, 2u}) {
    store(0x3000, 4);
    EXPECT_EQ(sni_proxy_read(b, 0x4000, size), bit::kRefused);
  }
  EXPECT_EQ(sni_proxy_read(b, 0x4002, 4), bit::kRefused);
  EXPECT_EQ(sni_proxy_read(b, kProxyBytes, 4), bit::kRefused);
  sni_proxy_write(b, kProxyBytes + 0x3000, 4, 4);
  EXPECT_EQ(load(0x4000), bit::kInvalid);
  settle();
  EXPECT_EQ(bench.counter(TXP), 0u);
}

TEST_F(SniProxy, NoMemoryThere) {
  entry(SNI_PAGES - 1, 5);
  store(0x3000, 4);
  EXPECT_EQ(load((SNI_PAGES - 1) << 12), bit::kRefused);
  EXPECT_EQ(load(0x4000), bit::kInvalid) << "the pair is used up";
}

TEST_F(SniProxy, AChangedEntryTakesTheHalfBack) {
  store(0x3000, 4);
  lead(3, 8);
  EXPECT_EQ(load(0x4000), bit::kInvalid);
  store(0x3000, 4);
  entry(5, 7);
  EXPECT_EQ(load(0x4000), kStarted) << "another page's";
}

TEST_F(SniProxy, OneEngineForAllInTurn) {
  store(0x3000, 4096);
  EXPECT_EQ(load(0x4000), kStarted);
  store(0x3000, 4);
  EXPECT_EQ(load(0x4004), bit::kTransferring) << "later";
  bench.write("UDCR", 0xe8000000 | bit::kHold | bit::kEnable);
  settle();
  EXPECT_EQ(load(0x4004), bit::kTransferring) << "held";
  bench.update(0x4020, 0x7100, 2);
  settle();
  EXPECT_EQ(bench.events(), bit::kDud) << "of the registers' alone";
  bench.write("UDCR", 0xe8000000 | bit::kEnable);
  EXPECT_EQ(load(0x4004), kStarted) << "the half was kept";
  settle();
  ASSERT_EQ(bench.packets.size(), 3u);
  EXPECT_EQ(bench.packets[2].payload, std::vector<uint32_t>{1});
}

TEST_F(SniProxy, ItsKeyIsTheEntrys) {
  bench.put(kInTable + 4 * 7, bit::kValid | 9 << 16);
  store(0x3000, 4);
  load(0x4004);
  settle();
  EXPECT_EQ(bench.counter(RXD), 1u);
  bench.put(kOutTable + 8 * 3 + 4, 9 << 16 | 5 << 5);
  store(0x3000, 4);
  load(0x4004);
  settle();
  EXPECT_EQ(bench.memory32(0x7000), 1u);
}

// Automatic update goes on beside it, and each keeps its order.
TEST_F(SniProxy, BesideAutomaticUpdate) {
  bench.map(10, {.page = 11});
  for (uint32_t i = 0; i < 40; i++) {
    store(0x3000 + 4 * i, 4);
    while (!(load(0x4000 + 4 * i) & bit::kInitiated)) bench.run_for(500);
    bench.store32(0xa000 + 4 * i, i);
  }
  settle();
  uint32_t user = 0, stored = 0;
  for (const auto& p : bench.packets) {
    uint32_t& next = p.p.address >> 12 == 7 ? user : stored;
    EXPECT_EQ(p.payload[0], next);
    next++;
  }
  EXPECT_EQ(user, 40u);
  EXPECT_EQ(stored, 40u);
}

TEST_F(SniProxy, TheWindowMoves) {
  EXPECT_TRUE(sni_proxy_enabled(b));
  EXPECT_EQ(sni_proxy_window(b), 0xe8000000u);
  unsigned moved = bench.remaps;
  bench.write("UDCR", 0xe8000000 | bit::kHold | bit::kEnable);
  EXPECT_EQ(bench.remaps, moved);
  bench.write("UDCR", 0xf0000000 | bit::kEnable);
  EXPECT_EQ(bench.remaps, ++moved);
  bench.sbcr(0);
  EXPECT_FALSE(sni_proxy_enabled(b)) << "disabled";
}

}  // namespace
}  // namespace perfboard::sni
