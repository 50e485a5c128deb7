// SPDX-License-Identifier: GPL-2.0-or-later
//
// The ring's times, worked out by hand from hw/sci/timing.h: a symbol 5 ns, a packet without data 8 symbols
// (40 ns), with 16 bytes 16 (80 ns), an echo 4 (20 ns), 1 between packets (5 ns), a hop 70 ns, a switch 300
// ns.
#include <gtest/gtest.h>

#include <vector>

#include "hw/sci/fabric.h"

namespace perfboard::sci {
namespace {

constexpr uint64_t kPlain = 8, kPiece = 16;

struct Links {
  explicit Links(uint32_t nodes, uint32_t ringlet = 8) : ring(nodes, ringlet), line(SCI_LINES) {}
  Passage pass(uint32_t from, uint32_t to, uint64_t symbols, uint64_t ns) {
    return ring.pass([&](uint32_t link, uint64_t t, uint64_t n) { return take_line(line[link], 0, t, n); },
                     from, to, symbols, ns);
  }
  Topology ring;
  std::vector<SciLine> line;
};

TEST(SciRing, PacketAndEchoGoOnceAroundTheRinglet) {
  const Topology ring(4, 8);
  EXPECT_EQ(ring.unloaded(0, 1, kPlain).arrived, 70 + 40u);
  EXPECT_EQ(ring.unloaded(0, 1, kPlain).echoed, 110 + 3 * 70 + 20u);
  EXPECT_EQ(ring.unloaded(1, 0, kPiece).arrived, 3 * 70 + 80u);
  EXPECT_EQ(ring.unloaded(1, 0, kPiece).echoed, 290 + 70 + 20u);
  EXPECT_EQ(ring.unloaded(2, 1, 40).arrived, 3 * 70 + 200u) << "a line of 64 bytes";
}

TEST(SciRing, EightNodesAreARingletNineAreTwo) {
  EXPECT_EQ(Topology(8, 8).unloaded(7, 6, kPlain).arrived, 7 * 70 + 40u);
  // 0 to 8: eight links to the switch, one between the switches, one to node 8.
  EXPECT_EQ(Topology(9, 8).unloaded(0, 8, kPlain).arrived,
            (8 * 70 + 40) + 300 + (70 + 40) + 300 + (70 + 40u));
  EXPECT_EQ(Topology(9, 8).unloaded(7, 0, kPlain).arrived, 2 * 70 + 40u) << "the switch is a station, too";
}

TEST(SciRing, ThroughSwitches) {
  const Topology ring(4, 2);
  const uint64_t up = 2 * 70 + 40, across = 70 + 40, down = 70 + 40;
  EXPECT_EQ(ring.unloaded(0, 2, kPlain).arrived, up + 300 + across + 300 + down);
  EXPECT_EQ(ring.unloaded(0, 2, kPlain).echoed, up + 300 + across + 300 + down + 2 * 70 + 20)
      << "the echo of the last ringlet";
  EXPECT_EQ(ring.unloaded(1, 2, kPlain).arrived, up - 70 + 300 + across + 300 + down);
  EXPECT_EQ(ring.unloaded(0, 3, kPlain).arrived, up + 300 + across + 300 + down + 70);
}

TEST(SciRing, ThreeLevels) {
  // 16 ringlets of 2, two of 8 switches, one of 2.
  const Topology ring(32, 2);
  const uint64_t leaf = 2 * 70 + 40, middle = 8 * 70 + 40, top = 70 + 40;
  EXPECT_EQ(ring.unloaded(0, 31, kPlain).arrived,
            leaf + 300 + middle + 300 + top + 300 + middle + 300 + leaf);
  EXPECT_EQ(ring.unloaded(0, 1, kPlain).arrived, 70 + 40u);
  EXPECT_EQ(ring.unloaded(0, 2, kPlain).arrived, leaf + 300 + (70 + 40) + 300 + (70 + 40u)) << "one level up";
}

TEST(SciRing, ALinkCarriesOneAfterTheOther) {
  Links l(4);
  EXPECT_EQ(l.pass(0, 1, kPlain, 1000).arrived, 1110u);
  EXPECT_EQ(l.pass(0, 1, kPlain, 1000).arrived, 1045 + 110u) << "40 ns, and 5 between";
  EXPECT_EQ(l.pass(0, 1, kPlain, 1090).arrived, 1200u) << "when it is free again, at once";
  EXPECT_EQ(l.pass(0, 1, kPlain, 1130).arrived, 1135 + 110u) << "a symbol before";
}

TEST(SciRing, AnEchoTakesLinksInItsTime) {
  Links l(4);
  l.pass(0, 1, kPlain, 1000);  // the echo: link 1 at 1110, 2 at 1180, 3 at 1250, 25 ns each
  EXPECT_EQ(take_line(l.line[1], 0, 1115, 9), 1135u);
  EXPECT_EQ(take_line(l.line[1], 0, 1000, 9), 1000u) << "before it there was time";
  EXPECT_EQ(take_line(l.line[2], 0, 1140, 9), 1205u) << "40 ns are too little";
  EXPECT_EQ(take_line(l.line[2], 0, 1135, 9), 1135u) << "45 are enough";
  EXPECT_EQ(take_line(l.line[3], 0, 1250, 9), 1275u);
}

// --- a line's calendar: 4096 symbols, 20480 ns ------------------------------------------------------------

TEST(SciLine, TheCalendarsEnd) {
  SciLine l{};
  EXPECT_EQ(take_line(l, 0, 20'480 - 45, 9), 20'435u) << "the last nine symbols";
  EXPECT_EQ(l.tail, 0u);
  EXPECT_EQ(take_line(l, 0, 20'480 - 45, 9), 20'480u) << "behind it";
  EXPECT_EQ(take_line(l, 0, 30'000, 9), 30'000u);
  EXPECT_EQ(take_line(l, 0, 20'600, 9), 30'045u) << "there everything queues up";
  EXPECT_EQ(take_line(l, 0, 0, 9), 0u);
}

TEST(SciLine, TimePasses) {
  SciLine l{};
  take_line(l, 0, 0, 64);
  take_line(l, 0, 320, 9);
  EXPECT_EQ(take_line(l, 320, 320, 9), 365u);
  EXPECT_EQ(take_line(l, 1'000'000, 1'000'000, 9), 1'000'000u) << "the calendar is all new";
  EXPECT_EQ(take_line(l, 1'000'000, 1'000'000, 9), 1'000'045u);
  EXPECT_EQ(take_line(l, 900'000, 900'000, 9), 1'000'090u) << "nobody asks for earlier times";
}

TEST(SciLine, AcrossWords) {
  SciLine l{};
  take_line(l, 0, 62 * 5, 4);  // symbols 62 to 65
  EXPECT_EQ(take_line(l, 0, 58 * 5, 5), 66 * 5u);
  EXPECT_EQ(take_line(l, 0, 58 * 5, 4), 58 * 5u);
  EXPECT_EQ(take_line(l, 0, 58 * 5, 41), 71 * 5u);
}

}  // namespace
}  // namespace perfboard::sci
