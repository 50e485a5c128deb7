// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/blocks.h"

#include <glib.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

extern "C" {
#include <qemu-plugin.h>
}

#include "plugins/block_book.h"
#include "plugins/block_count.h"
#include "plugins/block_hooks.h"
#include "plugins/events_count.h"
#include "plugins/isa/isa.h"
#include "plugins/isa/x86/cpu.h"
#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/profile.h"

namespace perfboard {
namespace {

constexpr uint32_t kMostSlots = 1u << 18;  // Linux and its programs: some 50,000 blocks

struct Blocks {
  PbBlockModel model{};
  const Isa* isa = nullptr;
  std::unique_ptr<BlockBook> book;
  PbBlockSlots slots{};
  bool near = false;                              // translated code reaches them
  std::vector<char*> start;                       // if it does not
  std::vector<std::unique_ptr<BlockCount>> cpus;  // by vCPU index
  std::atomic<bool> emptying{false};  // the book is crowded, and blocks are about to be thrown away
  // The second becomes the first when all blocks are thrown away: what is taken back was counted.
  std::atomic<bool> wanted{false}, active{false};
  bool profiled = false;
};

Forever<Blocks> g_blocks_forever;
constexpr Blocks& g_blocks = g_blocks_forever.object;

BlockCount* count_of(unsigned vcpu) {
  return vcpu < g_blocks.cpus.size() ? g_blocks.cpus[vcpu].get() : nullptr;
}

bool matches(const ModelInsn& insn, uint32_t pattern) {
  return g_blocks.model.matches && g_blocks.model.matches(&insn, pattern, g_blocks.isa == &kPpc);
}

bool runs(unsigned vcpu, bool* privileged) {
  void* const cpu = g_layer.cpus[vcpu].view.cpu;
  PbCpuState s;
  if (!cpu || !pb_machine.cpu_state(cpu, &s)) return false;
  *privileged = s.privileged;
  return pb_machine.cpu_runs(cpu);
}

struct Opcodes {
  uint32_t (*code)(const void* insn, bool power) = nullptr;
  std::mutex lock;
  std::map<uint32_t, uint64_t> times;
};
Forever<Opcodes> g_opcodes_forever;
constexpr Opcodes& g_opcodes = g_opcodes_forever.object;

void told(unsigned vcpu, uint32_t owner, bool marked, const BlockStep& step, bool iteration, size_t from,
          size_t to, uint64_t times) {
  if (g_blocks.profiled) profile_told(vcpu, owner, marked, step, iteration, from, to, times);
  if (!g_opcodes.code) return;
  const std::lock_guard guard(g_opcodes.lock);
  for (size_t i = from; i < to; ++i)
    g_opcodes.times[g_opcodes.code(&step.block->insns[i], g_blocks.isa == &kPpc)] += times;
}

// Whoever wants to be told has just come, or gone.
void tell() {
  for (unsigned i = 0; i < g_blocks.cpus.size(); ++i)
    g_blocks.cpus[i]->tell(g_opcodes.code || g_blocks.profiled ? told : nullptr, pb_machine.own_thread(i));
}

// A guest makes the book full, by many blocks or by many ways through few.
void look_for_room() {
  if (g_blocks.book->crowded() && !g_blocks.emptying.exchange(true)) pb_machine.retranslate();
}

// --- what the processor does -----------------------------------------------------------------------

void abandoned(unsigned vcpu, bool privileged, PbAbandoned why) {
  PbCpuState s;
  if (!g_blocks.active.load(std::memory_order_relaxed) ||
      !pb_machine.cpu_state(g_layer.cpus[vcpu].view.cpu, &s))
    return;
  g_blocks.cpus[vcpu]->left(privileged, s.pc, why == PB_AGAIN_COUNTED);
  look_for_room();
}

void excepted(unsigned vcpu, bool privileged) {
  if (g_blocks.profiled) profile_entered(vcpu, privileged, false);
}

void interrupted(unsigned vcpu, bool privileged) {
  if (g_blocks.profiled) profile_entered(vcpu, privileged, true);
}

constexpr PbCpuEvents kCpuEvents = {abandoned, excepted, interrupted, nullptr, nullptr};

// --- iterations of one instruction in a block --------------------------------------------------------

unsigned number_of(void* udata) { return static_cast<unsigned>(reinterpret_cast<uintptr_t>(udata)); }

void on_begin(unsigned vcpu, void*) { g_blocks.cpus[vcpu]->halfway = false; }

void iterated(unsigned vcpu, void* udata) {
  const uint32_t number = number_of(udata);
  g_blocks.cpus[vcpu]->iteration(number);
  if (g_blocks.profiled) profile_iterated(vcpu, g_blocks.book->block_of(number)->privileged);
}

void on_access(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t, void* udata) { iterated(vcpu, udata); }

void on_second_access(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t, void* udata) {
  BlockCount& count = *g_blocks.cpus[vcpu];
  count.halfway = !count.halfway;
  if (!count.halfway) iterated(vcpu, udata);
}

void count_iterations(qemu_plugin_tb* tb, Iterates iterates, uint32_t slot) {
  const bool second = iterates == Iterates::kBySecondLoad || iterates == Iterates::kBySecondStore;
  const bool loads = iterates == Iterates::kByLoad || iterates == Iterates::kBySecondLoad;
  if (g_blocks.near && !second && !(g_blocks.profiled && profile_has_calls()) &&
      pb_machine.block_count_accesses(tb, slot, !loads))
    return;
  qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
  if (second) qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin, QEMU_PLUGIN_CB_NO_REGS, nullptr);
  qemu_plugin_register_vcpu_mem_cb(insn, second ? on_second_access : on_access, QEMU_PLUGIN_CB_NO_REGS,
                                   loads ? QEMU_PLUGIN_MEM_R : QEMU_PLUGIN_MEM_W,
                                   reinterpret_cast<void*>(uintptr_t{slot}));
}

// --- translation -------------------------------------------------------------------------------------

void on_block(unsigned vcpu, void* udata) {
  g_blocks.cpus[vcpu]->plain(number_of(udata));
  look_for_room();
}

void begin(PbBlockFirst* first, uint32_t number) {
  static_cast<BlockCount*>(first->vcpu)->begin(number);
  look_for_room();
}

// Whether a branch with its distance in the instruction goes there. It is no harm not to know one. code: ends
// with it.
bool jumps_to(const ModelInsn& insn, uint64_t there, const std::string& code, uint32_t mode) {
  if (!insn.branch) return false;
  const uint64_t next = insn.address + insn.bytes;
  const auto from_end = [&](size_t i) { return static_cast<uint8_t>(code[code.size() - i]); };
  if (g_blocks.isa == &kPpc) {
    constexpr uint32_t kConditional = 16, kUnconditional = 18, kAbsolute = 2;
    const uint32_t word = insn.opcode, primary = word >> 26;
    const int32_t distance = primary == kConditional     ? static_cast<int16_t>(word & 0xfffc)
                             : primary == kUnconditional ? static_cast<int32_t>(word << 6 & 0xffffff00) >> 6
                                                         : 0;
    return distance && !(word & kAbsolute) &&
           insn.address + static_cast<uint64_t>(int64_t{distance}) == there;
  }
  if (insn.bytes == 2)
    return next + static_cast<uint64_t>(int64_t{static_cast<int8_t>(from_end(1))}) == there;
  if (insn.bytes < 5 || (mode & PB_X86_BITS) == 16) return false;
  const uint32_t distance = static_cast<uint32_t>(from_end(4)) | static_cast<uint32_t>(from_end(3)) << 8 |
                            static_cast<uint32_t>(from_end(2)) << 16 |
                            static_cast<uint32_t>(from_end(1)) << 24;
  return next + static_cast<uint64_t>(int64_t{static_cast<int32_t>(distance)}) == there;
}

// What makes a block: where it is, how its bytes are read, and they.
struct Key {
  std::string bytes;

