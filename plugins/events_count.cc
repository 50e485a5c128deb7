// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events_count.h"

#include <algorithm>
#include <atomic>

#include "plugins/block_hooks.h"
#include "plugins/events_state.h"
#include "plugins/hit_filter.h"
#include "plugins/machine.h"
#include "plugins/models_state.h"
#include "plugins/pass.h"
#include "plugins/ranges.h"

namespace perfboard {

Counters g_events;

namespace {

// --- what the processor does -----------------------------------------------------------------------

// Takes back the accesses that an attempt has counted. If the block loops: those of the iteration that is not
// finished.
void take_back_accesses(unsigned vcpu, bool privileged, const Insn& i, uint32_t kinds) {
  Slots& s = slots_of(vcpu);
  uint64_t loads = s.tried_loads, stores = s.tried_stores;
  if (i.iterates != Iterates::kNot) {
    loads = i.iterates == Iterates::kByStore ? loads - stores : loads & 1;
    stores = 0;
  }
  s.tried_loads = s.tried_stores = 0;
  if (kinds & kLoads) slot(vcpu, privileged, EventKind::kLoads) -= loads;
  if (kinds & kStores) slot(vcpu, privileged, EventKind::kStores) -= stores;
  if (kinds & kPages) pass_taken_back(vcpu, privileged);
  if (i.iterates == Iterates::kBySecondLoad) g_events.cpus[vcpu].halfway = false;
}

// Takes back the access of which some parts have been made.
void take_back_torn(unsigned vcpu, bool privileged, uint32_t kinds) {
  const bool stores = slots_of(vcpu).tried_stores != 0;
  if (g_events.cpus[vcpu].pieced.torn() && kinds & (stores ? kStores : kLoads))
    slot(vcpu, privileged, stores ? EventKind::kStores : EventKind::kLoads)--;
  if (kinds & kPages) pass_torn(vcpu, privileged);
}

// The instruction that is at hand was counted at its start and has not come to its end.
void abandoned(unsigned vcpu, bool privileged, PbAbandoned why) {
  const uint32_t kinds = g_events.active.load(std::memory_order_relaxed);
  const bool counted = why != PB_AGAIN_COUNTED;
  const bool accesses = kinds & (kLoads | kStores | kPages);
  if ((kinds & kInstructions) && counted) slot(vcpu, privileged, EventKind::kInstructions)--;
  if (!accesses && !(counted && (kinds & kBranches))) return;
  PbCpuState s;
  void* const cpu = g_layer.cpus[vcpu].view.cpu;
  if (!pb_machine.cpu_state(cpu, &s)) return;
  uint8_t code[15];
  const size_t n = pb_machine.peek(cpu, s.pc, code, std::min<size_t>(sizeof code, g_events.isa->longest));
  const Insn i = g_events.isa->decode(code, n, s.mode);
  if (i.branch && counted && (kinds & kBranches)) slot(vcpu, privileged, EventKind::kBranches)--;
  if (!accesses) return;
  if (i.several && (why != PB_FAULTS || i.atomic)) take_back_accesses(vcpu, privileged, i, kinds);
  if (why == PB_FAULTS && i.pieces.any()) take_back_torn(vcpu, privileged, kinds);
}

// What is not instrumented counts always; sources look while they are watched.
void exception(unsigned vcpu, bool privileged) { slot(vcpu, privileged, EventKind::kExceptions)++; }
void interrupt(unsigned vcpu, bool privileged) { slot(vcpu, privileged, EventKind::kInterrupts)++; }

// Where instructions change the mark, whatever else changes it is told here. Elsewhere it is a board's.
void marked(unsigned vcpu, bool mark) {
  if (g_events.isa->mark_after) set_mark(vcpu, mark);
}

constexpr PbCpuEvents kCpuEvents = {abandoned, exception, interrupt, marked, translations_changed};

// No vCPU runs, and no block is left that carries anything else. Blocks without instrumentation may have
// changed the mark.
void flushed PB_PLUGIN_CALLBACK() {
  g_events.active.store(g_events.wanted.load(std::memory_order_acquire), std::memory_order_relaxed);
  hit_filter_renew();
  PbCpuState s;
  for (unsigned i = 0; i < g_layer.cpu_count; ++i)
    if (g_events.isa && pb_machine.cpu_state(g_layer.cpus[i].view.cpu, &s)) marked(i, s.marked);
  blocks_flushed();
  special_flushed();
  codes_flushed();
  models_drop_all_written();
}

// --- counts ----------------------------------------------------------------------------------------

uint64_t raw_count(unsigned vcpu, size_t i) {
  const bool privileged = i >= kSplitOfPrivilege;
  const size_t at = i % kSplitOfPrivilege;
  if (at >= kSplitModels) return models_count(static_cast<unsigned>(at - kSplitModels), vcpu, privileged);
  if (at >= kSplitRanges) return range_count(static_cast<unsigned>(at - kSplitRanges), vcpu, privileged);
  if (at == size_t(EventKind::kIoLoads)) return io_count(vcpu, privileged, false);
  if (at == size_t(EventKind::kIoStores)) return io_count(vcpu, privileged, true);
  // The vCPU may be counting in a thread of its own.
  return __atomic_load_n(&slots_of(vcpu).count[privileged][at], __ATOMIC_RELAXED);
}

ModelCount model_count(EventKind kind) {
  switch (kind) {
    case EventKind::kDcacheLoadMisses:
      return ModelCount::kLoadMisses;
    case EventKind::kDcacheStoreMisses:
      return ModelCount::kStoreMisses;
    case EventKind::kCastouts:
      return ModelCount::kCastouts;
    default:
      return ModelCount::kMisses;
  }
}

size_t split_index(bool privileged, const EventPlace& place) {
  const size_t at = place.model ? kSplitModels + models_number(place.model, model_count(place.kind))
                    : place.kind == EventKind::kPages ? kSplitRanges + static_cast<size_t>(place.range)
                                                      : static_cast<size_t>(place.kind);
  return privileged * kSplitOfPrivilege + at;
}

}  // namespace

void translations_changed(unsigned vcpu, uint64_t page) {
  if (page == PB_ALL_PAGES)
    models_tlb_empty(vcpu);
  else
    models_tlb_drop(vcpu, page);
}

void set_mark(unsigned vcpu, bool mark, bool storing) {
  size_t store = SIZE_MAX;
  PbCpuState s;
  if (storing && (g_events.active.load(std::memory_order_relaxed) & kStores) &&
      pb_machine.cpu_state(g_layer.cpus[vcpu].view.cpu, &s))
    store = split_index(s.privileged, {EventKind::kStores, 0, nullptr});
  g_events.cpus[vcpu].marks.set(mark, 2 * kSplitOfPrivilege,
                                [&](size_t i) { return raw_count(vcpu, i) + (i == store); });
  blocks_mark(vcpu, mark);
}

void events_install(uint64_t plugin_id) {
  g_events.cpus = new EventVcpu[g_layer.cpu_count];  // for as long as the process lives
  qemu_plugin_register_flush_cb(PB_PLUGIN_ARGS(plugin_id, flushed));
}

// QEMU is asked to show us blocks before it throws them away.
bool events_wanted() {
  return (g_events.wanted.load(std::memory_order_acquire) |
          g_events.active.load(std::memory_order_relaxed)) != 0;
}

bool events_prepare() {
  if (!g_events.isa) {
    const char* const name = pb_machine.cpu_isa();
    g_events.isa = name ? isa_named(name) : nullptr;
    if (!g_events.isa) return false;
    for (unsigned i = 0; i < g_layer.cpu_count; ++i)
      if (void* const slots = pb_machine.counts(i, sizeof(Slots)))
        g_events.cpus[i].slots = static_cast<Slots*>(slots);
  }
  return pb_machine.cpu_hook(&kCpuEvents, g_layer.cpu_count);
}

namespace {
uint32_t g_kinds;  // that events want
bool g_marks;      // that blocks want the mark

void wanted_changed() {
  // Where instructions change the mark, these are instrumented for what is not.
  const bool marks = g_events.isa->mark_after != nullptr;
  const uint32_t kinds =
      (g_kinds & (kInstrumented | (marks ? kElsewhere : 0))) | (marks && g_marks ? kMarks : 0);
  if (g_events.wanted.exchange(kinds, std::memory_order_acq_rel) == kinds) return;
  pb_machine.retranslate();
  if (pb_machine.no_blocks_yet()) flushed(0);
}
}  // namespace

void events_want(uint32_t kinds) {
  g_kinds = kinds;
  wanted_changed();
}

void events_want_marks(bool on) {
  g_marks = on;
  wanted_changed();
}

namespace {
std::atomic<uint64_t> g_moved[2][PB_MAX_VCPUS][kContexts];  // [write]: lines that devices have moved

// INFERRED: a device moves memory for no processor in particular, so each counts it in the context that it is
// in.
void moved(bool write) {
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) {
    PbCpuState s;
    if (!pb_machine.cpu_state(g_layer.cpus[i].view.cpu, &s)) continue;
    g_moved[write][i][context_index(s.privileged, g_events.cpus[i].marks.marked())].fetch_add(
        1, std::memory_order_relaxed);
  }
}
}  // namespace

