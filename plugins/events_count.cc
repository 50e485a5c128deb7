// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events_count.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <mutex>

#include "hw/qemu/tcg/cpu_hooks.h"
#include "plugins/events_state.h"
#include "plugins/isa/x86/insn.h"

namespace perfboard {

Counters g_events;

namespace {

constexpr CacheGeometry kGeometry = {8192, 2, 0, 1, 32};

// Who runs the block that is being translated, and where code that is added to it counts.
struct Target {
  unsigned vcpu;
  bool parallel;

  // With vCPUs in turn on one thread the vCPU's number is a constant of the block. QEMU 10.0 finds a
  // scoreboard's entry by multiplying that constant in place by the entry's size, which spoils it for its
  // other uses in the block. A size of 1 leaves it as it is. So the entry is given as an offset in a
  // scoreboard of bytes. The offset holds for one vCPU alone, and so does the block (pb_prepare_vcpu).
  qemu_plugin_u64 slot_entry(size_t offset) const {
    if (parallel) return {g_events.slots, offset};
    const auto at = reinterpret_cast<uintptr_t>(&slots_of(vcpu)) + offset;
    return {g_events.bytes,
            at - reinterpret_cast<uintptr_t>(qemu_plugin_scoreboard_find(g_events.bytes, vcpu))};
  }
  qemu_plugin_u64 entry(EventKind kind) const {
    return slot_entry(offsetof(Slots, count) + static_cast<unsigned>(kind) * sizeof(uint64_t));
  }
};

// --- instructions that need a look ------------------------------------------------------------------

void on_begin(unsigned vcpu, void*) {
  Vcpu& cpu = g_events.cpus[vcpu];
  cpu.halfway = false;
  std::fill_n(cpu.tried_pages, g_events.range_count.load(std::memory_order_relaxed), 0u);
}

// INS: TCG stores a zero first, so that a fault comes before the port is read; then what it has read.
void on_ins_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g_events.cpus[vcpu];
  cpu.halfway = !cpu.halfway;
  if (cpu.halfway) return;
  const uint32_t kinds = g_events.active.load(std::memory_order_relaxed);
  if (kinds & kStores) slot(vcpu, EventKind::kStores)++;
  if ((kinds & kInstructions) && (note_of(udata) & kNoteRepeats)) slot(vcpu, EventKind::kInstructions)++;
  if (const auto any = callbacks_of(kinds).any) any(vcpu, info, vaddr, true, 0);
}

// CMPS: each second load ends an iteration.
void on_cmps_load(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t, void* udata) {
  Vcpu& cpu = g_events.cpus[vcpu];
  cpu.halfway = !cpu.halfway;
  if (!cpu.halfway && (note_of(udata) & kNoteRepeats)) slot(vcpu, EventKind::kInstructions)++;
}

uint64_t linear_address(const InsnClass& c, const PbX86State& s) {
  uint64_t at = static_cast<uint64_t>(c.displacement);
  if (c.base != kNoRegister) at += s.reg[c.base];
  if (c.index != kNoRegister) at += s.reg[c.index] * c.scale;
  if (c.address_bits < 64) at &= (uint64_t{1} << c.address_bits) - 1;
  if (s.code_bits != 64 || c.segment >= 4) at += s.segment_base[c.segment];  // 64-bit code: FS and GS alone
  return s.code_bits == 64 ? at : static_cast<uint32_t>(at);
}

// Before MOV to CR, INVLPG, INVPCID.
void on_paging(unsigned vcpu, void* udata) {
  const auto& c = *static_cast<const InsnClass*>(udata);
  Vcpu& cpu = g_events.cpus[vcpu];
  PbX86State s;
  if (!pb_x86_state(cpu.view.cpu, &s) || s.cpl != 0) return;  // it will fault
  if (c.paging == InsnClass::kInvlpg) return tlb_drop(cpu.tlb, linear_address(c, s) >> PB_PAGE_BITS);
  if (c.paging == InsnClass::kWritesCr) {
    constexpr uint64_t kPg = uint64_t{1} << 31, kPsePaePge = 0xb0;
    const uint64_t value = c.base == kNoRegister ? 0 : s.reg[c.base];
    const bool empties =
        c.cr == 3 || (c.cr == 0 && ((value ^ s.cr0) & kPg)) || (c.cr == 4 && ((value ^ s.cr4) & kPsePaePge));
    if (!empties) return;
  }
  tlb_reset(cpu.tlb);
}

// A callback points to its class, which is kept for as long as the process lives. Equal classes share one,
// since code may be translated again and again.
const InsnClass* kept(const InsnClass& c) {
  static std::mutex lock;
  static std::deque<InsnClass> all;
  const std::lock_guard guard(lock);
  const auto found = std::find(all.begin(), all.end(), c);
  return found != all.end() ? &*found : &all.emplace_back(c);
}

// --- translation ---------------------------------------------------------------------------------

void add_at_start(const Target& t, qemu_plugin_insn* insn, EventKind kind, uint64_t n) {
  qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, t.entry(kind), n);
}

