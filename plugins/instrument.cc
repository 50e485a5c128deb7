// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/instrument.h"

#include <algorithm>
#include <vector>

extern "C" {
#include <qemu-plugin.h>
}

#include "plugins/access.h"
#include "plugins/block_hooks.h"
#include "plugins/events_count.h"
#include "plugins/isa/isa.h"
#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/models_state.h"
#include "plugins/pass.h"
#include "plugins/profile.h"

namespace perfboard {
namespace {

// The callbacks on one instruction's loads and stores.
void instrument(qemu_plugin_insn* insn, PassTag tag, const Quirks& quirks, uint32_t features) {
  // Taking back is for ranges alone, and what is peculiar takes the slow path.
  if (!ranges_features()) tag.several = tag.repeats = tag.halves = false;
  if (tag.peculiar())
    qemu_plugin_register_vcpu_insn_exec_cb(
        insn, pass_begin, quirks.pieces.halves ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS,
        tag.pieces ? quirks.pieces.pack() : nullptr);
  const AccessCallback load = quirks.hides_loads ? nullptr : pass_load_callback(features, tag.peculiar());
  const AccessCallback store = quirks.hides_stores ? nullptr : pass_store_callback(features, tag.peculiar());
  if (load)
    qemu_plugin_register_vcpu_mem_cb(insn, load, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, tag.pack());
  if (store)
    qemu_plugin_register_vcpu_mem_cb(insn, store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, tag.pack());
}

// --- fetches -------------------------------------------------------------------------------------

// Bytes that a block is fetched from, in one page of the machine's own memory, packed into the user data
// pointer. A block is of one physical page, or of two that follow each other in it; both are part of what
// QEMU finds the block by.
struct Fetched {
  uint64_t addr;
  unsigned bytes;
  bool privileged;

  void* pack() const { return reinterpret_cast<void*>(addr << 15 | uint64_t{bytes} << 2 | privileged); }
  static Fetched unpack(void* p) {
    const auto bits = reinterpret_cast<uint64_t>(p);
    return {bits >> 15, static_cast<unsigned>(bits >> 2 & 0x1fff), (bits & 1) != 0};
  }
};

void on_fetch(unsigned vcpu, void* udata) {
  const Fetched f = Fetched::unpack(udata);
  pass_fetch(vcpu, f.addr, f.bytes, f.privileged);
}

// Nothing else is cached.
bool is_own_memory(uint64_t addr) {
  const PbRamPiece* const piece = piece_of_addr(*pb_machine.ram_map(), addr);
  return piece && piece->cached;
}

// A callback before each instruction that begins in a line, or reaches into one, where the instruction before
// it was not.
void instrument_fetches(qemu_plugin_tb* tb, bool privileged) {
  const uint64_t line = models_fetch_line();
  const size_t n = qemu_plugin_tb_n_insns(tb);
  uint64_t fetched = UINT64_MAX;  // the line that was looked up last, as a virtual address
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    const uint64_t first = qemu_plugin_insn_vaddr(insn), last = first + qemu_plugin_insn_size(insn) - 1;
    for (uint64_t at = first & ~(line - 1); at <= last; at += line) {
      uint64_t addr;
      if (at == fetched) continue;
      fetched = at;
      if (pb_machine.code_addr(at, &addr) && is_own_memory(addr))
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_fetch, QEMU_PLUGIN_CB_NO_REGS,
                                               Fetched{addr, static_cast<unsigned>(line), privileged}.pack());
    }
  }
}

void on_fetch_page(unsigned vcpu, void* udata) {
  const auto bits = reinterpret_cast<uint64_t>(udata);
  pass_fetch_page(vcpu, bits >> 1, (bits & 1) != 0);
}

// Of a block that runs at several addresses: so many pages behind the one in which the vCPU's program counter
// is. In the middle of a block that stands at some instruction before this one, and a block is of two pages
// at most.
void on_fetch_page_relative(unsigned vcpu, void* udata) {
  const auto bits = reinterpret_cast<uint64_t>(udata);
  PbCpuState state;
  if (pb_machine.cpu_state(g_layer.cpus[vcpu].view.cpu, &state))
    pass_fetch_page(vcpu, (state.pc >> PB_PAGE_BITS) + (bits >> 1), (bits & 1) != 0);
}

