// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/power2/reference.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace perfboard::p2 {
namespace {

constexpr uint64_t kNotYet = UINT64_MAX;

// --- a register's value, on its way

struct Value {
  enum Maker {
    kFpu,
    kIcu,
    kFxu,
    kLoad
  } maker = kIcu;                               // of two that come together, the greater is waited for
  uint64_t in_fxu = 0, in_fpu = 0, in_icu = 0;  // from when on each unit has it
};
using ValueRef = std::shared_ptr<Value>;

enum Where { kInFxu, kInFpu, kInIcu };
uint64_t time_of(const Value& v, Where where) {
  return where == kInFxu ? v.in_fxu : where == kInFpu ? v.in_fpu : v.in_icu;
}

bool all_there(const std::vector<ValueRef>& values, Where where, uint64_t now) {
  return std::all_of(values.begin(), values.end(),
                     [&](const ValueRef& v) { return time_of(*v, where) <= now; });
}

const Value& last_of(const std::vector<ValueRef>& values, Where where) {
  return **std::max_element(values.begin(), values.end(), [&](const ValueRef& a, const ValueRef& b) {
    const uint64_t ta = time_of(*a, where), tb = time_of(*b, where);
    return ta != tb ? ta < tb : a->maker < b->maker;
  });
}

// --- an instruction, on its way

struct Flying {
  ModelInsn insn;
  bool fxu = false, fpu = false, fp_memory = false, only_first = false;
  unsigned fxu_cycles = 1, fpu_cycles = 1;
  unsigned fxu_latency = 1, fpu_latency = 2;
  std::vector<ValueRef> fxu_operands, fpu_operands, store_data;
  struct Output {
    unsigned reg;
    ValueRef value;
  };
  std::vector<Output> outputs;
  ValueRef loaded;  // the operand that its FPU part has from memory
  uint64_t fxu_begun = kNotYet, fpu_begun = kNotYet;
  unsigned fxu_waited = 0, fpu_waited = 0;  // cycles in which an operand was missing
  bool lost = false;                        // an opportunity, since an operand was missing
};
using FlyingRef = std::shared_ptr<Flying>;

bool general(unsigned r) { return r < 32; }
bool floating(unsigned r) { return r >= 32 && r < 96; }
bool condition(unsigned r) { return r >= 96 && r < 104; }
bool target(unsigned r) { return r == 104 || r == 105; }

template <typename Registers>
bool has(const Registers& registers, bool (*what)(unsigned)) {
  for (unsigned r : registers)
    if (what(r)) return true;
  return false;
}

bool is_load(Op op) {
  return op == Op::kLoad || op == Op::kLoadStore || op == Op::kFloatLoad || op == Op::kVectorLoad;
}

class Machine {
 public:
  explicit Machine(std::span<const ModelInsn> program) : program_(program) {
    for (ValueRef& v : registers_) v = std::make_shared<Value>();
  }

  Counts run() {
    for (const ModelInsn& i : program_) dispatch(decode(i));
    dispatching_ = false;
    while (!fxu_.empty() || !fpu_.empty()) {
      ++now_;
      units();
    }
    return counts_;
  }

 private:
  void count(Stat s, unsigned n = 1) { counts_[s] += n; }

  // --- one cycle of the units

  void units() {
    deliver_stores();
    step_fxu();
    step_fpu();
    deliver_stores();
  }

  void deliver_stores() {
    while (!stores_.empty() && all_there(stores_.front()->store_data, kInFpu, now_)) {
      complete(now_);
      stores_.pop_front();
    }
  }

  void step_fxu() {
    const bool first_busy = free_fxu_[0] > now_;
    if (fxu_.empty()) {
      if (dispatching_) count(kStat_fxu_empty);
      return;
    }
    FlyingRef head = fxu_.front();
    if (first_busy) {
      count(kStat_fxu_held_multi);
      if (!head->only_first && fxu_can(*head) && free_fxu_[1] <= now_) begin_fxu(1);
      return;
    }
    if (!all_there(head->fxu_operands, kInFxu, now_)) {
      ++head->fxu_waited;
      return;
    }
    if (!store_room(*head)) return count(kStat_fxu_held_fpu);
    begin_fxu(0);
    if (fxu_.empty()) return;
    FlyingRef second = fxu_.front();
    if (second->only_first) return count(kStat_lost_multi);
    if (!all_there(second->fxu_operands, kInFxu, now_)) {
      second->lost = true;
      return;
    }
    deliver_stores();
    if (!store_room(*second) || free_fxu_[1] > now_) return count(kStat_lost_other);
    count(kStat_fxu_pairs);
    begin_fxu(1);
  }