void add_at_access(qemu_plugin_insn* insn, qemu_plugin_mem_rw rw, qemu_plugin_u64 where) {
  qemu_plugin_register_vcpu_mem_inline_per_vcpu(insn, rw, QEMU_PLUGIN_INLINE_ADD_U64, where, 1);
}

void add_at_access(const Target& t, qemu_plugin_insn* insn, qemu_plugin_mem_rw rw, EventKind kind) {
  add_at_access(insn, rw, t.entry(kind));
}

// Counts the attempt's accesses apart, so that abandoned() can take them back.
void track_attempt(const Target& t, qemu_plugin_insn* insn) {
  const qemu_plugin_u64 loads = t.slot_entry(offsetof(Slots, tried_loads));
  const qemu_plugin_u64 stores = t.slot_entry(offsetof(Slots, tried_stores));
  qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64, loads, 0);
  qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64, stores, 0);
  add_at_access(insn, QEMU_PLUGIN_MEM_R, loads);
  add_at_access(insn, QEMU_PLUGIN_MEM_W, stores);
}

// In a block that makes many iterations, each counts with the access that ends it.
void count_iterations(const Target& t, qemu_plugin_insn* insn, const InsnClass& c) {
  switch (c.string) {
    case InsnClass::kMovs:
    case InsnClass::kStos:
      return add_at_access(t, insn, QEMU_PLUGIN_MEM_W, EventKind::kInstructions);
    case InsnClass::kLods:
    case InsnClass::kScas:
    case InsnClass::kOuts:
      return add_at_access(t, insn, QEMU_PLUGIN_MEM_R, EventKind::kInstructions);
    default:
      return;  // INS and CMPS: callbacks
  }
}

// Whether an attempt can end after an access that must be taken back.
bool several(const InsnClass& c, bool loops) {
  return c.several && c.string != InsnClass::kIns &&
         (!loops || c.string == InsnClass::kMovs || c.string == InsnClass::kCmps);
}

void instrument(const Target& t, qemu_plugin_insn* insn, const InsnClass& c, bool loops, uint32_t kinds) {
  const bool ins = c.string == InsnClass::kIns;
  const bool cmps = c.string == InsnClass::kCmps && loops;
  const uintptr_t note = !several(c, loops) || !(kinds & kPages)
                             ? 0
                             : kNoteSeveral | (loops ? kNoteRepeats : 0) | (cmps ? kNoteHalves : 0);
  if (c.branch && (kinds & kBranches)) add_at_start(t, insn, EventKind::kBranches, 1);
  if (loops && (kinds & kInstructions)) count_iterations(t, insn, c);
  if (c.paging != InsnClass::kNoPaging && (kinds & kTlb))
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_paging, QEMU_PLUGIN_CB_R_REGS,
                                           const_cast<InsnClass*>(kept(c)));
  if (c.quiet) return;
  if (ins || cmps || note)
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin, QEMU_PLUGIN_CB_NO_REGS, nullptr);
  if (cmps && (kinds & (kInstructions | kPages)))
    qemu_plugin_register_vcpu_mem_cb(insn, on_cmps_load, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R,
                                     pack(kinds & kInstructions ? kNoteRepeats : 0));
  const Callbacks call = callbacks_of(kinds);
  if (kinds & kLoads) add_at_access(t, insn, QEMU_PLUGIN_MEM_R, EventKind::kLoads);
  if (call.load)
    qemu_plugin_register_vcpu_mem_cb(insn, call.load, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, pack(note));
  if (ins) {
    qemu_plugin_register_vcpu_mem_cb(insn, on_ins_store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
                                     pack(loops ? kNoteRepeats : 0));
    return;
  }
  if (several(c, loops) && (kinds & (kLoads | kStores))) track_attempt(t, insn);
  if (kinds & kStores) add_at_access(t, insn, QEMU_PLUGIN_MEM_W, EventKind::kStores);
  if (call.store)
    qemu_plugin_register_vcpu_mem_cb(insn, call.store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, pack(note));
}