  template <typename T>
  void put(const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
};

}  // namespace

bool blocks_wanted() {
  return g_blocks.wanted.load(std::memory_order_acquire) || g_blocks.active.load(std::memory_order_relaxed);
}

void blocks_translate(qemu_plugin_tb* tb, const PbCpuState& s) {
  if (!g_blocks.active.load(std::memory_order_relaxed) || pb_machine.block_again(tb)) return;
  const size_t n = qemu_plugin_tb_n_insns(tb);
  std::vector<ModelInsn> insns(n);
  Key key;
  key.put(s.mode);
  key.put(s.privileged);
  const uint32_t image = g_blocks.profiled ? profile_image(s, qemu_plugin_tb_vaddr(tb)) : 0;
  key.put(image);
  Iterates iterates = Iterates::kNot;
  for (size_t i = 0; i < n; ++i) {
    const qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    const uint64_t address = qemu_plugin_insn_vaddr(insn);
    uint8_t code[16] = {};
    const size_t bytes = qemu_plugin_insn_data(insn, code, sizeof code);
    insns[i] = g_blocks.isa->model(code, bytes, s.mode, address);
    if (i == 0) key.put(address);
    key.bytes.append(reinterpret_cast<const char*>(code), bytes);
    if (insns[i].repeats) iterates = g_blocks.isa->decode(code, bytes, s.mode).iterates;
  }
  const bool loops = iterates != Iterates::kNot;
  const CountedBlock* const block = g_blocks.book->block(key.bytes, s.privileged, loops, insns, image);
  if (!block) return;  // see look_for_room(): before so many more are translated, all blocks are thrown away
  if (!g_blocks.near ||
      !pb_machine.block_count(tb, block->slot, s.privileged,
                              jumps_to(insns.back(), insns.front().address, key.bytes, s.mode), begin))
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
                                         reinterpret_cast<void*>(uintptr_t{block->slot}));
  if (loops) count_iterations(tb, iterates, block->iterations);
  if (g_blocks.profiled) profile_calls(tb, *block);
  look_for_room();
}

