// SPDX-License-Identifier: GPL-2.0-or-later
//
// The model against its slow reference, on instructions as the decoders of plugins/isa see them: all that a
// guest may execute.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "plugins/isa/isa.h"
#include "plugins/isa/ppc/cpu.h"
#include "plugins/isa/x86/cpu.h"
#include "tests/unit/power2/machine_programs.h"

namespace perfboard::p2 {
namespace {

void agree(const Program& program, const char* what) {
  MachineState state{};
  Counts counts;
  machine_run(program.data(), program.size(), &state, counts.data());
  ASSERT_TRUE(machine_state_ok(state)) << what;
  const Counts expected = reference(program);
  for (unsigned s = 0; s < kStats; ++s) ASSERT_EQ(counts[s], expected[s]) << what << ": " << kStatNames[s];
}

TEST(MachineDecoded, AnyWordsOfPower) {
  const Isa& ppc = *isa_named("ppc");
  std::mt19937 random(31);
  unsigned known = 0;
  for (unsigned round = 0; round < 4'000; ++round) {
    Program program;
    for (unsigned i = 0; i < 24; ++i) {
      uint32_t word[2] = {static_cast<uint32_t>(random()), static_cast<uint32_t>(random())};
      // Opcodes with many instructions, and registers that are others' too.
      static constexpr uint32_t kPrimary[] = {4, 19, 31, 31, 59, 60, 63};
      if (random() % 2) word[0] = kPrimary[random() % std::size(kPrimary)] << 26 | (word[0] & 0x03ffffff);
      if (random() % 2) word[0] &= ~0x018c6000u;
      program.push_back(
          ppc.model(reinterpret_cast<const uint8_t*>(word), sizeof word, PB_PPC_LITTLE_ENDIAN, 0));
      known += program.back().op != Op::kUnknown;
    }
    ASSERT_NO_FATAL_FAILURE(agree(program, "POWER"));
  }
  EXPECT_GT(known, 20'000u);
}

// Code as a compiler writes it, this program's own, and whatever else is in its file.
TEST(MachineDecoded, CodeOfX86) {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  const std::string file(std::istreambuf_iterator<char>(in), {});
  ASSERT_GT(file.size(), 100'000u);
  const Isa& x86 = *isa_named("x86");
  std::mt19937 random(64);
  for (unsigned round = 0; round < 2'000; ++round) {
    Program program;
    for (size_t at = random() % (file.size() - 1'000); program.size() < 40;) {
      const auto* const code = reinterpret_cast<const uint8_t*>(file.data()) + at;
      program.push_back(x86.model(code, 15, 64, at));
      at += std::max<size_t>(1, program.back().bytes);
    }
    ASSERT_NO_FATAL_FAILURE(agree(program, "x86"));
  }
}

}  // namespace
}  // namespace perfboard::p2
