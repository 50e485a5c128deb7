// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/profile.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

extern "C" {
#include <qemu-plugin.h>
}

#include "plugins/block_book.h"
#include "plugins/block_hooks.h"
#include "plugins/call_tree.h"
#include "plugins/guest_linux.h"
#include "plugins/isa/isa.h"
#include "plugins/isa/ppc/cpu.h"
#include "plugins/isa/x86/cpu.h"
#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/models_state.h"
#include "plugins/pass.h"
#include "plugins/udata_arena.h"

namespace perfboard {
namespace {

enum Column : uint8_t { kInsns, kCycles, kFirstMiss, kColumns = kFirstMiss + 5 };
constexpr const char* kColumnNames[kColumns] = {"instructions",        "cycles",     "dcache-load-misses",
                                                "dcache-store-misses", "tlb-misses", "icache-misses",
                                                "itlb-misses"};

// What a guest can make it hold: some 300 MB. What is more has no address.
constexpr size_t kMostTallies = 1u << 18, kMostRows = 1u << 20;

// Whose a block is that ends outside the region. What it counts, and what is taken back where it is left in
// the middle, has one owner: one vCPU may be in a block while another one begins the region or ends it.
constexpr uint32_t kNobody = UINT32_MAX;

struct RowKey {
  uint64_t address;
  uint32_t owner, image;
  bool privileged;
  bool operator==(const RowKey&) const = default;
};
struct Row {
  uint8_t bytes = 0;
  std::array<uint64_t, kColumns> counts{};
};
struct TallyKey {
  const BlockStep* step;
  uint32_t owner;
  bool iteration;
  bool operator==(const TallyKey&) const = default;
};
struct Hash {
  static size_t mix(uint64_t a, uint64_t b) {
    const uint64_t n = (a ^ b * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    return static_cast<size_t>(n ^ n >> 29);
  }
  size_t operator()(const RowKey& k) const {
    return mix(k.address, uint64_t{k.owner} << 33 | uint64_t{k.image} << 1 | k.privileged);
  }
  size_t operator()(const TallyKey& k) const {
    return mix(reinterpret_cast<uintptr_t>(k.step), uint64_t{k.owner} << 1 | k.iteration);
  }
};

// An instruction that calls or returns, for its callback.
struct CallSite {
  enum What : uint8_t { kCall, kReturn, kLeaves } what;
  CallTree::Where at;
  uint32_t insns_left;
  bool far_user;  // x86: SYSRET and its like, which lead to a program
};

// Of a vCPU's own thread.
struct Missing {
  static constexpr size_t kKnown = 1024;
  struct Known {
    const ModelInsn* insn;
    uint32_t owner;
    Row* row;
  };
  const void* model[4];  // the vCPU's part of them: data cache, TLB, instruction cache, instruction TLB
  std::array<Known, kKnown> known;
};

struct Profile {
  std::mutex lock;
  PbProfile wanted{};
  bool power = false;  // the machine's architecture
  std::unique_ptr<GuestLinux> guest;
  std::vector<uint32_t> owner;  // by vCPU; its own thread's
  bool records = false;         // the region has begun, and has not ended
  bool open = true;             // no event has closed it
  // How often each instruction of a block was executed, until somebody wants rows.
  std::unordered_map<TallyKey, std::vector<uint64_t>, Hash> tallies;
  std::unordered_map<RowKey, Row, Hash> rows;
  std::vector<Missing> missing;  // by vCPU, if misses are noticed
  // Who calls whom.
  std::unique_ptr<CallTree> tree;           // while the region lasts, and behind it
  qemu_plugin_scoreboard* score = nullptr;  // instructions that each vCPU has begun: [privileged]
  UdataArena<CallSite, 1u << 17> sites;     // of the blocks that there are
};

Profile* g_profile;  // never goes: threads of vCPUs may still work while exit() does

// --- rows ------------------------------------------------------------------------------------------------

Row& row_of(const CountedBlock& block, const ModelInsn& insn, uint32_t owner) {
  const RowKey key{insn.address, owner, block.image, block.privileged};
  const auto found = g_profile->rows.find(key);
  if (found != g_profile->rows.end()) return found->second;
  if (g_profile->rows.size() >= kMostRows) return g_profile->rows[{0, owner, 0, block.privileged}];
  Row& row = g_profile->rows[key];
  row.bytes = insn.bytes;
  return row;
}

// The worth of each instruction of a step: the model is run one by one. What it says of the sum is the same.
void add_rows(const TallyKey& key, const std::vector<uint64_t>& times) {
  const CountedBlock& block = *key.step->block;
  BlockBook& book = blocks_book();
  std::vector<uint32_t> counts(book.counts());
  std::vector<char> state(book.state_bytes());
  if (!key.iteration) book.bytes_of(key.step->entry, state.data());
  for (size_t i = key.iteration ? block.insns.size() - 1 : 0; i < block.insns.size(); ++i) {
    book.model().run(&block.insns[i], 1, state.data(), counts.data());
    if (!times[i]) continue;
    Row& row = row_of(block, block.insns[i], key.owner);
    row.counts[kInsns] += times[i] * counts[g_profile->wanted.insns];
    row.counts[kCycles] += times[i] * counts[g_profile->wanted.cycles];
  }
}

void settle() {
  for (const auto& [key, times] : g_profile->tallies) add_rows(key, times);
  g_profile->tallies.clear();
}

// --- calls -------------------------------------------------------------------------------------------------

uint64_t* executed(unsigned vcpu) {
  return static_cast<uint64_t*>(qemu_plugin_scoreboard_find(g_profile->score, vcpu));
}

CallTree::Counts counts_of(unsigned vcpu) { return {executed(vcpu)[0], executed(vcpu)[1]}; }

uint64_t stack_pointer(const uint64_t* registers) {
  return registers[g_profile->power ? PB_PPC_GENERAL + 1 : PB_X86_GENERAL + 4];
}

// Whether what the kernel returns to is a program. x86: IRET's frame has the code segment behind the address.
bool leads_to_user(const CallSite& site, void* cpu, const uint64_t* registers, uint64_t sp) {
  if (g_profile->power) return (registers[PB_PPC_SRR1] >> PB_PPC_MSR_PR & 1) != 0;
  uint64_t segment = 0;
  return site.far_user ||
         (pb_machine.peek(cpu, sp + 8, reinterpret_cast<uint8_t*>(&segment), sizeof segment) &&
          (segment & 3));
}

void on_call(unsigned vcpu, void* udata) {
  const auto& site = *static_cast<const CallSite*>(udata);
  if (!g_profile->records) return;
  void* const cpu = g_layer.cpus[vcpu].view.cpu;
  uint64_t registers[PB_REGISTERS];
  pb_machine.cpu_registers(cpu, registers);
  const uint64_t sp = stack_pointer(registers);
  CallTree::Counts counts = counts_of(vcpu);
  counts[site.at.kernel] -= site.insns_left;
  const bool to_user = site.what == CallSite::kLeaves && leads_to_user(site, cpu, registers, sp);
  const std::lock_guard guard(g_profile->lock);
  switch (site.what) {
    case CallSite::kCall:
      return g_profile->tree->call(vcpu, site.at, sp, counts);
    case CallSite::kReturn:
      return g_profile->tree->ret(vcpu, site.at, sp, counts);
    case CallSite::kLeaves:
      return g_profile->tree->leaves(vcpu, sp, counts, to_user);
  }
}

void works_for(unsigned vcpu) {
  g_profile->tree->works_for(vcpu, g_profile->guest->task(vcpu), g_profile->owner[vcpu], counts_of(vcpu));
}

// --- the guest's kernel ------------------------------------------------------------------------------------

bool knows_linux() { return g_profile->wanted.kernel.at_switch != 0; }

bool recording() {
  return (!knows_linux() || g_profile->guest->region() == GuestLinux::kIn) && g_profile->open;
}

void tell_owner(unsigned vcpu) {
  uint32_t owner;
  {
    const std::lock_guard guard(g_profile->lock);
    owner = g_profile->records ? g_profile->owner[vcpu] : kNobody;
  }
  blocks_owner(vcpu, owner);
}

void tell_owners() {
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) tell_owner(i);
}

constexpr uint64_t PbGuestKernel::* kPlaces[] = {&PbGuestKernel::at_switch, &PbGuestKernel::at_fork,
                                                 &PbGuestKernel::at_exec, &PbGuestKernel::at_map,
                                                 &PbGuestKernel::at_exit};

void on_event(unsigned vcpu, void* udata) {
  void* const cpu = g_layer.cpus[vcpu].view.cpu;
  const bool power = g_profile->power;
  uint64_t registers[PB_REGISTERS];
  if (!pb_machine.cpu_registers(cpu, registers)) return;
  // A function's first two arguments: r3, r4; RDI, RSI.
  const unsigned first = power ? 3 : PB_X86_GENERAL + 7, second = power ? 4 : PB_X86_GENERAL + 6;
  bool other;
  GuestLinux::Region before, now;
  {
    const std::lock_guard guard(g_profile->lock);
    before = g_profile->guest->region();
    const uint32_t owner =
        g_profile->guest->event(static_cast<GuestEvent>(reinterpret_cast<uintptr_t>(udata)), vcpu, cpu,
                                registers[first], registers[second]);
    now = g_profile->guest->region();
    other = owner != g_profile->owner[vcpu];
    g_profile->owner[vcpu] = owner;
    g_profile->records = recording();
  }
  if (now != before)
    tell_owners();
  else if (other)
    tell_owner(vcpu);
  {
    const std::lock_guard guard(g_profile->lock);
    if (g_profile->wanted.calls && now != before && now == GuestLinux::kIn) {
      g_profile->tree = std::make_unique<CallTree>(g_layer.cpu_count, g_profile->power);
      for (unsigned i = 0; i < g_layer.cpu_count; ++i) works_for(i);
    }
    if (g_profile->tree && now == GuestLinux::kIn) works_for(vcpu);
    if (g_profile->tree && now != before && now == GuestLinux::kBehind) g_profile->tree->end(counts_of);
  }
  if (now != before && now != GuestLinux::kIn) g_profile->wanted.near(now == GuestLinux::kMarked);
}

// --- misses ------------------------------------------------------------------------------------------------

bool counts(Missed what, const void* of, unsigned vcpu) {
  const unsigned kind = what <= Missed::kDcacheStores ? 0 : static_cast<unsigned>(what) - 1;
  return g_profile->records && of == g_profile->missing[vcpu].model[kind] &&
         (!g_profile->wanted.marked || blocks_marked(vcpu));
}

// A row stays where it is. The same few instructions miss again and again: a third of the instructions of a
// look into the table, and no lock.
void add_miss(Missed what, unsigned vcpu, const CountedBlock& block, const ModelInsn& insn) {
  Missing& m = g_profile->missing[vcpu];
  Missing::Known& known = m.known[(reinterpret_cast<uintptr_t>(&insn) / sizeof(ModelInsn)) % Missing::kKnown];
  if (known.insn != &insn || known.owner != g_profile->owner[vcpu]) {
    const std::lock_guard guard(g_profile->lock);
    known = {&insn, g_profile->owner[vcpu], &row_of(block, insn, g_profile->owner[vcpu])};
  }
  __atomic_fetch_add(&known.row->counts[kFirstMiss + static_cast<size_t>(what)], 1, __ATOMIC_RELAXED);
}

void on_miss(Missed what, const void* of, unsigned vcpu, bool privileged, uint32_t insns_left) {
  if (!counts(what, of, vcpu)) return;
  const CountedBlock* block;
  const ModelInsn* const insn = blocks_at(vcpu, privileged, insns_left, &block);
  if (insn) add_miss(what, vcpu, *block, *insn);
}

void on_fetch_miss(Missed what, const void* of, unsigned vcpu, bool privileged, uint64_t begin,
                   uint64_t bytes) {
  if (!counts(what, of, vcpu)) return;
  constexpr uint64_t kInPage = (uint64_t{1} << PB_PAGE_BITS) - 1;
  const CountedBlock* block;
  if (!blocks_at(vcpu, privileged, 0, &block)) return;
  for (const ModelInsn& insn : block->insns) {
    const uint64_t behind = (insn.address - begin) & kInPage, before = (begin - insn.address) & kInPage;
    if (behind < bytes || before < insn.bytes) return add_miss(what, vcpu, *block, insn);
  }
}

std::string escaped(const std::string& text) {
  std::string out;
  char hex[4];
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 127 && c != '%') {
      out += c;
    } else {
      std::snprintf(hex, sizeof hex, "%%%02x", byte);
      out += hex;
    }
  }
  return out.empty() ? "%" : out;
}

}  // namespace

