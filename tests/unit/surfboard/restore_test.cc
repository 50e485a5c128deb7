// SPDX-License-Identifier: GPL-2.0-or-later
//
// Saving and restoring: through registers and memories (3.7), and as a snapshot.
#include <cstring>

#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

constexpr const char* kPlain[] = {"TTCR", "ECDR", "PCLR", "WCDR", "TICR", "TECR", "TPIR"};
struct Saved {
  uint32_t acdr, iemr, htcr, iscr, plain[std::size(kPlain)];
  std::array<uint32_t, 4> offsets;
  std::vector<uint32_t> fifo;
  BlankMemory trace{0}, hist{0};
};

// What a driver can do; the FPGA's bitstream is the exception that the paper makes.
Saved save(SurfBench& b) {
  Saved s;
  s.iemr = b.read("IEMR");
  s.htcr = b.read("HTCR");
  b.write("IEMR", 0);
  b.write("HTCR", 0);
  s.acdr = b.recirculate();
  for (size_t i = 0; i < std::size(kPlain); ++i) s.plain[i] = b.read(kPlain[i]);
  s.iscr = b.read("ISCR");
  for (uint32_t& byte : s.offsets) byte = b.read("HFCR");
  while (b.read("ISCR") & bits("ISCR.FNE")) s.fifo.push_back(b.read("HFDR"));
  s.trace = b.trace_memory;
  s.hist = b.hist_memory;
  return s;
}

void restore(SurfBench& b, const Saved& s) {
  b.write("HTCR", 0);
  b.shift_in(s.acdr);
  for (uint32_t byte : s.offsets) b.write("HFCR", byte);
  for (uint32_t slot : s.fifo) b.write("HFDR", slot);
  for (size_t i = 0; i < std::size(kPlain); ++i) b.write(kPlain[i], s.plain[i]);
  b.trace_memory = s.trace;
  b.hist_memory = s.hist;
  b.board.config.trace = b.trace_memory.data();
  b.board.config.hist = b.hist_memory.data();
  if (s.iscr & bits("ISCR.TP")) {  // "to restore the state of the SurfBoard" (p. 59)
    b.write("HTCR", bits("HTCR.TEN"));
    b.write("HTCR", bits("HTCR.TEN") | bits("HTCR.TRG"));
  }
  b.write("HTCR", s.htcr);
  b.write("IEMR", s.iemr);
}

void configure(SurfBench& b, uint32_t mode) {
  b.shift_in(shift_value(0, 8, 1, 2));
  b.select(HAS_SIZE_SHIFT, 10);
  b.write("PCLR", 0x1c);
  b.write("TTCR", mode << 2 | 2);
  b.write("HTCR", 0);
  for (uint32_t byte : {0x10, 0x00, 0x20, 0x01}) b.write("HFCR", byte);
  b.write("WCDR", 0xfffff000);
  b.write("HTCR", bits("HTCR.WEN") | bits("HTCR.HEN") | bits("HTCR.TEN"));
}

SurfBench::Packet nth(uint32_t n) {
  return {.words = static_cast<uint16_t>(1 + n * 37 % 200),
          .sender = static_cast<uint16_t>(n * 5 % 4096),
          .color = static_cast<uint8_t>(n),
          .address = n * 4,
          .timestamp = n};
}

class Restore : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Mode, Restore, testing::Values(0u, 1u, 2u));

TEST_P(Restore, ThroughRegistersContinuesAsIfNothingHadHappened) {
  for (uint32_t cut : {0u, 3u, 12u, 14u, 30u}) {
    SurfBench plain, before, after;
    for (SurfBench* b : {&plain, &before}) {
      configure(*b, GetParam());
      b->set_bin(nth(11).words, 0xffffffff);
      b->set_bin(nth(13).words, 0xffffffff);
    }
    for (uint32_t n = 0; n < cut; ++n) {
      plain.send(nth(n));
      before.send(nth(n));
    }
    after.pass_until(before.now);
    after.select(HAS_SIZE_SHIFT, 10);
    restore(after, save(before));
    for (uint32_t n = cut; n < 40; ++n) {
      after.pass_until(plain.now);
      plain.send(nth(n));
      after.send(nth(n));
      for (const char* name : {"TTCR", "ECDR", "PCLR", "IEMR", "HTCR", "WCDR", "TICR", "TECR", "TPIR"})
        ASSERT_EQ(after.read(name), plain.read(name)) << name << ' ' << n << " cut " << cut;
    }
    EXPECT_EQ(after.trace_memory, plain.trace_memory);
    EXPECT_EQ(after.hist_memory, plain.hist_memory);
    // The latched conditions that no register write can set again are the driver's to keep.
    constexpr uint32_t lost = bits("ISCR.LU") | bits("ISCR.LV") | bits("ISCR.PV") | bits("ISCR.WCV") |
                              bits("ISCR.BV") | bits("ISCR.FV") | bits("ISCR.EXT");
    EXPECT_EQ(after.read("ISCR") & ~lost, plain.read("ISCR") & ~lost) << cut;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(after.read("HFCR"), plain.read("HFCR"));
    while (plain.read("ISCR") & bits("ISCR.FNE")) ASSERT_EQ(after.read("HFDR"), plain.read("HFDR"));
    EXPECT_EQ(after.read("ISCR") & bits("ISCR.FNE"), 0u);
    EXPECT_EQ(after.recirculate(), plain.recirculate());
  }
}

