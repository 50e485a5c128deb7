// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers of A.5 and A.6 that act or move, and how each is reached.
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

// Of the others every board is asked (unit-board-surfboard).
TEST(Registers, ThoseThatMoveOrActAreAtFirstAsTheirTableSays) {
  for (const char* name : {"FCCR", "FCDR", "ACDR", "ISCR", "HFCR", "HFDR"}) {
    SurfBench bench({.trace = 0, .hist = 0});
    EXPECT_EQ(bench.read(name), at(kRegisters, name).reset()) << name;
  }
}

TEST(Registers, UnusedBitsReadZeroAndIgnoreWrites) {
  for (const Register& r : kRegisters) {
    SurfBench bench;
    bench.shift_in(shift_value(3));
    uint32_t named = 0;
    for (const Field& f : r.fields) named |= f.mask();
    bench.write_at(r.offset, ~named, 4);
    EXPECT_EQ(bench.read_at(r.offset, 4) & ~named, 0u) << r.name;
    bench.write_at(r.offset, 0xffffffff, 4);
    EXPECT_EQ(bench.read_at(r.offset, 4) & ~named, 0u) << r.name;
  }
}

TEST(Registers, ReservedBitsOfHfcrInThePaperAreTypos) {
  SurfBench bench;
  bench.write("HTCR", 0);
  bench.write("HFCR", 0x1a5);
  for (int i = 0; i < 3; ++i) bench.read("HFCR");
  EXPECT_EQ(bench.read("HFCR"), 0xa5u);
}

// A.6's tables, pages 51 to 62, once more: copied by hand from the paper, not from registers.h.
struct OfThePaper {
  uint32_t offset;
  std::string_view name;
  std::vector<std::tuple<std::string_view, int, int>> fields;
};
const OfThePaper kPaper[] = {
    {0x0000,
     "FCCR",
     {{"TSPD", 11, 8}, {"HSPD", 7, 4}, {"DONE", 3, 3}, {"ERR", 2, 2}, {"CFG", 1, 1}, {"PROG", 0, 0}}},
    {0x0004, "FCDR", {{"DATA", 0, 0}}},
    {0x0008, "ACDR", {{"DATA", 0, 0}}},
    {0x000C,
     "TTCR",
     {{"EIP", 8, 8},
      {"EOP", 7, 7},
      {"MEOD", 6, 6},
      {"MEI", 5, 5},
      {"MBV", 4, 4},
      {"MODE", 3, 2},
      {"QUAL", 1, 0}}},
    {0x0010, "ECDR", {{"DATA", 0, 0}}},
    {0x0014, "PCLR", {{"LED", 4, 4}, {"CAT", 3, 0}}},
    {0x0018,
     "ISCR",
     {{"PEND", 31, 31},
      {"RTV", 13, 13},
      {"LU", 12, 12},
      {"LV", 11, 11},
      {"PV", 10, 10},
      {"WCV", 9, 9},
      {"BV", 8, 8},
      {"FV", 7, 7},
      {"FF", 6, 6},
      {"FAF", 5, 5},
      {"FPF", 4, 4},
      {"FNE", 3, 3},
      {"EXT", 2, 2},
      {"TP", 1, 1},
      {"TC", 0, 0}}},
    {0x001C,
     "IEMR",
     {{"RTV", 13, 13},
      {"LU", 12, 12},
      {"LV", 11, 11},
      {"PV", 10, 10},
      {"WCV", 9, 9},
      {"BV", 8, 8},
      {"FV", 7, 7},
      {"FF", 6, 6},
      {"FAF", 5, 5},
      {"FPF", 4, 4},
      {"FNE", 3, 3},
      {"EXT", 2, 2},
      {"TP", 1, 1},
      {"TC", 0, 0}}},
    {0x0020,
     "HTCR",
     {{"PRS", 5, 5}, {"FRS", 4, 4}, {"TRG", 3, 3}, {"WEN", 2, 2}, {"HEN", 1, 1}, {"TEN", 0, 0}}},
    {0x0024, "WCDR", {{"DATA", 31, 0}}},
    {0x0028, "HFCR", {{"DATA", 7, 0}}},  // the table's "0" is a typo: it says that 31..8 are unused
    {0x002C, "HFDR", {{"LSB", 8, 8}, {"DATA", 7, 0}}},
    {0x0030, "TICR", {{"DATA", 21, 0}}},
    {0x0034, "TECR", {{"DATA", 22, 0}}},
    {0x0038, "TPIR", {{"DATA", 21, 0}}},
};

