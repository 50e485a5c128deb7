// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of instruction classes, and what of an instruction the statistics count.
#include "hw/power2/pipeline_classes.h"

#include <algorithm>
#include <array>

namespace perfboard::p2 {
namespace {

enum Unit : uint8_t {
  kFxu = 1,
  kFpu = 2,      // in its queue
  kFpuData = 4,  // loads into its registers, stores out of them
  kIcu = 8,
  kFxu0 = 16 | kFxu,
};

struct Row {
  Op op;
  uint8_t units;
  uint8_t busy, latency;  // of the FXU if it is one of the units, else of the FPU
  Stat stat;
  const char* source;  // of the cycles
};

constexpr const char* kGcc = "GCC's description of POWER2 (rios2.md)";

// clang-format off
constexpr Row kRows[] = {
    // op                   units             busy latency  counted as            source
    {Op::kUnknown,          kFxu0,               1, 1, kStat_system,         "INFERRED: as a system instruction"},
    {Op::kInteger,          kFxu,                1, 1, kStat_fx_arith,       kGcc},
    {Op::kMultiply,         kFxu0,               2, 2, kStat_fx_mul,         kGcc},
    {Op::kDivide,           kFxu0,              13, 13, kStat_fx_div,        kGcc},
    {Op::kCondition,        kIcu,                1, 3, kStat_condition_ops,  kGcc},
    {Op::kSpecial,          kFxu0,               1, 1, kStat_fx_special,     kGcc},
    {Op::kLoad,             kFxu,                1, 2, kStat_fx_load,        kGcc},
    {Op::kStore,            kFxu,                1, 1, kStat_fx_store,       kGcc},
    {Op::kLoadStore,        kFxu,                2, 3, kStat_fx_load_store,  "INFERRED: a load, an addition, a store"},
    {Op::kFloatLoad,        kFxu | kFpuData,     1, 2, kStat_fp_load,        kGcc},
    {Op::kFloatStore,       kFxu | kFpuData,     1, 1, kStat_fp_store,       kGcc},
    {Op::kFloatAdd,         kFpu,                1, 2, kStat_fp_add,         kGcc},
    {Op::kFloatMultiply,    kFpu,                1, 2, kStat_fp_mul,         kGcc},
    {Op::kFloatMultiplyAdd, kFpu,                1, 2, kStat_fp_fma,         kGcc},
    {Op::kFloatDivide,      kFpu,               17, 17, kStat_fp_div,        kGcc},
    {Op::kFloatRoot,        kFpu,               26, 26, kStat_fp_sqrt,       kGcc},
    {Op::kFloatCompare,     kFpu,                1, 2, kStat_fp_compare,     kGcc},
    {Op::kFloatConvert,     kFpu,                1, 2, kStat_fp_convert,     kGcc},
    {Op::kFloatMove,        kFpu,                1, 2, kStat_fp_move,        kGcc},
    {Op::kVector,           kFpu,                1, 2, kStat_vector,         "INFERRED: as a multiply-add"},
    {Op::kVectorLoad,       kFxu | kFpuData,     1, 2, kStat_fp_load,        "INFERRED: as a quadword load"},
    {Op::kVectorStore,      kFxu | kFpuData,     1, 1, kStat_fp_store,       "INFERRED: as a quadword store"},
    {Op::kBranch,           kIcu,                1, 1, kStat_branches,       kGcc},
    {Op::kTrap,             kFxu,                1, 1, kStat_traps,          "INFERRED: as a compare"},
    {Op::kSystemCall,       kIcu,                1, 1, kStat_system_calls,   "INFERRED: as a branch"},
    {Op::kCache,            kFxu0,               1, 1, kStat_cache_ops,      "INFERRED: as a store"},
    {Op::kSync,             kIcu,                1, 1, kStat_syncs,          "INFERRED: as a branch"},
    {Op::kSystem,           kFxu0,               1, 1, kStat_system,         "INFERRED: as a special move"},
};
// clang-format on

consteval bool in_order() {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].op != static_cast<Op>(i)) return false;
  return std::size(kRows) == static_cast<size_t>(Op::kOps);
}
static_assert(in_order());

const Row& row_of(const ModelInsn& insn) {
  const auto i = static_cast<size_t>(insn.op);
  return kRows[i < std::size(kRows) ? i : 0];
}

template <size_t N>
std::span<const uint8_t> known(const uint8_t (&registers)[N], unsigned n) {
  return {registers, std::min<size_t>(n, N)};
}

bool any(std::span<const uint8_t> registers, bool (*is)(unsigned)) {
  return std::any_of(registers.begin(), registers.end(), is);
}

// Words of a multiple or string instruction; 1: it is none, or only its data tell.
unsigned words_of(const ModelInsn& insn) {
  const unsigned n = std::max(insn.loads, insn.stores);
  return (insn.op == Op::kLoad || insn.op == Op::kStore) && n > 1 && n < 255 ? n : 1;
}

}  // namespace

std::span<const uint8_t> reads_of(const ModelInsn& insn) { return known(insn.read, insn.reads); }
std::span<const uint8_t> writes_of(const ModelInsn& insn) { return known(insn.write, insn.writes); }

Plan plan_of(const ModelInsn& insn) {
  const Row& row = row_of(insn);
  Plan p;
  p.icu = row.units & kIcu;
  p.fxu = row.units & kFxu;
  p.fpu = row.units & kFpu;
  p.fpu_data = row.units & kFpuData;
  p.only_0 = row.units == kFxu0;
  p.words = words_of(insn);
  if (p.fxu) p.fxu_busy = row.busy, p.fxu_latency = row.latency;
  if (p.fpu) p.fpu_busy = row.busy, p.fpu_latency = row.latency;
  p.rename = any(writes_of(insn), is_float);
  return p;
}

void count_classes(const ModelInsn& insn, const Plan& p, uint32_t counts[kStats]) {
  const Row& row = row_of(insn);
  const auto add = [&](Stat stat, bool yes) { counts[stat] += yes; };
  add(kStat_insns, true);
  add(kStat_dispatched_fxu, p.fxu);
  add(kStat_dispatched_fpu, p.fpu || p.fpu_data);
  add(kStat_dispatched_icu, p.icu);
  counts[kStat_fetched] += std::max(1, (insn.bytes + 3) / 4);

  const bool compare =
      row.op == Op::kInteger &&
      (insn.record || (any(writes_of(insn), is_condition) && !any(writes_of(insn), is_general)));
  add(compare ? kStat_fx_compare : row.stat, true);
  add(kStat_fx_update, insn.update && p.fxu);
  if (p.words > 1) counts[kStat_fx_multiple] += p.words;
  add(kStat_fp_single, insn.single && row.op >= Op::kFloatAdd && row.op <= Op::kFloatConvert);

  if (row.op == Op::kBranch) {
    add(kStat_br_unconditional, !insn.conditional);
    add(kStat_br_conditional, insn.conditional);
    add(kStat_br_link_register, insn.needs & kNeedsLink);
    const bool counted = any(writes_of(insn), [](unsigned r) { return r == kCount; });
    add(kStat_br_count_register, insn.needs & kNeedsCount && !counted);
    add(kStat_br_count, counted);
    add(kStat_br_call, insn.link);
    add(kStat_br_return, insn.returns);
  }
}

}  // namespace perfboard::p2
