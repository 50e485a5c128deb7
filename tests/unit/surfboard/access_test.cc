// SPDX-License-Identifier: GPL-2.0-or-later
//
// Widths, mirrors, accesses that cross registers, the unused register (A.4, A.6).
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

TEST(Access, RegistersAreMirrored1024Times) {
  SurfBench bench;
  bench.write("TPIR", 0x2abcde);
  for (uint32_t mirror = 0; mirror < 1024; ++mirror)
    ASSERT_EQ(bench.read_at(mirror * 0x40 + 0x38, 4), 0x2abcdeu) << mirror;
  bench.write_at(0xffc0 + 0x38, 0x111111, 4);
  EXPECT_EQ(bench.read("TPIR"), 0x111111u);
}

TEST(Access, BytesAndHalvesOfARegister) {
  SurfBench bench;
  bench.write("WCDR", 0x89abcdef);
  EXPECT_EQ(bench.read_at(0x24, 1), 0xefu);
  EXPECT_EQ(bench.read_at(0x27, 1), 0x89u);
  EXPECT_EQ(bench.read_at(0x26, 2), 0x89abu);
  EXPECT_EQ(bench.read_at(0x25, 2), 0xabcdu);
  bench.write_at(0x38, 0x111111, 4);
  bench.write_at(0x39, 0xff, 1);
  EXPECT_EQ(bench.read("TPIR"), 0x11ff11u);
  bench.write_at(0x3A, 0xffff, 2);
  EXPECT_EQ(bench.read("TPIR"), 0x3fff11u);
}

TEST(Access, CrossingIsSplitAsTheBusDoes) {
  SurfBench bench;
  bench.write("TTCR", 0);
  bench.write_at(0x0F, 0x00000100, 4);  // last byte of TTCR, three bytes of ECDR
  EXPECT_EQ(bench.read("ECDR"), 1u);
  bench.write("TTCR", 0x1ff);
  EXPECT_EQ(bench.read_at(0x0D, 4), 0x01000001u);
  bench.write("WCDR", 0x11223344);
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

TEST(Access, EveryOffsetAndSizeIsSafeAlsoDisabled) {
  for (bool on : {true, false}) {
    SurfBench bench({.trace = 0, .hist = 0});
    if (!on) bench.disable();
    for (uint32_t offset = 0; offset < 0x10000; offset += 7)
      for (uint32_t size : {1u, 2u, 4u}) {
        bench.write_at(offset, offset * 0x9e3779b9u, size);
        const uint32_t value = bench.read_at(offset, size);
        ASSERT_TRUE(size == 4 || value >> (8 * size) == 0);
      }
  }
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

}  // namespace
}  // namespace perfboard::surf
