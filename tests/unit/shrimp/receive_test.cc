// SPDX-License-Identifier: GPL-2.0-or-later
//
// Page tables, the loopback fabric, what the SurfBoard and memory get, and deliberate update.
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

struct SniReceive : testing::Test {
  SniBench bench;
  void send(uint32_t page = 3) {
    bench.store32(page * 4096 + 0x10, 0xa5000000 | page);
    bench.run_for(50'000);
  }
};

TEST_F(SniReceive, ColourHasItsTopBitsWired) {
  for (uint32_t c = 0; c < 64; c++) {
    bench.map(3, {.page = 7, .color = c});
    EXPECT_EQ(bench.get(kInTable + 28), 1u | (0x10 | (c & 15)) << 4);
    send();
    EXPECT_EQ(bench.packets.back().p.color, 0x10 | (c & 15));
  }
}

TEST_F(SniReceive, InterruptBitInterruptsAfterTheData) {
  bench.write("SIER", bit::kRxi);
  bench.map(3, {.page = 7});
  send();
  EXPECT_FALSE(bench.irq);
  EXPECT_FALSE(bench.packets[0].p.interrupt);
  bench.map(3, {.page = 7, .interrupt = true});
  bench.store32(0x3010, 9);
  while (bench.packets.size() < 2) {
    EXPECT_FALSE(bench.irq);
    bench.run_until(bench.armed);
  }
  EXPECT_TRUE(bench.irq);
  EXPECT_TRUE(bench.packets[1].p.interrupt);
  EXPECT_EQ(bench.memory32(0x7010), 9u);
  EXPECT_EQ(bench.packets[1].p.sender, 0u) << "to the next node is from the one before";
  EXPECT_EQ(bench.read("RXPG"), 7u | uint32_t{bench.packets[1].p.sender} << 16);
  EXPECT_EQ(bench.read("SISR"), 0x80000000u | bit::kRxi);
}

TEST_F(SniReceive, EachPageCountsItsInterrupts) {
  const auto count = [this](uint32_t page) { return bench.get(kInCounts + 4 * page); };
  bench.map(3, {.page = 7, .interrupt = true});
  bench.map(4, {.page = 8, .interrupt = true});
  bench.map(5, {.page = 9});
  for (uint32_t page : {3, 4, 3, 5, 3}) send(page);
  EXPECT_EQ(count(7), 3u);
  EXPECT_EQ(count(8), 1u) << "though RXPG names another page since";
  EXPECT_EQ(count(9), 0u) << "no INT";
  bench.map(3, {.page = 7, .valid = false, .interrupt = true});
  send();
  EXPECT_EQ(count(7), 3u) << "a packet that is dropped";
  bench.write("SCR", bench.read("SCR") | bit::kCrst);
  bench.put(kInCounts + 28, 0);
  EXPECT_EQ(count(7), 3u);
  sni_power_on(bench.board());
  EXPECT_EQ(count(7), 0u);
}

TEST_F(SniReceive, InvalidPageIsDroppedButTheSurfBoardSeesIt) {
  bench.write("SIER", bit::kRxe);
  bench.map(3, {.page = 7, .valid = false, .interrupt = true, .color = 5});
  send();
  ASSERT_EQ(bench.packets.size(), 1u);
  EXPECT_FALSE(bench.packets[0].write);
  EXPECT_EQ(bench.packets[0].p.color, 0x15);
  EXPECT_EQ(bench.memory32(0x7010), 0u);
  EXPECT_TRUE(bench.irq);
  EXPECT_EQ(bench.events(), bit::kRxe) << "no RXI for a page that is not valid";
  EXPECT_EQ(bench.read("RXEP"), 7u | uint32_t{bench.packets[0].p.sender} << 16);
  EXPECT_EQ(bench.counter(RXD), 1u);
  EXPECT_EQ(bench.counter(RXP), 0u);
  EXPECT_EQ(bench.term_sum(TOTAL), 0u);
}

TEST_F(SniReceive, NoMemoryThereIsDroppedToo) {
  bench.map(3, {.page = 0x7fff});  // the bench has 16 MB
  send();
  EXPECT_EQ(bench.counter(RXD), 1u);
  EXPECT_EQ(bench.read("RXEP") & 0x7fff, 0x7fffu);
  EXPECT_EQ(bench.events(), bit::kRxe);
}

TEST_F(SniReceive, TheEntryCountsAtTheTimeThePacketStarts) {
  bench.map(3, {.page = 7});
  bench.store32(0x3010, 1);
  bench.run_for(3000);  // on its way
  bench.put(kInTable + 28, 3 << 4);
  bench.run_for(50'000);
  EXPECT_FALSE(bench.packets[0].write);
  EXPECT_EQ(bench.packets[0].p.color, 0x13);
}

TEST_F(SniReceive, CoordinatesOutsideTheMeshAreLost) {
  SniBench b{{.node = 0, .nodes = 5, .width = 3}};
  uint32_t lost = 0;
  for (uint32_t where :
       {5u, 3u, 64u + 2, 128u, 0xfffu}) {  // columns beyond, a hole in the last row, rows beyond
    b.put(kOutTable + 24, 1u << 31 | where << 16 | 7);
    b.send();
    EXPECT_EQ(b.counter(TXU), ++lost) << where;
    EXPECT_EQ(b.counter(TXP), lost);
    EXPECT_EQ(b.read("FCNT"), 0u);
  }
  for (uint32_t i = 0; i < 2 * SNI_CREDITS; i++) b.send();
  EXPECT_TRUE(b.packets.empty());
  b.map(3, {.page = 7, .node = 4});
  for (int i = 0; i < 50; i++) b.store32(0x3000, 1);
  b.run_for(1'000'000);
  EXPECT_EQ(b.packets.size(), 50u) << "lost packets took no credit with them";
}

// A packet carries the key of the sender's entry. One with another key than the page's is as one for a page
// that is not valid.
TEST_F(SniReceive, AnotherKeyIsDropped) {
  bench.map(3, {.page = 7, .key = 0x3ff});
  bench.send();
  EXPECT_EQ(bench.memory32(0x7000), 1u);
  uint64_t dropped = 0;
  for (const uint32_t key : {0x3feu, 0u, 1u, 0x1ffu}) {
    bench.put(kOutTable + 8 * 3 + 4, key << 16);
    bench.send(2);
    EXPECT_EQ(bench.counter(RXD), ++dropped) << key;
    EXPECT_EQ(bench.events(), bit::kRxe);
    EXPECT_EQ(bench.read("RXEP") & 0x7fff, 7u);
  }
  EXPECT_EQ(bench.memory32(0x7000), 1u);
  EXPECT_EQ(bench.packets.size(), 5u) << "monitors see them all";
  bench.put(kInTable + 4 * 7, 1);
  bench.send(3);
  EXPECT_EQ(bench.memory32(0x7000), 1u) << "no key is a key, too";
}

TEST_F(SniReceive, ADeliberateUpdateHasAKeyToo) {
  bench.map(3, {.page = 7, .key = 5});
  for (const uint32_t key : {4u, 5u}) {
    bench.memory[0x200000] = 9;
    bench.update(0x200000, 0x7000, 1, key);
    bench.run_for(50'000);
    EXPECT_EQ(bench.memory32(0x7000), key == 5 ? 9u : 0u);
  }
  EXPECT_EQ(bench.counter(RXD), 1u);
}

// Another fabric behind the port: its links are so slow that words come later than EISA takes them.
TEST_F(SniReceive, ASlowFabricHoldsUpTheDmaButNotTheHeader) {
  constexpr uint64_t kSlower = 50'000;
  const SniFabric slow = {"slow",
                          [](SniBoard* board, const SniFlight* f, uint64_t sent) {
                            return kSniLoopback.send(board, f, sent + kSlower);
                          },
                          kSniLoopback.done};
  SniBench quick, late{{.fabric = &slow}};
  for (SniBench* b : {&quick, &late}) {
    b->map(3, {.page = 7});
    b->store32(0x3010, 42);
    b->run_for(200'000);
    ASSERT_EQ(b->packets.size(), 1u);
    EXPECT_EQ(b->memory32(0x7010), 42u);
  }
  EXPECT_EQ(late.packets[0].p.start_ns, quick.packets[0].p.start_ns);
  EXPECT_GT(late.packets[0].popped, quick.packets[0].popped + kSlower - 1000);
}

TEST_F(SniReceive, MappedIsAQuickQuestion) {
  const auto mapped = [this](uint64_t addr) { return sni_page_mapped(bench.board(), addr); };
  // What it wants behind a change that it tells of.
  const auto wants = [this](auto change) {
    const unsigned seen = bench.observes;
    change();
    EXPECT_GT(bench.observes, seen);
    return sni_wants(bench.board());
  };
  EXPECT_FALSE(mapped(0x3000));
  EXPECT_EQ(sni_wants(bench.board()), SNI_WANTS_NOTHING);
  EXPECT_EQ(wants([&] { bench.map(3, {.page = 7}); }), SNI_WANTS_STORES);
  EXPECT_TRUE(mapped(0x3fff));
  EXPECT_FALSE(mapped(0x4000));
  EXPECT_FALSE(mapped(0x3000 + (1ull << 27)));
  EXPECT_EQ(wants([&] { bench.map(4, {.page = 8, .comb = true}); }), SNI_WANTS_LOADS_TOO);
  EXPECT_EQ(wants([&] { bench.put(kOutTable + 8 * 4, 0x12); }), SNI_WANTS_STORES);
  EXPECT_EQ(wants([&] { bench.write("SCR", 5); }), SNI_WANTS_NOTHING);
  EXPECT_FALSE(mapped(0x3000));
}

// --- deliberate update ----------------------------------------------------------------------

struct SniDeliberate : SniReceive {
  void SetUp() override {
    bench.map(3, {.page = 7});
    bench.map(4, {.page = 8});
    bench.write("DUDN", coordinate(bench.board()->config, 2));
    for (uint32_t i = 0; i < 2048; i++) std::memcpy(&bench.memory[0x200000 + 4 * i], &i, 4);
    bench.write("DUSA", 0x200000);
    bench.write("DUDA", 0x7000);
  }
  bool busy() { return bench.read("SSR") & 32; }
  uint32_t events() { return bench.events(); }
};

TEST_F(SniDeliberate, MovesWordsInOnePacket) {
  bench.write("SIER", bit::kDud);
  bench.update(0x200008, 0x7100, 3);
  EXPECT_TRUE(busy());
  bench.run_for(1'000'000);
  EXPECT_FALSE(busy());
  EXPECT_TRUE(bench.irq);
  EXPECT_EQ(bench.events(), bit::kDud);
  ASSERT_EQ(bench.packets.size(), 1u);
  EXPECT_EQ(bench.packets[0].payload, (std::vector<uint32_t>{2, 3, 4}));
  EXPECT_EQ(bench.memory32(0x7104), 3u);
  EXPECT_EQ(bench.counter(DUP), 1u);
  EXPECT_EQ(bench.counter(TXP), 1u);
  EXPECT_EQ(bench.counter(AUS), 0u);
  EXPECT_EQ(bench.packets[0].terms[COMB], 0u);
}

TEST_F(SniDeliberate, TheWholePageAndNotAWordMore) {
  bench.write("DUWC", 1024);
  bench.run_for(1'000'000);
  ASSERT_EQ(bench.packets.size(), 1u);
  EXPECT_EQ(bench.packets[0].p.words, 1024u);
  EXPECT_EQ(bench.memory32(0x7ffc), 1023u);
}

TEST_F(SniDeliberate, UpToTheEndOfItsDestinationPage) {
  bench.update(0x200000, 0x7ff8, 2);
  bench.run_for(100'000);
  EXPECT_EQ(bench.events(), bit::kDud);
  EXPECT_EQ(bench.packets.size(), 1u);
}

TEST_F(SniDeliberate, NarrowWritesToTheCount) {
  bench.put(0x4c, 5, 1);  // ignored
  EXPECT_FALSE(busy());
  bench.put(0x4c, 5, 2);
  EXPECT_TRUE(busy());
}

TEST_F(SniDeliberate, GoesBesideTheFifo) {
  for (int i = 0; i < 300; i++) bench.store32(0x4000, 1);
  bench.write("DUWC", 8);
  EXPECT_EQ(bench.read("FCNT"), 900u);
  bench.run_for(30'000);
  EXPECT_EQ(std::ranges::count(bench.sizes(), 8u), 1) << "it did not wait for 300 packets";
}

TEST_F(SniDeliberate, DoesNotTouchTheOpenPacket) {
  bench.map(5, {.page = 9, .comb = true});
  bench.store32(0x5000, 1);
  bench.write("DUWC", 8);
  bench.run_for(100'000);
  EXPECT_TRUE(bench.read("SSR") & 1);
  bench.store32(0x5004, 2);
  EXPECT_TRUE(bench.causes().empty());
}

}  // namespace
}  // namespace perfboard::sni
