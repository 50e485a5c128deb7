// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/special.h"

#include <algorithm>
#include <atomic>
#include <vector>

extern "C" {
#include <qemu-plugin.h>
}

#include "plugins/block_hooks.h"
#include "plugins/events_state.h"
#include "plugins/isa/floats.h"
#include "plugins/isa/isa.h"
#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/udata_arena.h"

namespace perfboard {
namespace {

// An instruction in a block.
struct Watched {
  Floats floats;
  uint64_t address;
  bool privileged;
};

struct alignas(64) SpecialVcpu {
  Count count[kContexts] = {};
  // The last that was counted: until another instruction is looked at it may yet be taken back.
  uint64_t last_address = 0;
  unsigned last_context = 0;
  bool last = false;
  uint64_t shown[kContexts] = {};  // big lock held
};

struct Special {
  const Isa* isa = nullptr;
  std::vector<SpecialVcpu> cpus;  // by vCPU index
  UdataArena<Watched, size_t{1} << 17> insns;
  // The second becomes the first when all blocks are thrown away: what is taken back was counted.
  std::atomic<bool> wanted{false}, active{false};
};

Forever<Special> g_special_forever;
constexpr Special& g_special = g_special_forever.object;

bool is_special(void* cpu, const Floats& f) {
  uint64_t words[4];
  for (const uint8_t reg : f.registers())
    if (pb_machine.cpu_float(cpu, reg, words) && any_special(f.format, f.lanes, words)) return true;
  if (!f.has_memory) return false;
  uint64_t registers[PB_REGISTERS];
  if (!pb_machine.cpu_registers(cpu, registers)) return false;
  std::fill(std::begin(words), std::end(words), 0);
  const size_t bytes = size_t{bytes_of(f.memory_format)} * f.lanes;
  // What cannot be read faults. Little-endian, as are x86's words; POWER's instructions take no operand from
  // memory.
  return pb_machine.peek(cpu, f.memory.at(registers), reinterpret_cast<uint8_t*>(words), bytes) == bytes &&
         any_special(f.memory_format, f.lanes, words);
}

void on_floats(unsigned vcpu, void* udata) {
  const auto& insn = *static_cast<const Watched*>(udata);
  SpecialVcpu& s = g_special.cpus[vcpu];
  void* const cpu = g_layer.cpus[vcpu].view.cpu;
  s.last = is_special(cpu, insn.floats);
  if (!s.last) return;
  PbCpuState state;
  const bool of_processor = g_special.isa->mark_after != nullptr;  // else a board's
  const bool mark =
      of_processor ? pb_machine.cpu_state(cpu, &state) && state.marked : g_events.cpus[vcpu].marks.marked();
  s.last_context = context_index(insn.privileged, mark);
  s.last_address = insn.address;
  add(s.count[s.last_context]);
}

// The instruction at hand was looked at when it began, unless nobody looked the second time.
void abandoned(unsigned vcpu, bool, PbAbandoned why) {
  SpecialVcpu& s = g_special.cpus[vcpu];
  PbCpuState state;
  if (!s.last || why == PB_AGAIN_COUNTED || !pb_machine.cpu_state(g_layer.cpus[vcpu].view.cpu, &state))
    return;
  if (state.pc != s.last_address) return;
  add(s.count[s.last_context], UINT64_MAX);
  s.last = false;
}

constexpr PbCpuEvents kCpuEvents = {abandoned, nullptr, nullptr, nullptr, nullptr};

bool prepare() {
  if (g_special.isa) return true;
  if (!events_prepare()) return false;
  g_special.cpus = std::vector<SpecialVcpu>(g_layer.cpu_count);  // another vCPU may tell of something at once
  if (!pb_machine.cpu_hook(&kCpuEvents, g_layer.cpu_count)) return false;
  g_special.isa = isa_named(pb_machine.cpu_isa());
  return true;
}

}  // namespace

bool special_wanted() { return g_special.active.load(std::memory_order_relaxed); }

void special_translate(qemu_plugin_tb* tb, const PbCpuState& state) {
  if (!special_wanted()) return;
  const size_t n = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    uint8_t code[16];
    const size_t size = qemu_plugin_insn_data(insn, code, sizeof code);
    const uint64_t address = qemu_plugin_insn_vaddr(insn);
    const Floats floats = g_special.isa->floats(code, size, state.mode, address);
    if (!floats.any()) continue;
    bool full;
    Watched* const watched = g_special.insns.add({floats, address, state.privileged}, full);
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_floats, QEMU_PLUGIN_CB_R_REGS, watched);
    if (full) pb_machine.retranslate();
  }
}

void special_flushed() {
  g_special.insns.clear();
  g_special.active.store(g_special.wanted.load(std::memory_order_acquire), std::memory_order_relaxed);
}

}  // namespace perfboard

using namespace perfboard;

void pb_special_watch(bool on) {
  if (!prepare() || g_special.wanted.exchange(on, std::memory_order_acq_rel) == on) return;
  pb_machine.retranslate();
  if (pb_machine.no_blocks_yet()) special_flushed();
}

uint64_t pb_special_read(unsigned vcpu, unsigned contexts) {
  uint64_t sum = 0;
  if (vcpu >= g_special.cpus.size()) return 0;
  SpecialVcpu& s = g_special.cpus[vcpu];
  for (unsigned i = 0; i < kContexts; ++i) {
    s.shown[i] = std::max(s.shown[i], s.count[i].load(std::memory_order_relaxed));
    if (contexts >> i & 1) sum += s.shown[i];
  }
  return sum;
}
