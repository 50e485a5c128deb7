// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every register and field of the map, in every width, and that the driver's header says the same.
#include <set>

#include "guest/shrimp/regs.h"
#undef SNI_PAGES  // sni_state.h has the same, from the model's side
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

struct SniRegisters : testing::Test {
  SniBench bench;
  SniBoard* b = bench.board();
  uint32_t get(uint32_t at, uint32_t size = 4) { return sni_reg_read(b, at, size); }
  void put(uint32_t at, uint32_t v, uint32_t size = 4) { sni_reg_write(b, at, v, size); }
};

TEST_F(SniRegisters, ResetValuesAreTheTables) {
  sni_power_on(b);
  bench.run_for(0);
  const std::set<std::string_view> configured = {"NODE", "MESH"};
  for (const Register& r : kRegisters) {
    if (configured.contains(r.name)) continue;
    EXPECT_EQ(get(r.offset), r.reset()) << r.name;
  }
  for (uint32_t page : {0u, 1u, 32767u}) {
    EXPECT_EQ(get(kOutTable + 8 * page), kTableEntries[0].reset());
    EXPECT_EQ(get(kOutTable + 8 * page + 4), kTableEntries[1].reset());
    EXPECT_EQ(get(kInTable + 4 * page), kTableEntries[2].reset());
  }
  EXPECT_EQ(sni_io_read(b, 0xc84, 4), 0u);
}

// What software can store, it reads back: exactly the rw bits, in every width and lane.
TEST_F(SniRegisters, EveryWritableBitAndNoOther) {
  for (const Register& r : kRegisters) {
    if (r.name == "SCR" || r.name == "SISR" || r.name == "DUWC")
      continue;  // writing these does something: below
    const uint32_t rw = r.mask(Access::rw), fixed = get(r.offset) & ~rw;
    if (rw == 0) {
      const uint32_t before = get(r.offset);
      put(r.offset, ~before);
      EXPECT_EQ(get(r.offset), before) << r.name;
      continue;
    }
    for (uint32_t size : {1u, 2u, 4u}) {
      for (uint32_t lane = 0; lane < 4; lane += size) {
        put(r.offset, 0);
        EXPECT_EQ(get(r.offset), fixed) << r.name;
        put(r.offset + lane, ~0u, size);
        const uint32_t touched = uint32_t(((1ull << (8 * size)) - 1) << (8 * lane));
        EXPECT_EQ(get(r.offset), fixed | (rw & touched)) << r.name << " size " << size << " lane " << lane;
        EXPECT_EQ(get(r.offset + lane, size), (get(r.offset) & touched) >> (8 * lane)) << r.name;
      }
    }
    for (const Field& f : r.fields) {
      put(r.offset, 0);
      for (uint32_t bit = f.lsb; bit <= f.msb; bit++) {
        put(r.offset, 1u << bit);
        EXPECT_EQ(get(r.offset) & rw, (1u << bit) & rw) << r.name << "." << f.name << " bit " << bit;
      }
    }
    put(r.offset, r.reset());
  }
}

TEST_F(SniRegisters, PageTablesKeepTheirBits) {
  for (uint32_t page : {0u, 5u, 0x4321u, 32767u}) {
    const uint32_t out = kOutTable + 8 * page, in = kInTable + 4 * page;
    put(out, ~0u);
    put(out + 4, ~0u);
    put(in, ~0u);
    EXPECT_EQ(get(out), 0x8fff7fffu);
    EXPECT_EQ(get(out + 4), 0x1fu);
    EXPECT_EQ(get(in), 0x1f3u);
    EXPECT_EQ(get(in + 1, 1), 1u) << "COLOR's top bits";
    put(out + 3, 0, 1);
    EXPECT_EQ(get(out), 0x00ff7fffu) << "AU off by a byte write";
    EXPECT_FALSE(sni_page_mapped(b, uint64_t{page} << 12));
    put(out + 2, 0, 2);
    EXPECT_EQ(get(out), 0x7fffu);
    put(in, 0);
    EXPECT_EQ(get(in), 0x100u);
    if (page != 32767) {
      EXPECT_EQ(get(out + 8), 0u) << "the neighbour";
      EXPECT_EQ(get(in + 4), 0x100u);
    }
  }
}