bool profile_wanted() { return g_profile && g_profile->guest; }

void profile_translate(qemu_plugin_tb* tb, const PbCpuState& state) {
  if (!profile_wanted() || !state.privileged || !knows_linux()) return;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    for (uintptr_t e = 0; e < std::size(kPlaces); ++e)
      if (qemu_plugin_insn_vaddr(insn) == g_profile->wanted.kernel.*kPlaces[e])
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_event, QEMU_PLUGIN_CB_R_REGS,
                                               reinterpret_cast<void*>(e));
  }
}

uint32_t profile_image(const PbCpuState& state, uint64_t address) {
  if (state.privileged) return 0;
  const std::lock_guard guard(g_profile->lock);
  return g_profile->guest->image(state.vcpu, address);
}

void profile_calls(qemu_plugin_tb* tb, const CountedBlock& block) {
  const auto& insns = block.insns;
  if (!g_profile->wanted.calls) return;
  qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
      tb, QEMU_PLUGIN_INLINE_ADD_U64, {g_profile->score, block.privileged * sizeof(uint64_t)}, insns.size());
  for (size_t i = 0; i < insns.size(); ++i) {
    const ModelInsn& insn = insns[i];
    // Whether a conditional return is one is not known: its caller's next call or return tells.
    const bool back = (insn.needs & kNeedsLink) && !insn.conditional;
    if (!insn.link && !back && !(insn.returns && block.privileged)) continue;
    const CallSite::What what = insn.returns ? CallSite::kLeaves
                                : insn.link  ? CallSite::kCall
                                             : CallSite::kReturn;
    bool full;
    CallSite* const site = g_profile->sites.add({what,
                                                 {insn.address, block.image, block.privileged},
                                                 static_cast<uint32_t>(insns.size() - 1 - i),
                                                 insn.opcode == 0x107 || insn.opcode == 0x135},
                                                full);
    if (full) pb_machine.retranslate();
    qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i), on_call, QEMU_PLUGIN_CB_R_REGS,
                                           site);
  }
}

