// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is added to a block when it is translated, and the callbacks of instructions that need a look of their
// own.
#include <cstring>

#include "plugins/access.h"
#include "plugins/events_state.h"
#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/models_state.h"
#include "plugins/udata_arena.h"

namespace perfboard {
namespace {

// --- instructions that need a look ------------------------------------------------------------------

void on_begin(unsigned vcpu, void*) { g_events.cpus[vcpu].halfway = false; }

// Of two stores the first is a probe.
void on_probed_store(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t, void* udata) {
  EventVcpu& cpu = g_events.cpus[vcpu];
  const uintptr_t note = note_of(udata);
  cpu.halfway = !cpu.halfway;
  if (cpu.halfway) return;
  const uint32_t kinds = g_events.active.load(std::memory_order_relaxed);
  if (kinds & kStores) slot(vcpu, privileged_of(note), EventKind::kStores)++;
  if ((kinds & kInstructions) && (note & kNoteRepeats))
    slot(vcpu, privileged_of(note), EventKind::kInstructions)++;
}

// Each second load ends an iteration.
void on_second_load(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t, void* udata) {
  EventVcpu& cpu = g_events.cpus[vcpu];
  const uintptr_t note = note_of(udata);
  cpu.halfway = !cpu.halfway;
  if (!cpu.halfway && (note & kNoteRepeats)) slot(vcpu, privileged_of(note), EventKind::kInstructions)++;
}

// An instruction of which TCG's accesses are put together (Pieces).
void on_pieces(unsigned vcpu, void* udata) {
  begin_pieces(g_events.cpus[vcpu].pieced, g_layer.cpus[vcpu].view.cpu, udata);
  slots_of(vcpu).tried_loads = slots_of(vcpu).tried_stores = 0;
}

void on_piece(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  const bool store = qemu_plugin_mem_is_store(info);
  const unsigned bytes = 1u << qemu_plugin_mem_size_shift(info);
  const unsigned n = g_events.cpus[vcpu].pieced.next(vaddr, bytes, store).count();
  const uint32_t kinds = g_events.active.load(std::memory_order_relaxed);
  Slots& s = slots_of(vcpu);
  (store ? s.tried_stores : s.tried_loads) += n;
  if (kinds & (store ? kStores : kLoads))
    s.count[privileged_of(note_of(udata))]
           [static_cast<unsigned>(store ? EventKind::kStores : EventKind::kLoads)] += n;
}

// The bytes of an instruction, for a callback that must read more of it than Insn tells.
struct Code {
  uint8_t bytes[15] = {};
  uint8_t size = 0;
  uint32_t mode = 0;
  uint64_t address = 0;