  bool store_room(const Flying& f) const {
    return !(f.fp_memory && !is_load(f.insn.op)) || stores_.size() < 4;
  }
  bool fxu_can(const Flying& f) const { return all_there(f.fxu_operands, kInFxu, now_) && store_room(f); }

  void begin_fxu(unsigned element) {
    FlyingRef f = fxu_.front();
    fxu_.pop_front();
    f->fxu_begun = now_;
    if (f->fxu_waited) {
      const auto maker = last_of(f->fxu_operands, kInFxu).maker;
      count(maker == Value::kLoad  ? kStat_fxu_held_load
            : maker == Value::kFpu ? kStat_fxu_held_fpu
                                   : kStat_fxu_held_result,
            f->fxu_waited);
    }
    if (f->lost) {
      const auto maker = last_of(f->fxu_operands, kInFxu).maker;
      count(maker == Value::kLoad  ? kStat_lost_load
            : maker == Value::kFxu ? kStat_lost_pair
                                   : kStat_lost_other);
    }
    count(element ? kStat_fxu1 : kStat_fxu0);
    count(element ? kStat_fxu1_busy : kStat_fxu0_busy, f->fxu_cycles);
    free_fxu_[element] = now_ + f->fxu_cycles;
    complete(now_ + f->fxu_cycles);
    if (f->loaded) *f->loaded = {Value::kLoad, kNotYet, now_ + f->fxu_latency, kNotYet};
    if (f->fp_memory && !is_load(f->insn.op)) stores_.push_back(f);

    const bool branch = f->insn.op == Op::kBranch;
    for (const auto& [r, v] : f->outputs) {
      const bool address = f->insn.update && general(r) && is_address(f->insn, r);
      if (branch && !general(r)) continue;  // the ICU's
      if (f->fpu && !address) continue;     // the FPU's
      const uint64_t at = now_ + (address ? 1 : f->fxu_latency);
      const uint64_t far = at + (condition(r) ? 2 : target(r) ? 4 : 0);
      *v = {is_load(f->insn.op) && !address ? Value::kLoad : Value::kFxu, at, far, far};
      complete(far);
    }
  }

  void step_fpu() {
    if (fpu_.empty()) {
      if (dispatching_) count(kStat_fpu_empty);
      return;
    }
    FlyingRef head = fpu_.front();
    const bool ready = all_there(head->fpu_operands, kInFpu, now_);
    if (free_fpu_[0] > now_) {
      count(kStat_fpu_held_divide);
      if (ready && free_fpu_[1] <= now_) begin_fpu(1);
      return;
    }
    if (!ready) {
      ++head->fpu_waited;
      return;
    }
    begin_fpu(0);
    if (fpu_.empty() || free_fpu_[1] > now_ || !all_there(fpu_.front()->fpu_operands, kInFpu, now_)) return;
    count(kStat_fpu_pairs);
    begin_fpu(1);
  }

  void begin_fpu(unsigned element) {
    FlyingRef f = fpu_.front();
    fpu_.pop_front();
    f->fpu_begun = now_;
    if (f->fpu_waited)
      count(last_of(f->fpu_operands, kInFpu).maker == Value::kLoad ? kStat_fpu_held_load
                                                                   : kStat_fpu_held_result,
            f->fpu_waited);
    count(element ? kStat_fpu1 : kStat_fpu0);
    count(element ? kStat_fpu1_busy : kStat_fpu0_busy, f->fpu_cycles);
    free_fpu_[element] = now_ + f->fpu_cycles;
    complete(now_ + f->fpu_cycles);
    for (const auto& [r, v] : f->outputs) {
      if (f->fxu && f->insn.update && general(r) && is_address(f->insn, r)) continue;
      const uint64_t at = now_ + f->fpu_latency + (general(r) || condition(r) || target(r) ? 3 : 0);
      *v = {Value::kFpu, at, at, at};
      complete(at);
    }
  }