void profile_entered(unsigned vcpu, bool was_privileged, bool interrupt) {
  if (!g_profile->records || !g_profile->tree) return;
  uint64_t registers[PB_REGISTERS];
  pb_machine.cpu_registers(g_layer.cpus[vcpu].view.cpu, registers);
  const CountedBlock* block;
  const ModelInsn* const insn = blocks_at(vcpu, was_privileged, 0, &block);
  const CallTree::Where from{insn ? insn->address : 0, insn ? block->image : 0, was_privileged};
  const std::lock_guard guard(g_profile->lock);
  g_profile->tree->enters(vcpu, interrupt ? CallTree::kInterrupt : CallTree::kException, from,
                          stack_pointer(registers), counts_of(vcpu));
}

bool profile_has_calls() { return g_profile->wanted.calls; }

void profile_iterated(unsigned vcpu, bool privileged) {
  if (g_profile->wanted.calls) executed(vcpu)[privileged]++;
}

void profile_flushed() { g_profile->sites.clear(); }

void profile_told(unsigned vcpu, uint32_t owner, bool marked, const BlockStep& step, bool iteration,
                  size_t from, size_t to, uint64_t times) {
  // A block that was left in the middle.
  if (times == UINT64_MAX && g_profile->score) executed(vcpu)[step.block->privileged] -= to - from;
  if (owner == kNobody || (g_profile->wanted.marked && !marked)) return;
  const std::lock_guard guard(g_profile->lock);
  std::vector<uint64_t>& tally = g_profile->tallies[{&step, owner, iteration}];
  tally.resize(step.block->insns.size());
  for (size_t i = from; i < to; ++i) tally[i] += times;
  if (g_profile->tallies.size() >= kMostTallies) settle();
}