  bool operator==(const Code& c) const {
    return size == c.size && mode == c.mode && address == c.address && std::memcmp(bytes, c.bytes, size) == 0;
  }
};

// Equal ones share one. A kernel has some tens.
Forever<UdataArena<Code, 4096>> g_codes_forever;
constexpr UdataArena<Code, 4096>& g_codes = g_codes_forever.object;

void* kept(const Code& code) {
  bool full;
  Code* const place = g_codes.same(code, full);
  if (full) pb_machine.retranslate();
  return place;
}

// Before an instruction that may change translations.
void on_translations(unsigned vcpu, void* udata) {
  const auto& code = *static_cast<const Code*>(udata);
  uint64_t registers[PB_REGISTERS];
  if (!pb_machine.cpu_registers(g_layer.cpus[vcpu].view.cpu, registers)) return;
  const TlbChange change =
      g_events.isa->tlb_change(code.bytes, code.size, code.mode, code.address, registers);
  if (change.what == TlbChange::kNothing) return;
  const uint64_t page = change.what == TlbChange::kDropsPage ? change.address >> PB_PAGE_BITS : PB_ALL_PAGES;
  translations_changed(vcpu, page);
  if (change.everywhere) pb_machine.tlb_shootdown(vcpu, page);
}

// Before an instruction that may change the mark. It is counted already, in the context in which it begins.
void on_marks(unsigned vcpu, void* udata) {
  const auto& code = *static_cast<const Code*>(udata);
  uint64_t registers[PB_REGISTERS];
  if (pb_machine.cpu_registers(g_layer.cpus[vcpu].view.cpu, registers))
    set_mark(vcpu, g_events.isa->mark_after(code.bytes, code.size, code.mode, registers));
}

// --- translation ---------------------------------------------------------------------------------

void on_start(unsigned vcpu, void* udata) { pb_count_add(&slots_of(vcpu), udata); }
void on_access(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t, void* udata) {
  pb_count_add(&slots_of(vcpu), udata);
}

uint16_t place_of(bool privileged, EventKind kind) {
  return static_cast<uint16_t>(offsetof(Slots, count) + privileged * sizeof(Slots::count[0]) +
                               static_cast<unsigned>(kind) * sizeof(uint64_t));
}

void add_at_start(qemu_plugin_insn* insn, uint16_t place, uint32_t n) {
  qemu_plugin_register_vcpu_insn_exec_cb(insn, on_start, QEMU_PLUGIN_CB_NO_REGS, pb_count_pack(place, n));
}

void add_at_access(qemu_plugin_insn* insn, qemu_plugin_mem_rw rw, uint16_t place) {
  qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, rw, pb_count_pack(place, 1));
}

// Counts the attempt's accesses apart, so that abandoned() can take them back.
void track_attempt(qemu_plugin_insn* insn, const Insn& i) {
  constexpr uint16_t loads = offsetof(Slots, tried_loads), stores = offsetof(Slots, tried_stores);
  add_at_start(insn, loads, 0);
  add_at_start(insn, stores, 0);
  if (!i.hides_loads) add_at_access(insn, QEMU_PLUGIN_MEM_R, loads);
  if (!i.hides_stores) add_at_access(insn, QEMU_PLUGIN_MEM_W, stores);
}

// In a block that makes many iterations, each counts with the access that ends it.
void count_iterations(bool privileged, qemu_plugin_insn* insn, const Insn& i) {
  if (i.iterates == Iterates::kByStore)
    add_at_access(insn, QEMU_PLUGIN_MEM_W, place_of(privileged, EventKind::kInstructions));
  else if (i.iterates == Iterates::kByLoad)
    add_at_access(insn, QEMU_PLUGIN_MEM_R, place_of(privileged, EventKind::kInstructions));
  // by the second load or store: callbacks
}

void count_accesses(bool privileged, qemu_plugin_insn* insn, const Insn& i, uint32_t kinds) {
  const uintptr_t context = privileged ? kNotePrivileged : 0;
  const bool loops = i.iterates != Iterates::kNot;
  const bool halves = i.iterates == Iterates::kBySecondLoad && (kinds & kInstructions);
  if (i.pieces.any()) {
    if (!(kinds & (kLoads | kStores))) return;
    qemu_plugin_register_vcpu_insn_exec_cb(
        insn, on_pieces, i.pieces.halves ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS, i.pieces.pack());
    qemu_plugin_register_vcpu_mem_cb(insn, on_piece, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     pack(context));
    return;
  }
  if (i.probes || halves)
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin, QEMU_PLUGIN_CB_NO_REGS, nullptr);
  if (halves)
    qemu_plugin_register_vcpu_mem_cb(insn, on_second_load, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R,
                                     pack(context | kNoteRepeats));
  if (!i.hides_loads && (kinds & kLoads))
    add_at_access(insn, QEMU_PLUGIN_MEM_R, place_of(privileged, EventKind::kLoads));
  if (i.probes) {
    qemu_plugin_register_vcpu_mem_cb(insn, on_probed_store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
                                     pack(context | (loops ? kNoteRepeats : 0)));
    return;
  }
  if (i.several && (kinds & (kLoads | kStores))) track_attempt(insn, i);
  if (!i.hides_stores && (kinds & kStores))
    add_at_access(insn, QEMU_PLUGIN_MEM_W, place_of(privileged, EventKind::kStores));
}

struct Decoded {
  Insn insn;
  Code code;
};

Decoded decode(const qemu_plugin_insn* insn, uint32_t mode) {
  Decoded d;
  d.code.size = static_cast<uint8_t>(qemu_plugin_insn_data(insn, d.code.bytes, sizeof d.code.bytes));
  d.code.mode = mode;
  d.insn = g_events.isa->decode(d.code.bytes, d.code.size, mode);
  return d;
}

void instrument(bool privileged, qemu_plugin_insn* insn, Decoded& d, uint32_t kinds) {
  const Insn& i = d.insn;
  if (i.branch && (kinds & kBranches)) add_at_start(insn, place_of(privileged, EventKind::kBranches), 1);
  if (i.iterates != Iterates::kNot && (kinds & kInstructions)) count_iterations(privileged, insn, i);
  // Unprivileged they fault.
  if (i.translations && privileged && (kinds & (kTlb | kFetchTlb))) {
    if (i.relative) d.code.address = qemu_plugin_insn_vaddr(insn);
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_translations, QEMU_PLUGIN_CB_R_REGS, kept(d.code));
    d.code.address = 0;
  }
  if (i.marks && privileged)
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_marks, QEMU_PLUGIN_CB_R_REGS, kept(d.code));
  if (!i.quiet) count_accesses(privileged, insn, i, kinds);
}

}  // namespace

void codes_flushed() { g_codes.clear(); }

void events_translate(qemu_plugin_tb* tb, const PbCpuState& s, PassTag* tags) {
  const uint32_t kinds = g_events.active.load(std::memory_order_relaxed);
  if (kinds == 0) return;
  const size_t n = qemu_plugin_tb_n_insns(tb);
  // Instructions that always complete are counted together with the next one that may not.
  uint32_t begun = 0;
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    Decoded d = decode(insn, s.mode);
    ++begun;
    if ((kinds & kInstructions) && (!d.insn.quiet || i == n - 1)) {
      add_at_start(insn, place_of(s.privileged, EventKind::kInstructions), begun);
      begun = 0;
    }
    instrument(s.privileged, insn, d, kinds);
    tags[i].several = d.insn.several;
    tags[i].repeats = d.insn.iterates != Iterates::kNot;
    tags[i].halves = d.insn.iterates == Iterates::kBySecondLoad;
  }
}

void events_inline(qemu_plugin_tb* tb) {
  if (g_events.active.load(std::memory_order_relaxed)) pb_machine.count_inline(tb, on_start, on_access);
}

}  // namespace perfboard
