// SPDX-License-Identifier: GPL-2.0-or-later
//
// blocks - a second plugin that counts the same twice: by blocks (plugins/blocks.h), and one by one.
//
//   -plugin blocks.so,perfboard=perfboard-10.0.so[,every=N][,steps=on][,pattern=on] -plugin perfboard.so
//
// QEMU calls the plugin that was loaded last first: so perfboard.so has counted an instruction when this one
// looks. At the last instruction of each Nth block (default 100) both must say the same of the vCPU that runs
// it, in each context:
//   instructions, branches   as the events (plugins/events.h) count them
//   steps=on                 what a model of a pipeline says, which this plugin runs itself, an instruction
//   after the other, in a callback
//                            for each. Events tell it which one did not come to its end. Not for x86 without
//                            -icount, where QEMU repeats string instructions within a block
//   pattern=on               instructions that match a pattern are the branches
// The model's state and its count depend on all instructions before. At the end it says how often it has
// compared; the exit status is 3 if there was a difference, or nothing to compare.
#include "plugins/blocks.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "hw/processor/insn.h"
#include "plugins/events.h"
#include PB_SERIES

extern "C" {
#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;
}

namespace {

using perfboard::ModelInsn;

enum { kInsns, kBranches, kWeight, kCounts };
constexpr unsigned kVcpus = 64, kContexts = 4;
constexpr uint32_t kPattern = 0x1234;

// --- the model: a state of 0 to 96 that each instruction moves, and a weight that depends on it
// A loop soon leaves the state as it finds it, as it does a pipeline.

uint32_t moved(uint32_t state, uint64_t address, unsigned bytes) {
  return (state / 2 + static_cast<uint32_t>(address & 0xfff) + bytes) % 97;
}

void run(const void* insns, size_t n, void* state, uint32_t* counts) {
  const auto* insn = static_cast<const ModelInsn*>(insns);
  uint32_t s;
  std::memcpy(&s, state, sizeof s);
  std::memset(counts, 0, kCounts * sizeof *counts);
  for (size_t i = 0; i < n; ++i) {
    counts[kInsns]++;
    counts[kBranches] += insn[i].branch;
    counts[kWeight] += s;
    s = moved(s, insn[i].address, insn[i].bytes);
  }
  std::memcpy(state, &s, sizeof s);
}

bool matches(const void* insn, uint32_t pattern, bool) {
  return pattern == kPattern && static_cast<const ModelInsn*>(insn)->branch;
}

constexpr PbBlockModel kModel = {kCounts, sizeof(uint32_t), run, matches};

// --- perfboard.so -----------------------------------------------------------------------------------------

struct {
  decltype(&pb_blocks_open) open;
  decltype(&pb_blocks_count) count;
  decltype(&pb_blocks_read) read;
  decltype(&pb_blocks_pattern) pattern;
  decltype(&pb_blocks_save) save;
  decltype(&pb_blocks_context) context;
  decltype(&pb_events_open) events_open;
  decltype(&pb_events_watch) events_watch;
  decltype(&pb_events_read) events_read;
} pb;

template <typename F>
bool find(void* board, const char* name, F& f) {
  f = reinterpret_cast<F>(dlsym(board, name));
  return f != nullptr;
}

bool find_all(const std::string& path) {
  void* const board = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  return board && find(board, "pb_blocks_open", pb.open) && find(board, "pb_blocks_count", pb.count) &&
         find(board, "pb_blocks_read", pb.read) && find(board, "pb_blocks_pattern", pb.pattern) &&
         find(board, "pb_blocks_save", pb.save) && find(board, "pb_blocks_context", pb.context) &&
         find(board, "pb_events_open", pb.events_open) && find(board, "pb_events_watch", pb.events_watch) &&
         find(board, "pb_events_read", pb.events_read);
}

// --- one by one
// ---------------------------------------------------------------------------------------------

struct Cpu {
  PbEvents* events = nullptr;
  // Read between blocks alone: a total that was told with an instruction under way, and is taken back, stands
  // still.
  PbEvents* between = nullptr;
  uint64_t blocks = 0, compared = 0;
  bool in_step = false;  // what follows is known
  uint64_t insns = 0;
  uint32_t state[2] = {};  // of the pipelines: of what is not privileged, and of what is
  // By context. What is told never falls.
  uint64_t weight[kContexts] = {}, told[kContexts] = {}, before[kContexts] = {};
  // Of the last instruction: the state before it, and where it counts.
  uint32_t last_state = 0;
  unsigned last_context = 0;
};

Cpu g_cpus[kVcpus];
unsigned g_vcpus, g_every = 100;
bool g_steps, g_pattern;
std::string g_perfboard;
std::mutex g_lock;
unsigned g_differences;

void difference(unsigned vcpu, const char* what, uint64_t blocks, uint64_t one_by_one) {
  const std::lock_guard guard(g_lock);
  if (g_differences++ < 10)
    std::fprintf(stderr,
                 "blocks: vCPU %u, comparison %" PRIu64 ": %s: %" PRIu64 " by blocks, %" PRIu64
                 " one by one\n",
                 vcpu, g_cpus[vcpu].compared, what, blocks, one_by_one);
}

uint64_t insns_by_events(unsigned vcpu) {
  uint64_t totals[2];
  pb.events_read(g_cpus[vcpu].between, PB_ALL_VCPUS, PB_ANY_CONTEXT, totals);
  return totals[0];
}

// A block begins. The instruction before it may have been given up.
void on_block(unsigned vcpu, void*) {
  Cpu& c = g_cpus[vcpu];
  if (!c.between) return;
  const uint64_t counted = insns_by_events(vcpu);
  if (!c.in_step) {
    c.insns = counted;
  } else if (counted + 1 == c.insns) {
    c.state[c.last_context % 2] = c.last_state;
    c.weight[c.last_context] -= c.last_state;
    c.insns--;
  } else if (counted != c.insns) {
    difference(vcpu, "instructions at a block's beginning", counted, c.insns);
    c.insns = counted;
  }
}

struct Insn {
  uint64_t address;
  unsigned bytes;
};

void on_insn(unsigned vcpu, void* udata) {
  Cpu& c = g_cpus[vcpu];
  const auto* insn = static_cast<const Insn*>(udata);
  bool privileged, marked;
  pb.context(vcpu, &privileged, &marked);
  c.last_state = c.state[privileged];
  c.last_context = 2u * marked + privileged;
  c.weight[c.last_context] += c.last_state;
  c.state[privileged] = moved(c.last_state, insn->address, insn->bytes);
  c.insns++;
}

void compare_steps(unsigned vcpu, const uint64_t* weight) {
  Cpu& c = g_cpus[vcpu];
  for (const bool privileged : {false, true}) {
    uint32_t state;
    pb.save(vcpu, privileged, &state);
    if (c.in_step && state != c.state[privileged])
      difference(vcpu, "the pipeline", state, c.state[privileged]);
    c.state[privileged] = state;
  }
  for (unsigned context = 0; context < kContexts; ++context) {
    if (!c.in_step) c.before[context] = weight[context] - c.weight[context];
    c.told[context] = std::max(c.told[context], c.weight[context]);
    if (weight[context] - c.before[context] != c.told[context])
      difference(vcpu, "the pipeline's count", weight[context] - c.before[context], c.told[context]);
  }
  c.in_step = true;
}

// A block's last instruction: both have counted all of it.
void on_last(unsigned vcpu, void*) {
  Cpu& c = g_cpus[vcpu];
  if (!c.events || ++c.blocks % g_every) return;
  uint64_t weight[kContexts];
  for (unsigned context = 0; context < kContexts; ++context) {
    uint64_t by_events[2], by_blocks[kCounts], matching;
    pb.read(vcpu, 1u << context, by_blocks, &matching);
    pb.events_read(c.events, PB_ALL_VCPUS, 1u << context, by_events);
    const std::string in = " in context " + std::to_string(context);
    if (by_blocks[kInsns] != by_events[0])
      difference(vcpu, ("instructions" + in).c_str(), by_blocks[kInsns], by_events[0]);
    if (by_blocks[kBranches] != by_events[1])
      difference(vcpu, ("branches" + in).c_str(), by_blocks[kBranches], by_events[1]);
    if (g_pattern && matching != by_events[1])
      difference(vcpu, ("matching" + in).c_str(), matching, by_events[1]);
    weight[context] = by_blocks[kWeight];
    c.compared += by_events[0] != 0;
  }
  if (g_steps) compare_steps(vcpu, weight);
}

void on_translation PB_PLUGIN_CALLBACK(qemu_plugin_tb* tb) {
  const size_t n = qemu_plugin_tb_n_insns(tb);
  if (g_steps) qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, nullptr);
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    if (g_steps)
      qemu_plugin_register_vcpu_insn_exec_cb(
          insn, on_insn, QEMU_PLUGIN_CB_NO_REGS,
          new Insn{qemu_plugin_insn_vaddr(insn), static_cast<unsigned>(qemu_plugin_insn_size(insn))});
    if (i == n - 1) qemu_plugin_register_vcpu_insn_exec_cb(insn, on_last, QEMU_PLUGIN_CB_NO_REGS, nullptr);
  }
}