// pb_machine.fetch_page()'s.
template <bool kPrivileged>
void look_up_page(PbFetched* fetched, uint64_t page) {
  pass_fetch_page(static_cast<const Vcpu*>(fetched->vcpu)->index, page, kPrivileged);
}

// A callback before each instruction that begins in a page, or reaches into one, where the one before it was
// not.
void instrument_fetch_pages(qemu_plugin_tb* tb, const PbCpuState& state) {
  const size_t n = qemu_plugin_tb_n_insns(tb);
  const uint64_t base = state.relative ? qemu_plugin_tb_vaddr(tb) >> PB_PAGE_BITS : 0;
  uint64_t fetched = UINT64_MAX;
  const uint64_t begin = qemu_plugin_tb_vaddr(tb);
  // An instruction in two pages is looked up in that order.
  const bool in_one =
      ((begin + qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, 0)) - 1) ^ begin) >> PB_PAGE_BITS == 0;
  if (in_one && pb_machine.fetch_page(tb, state.relative, begin >> PB_PAGE_BITS,
                                      state.privileged ? look_up_page<true> : look_up_page<false>))
    fetched = begin >> PB_PAGE_BITS;
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    const uint64_t first = qemu_plugin_insn_vaddr(insn), last = first + qemu_plugin_insn_size(insn) - 1;
    for (uint64_t page = first >> PB_PAGE_BITS; page <= last >> PB_PAGE_BITS; ++page) {
      if (page == fetched) continue;
      fetched = page;
      qemu_plugin_register_vcpu_insn_exec_cb(insn, state.relative ? on_fetch_page_relative : on_fetch_page,
                                             QEMU_PLUGIN_CB_NO_REGS,
                                             reinterpret_cast<void*>((page - base) << 1 | state.privileged));
    }
  }
}

// --- ports ---------------------------------------------------------------------------------------

void note_port(unsigned vcpu, uint64_t pc) {
  g_layer.cpus[vcpu].port_pc = pc;
  g_layer.cpus[vcpu].port_known.store(true, std::memory_order_relaxed);
}

void on_port(unsigned vcpu, void* udata) { note_port(vcpu, reinterpret_cast<uint64_t>(udata)); }

// Of a block that runs at several addresses. All its instructions begin in one page, and the vCPU's program
// counter is in it.
void on_port_relative(unsigned vcpu, void* udata) {
  constexpr uint64_t in_page = (uint64_t{1} << PB_PAGE_BITS) - 1;
  PbCpuState state;
  if (pb_machine.cpu_state(g_layer.cpus[vcpu].view.cpu, &state))
    note_port(vcpu, (state.pc & ~in_page) | (reinterpret_cast<uint64_t>(udata) & in_page));
}

// --- the plugin's callbacks ----------------------------------------------------------------------

Quirks quirks_of(const Isa& isa, const qemu_plugin_insn* insn, uint32_t mode) {
  uint8_t code[15];
  const size_t n = qemu_plugin_insn_data(insn, code, sizeof code);
  return isa.quirks(code, n, mode);
}

bool anything_wanted() {
  return g_layer.features.load(std::memory_order_acquire) || events_wanted() || blocks_wanted() ||
         special_wanted() || profile_wanted();
}

bool anything_wanted_from_now_on() {
  layer_adopt();
  return anything_wanted();
}

void on_drain(unsigned vcpu, void* udata) {
  if (g_layer.holds.load(std::memory_order_relaxed)) pass_drain(vcpu, PassTag::unpack(udata).insns_left);
}

// To be called before a vCPU's state is asked for.
const Isa& isa_of_machine() {
  static const Isa& isa = *isa_named(pb_machine.cpu_isa());
  return isa;
}