  static bool is_address(const ModelInsn& i, unsigned r) {
    return std::find(i.read, i.read + i.address_reads, r) != i.read + i.address_reads;
  }
  void complete(uint64_t at) { complete_ = std::max(complete_, at); }

  // --- one cycle of the dispatch

  void dispatch(const FlyingRef& f) {
    const ModelInsn& i = f->insn;
    const bool icu = in_icu(i);
    unsigned branch_waited = 0;
    for (;; next_cycle()) {
      if (((f->fxu || f->fpu) && to_units_ == 4) || (icu && in_icu_ == 2)) continue;
      const auto why = held(*f, icu);
      if (!why) break;
      if (to_units_ || in_icu_) continue;
      if (*why == kStat_end)
        ++branch_waited;
      else
        count(*why);
    }
    if (branch_waited) attribute_branch_wait(i, branch_waited);
    go(f, icu);
    if (i.serializes) {
      next_cycle();
      for (; !idle(); next_cycle()) count(kStat_held_sync);
    } else if (i.repeats && f->fxu) {
      next_cycle();
      for (; f->fxu_begun == kNotYet || now_ + 1 < f->fxu_begun + f->fxu_cycles; next_cycle())
        count(kStat_held_fxu_queue);
    } else if (i.op == Op::kBranch) {
      next_cycle();
      for (; !target_known(*f); next_cycle()) count(kStat_held_branch_fxu);
    }
  }

  void next_cycle() {
    count(kStat_cycles);
    count(static_cast<Stat>(kStat_dispatch_0 + std::min(to_units_ + in_icu_, 4u)));
    to_units_ = in_icu_ = 0;
    ++now_;
    units();
  }

  bool idle() const { return complete_ <= now_ && fxu_.empty() && fpu_.empty() && stores_.empty(); }

  bool target_known(const Flying& f) const {
    const ModelInsn& i = f.insn;
    const bool by_register = has(i.read_registers().subspan(i.address_reads), general);
    if (!i.loads && !by_register) return true;
    return f.fxu_begun != kNotYet && now_ >= f.fxu_begun + (i.loads ? 2 : 1);
  }

  // Why it cannot go; kStat_end: an operand is missing, and which one is the last will be known when it goes.
  std::optional<Stat> held(const Flying& f, bool icu) {
    if (f.insn.serializes && !idle()) return kStat_held_sync;
    if (icu && !all_there(icu_operands(f.insn), kInIcu, now_)) return kStat_end;
    if (f.fxu && !place(fxu_, f.fxu_cycles, &Flying::fxu_cycles)) return kStat_held_fxu_queue;
    if (f.fpu && !place(fpu_, f.fpu_cycles, &Flying::fpu_cycles)) return kStat_held_fpu_queue;
    if (has(f.insn.write_registers(), floating)) {
      while (!renamed_.empty() && renamed_.front()->in_fpu <= now_) renamed_.pop_front();
      if (renamed_.size() >= 22) return kStat_held_rename;
    }
    return {};
  }

  static bool place(const std::deque<FlyingRef>& queue, unsigned cycles, unsigned Flying::* of) {
    if (queue.size() >= 8) return false;
    return cycles <= 4 ||
           std::none_of(queue.begin(), queue.end(), [&](const FlyingRef& f) { return (*f).*of > 4; });
  }

  std::vector<ValueRef> icu_operands(const ModelInsn& i) const {
    std::vector<ValueRef> values;
    for (unsigned r : i.read_registers())
      if (condition(r) || target(r)) values.push_back(registers_[r]);
    return values;
  }

  void go(const FlyingRef& f, bool icu) {
    const ModelInsn& i = f->insn;
    ++(icu ? in_icu_ : to_units_);
    count_class(*f, icu);
    if (f->fxu) fxu_.push_back(f);
    if (f->fpu) fpu_.push_back(f);
    complete(now_ + (icu ? 1 : 0));

    ValueRef renamed;
    for (unsigned r : i.write_registers()) {
      auto v = std::make_shared<Value>(Value{Value::kIcu, kNotYet, kNotYet, kNotYet});
      if (icu && !(f->fxu && general(r))) {
        const uint64_t at = now_ + (i.op == Op::kCondition ? 3 : 1);
        *v = {Value::kIcu, at, at, at};
        complete(at);
      }
      f->outputs.push_back({r, v});
      if (floating(r)) renamed = v;
    }
    for (const auto& [r, v] : f->outputs) registers_[r] = v;
    if (renamed) renamed_.push_back(renamed);
  }