void blocks_vcpu_gone(unsigned vcpu) {
  BlockCount* const count = count_of(vcpu);
  if (!count) return;
  count->empty();
  count->halfway = false;
}

void blocks_flushed() {
  const bool wanted = g_blocks.wanted.load(std::memory_order_acquire);
  // Now, and not when counting begins again: what a snapshot has put there must stay.
  if (!wanted && g_blocks.active.load(std::memory_order_relaxed))
    for (const auto& cpu : g_blocks.cpus) cpu->empty();
  g_blocks.active.store(wanted, std::memory_order_relaxed);
  if (g_blocks.profiled) profile_flushed();
  if (!g_blocks.emptying.exchange(false)) return;
  BlockBook& book = *g_blocks.book;
  const size_t pipelines = 2 * g_blocks.cpus.size();
  std::vector<char> states(pipelines * book.state_bytes());
  for (size_t i = 0; i < pipelines; ++i) g_blocks.cpus[i / 2]->save(i % 2, &states[i * book.state_bytes()]);
  for (const auto& cpu : g_blocks.cpus) cpu->drop_blocks();
  if (g_blocks.profiled) profile_settle();
  book.clear();
  for (size_t i = 0; i < pipelines; ++i) g_blocks.cpus[i / 2]->load(i % 2, &states[i * book.state_bytes()]);
}

void blocks_profile(bool on) {
  g_blocks.profiled = on;
  tell();
}

void blocks_owner(unsigned vcpu, uint32_t owner) {
  g_blocks.cpus[vcpu]->set_owner(owner, pb_machine.own_thread(vcpu));
}

void blocks_add_up() {
  for (unsigned i = 0; i < g_blocks.cpus.size(); ++i) g_blocks.cpus[i]->add_up(pb_machine.own_thread(i));
}

const ModelInsn* blocks_at(unsigned vcpu, bool privileged, uint32_t insns_left, const CountedBlock** block) {
  return g_blocks.cpus[vcpu]->at(privileged, insns_left, block);
}

bool blocks_marked(unsigned vcpu) { return g_blocks.cpus[vcpu]->marked(); }

BlockBook& blocks_book() { return *g_blocks.book; }

void blocks_mark(unsigned vcpu, bool mark) {
  if (BlockCount* const count = count_of(vcpu)) count->set_mark(mark);
}

}  // namespace perfboard

using namespace perfboard;