void profile_settle() {
  const std::lock_guard guard(g_profile->lock);
  settle();
  for (Missing& m : g_profile->missing) m.known = {};
}

}  // namespace perfboard

using namespace perfboard;

void pb_profile_open(const PbProfile* wanted) {
  if (!g_profile) g_profile = new Profile;
  g_profile->wanted = *wanted;
  g_profile->power = isa_named(pb_machine.cpu_isa()) == &kPpc;
  g_profile->guest =
      std::make_unique<GuestLinux>(wanted->kernel, g_layer.cpu_count, wanted->marker, pb_machine.peek);
  g_profile->owner.assign(g_layer.cpu_count, 0);
  g_profile->open = !wanted->events;
  g_profile->records = recording();
  g_profile->rows.clear();
  g_profile->tree.reset();
  if (wanted->calls && !knows_linux()) {
    g_profile->tree = std::make_unique<CallTree>(g_layer.cpu_count, g_profile->power);
    for (unsigned i = 0; i < g_layer.cpu_count; ++i) g_profile->tree->works_for(i, 1 + i, 0, {});
  }
  if (wanted->calls && !g_profile->score) g_profile->score = qemu_plugin_scoreboard_new(2 * sizeof(uint64_t));
  blocks_profile(true);
  tell_owners();
  pb_machine.retranslate();
  if (!wanted->models) return;
  const PbEventModels& m = *wanted->models;
  g_profile->missing.assign(g_layer.cpu_count, {});
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) {
    const auto part = [&](const auto& all, const PbModel* model) -> const void* {
      return &all.models[model->index]->cpus[i];
    };
    const void* const parts[] = {part(g_models.caches, m.dcache), part(g_models.tlbs, m.tlb),
                                 part(g_models.fetches, m.icache), part(g_models.fetch_tlbs, m.itlb)};
    std::copy(std::begin(parts), std::end(parts), g_profile->missing[i].model);
  }
  g_on_miss = on_miss;
  g_on_fetch_miss = on_fetch_miss;
  layer_changed();
}