  void attribute_branch_wait(const ModelInsn& i, unsigned waited) {
    const Value* last = nullptr;
    unsigned of = 0;
    for (unsigned r : i.read_registers()) {
      if (!condition(r) && !target(r)) continue;
      const Value& v = *registers_[r];
      if (!last || v.in_icu > last->in_icu || (v.in_icu == last->in_icu && v.maker > last->maker))
        last = &v, of = r;
    }
    count(target(of) || last->maker == Value::kIcu ? kStat_held_branch_icu
          : last->maker == Value::kFpu             ? kStat_held_branch_fpu
                                                   : kStat_held_branch_fxu,
          waited);
  }

  // --- what an instruction is

  static bool in_icu(const ModelInsn& i) {
    switch (i.op) {
      case Op::kCondition:
        return !has(i.read_registers(), general) && !has(i.write_registers(), general);
      case Op::kBranch:
      case Op::kSystemCall:
      case Op::kSync:
        return true;
      default:
        return false;
    }
  }

  FlyingRef decode(const ModelInsn& i) const {
    auto f = std::make_shared<Flying>();
    f->insn = i;
    const auto data = i.read_registers().subspan(i.address_reads);
    const bool icu = in_icu(i);
    switch (i.op) {
      case Op::kFloatAdd:
      case Op::kFloatMultiply:
      case Op::kFloatMultiplyAdd:
      case Op::kFloatCompare:
      case Op::kFloatConvert:
      case Op::kFloatMove:
      case Op::kVector:
        f->fpu = true;
        break;
      case Op::kFloatDivide:
        f->fpu = true, f->fpu_cycles = f->fpu_latency = 17;
        break;
      case Op::kFloatRoot:
        f->fpu = true, f->fpu_cycles = f->fpu_latency = 26;
        break;
      case Op::kFloatLoad:
      case Op::kVectorLoad:
        f->fxu = f->fp_memory = true, f->fxu_latency = 2;
        f->fpu = has(data, floating);
        break;
      case Op::kFloatStore:
      case Op::kVectorStore:
        f->fxu = f->fp_memory = true;
        break;
      case Op::kBranch:
        f->fxu = i.loads || i.stores || has(data, general) || has(i.write_registers(), general);
        break;
      case Op::kLoad:
      case Op::kStore: {
        f->fxu = true;
        const unsigned words = std::max(i.loads, i.stores);
        if (words > 1 && words < 255) f->only_first = true, f->fxu_cycles = std::min((words + 1) / 2, 16u);
        if (i.op == Op::kLoad)
          f->fxu_latency = f->fxu_cycles + 1 + (has(data, general) || has(i.write_registers(), condition));
        break;
      }
      case Op::kLoadStore:
        f->fxu = true, f->fxu_cycles = 2, f->fxu_latency = 3;
        break;
      case Op::kMultiply:
        f->fxu = f->only_first = true, f->fxu_cycles = f->fxu_latency = 2;
        break;
      case Op::kDivide:
        f->fxu = f->only_first = true, f->fxu_cycles = f->fxu_latency = 13;
        break;
      case Op::kSpecial:
        f->fxu = f->only_first = true;
        if (has(i.write_registers(), general)) f->fxu_cycles = f->fxu_latency = 2;
        break;
      case Op::kInteger:
      case Op::kTrap:
        f->fxu = true;
        break;
      default:
        f->fxu = f->only_first = !icu;
        break;
    }
    for (unsigned r : i.read_registers()) {
      const ValueRef& v = registers_[r];
      if (f->fxu && !(f->fp_memory && floating(r)) && !(icu && !general(r))) f->fxu_operands.push_back(v);
      if (f->fp_memory && !is_load(i.op) && floating(r)) f->store_data.push_back(v);
      const bool sticky = r == kFloatStatus && !f->fxu && i.op != Op::kFloatMove;
      if (f->fpu && !sticky && (!f->fxu || floating(r))) f->fpu_operands.push_back(v);
    }
    if (f->fpu && f->fxu) {
      f->loaded = std::make_shared<Value>(Value{Value::kLoad, kNotYet, kNotYet, kNotYet});
      f->fpu_operands.push_back(f->loaded);
    }
    return f;
  }

