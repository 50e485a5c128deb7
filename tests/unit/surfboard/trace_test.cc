// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trace: word layouts, modes, qualifiers, sizes, TICR, TECR, TPIR, TP, TC.
#include <algorithm>

#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t kTen = bits("HTCR.TEN"), kTrg = bits("HTCR.TRG"), kHen = bits("HTCR.HEN");
constexpr uint32_t kTc = bits("ISCR.TC"), kTp = bits("ISCR.TP");

class Trace : public testing::Test {
 protected:
  Trace() {
    bench.select_size();  // bin: the packet's size
    std::ranges::fill(bench.trace_memory, 0xff);
  }
  void start(uint32_t mode, uint32_t qual, uint32_t more = 0) {
    bench.write("TTCR", mode << 2 | qual);
    bench.write("HTCR", kTen | kHen | more);
  }
  // A packet that can be told from others by its address.
  void packet(uint32_t n, uint16_t words = 1) { bench.send({.words = words, .address = n * 4}); }
  uint32_t number(uint32_t entry) { return bench.entry(entry).word[3] >> 4 & 0x1ffffff; }
  bool present(uint32_t entry) { return (bench.entry(entry).word[3] & bits("TRACE3.P")) == 0; }
  bool trg() { return bench.is("HTCR.TRG"); }
  bool tc() { return bench.is("ISCR.TC"); }
  bool tp() { return bench.is("ISCR.TP"); }
  SurfBench bench;
};

