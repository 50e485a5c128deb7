// SPDX-License-Identifier: GPL-2.0-or-later
//
// The HAS loads a bitstream clock by clock: which pin moves at which clock. Of a damaged one the part says
// so, or the damage was in bits that mean nothing to it. It never selects wrongly without a word.
#include <algorithm>
#include <set>

#include "tests/unit/surfboard/has_fixture.h"

namespace perfboard::has {
namespace {

class HasLoad : public testing::Test {
 protected:
  std::mt19937_64 random{4003};
  Switches mapping = random_switches(random);
  Bits good = stream(mapping);
  Part part;

  // The clock at which DONE rises, counted from 1; 0: not in these.
  uint32_t done_clock(const Bits& bits, size_t extra_ones) {
    part.program();
    for (size_t i = 0; i < bits.size() + extra_ones; ++i) {
      has_clock(&part.state, i < bits.size() ? bits[i] : true);
      if (part.done()) return static_cast<uint32_t>(i + 1);
    }
    return 0;
  }
  void expect_mapping(const Switches& want) {
    for (int i = 0; i < 100; ++i) {
      const uint64_t inputs = random();
      ASSERT_EQ(part.address(inputs), meaning(want, inputs)) << std::hex << inputs;
    }
  }
};

TEST_F(HasLoad, PowerOnHoldsThePartInConfiguration) {
  EXPECT_EQ(part.state.prog, 1);
  EXPECT_FALSE(part.done());
  EXPECT_TRUE(part.error()) << "INIT* is low while PROG* is";
  EXPECT_TRUE(part.hdc());
  EXPECT_EQ(part.address(0), 0xffffffu) << "outputs are pulled up";
  part.clock(good, 0, good.size());
  EXPECT_FALSE(part.done()) << "clocks do nothing while PROG* is low";
  EXPECT_EQ(part.state.count, 0u);
}

TEST_F(HasLoad, InitRisesWithProg) {
  has_prog(&part.state, false);
  EXPECT_FALSE(part.error());
  EXPECT_FALSE(part.done());
  EXPECT_TRUE(part.hdc());
}

TEST_F(HasLoad, PinsMoveAtTheirClocks) {
  ASSERT_EQ(good.size(), 53984u);
  part.program();
  for (uint32_t n = 1; n <= good.size(); ++n) {
    has_clock(&part.state, good[n - 1]);
    ASSERT_FALSE(part.error()) << n;
    ASSERT_EQ(part.done(), n >= 53978) << n;  // C1 after the match at 53977
    ASSERT_EQ(part.hdc(), n < 53979) << n;    // C2
    if (n < 53979) {
      ASSERT_EQ(part.address(0), 0xffffffu) << n;
    }
  }
  expect_mapping(mapping);
}

TEST_F(HasLoad, DoneComesBehindTheLengthCount) {
  const struct {
    uint32_t lead, length, more, done;  // ones before and behind the stream; 0: DONE stays low
  } rows[] = {
      {0, kFull, 0, kFull + 1},
      {0, kFull - 1, 0, 0},  // the count has passed before the memory is full
      {0, kStreamBits - 2, 0, kStreamBits - 1},
      {0, 60000, 0, 0},
      {0, 60000, 10000, 60001},
      {0, 1000, 1u << 24, (1u << 24) + 1001},  // it comes again
      {1, kLengthCount, 0, 53978},             // the count includes what comes before
      {4, kLengthCount, 0, 53978},
      {5, kLengthCount, 0, 0},
      {1000, kLengthCount + 1000, 0, 54978},
  };
  for (const auto& row : rows) {
    Bits bits(row.lead, true);
    const Bits rest = stream(mapping, row.length);
    bits.insert(bits.end(), rest.begin(), rest.end());
    EXPECT_EQ(done_clock(bits, row.more), row.done) << row.lead << ' ' << row.length;
    EXPECT_FALSE(part.error());
    if (row.done == 0) continue;
    has_clock(&part.state, true);
    expect_mapping(mapping);
  }
}

TEST_F(HasLoad, ProgDuringConfigurationStartsOver) {
  for (const uint32_t n : {1u, 9u, 20u, 38u, 41u, 100u, 5000u, 53960u, 53970u, 53977u, 53978u, 53979u}) {
    part.program();
    part.clock(good, 0, n);
    has_prog(&part.state, true);
    EXPECT_TRUE(part.error());
    EXPECT_FALSE(part.done());
    EXPECT_TRUE(part.hdc());
    EXPECT_EQ(part.address(0), 0xffffffu);
    has_prog(&part.state, false);
    part.clock(good, 0, good.size());
    ASSERT_TRUE(part.done()) << n;
    ASSERT_FALSE(part.error());
    expect_mapping(mapping);
  }
}

TEST_F(HasLoad, ClearingProgTwiceDisturbsNothing) {
  part.program();
  part.clock(good, 0, 30000);
  has_prog(&part.state, false);
  part.clock(good, 30000, good.size());
  EXPECT_TRUE(part.done());
  expect_mapping(mapping);
}

// FCDR reads DOUT: the header one clock late, ones in place of the frames, then the rest.
TEST_F(HasLoad, DoutPassesTheHeaderAndHidesTheFrames) {
  part.program();
  EXPECT_TRUE(has_read_data(&part.state));
  for (uint32_t n = 0; n < good.size(); ++n) {
    has_clock(&part.state, good[n]);
    const bool header = n <= 36;
    const bool rest = n >= kPostambleAt && n < 53979;
    const bool want = n > 0 && (header || rest) ? good[n - 1] : true;
    ASSERT_EQ(has_read_data(&part.state), want) << n;
  }
}

TEST_F(HasLoad, DoutShowsTheLengthCountsLastBit) {
  for (const uint32_t length : {kLengthCount, kLengthCount - 1}) {
    const Bits bits = stream(mapping, length);
    part.program();
    part.clock(bits, 0, 37);  // one clock behind: bit 35
    EXPECT_EQ(has_read_data(&part.state), length % 2 == 1);
    part.clock(bits, 37, 38);
    EXPECT_TRUE(has_read_data(&part.state));
  }
}

TEST_F(HasLoad, DoutIsPulledUpOnceOutputsAreActive) {
  part.program();
  part.clock(good, 0, 53977);
  has_clock(&part.state, false);  // C1
  EXPECT_TRUE(has_read_data(&part.state)) << "the postamble's end";
  has_clock(&part.state, false);  // C2
  EXPECT_FALSE(has_read_data(&part.state)) << "C1's bit";
  has_clock(&part.state, false);  // C3
  EXPECT_TRUE(has_read_data(&part.state));
  has_clock(&part.state, false);  // C4
  EXPECT_TRUE(has_read_data(&part.state));
}

TEST_F(HasLoad, AnySwitchesMeanWhatTheyClose) {
  for (int i = 0; i < 40; ++i) {
    Switches many{};
    for (uint64_t& closed : many)
      closed = random() & random() & random() & random() & ((uint64_t{1} << 51) - 1);
    part.load(stream(many));
    ASSERT_TRUE(part.done());
    expect_mapping(many);
  }
}

// --- damaged bitstreams ------------------------------------------------------------------

// A good stream with the part's state before each of its bits, so that damage at bit n costs
// only the clocks from n to where the part notices.
class HasDamage : public testing::Test {
 protected:
  void SetUp() override {
    part.program();
    for (size_t n = 0; n < good.size(); ++n) {
      if (n % kStep == 0) states.push_back(part.state);
      has_clock(&part.state, good[n]);
    }
    ASSERT_TRUE(part.done());
    ASSERT_TRUE(same_switches(part));
  }
  // Loads the stream with the bits at these places (ascending) inverted.
  Part load_with(const std::vector<uint32_t>& flipped) const {
    Part p;
    const size_t first = flipped.front() / kStep;
    p.state = states[first];
    for (size_t n = first * kStep; n < good.size() && !p.error(); ++n)
      has_clock(&p.state, good[n] != std::binary_search(flipped.begin(), flipped.end(), n));
    return p;
  }
  bool same_switches(const Part& p) const { return std::equal(pip.begin(), pip.end(), p.state.pip); }

