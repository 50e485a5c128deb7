// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dispatch: in which cycle an instruction leaves the ICU, and what it waits for until then.
#include "hw/power2/pipeline.h"

#include <algorithm>

namespace perfboard::p2 {
namespace {

// Cycles from the FXU's own use of a result until the ICU's.
unsigned way_to_icu(unsigned r) { return is_condition(r) ? kConditionWay : is_target(r) ? kTargetWay : 0; }

Stat branch_waits(unsigned r, Maker maker) {
  if (is_target(r) || maker == kByIcu) return kStat_held_branch_icu;
  return maker == kByFpu ? kStat_held_branch_fpu : kStat_held_branch_fxu;
}

// A unit takes one long instruction into its queue at a time.
uint32_t full_until(const UnitPair& u, unsigned busy) {
  return busy > kLong ? std::max(u.queue.front(), u.slow) : u.queue.front();
}

}  // namespace

// --- cycles

void Pipeline::end_cycle(Stat why) {
  const unsigned dispatched = units_ + icu_;
  count(kStat_cycles);
  count(static_cast<Stat>(kStat_dispatch_0 + std::min(dispatched, 4u)));
  if (dispatched == 0) count(why);
  units_ = icu_ = 0;
  ++now_;
}

void Pipeline::hold(uint32_t until, Stat why) {
  if (until <= now_) return;
  end_cycle(why);
  const uint32_t empty = until - now_;
  count(kStat_cycles, empty);
  count(kStat_dispatch_0, empty);
  count(why, empty);
  now_ = until;
}

// --- values

// When one can be used. What the FXU sends to the ICU it has itself before that.
Operand Pipeline::value(unsigned r, bool for_fxu) const {
  if (r >= kModelRegisters) return {};
  Operand o{ready_[r], maker_[r]};
  if (for_fxu && (o.maker == kByFxu || o.maker == kByLoad)) o.at -= std::min(o.at, way_to_icu(r));
  return o;
}

// `at`: for the unit that makes it.
void Pipeline::result(unsigned r, uint32_t at, Maker maker) {
  if (r >= kModelRegisters) return;
  if (maker == kByFxu || maker == kByLoad) at += way_to_icu(r);
  if (maker == kByFpu && (is_general(r) || is_condition(r) || is_target(r))) at += kFpuWay;
  ready_[r] = at;
  maker_[r] = maker;
  complete(at);
}

void Pipeline::icu_results(const ModelInsn& insn, const Plan& plan) {
  for (const uint8_t r : insn.write_registers())
    if (!plan.fxu || !is_general(r)) result(r, now_ + plan.icu_latency, kByIcu);
  complete(now_ + 1);
}

// --- dispatch

// The ICU executes in the cycle of the dispatch: its operands must be there.
Pipeline::Hold Pipeline::held_branch(const ModelInsn& insn) const {
  Operand last{now_, kByFpu};
  Hold h;
  for (const uint8_t r : insn.read_registers()) {
    if (!is_condition(r) && !is_target(r)) continue;
    const Operand o = value(r, false);
    if (o.at > now_ && later(o, last)) last = o, h = {o.at, branch_waits(r, o.maker)};
  }
  return h;
}

// What holds the instruction, and at least until when. If there are several reasons, the first.
Pipeline::Hold Pipeline::held(const ModelInsn& insn, const Plan& plan) const {
  if (insn.serializes && drain_ > now_) return {drain_, kStat_held_sync};
  if (const Hold h = plan.icu ? held_branch(insn) : Hold{}; h.until > now_) return h;
  const uint32_t fxu = plan.fxu ? full_until(fxu_, plan.fxu_busy) : 0;
  if (fxu > now_) return {fxu, kStat_held_fxu_queue};
  const uint32_t fpu = plan.fpu ? full_until(fpu_, plan.fpu_busy) : 0;
  if (fpu > now_) return {fpu, kStat_held_fpu_queue};
  if (plan.rename && rename_.front() > now_) return {rename_.front(), kStat_held_rename};
  return {};
}

void Pipeline::dispatch(const ModelInsn& insn) {
  const Plan plan = plan_of(insn);
  count_classes(insn, plan, counts_);
  const bool to_units = plan.fxu || plan.fpu;
  if ((to_units && units_ == kDispatchUnits) || (plan.icu && icu_ == kDispatchIcu)) end_cycle({});
  for (Hold h = held(insn, plan); h.until > now_; h = held(insn, plan)) hold(h.until, h.why);
  ++(plan.icu ? icu_ : units_);

  const uint32_t in_fxu = plan.fxu ? begin_fxu(insn, plan) : 0;
  const uint32_t in_fpu = plan.fpu ? begin_fpu(insn, plan, plan.fxu ? in_fxu + plan.fxu_latency : 0) : 0;
  if (plan.fpu_data && !loads(insn.op)) store_data(insn, in_fxu);
  if (plan.rename) {
    const uint32_t written = plan.fpu ? in_fpu + plan.fpu_latency : in_fxu + plan.fxu_latency;
    push(rename_, std::max(rename_.back(), written));
  }
  if (plan.icu) icu_results(insn, plan);
  if (plan.fxu) fxu_results(insn, plan, in_fxu);
  if (plan.fpu) fpu_results(insn, plan, in_fpu);

  if (insn.serializes) {
    hold(std::max(now_ + 1, drain_), kStat_held_sync);
  } else if (plan.repeats) {
    hold(std::max(now_ + 1, in_fxu + plan.fxu_busy - 1), kStat_held_fxu_queue);
  } else if (plan.ends_group) {
    hold(std::max(now_ + 1, plan.target_latency ? in_fxu + plan.target_latency : 0), kStat_held_branch_fxu);
  }
}

}  // namespace perfboard::p2
