// SPDX-License-Identifier: GPL-2.0-or-later
//
// FCCR and FCDR, the shift register behind ACDR, and what its fields do to a packet.
#include <algorithm>

#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

TEST(Fccr, PresenceDetectNamesTheSimm) {
  const std::pair<uint32_t, uint32_t> codes[] = {
      {0, 0xF}, {4 * kMiB, 0xC}, {16 * kMiB, 0xE}, {64 * kMiB, 0xC}};
  for (const auto& [bytes, code] : codes) {
    SurfBench trace({.trace = bytes, .hist = 0});
    EXPECT_EQ(trace.read("FCCR") >> 4 & 0xff, code << 4 | 0xF);
    SurfBench hist({.trace = 0, .hist = bytes});
    EXPECT_EQ(hist.read("FCCR") >> 4 & 0xff, 0xF0 | code);
  }
}

TEST(Fccr, ProgForcesConfigurationMode) {
  SurfBench bench;
  bench.select(0, 24);
  EXPECT_EQ(bench.read("FCCR") & 0xf, 8u);
  bench.write("FCCR", 1);
  EXPECT_FALSE(bench.is("FCCR.DONE"));
  EXPECT_TRUE(bench.is("FCCR.CFG"));
  bench.write("FCCR", 0);
  EXPECT_EQ(bench.read("FCCR") & 0xf, bits("FCCR.CFG"));
}

TEST(Fccr, LoadingASelectorChangesNothingElse) {
  SurfBench bench;
  bench.shift_in(0x02006080);
  bench.put("HTCR.WEN");
  bench.write("HFDR", 0x155);
  for (const char* name : {"TTCR", "PCLR", "IEMR", "WCDR", "TICR", "TECR", "TPIR"}) bench.write(name, 0x0a);
  bench.set_bin(7, 8);
  SurfState before = bench.state();
  configure(bench, good_stream());
  ASSERT_EQ(bench.read("FCCR") & 0xf, bits("FCCR.DONE"));
  before.has = bench.state().has;
  EXPECT_TRUE(bench.state() == before);
  EXPECT_EQ(bench.bin(7), 8u);
}

TEST(Fcdr, ClocksOneBitForEachWriteAndReadsMoveNothing) {
  SurfBench bench;
  bench.write("FCCR", 0);
  const uint32_t before = bench.state().has.count;
  bench.write("FCDR", 1);
  bench.write_at(0x04, 0, 1);
  bench.write_at(0x05, 1, 1);  // beside DATA
  EXPECT_EQ(bench.state().has.count, before + 2);
  EXPECT_EQ(bench.read("FCDR"), bench.read("FCDR"));
  EXPECT_EQ(bench.state().has.count, before + 2);
  EXPECT_EQ(bench.state().has.shift & 3, 0b10u);
}

TEST(Acdr, ShiftsInAtTheTopAndOutAtTheBottom) {
  SurfBench bench;
  bench.write("ACDR", 1);
  EXPECT_EQ(bench.state().acdr, 0x08000000u);
  for (int i = 0; i < 26; ++i) bench.write("ACDR", 0);
  EXPECT_EQ(bench.read("ACDR"), 0u);
  bench.write("ACDR", 0);
  EXPECT_EQ(bench.read("ACDR"), 1u);
  EXPECT_EQ(bench.read("ACDR"), 1u);
  bench.write("ACDR", 0);
  EXPECT_EQ(bench.recirculate(), 0u);
}

TEST(Acdr, RecirculatesInTwentyEightSteps) {
  SurfBench bench;
  bench.shift_in(0x9abcdef);
  EXPECT_EQ(bench.recirculate(), 0x9abcdefu);
  EXPECT_EQ(bench.recirculate(), 0x9abcdefu);
}