InsnClass class_of(const qemu_plugin_insn* insn, unsigned code_bits) {
  uint8_t code[15];
  const size_t n = qemu_plugin_insn_data(insn, code, sizeof code);
  InsnClass c = classify(code, n, code_bits);
  if (c.ip_relative) c.displacement += static_cast<int64_t>(qemu_plugin_insn_vaddr(insn) + n);
  return c;
}

// --- what the processor does -----------------------------------------------------------------------

// Takes back the accesses that an attempt has counted. If the block loops: those of the iteration that is not
// finished.
void take_back_accesses(unsigned vcpu, const InsnClass& c, bool loops, uint32_t kinds) {
  Slots& s = slots_of(vcpu);
  Vcpu& cpu = g_events.cpus[vcpu];
  uint64_t loads = s.tried_loads, stores = s.tried_stores;
  if (loops) {
    loads = c.string == InsnClass::kMovs ? loads - stores : loads & 1;
    stores = 0;
  }
  s.tried_loads = s.tried_stores = 0;
  if (kinds & kLoads) slot(vcpu, EventKind::kLoads) -= loads;
  if (kinds & kStores) slot(vcpu, EventKind::kStores) -= stores;
  if (kinds & kPages) {
    for (unsigned i = 0; i < g_events.range_count.load(std::memory_order_relaxed); ++i) {
      cpu.pages[i] -= cpu.tried_pages[i];
      cpu.tried_pages[i] = 0;
    }
  }
  if (c.string == InsnClass::kCmps) cpu.halfway = false;
}

// The instruction that begins at eip was counted at its start and has not come to its end.
void abandoned(unsigned vcpu, PbAbandoned why) {
  const uint32_t kinds = g_events.active.load(std::memory_order_relaxed);
  const bool counted = why != PB_AGAIN_COUNTED;
  const bool accesses = why != PB_FAULTS && (kinds & (kLoads | kStores | kPages));
  if ((kinds & kInstructions) && counted) slot(vcpu, EventKind::kInstructions)--;
  if (!accesses && !(counted && (kinds & kBranches))) return;
  PbX86State s;
  void* const cpu = g_events.cpus[vcpu].view.cpu;
  if (!pb_x86_state(cpu, &s)) return;
  uint8_t code[15];
  const size_t n = pb_peek(cpu, s.cs_base + s.eip, code, sizeof code);
  const InsnClass c = classify(code, n, s.code_bits);
  if (c.branch && counted && (kinds & kBranches)) slot(vcpu, EventKind::kBranches)--;
  const bool loops = c.repeated && !s.single_string;
  if (accesses && several(c, loops)) take_back_accesses(vcpu, c, loops, kinds);
}

// QEMU knows some faults when it translates the instruction, and raises them without unwinding: abandoned()
// was not called yet. A page fault in translation and a debug exception are not unwound either, but no
// instruction was begun.
void excepted(unsigned vcpu, unsigned vector, bool is_int, bool unwound) {
  if (!is_int && !unwound && vector != PB_VECTOR_PAGE && vector != PB_VECTOR_DEBUG)
    abandoned(vcpu, PB_FAULTS);
}

void exception(unsigned vcpu) { slot(vcpu, EventKind::kExceptions)++; }
void interrupt(unsigned vcpu) { slot(vcpu, EventKind::kInterrupts)++; }

constexpr PbCpuEvents kCpuEvents = {abandoned, excepted, exception, interrupt};

// No vCPU runs, and no block is left that carries anything else.
void flushed(qemu_plugin_id_t) {
  g_events.active.store(g_events.wanted.load(std::memory_order_acquire), std::memory_order_relaxed);
}

}  // namespace