bool pb_blocks_open(const PbBlockModel* model, unsigned vcpus, char** why) {
  const auto same = [](const PbBlockModel& a, const PbBlockModel& b) {
    return a.counts == b.counts && a.state_bytes == b.state_bytes && a.run == b.run && a.matches == b.matches;
  };
  if (g_blocks.book && same(g_blocks.model, *model)) return true;
  if (g_blocks.book) {
    *why = g_strdup("blocks are counted by one model in a machine, and there is one");
    return false;
  }
  if (!events_prepare() || !pb_machine.cpu_hook(&kCpuEvents, g_layer.cpu_count)) {
    *why =
        g_strdup("blocks are counted on x86 and 64-bit POWER server processors, and this machine has others");
    return false;
  }
  g_blocks.model = *model;
  g_blocks.isa = isa_named(pb_machine.cpu_isa());
  vcpus = std::max(vcpus, g_layer.cpu_count);  // more may be added later
  g_blocks.slots.slots = kMostSlots;
  g_blocks.near = pb_machine.block_slots(&g_blocks.slots);
  if (!g_blocks.near) {
    for (unsigned i = 0; i < vcpus; ++i)
      g_blocks.start.push_back(static_cast<char*>(std::calloc(kMostSlots, sizeof(PbBlockSlot))));
    g_blocks.slots = {kMostSlots, g_blocks.start.data(), 0, 31};
  }
  g_blocks.book = std::make_unique<BlockBook>(*model, g_blocks.slots.slots);
  for (unsigned i = 0; i < vcpus; ++i)
    g_blocks.cpus.push_back(std::make_unique<BlockCount>(*g_blocks.book, g_blocks.slots, i, matches, runs));
  return true;
}

void pb_blocks_count(bool on) {
  events_want_marks(on);
  if (g_blocks.wanted.exchange(on, std::memory_order_acq_rel) == on) return;
  pb_machine.retranslate();
  if (pb_machine.no_blocks_yet()) blocks_flushed();
}

void pb_blocks_read(unsigned vcpu, unsigned contexts, uint64_t* totals, uint64_t* matched) {
  std::vector<uint64_t> all(g_blocks.model.counts + 1);
  if (BlockCount* const count = count_of(vcpu))
    count->read(contexts, pb_machine.own_thread(vcpu), all.data());
  std::copy_n(all.begin(), g_blocks.model.counts, totals);
  if (matched) *matched = all.back();
}

bool pb_blocks_rebase(unsigned vcpu) {
  BlockCount* const count = count_of(vcpu);
  return count && count->rebase(pb_machine.own_thread(vcpu));
}

void pb_blocks_pattern(unsigned vcpu, uint32_t pattern) {
  if (BlockCount* const count = count_of(vcpu)) count->set_pattern(pattern, pb_machine.own_thread(vcpu));
}

void pb_blocks_opcodes(uint32_t (*code)(const void* insn, bool power)) {
  blocks_add_up();  // what nobody has asked for
  g_opcodes.times.clear();
  g_opcodes.code = code;
  tell();
}

void pb_blocks_read_opcodes(void (*each)(void* opaque, uint32_t code, uint64_t times), void* opaque) {
  blocks_add_up();
  const std::lock_guard guard(g_opcodes.lock);
  // Begun, and taken back; or begun before anybody asked.
  for (const auto& [code, times] : g_opcodes.times)
    if (static_cast<int64_t>(times) > 0) each(opaque, code, times);
}

void pb_blocks_context(unsigned vcpu, bool* privileged, bool* marked) {
  const BlockCount* const count = count_of(vcpu);
  PbCpuState s{};
  pb_machine.cpu_state(g_layer.cpus[vcpu].view.cpu, &s);
  *privileged = s.privileged;
  *marked = g_blocks.isa->mark_after ? s.marked : count && count->marked();
}

size_t pb_blocks_state_bytes(void) { return g_blocks.model.state_bytes; }
void pb_blocks_save(unsigned vcpu, bool privileged, void* state) {
  g_blocks.cpus[vcpu]->save(privileged, state);
}
void pb_blocks_load(unsigned vcpu, bool privileged, const void* state) {
  g_blocks.cpus[vcpu]->load(privileged, state);
}
void pb_blocks_reset(void) {
  for (const auto& cpu : g_blocks.cpus) cpu->empty();
}