TEST(Registers, AreWhereThePaperHasThem) {
  ASSERT_EQ(std::size(kRegisters), std::size(kPaper));
  for (const OfThePaper& paper : kPaper) {
    const Register& r = at(kRegisters, paper.name);
    EXPECT_EQ(r.offset, paper.offset) << paper.name;
    std::vector<std::tuple<std::string_view, int, int>> fields;
    for (const Field& f : r.fields) fields.emplace_back(f.name, f.msb, f.lsb);
    EXPECT_EQ(fields, paper.fields) << paper.name;
  }
}

TEST(Ebcr, HoldsItsFieldsByteByByte) {
  SurfBench bench;
  bench.io_write(0xC84, 0, 4);
  bench.io_write(0xC87, 0xE1, 1);
  bench.io_write(0xC86, 0x23, 1);
  bench.io_write(0xC85, 0xff, 1);
  bench.io_write(0xC84, 0xff, 1);
  EXPECT_EQ(bench.io_read(0xC84, 4), 0xE123FF01u);
  EXPECT_EQ(surf_window_registers(&bench.board), 0xE1230000u);
  EXPECT_EQ(surf_window_memory(&bench.board), 0xF8000000u);
  EXPECT_TRUE(surf_enabled(&bench.board));
  bench.io_write(0xC85, 0x0f, 1);
  EXPECT_EQ(surf_window_memory(&bench.board), 0x08000000u);
}

TEST(Ebcr, WordAccessAcrossEpirAndBeyondTheRegisters) {
  SurfBench bench;
  EXPECT_EQ(bench.io_read(0xC83, 2), (bench.state().ebcr & 0xff) << 8 | 0x10u);
  EXPECT_EQ(bench.io_read(0xC87, 2), 0xff00u | bench.state().ebcr >> 24);
  EXPECT_EQ(bench.io_read(0xC88, 4), 0xffffffffu);
  bench.io_write(0xC83, 0x0055, 2);  // EPIR's byte ignored, EBCR's lowest written: disabled
  EXPECT_FALSE(surf_enabled(&bench.board));
}

TEST(Ebcr, TellsTheMachineWhenTheWindowsMove) {
  SurfBench bench;
  const int before = bench.remaps;
  bench.io_write(0xC84, bench.state().ebcr, 4);
  EXPECT_EQ(bench.remaps, before);
  bench.io_write(0xC87, 0x77, 1);
  EXPECT_EQ(bench.remaps, before + 1);
}

TEST(BusReset, DisablesAndKeepsTheRest) {
  SurfBench bench;
  bench.write("WCDR", 5);
  bench.write("IEMR", 0x3fff);
  bench.put("HTCR.WEN");
  bench.write("FCCR", 0);
  bench.deliver({.eod = false}, bench.now);
  surf_bus_reset(&bench.board);
  EXPECT_FALSE(surf_enabled(&bench.board));
  bench.enable();
  EXPECT_EQ(bench.read("IEMR"), 0u);
  EXPECT_EQ(bench.read("WCDR"), 5u);
  EXPECT_EQ(bench.read("HTCR"), bits("HTCR.WEN"));
  EXPECT_EQ(bench.read("FCCR") & 1, 0u);
  bench.send();  // the damaged packet is gone from the pipeline (p. 59)
  EXPECT_EQ(bench.read("WCDR"), 6u);
}

TEST(Disabled, OnlyTheSlotRegistersAnswer) {
  SurfBench bench;
  bench.write("WCDR", 0x12345678);
  bench.disable();
  EXPECT_EQ(bench.read("WCDR"), 0xffffffffu);
  EXPECT_EQ(bench.read_at(0x24, 1), 0xffu);
  EXPECT_EQ(bench.read_at(0x24, 2), 0xffffu);
  bench.write("WCDR", 0);
  EXPECT_TRUE(bench.logged("EBCR.ENABLE"));
  EXPECT_EQ(bench.io_read(0xC80, 4), SURF_PRODUCT_ID);
  bench.enable();
  EXPECT_EQ(bench.read("WCDR"), 0x12345678u);
}

