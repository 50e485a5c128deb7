// SPDX-License-Identifier: GPL-2.0-or-later
//
// The model against its slow reference, on random programs that are cut into random runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/unit/power2/random_program.h"
#include "tests/unit/power2/reference.h"

namespace perfboard::p2 {
namespace {

const char* const kNames[] = {
#define STAT(name, text) #name,
#include "hw/power2/stats.def"
#undef STAT
};

// What differs, for a reader.
std::string difference(const Counts& model, const Counts& expected) {
  std::string text;
  for (unsigned s = 0; s < kStats; ++s)
    if (model[s] != expected[s])
      text += std::string(" ") + kNames[s] + " " + std::to_string(model[s]) + " not " +
              std::to_string(expected[s]);
  return text;
}

void add(Counts* sum, const uint32_t* counts) {
  for (unsigned s = 0; s < kStats; ++s) (*sum)[s] += counts[s];
}

TEST(MachineReference, AgreesOnRandomProgramsInRandomRuns) {
  std::mt19937 random(20260);
  Counts seen{};
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (unsigned round = 0; round < 100'000; ++round) {
    const auto program = random_program(1 + below(below(8) ? 24 : 120), below);
    MachineState whole{}, state{};
    Counts at_once{}, in_runs{};
    machine_run(program.data(), program.size(), &whole, at_once.data());
    for (size_t at = 0; at < program.size();) {
      const size_t n = std::min<size_t>(1 + below(12), program.size() - at);
      uint32_t counts[kStats];
      machine_run(&program[at], n, &state, counts);
      add(&in_runs, counts);
      at += n;
      ASSERT_TRUE(machine_state_ok(state)) << "round " << round << ", after " << at;
    }
    const Counts expected = reference(program);
    ASSERT_EQ(at_once, expected) << "round " << round << ":" << difference(at_once, expected);
    ASSERT_EQ(in_runs, at_once) << "round " << round << ":" << difference(in_runs, at_once);
    ASSERT_EQ(std::memcmp(&whole, &state, sizeof state), 0) << "round " << round;
    add(&seen, at_once.data());
  }
  // Every statistic took part.
  for (unsigned s = 0; s < kStats; ++s) EXPECT_GT(seen[s], 100u) << kNames[s];
}

}  // namespace
}  // namespace perfboard::p2
