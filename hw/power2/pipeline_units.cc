// SPDX-License-Identifier: GPL-2.0-or-later
//
// FXU and FPU: in which cycle an instruction begins, in which element, and what the cycles before it were
// lost to.
#include <algorithm>

#include "hw/power2/pipeline.h"

namespace perfboard::p2 {

// Where a pair of units counts. By maker: of the operand that is waited for.
struct UnitStats {
  Stat begun[2], busy[2], pairs, empty, multi;
  Stat held[kMakers];
  Stat room;
  bool lost_known;  // are lost opportunities counted?
  Stat lost[kMakers];
};

namespace {

constexpr UnitStats kFxuStats = {
    .begun = {kStat_fxu0, kStat_fxu1},
    .busy = {kStat_fxu0_busy, kStat_fxu1_busy},
    .pairs = kStat_fxu_pairs,
    .empty = kStat_fxu_empty,
    .multi = kStat_fxu_held_multi,
    .held = {kStat_fxu_held_fpu, kStat_fxu_held_result, kStat_fxu_held_result, kStat_fxu_held_load},
    .room = kStat_fxu_held_fpu,
    .lost_known = true,
    .lost = {kStat_lost_other, kStat_lost_other, kStat_lost_pair, kStat_lost_load},
};
constexpr UnitStats kFpuStats = {
    .begun = {kStat_fpu0, kStat_fpu1},
    .busy = {kStat_fpu0_busy, kStat_fpu1_busy},
    .pairs = kStat_fpu_pairs,
    .empty = kStat_fpu_empty,
    .multi = kStat_fpu_held_divide,
    .held = {kStat_fpu_held_result, kStat_fpu_held_result, kStat_fpu_held_result, kStat_fpu_held_load},
    .room = kStat_fpu_empty,  // it has no store queue
    .lost_known = false,
    .lost = {},
};

}  // namespace

// The earliest cycle that the instruction can begin in. Cycles of the first element up to it are settled.
uint32_t Pipeline::begin(UnitPair& u, const UnitStats& s, const Wait& w) {
  const auto begins = [&](unsigned element, uint32_t at) {
    count(s.begun[element]);
    count(s.busy[element], w.busy);
    u.free[element] = at + w.busy;
    push(u.queue, at);
    if (w.busy > kLong) u.slow = at;
    complete(at + w.busy);
    return at;
  };
  const bool waits_already = u.open && w.arrives < u.next;
  const uint32_t same = u.next - 1;  // the cycle of the instruction before it, which the first element began
  u.open = false;
  if (waits_already) {
    if (!w.only_0 && std::max({w.operand.at, w.room, u.free[1]}) <= same) {
      count(s.pairs);
      return begins(1, same);
    }
    if (s.lost_known)
      count(w.only_0 ? kStat_lost_multi : w.operand.at > same ? s.lost[w.operand.maker] : kStat_lost_other);
  }

  if (w.arrives > u.next) {
    count(s.empty, w.arrives - u.next);
    u.next = w.arrives;
  }
  const uint32_t element_free = w.only_0 ? u.free[0] : std::min(u.free[0], u.free[1]);
  const uint32_t at = std::max({u.next, w.operand.at, w.room, element_free});
  uint32_t settled = u.next;
  const auto settle = [&](Stat stat, uint32_t until) {
    if (until <= settled) return;
    count(stat, until - settled);
    settled = until;
  };
  const bool second = u.free[0] > at;
  settle(s.multi, std::min(u.free[0], at));
  settle(s.held[w.operand.maker], w.operand.at);
  settle(s.room, at);
  if (second) count(s.multi);
  u.next = at + 1;
  u.open = !second;
  return begins(second, at);
}

uint32_t Pipeline::begin_fxu(const ModelInsn& insn, const Plan& plan) {
  Wait w{.arrives = now_ + 1, .only_0 = plan.only_0, .busy = plan.fxu_busy};
  for (const uint8_t r : insn.read_registers()) {
    if (plan.fpu_data && is_float(r)) continue;  // a store's data come later, arithmetic is the FPU's
    if (plan.icu && !is_general(r)) continue;    // the ICU has waited for them
    if (const Operand o = value(r, true); later(o, w.operand)) w.operand = o;
  }
  if (plan.fpu_data && !loads(insn.op)) w.room = stores_.front();
  return begin(fxu_, kFxuStats, w);
}

// `loaded`: when its operand in memory is there, if it has one.
uint32_t Pipeline::begin_fpu(const ModelInsn& insn, const Plan& plan, uint32_t loaded) {
  Wait w{.arrives = now_ + 1, .busy = plan.fpu_busy};
  if (loaded) w.operand = {loaded, kByLoad};
  for (const uint8_t r : insn.read_registers()) {
    if (plan.fxu && !is_float(r)) continue;                  // its address
    if (r == kFloatStatus && arithmetic(insn.op)) continue;  // sticky bits and modes delay nothing
    if (const Operand o = value(r, false); later(o, w.operand)) w.operand = o;
  }
  return begin(fpu_, kFpuStats, w);
}

// A floating-point store keeps its place in the store queue until it has its data. The stores leave in order.
void Pipeline::store_data(const ModelInsn& insn, uint32_t begun) {
  uint32_t at = std::max(begun, stores_.back());
  for (const uint8_t r : insn.read_registers())
    if (is_float(r)) at = std::max(at, value(r, false).at);
  push(stores_, at);
  complete(at);
}

void Pipeline::fxu_results(const ModelInsn& insn, const Plan& plan, uint32_t begun) {
  const Maker maker = loads(insn.op) ? kByLoad : kByFxu;
  for (const uint8_t r : insn.write_registers()) {
    if (is_updated(insn, r)) {
      result(r, begun + 1, kByFxu);
    } else if (plan.icu ? is_general(r) : !plan.fpu) {
      result(r, begun + plan.fxu_latency, maker);
    }
  }
}

void Pipeline::fpu_results(const ModelInsn& insn, const Plan& plan, uint32_t begun) {
  for (const uint8_t r : insn.write_registers())
    if (!plan.fxu || !is_updated(insn, r)) result(r, begun + plan.fpu_latency, kByFpu);
}

}  // namespace perfboard::p2