// When the last of them is there.
void on_vcpu PB_PLUGIN_CALLBACK(unsigned) {
  static std::atomic<unsigned> there{0};
  if (++there != g_vcpus) return;
  char* why = nullptr;
  if (!find_all(g_perfboard)) {
    std::fprintf(stderr, "blocks: %s is not loaded\n", g_perfboard.c_str());
    std::_Exit(3);
  }
  if (!pb.open(&kModel, g_vcpus, &why)) {
    std::fprintf(stderr, "blocks: %s\n", why);
    std::_Exit(3);
  }
  for (unsigned i = 0; i < g_vcpus; ++i) {
    const std::string names[] = {"instructions:" + std::to_string(i), "branches:" + std::to_string(i)};
    const char* const texts[] = {names[0].c_str(), names[1].c_str()};
    g_cpus[i].events = pb.events_open(texts, 2, g_vcpus, nullptr, &why);
    g_cpus[i].between = pb.events_open(texts, 1, g_vcpus, nullptr, &why);
    if (!g_cpus[i].events || !g_cpus[i].between) std::_Exit(3);
    pb.events_watch(g_cpus[i].events, true);
    pb.events_watch(g_cpus[i].between, true);
    if (g_pattern) pb.pattern(i, kPattern);
  }
  pb.count(true);
}

