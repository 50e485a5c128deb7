// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the board looks like from outside is what it is: each register is found at its place, a peek is what a
// read would give, and each mistake and effect of the lists can happen.
#include "hw/multikron/view.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>

#include "hw/core/view_check.h"
#include "hw/multikron/registers.h"
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

const BoardView& view = mk_view();

std::string_view name_at(const MkBench& b, unsigned window, uint64_t offset, uint32_t bytes, uint64_t first) {
  const Place place = place_of(view, &b.chip, window, offset, {.first = first, .bytes = bytes, .vcpu = 0});
  return place.reg ? place.reg->name : "nothing";
}

TEST(MultiKronView, EveryRegisterHasItsPlace) {
  MkBench b;
  std::set<const Register*> found;
  for (unsigned window = 0; window < view.windows.size(); ++window)
    for (uint64_t offset = 0; offset < view.windows[window].bytes; ++offset) {
      const Place place = view.place(&b.chip, window, offset);
      if (!place.reg) continue;
      EXPECT_EQ(place.byte, offset % 4);
      EXPECT_EQ(place.unit, -1);
      EXPECT_EQ(place.index, -1);
      found.insert(place.reg);
    }
  for (const std::span<const Register> table : view.tables)
    for (const Register& r : table) {
      // Those of two halves are in BAR 2 at 8 n and 8 n + 4, so that their upper halves' addresses show the
      // same rows.
      EXPECT_TRUE(found.count(&r)) << r.name;
    }
}

TEST(MultiKronView, PlacesInTheWindows) {
  MkBench b;
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kCsr, 4, 4 * addr::kCsr), "CSR");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTrace + 4, 4, 4 * addr::kTrace + 4), "TRACE1");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTrace + 4, 8, 4 * addr::kTrace), "TRACE0_H")
      << "64 bits: one sample";
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kCounter + 4, 8, 4 * addr::kCounter), "RC0_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTimestamp + 4, 8, 4 * addr::kTimestamp), "TIMESTAMP_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kFilter + 4, 8, 4 * addr::kFilter), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 512, 4, 512), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 8 * addr::kMuxSel + 4, 8, 8 * addr::kMuxSel), "MUXSEL_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 8 * addr::kCsr + 4, 8, 8 * addr::kCsr), "nothing");
  const auto filler = [&](unsigned window, uint64_t offset, uint64_t first, uint32_t bytes) {
    return place_of(view, &b.chip, window, offset, {.first = first, .bytes = bytes, .vcpu = 0}).filler;
  };
  EXPECT_TRUE(filler(MK_WINDOW_8, 8 * addr::kFilter + 4, 8 * addr::kFilter, 8)) << "a correct 64-bit access";
  EXPECT_TRUE(filler(MK_WINDOW_4, 4 * addr::kFilter + 4, 4 * addr::kFilter, 8));
  EXPECT_FALSE(filler(MK_WINDOW_8, 8 * addr::kFilter + 4, 8 * addr::kFilter + 4, 4))
      << "the upper half alone";
  EXPECT_FALSE(filler(MK_WINDOW_8, 8 * addr::kMuxSel + 4, 8 * addr::kMuxSel, 8)) << "it has one";
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 0x814, 4, 0x814), "LINES");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 0x818, 4, 0x818), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 8 * addr::kResource, 8, 8 * addr::kResource), "RSRC0");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 8 * addr::kCsr, 8, 8 * addr::kCsr), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 0x814, 4, 0x814), "nothing");
}

// Anything a program does, in normal and in test mode.
void something(MkBench& b, std::mt19937& random) {
  const unsigned kinds[] = {addr::kCsr,     addr::kFilter, addr::kMuxSel, addr::kRReset, addr::kEnable,
                            addr::kDisable, addr::kTest,   addr::kSource, addr::kTrace,  addr::kResource,
                            addr::kCounter, addr::kWait,   addr::kOverrun};
  unsigned address = kinds[random() % std::size(kinds)];
  if (address >= addr::kSource) address += random() % 8;
  if (random() % 40 == 0) b.test_mode(random() % 2);
  b.write(address, uint64_t{random()} << 32 | random(), static_cast<int>(random() % 8));
  b.now += random() % 400;
}