void dma_open() {
  static bool opened;
  if (!opened) pb_machine.bus_open(moved);
  opened = true;
}

void dma_use(bool on) {
  static unsigned users;
  users += on ? 1u : -1u;
  if (users == (on ? 1u : 0u)) pb_machine.bus_watch(on);
}

void events_mark(unsigned vcpu, bool mark, bool storing) {
  if (vcpu < g_layer.cpu_count && !g_events.isa->mark_after) set_mark(vcpu, mark, storing);
}

ContextCounts events_count(const EventPlace& place, unsigned vcpu) {
  ContextCounts counts{};
  if (vcpu >= g_layer.cpu_count) return counts;
  if (bit(place.kind) & kDma) {
    for (unsigned c = 0; c < kContexts; ++c)
      counts[c] = g_moved[place.kind == EventKind::kDmaWrites][vcpu][c].load(std::memory_order_relaxed);
    return counts;
  }
  for (const bool privileged : {false, true}) {
    const size_t i = split_index(privileged, place);
    const auto parts = g_events.cpus[vcpu].marks.of(i, [&] { return raw_count(vcpu, i); });
    counts[context_index(privileged, true)] = parts.marked;
    counts[context_index(privileged, false)] = parts.unmarked;
  }
  return counts;
}

}  // namespace perfboard
