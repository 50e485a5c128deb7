// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of instruction classes, what an instruction's own traits change, and what of it the statistics
// count.
#include <algorithm>
#include <iterator>

#include "hw/power2/pipeline.h"

namespace perfboard::p2 {
namespace {

enum Unit : uint8_t {
  kFxu = 1,
  kFpu = 2,
  kFpuData = 4,
  kIcu = 8,
  kOnly0 = 16,
};

struct Row {
  Op op;
  uint8_t units;
  uint8_t busy, latency;  // of the unit; a load's or store's: of the FXU
  Stat stat;
  const char* source;  // of the cycles
};

constexpr const char* kGcc = "GCC's scheduling description of POWER2 (rios2.md)";

// clang-format off
constexpr Row kRows[] = {
    // op                   units          busy latency counted as            source
    {Op::kUnknown,          kFxu | kOnly0,    1,  1, kStat_system,        "INFERRED: as a system instruction"},
    {Op::kInteger,          kFxu,             1,  1, kStat_fx_arith,      kGcc},
    {Op::kMultiply,         kFxu | kOnly0,    2,  2, kStat_fx_mul,        kGcc},
    {Op::kDivide,           kFxu | kOnly0,   13, 13, kStat_fx_div,        kGcc},
    {Op::kCondition,        kIcu,             1,  3, kStat_condition_ops, kGcc},
    {Op::kSpecial,          kFxu | kOnly0,    1,  1, kStat_fx_special,    kGcc},
    {Op::kLoad,             kFxu,             1,  2, kStat_fx_load,       kGcc},
    {Op::kStore,            kFxu,             1,  1, kStat_fx_store,      kGcc},
    {Op::kLoadStore,        kFxu,             2,  3, kStat_fx_load_store, "INFERRED: a load, an addition, a store"},
    {Op::kFloatLoad,        kFxu | kFpuData,  1,  2, kStat_fp_load,       kGcc},
    {Op::kFloatStore,       kFxu | kFpuData,  1,  1, kStat_fp_store,      kGcc},
    {Op::kFloatAdd,         kFpu,             1,  2, kStat_fp_add,        kGcc},
    {Op::kFloatMultiply,    kFpu,             1,  2, kStat_fp_mul,        kGcc},
    {Op::kFloatMultiplyAdd, kFpu,             1,  2, kStat_fp_fma,        kGcc},
    {Op::kFloatDivide,      kFpu,            17, 17, kStat_fp_div,        kGcc},
    {Op::kFloatRoot,        kFpu,            26, 26, kStat_fp_sqrt,       kGcc},
    {Op::kFloatCompare,     kFpu,             1,  2, kStat_fp_compare,    kGcc},
    {Op::kFloatConvert,     kFpu,             1,  2, kStat_fp_convert,    kGcc},
    {Op::kFloatMove,        kFpu,             1,  2, kStat_fp_move,       kGcc},
    {Op::kVector,           kFpu,             1,  2, kStat_vector,        "INFERRED: as a multiply-add"},
    {Op::kVectorLoad,       kFxu | kFpuData,  1,  2, kStat_fp_load,       "INFERRED: as a floating-point load"},
    {Op::kVectorStore,      kFxu | kFpuData,  1,  1, kStat_fp_store,      "INFERRED: as a floating-point store"},
    {Op::kBranch,           kIcu,             1,  1, kStat_branches,      kGcc},
    {Op::kTrap,             kFxu,             1,  1, kStat_traps,         "INFERRED: as a compare"},
    {Op::kSystemCall,       kIcu,             1,  1, kStat_system_calls,  "INFERRED: as a branch"},
    {Op::kCache,            kFxu | kOnly0,    1,  1, kStat_cache_ops,     "INFERRED: as a store"},
    {Op::kSync,             kIcu,             1,  1, kStat_syncs,         "INFERRED: as a branch"},
    {Op::kSystem,           kFxu | kOnly0,    1,  1, kStat_system,        "INFERRED: as a special move"},
};
// clang-format on

consteval bool in_order() {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].op != static_cast<Op>(i)) return false;
  return std::size(kRows) == static_cast<size_t>(Op::kOps);
}
static_assert(in_order());

// INFERRED: the paper saves and restores 92 words in about 60 cycles, and the data cache has two ports.
constexpr unsigned kWordsACycle = 2;
constexpr unsigned kMostWords = 32;  // of lmw, lswi

const Row& row_of(Op op) {
  const auto i = static_cast<size_t>(op);
  return kRows[i < std::size(kRows) ? i : 0];
}

bool any(std::span<const uint8_t> registers, bool (*is)(unsigned)) {
  return std::any_of(registers.begin(), registers.end(), is);
}

// Words of a multiple or string instruction. 1: it is none, or only its data tell.
unsigned words_of(const ModelInsn& insn) {
  const unsigned n = std::max(insn.loads, insn.stores);
  return (insn.op == Op::kLoad || insn.op == Op::kStore) && n > 1 && n < 255 ? n : 1;
}

