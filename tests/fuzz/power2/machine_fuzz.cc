// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine model against its slow reference, on programs that the input chooses, cut where it says; and
// from pipelines that it makes up: what machine_state_ok() takes can be run, and leaves what it takes again.
#include <algorithm>
#include <cstring>
#include <vector>

#include "hw/power2/pipeline.h"
#include "tests/fuzz/input.h"
#include "tests/unit/power2/reference.h"

namespace {

using perfboard::ModelInsn;
using perfboard::fuzz::Input;
using namespace perfboard::p2;

constexpr uint32_t kLongest = 200;  // instructions
// No instruction waits longer than all before it take, one after the other.
constexpr uint32_t kMostCycles = 400;

void add(Counts* sum, const uint32_t* counts) {
  for (unsigned s = 0; s < kStats; ++s) (*sum)[s] += counts[s];
}

void programs_agree(Input& in) {
  const auto below = [&](unsigned n) { return in.below(n); };
  const std::vector<ModelInsn> program = random_program(1 + in.below(kLongest), below);
  perfboard::fuzz::operations += program.size();
  MachineState whole{}, state{};
  Counts at_once{}, in_runs{};
  machine_run(program.data(), program.size(), &whole, at_once.data());
  for (size_t at = 0; at < program.size();) {
    const size_t n = std::min<size_t>(in.below(8), program.size() - at);  // an empty run, too
    const size_t most = in.empty() ? program.size() - at : n;
    uint32_t counts[kStats];
    machine_run(program.data() + at, most, &state, counts);
    add(&in_runs, counts);
    at += most;
    FUZZ_CHECK(machine_state_ok(state), "after %zu of %zu", at, program.size());
    FUZZ_CHECK(state.drain < kHorizon, "after %zu of %zu", at, program.size());  // all other times are less
  }
  FUZZ_CHECK(std::memcmp(&whole, &state, sizeof state) == 0, "%zu instructions", program.size());
  const Counts expected = reference(program);
  for (unsigned s = 0; s < kStats; ++s) {
    FUZZ_CHECK(in_runs[s] == at_once[s], "statistic %u: %u in runs, %u at once", s, in_runs[s], at_once[s]);
    FUZZ_CHECK(expected[s] == at_once[s], "statistic %u: %u, the reference %u", s, at_once[s], expected[s]);
  }
}

void snapshots_run(Input& in) {
  // A state that a run left, with some bytes changed.
  const auto below = [&](unsigned n) { return in.below(n); };
  const std::vector<ModelInsn> before = random_program(1 + in.below(16), below);
  MachineState state{};
  uint32_t counts[kStats];
  machine_run(before.data(), before.size(), &state, counts);
  uint8_t bytes[sizeof state];
  std::memcpy(bytes, &state, sizeof state);
  for (unsigned n = in.below(8); n > 0; --n) bytes[in.below(sizeof bytes)] = in.u8();
  std::memcpy(&state, bytes, sizeof state);
  if (!machine_state_ok(state)) return;
  const std::vector<ModelInsn> program = random_program(1 + in.below(32), below);
  perfboard::fuzz::operations += program.size();
  machine_run(program.data(), program.size(), &state, counts);
  FUZZ_CHECK(machine_state_ok(state), "behind %zu instructions", program.size());
  FUZZ_CHECK(counts[kStat_cycles] < kMostCycles * (1 + program.size()), "%u cycles", counts[kStat_cycles]);
}

void match(Input& in) {
  ++perfboard::fuzz::operations;
  ModelInsn i;
  i.opcode = in.u32();
  const uint32_t imr = in.flip() ? in.u32() : i.opcode ^ 1u << in.below(32);
  FUZZ_CHECK(imr_matches(i, i.opcode, true) == (i.opcode != 0), "%08x", i.opcode);
  // What differs in the primary opcode never matches.
  if ((imr ^ i.opcode) >> 26) FUZZ_CHECK(!imr_matches(i, imr, true), "%08x %08x", i.opcode, imr);
  FUZZ_CHECK(imr_matches(i, imr, false) == (imr == i.opcode && imr != 0), "%08x %08x", i.opcode, imr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in(data, size);
  while (!in.empty()) switch (in.below(4)) {
      case 0:
        snapshots_run(in);
        break;
      case 1:
        match(in);
        break;
      default:
        programs_agree(in);
        break;
    }
  return 0;
}
