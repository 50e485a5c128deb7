// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged bitstreams: the part says so, or the damage was in bits that mean nothing to it. It
// never selects wrongly without a word.
#include <algorithm>
#include <set>

#include "tests/unit/surfboard/has_fixture.h"

namespace perfboard::has {
namespace {

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
    ASSERT_EQ(memcmp(&stopped, &p.state, sizeof stopped), 0) << n;
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
TEST_F(HasDamage, PairsOfFlipsInTheSwitches) {
  const uint32_t bits = 24 * kFrameBits;
  for (int i = 0; i < 5000; ++i) {
    uint32_t a = static_cast<uint32_t>(random() % bits), b = static_cast<uint32_t>(random() % bits);
    if (a == b) continue;
    if (a > b) std::swap(a, b);
    const Part p = load_with({kFrame0 + a, kFrame0 + b});
    ASSERT_TRUE(p.error()) << a << ' ' << b;
    ASSERT_FALSE(p.done());
  }
}

TEST_F(HasDamage, BurstsInTheSwitches) {
  for (int i = 0; i < 2000; ++i) {
    const auto at = kFrame0 + static_cast<uint32_t>(random() % (24 * kFrameBits - 16));
    std::vector<uint32_t> flipped = {at};
    for (uint32_t k = 1; k < 16; ++k)
      if (random() & 1) flipped.push_back(at + k);
    ASSERT_TRUE(load_with(flipped).error()) << at;
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