TEST_F(Trace, EntryHasThePapersLayout) {
  bench.shift_in(shift_value(0, 12, 0, 2));
  bench.write("PCLR", 0x9);
  start(0, 0);
  surf_set_receive_time(&bench.board, 0x543'21098765);
  bench.send({.words = 0x2a5,
              .sender = 0b000'101'000'011,
              .color = 0x16,
              .address = 0x07abcdec,
              .timestamp = 0x543'21098765 - 0x123456,
              .interrupt = true,
              .byte_enables = 0b0110});
  EXPECT_EQ(bench.entry(0).word[0], 0b101011u << 26 | 0x123456);
  EXPECT_EQ(bench.entry(0).word[1], 0x9u << 28 | 0x2a5u << 18 | 0x16u << 12 | 0x543);
  EXPECT_EQ(bench.entry(0).word[2], 0x21098765u);
  EXPECT_EQ(bench.entry(0).word[3], 1u << 31 | (0x07abcdecu >> 2) << 4 | 0b0110);
}

TEST_F(Trace, EveryFieldReachesBothEndsOfItsBits) {
  start(1, 0);
  surf_set_receive_time(&bench.board, kTimeMask - 5000);
  bench.send({.words = 1023,
              .sender = 0xfff,
              .color = 0x3f,
              .address = 0x07fffffc,
              .timestamp = kTimeMask - 5000,
              .interrupt = true,
              .byte_enables = 0xf});
  EXPECT_EQ(bench.entry(0).word[0], 0x3fu << 26);
  EXPECT_EQ(bench.entry(0).word[1], 1023u << 18 | 0x3fu << 12 | 0xfff);
  EXPECT_EQ(bench.entry(0).word[3], 0x9fffffffu);  // presence bits are stored as 0
  surf_set_receive_time(&bench.board, 0);
  bench.send({.words = 1024, .byte_enables = 0});
  EXPECT_EQ(bench.entry(1).word[0], 0u);
  EXPECT_EQ(bench.entry(1).word[1], 0u);
  EXPECT_EQ(bench.entry(1).word[3], 0u);
}

TEST_F(Trace, OversizeAddressesKeepBits26To2) {
  start(0, 0);
  bench.send({.address = 0xffffffff});
  EXPECT_EQ(bench.entry(0).word[3], 0x1fffffffu);
}

// --- the three modes, any packet ---

TEST_F(Trace, BeginningRecordsUntilTheBufferIsFull) {
  bench.write("TICR", 5);
  start(0, 0);
  for (uint32_t n = 0; n < 15; ++n) packet(n);
  EXPECT_TRUE(trg());
  EXPECT_TRUE(tp());
  EXPECT_FALSE(tc());
  EXPECT_EQ(bench.read("TECR"), 15u);
  packet(15);
  EXPECT_TRUE(tc());
  EXPECT_EQ(bench.read("TECR"), 16u);
  EXPECT_EQ(bench.read("TICR"), 5u);
  packet(16);  // no room
  EXPECT_EQ(bench.read("TECR"), 16u);
  EXPECT_EQ(bench.read("TPIR"), 5u);
  for (uint32_t n = 0; n < 16; ++n) EXPECT_EQ(number((5 + n) % 16), n);
}

TEST_F(Trace, EndLeavesTheCountAtItsMaximum) {
  bench.write("TECR", 0x7ffffe);
  start(2, 2);
  for (uint32_t n = 0; n < 3; ++n) packet(n);
  EXPECT_EQ(bench.read("TECR"), 0x7fffffu);
}

TEST_F(Trace, PresenceBitsTellWhatIsValid) {
  start(1, 2);
  packet(0);
  packet(1);
  EXPECT_TRUE(present(0));
  EXPECT_TRUE(present(1));
  EXPECT_FALSE(present(2));
}

// --- all modes x qualifiers x what can qualify a packet ---

class ModeQual : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {};
INSTANTIATE_TEST_SUITE_P(All, ModeQual, testing::Combine(testing::Range(0u, 4u), testing::Range(0u, 4u)));

// A model of its own: what the paper's text says of 256 bytes, packet by packet. TECR counts from the trace's
// start (p. 61), TC comes when the memory is full (p. 58), and half of it is received from the trigger on
// (3.5).
TEST_P(ModeQual, AgreesWithThePaperPacketByPacket) {
  const auto [mode, qual] = GetParam();
  for (uint32_t trigger_at : {0u, 1u, 7u, 8u, 9u, 15u, 16u, 17u, 40u})
    for (int kind = 0; kind < 3; ++kind) {  // what happens with packet trigger_at: nothing, input, overflow
      SurfBench fresh;
      fresh.select_size();
      fresh.write("TTCR", mode << 2 | qual);
      fresh.write("HTCR", kTen | kHen);
      const bool fires = qual == 0 || (kind == 1 && qual & 1) || (kind == 2 && qual & 2);
      const uint32_t trigger = qual == 0 ? 0 : fires ? trigger_at : 1000;
      // MODE 1: up to half of the buffer before the trigger, the rest from the trigger on.
      const uint32_t middle_rest = 16 - std::min(trigger, 8u);
      std::vector<uint32_t> recorded;
      bool complete = false;
      for (uint32_t n = 0; n < 60; ++n) {
        if (n == trigger_at && kind == 1) fresh.pull(true);
        if (n == trigger_at && kind == 2) fresh.set_bin(9, 0xffffffff);
        fresh.send({.words = static_cast<uint16_t>(n == trigger_at ? 9 : 1), .address = n * 4});
        if (n == trigger_at && kind == 1) fresh.pull(false);

        const bool after = n >= trigger;
        const uint32_t since = after ? n - trigger + 1 : 0;
        bool record = false;
        if (mode == 0) record = after && since <= 16;
        if (mode == 1) record = since <= middle_rest;
        if (mode >= 2) record = n <= trigger;
        if (record) recorded.push_back(n);
        if (mode == 0) complete = since >= 16;
        if (mode == 1) complete = since >= middle_rest;
        if (mode >= 2) complete = after;

        ASSERT_EQ(fresh.is("HTCR.TRG"), after) << n;
        ASSERT_EQ(fresh.is("ISCR.TP"), after) << n;
        ASSERT_EQ(fresh.is("ISCR.TC"), complete) << n;
        ASSERT_EQ(fresh.read("TICR"), recorded.size() % 16) << n;
        size_t counted = recorded.size();
        if (mode == 1) counted = std::min(std::min(n + 1, trigger), 8u) + std::min(since, middle_rest);
        ASSERT_EQ(fresh.read("TECR"), counted) << n;
      }
      for (size_t i = recorded.size() > 16 ? recorded.size() - 16 : 0; i < recorded.size(); ++i)
        ASSERT_EQ(fresh.entry(i % 16).word[3] >> 4 & 0x1ffffff, recorded[i]);
      if (fires) {
        ASSERT_EQ(fresh.read("TPIR"), (mode == 0 ? 0 : trigger) % 16);
      }
    }
}

TEST_F(Trace, InputLevelQualifiesNotItsLatch) {
  start(0, 1);
  bench.pull(true);
  bench.pull(false);
  EXPECT_TRUE(bench.is("ISCR.EXT"));
  packet(0);
  EXPECT_FALSE(trg());
  bench.pull(true);
  packet(1);
  EXPECT_TRUE(trg());
}

TEST_F(Trace, OtherPacketsOverflowDoesNotQualify) {
  bench.write("TTCR", 2);
  bench.set_bin(3, 0xffffffff);
  bench.write("HTCR", kHen);
  packet(0, 3);  // BV is set, trace is off
  EXPECT_TRUE(bench.is("ISCR.BV"));
  bench.write("HTCR", kHen | kTen);
  packet(1);
  EXPECT_FALSE(trg());
}

TEST_F(Trace, NothingIsTracedOrTriggeredWithoutTen) {
  bench.write("HTCR", kHen);
  packet(0);
  EXPECT_FALSE(trg());
  EXPECT_EQ(bench.read("TICR"), 0u);
}

TEST_F(Trace, SecondQualifyingPacketDoesNotTrigger) {
  start(0, 0);
  packet(0);
  bench.write("ISCR", kTp);
  packet(1);
  EXPECT_FALSE(tp());
  EXPECT_EQ(bench.read("TPIR"), 0u);
}

// --- TP and TRG by software ---

TEST_F(Trace, SettingTrgByHandSetsTpOnlyIfTenWasOne) {
  bench.write("HTCR", kTen | kTrg);
  EXPECT_FALSE(tp());
  bench.write("HTCR", 0);
  bench.write("HTCR", kTrg);
  EXPECT_FALSE(tp());
  bench.write("HTCR", kTen);
  EXPECT_FALSE(tp());
  bench.write("HTCR", kTen | kTrg);
  EXPECT_TRUE(tp());
  bench.write("ISCR", kTp);
  bench.write("HTCR", kTen | kTrg);
  EXPECT_FALSE(tp());  // no transition
}

TEST_F(Trace, TrgByHandStartsATrace) {
  start(0, 1);
  packet(0);
  EXPECT_EQ(bench.read("TICR"), 0u);
  bench.write("HTCR", kTen | kTrg);
  packet(1);
  EXPECT_EQ(bench.read("TICR"), 1u);
  EXPECT_EQ(bench.read("TPIR"), 0u);
}

// --- clearing TC: first its cause ---

TEST_F(Trace, TcOfBeginningAndMiddleNeedsTecrZero) {
  for (uint32_t mode : {0u, 1u}) {
    bench.write("TECR", 0);
    bench.write("ISCR", kTc | kTp);
    bench.write("HTCR", 0);
    start(mode, 0);
    for (uint32_t n = 0; n < 16; ++n) packet(n);
    EXPECT_TRUE(tc());
    bench.write("ISCR", kTc);
    EXPECT_TRUE(tc());
    bench.write("HTCR", 0);
    bench.write("ISCR", kTc);
    EXPECT_TRUE(tc());  // neither TEN nor TRG is the cause here
    bench.write("TECR", 0);
    EXPECT_TRUE(tc());  // it is latched
    bench.write("ISCR", kTc);
    EXPECT_FALSE(tc());
  }
}

TEST_F(Trace, TcOfEndNeedsTrgZero) {
  start(2, 0);
  packet(0);
  bench.write("ISCR", kTc);
  EXPECT_TRUE(tc());
  bench.write("TECR", 0);
  bench.write("ISCR", kTc);
  EXPECT_TRUE(tc());
  bench.write("HTCR", 0);
  EXPECT_TRUE(tc());
  bench.write("ISCR", kTc);
  EXPECT_FALSE(tc());
}

TEST_F(Trace, RecirculatingTheConfigurationSetsNoTc) {
  bench.shift_in(shift_value(2));
  bench.write("TECR", 519);
  EXPECT_EQ(bench.recirculate(), shift_value(2));
  EXPECT_FALSE(tc());
}

TEST_F(Trace, RecirculatingWhileTracingSetsNoTc) {
  bench.shift_in(shift_value(2));
  bench.write("TECR", 0);
  bench.write("HTCR", kTen);
  for (int i = 0; i < 20; i++) packet(0);  // more than TSIZE 0 holds
  EXPECT_EQ(bench.recirculate(), shift_value(2));
  EXPECT_FALSE(tc());
  packet(0);
  EXPECT_FALSE(tc());
}

// --- sizes ---

class TraceSize : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Tsize, TraceSize, testing::Values(0u, 1u, 2u, 3u));