void pb_profile_event(uint64_t event) {
  if (!profile_wanted()) return;
  const PbProfile& w = g_profile->wanted;
  if (!w.events || (event != w.from && event != w.to)) return;
  {
    const std::lock_guard guard(g_profile->lock);
    g_profile->open = event == w.from;
    g_profile->records = recording();
  }
  tell_owners();
}

void pb_profile_close(void) {
  g_on_miss = nullptr;
  g_on_fetch_miss = nullptr;
  layer_changed();
  profile_settle();
  blocks_profile(false);
  g_profile->guest.reset();
  pb_machine.retranslate();
}

void pb_profile_write(FILE* to) {
  constexpr const char* kRegions[] = {"none", "marked", "begun", "whole"};
  blocks_add_up();
  const std::lock_guard guard(g_profile->lock);
  settle();
  const GuestLinux& guest = *g_profile->guest;
  std::fprintf(to, "perfboard-profile 1 %s %s\nmachine %s\ncounts", pb_machine.cpu_isa(),
               knows_linux() ? kRegions[guest.region()] : "whole", g_profile->wanted.machine);
  const size_t columns = g_profile->wanted.models ? kColumns : kFirstMiss;
  for (size_t i = 0; i < columns; ++i) std::fprintf(to, " %s", kColumnNames[i]);
  std::fputs("\n", to);
  for (size_t i = 0; i < guest.programs().size(); ++i)
    std::fprintf(to, "program %zu %" PRIu32 " %" PRIu32 " %s\n", i, guest.programs()[i].pid,
                 guest.programs()[i].parent, escaped(guest.programs()[i].name).c_str());
  for (size_t i = 1; i < guest.images().size(); ++i)
    std::fprintf(to, "image %zu %" PRIx64 " %s\n", i, guest.images()[i].bias,
                 escaped(guest.images()[i].path).c_str());
  if (g_profile->tree) {
    CallTree tree = *g_profile->tree;
    if (!knows_linux() || guest.region() == GuestLinux::kIn) tree.end(counts_of);
    for (size_t i = 1; i < tree.nodes().size(); ++i) {
      const CallTree::Node& n = tree.nodes()[i];
      std::fprintf(to,
                   "call %zu %" PRIu32 " %c%s %" PRIu32 " %" PRIu32 " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
                   i, n.parent, n.kind,
                   n.kind != CallTree::kFunction ? ""
                   : n.where.kernel              ? "k"
                                                 : "u",
                   n.program, n.where.image, n.where.address, n.calls, n.insns);
    }
  }
  // In one order, whatever came first.
  const auto place = [](const RowKey& k) { return std::tuple(k.owner, k.privileged, k.image, k.address); };
  std::map<decltype(place(RowKey{})), const Row*> rows;
  for (const auto& [key, row] : g_profile->rows) rows[place(key)] = &row;
  for (const auto& [key, row] : rows) {
    const auto [owner, privileged, image, address] = key;
    std::fprintf(to, "row %" PRIu32 " %c %" PRIu32 " %" PRIx64 " %u", owner, privileged ? 'k' : 'u', image,
                 address, row->bytes);
    for (size_t i = 0; i < columns; ++i) std::fprintf(to, " %" PRIu64, row->counts[i]);
    std::fputs("\n", to);
  }
}