TEST_F(SniRegisters, ScrPulsesReadZero) {
  put(0, 0x3f | 0xffffffc0u);
  EXPECT_EQ(get(0), 7u);
  EXPECT_EQ(bench.global_resets, 1u);
}

TEST_F(SniRegisters, GlobalResetSetsTheClockToZero) {
  bench.run_for(12'345);
  EXPECT_EQ(bench.read("CLKL"), 123u);
  put(0, 7 | bit::kGrst);
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

// SISR: writing 0 clears nothing, writing 1 that bit and no other; SIER lets each through alone.
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

TEST_F(SniRegisters, EveryInterruptBit) {
  for (uint32_t bit = 0; bit < 8; bit++) {
    bench.write("SIER", 0);
    bench.state().sisr = 0xff;
    put(8, 0);
    EXPECT_EQ(bench.read("SISR"), 0xffu);
    EXPECT_FALSE(bench.irq);
    bench.write("SIER", 0xff & ~(1u << bit));
    EXPECT_TRUE(bench.irq);
    EXPECT_EQ(bench.read("SISR"), 0x800000ffu);
    put(8, 0x80000000u | (0xff & ~(1u << bit)));
    EXPECT_EQ(bench.read("SISR"), 1u << bit);
    EXPECT_FALSE(bench.irq);
    bench.write("SIER", 1u << bit);
    EXPECT_TRUE(bench.irq);
    put(8, 1u << bit, 1);
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
  sni_io_write(b, 0xc84, 0, 1);
  EXPECT_FALSE(bench.irq) << "disabled";
}

TEST_F(SniRegisters, NodeAndMesh) {
  SniBench other{{.node = 11, .nodes = 14, .width = 4}};
  EXPECT_EQ(other.read("NODE"), 11u << 16 | 2 << 6 | 3);
  EXPECT_EQ(other.read("MESH"), 14u << 16 | 4 << 8 | 4);
}

TEST_F(SniRegisters, SlotRegisters) {
  EXPECT_EQ(sni_io_read(b, 0xc80, 4), EISA_SNI_ID);
  for (uint32_t i = 0; i < 4; i++) EXPECT_EQ(sni_io_read(b, 0xc80 + i, 1), EISA_SNI_ID >> (8 * i) & 0xff);
  sni_io_write(b, 0xc80, 0xff, 1);
  EXPECT_EQ(sni_io_read(b, 0xc80, 4), EISA_SNI_ID);
  const unsigned remaps = bench.remaps;
  sni_io_write(b, 0xc84, ~0u, 4);
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
  EXPECT_EQ(get(0x180), 2u);
  bench.state().counter[AUS] = 0x3'00000000ull;
  EXPECT_EQ(get(0x184), 1u) << "latched with the low word";
  EXPECT_EQ(get(0x18c), 7u) << "of another counter: as it is";
  for (uint32_t at = kCounters; at < kTermsEnd; at += 4) put(at, 0);  // read only
  EXPECT_EQ(bench.counter(AUS), 0x3'00000000ull);
  bench.state().latency[TOTAL] = {5, 6, 7};
  EXPECT_EQ(get(0x258), 6u);
  EXPECT_EQ(get(0x25c), 7u);
  put(0, 7 | bit::kCrst);
  for (const Counter& c : kCounterTable) EXPECT_EQ(bench.counter(c.index), 0u) << c.name;
  for (uint32_t t = 0; t < SNI_TERMS; t++) {
    EXPECT_EQ(get(kTerms + 16 * t), 0u);
    EXPECT_EQ(get(kTerms + 16 * t + 8), ~0u) << "the least of none";
    EXPECT_EQ(get(kTerms + 16 * t + 12), 0u);
  }
}

TEST_F(SniRegisters, NothingThereReadsIdleAndIsLoggedByName) {
  for (uint32_t at : {0x2cu, 0x50u, 0x178u, 0x17cu, 0x1a0u, 0x260u, 0x3fffcu, 0xa0000u, 0xffffcu}) {
    bench.logs.clear();
    EXPECT_EQ(get(at), ~0u) << std::hex << at;
    EXPECT_EQ(get(at, 2), 0xffffu);
    EXPECT_EQ(get(at + 1, 1), 0xffu);
    put(at, 1);
    ASSERT_EQ(bench.logs.size(), 4u);
    char name[16];
    std::snprintf(name, sizeof name, "0x%05x", at);
    EXPECT_NE(bench.logs[0].find(name), std::string::npos) << bench.logs[0];
  }
  EXPECT_EQ(get(2, 4), ~0u) << "across two registers";
}

TEST_F(SniRegisters, BadPropertiesAreNamed) {
  struct {
    uint16_t node, nodes, width;
    uint32_t fifo;
    const char *name, *value, *range;
  } const cases[] = {
      {0, 0, 1, 4096, "nodes", "=0", "1 to 4096"},      {0, 4097, 64, 4096, "nodes", "=4097", "1 to 4096"},
      {4, 4, 2, 4096, "node", "=4", "0 to 3"},          {0, 4, 0, 4096, "mesh-width", "=0", "1 to 64"},
      {0, 4, 65, 4096, "mesh-width", "=65", "1 to 64"}, {0, 4096, 63, 4096, "mesh-width", "=63", "64 to 64"},
      {0, 4, 2, 1099, "fifo-words", "=1099", "1100"},   {0, 4, 2, 65537, "fifo-words", "=65537", "65536"},
  };
  for (const auto& c : cases) {
    char why[160] = "";
    const SniConfig config = {.node = c.node, .nodes = c.nodes, .mesh_width = c.width, .fifo_words = c.fifo};
    EXPECT_FALSE(sni_config_ok(&config, why, sizeof why));
    for (const char* part : {c.name, c.value, c.range})
      EXPECT_NE(std::string(why).find(part), std::string::npos) << why;
  }
}

// The driver's header was transcribed from the manual, not from the tables: they must agree.
TEST(SniGuestHeader, AgreesWithTheTables) {
  const auto reg = [](std::string_view name) { return at(kRegisters, name); };
  const auto field = [&](std::string_view r, std::string_view f) { return reg(r).field(f).mask(); };
  EXPECT_EQ(SNI_EPIR, kIoRegisters[0].offset);
  EXPECT_EQ(SNI_SBCR, kIoRegisters[1].offset);
  EXPECT_EQ(SNI_PRODUCT_ID, EISA_SNI_ID);
  EXPECT_EQ(SNI_SBCR_BASE_MASK, kIoRegisters[1].field("BASE").mask());
  EXPECT_EQ(SNI_SBCR_IRLEV_MASK, kIoRegisters[1].field("IRLEV").mask());
  EXPECT_EQ(SNI_SBCR_ENABLE, kIoRegisters[1].field("ENABLE").mask());
  EXPECT_EQ(SNI_WINDOW, kWindowBytes);
#define SAME_OFFSET(n) EXPECT_EQ(uint32_t{SNI_##n}, reg(#n).offset) << #n
  SAME_OFFSET(SCR);
  SAME_OFFSET(SSR);
  SAME_OFFSET(SISR);
  SAME_OFFSET(SIER);
  SAME_OFFSET(NODE);
  SAME_OFFSET(MESH);
  SAME_OFFSET(FSIZE);
  SAME_OFFSET(FCNT);
  SAME_OFFSET(FHWM);
  SAME_OFFSET(FLWM);
  SAME_OFFSET(CTOR);
  SAME_OFFSET(CLKL);
  SAME_OFFSET(CLKH);
  SAME_OFFSET(RXPG);
  SAME_OFFSET(RXEP);
  SAME_OFFSET(DUSA);
  SAME_OFFSET(DUDA);
  SAME_OFFSET(DUDN);
  SAME_OFFSET(DUWC);
#define SAME_BIT(r, f) EXPECT_EQ(uint32_t{SNI_##r##_##f}, field(#r, #f)) << #r "." #f
  SAME_BIT(SCR, EN);
  SAME_BIT(SCR, AUE);
  SAME_BIT(SCR, TSE);
  SAME_BIT(SCR, GRST);
  SAME_BIT(SCR, FLUSH);
  SAME_BIT(SCR, CRST);
  SAME_BIT(SSR, OPEN);
  SAME_BIT(SSR, FULL);
  SAME_BIT(SSR, AHW);
  SAME_BIT(SSR, BLW);
  SAME_BIT(SSR, EMPTY);
  SAME_BIT(SSR, DUB);
  SAME_BIT(SSR, RXB);
  SAME_BIT(SISR, PEND);
#define SAME_EVENT(f) \
  SAME_BIT(SISR, f);  \
  SAME_BIT(SIER, f)
  SAME_EVENT(CKV);
  SAME_EVENT(DUE);
  SAME_EVENT(DUD);
  SAME_EVENT(OVF);
  SAME_EVENT(RXE);
  SAME_EVENT(RXI);
  SAME_EVENT(LW);
  SAME_EVENT(HW);
  EXPECT_EQ(SNI_NODE_COORD_MASK, field("NODE", "X") | field("NODE", "Y"));
  EXPECT_EQ(SNI_COORD_X_MASK, field("DUDN", "X"));
  EXPECT_EQ(SNI_COORD_Y_MASK, field("DUDN", "Y"));
  EXPECT_EQ(SNI_NODE_NUMBER_MASK, field("NODE", "NODE"));
  EXPECT_EQ(SNI_MESH_WIDTH_MASK, field("MESH", "WIDTH"));
  EXPECT_EQ(SNI_MESH_HEIGHT_MASK, field("MESH", "HEIGHT"));
  EXPECT_EQ(SNI_MESH_NODES_MASK, field("MESH", "NODES"));
  EXPECT_EQ(SNI_CTOR_CLOCKS_MASK, field("CTOR", "CLOCKS"));
  EXPECT_EQ(SNI_CLKH_CLOCK_MASK, field("CLKH", "HIGH"));
  EXPECT_EQ(SNI_RX_PAGE_MASK, field("RXPG", "PAGE"));
  EXPECT_EQ(SNI_RX_SENDER_MASK, field("RXEP", "SENDER"));
  EXPECT_EQ(SNI_DUDA_ADDR_MASK, field("DUDA", "ADDRESS"));
  EXPECT_EQ(SNI_DUWC_WORDS_MASK, field("DUWC", "WORDS"));
  const uint32_t counters[] = {SNI_TXP,  SNI_TXW,  SNI_RXP,  SNI_RXW,  SNI_RXD,  SNI_TXU,  SNI_OVFC,
                               SNI_DUP,  SNI_ENDD, SNI_ENDR, SNI_ENDN, SNI_ENDB, SNI_ENDT, SNI_ENDP,
                               SNI_ENDF, SNI_AUS,  SNI_AUW,  SNI_BRD,  SNI_BWR};
  ASSERT_EQ(std::size(counters), std::size(kCounterTable));
  for (size_t i = 0; i < std::size(counters); i++)
    EXPECT_EQ(counters[i], kCounters + 8 * kCounterTable[i].index) << kCounterTable[i].name;
  const uint32_t terms[] = {SNI_LAT_COMB, SNI_LAT_FIFO, SNI_LAT_BACK,
                            SNI_LAT_EISA, SNI_LAT_XFER, SNI_LAT_TOTAL};
  for (size_t i = 0; i < std::size(terms); i++) EXPECT_EQ(terms[i], kTerms + 16 * i) << kTermTable[i].name;
  EXPECT_EQ(SNI_OPT(5), kTableEntries[0].offset + 40);
  EXPECT_EQ(SNI_IPT(5), kTableEntries[2].offset + 20);
  EXPECT_EQ(SNI_OPT0_AU, kTableEntries[0].field("AU").mask());
  EXPECT_EQ(SNI_OPT0_DNODE_MASK, kTableEntries[0].field("DNODE").mask());
  EXPECT_EQ(SNI_OPT0_DPAGE_MASK, kTableEntries[0].field("DPAGE").mask());
  EXPECT_EQ(SNI_OPT1_TOE, kTableEntries[1].field("TOE").mask());
  EXPECT_EQ(SNI_OPT1_BOUND_MASK, kTableEntries[1].field("BOUND").mask());
  EXPECT_EQ(SNI_OPT1_COMB, kTableEntries[1].field("COMB").mask());
  EXPECT_EQ(SNI_IPT_COLOR_MASK,
            kTableEntries[2].field("COLOR").mask() | kTableEntries[2].field("COLOR01").mask());
  EXPECT_EQ(SNI_IPT_INT, kTableEntries[2].field("INT").mask());
  EXPECT_EQ(SNI_IPT_VALID, kTableEntries[2].field("VALID").mask());
}

}  // namespace
}  // namespace perfboard::sni