void at_exit() {
  uint64_t compared = 0;
  for (const Cpu& c : g_cpus) compared += c.compared;
  std::fprintf(stderr, "blocks: %" PRIu64 " comparisons, %u differences\n", compared, g_differences);
  std::fflush(nullptr);
  if (g_differences || !compared) _Exit(3);
}

}  // namespace

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
                                           char** argv) {
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("perfboard=")) {
      g_perfboard = word.substr(10);
    } else if (word.starts_with("every=")) {
      g_every = static_cast<unsigned>(std::atoi(word.c_str() + 6));
    } else if (word == "steps=on") {
      g_steps = true;
    } else if (word == "pattern=on") {
      g_pattern = true;
    } else {
      std::fprintf(stderr, "blocks: what is '%s'?\n", argv[i]);
      return 1;
    }
  }
  g_vcpus = static_cast<unsigned>(info->system.smp_vcpus);
  if (g_perfboard.empty() || !g_every || g_vcpus > kVcpus) {
    std::fprintf(stderr, "blocks: perfboard=PATH of that plugin; every is 1 or more, vCPUs up to %u\n",
                 kVcpus);
    return 1;
  }
  qemu_plugin_register_vcpu_init_cb(PB_PLUGIN_ARGS(id, on_vcpu));
  qemu_plugin_register_vcpu_tb_trans_cb(PB_PLUGIN_ARGS(id, on_translation));
  std::atexit(at_exit);
  return 0;
}