  static constexpr size_t kStep = 64;
  std::mt19937_64 random{53976};
  Switches pip = random_switches(random);
  Bits good = stream(pip);
  std::vector<HasState> states;
  Part part;
};

// Data bits 8 and 9 of frame 426. Only 11 of the CRC's 16 bits are sent in the last frame, and what
// these two leave in the register lies in the other five. No switch is there.
constexpr uint32_t kBlind = kFrame0 + 426 * kFrameBits + 1 + 8;

// Which single flips the part cannot see, and why that does no harm: the dummy ones and the fill
// are clocked past, the low bits of the length count move DONE by a few clocks within the
// start-up byte, and the postamble and the start-up byte are for the next device in a chain.
std::set<uint32_t> harmless() {
  std::set<uint32_t> bits;
  for (uint32_t i = 0; i < 8; ++i) bits.insert(i);
  for (uint32_t i = 0; i < 24; ++i) {
    const uint32_t length = kLengthCount ^ (1u << (23 - i));
    if (length >= kFull && length + 1 <= kStreamBits) bits.insert(12 + i);
  }
  for (uint32_t i = 36; i < kFrame0; ++i) bits.insert(i);
  bits.insert({kBlind, kBlind + 1});
  for (uint32_t i = kPostambleAt; i < kStreamBits; ++i) bits.insert(i);
  return bits;
}

TEST_F(HasDamage, EverySingleBit) {
  std::set<uint32_t> unseen;
  for (uint32_t n = 0; n < good.size(); ++n) {
    const Part p = load_with({n});
    if (!p.done()) continue;
    unseen.insert(n);
    ASSERT_FALSE(p.error()) << n;
    ASSERT_TRUE(same_switches(p)) << "bit " << n << ": DONE with another mapping";
  }
  EXPECT_EQ(unseen, harmless());
  EXPECT_EQ(unseen.size(), 33u);
}

TEST_F(HasDamage, FlipInAFramePullsInitLowAndStops) {
  for (uint32_t n = kFrame0; n < kPostambleAt; n += 17) {
    if (n == kBlind || n == kBlind + 1) continue;
    Part p = load_with({n});
    ASSERT_TRUE(p.error()) << n;
    ASSERT_TRUE(p.hdc()) << n;
    ASSERT_EQ(p.address(0), 0xffffffu) << n;
    const HasState stopped = p.state;
    p.clock(good, n, good.size());
    ASSERT_TRUE(stopped == p.state) << n;
  }
}

TEST_F(HasDamage, StartAndCheckBitsAreSeenAtOnce) {
  for (uint32_t frame = 0; frame < kFrames; frame += 7) {
    const uint32_t first = kFrame0 + frame * kFrameBits;
    EXPECT_EQ(load_with({first}).state.count, first + 1);
    EXPECT_EQ(load_with({first + kFrameBits - 1}).state.count, first + kFrameBits);
  }
}

TEST_F(HasDamage, RecoversWithProg) {
  Part p = load_with({kFrame0 + 5});
  ASSERT_TRUE(p.error());
  p.load(good);
  EXPECT_TRUE(p.done());
  EXPECT_FALSE(p.error());
  EXPECT_TRUE(same_switches(p));
}

// The CRC sees every pair of flips less than 32767 data bits apart and every burst of 16.
TEST_F(HasDamage, PairsAndBurstsInTheSwitches) {
  const auto any = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const uint32_t bits = 24 * kFrameBits;
  for (int i = 0; i < 7000; ++i) {
    std::vector<uint32_t> flipped;
    if (i < 5000) {
      const uint32_t a = any(bits), b = any(bits);
      if (a == b) continue;
      flipped = {kFrame0 + std::min(a, b), kFrame0 + std::max(a, b)};
    } else {
      flipped = {kFrame0 + any(bits - 16)};
      for (uint32_t k = 1; k < 16; ++k)
        if (random() & 1) flipped.push_back(flipped.front() + k);
    }
    const Part p = load_with(flipped);
    ASSERT_TRUE(p.error()) << flipped.front() << ' ' << flipped.back();
    ASSERT_FALSE(p.done());
  }
}

TEST_F(HasDamage, LostOrRepeatedBitsShiftTheFrames) {
  for (int i = 0; i < 200; ++i) {
    const auto at = kFrame0 + random() % (kPostambleAt - kFrame0);
    Bits lost = good, twice = good;
    lost.erase(lost.begin() + static_cast<std::ptrdiff_t>(at));
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(at), good[at]);
    for (const Bits& bits : {lost, twice}) {
      Part p;
      p.load(bits);
      ASSERT_TRUE(!p.done() || same_switches(p)) << at;
    }
  }
}

// The family's other check, the constant 0110, is refused: this design's option is the CRC.
TEST_F(HasDamage, ConstantCheckFieldIsAFrameError) {
  Bits bits = good;
  for (uint32_t frame = 0; frame < kFrames; ++frame)
    for (uint32_t i = 0; i < 4; ++i)
      bits[kFrame0 + (frame + 1) * kFrameBits - 4 + i] = (0b0110 >> (3 - i) & 1) != 0;
  Part p;
  p.load(bits);
  EXPECT_TRUE(p.error());
  EXPECT_FALSE(p.done());
}

TEST_F(HasDamage, NoiseIsNotABitstream) {
  for (int i = 0; i < 50; ++i) {
    Bits bits(kStreamBits);
    for (size_t n = 0; n < bits.size(); ++n) bits[n] = random() & 1;
    Part p;
    p.load(bits);
    EXPECT_FALSE(p.done());
  }
  for (const bool level : {false, true}) {
    Part p;
    p.load(Bits(200000, level));
    EXPECT_FALSE(p.done()) << level;
  }
}

}  // namespace
}  // namespace perfboard::has
