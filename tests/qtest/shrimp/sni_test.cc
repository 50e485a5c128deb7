// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SNI on a live machine: its window; packets from memory, or from the vCPU's own
// stores, through the loopback into memory and into the SurfBoard.
#include <gtest/gtest.h>

#include <array>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint32_t kSource = 0x8000;
constexpr uint32_t kPage = 0x20, kTarget = kPage << SNI_PAGE_SHIFT;
constexpr uint64_t kLongEnough = 400'000;  // for a page at 8.3 Mword/s, and latency

std::vector<uint8_t> pattern(size_t bytes) {
  std::vector<uint8_t> data(bytes);
  uint32_t x = 12345;
  for (uint8_t& b : data) b = static_cast<uint8_t>((x = x * 1664525 + 1013904223) >> 24);
  return data;
}

struct Node {
  explicit Node(MachineOptions options = {}) : m(with_boards(std::move(options))), sni(m, 1), surf(m, 2) {
    m.level_triggered(1 << 9 | 1 << 10);
    sni.enable(SURF_IRLEV_IRQ9);
    surf.enable(SURF_IRLEV_IRQ10);
    surf.shift_in(kPlainShift);
    surf.write(SURF_HTCR, SURF_HTCR_WEN | SURF_HTCR_HEN | SURF_HTCR_TEN);
  }
  static MachineOptions with_boards(MachineOptions options) {
    options.devices = {"shrimp-sni,slot=1,nodes=4,id=sni", "surfboard,slot=2,id=surf"};
    return options;
  }
  Machine m;
  Sni sni;
  Surf surf;
};

TEST(SniWindow, FollowsSbcr) {
  Machine m({.devices = {"shrimp-sni,slot=5,node=2,nodes=6,mesh-width=3"}});
  EXPECT_EQ(m.in32(0x5c80), kSniId);
  EXPECT_EQ(m.read32(0xd0000000), 0xffffffffu);
  m.out32(0x5c84, 0xd0000001);
  EXPECT_EQ(m.read32(0xd0000000 + SNI_SCR), SNI_SCR_TSE);
  EXPECT_EQ(m.read32(0xd0000000 + SNI_NODE), 2u << 16 | 2u);
  EXPECT_EQ(m.read32(0xd0000000 + SNI_MESH), 6u << 16 | 2u << 8 | 3u);
  EXPECT_EQ(m.read32(0xd0000000 + SNI_WINDOW), 0xffffffffu);
  m.out32(0x5c84, 0xe5500001);
  EXPECT_EQ(m.read32(0xd0000000), 0xffffffffu);
  EXPECT_EQ(m.read32(0xe5500000 + SNI_SCR), SNI_SCR_TSE);
  EXPECT_EQ(m.read8(0xe5500000 + SNI_CTOR + 1), 0x03u);
  m.write8(0xe5500000 + SNI_CTOR + 1, 0);
  EXPECT_EQ(m.read32(0xe5500000 + SNI_CTOR), 0xe8u);
  m.out8(0x5c84, 0);
  EXPECT_EQ(m.read32(0xe5500000), 0xffffffffu);
  EXPECT_EQ(m.in32(0x5c84), 0xe5500000u);
}

TEST(SniWindow, ClockCountsTenMegahertz) {
  Machine m({.devices = {"shrimp-sni,slot=1"}});
  Sni sni(m, 1);
  sni.enable();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sni.counter(SNI_CLKL), m.stepped() / 100);
    m.step(12'345'000);
  }
  sni.write(SNI_SCR, SNI_SCR_EN | SNI_SCR_GRST);
  EXPECT_EQ(sni.counter(SNI_CLKL), 0u);
}

// --- deliberate update -------------------------------------------------------------

class Deliberate : public testing::TestWithParam<uint32_t> {};

