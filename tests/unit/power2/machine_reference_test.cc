// SPDX-License-Identifier: GPL-2.0-or-later
//
// The model against its slow reference, on what decoders make of bytes; and what its statistics add up to.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>

#include "plugins/isa/isa.h"
#include "plugins/isa/ppc/cpu.h"
#include "plugins/isa/x86/cpu.h"
#include "tests/unit/power2/machine_programs.h"
#include "tests/unit/power2/reference.h"

namespace perfboard::p2 {
namespace {

// What differs, for a reader.
std::string difference(const Counts& model, const Counts& expected) {
  std::string text;
  for (unsigned s = 0; s < kStats; ++s)
    if (model[s] != expected[s])
      text += std::string(" ") + kStatNames[s] + " " + std::to_string(model[s]) + " not " +
              std::to_string(expected[s]);
  return text;
}

// The sums of MACHINE.md. On such programs, cut into runs, fuzz-power2_machine compares all statistics with
// the reference.
TEST(MachineReference, SumsHold) {
  std::mt19937 random(20260);
  Counts seen{};
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (unsigned round = 0; round < 100'000; ++round) {
    const auto program = random_program(1 + below(below(8) ? 24 : 120), below);
    MachineState state{};
    Counts c;
    machine_run(program.data(), program.size(), &state, c.data());
    for (unsigned s = 0; s < kStats; ++s) seen[s] += c[s];
    ASSERT_EQ(c[kStat_insns], program.size());
    const auto sum = [&](std::initializer_list<Stat> stats) {
      uint32_t n = 0;
      for (const Stat s : stats) n += c[s];
      return n;
    };
    const auto ahead = [](const MachineUnit& u) { return u.queue[kQueue - 1]; };
    ASSERT_EQ(sum({kStat_fx_arith,  kStat_fx_compare,    kStat_fx_mul,        kStat_fx_div,  kStat_fx_special,
                   kStat_fx_load,   kStat_fx_store,      kStat_fx_load_store, kStat_fp_load, kStat_fp_store,
                   kStat_cache_ops, kStat_fp_add,        kStat_fp_mul,        kStat_fp_fma,  kStat_fp_div,
                   kStat_fp_sqrt,   kStat_fp_compare,    kStat_fp_convert,    kStat_fp_move, kStat_vector,
                   kStat_branches,  kStat_condition_ops, kStat_system_calls,  kStat_traps,   kStat_syncs,
                   kStat_system}),
              c[kStat_insns]);
    ASSERT_EQ(sum({kStat_br_unconditional, kStat_br_conditional}), c[kStat_branches]);
    ASSERT_EQ(sum({kStat_dispatch_0, kStat_dispatch_1, kStat_dispatch_2, kStat_dispatch_3, kStat_dispatch_4}),
              c[kStat_cycles]);
    ASSERT_EQ(sum({kStat_held_branch_fxu, kStat_held_branch_fpu, kStat_held_branch_icu, kStat_held_fxu_queue,
                   kStat_held_fpu_queue, kStat_held_rename, kStat_held_sync}),
              c[kStat_dispatch_0]);
    ASSERT_EQ(sum({kStat_fxu0, kStat_fxu1}), c[kStat_dispatched_fxu]);
    ASSERT_EQ(sum({kStat_fxu0, kStat_fxu_held_load, kStat_fxu_held_result, kStat_fxu_held_multi,
                   kStat_fxu_held_fpu, kStat_fxu_empty}),
              c[kStat_cycles] + ahead(state.fxu));
    ASSERT_EQ(
        sum({kStat_fpu0, kStat_fpu_held_load, kStat_fpu_held_result, kStat_fpu_held_divide, kStat_fpu_empty}),
        c[kStat_cycles] + ahead(state.fpu));
    ASSERT_LE(sum({kStat_fxu_pairs, kStat_lost_pair, kStat_lost_load, kStat_lost_multi, kStat_lost_other}),
              c[kStat_fxu0]);
  }
  for (unsigned s = 0; s < kStats; ++s) EXPECT_GT(seen[s], 100u) << kStatNames[s] << " hardly takes part";
}

// --- on instructions as the decoders of plugins/isa see them: all that a guest may execute ----------

void agree(const Program& program, const char* what) {
  const Counts counts = run(program), expected = reference(program);
  ASSERT_EQ(counts, expected) << what << ":" << difference(counts, expected);
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