void events_install(uint64_t plugin_id, unsigned max_vcpus) {
  g_events.cpus = new Vcpu[max_vcpus];  // for as long as the process lives
  g_events.cpu_count = max_vcpus;
  qemu_plugin_register_flush_cb(plugin_id, flushed);
}

void events_vcpu_started(unsigned vcpu) {
  if (vcpu < g_events.cpu_count) pb_cpu_view(vcpu, &g_events.cpus[vcpu].view);
}

void events_translate(qemu_plugin_tb* tb) {
  const uint32_t kinds = g_events.active.load(std::memory_order_relaxed);
  PbX86State s;
  if (kinds == 0 || !pb_running_state(&s)) return;
  const Target t = {s.vcpu, s.parallel};
  const size_t n = qemu_plugin_tb_n_insns(tb);
  // Instructions that always complete are counted together with the next one that may not.
  uint64_t begun = 0;
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const InsnClass c = class_of(insn, s.code_bits);
    ++begun;
    if ((kinds & kInstructions) && (!c.quiet || i == n - 1)) {
      add_at_start(t, insn, EventKind::kInstructions, begun);
      begun = 0;
    }
    instrument(t, insn, c, c.repeated && !s.single_string, kinds);
  }
}

bool events_prepare() {
  if (!g_events.slots) {
    g_events.ram = pb_machine_ram();
    g_events.slots = qemu_plugin_scoreboard_new(sizeof(Slots));
    g_events.bytes = qemu_plugin_scoreboard_new(1);
  }
  return pb_cpu_hook(&kCpuEvents, g_events.cpu_count);
}

void events_want(uint32_t kinds) {
  kinds &= kInstrumented;
  if (g_events.wanted.exchange(kinds, std::memory_order_acq_rel) != kinds) pb_retranslate();
}

int events_range(uint64_t low, uint64_t high) {
  const unsigned n = g_events.range_count.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < n; ++i)
    if (g_events.ranges[i].low == low && g_events.ranges[i].high == high) return static_cast<int>(i);
  if (n == kMostRanges) return -1;
  g_events.ranges[n] = {low, high};
  g_events.lowest.store(std::min(g_events.lowest.load(), low));
  g_events.highest.store(std::max(g_events.highest.load(), high));
  g_events.range_count.store(n + 1, std::memory_order_release);
  return static_cast<int>(n);
}

uint64_t events_count(EventKind kind, int range, unsigned vcpu) {
  if (vcpu >= g_events.cpu_count) return 0;
  // The vCPU may be counting in a thread of its own.
  return __atomic_load_n(kind == EventKind::kPages ? &g_events.cpus[vcpu].pages[range] : &slot(vcpu, kind),
                         __ATOMIC_RELAXED);
}

size_t events_model_bytes(unsigned vcpus) {
  return vcpus * (cache_state_bytes(&kGeometry) + sizeof(TlbState));
}

void events_use_models(void* memory, unsigned vcpus) {
  auto* at = static_cast<uint8_t*>(memory);
  for (unsigned i = 0; i < vcpus && i < g_events.cpu_count; ++i) {
    cache_attach(&g_events.cpus[i].cache, &kGeometry, at);
    at += cache_state_bytes(&kGeometry);
    g_events.cpus[i].tlb = reinterpret_cast<TlbState*>(at);
    at += sizeof(TlbState);
  }
}

void events_reset_models() {
  for (unsigned i = 0; i < g_events.cpu_count && g_events.cpus[i].tlb; ++i) {
    cache_reset(&g_events.cpus[i].cache);
    tlb_reset(g_events.cpus[i].tlb);
  }
}

bool events_models_ok(const void* image, char* why, size_t why_size) {
  const auto* at = static_cast<const uint8_t*>(image);
  for (unsigned i = 0; i < g_events.cpu_count && g_events.cpus[i].tlb; ++i) {
    char wrong[120] = "TLB: a page is twice in it, or in another's set";
    const void* const tlb = at + cache_state_bytes(&kGeometry);
    if (!cache_state_ok(&kGeometry, at, wrong, sizeof wrong) ||
        !tlb_state_ok(static_cast<const TlbState*>(tlb))) {
      std::snprintf(why, why_size, "event sources' models of vCPU %u: %s", i, wrong);
      return false;
    }
    at += cache_state_bytes(&kGeometry) + sizeof(TlbState);
  }
  return true;
}

}  // namespace perfboard
