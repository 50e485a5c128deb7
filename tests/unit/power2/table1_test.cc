// SPDX-License-Identifier: GPL-2.0-or-later
//
// Table 1, row by row, against what a monitor counts in each state of the processor.
#include <optional>

#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

// A row of the paper's Table 1: DIS DP DU DMS DMR, X is either; whether it says that the state is counted.
struct Row {
  const char* pattern;
  bool (*counts)(bool problem_state, bool marked);
};
constexpr Row kTable1[] = {
    {"00000", [](bool, bool) { return true; }},
    {"00001", [](bool, bool marked) { return marked; }},
    {"00010", [](bool, bool marked) { return !marked; }},
    {"00100", [](bool problem, bool) { return !problem; }},
    {"01000", [](bool problem, bool) { return problem; }},
    {"00101", [](bool problem, bool marked) { return !problem && marked; }},
    {"00110", [](bool problem, bool marked) { return !problem && !marked; }},
    {"01001", [](bool problem, bool marked) { return problem && marked; }},
    {"01010", [](bool problem, bool marked) { return problem && !marked; }},
    {"XXX11", [](bool, bool) { return false; }},
    {"X11XX", [](bool, bool) { return false; }},
    {"1XXXX", [](bool, bool) { return false; }},
};

bool fits(const Row& row, uint32_t value) {
  for (unsigned i = 0; i < 5; ++i)
    if (row.pattern[i] != 'X' && (row.pattern[i] == '1') != ((value & mmcr::bit(i)) != 0)) return false;
  return true;
}

// What the table says; all rows that fit agree.
std::optional<bool> by_the_table(uint32_t value, bool problem, bool marked) {
  std::optional<bool> all;
  for (const Row& row : kTable1) {
    if (!fits(row, value)) continue;
    const bool this_one = row.counts(problem, marked);
    EXPECT_EQ(all.value_or(this_one), this_one) << row.pattern << " contradicts another row";
    all = this_one;
  }
  return all;
}

class Table1 : public testing::TestWithParam<bool> {};

TEST_P(Table1, EveryRowInEveryState) {
  int rows_met = 0;
  for (uint32_t n = 0; n < 32; ++n) {
    rows_met += static_cast<int>(std::count_if(std::begin(kTable1), std::end(kTable1),
                                               [n](const Row& row) { return fits(row, n << 27); }));
    for (bool problem : {false, true})
      for (bool marked : {false, true}) {
        const std::optional<bool> counts = by_the_table(n << 27, problem, marked);
        ASSERT_TRUE(counts.has_value()) << std::hex << (n << 27);
        Bench b({.power = GetParam()});
        b.context(!problem, marked);
        if (!GetParam()) b.set(reg::kMark, marked);
        b.mode(n << 27);
        b.happens(P2S_insns, 5);
        EXPECT_EQ(b.count(kInstructions), *counts ? 5u : 0u)
            << "MMCR " << std::hex << (n << 27) << " PR " << problem << " PM " << marked;
        // STATE: PR, PM, and whether the counters count.
        EXPECT_EQ(b.get(reg::kState), (problem ? 1u : 0u) | (marked ? 2u : 0u) | (*counts ? 4u : 0u)) << n;
      }
  }
  EXPECT_EQ(rows_met, 9 + 8 + 8 + 16);
}

// One value of MMCR, and the processor goes through its four states: the counter follows.
TEST_P(Table1, ChangesOfStateNeedNoWriteOfMmcr) {
  for (uint32_t n = 0; n < 32; ++n) {
    Bench b({.power = GetParam()});
    b.mode(n << 27);
    uint32_t expected = 0, step = 1;
    for (int round = 0; round < 3; ++round)
      for (bool problem : {true, false})
        for (bool marked : {true, false}) {
          b.context(!problem, marked);
          b.happens(P2S_insns, step);
          if (*by_the_table(n << 27, problem, marked)) expected += step;
          step *= 3;
        }
    EXPECT_EQ(b.count(kInstructions), expected) << n;
  }
}

// "The counter values are not changed, only suspended."
TEST_P(Table1, SuspendedCountersKeepTheirValues) {
  for (uint32_t n = 1; n < 32; ++n) {
    Bench b({.power = GetParam()});
    b.user();
    b.happens(P2S_insns, 7);
    b.mode(n << 27);
    const uint32_t more = *by_the_table(n << 27, true, false) ? 9 : 0;
    b.happens(P2S_insns, 9);
    EXPECT_EQ(b.count(kInstructions), 7 + more);
    b.mode(0);
    EXPECT_EQ(b.count(kInstructions), 7 + more);
    b.happens(P2S_insns, 1);
    EXPECT_EQ(b.count(kInstructions), 8 + more);
  }
}

INSTANTIATE_TEST_SUITE_P(Power, Table1, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(OwnMark, Table1, testing::Values(false));

}  // namespace
}  // namespace perfboard::p2