bool is_compare(const ModelInsn& insn) {
  const auto writes = insn.write_registers();
  return insn.op == Op::kInteger && (insn.record || (any(writes, is_condition) && !any(writes, is_general)));
}

void branch_traits(const ModelInsn& insn, Plan* p) {
  p->ends_group = true;
  const bool register_target = any(data_reads(insn), is_general);
  p->fxu = insn.loads || insn.stores || register_target || any(insn.write_registers(), is_general);
  if (!p->fxu) return;
  p->fxu_busy = p->fxu_latency = 1;
  p->target_latency = insn.loads ? row_of(Op::kLoad).latency : register_target ? 1 : 0;
}

void load_store_traits(const ModelInsn& insn, Plan* p) {
  const bool computes = any(data_reads(insn), is_general) || any(insn.write_registers(), is_condition);
  if (insn.op == Op::kLoad && computes) ++p->fxu_latency;
  if (loads(insn.op) && p->fpu_data && any(data_reads(insn), is_float)) {
    p->fpu = true;
    p->fpu_busy = row_of(Op::kFloatAdd).busy;
    p->fpu_latency = row_of(Op::kFloatAdd).latency;
  }
  p->words = words_of(insn);
  if (p->words == 1) return;
  p->only_0 = true;
  p->fxu_busy = static_cast<uint8_t>((std::min(p->words, kMostWords) + kWordsACycle - 1) / kWordsACycle);
  if (insn.op == Op::kLoad) p->fxu_latency = static_cast<uint8_t>(p->fxu_latency + p->fxu_busy - 1);
}

}  // namespace

bool loads(Op op) {
  return op == Op::kLoad || op == Op::kLoadStore || op == Op::kFloatLoad || op == Op::kVectorLoad;
}

bool arithmetic(Op op) { return (op >= Op::kFloatAdd && op <= Op::kFloatConvert) || op == Op::kVector; }

bool is_updated(const ModelInsn& insn, unsigned r) {
  const auto address = insn.read_registers().first(std::min(insn.address_reads, insn.reads));
  return insn.update && is_general(r) && std::find(address.begin(), address.end(), r) != address.end();
}

std::span<const uint8_t> data_reads(const ModelInsn& insn) {
  return insn.read_registers().subspan(std::min(insn.address_reads, insn.reads));
}

Plan plan_of(const ModelInsn& insn) {
  const Row& row = row_of(insn.op);
  Plan p;
  p.icu = row.units & kIcu;
  p.fxu = row.units & kFxu;
  p.fpu = row.units & kFpu;
  p.fpu_data = row.units & kFpuData;
  p.only_0 = row.units & kOnly0;
  p.rename = any(insn.write_registers(), is_float);
  p.repeats = insn.repeats && p.fxu;
  if (p.fxu) p.fxu_busy = row.busy, p.fxu_latency = row.latency;
  if (p.fpu) p.fpu_busy = row.busy, p.fpu_latency = row.latency;
  if (p.icu) p.icu_latency = row.latency;

  const bool general = any(insn.write_registers(), is_general) || any(insn.read_registers(), is_general);
  if (insn.op == Op::kBranch) branch_traits(insn, &p);
  if (insn.op == Op::kCondition && general)
    p.icu = false, p.fxu = p.only_0 = true, p.fxu_busy = p.fxu_latency = 1;
  if (insn.op == Op::kSpecial && any(insn.write_registers(), is_general)) p.fxu_busy = p.fxu_latency = 2;
  if (loads(insn.op) || insn.op == Op::kStore) load_store_traits(insn, &p);
  return p;
}

void count_classes(const ModelInsn& insn, const Plan& p, uint32_t counts[kStats]) {
  const auto add = [&](Stat stat, bool yes) { counts[stat] += yes; };
  add(kStat_insns, true);
  add(kStat_dispatched_fxu, p.fxu);
  add(kStat_dispatched_fpu, p.fpu || p.fpu_data);
  add(kStat_dispatched_icu, p.icu);
  counts[kStat_fetched] += std::max(1u, (insn.bytes + 3u) / 4);

  add(is_compare(insn) ? kStat_fx_compare : row_of(insn.op).stat, true);
  add(kStat_fx_update, insn.update && p.fxu && !p.icu);
  if (p.words > 1) counts[kStat_fx_multiple] += p.words;
  add(kStat_fp_single, insn.single && arithmetic(insn.op) && insn.op != Op::kVector);

  if (insn.op != Op::kBranch) return;
  const auto writes = insn.write_registers();
  const bool counts_down = std::find(writes.begin(), writes.end(), kCount) != writes.end() ||
                           (insn.conditional && any(writes, is_general));  // x86: LOOP
  add(kStat_br_unconditional, !insn.conditional);
  add(kStat_br_conditional, insn.conditional);
  add(kStat_br_link_register, insn.needs & kNeedsLink);
  add(kStat_br_count_register, insn.needs & kNeedsCount && !counts_down);
  add(kStat_br_count, counts_down);
  add(kStat_br_call, insn.link);
  add(kStat_br_return, insn.returns);
}

}  // namespace perfboard::p2