TEST_P(Deliberate, PayloadArrivesAndIsCounted) {
  const uint32_t words = GetParam();
  Node n;
  const std::vector<uint8_t> payload = pattern(4 * words);
  n.m.write_bytes(kSource, payload);
  n.m.fill(kTarget, 4096, 0xee);
  n.sni.accept(kPage, SNI_IPT_VALID | SNI_IPT_INT | 5 << SNI_IPT_COLOR_SHIFT);
  n.sni.write(SNI_SIER, SNI_SIER_RXI);
  n.sni.deliberate(kSource, kTarget, words);
  EXPECT_EQ(n.sni.read(SNI_SSR) & SNI_SSR_DUB, SNI_SSR_DUB);
  EXPECT_EQ(n.m.irr() & 1 << 9, 0);
  n.m.step(kLongEnough);

  EXPECT_EQ(n.m.irr() & 1 << 9, 1 << 9) << "RXI, with no register read";
  EXPECT_EQ(n.m.read_bytes(kTarget, 4 * words), payload);
  if (words < 1024) {
    EXPECT_EQ(n.m.read8(kTarget + 4 * words), 0xee) << "and nothing behind it";
  }
  EXPECT_EQ(n.sni.read(SNI_SISR), SNI_SISR_PEND | SNI_SISR_RXI | SNI_SISR_DUD);
  EXPECT_EQ(n.sni.read(SNI_RXPG), 3u << 16 | kPage) << "from the ring's predecessor";
  for (uint32_t packets : {SNI_TXP, SNI_RXP, SNI_DUP}) EXPECT_EQ(n.sni.counter(packets), 1u) << packets;
  for (uint32_t counted : {SNI_TXW, SNI_RXW}) EXPECT_EQ(n.sni.counter(counted), words) << counted;
  uint64_t terms = 0;
  for (uint32_t term : {SNI_LAT_COMB, SNI_LAT_FIFO, SNI_LAT_BACK, SNI_LAT_EISA, SNI_LAT_XFER})
    terms += n.sni.counter(term);
  EXPECT_EQ(terms, n.sni.counter(SNI_LAT_TOTAL));
  EXPECT_GT(terms, 3'000u);
  EXPECT_LT(terms, 10'000u) << "its latency does not grow with its size";

  EXPECT_EQ(n.surf.read(SURF_WCDR), words);
  EXPECT_EQ(n.surf.bin(0xffffff), 1u);
  EXPECT_EQ(n.surf.read(SURF_TECR), 1u);
  EXPECT_EQ(n.surf.read(SURF_TICR), 1u);
  EXPECT_EQ(n.surf.read(SURF_HTCR) & SURF_HTCR_TRG, SURF_HTCR_TRG);
  EXPECT_EQ(n.surf.trace(0, 0) >> SURF_TRACE0_SENDER_SHIFT, 3u);
  const uint32_t word1 = n.surf.trace(0, 1);
  EXPECT_EQ(SURF_GET(TRACE1_SIZE, word1), words & 0x3ff) << "1024 reads 0";
  EXPECT_EQ(SURF_GET(TRACE1_COLOR, word1), 0x15u);
  const uint32_t word3 = n.surf.trace(0, 3);
  EXPECT_EQ(word3, SURF_TRACE3_I | kTarget >> 2 << SURF_TRACE3_ADDRESS_SHIFT | 0xf);
  const uint64_t latency = n.surf.trace(0, 0) & SURF_TRACE0_LATENCY_MASK;
  EXPECT_LE(latency, terms / 100 + 1);
  EXPECT_GE(latency + 1, terms / 100) << "the SurfBoard measures what the SNI accounts for";

  n.sni.write(SNI_SISR, SNI_SISR_RXI);
  EXPECT_EQ(n.m.irr() & 1 << 9, 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Deliberate, testing::Values(1u, 3u, 1024u),
                         [](const auto& test) { return std::to_string(test.param) + "Words"; });

TEST(DeliberateUpdate, WordsCountAtOnceAndNotBefore) {
  Node n;
  n.sni.accept(kPage, SNI_IPT_VALID);
  n.sni.deliberate(kSource, kTarget, 1);
  n.m.step(3'000);
  EXPECT_EQ(n.surf.read(SURF_WCDR), 0u) << "in the backplane";
  EXPECT_EQ(n.sni.counter(SNI_TXP), 1u);
  EXPECT_EQ(n.sni.counter(SNI_RXP), 0u);
  n.m.step(20'000);
  EXPECT_EQ(n.surf.read(SURF_WCDR), 1u);
}

TEST(DeliberateUpdate, InvalidPageIsDroppedButSeen) {
  Node n;
  n.m.fill(kTarget, 64, 0xee);
  n.sni.write(SNI_SIER, SNI_SIER_RXE);
  n.sni.deliberate(kSource, kTarget, 4);
  n.m.step(kLongEnough);
  EXPECT_EQ(n.m.irr() & 1 << 9, 1 << 9);
  EXPECT_EQ(n.m.read32(kTarget), 0xeeeeeeeeu);
  EXPECT_EQ(n.sni.counter(SNI_RXD), 1u);
  EXPECT_EQ(n.sni.counter(SNI_RXP), 0u);
  EXPECT_EQ(n.sni.read(SNI_RXEP), 3u << 16 | kPage);
  EXPECT_EQ(n.surf.read(SURF_WCDR), 4u) << "the SurfBoard hears every packet";
}

// The last page that the tables cover is the last of this machine's RAM.
TEST(DeliberateUpdate, LastPageOfMemory) {
  Node n;
  n.m.write32(kSource, 0x1a57);
  n.sni.accept(SNI_PAGES - 1, SNI_IPT_VALID);
  n.sni.deliberate(kSource, SNI_MEMORY_LIMIT - 4, 1);
  n.m.step(kLongEnough);
  EXPECT_EQ(n.m.read32(SNI_MEMORY_LIMIT - 4), 0x1a57u);
}

TEST(DeliberateUpdate, SourceWithoutMemoryIsAnError) {
  Node n;
  n.sni.accept(kPage, SNI_IPT_VALID);
  // No memory; the boards' own registers (not memory either); the end of memory.
  for (uint32_t source : {0xf8000000u, Sni::kRegisters, Surf::kRegisters, SNI_MEMORY_LIMIT - 4}) {
    n.sni.write(SNI_SISR, 0xff);
    n.sni.deliberate(source, kTarget, 2);
    EXPECT_EQ(n.sni.read(SNI_SISR), SNI_SISR_DUE) << std::hex << source;
  }
  n.m.step(kLongEnough);
  EXPECT_EQ(n.sni.counter(SNI_TXP), 0u);
  EXPECT_NE(n.m.log().find("no memory at DUSA"), std::string::npos) << n.m.log();
}

// --- automatic update: the vCPU stores, the object sees it -------------------------------

TEST(AutomaticUpdate, EachStoreAPacketWithoutCombining) {
  Node n({.program = stores(kSource, 100)});
  n.sni.accept(kPage, SNI_IPT_VALID);
  n.sni.write(SNI_OPT(kSource >> SNI_PAGE_SHIFT), SNI_OPT0_AU | 1 << SNI_OPT0_DNODE_SHIFT | kPage);
  n.sni.write(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE);
  n.m.step(kLongEnough);
  EXPECT_EQ(n.sni.counter(SNI_AUS), 100u);
  EXPECT_EQ(n.sni.counter(SNI_ENDD), 100u);
  EXPECT_EQ(n.sni.counter(SNI_RXP), 100u);
  EXPECT_EQ(n.surf.read(SURF_WCDR), 100u);
  EXPECT_EQ(n.surf.read(SURF_TECR), 100u);
  EXPECT_EQ(n.surf.bin(0xffffff), 100u);
  for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(n.m.read32(kTarget + 4 * i), i + 1) << i;
}

// --- several in one machine -----------------------------------------------------------------

TEST(TwoSnis, EachHasItsOwnNetworkAndItsOwnListener) {
  Machine m(
      {.devices = {"shrimp-sni,slot=1,node=0,nodes=4,id=one", "shrimp-sni,slot=2,node=2,nodes=4,id=other",
                   "surfboard,slot=3,listens=one", "surfboard,slot=4,listens=other"}});
  Sni one(m, 1), other(m, 2, Sni::kRegisters + 0x100000);
  Surf first(m, 3), second(m, 4);
  for (Sni* sni : {&one, &other}) sni->enable();
  first.enable();
  second.enable(SURF_IRLEV_DISABLED, Surf::kRegisters + 0x10000, 0x80000000);
  for (Surf* surf : {&first, &second}) {
    surf->shift_in(kPlainShift);
    surf->write(SURF_HTCR, SURF_HTCR_WEN);
  }
  m.write_bytes(kSource, pattern(12));
  one.accept(kPage, SNI_IPT_VALID);
  other.accept(kPage + 1, SNI_IPT_VALID);
  one.deliberate(kSource, kTarget, 3);
  other.deliberate(kSource, kTarget + 0x1000, 2);
  m.step(kLongEnough);
  EXPECT_EQ(first.read(SURF_WCDR), 3u);
  EXPECT_EQ(second.read(SURF_WCDR), 2u);
  EXPECT_EQ(m.read_bytes(kTarget, 12), pattern(12));
  EXPECT_EQ(m.read_bytes(kTarget + 0x1000, 8), pattern(8));
  EXPECT_EQ(one.counter(SNI_RXP) + one.counter(SNI_RXD), 1u) << "the other's is not its";
}

TEST(TwoSnis, WhatIsRefused) {
  for (const auto& [one, other, said] : std::vector<std::array<std::string, 3>>{
           {"contention=on", "contention=off",
            "contention=off, acquire=360: another shrimp-sni of this machine has other values"},
           {"contention=off", "contention=on",
            "contention=on, acquire=360: another shrimp-sni of this machine has other values"},
           {"contention=on", "contention=on,acquire=180", "contention=on, acquire=180: another shrimp-sni"},
           {"fabric=loopback", "fabric=cluster",
            "fabric=cluster: a machine is one node and has one shrimp-sni"}}) {
    expect_refused(
        {"-device", "i82375", "-device", "shrimp-sni,slot=1," + one, "-device", "shrimp-sni,slot=2," + other},
        {said});
  }
  // And a SurfBoard that names none.
  expect_refused({"-device", "i82375", "-device", "shrimp-sni,slot=1", "-device", "shrimp-sni,slot=2",
                  "-device", "surfboard,slot=3"},
                 {"listens="});
}

}  // namespace
}  // namespace perfboard::qtest