TEST_P(TraceSize, WidthOfTicrAndWrap) {
  const uint32_t width[4] = {4, 18, 20, 22};
  const uint32_t entries = 1u << width[GetParam()];
  SurfBench bench({.trace = 64 * kMiB, .hist = 0});
  bench.shift_in(shift_value(GetParam()));
  bench.write("TICR", 0xffffffff);
  EXPECT_EQ(bench.read("TICR"), entries - 1);
  bench.write("TTCR", 2 << 2 | 1);  // end, external input: runs
  bench.write("HTCR", kTen);
  bench.send({.address = 0x1234});
  EXPECT_EQ(bench.read("TICR"), 0u);
  EXPECT_EQ(bench.entry(entries - 1).word[3] >> 4 & 0x1ffffff, 0x1234u >> 2);
  bench.send();
  EXPECT_EQ(bench.read("TICR"), 1u);
}

TEST_P(TraceSize, CompleteAtExactlyFull) {
  const uint32_t entries = 1u << (uint32_t[]){4, 18, 20, 22}[GetParam()];
  for (uint32_t mode : {0u, 1u}) {
    SurfBench bench({.trace = 64 * kMiB, .hist = 0});
    bench.shift_in(shift_value(GetParam()));
    bench.write("TTCR", mode << 2);
    bench.write("TECR", entries - 2);
    bench.write("HTCR", kTen | kTrg);
    bench.send();
    EXPECT_FALSE(bench.is("ISCR.TC")) << mode;
    bench.send();
    EXPECT_TRUE(bench.is("ISCR.TC")) << mode;
    EXPECT_EQ(bench.read("TICR"), 2u);
    bench.send();
    EXPECT_EQ(bench.read("TICR"), 2u);
  }
}

TEST(TraceSizes, HiddenBitsOfTicrSurviveARecirculation) {
  SurfBench bench;
  bench.shift_in(shift_value(3));
  bench.write("TICR", 0x3a5a5a);
  bench.recirculate();
  EXPECT_EQ(bench.read("TICR"), 0x3a5a5au);
  bench.shift_in(shift_value(0));
  EXPECT_EQ(bench.read("TICR"), 0xau);
  bench.write("TICR", 0xffffff3);
  bench.shift_in(shift_value(3));
  EXPECT_EQ(bench.read("TICR"), 0x3a5a53u);
}

TEST(TraceSizes, BeyondTheSimmItAliases) {
  SurfBench bench({.trace = 4 * kMiB, .hist = 0});
  bench.shift_in(shift_value(3));
  bench.write("TICR", 3 * (1u << 18) + 7);
  bench.write("HTCR", kTen);
  bench.send({.address = 0x444});
  EXPECT_EQ(bench.read("TICR"), 3 * (1u << 18) + 8);
  EXPECT_EQ(bench.entry(7).word[3] >> 4 & 0x1ffffff, 0x444u >> 2);
}

}  // namespace
}  // namespace perfboard::surf
