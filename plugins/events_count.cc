// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events_count.h"

#include <algorithm>
#include <cstdio>

#include "plugins/cpu_hooks.h"
#include "plugins/events_state.h"

namespace perfboard {

Counters g_events;

namespace {

constexpr CacheGeometry kGeometry = {8192, 2, 0, 1, 32};

// --- what the processor does -----------------------------------------------------------------------

// Takes back the accesses that an attempt has counted. If the block loops: those of the iteration that is not
// finished.
void take_back_accesses(unsigned vcpu, bool privileged, const Insn& i, uint32_t kinds) {
  Slots& s = slots_of(vcpu);
  Vcpu& cpu = g_events.cpus[vcpu];
  uint64_t loads = s.tried_loads, stores = s.tried_stores;
  if (i.iterates != Iterates::kNot) {
    loads = i.iterates == Iterates::kByStore ? loads - stores : loads & 1;
    stores = 0;
  }
  s.tried_loads = s.tried_stores = 0;
  if (kinds & kLoads) slot(vcpu, privileged, EventKind::kLoads) -= loads;
  if (kinds & kStores) slot(vcpu, privileged, EventKind::kStores) -= stores;
  if (kinds & kPages) {
    for (unsigned r = 0; r < g_events.range_count.load(std::memory_order_relaxed); ++r) {
      cpu.pages[privileged][r] -= cpu.tried_pages[r];
      cpu.tried_pages[r] = 0;
    }
  }
  if (i.iterates == Iterates::kBySecondLoad) cpu.halfway = false;
}

// The instruction that is at hand was counted at its start and has not come to its end.
void abandoned(unsigned vcpu, bool privileged, PbAbandoned why) {
  const uint32_t kinds = g_events.active.load(std::memory_order_relaxed);
  const bool counted = why != PB_AGAIN_COUNTED;
  const bool accesses = why != PB_FAULTS && (kinds & (kLoads | kStores | kPages));
  if ((kinds & kInstructions) && counted) slot(vcpu, privileged, EventKind::kInstructions)--;
  if (!accesses && !(counted && (kinds & kBranches))) return;
  PbCpuState s;
  void* const cpu = g_events.cpus[vcpu].view.cpu;
  if (!pb_cpu_state(cpu, &s)) return;
  uint8_t code[15];
  const size_t n = pb_peek(cpu, s.pc, code, std::min<size_t>(sizeof code, g_events.isa->longest));
  const Insn i = g_events.isa->decode(code, n, s.mode);
  if (i.branch && counted && (kinds & kBranches)) slot(vcpu, privileged, EventKind::kBranches)--;
  if (accesses && i.several) take_back_accesses(vcpu, privileged, i, kinds);
}

// What is not instrumented counts always; sources look while they are watched.
void exception(unsigned vcpu, bool privileged) { slot(vcpu, privileged, EventKind::kExceptions)++; }
void interrupt(unsigned vcpu, bool privileged) { slot(vcpu, privileged, EventKind::kInterrupts)++; }

// Where instructions change the mark, whatever else changes it is told here. Elsewhere it is a board's.
void marked(unsigned vcpu, bool mark) {
  if (g_events.isa->mark_after) set_mark(vcpu, mark);
}

void translations(unsigned vcpu) {
  if (g_events.cpus[vcpu].tlb) tlb_reset(g_events.cpus[vcpu].tlb);
}

constexpr PbCpuEvents kCpuEvents = {abandoned, exception, interrupt, marked, translations};

// No vCPU runs, and no block is left that carries anything else. Blocks without instrumentation may have
// changed the mark.
void flushed(qemu_plugin_id_t) {
  g_events.active.store(g_events.wanted.load(std::memory_order_acquire), std::memory_order_relaxed);
  PbCpuState s;
  for (unsigned i = 0; i < g_events.cpu_count; ++i)
    if (g_events.isa && pb_cpu_state(g_events.cpus[i].view.cpu, &s)) marked(i, s.marked);
}

// --- counts ----------------------------------------------------------------------------------------

// The vCPU may be counting in a thread of its own.
uint64_t raw_count(unsigned vcpu, size_t i) {
  const bool privileged = i >= kSplitOfPrivilege;
  const size_t of_privilege = i % kSplitOfPrivilege;
  return __atomic_load_n(of_privilege < kEventKinds
                             ? &slots_of(vcpu).count[privileged][of_privilege]
                             : &g_events.cpus[vcpu].pages[privileged][of_privilege - kEventKinds],
                         __ATOMIC_RELAXED);
}

size_t split_index(bool privileged, EventKind kind, int range) {
  return privileged * kSplitOfPrivilege +
         (kind == EventKind::kPages ? kEventKinds + static_cast<size_t>(range) : static_cast<size_t>(kind));
}

}  // namespace

void set_mark(unsigned vcpu, bool mark, bool storing) {
  size_t store = SIZE_MAX;
  PbCpuState s;
  if (storing && (g_events.active.load(std::memory_order_relaxed) & kStores) &&
      pb_cpu_state(g_events.cpus[vcpu].view.cpu, &s))
    store = split_index(s.privileged, EventKind::kStores, 0);
  g_events.cpus[vcpu].marks.set(mark, 2 * kSplitOfPrivilege,
                                [&](size_t i) { return raw_count(vcpu, i) + (i == store); });
}

void events_install(uint64_t plugin_id, unsigned max_vcpus) {
  g_events.cpus = new Vcpu[max_vcpus];  // for as long as the process lives
  g_events.cpu_count = max_vcpus;
  qemu_plugin_register_flush_cb(plugin_id, flushed);
}

void events_vcpu_started(unsigned vcpu) {
  if (vcpu < g_events.cpu_count) pb_cpu_view(vcpu, &g_events.cpus[vcpu].view);
}

bool events_prepare() {
  if (!g_events.slots) {
    const char* const name = pb_cpu_isa();
    g_events.isa = name ? isa_named(name) : nullptr;
    if (!g_events.isa) return false;
    g_events.ram = pb_machine_ram();
    g_events.slots = qemu_plugin_scoreboard_new(sizeof(Slots));
    g_events.bytes = qemu_plugin_scoreboard_new(1);
  }
  return pb_cpu_hook(&kCpuEvents, g_events.cpu_count);
}

void events_want(uint32_t kinds) {
  // Where instructions change the mark, these are instrumented for what is not.
  kinds &= kInstrumented | (g_events.isa->mark_after ? kExceptions | kInterrupts : 0);
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

void events_mark(unsigned vcpu, bool mark, bool storing) {
  if (vcpu < g_events.cpu_count && !g_events.isa->mark_after) set_mark(vcpu, mark, storing);
}

ContextCounts events_count(EventKind kind, int range, unsigned vcpu) {
  ContextCounts counts{};
  if (vcpu >= g_events.cpu_count) return counts;
  for (const bool privileged : {false, true}) {
    const size_t i = split_index(privileged, kind, range);
    const auto parts = g_events.cpus[vcpu].marks.of(i, [&] { return raw_count(vcpu, i); });
    counts[context_index(privileged, true)] = parts.marked;
    counts[context_index(privileged, false)] = parts.unmarked;
  }
  return counts;
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