// What is called for single instructions.
void instrument_insns(qemu_plugin_tb* tb, const PbCpuState& state, uint32_t features) {
  const Isa& isa = isa_of_machine();
  std::vector<PassTag> tags(qemu_plugin_tb_n_insns(tb));
  events_translate(tb, state, tags.data());
  special_translate(tb, state);
  for (size_t i = 0; features && i < tags.size(); ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    const Quirks quirks = quirks_of(isa, insn, state.mode);
    tags[i].insns_left = static_cast<uint32_t>(tags.size() - 1 - i);
    if (quirks.drains && (features & kDrains))
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_drain, QEMU_PLUGIN_CB_NO_REGS, tags[i].pack());
    // What empties the buffers includes all that access ports; the newest is the one.
    if (quirks.drains && (features & kPorts))
      qemu_plugin_register_vcpu_insn_exec_cb(insn, state.relative ? on_port_relative : on_port,
                                             QEMU_PLUGIN_CB_NO_REGS,
                                             reinterpret_cast<void*>(qemu_plugin_insn_vaddr(insn)));
    if (!quirks.accesses) continue;  // else QEMU would prepare for the accesses of helpers
    tags[i].locked = quirks.locked;
    tags[i].privileged = state.privileged;
    tags[i].probes = quirks.stores == StoreOrder::kProbesFirst;
    tags[i].reverses = quirks.stores == StoreOrder::kDescending;
    tags[i].pieces = quirks.pieces.any();
    instrument(insn, tags[i], quirks, features);
  }
}

// What leaves out the callbacks that would find nothing.
auto filter_of(uint32_t features) {
  constexpr uint32_t kMarked =
      kMarkedStores | kMarkedLoads | kFetches | kFetchPages | kDrains | kPorts | kWatched;
  return !(features & ~kMarked)            ? pb_machine.filter_block
         : !(features & ~(kMarked | kBus)) ? pb_machine.access_count_block
                                           : pb_machine.hit_filter_block;
}

// Nothing here has a destructor: operations are added, and TCG may jump out of that (hw/qemu/tcg/ops.h).
void on_translation(qemu_plugin_tb* tb) {
  const uint32_t features = g_layer.features.load(std::memory_order_acquire);
  PbCpuState state;
  if (!anything_wanted()) return;
  isa_of_machine();
  if (!pb_machine.running_state(&state)) return;
  instrument_insns(tb, state, features);
  profile_translate(tb, state);
  blocks_translate(tb, state);
  if (features & kFetches) instrument_fetches(tb, state.privileged);
  if (features & kFetchPages) instrument_fetch_pages(tb, state);
  pb_machine.drop_values(tb);
  events_inline(tb);
  filter_of(features)(tb, pass_load_callback(features, false), pass_store_callback(features, false));
}

void on_vcpu_start PB_PLUGIN_CALLBACK(unsigned vcpu) {
  pb_machine.prepare_vcpu(vcpu);
  layer_vcpu_started(vcpu);
  pb_machine.retranslate();  // now all plugins are loaded: pb_machine.see_blocks()
}

// What it has counted stays.
void on_vcpu_exit PB_PLUGIN_CALLBACK(unsigned vcpu) {
  pb_machine.stop_vcpu(vcpu);
  pb_machine.cpu_gone(vcpu);
  layer_vcpu_gone(vcpu);
  blocks_vcpu_gone(vcpu);
}

}  // namespace
}  // namespace perfboard

PbUnderWay pb_instrument_under_way(void* cpu) {
  using namespace perfboard;
  const Isa& isa = isa_of_machine();
  PbCpuState state;
  uint64_t pc;
  uint8_t code[15];
  if (!pb_machine.cpu_state(cpu, &state) || !pb_machine.access_pc(cpu, &pc)) return {};
  const size_t n = pb_machine.peek(cpu, pc, code, std::min<size_t>(sizeof code, isa.longest));
  const Quirks quirks = isa.quirks(code, n, state.mode);
  return {quirks.locked, quirks.hides_loads, quirks.hides_stores};
}

void pb_instrument_install(uint64_t plugin_id, unsigned max_vcpus) {
  using namespace perfboard;
  layer_start(max_vcpus);
  events_install(plugin_id);
  qemu_plugin_register_vcpu_init_cb(PB_PLUGIN_ARGS(plugin_id, on_vcpu_start));
  qemu_plugin_register_vcpu_exit_cb(PB_PLUGIN_ARGS(plugin_id, on_vcpu_exit));
  pb_machine.see_blocks(plugin_id, on_translation, anything_wanted_from_now_on);
}