  static Stat class_of(Op op) {
    static constexpr std::pair<Op, Stat> kClasses[] = {
        {Op::kInteger, kStat_fx_arith},
        {Op::kMultiply, kStat_fx_mul},
        {Op::kDivide, kStat_fx_div},
        {Op::kCondition, kStat_condition_ops},
        {Op::kSpecial, kStat_fx_special},
        {Op::kLoad, kStat_fx_load},
        {Op::kStore, kStat_fx_store},
        {Op::kLoadStore, kStat_fx_load_store},
        {Op::kFloatLoad, kStat_fp_load},
        {Op::kVectorLoad, kStat_fp_load},
        {Op::kFloatStore, kStat_fp_store},
        {Op::kVectorStore, kStat_fp_store},
        {Op::kFloatAdd, kStat_fp_add},
        {Op::kFloatMultiply, kStat_fp_mul},
        {Op::kFloatMultiplyAdd, kStat_fp_fma},
        {Op::kFloatDivide, kStat_fp_div},
        {Op::kFloatRoot, kStat_fp_sqrt},
        {Op::kFloatCompare, kStat_fp_compare},
        {Op::kFloatConvert, kStat_fp_convert},
        {Op::kFloatMove, kStat_fp_move},
        {Op::kVector, kStat_vector},
        {Op::kTrap, kStat_traps},
        {Op::kSystemCall, kStat_system_calls},
        {Op::kCache, kStat_cache_ops},
        {Op::kSync, kStat_syncs},
    };
    for (const auto& [of, stat] : kClasses)
      if (of == op) return stat;
    return kStat_system;
  }

  void count_class(const Flying& f, bool icu) {
    const ModelInsn& i = f.insn;
    count(kStat_insns);
    if (f.fxu) count(kStat_dispatched_fxu);
    if (f.fpu || f.fp_memory) count(kStat_dispatched_fpu);
    if (icu) count(kStat_dispatched_icu);
    count(kStat_fetched, i.bytes <= 4 ? 1 : (i.bytes + 3) / 4);
    const bool memory = f.fxu && !icu;
    if (i.update && memory) count(kStat_fx_update);
    const bool sets = has(i.write_registers(), condition) && !has(i.write_registers(), general);
    if (i.op == Op::kInteger && (i.record || sets))
      count(kStat_fx_compare);
    else if (i.op == Op::kBranch)
      count_branch(i);
    else
      count(class_of(i.op));
    const unsigned words = std::max(i.loads, i.stores);
    if ((i.op == Op::kLoad || i.op == Op::kStore) && words > 1 && words < 255)
      count(kStat_fx_multiple, words);
    const bool arithmetic = i.op >= Op::kFloatAdd && i.op <= Op::kFloatConvert;
    if (i.single && arithmetic) count(kStat_fp_single);
  }

  void count_branch(const ModelInsn& i) {
    count(kStat_branches);
    count(i.conditional ? kStat_br_conditional : kStat_br_unconditional);
    bool counter = has(i.write_registers(), [](unsigned r) { return r == kCount; });
    if (i.conditional && has(i.write_registers(), general)) counter = true;
    if (i.needs & kNeedsLink) count(kStat_br_link_register);
    if (counter)
      count(kStat_br_count);
    else if (i.needs & kNeedsCount)
      count(kStat_br_count_register);
    if (i.link) count(kStat_br_call);
    if (i.returns) count(kStat_br_return);
  }

  std::span<const ModelInsn> program_;
  Counts counts_{};
  uint64_t now_ = 0;
  bool dispatching_ = true;  // later cycles in which a unit has nothing to do are not of this program
  unsigned to_units_ = 0, in_icu_ = 0;  // dispatched in this cycle
  uint64_t complete_ = 0;               // all that has begun is complete by then
  std::array<ValueRef, kModelRegisters> registers_;
  std::deque<FlyingRef> fxu_, fpu_;  // dispatched, not begun
  std::deque<FlyingRef> stores_;     // begun, without their data
  std::deque<ValueRef> renamed_;     // registers that are renamed to
  uint64_t free_fxu_[2] = {}, free_fpu_[2] = {};
};

}  // namespace

Counts reference(std::span<const ModelInsn> program) { return Machine(program).run(); }

}  // namespace perfboard::p2