TEST(MultiKronView, PeekIsWhatAReadGives) {
  MkBench b;
  std::mt19937 random(1);
  unsigned compared = 0;
  for (int step = 0; step < 3000; ++step) {
    something(b, random);
    mk_catch_up(&b.chip);
    for (unsigned address = 0; address < 48; ++address) {
      const bool counter = address >= addr::kCounter;
      if (counter && b.chip.state.shadow_busy) continue;  // the read would be of an old copy
      Place place[2];
      std::optional<uint32_t> peeked[2];
      for (unsigned half = 0; half < 2; ++half) {
        place[half] = place_of(view, &b.chip, MK_WINDOW_8, 8 * address + 4 * half, {8 * address, 8, 0});
        if (place[half].reg) peeked[half] = view.peek(&b.chip, b.now, place[half]);
      }
      const size_t mistakes = b.mistakes.size();
      const uint64_t read = b.read(address);
      if (b.mistakes.size() != mistakes) continue;  // it cannot be read
      for (unsigned half = 0; half < 2; ++half) {
        if (!place[half].reg) {
          EXPECT_EQ(read >> 32, 0u) << address;
          continue;
        }
        const auto name = place[half].reg->name;
        ASSERT_TRUE(peeked[half].has_value()) << name;
        ASSERT_EQ(*peeked[half], static_cast<uint32_t>(read >> 32 * half)) << name << ", step " << step;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 50000u);
}

TEST(MultiKronView, PeekChangesNothing) {
  MkBench b;
  std::mt19937 random(2);
  for (int step = 0; step < 300; ++step) something(b, random);
  const MkState before = b.chip.state;
  const size_t effects = b.effects.size();
  for (const std::span<const Register> table : view.tables)
    for (const Register& r : table) view.peek(&b.chip, b.now, {.reg = &r});
  EXPECT_EQ(std::memcmp(&before, &b.chip.state, sizeof before), 0);
  EXPECT_EQ(effects, b.effects.size());
}

TEST(MultiKronView, PeekOfTheCard) {
  MkBench b;
  for (const Register& r : kCard)
    EXPECT_EQ(view.peek(&b.chip, 0, {.reg = &r}), b.read_at(MK_WINDOW_8, r.offset, 4)) << r.name;
  for (const Register& r : kRegisters) {
    if (r.offset / 4 >= addr::kTrace || r.name == "RESET") {
      EXPECT_FALSE(view.peek(&b.chip, 0, {.reg = &r})) << r.name;
    }
  }
}

TEST(MultiKronView, BusyCounters) {
  MkBench b;
  const Place wrong =
      place_of(view, &b.chip, MK_WINDOW_8, 8 * addr::kCounter + 4, {8 * addr::kCounter, 8, 0});
  EXPECT_EQ(view.peek(&b.chip, b.now, wrong), 0u);
  b.write(addr::kResource, 0);
  EXPECT_EQ(view.peek(&b.chip, b.now, wrong), 0x80000000u);
}

// --- each mistake ---

struct Way {
  const char* what;
  std::function<void(MkBench&)> go;
};

const std::map<unsigned, std::vector<Way>>& ways_to_err() {
  static const std::map<unsigned, std::vector<Way>> ways = {
      {kUnaligned,
       {{"read", [](MkBench& b) { b.read_at(MK_WINDOW_8, 10, 4); }},
        {"write", [](MkBench& b) { b.write_at(MK_WINDOW_8, 12, 8, 0); }},
        {"card", [](MkBench& b) { b.read_at(MK_WINDOW_8, 0x802, 4); }}}},
      {kNarrowWrite, {{"16 bits", [](MkBench& b) { b.write_at(MK_WINDOW_8, 8, 2, 0); }}}},
      {kUpperHalf, {{"CSR", [](MkBench& b) { b.write_at(MK_WINDOW_8, 12, 4, 0); }}}},
      {kNoRegister,
       {{"read 7", [](MkBench& b) { b.read(7); }},
        {"write 24", [](MkBench& b) { b.write(24, 0); }},
        {"sample page", [](MkBench& b) { b.read_at(MK_WINDOW_SAMPLE, 8, 8); }}}},
      {kReservedAddress,
       {{"read 48", [](MkBench& b) { b.read(48); }}, {"write 63", [](MkBench& b) { b.write(63, 0); }}}},
      {kWriteOnly,
       {{"RESET", [](MkBench& b) { b.read(addr::kReset); }},
        {"RRESET", [](MkBench& b) { b.read(addr::kRReset); }},
        {"DISABLE", [](MkBench& b) { b.read(addr::kDisable); }}}},
      {kSampleRead, {{"TRACE3", [](MkBench& b) { b.read(addr::kTrace + 3); }}}},
      {kReadOnly,
       {{"TIMESTAMP", [](MkBench& b) { b.write(addr::kTimestamp, 0); }},
        {"FIFO",
         [](MkBench& b) {
           b.test_mode(true);
           b.write(addr::kFifo, 0);
         }}}},
      {kTestModeOnly,
       {{"read TEST", [](MkBench& b) { b.read(addr::kTest); }},
        {"write TEST", [](MkBench& b) { b.write(addr::kTest, 0); }},
        {"read FIFO", [](MkBench& b) { b.read(addr::kFifo); }},
        {"write FIFO", [](MkBench& b) { b.write(addr::kFifo, 0); }}}},
      {kNoCardWord, {{"0x818", [](MkBench& b) { b.read_at(MK_WINDOW_8, 0x818, 4); }}}},
      {kCardReadOnly, {{"MAGIC", [](MkBench& b) { b.write_at(MK_WINDOW_8, 0x800, 4, 1); }}}},
      {kSetAndClear, {{"sampling", [](MkBench& b) { b.write(addr::kCsr, csr::kSample | csr::kNoSample); }}}},
      {kNotSoftware, {{"slow clock", [](MkBench& b) { b.write(addr::kCounter, 0); }}}},
      {kNoCpuLine, {{"trace", [](MkBench& b) { b.write(addr::kTrace, 0, -1); }}}},
      {kCannotWait,
       {{"full",
         [](MkBench& b) {
           b.write(addr::kCsr, csr::kWriteWait);
           for (int i = 0; i < 9; ++i) b.write(addr::kTrace, 0);
         }}}},
      {kTestNoFunction,
       {{"bit 41",
         [](MkBench& b) {
           b.test_mode(true);
           b.write(addr::kTest, uint64_t{1} << 41);
         }}}},
      {kSetAndIncrement,
       {{"counters",
         [](MkBench& b) {
           b.test_mode(true);
           b.test({.set = 3, .inc = 3});
         }}}},
      {kShiftCutsOff,
       {{"under way",
         [](MkBench& b) {
           b.test_mode(true);
           b.write(addr::kTrace, 0);
           b.at(b.cycle() + 8);
           b.test({.shift = true});
         }}}},
      {kLoadIntoFull,
       {{"nine",
         [](MkBench& b) {
           b.test_mode(true);
           for (int i = 0; i < 9; ++i) b.test({.off = true, .load = true});
         }}}},
      {kShadowKept,
       {{"bit 0",
         [](MkBench& b) {
           b.test_mode(true);
           b.test({.data = 2, .load = true});
           b.write(addr::kResource, 0);
         }}}},
      {kCanHold,
       {{"off",
         [](MkBench& b) {
           b.test_mode(true);
           b.write(addr::kCsr, csr::kReadWait);
           b.test({.off = true});
         }}}},
      {kHeld,
       {{"off",
         [](MkBench& b) {
           b.test_mode(true);
           b.test({.off = true});
           b.write(addr::kCsr, csr::kReadWait);
           b.write(addr::kResource, 0);
           uint64_t value;
           EXPECT_EQ(b.try_read(addr::kCounter, &value), MK_WAIT);
         }}}},
  };
  return ways;
}

TEST(MultiKronView, EveryMistakeCanBeMade) {
  for (unsigned number = 0; number < view.mistakes.size(); ++number) {
    const auto ways = ways_to_err().find(number);
    ASSERT_NE(ways, ways_to_err().end()) << view.mistakes[number].name;
    for (const Way& way : ways->second) {
      MkBench b;
      way.go(b);
      ASSERT_FALSE(b.mistakes.empty()) << view.mistakes[number].name << ": " << way.what;
      EXPECT_EQ(b.mistakes.back(), number)
          << view.mistakes[number].name << ": " << way.what << ": " << b.log.back();
    }
  }
}

// --- each effect ---

using Told = std::pair<unsigned, uint64_t>;

TEST(MultiKronView, EffectsOfSamples) {
  MkBench b;
  b.effects.clear();
  b.write(addr::kTrace + 5, 0);
  b.write(addr::kResource + 6, 0);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kTraceSample, 5}, {kResourceSample, 6}}));
  b.effects.clear();
  b.write(addr::kResource + 7, 0);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kOverran, 2}}));
  b.effects.clear();
  b.at(b.cycle() + 1000);
  b.words();
  EXPECT_EQ(b.effects, (std::vector<Told>{{kSampleSent, 16}, {kSampleSent, 80}, {kShadowFreed, 0}}));
  b.effects.clear();
  b.write(addr::kFilter, 1);
  b.write(addr::kTrace + 1, 0);
  b.write(addr::kCsr, csr::kNoSample);
  b.write(addr::kTrace, 0);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kDiscarded, 1}, {kDiscarded, 0}}));
}

