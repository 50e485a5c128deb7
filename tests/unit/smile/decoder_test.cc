// SPDX-License-Identifier: GPL-2.0-or-later
//
// The B-Link decoder: Fig. 3 state by state, the fields, the transaction table of Fig. 4; and that a packet
// at a time and clock by clock come to the same.
#include <random>

#include "tests/unit/smile/blink.h"
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

constexpr bool kFrame = false, kNoFrame = true;  // bframe is low with a packet's first word

// --- Fig. 3 -------------------------------------------------------------------------

TEST(SmileFig3, AFrameGoesThroughBd1AndBd2BackToIdle) {
  BlinkDecoder d;
  const Packet p = read(3, 5, 0xabcd, 0x155, 9);
  d.clock(kFrame, bd1(p));
  EXPECT_EQ(d.decode_state, SMILE_DECODE_BD1);
  EXPECT_FALSE(d.valid);
  d.clock(kNoFrame, bd2(p));
  EXPECT_EQ(d.decode_state, SMILE_DECODE_BD2);
  EXPECT_TRUE(d.valid);
  EXPECT_EQ(d.source_id, 3);
  EXPECT_EQ(d.dest_id, 5);
  EXPECT_EQ(d.trans_id, 9);
  EXPECT_EQ(d.what, SCI_READ);
  EXPECT_FALSE(d.response);
  EXPECT_EQ(d.page_number, 0xabcd);
  EXPECT_EQ(d.page_offset, 0x155);
  d.clock(kNoFrame, ~uint64_t{0});  // payload
  EXPECT_EQ(d.decode_state, SMILE_DECODE_IDLE);
  EXPECT_FALSE(d.valid);
}

// "WHEN BD1 => decode_state <= BD2", "WHEN OTHERS => IDLE": whatever bframe is.
TEST(SmileFig3, OnlyIdleLooksAtBframe) {
  static constexpr std::pair<bool, enum smile_decode_state> kClocks[] = {
      {kNoFrame, SMILE_DECODE_IDLE}, {kNoFrame, SMILE_DECODE_IDLE}, {kFrame, SMILE_DECODE_BD1},
      {kFrame, SMILE_DECODE_BD2},    {kFrame, SMILE_DECODE_IDLE},   {kFrame, SMILE_DECODE_BD1}};
  BlinkDecoder d;
  for (const auto& [bframe, state] : kClocks) {
    d.clock(bframe, 0);
    EXPECT_EQ(d.decode_state, state);
  }
}

TEST(SmileFig3, BothResetsLeadToIdleFromEveryState) {
  for (int clocks = 0; clocks < 3; ++clocks)
    for (bool BlinkDecoder::* reset : {&BlinkDecoder::reset, &BlinkDecoder::monitor_reset}) {
      BlinkDecoder d;
      for (int i = 0; i < clocks; ++i) d.clock(kFrame, 0);
      EXPECT_EQ(d.decode_state, clocks);
      d.*reset = true;
      d.clock(kFrame, 0);
      EXPECT_EQ(d.decode_state, SMILE_DECODE_IDLE);
      d.clock(kFrame, 0);
      EXPECT_EQ(d.decode_state, SMILE_DECODE_IDLE) << "for as long as it is set";
      d.*reset = false;
      d.clock(kFrame, 0);
      EXPECT_EQ(d.decode_state, SMILE_DECODE_BD1);
    }
}

// latency=off: an access's packets lie ahead of it, and of the next access.
TEST(SmileFig3, OfPacketsAheadEachShowsItsStatesAtItsTime) {
  Bench b;
  const uint64_t begin = b.now;
  const uint64_t times[] = {700, 820, 940, 3400};
  for (const uint64_t ns : times) b.send_ahead(read(0, 1, 1, 1), begin + ns);
  for (uint64_t ns = 0; ns < 4000; ns += kClock) {
    unsigned expected = 0;
    for (const uint64_t head : times)
      if (ns >= head && ns < head + 2 * kClock) expected = ns == head ? 1 : 2;
    for (const uint64_t end : {kClock - 1, uint64_t{0}}) {
      b.now = begin + ns + end;
      EXPECT_EQ(msr::decode(b.get(reg::kMsr)), expected) << ns;
    }
    bool forward = false, busy = false;
    for (const uint64_t head : times) forward |= ns == head + 2 * kClock, busy |= ns == head + 3 * kClock;
    EXPECT_EQ(msr::state(b.get(reg::kMsr)), forward ? 1u : busy ? 2u : 0u) << ns;
  }
}

