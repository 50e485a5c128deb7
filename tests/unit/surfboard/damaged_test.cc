// SPDX-License-Identifier: GPL-2.0-or-later
//
// A snapshot that was damaged: refused, with the member, its value and what is legal; the board is as
// after power-on and works. With sanitizers this also shows that nothing is touched outside of buffers.
#include <algorithm>
#include <functional>
#include <ostream>

#include "hw/fpga/load.h"
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

struct Damage {
  const char* member;
  std::function<void(SurfState&)> make;
  friend void PrintTo(const Damage& d, std::ostream* out) { *out << d.member; }
};

// Packets in the pipeline, a bitstream half loaded, slots in the FIFO, the line up, the wire pulled.
void make_busy(SurfBench& b) {
  b.shift_in(shift_value(1));
  b.write("FCCR", 0);
  for (int i = 0; i < 100; ++i) b.write("FCDR", (0b0010 >> (11 - std::min(i, 11))) & 1);
  b.state().has.phase = xc4000::kFrameData;
  b.state().has.bit = 100;
  b.write("HTCR", 0);
  b.write("HFDR", 0x155);
  b.write("IEMR", bits("IEMR.FNE"));
  b.write("ECDR", 1);
  b.write("TTCR", bits("TTCR.MEOD"));
  b.write("PCLR", 3);
  b.write("HTCR", bits("HTCR.TEN") | bits("HTCR.HEN"));
  for (int i = 0; i < 3; ++i) b.deliver({.words = 4}, b.now + 1080);
}

TEST(SurfDamaged, TheBoardOfTheseTestsIsBusy) {
  SurfBench b;
  make_busy(b);
  EXPECT_GE(b.state().pipe_count, 1);
  EXPECT_TRUE(b.irq);
  EXPECT_TRUE(b.driven_low);
  char why[PB_WHY_BYTES] = "";
  EXPECT_TRUE(surf_state_ok(&b.board, &b.state(), why, sizeof why)) << why;
}

class SurfDamaged : public testing::TestWithParam<Damage> {};

TEST_P(SurfDamaged, IsRefusedAndLeavesABoardThatWasReset) {
  SurfBench b;
  make_busy(b);
  SurfState image = b.state();
  GetParam().make(image);
  char why[PB_WHY_BYTES] = "";
  EXPECT_FALSE(surf_load(&b.board, &image, why, sizeof why));
  EXPECT_EQ(std::string(why).rfind(GetParam().member, 0), 0u) << why;
  EXPECT_NE(std::string(why).find("="), std::string::npos) << why;

  EXPECT_FALSE(b.irq);
  EXPECT_FALSE(b.driven_low);
  EXPECT_EQ(b.armed, PB_NEVER);
  EXPECT_FALSE(surf_enabled(&b.board));
  EXPECT_TRUE(surf_state_ok(&b.board, &b.state(), why, sizeof why)) << why;
  b.enable();
  SurfBench fresh;
  for (const Register& r : kRegisters) EXPECT_EQ(b.read(r.name), fresh.read(r.name)) << r.name;

  // It lives on.
  for (int i = 0; i < 600; ++i) b.write("FCDR", i & 1);
  b.write("FCCR", 0);
  for (int i = 0; i < 600; ++i) b.write("FCDR", i & 1);
  b.write("HTCR", bits("HTCR.TEN") | bits("HTCR.HEN") | bits("HTCR.WEN"));
  for (int i = 0; i < 10; ++i) b.send();
  EXPECT_EQ(b.read("WCDR"), 10u);
}

const Damage kDamages[] = {
    {"has.bit", [](SurfState& s) { s.has.bit = 65'000; }},
    {"has.bit", [](SurfState& s) { s.has.bit = xc4000::kXc4003.frame_bits; }},
    {"has.frame", [](SurfState& s) { s.has.frame = xc4000::kXc4003.frames; }},
    {"has.phase", [](SurfState& s) { s.has.phase = 7; }},
    {"has.startup", [](SurfState& s) { s.has.startup = 4; }},
    {"has.pip[23]", [](SurfState& s) { s.has.pip[23] = uint64_t{1} << 51; }},
    {"has.count", [](SurfState& s) { s.has.count = 1u << 24; }},
    {"has.prog", [](SurfState& s) { s.has.prog = 2; }},
    {"fifo.head", [](SurfState& s) { s.fifo.head = SURF_FIFO_SLOTS; }},
    {"fifo.count", [](SurfState& s) { s.fifo.count = SURF_FIFO_SLOTS + 1; }},
    {"fifo.count", [](SurfState& s) { s.htcr |= bits("HTCR.FRS"); }},
    {"fifo.pointer", [](SurfState& s) { s.fifo.pointer = 4; }},
    {"fifo.slot[0]", [](SurfState& s) { s.fifo.slot[0] = 0x200; }},
    {"pipe_count", [](SurfState& s) { s.pipe_count = 255; }},
    {"pipe_count", [](SurfState& s) { s.htcr |= bits("HTCR.PRS"); }},
    {"pipe[0].done_ns", [](SurfState& s) { s.pipe[0].done_ns = PB_NEVER; }},
    {"pipe[0].stage2_ns", [](SurfState& s) { s.pipe[0].stage2_ns = 0; }},
    {"pipe[3].words", [](SurfState& s) { s.pipe[3].words = 1024; }},
    {"open.color", [](SurfState& s) { s.open.color = 64; }},
    {"open_valid", [](SurfState& s) { s.open_valid = 2; }},
    {"iemr", [](SurfState& s) { s.ebcr &= ~bits("EBCR.ENABLE"); }},
    {"ebcr", [](SurfState& s) { s.ebcr |= 2; }},
    {"acdr", [](SurfState& s) { s.acdr |= 1u << 28; }},
    {"ticr", [](SurfState& s) { s.ticr = 0xffffffff; }},
    {"pipe[1].ext_input", [](SurfState& s) { s.pipe[1].ext_input = 2; }},
    {"ext_changed_ns[31]", [](SurfState& s) { s.ext_changed_ns[SURF_EXT_HISTORY - 1] = PB_NEVER; }},
    {"ext_high", [](SurfState& s) { s.ext_high = 2; }},
    {"clock_base_ns", [](SurfState& s) { s.clock_base_ns = INT64_MIN; }},
    {"category_before[7]", [](SurfState& s) { s.category_before[7] = 16; }},
    {"category_until_ns[1]", [](SurfState& s) { s.category_until_ns[1] = s.category_until_ns[0] + 1; }},
    {"stage1_free_ns", [](SurfState& s) { s.stage1_free_ns = PB_NEVER; }},
};
INSTANTIATE_TEST_SUITE_P(Members, SurfDamaged, testing::ValuesIn(kDamages));

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