TEST_P(Restore, SnapshotWithPacketsInFlight) {
  SurfBench plain, before;
  for (SurfBench* b : {&plain, &before}) {
    configure(*b, GetParam());
    b->write("IEMR", 0x3fff & ~bits("IEMR.FPF"));
    b->set_bin(nth(5).words, 0xffffffff);
  }
  uint64_t t = plain.now;
  for (uint32_t n = 0; n < 6; ++n, t += kMinPeriodNs)
    for (SurfBench* b : {&plain, &before}) b->deliver(nth(n), t);
  ASSERT_GT(before.state().pipe_count, 0);

  SurfBench after;
  after.now = before.now;
  after.trace_memory = before.trace_memory;
  after.hist_memory = before.hist_memory;
  after.board.config.trace = after.trace_memory.data();
  after.board.config.hist = after.hist_memory.data();
  after.state() = before.state();
  std::memset(&after.state().lines, 0xff, sizeof(SurfLines));  // not in a snapshot
  after.irq = !before.irq;
  surf_post_load(&after.board);
  EXPECT_EQ(after.irq, before.irq);
  EXPECT_LE(after.armed, after.state().pipe[0].done_ns);
  for (uint32_t n = 6; n < 40; ++n, t += kMinPeriodNs)
    for (SurfBench* b : {&plain, &after}) {
      b->deliver(nth(n), t);
      EXPECT_EQ(b->irq, plain.irq);
    }
  for (SurfBench* b : {&plain, &after}) b->pass(100'000);
  for (const Register& r : kRegisters) EXPECT_EQ(after.read(r.name), plain.read(r.name)) << r.name;
  EXPECT_EQ(after.trace_memory, plain.trace_memory);
  EXPECT_EQ(after.hist_memory, plain.hist_memory);
}

TEST(Snapshot, RestoresWireLineAndWindows) {
  SurfBench before;
  before.write("ECDR", 1);
  before.write("TTCR", bits("TTCR.MEOD"));
  before.write("ISCR", bits("ISCR.EXT"));
  ASSERT_TRUE(before.driven_low);
  SurfBench after;
  const int remaps = after.remaps;
  after.state() = before.state();
  surf_post_load(&after.board);
  EXPECT_TRUE(after.driven_low);
  EXPECT_EQ(after.remaps, remaps + 1);
  EXPECT_EQ(after.read("ISCR") & bits("ISCR.EXT"), 0u);  // loading is no transition

  SurfBench released;
  after.state() = released.state();
  surf_post_load(&after.board);
  EXPECT_FALSE(after.driven_low);
  EXPECT_EQ(after.state().ext_high, 1);
}

// The wire of the machine that loads was at another level: neither that nor the load is a change.
TEST(Snapshot, KeepsTheInputOfAPacketUnderWay) {
  SurfBench before;
  before.shift_in(shift_value(0));
  before.write("TTCR", 1);
  before.write("HTCR", bits("HTCR.TEN"));
  before.pull(true);
  const uint64_t first = before.now;
  before.pass(10);
  before.pull(false);
  before.pass(10);
  SurfBench after;
  after.now = before.now;
  after.others_low = true;
  after.state() = before.state();
  surf_post_load(&after.board);
  EXPECT_EQ(after.state().ext_changed_ns[1], first);
  after.pull(false);
  after.deliver({.length_ns = 500}, first);
  after.pass(kAfterEnd);
  EXPECT_NE(after.read("HTCR") & bits("HTCR.TRG"), 0u);
}

// Nobody who hears of the wire while it is loaded may make an edge of it.
TEST(SurfLoad, IsNoEdge) {
  for (const bool inverted : {false, true}) {
    SurfBench before;
    before.pull(inverted);
    before.write("TTCR", inverted ? bits("TTCR.EIP") : 0);  // the input is FALSE
    before.write("ISCR", bits("ISCR.EXT"));
    SurfBench after;
    after.pull(!inverted);
    char why[PB_WHY_BYTES] = "";
    EXPECT_TRUE(surf_load(&after.board, &before.state(), why, sizeof why)) << why;
    EXPECT_EQ(after.state().ext_high, !inverted);
    EXPECT_EQ(after.read("ISCR") & bits("ISCR.EXT"), 0u) << inverted;
  }
}

}  // namespace
}  // namespace perfboard::surf
