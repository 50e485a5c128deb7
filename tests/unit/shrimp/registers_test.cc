// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers of the map that act, latch or interrupt; the slot's.
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

struct SniRegisters : testing::Test {
  SniBench bench;
  SniBoard* b = bench.board();
};

TEST_F(SniRegisters, AByteTurnsAutomaticUpdateOff) {
  for (uint32_t page : {0u, 5u, 0x4321u, 32767u}) {
    bench.map(page);
    EXPECT_TRUE(sni_page_mapped(b, uint64_t{page} << 12)) << page;
    bench.put(kOutTable + 8 * page + 3, 0, 1);
    EXPECT_FALSE(sni_page_mapped(b, uint64_t{page} << 12)) << page;
  }
}

TEST_F(SniRegisters, ScrPulsesReadZero) {
  bench.put(0, 0x3f | 0xffffffc0u);
  EXPECT_EQ(bench.get(0), 7u);
  EXPECT_EQ(bench.global_resets, 1u);
}

TEST_F(SniRegisters, GlobalResetSetsTheClockToZero) {
  bench.run_for(12'345);
  EXPECT_EQ(bench.read("CLKL"), 123u);
  bench.put(0, 7 | bit::kGrst);
  EXPECT_EQ(bench.read("CLKL"), 0u);
  bench.run_for(99);
  EXPECT_EQ(bench.read("CLKL"), 0u);
  bench.run_for(1);
  EXPECT_EQ(bench.read("CLKL"), 1u);
}

TEST_F(SniRegisters, ClockLatchesItsHighWord) {
  bench.set_clock(0x12'fffffffeull);
  EXPECT_EQ(bench.read("CLKL"), 0xfffffffeu);
  bench.run_for(1000);
  EXPECT_EQ(bench.read("CLKH"), 0x12u) << "as it was when CLKL was read";
  EXPECT_EQ(bench.read("CLKL"), 8u);
  EXPECT_EQ(bench.read("CLKH"), 0x13u);
}

TEST_F(SniRegisters, ClockWrapsAt45Bits) {
  bench.write("SIER", bit::kCkv);
  bench.set_clock((1ull << 45) - 2);
  bench.run_for(199);
  EXPECT_EQ(bench.read("CLKL"), 0xffffffffu);
  EXPECT_EQ(bench.read("CLKH"), 0x1fffu);
  EXPECT_FALSE(bench.irq);
  bench.run_for(1);
  EXPECT_TRUE(bench.irq);
  EXPECT_EQ(bench.read("CLKL"), 0u);
  EXPECT_EQ(bench.read("SISR"), 0x80000080u);
  bench.write("SISR", bit::kCkv);
  EXPECT_FALSE(bench.irq);
}

TEST_F(SniRegisters, BusCyclesThatWereOnlyCounted) {
  bench.state().snooping = 1;
  sni_bus_counted(bench.board(), 3, 5);
  sni_bus_counted(bench.board(), 1, 0);
  EXPECT_EQ(bench.counter(BRD), 4u);
  EXPECT_EQ(bench.counter(BWR), 5u);
  bench.state().snooping = 0;
  sni_bus_counted(bench.board(), 3, 5);
  EXPECT_EQ(bench.counter(BRD), 4u) << "not snooped";
  EXPECT_EQ(bench.counter(BWR), 5u);
}

// SISR: writing 0 clears nothing, writing 1 that bit and no other; SIER lets each through alone.
TEST_F(SniRegisters, EveryInterruptBit) {
  for (uint32_t bit = 0; bit < 8; bit++) {
    bench.write("SIER", 0);
    bench.state().sisr = 0xff;
    bench.put(8, 0);
    EXPECT_EQ(bench.read("SISR"), 0xffu);
    EXPECT_FALSE(bench.irq);
    bench.write("SIER", 0xff & ~(1u << bit));
    EXPECT_TRUE(bench.irq);
    EXPECT_EQ(bench.read("SISR"), 0x800000ffu);
    bench.put(8, 0x80000000u | (0xff & ~(1u << bit)));
    EXPECT_EQ(bench.read("SISR"), 1u << bit);
    EXPECT_FALSE(bench.irq);
    bench.write("SIER", 1u << bit);
    EXPECT_TRUE(bench.irq);
    bench.put(8, 1u << bit, 1);
    EXPECT_EQ(bench.read("SISR"), 0u);
    EXPECT_FALSE(bench.irq);
  }
}

TEST_F(SniRegisters, InterruptLevels) {
  const int lines[8] = {-1, -1, 5, 9, 10, 12, 14, 15};
  bench.write("SIER", bit::kDue);
  bench.write("DUWC", 0);
  for (uint32_t level = 0; level < 8; level++) {
    sni_io_write(b, 0xc85, level, 1);
    EXPECT_EQ(sni_irq_number(b), lines[level]);
    EXPECT_EQ(bench.irq, lines[level] > 0);
    EXPECT_EQ(bench.read("SISR") >> 31, uint32_t(lines[level] > 0));
  }
  bench.sbcr(0, 1);
  EXPECT_FALSE(bench.irq) << "disabled";
}

TEST_F(SniRegisters, NodeAndMesh) {
  SniBench other{{.node = 11, .nodes = 14, .width = 4}};
  EXPECT_EQ(other.read("NODE"), 11u << 16 | 2 << 6 | 3);
  EXPECT_EQ(other.read("MESH"), 14u << 16 | 4 << 8 | 4);
}

TEST_F(SniRegisters, SbcrPlacesTheWindow) {
  const unsigned remaps = bench.remaps;
  bench.sbcr(~0u);
  EXPECT_EQ(sni_io_read(b, 0xc84, 4), 0xfff00701u);
  EXPECT_GT(bench.remaps, remaps);
  EXPECT_EQ(sni_window(b), 0xfff00000u);
  EXPECT_TRUE(sni_enabled(b));
  sni_io_write(b, 0xc86, 0x1234, 2);
  EXPECT_EQ(sni_window(b), 0x12300000u);
  EXPECT_EQ(sni_io_read(b, 0xc84, 4), 0x12300701u);
}

TEST_F(SniRegisters, CountersLatchAndClear) {
  bench.state().counter[AUS] = 0x1'00000002ull;
  bench.state().counter[AUW] = 0x7'00000000ull;
  EXPECT_EQ(bench.get(0x180), 2u);
  bench.state().counter[AUS] = 0x3'00000000ull;
  EXPECT_EQ(bench.get(0x184), 1u) << "latched with the low word";
  EXPECT_EQ(bench.get(0x18c), 7u) << "of another counter: as it is";
  for (uint32_t at = kCounters; at < kTermsEnd; at += 4) bench.put(at, 0);  // read only
  EXPECT_EQ(bench.counter(AUS), 0x3'00000000ull);
  bench.state().latency[TOTAL] = {5, 6, 7};
  EXPECT_EQ(bench.get(0x258), 6u);
  EXPECT_EQ(bench.get(0x25c), 7u);
  bench.put(0, 7 | bit::kCrst);
  for (const Counter& c : kCounterTable) EXPECT_EQ(bench.counter(c.index), 0u) << c.name;
  for (uint32_t t = 0; t < SNI_TERMS; t++) {
    EXPECT_EQ(bench.get(kTerms + 16 * t), 0u);
    EXPECT_EQ(bench.get(kTerms + 16 * t + 8), ~0u) << "the least of none";
    EXPECT_EQ(bench.get(kTerms + 16 * t + 12), 0u);
  }
}

TEST_F(SniRegisters, NothingThereReadsIdleAndIsLoggedByName) {
  for (uint32_t at : {0x2cu, 0x54u, 0x178u, 0x17cu, 0x1a0u, 0x260u, 0x3fffcu, 0xc0000u, 0xffffcu}) {
    bench.log.clear();
    EXPECT_EQ(bench.get(at), ~0u) << std::hex << at;
    EXPECT_EQ(bench.get(at, 2), 0xffffu);
    EXPECT_EQ(bench.get(at + 1, 1), 0xffu);
    bench.put(at, 1);
    ASSERT_EQ(bench.log.size(), 4u);
    char name[16];
    std::snprintf(name, sizeof name, "0x%05x", at);
    EXPECT_NE(bench.log[0].find(name), std::string::npos) << bench.log[0];
  }
  EXPECT_EQ(bench.get(2, 4), ~0u) << "across two registers";
}

TEST_F(SniRegisters, MeshIsAtMost64High) {
  char why[160] = "";
  const SniConfig config = {.node = 0, .nodes = 4096, .mesh_width = 63, .fifo_words = 4096};
  EXPECT_FALSE(sni_config_ok(&config, why, sizeof why));
  EXPECT_STREQ(why, "mesh-width=63: legal range for nodes=4096 is 64 to 64");
}

}  // namespace
}  // namespace perfboard::sni