TEST(Sendid, ConcatenatesYAndX) {
  const uint32_t y = 0b101101, x = 0b010011, sender = y << 6 | x;
  EXPECT_EQ(sender_id(sender, 0), 0b1'10011u);
  EXPECT_EQ(sender_id(sender, 1), 0b01'0011u);
  EXPECT_EQ(sender_id(sender, 2), 0b101'011u);
  EXPECT_EQ(sender_id(sender, 3), 0b1101'11u);
  EXPECT_EQ(sender_id(sender, 4), 0b01101'1u);
  for (uint32_t undefined : {5u, 6u, 7u}) EXPECT_EQ(sender_id(sender, undefined), 0u);
}

TEST(Latency, WindowSelectsItsBits) {
  const auto at_ticks = [](uint64_t latency, uint32_t s, uint32_t n) {
    return latency_window(1000 + latency, 1000, s, n);
  };
  EXPECT_EQ(at_ticks(0, 0, 12).value, 0u);
  EXPECT_EQ(at_ticks(0xffffff, 0, 12).value, 0xffffffu);
  EXPECT_FALSE(at_ticks(0xffffff, 0, 12).over);
  EXPECT_EQ(at_ticks(0x1000000, 0, 12).value, 0xffffffu);
  EXPECT_TRUE(at_ticks(0x1000000, 0, 12).over);
  for (uint32_t n = 1; n <= 12; ++n)
    for (uint32_t s = 0; s <= 20; ++s) {
      const uint64_t most = (uint64_t{1} << 2 * n) - 1;
      const uint64_t last = std::min(((most + 1) << 2 * s) - 1, kTimeMask);  // the longest that fits
      const Latency fits = latency_window(last, 0, s, n);
      EXPECT_FALSE(fits.over) << n << ' ' << s;
      EXPECT_EQ(fits.value, last >> 2 * s);
      if (last == kTimeMask) continue;
      const Latency more = latency_window(last + 1, 0, s, n);
      EXPECT_TRUE(more.over) << n << ' ' << s;
      EXPECT_EQ(more.value, 0xffffffu);
    }
}

TEST(Latency, ThePapersExample) {
  // NUM = 12, START = 6: 6.4 us steps up to (2^12 - 1) * 6.4 us = 26.2 ms
  const Latency last = latency_window(4095 * 64 + 63, 0, 3, 6);
  EXPECT_EQ(last.value, 4095u);
  EXPECT_FALSE(last.over);
  EXPECT_TRUE(latency_window(4096 * 64, 0, 3, 6).over);
  EXPECT_EQ(latency_window(63, 0, 3, 6).value, 0u);
  EXPECT_EQ(latency_window(64, 0, 3, 6).value, 1u);
}

TEST(Latency, UnderflowsWhenReceivedBeforeSent) {
  const Latency equal = latency_window(500, 500, 0, 12);
  EXPECT_FALSE(equal.under);
  const Latency early = latency_window(499, 500, 0, 12);
  EXPECT_TRUE(early.under);
  EXPECT_FALSE(early.over);
  EXPECT_EQ(early.value, 0u);
  // bit 44 of the sender's clock is ignored; so a wrapped receive clock underflows
  EXPECT_EQ(latency_window(600, (uint64_t{1} << 44) + 500, 0, 12).value, 100u);
  EXPECT_TRUE(latency_window(5, kTimeMask, 0, 12).under);
}

TEST(Latency, SettingsThePaperForbids) {
  EXPECT_EQ(latency_window(0, 0, 0, 0).over, false);
  EXPECT_TRUE(latency_window(1, 0, 0, 0).over);
  EXPECT_EQ(latency_window(0xffffff, 0, 0, 15).value, 0xffffffu);
  EXPECT_TRUE(latency_window(0x1000000, 0, 0, 15).over);
  EXPECT_EQ(latency_window(kTimeMask, 0, 31, 12).value, 0u);
  SurfBench bench;
  bench.shift_in(7u << 25 | 21u << 15 | 13u << 11);
  bench.write("TTCR", 3 << 2);
  bench.put("HTCR.TEN");
  for (const char* what : {"SENDID 7", "LAT_S 21", "LAT_N 13", "MODE 3"})
    EXPECT_TRUE(bench.logged(what)) << what;
}

}  // namespace
}  // namespace perfboard::surf
