// SPDX-License-Identifier: GPL-2.0-or-later
//
// A snapshot that was damaged: refused, with the member, its value and what is legal; the board is as
// after power-on and works. With sanitizers this also shows that nothing is touched outside of buffers.
#include <functional>
#include <ostream>

#include "hw/shrimp/pipeline.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

struct Damage {
  const char* member;
  std::function<void(SniState&)> make;
  friend void PrintTo(const Damage& d, std::ostream* out) { *out << d.member; }
};

// One packet being sent and one behind it in the FIFO, one open, one on its way, one that the receiver
// has the bus for, the deliberate update engine at work.
std::unique_ptr<SniBench> busy_board() {
  auto b = std::make_unique<SniBench>(SniBench::Setup{.fifo_words = SNI_FIFO_MIN});
  b->map(3, {.page = 7});
  b->map(4, {.page = 8, .comb = true, .timed = true});
  b->write("SIER", 0xff);
  b->store32(0x3000, 1);
  b->run_until(b->armed - 500);  // the first is about to land
  b->store32(0x3100, 2);
  b->now += 400;
  b->store32(0x3200, 3);
  b->run_for(kSnoop - 399);
  b->store32(0x3300, 4);
  b->store32(0x4000, 5);
  b->store32(0x4004, 6);
  b->write("DUSA", 0x100000);
  b->write("DUDA", 0xa000);
  b->write("DUWC", 8);
  return b;
}

uint32_t second_packet(const SniState& s) {
  return (s.fifo_head + Header::of(s.fifo[s.fifo_head]).fifo_words()) % SNI_FIFO_MIN;
}

TEST(SniDamaged, TheBoardOfTheseTestsIsBusy) {
  auto b = busy_board();
  const SniState& s = b->state();
  EXPECT_EQ(s.sending, 1);
  EXPECT_GE(s.fifo_packets, 2u);
  EXPECT_EQ(s.open, 1);
  EXPECT_EQ(s.du_busy, 1);
  EXPECT_GE(s.arrived - s.popped, 2u);
  char why[PB_WHY_BYTES] = "";
  EXPECT_TRUE(sni_state_ok(b->board(), &s, why, sizeof why)) << why;
}

class SniDamaged : public testing::TestWithParam<Damage> {};

TEST_P(SniDamaged, IsRefusedAndLeavesABoardThatWasReset) {
  auto b = busy_board();
  auto image = std::make_unique<SniState>();
  std::memcpy(image.get(), &b->state(), sizeof *image);
  GetParam().make(*image);
  char why[PB_WHY_BYTES] = "";
  EXPECT_FALSE(sni_load(b->board(), image.get(), why, sizeof why));
  EXPECT_EQ(std::string(why).rfind(GetParam().member, 0), 0u) << why;
  EXPECT_NE(std::string(why).find("="), std::string::npos) << why;

  EXPECT_FALSE(b->irq);
  EXPECT_EQ(b->armed, PB_NEVER);
  EXPECT_FALSE(sni_enabled(b->board()));
  EXPECT_EQ(sni_wants(b->board()), SNI_WANTS_NOTHING);
  auto fresh = std::make_unique<SniBench>(SniBench::Setup{.fifo_words = SNI_FIFO_MIN, .enable = false});
  EXPECT_EQ(b->read("FCNT"), fresh->read("FCNT"));
  EXPECT_EQ(b->read("SCR"), fresh->read("SCR"));
  EXPECT_EQ(b->read("SSR"), fresh->read("SSR"));
  EXPECT_TRUE(sni_state_ok(b->board(), &b->state(), why, sizeof why)) << why;

  // It lives on.
  sni_io_write(b->board(), 0xc84, 0xc0000000 | 4 << 8 | bit::kEnable, 4);
  b->write("SCR", bit::kEn | bit::kAue | bit::kTse);
  b->map(3, {.page = 7});
  b->map(4, {.page = 8, .comb = true});
  b->packets.clear();
  for (uint32_t i = 0; i < 1200; ++i) {
    b->store32(0x4000 + 4 * (i % 1024), i);
    b->store32(0x3000, i);
    b->run_for(2000);
  }
  b->run_for(1'000'000);
  EXPECT_FALSE(b->packets.empty());
  EXPECT_EQ(b->read("FCNT"), 0u);
}

const Damage kDamages[] = {
    {"sending_words", [](SniState& s) { s.sending_words = 40'000; }},
    {"sending_words", [](SniState& s) { s.sending_words++; }},
    {"sending", [](SniState& s) { s.sending = 3; }},
    {"sending_words", [](SniState& s) { s.sending = 2; }},  // a deliberate update frees no words
    {"fifo_packets", [](SniState& s) { s.fifo_packets = 0xffffffff; }},
    {"open_at", [](SniState& s) { s.fifo_packets--; }},
    {"fifo_count", [](SniState& s) { s.fifo_count = SNI_FIFO_MIN + 1; }},
    {"fifo_count", [](SniState& s) { s.fifo_count = 60; }},
    {"fifo_head", [](SniState& s) { s.fifo_head = SNI_FIFO_MIN; }},
    {"fifo[", [](SniState& s) { s.fifo[second_packet(s)] |= 0x7ff; }},           // 2047 words
    {"fifo[", [](SniState& s) { s.fifo[second_packet(s)] &= ~0x7ffull; }},       // none
    {"fifo[", [](SniState& s) { s.fifo[second_packet(s)] &= ~(15ull << 11); }},  // no byte enabled
    {"fifo[", [](SniState& s) { s.fifo[second_packet(s)] += 4; }},               // more words than there are
    {"fifo_time[", [](SniState& s) { s.fifo_time[second_packet(s)] = UINT64_MAX; }},
    {"open_at", [](SniState& s) { s.open_at = SNI_FIFO_MIN - 1; }},
    {"open_words", [](SniState& s) { s.open_words = 1025; }},
    {"open_limit", [](SniState& s) { s.open_limit += 0x1000; }},
    {"open_next", [](SniState& s) { s.open_next |= 2; }},
    {"open", [](SniState& s) { s.out_table[4][1] = 0; }},
    {"du_words", [](SniState& s) { s.du_words = 1025; }},
    {"du_header", [](SniState& s) { s.du_words = 7; }},
    {"credits_used", [](SniState& s) { s.credits_used = 0; }},
    {"arrived", [](SniState& s) { s.arrived += 1000; }},
    {"granted", [](SniState& s) { s.granted += 2; }},
    {"flight[", [](SniState& s) { s.flight[s.popped % SNI_FLIGHTS].header &= ~0x7ffull; }},
    {"flight[", [](SniState& s) { s.flight[s.popped % SNI_FLIGHTS].sender = 0xfff; }},
    {"flight[", [](SniState& s) { s.flight[s.popped % SNI_FLIGHTS].leave = 0; }},
    {"link_free", [](SniState& s) { s.link_free = 0; }},
    {"sent_at", [](SniState& s) { s.sent_at = PB_NEVER; }},
    {"clock_base", [](SniState& s) { s.clock_base = PB_NEVER; }},
    {"out_table[5].opt0", [](SniState& s) { s.out_table[5][0] = 1u << 30; }},
    {"in_table[32767]", [](SniState& s) { s.in_table[SNI_PAGES - 1] = 0x100; }},
    {"sbcr", [](SniState& s) { s.sbcr |= 2; }},
    {"latch_offset", [](SniState& s) { s.latch_offset = 4; }},
};
INSTANTIATE_TEST_SUITE_P(Members, SniDamaged, testing::ValuesIn(kDamages));

}  // namespace
}  // namespace perfboard::sni