// A demanded SWAP_OUT is not what hides them, nor do they hide it.
TEST(SmileFig3, ASwapOutAndPacketsAhead) {
  Bench b;
  b.send_ahead(read(0, 1, 1, 1), b.now + 700);
  b.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  EXPECT_EQ(msr::state(b.get(reg::kMsr)), 4u);
  b.now += 700;
  EXPECT_EQ(msr::decode(b.get(reg::kMsr)), 1u);
}

TEST(SmileFig3, AnEchoPassesThroughTheStatesAsWell) {
  Bench b;
  const uint64_t begin = b.now;
  b.send({0, 1, 0x40, 0, 1, 1});
  b.now = begin;
  EXPECT_EQ(msr::decode(b.get(reg::kMsr)), 1u);
}

// --- packets and fields -------------------------------------------------------------

TEST(SmileDecoder, FieldsAreThePapersBits) {
  Bench b;
  // One bit of BD1 and BD2 at a time.
  for (unsigned bit = 0; bit < 64; ++bit) {
    b.put(uint64_t{1} << bit, 0);
    const SmileWave w = b.waves.back();
    const bool command_known = bit < 20 || bit > 22;  // bits 4-6 of the command: no command, and the echo
    EXPECT_EQ(w.decoded, command_known) << bit;
    if (!command_known) continue;
    EXPECT_EQ(w.source, bit < 5 ? 1u << bit : 0) << bit;
    EXPECT_EQ(w.command, bit >= 16 && bit <= 22 ? 1u << (bit - 16) : 0) << bit;
    EXPECT_EQ(w.destination, bit >= 32 && bit < 37 ? 1u << (bit - 32) : 0) << bit;
    EXPECT_EQ(w.trans, bit >= 48 && bit <= 53 ? 1u << (bit - 48) : 0) << bit;
  }
  for (unsigned bit = 0; bit < 64; ++bit) {
    b.put(0, uint64_t{1} << bit);
    const SmileWave w = b.waves.back();
    EXPECT_EQ(w.offset, bit >= 2 && bit <= 11 ? 1u << (bit - 2) : 0) << bit;
    EXPECT_EQ(w.page, bit >= 12 && bit <= 27 ? 1u << (bit - 12) : 0) << bit;
  }
}

TEST(SmileDecoder, EchoesAndUnknownCommandsAreIgnored) {
  Bench b;
  for (unsigned command = 0; command < 128; ++command) b.send({1, 0, command, 0, 1, 1});
  EXPECT_EQ(b.get(reg::kPackets), 16u);
  for (const SmileWave& w : b.waves) {
    if (w.decoded) continue;
    EXPECT_EQ(w.last, SMILE_IDLE);
    EXPECT_EQ(w.entry, SMILE_NO_ENTRY);
  }
}

TEST(SmileDecoder, PacketsOfOtherNodesAreNotOnThisLink) {
  Bench b;
  const Packet p = read(1, 2, 3, 4);
  const SciPacket elsewhere = {.ns = b.now, .bd1 = bd1(p), .bd2 = bd2(p), .words = 2, .node = 1};
  smile_packet(b.hwm.get(), &elsewhere);
  EXPECT_EQ(b.get(reg::kPackets), 0u);
}

TEST(SmileDecoder, NothingIsDecodedWhileTheMonitorDoesNotRun) {
  Bench b;
  b.set(reg::kMcr, 0);
  b.send(read(1, 0, 3, 4));
  EXPECT_EQ(b.get(reg::kPackets), 0u);
  EXPECT_TRUE(b.waves.empty());
}

// --- Fig. 4 -------------------------------------------------------------------------