TEST(MultiKronView, EffectsOfCounters) {
  MkBench b;
  b.effects.clear();
  b.write(addr::kMuxSel, uint64_t{1} << 35);
  b.write(addr::kEnable, 1 << 3);
  b.write(addr::kCounter + 3, 0);
  b.read(addr::kCounter + 3);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kCounted, 3}, {kCountersCopied, 3}}));
  b.effects.clear();
  b.state().counter[3] = 0xfffffffe;
  b.write(addr::kCounter + 3, 0);
  b.write(addr::kCounter + 3, 0);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kCounterFull, 3}, {kCounted, 3}, {kCounted, 3}}));
  b.effects.clear();
  b.write(addr::kResource, 0);
  b.read(addr::kCounter + 3);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kResourceSample, 0}, {kWrongRead, 3}}));
  b.effects.clear();
  b.write(addr::kReset, 0);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kWasReset, 0}}));
}

TEST(MultiKronView, EffectsOfWaits) {
  MkBench b;
  b.at(1000);
  b.write(addr::kCsr, csr::kWriteWait);
  for (int i = 0; i < 8; ++i) b.write(addr::kTrace, 0);
  b.effects.clear();
  b.held_write(addr::kTrace, 0);
  EXPECT_EQ(b.effects,
            (std::vector<Told>{
                {kDelayed, 1}, {kSampleSent, 16}, {kDelayOver, b.read(addr::kWait)}, {kTraceSample, 0}}));
}

TEST(MultiKronView, EffectsOfTestMode) {
  MkBench b;
  b.test_mode(true);
  b.effects.clear();
  b.test({.data = 1, .off = true, .load = true});
  b.test({.off = true, .shift = true});
  EXPECT_EQ(b.effects, (std::vector<Told>{{kTestLoaded, 0}, {kTestShifted, 0}}));
}

TEST(MultiKronView, EffectsOfDamage) {
  MkBench b;
  b.effects.clear();
  mk_inject(&b.chip, MK_INJECT_DAMAGE, 1);
  mk_inject(&b.chip, MK_INJECT_NO_END, 1);
  b.write(addr::kTrace, 0);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kDamaged, 3}, {kTraceSample, 0}}));
}

// --- the lists' names ---

TEST(MultiKronView, NamesWhatIsThere) {
  EXPECT_EQ(view_error(view), "");
  EXPECT_TRUE(view.conditions.empty()) << "the card has no interrupt";
}

}  // namespace
}  // namespace perfboard::mk