TEST(Disabled, LosesIemrAndKeepsEverythingElse) {
  SurfBench bench;
  bench.shift_in(0x0abcdef);
  const std::pair<const char*, uint32_t> kept[] = {{"TTCR", 0x1ac}, {"ECDR", 1},      {"PCLR", 0x15},
                                                   {"WCDR", 77},    {"TECR", 0x1234}, {"TPIR", 0x2345}};
  for (const auto& [name, value] : kept) bench.write(name, value);
  bench.write("HTCR", 0);
  bench.write_at(0x2C, 0x1aa, 2);
  bench.write("IEMR", 0x3fff);
  bench.disable();
  bench.enable();
  EXPECT_EQ(bench.read("IEMR"), 0u);
  for (const auto& [name, value] : kept) EXPECT_EQ(bench.read(name), value) << name;
  EXPECT_EQ(bench.recirculate(), 0x0abcdefu);
  EXPECT_EQ(bench.read("HFDR"), 0x1aau);
}

TEST(Leds, ShowTheirSignals) {
  SurfBench bench;
  const auto lit = [&] {
    std::string all;
    for (int n = 1; n <= 10; ++n)
      if (surf_leds(&bench.board) >> (n - 1) & 1) all += ' ' + std::to_string(n);
    return all;
  };
  bench.pass(1'000'000'000);
  EXPECT_EQ(lit(), "");
  bench.pull(true);
  EXPECT_EQ(lit(), " 1");
  bench.pull(false);
  surf_bus_reset(&bench.board);
  EXPECT_EQ(lit(), " 2");
  bench.pass(kLedFlashNs - 1);
  EXPECT_EQ(lit(), " 2");
  bench.pass(1);
  EXPECT_EQ(lit(), "");
  bench.enable();
  EXPECT_EQ(lit(), " 6");
  bench.put("HTCR.TRG", "HTCR.TEN");
  EXPECT_EQ(lit(), " 3 5 6");
  bench.write("HFDR", 1);
  EXPECT_EQ(lit(), " 3 4 5 6");
  bench.put("IEMR.FNE");
  EXPECT_EQ(lit(), " 3 4 5 6 7");
  bench.put("PCLR.LED");
  EXPECT_EQ(lit(), " 3 4 5 6 7 10");
  bench.send();
  EXPECT_EQ(lit(), " 3 4 5 6 7 8 9 10");
  bench.pass(2 * kLedFlashNs);
  EXPECT_EQ(lit(), " 3 4 5 7 10");
  bench.deliver({.eod = false}, bench.now);
  bench.pass(2 * kLedFlashNs);
  EXPECT_EQ(lit(), " 3 4 5 7 9 10") << "a packet is still in Stage 1";
}

// --- accesses to the memories: announced while packets can reach them, and while LED 6 is dark ---

class MemoryAccess : public testing::Test {
 protected:
  MemoryAccess() { bench.pass(2 * kLedFlashNs); }
  bool led6() { return surf_leds(&bench.board) >> 5 & 1; }
  SurfBench bench;
};

TEST_F(MemoryAccess, LightsLed6AndThenNeedsNoAnnouncementUntilItIsDark) {
  EXPECT_TRUE(bench.watched);
  EXPECT_FALSE(led6());
  surf_memory_access(&bench.board);
  EXPECT_TRUE(led6());
  EXPECT_FALSE(bench.watched);
  EXPECT_EQ(bench.armed, bench.now + kLedFlashNs);
  bench.pass(kLedFlashNs - 1);
  EXPECT_TRUE(led6());
  EXPECT_FALSE(bench.watched);
  bench.pass(1);
  EXPECT_FALSE(led6());
  EXPECT_TRUE(bench.watched);
  EXPECT_EQ(bench.armed, PB_NEVER);
}

TEST_F(MemoryAccess, DoesNotProlongTheLight) {
  bench.put("HTCR.HEN");  // a register lights it, too
  bench.pass(kLedFlashNs - 1);
  surf_memory_access(&bench.board);
  EXPECT_TRUE(led6());
  bench.pass(1);
  EXPECT_FALSE(led6());
}

TEST_F(MemoryAccess, IsAnnouncedWhilePacketsCanReachAMemory) {
  for (uint32_t on : {bits("HTCR.HEN"), bits("HTCR.TEN"), bits("HTCR.HEN") | bits("HTCR.WEN")}) {
    bench.write("HTCR", 0);
    surf_memory_access(&bench.board);
    EXPECT_FALSE(bench.watched);
    bench.write("HTCR", on);
    EXPECT_TRUE(bench.watched);
    surf_memory_access(&bench.board);
    EXPECT_TRUE(bench.watched);
    bench.write("HTCR", 0);
    surf_memory_access(&bench.board);
    EXPECT_FALSE(bench.watched);
  }
  bench.put("HTCR.WEN");
  EXPECT_FALSE(bench.watched);
}

TEST_F(MemoryAccess, IsAnnouncedAfterPowerOnAndAfterASnapshot) {
  surf_memory_access(&bench.board);
  ASSERT_FALSE(bench.watched);
  surf_power_on(&bench.board);
  EXPECT_TRUE(bench.watched);
  bench.enable();
  surf_memory_access(&bench.board);
  ASSERT_FALSE(bench.watched);
  surf_post_load(&bench.board);
  EXPECT_TRUE(bench.watched);
}

// --- widths, mirrors, accesses that cross registers, the unused register (A.4, A.6) ------

TEST(Access, RegistersAreMirrored1024Times) {
  SurfBench bench;
  bench.write("TPIR", 0x2abcde);
  for (uint32_t mirror = 0; mirror < 1024; ++mirror)
    ASSERT_EQ(bench.read_at(mirror * 0x40 + 0x38, 4), 0x2abcdeu) << mirror;
  bench.write_at(0xffc0 + 0x38, 0x111111, 4);
  EXPECT_EQ(bench.read("TPIR"), 0x111111u);
}

TEST(Access, CrossingIsSplitAsTheBusDoes) {
  SurfBench bench;
  bench.write("TTCR", 0);
  bench.write_at(0x0F, 0x00000100, 4);  // last byte of TTCR, three bytes of ECDR
  EXPECT_EQ(bench.read("ECDR"), 1u);
  bench.write("TTCR", 0x1ff);
  EXPECT_EQ(bench.read_at(0x0D, 4), 0x01000001u);
  bench.write("WCDR", 0x11223344);
  EXPECT_EQ(bench.read_at(0x25, 2), 0x2233u);
  bench.write_at(0x22, 0xffffffff, 4);  // half of WCDR: narrow, ignored
  EXPECT_EQ(bench.read("WCDR"), 0x11223344u);
}

TEST(Access, UnusedRegisterReadsIdleAndIgnoresWrites) {
  SurfBench bench;
  EXPECT_EQ(bench.read_at(0x3C, 4), 0xffffffffu);
  EXPECT_EQ(bench.read_at(0x3E, 1), 0xffu);
  bench.write_at(0x3C, 0, 4);
  EXPECT_EQ(bench.read_at(0x3C, 4), 0xffffffffu);
  EXPECT_TRUE(bench.logged("0x3c"));
}

TEST(Access, AcrossTheMirrorsSeamItWraps) {
  SurfBench bench;
  EXPECT_EQ(bench.read_at(0xfffe, 4) >> 16, bench.read_at(0, 2));
}

TEST(Access, MovingRegistersMoveOnlyWithTheirDataByte) {
  SurfBench bench;
  bench.write("HTCR", 0);
  bench.shift_in(1);
  bench.write_at(0x09, 1, 1);
  bench.write_at(0x0A, 1, 2);
  EXPECT_EQ(bench.recirculate(), 1u);
  bench.write_at(0x2C, 0x1ab, 2);
  EXPECT_EQ(bench.read_at(0x2D, 1), 1u);  // the LSB flag of the oldest, which stays
  EXPECT_EQ(bench.read_at(0x2C, 2), 0x1abu);
  bench.write_at(0x29, 0x55, 1);
  EXPECT_EQ(bench.read_at(0x29, 1), 0u);
  EXPECT_EQ(bench.read("HFCR"), 7u);  // still Empty LSB
}

TEST(Access, AllOthersTakeBytes) {
  for (const Register& r : kRegisters)
    EXPECT_EQ(r.min_write_bytes == 4, r.name == "WCDR" || r.name == "TICR" || r.name == "TECR") << r.name;
}

}  // namespace
}  // namespace perfboard::surf