TEST(SmileFig4, AResponseHasTheAddressOfItsRequest) {
  Bench b;
  for (unsigned i = 0; i < 64; ++i) b.send(read(1, 2, 100 + i, i, i));
  for (unsigned i = 64; i-- > 0;) {
    b.send(response(kReadType, 2, 1, i));
    const SmileWave w = b.waves.back();
    EXPECT_EQ(w.page, 100 + i);
    EXPECT_EQ(w.offset, i);
    EXPECT_FALSE(w.orphan);
  }
  EXPECT_EQ(b.get(reg::kOrphans), 0u);
  EXPECT_EQ(b.get(reg::kClashes), 0u);
  EXPECT_EQ(b.get(reg::kPackets), 128u);
}

TEST(SmileFig4, OnlyReadAndLockTriggerResponses) {
  for (const unsigned type : {kReadType, kWriteType, kLockType, kUnlockType}) {
    Bench b;
    const Packet p = request(type, 1, 2, 9, 9, 5);
    b.send(p);
    b.send(answer(p));
    const bool answered = type == kReadType || type == kLockType;
    EXPECT_EQ(b.get(reg::kOrphans), answered ? 0u : 1u) << type;
    EXPECT_EQ(b.waves.back().orphan, !answered);
    EXPECT_EQ(b.waves.back().last, answered ? SMILE_BUSY : SMILE_IDLE) << "an orphan is no event";
    b.send(answer(p));
    EXPECT_EQ(b.get(reg::kOrphans), answered ? 1u : 2u) << "the response has come";
  }
}

TEST(SmileFig4, TheCommandOfAResponseIsItsOwn) {
  Bench b;
  b.set(reg::kMask, mask::kLock | mask::kResponse | mask::kInbound);
  b.send(read(0, 2, 9, 9, 5));
  b.send(response(kLockType, 2, 0, 5));
  EXPECT_EQ(b.waves.back().last, SMILE_BUSY);
  EXPECT_EQ(entry(b, 0).address, 9u << 10 | 9);
}

// --- a packet at a time and clock by clock ------------------------------------------

TEST(SmileDecoder, BothDescriptionsAgree) {
  Bench b;
  BlinkDecoder d;
  std::mt19937_64 random(1);
  uint32_t packets = 0, orphans = 0, clashes = 0;
  for (int i = 0; i < 100'000; ++i) {
    // All bits at random; of the command mostly those that there are, and few transactions.
    uint64_t word1 = random() & ~(uint64_t{0x7f} << 16 | uint64_t{0x3c} << 48), word2 = random();
    word1 |= (random() % 8 ? random() % 16 : random() % 128) << 16;
    b.put(word1, word2);
    d.clock(kFrame, word1);
    d.clock(kNoFrame, word2);
    const SmileWave w = b.waves.back();
    b.waves.clear();
    ASSERT_EQ(w.decoded, d.valid || d.orphan) << i;
    packets += w.decoded;
    orphans += d.orphan;
    clashes += d.clash;
    ASSERT_EQ(w.orphan, d.orphan) << i;
    ASSERT_EQ(w.clash, d.clash) << i;
    if (w.decoded) {
      ASSERT_EQ(w.source, d.source_id);
      ASSERT_EQ(w.destination, d.dest_id);
      ASSERT_EQ(w.trans, d.trans_id);
      ASSERT_EQ(w.command & 3, d.what);
      ASSERT_EQ((w.command & 4) != 0, d.response);
    }
    if (d.valid) {
      ASSERT_EQ(w.page, d.page_number) << i;
      ASSERT_EQ(w.offset, d.page_offset) << i;
    }
    if (random() % 1000 == 0) {
      b.set(reg::kMcr, mcr::kReset | mcr::kRun);
      packets = orphans = clashes = 0;
      d.monitor_reset = true;
      d.clock(kNoFrame, 0);
      d.monitor_reset = false;
    }
    for (uint64_t idle = 1 + random() % 3; idle; --idle) d.clock(kNoFrame, random());  // payload and gaps
  }
  EXPECT_EQ(b.get(reg::kPackets), packets);
  EXPECT_EQ(b.get(reg::kOrphans), orphans);
  EXPECT_EQ(b.get(reg::kClashes), clashes);
}

}  // namespace
}  // namespace perfboard::smile
