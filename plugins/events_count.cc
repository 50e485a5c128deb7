// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events_count.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>

extern "C" {
#include <qemu-plugin.h>
}

#include "hw/qemu/cpu_hooks.h"
#include "plugins/access.h"
#include "plugins/cache.h"
#include "plugins/events_insn.h"
#include "plugins/tlb.h"

namespace perfboard {
namespace {

constexpr uint32_t bit(EventKind kind) { return 1u << static_cast<unsigned>(kind); }

constexpr uint32_t kInstructions = bit(EventKind::kInstructions), kLoads = bit(EventKind::kLoads),
                   kStores = bit(EventKind::kStores), kBranches = bit(EventKind::kBranches),
                   kCache = bit(EventKind::kDcacheMisses), kTlb = bit(EventKind::kTlbMisses),
                   kPages = bit(EventKind::kPages);
constexpr uint32_t kInstrumented = kInstructions | kLoads | kStores | kBranches | kCache | kTlb | kPages;
constexpr uint32_t kByCallback = kCache | kTlb | kPages;
constexpr CacheGeometry kGeometry = {8192, 2, 0, 1, 32};

// What translated code adds to, one for each vCPU, in a scoreboard of the plugin API.
struct Slots {
  uint64_t count[kEventKinds];
  // Accesses of an instruction that can make several, since it began.
  uint64_t tried_loads, tried_stores;
};

struct Range {
  uint64_t low, high;
};

// One vCPU's, on cache lines of its own; its own thread uses it.
struct alignas(64) Vcpu {
  PbCpuView view{};
  CacheNode cache{};
  TlbState* tlb = nullptr;
  uint64_t pages[kMostRanges] = {};
  uint32_t tried_pages[kMostRanges] = {};
  bool halfway = false;  // INS has stored its probe, CMPS has made its first load
};

struct Counters {
  qemu_plugin_scoreboard* slots = nullptr;
  Vcpu* cpus = nullptr;  // by vCPU index; made once, before vCPUs run
  unsigned cpu_count = 0;
  PbRam ram{};
  std::atomic<uint32_t> wanted{0};  // kinds for which blocks are translated
  std::atomic<uint32_t> active{0};  // of those, what blocks that run now carry
  Range ranges[kMostRanges] = {};
  std::atomic<unsigned> range_count{0};
  std::atomic<uint64_t> lowest{UINT64_MAX}, highest{0};  // of all ranges
};

Counters g;

Slots& slots_of(unsigned vcpu) { return *static_cast<Slots*>(qemu_plugin_scoreboard_find(g.slots, vcpu)); }

uint64_t& slot(unsigned vcpu, EventKind kind) { return slots_of(vcpu).count[static_cast<unsigned>(kind)]; }

qemu_plugin_u64 entry(EventKind kind) {
  return {g.slots, offsetof(Slots, count) + static_cast<unsigned>(kind) * sizeof(uint64_t)};
}

// What a callback gets to know of its instruction, packed into the user data pointer.
constexpr uintptr_t kNoteSeveral = 1;  // it may make several accesses
constexpr uintptr_t kNoteRepeats = 2;  // it makes many iterations in one block
constexpr uintptr_t kNoteHalves = 4;   // each second access ends an iteration (CMPS)
uintptr_t note_of(void* p) { return reinterpret_cast<uintptr_t>(p); }
void* pack(uintptr_t note) { return reinterpret_cast<void*>(note); }

// --- accesses ---------------------------------------------------------------------------------

// With paging off there are no translations to hold. A change of CR3 that no instruction here showed (a task
// switch) is noticed at the next miss.
bool misses_tlb(Vcpu& cpu, uint64_t page) {
  if (!tlb_has(cpu.tlb, page)) {
    PbX86State s;
    constexpr unsigned kPagingEnable = 31;
    if (!pb_x86_state(cpu.view.cpu, &s) || !(s.cr0 >> kPagingEnable & 1)) return false;
    if (s.cr3 != cpu.tlb->cr3) {
      tlb_reset(cpu.tlb);
      cpu.tlb->cr3 = s.cr3;
    }
  }
  return !tlb_use(cpu.tlb, page);
}

// Which ranges the bytes touch, a bit for each.
uint64_t touched(uint64_t addr, unsigned bytes) {
  uint64_t mask = 0;
  const unsigned n = g.range_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < n; ++i)
    if (addr <= g.ranges[i].high && addr + bytes - 1 >= g.ranges[i].low) mask |= uint64_t{1} << i;
  return mask;
}

struct Found {
  bool cache_miss = false, tlb_miss = false;
  uint64_t ranges = 0;
};

template <uint32_t kWhat>
void look(Vcpu& cpu, uint32_t info, uint64_t vaddr, unsigned bytes, bool store, Found& found) {
  if constexpr ((kWhat & kTlb) != 0) found.tlb_miss |= misses_tlb(cpu, vaddr >> PB_PAGE_BITS);
  if constexpr ((kWhat & (kCache | kPages)) == 0) return;
  const Place place = place_of(cpu.view, g.ram, info, vaddr, store);
  const bool in_ram = place.ram_offset < g.ram.bytes;
  uint64_t addr = 0;
  if (in_ram) {
    addr = address_of(g.ram, place.ram_offset);
  } else {
    PbTarget target;
    if (!pb_target(info, vaddr, &target)) return;
    addr = target.addr;
  }
  if constexpr ((kWhat & kPages) != 0) found.ranges |= touched(addr, bytes);
  if constexpr ((kWhat & kCache) != 0) {
    if (!in_ram) return;  // not cached
    found.cache_miss |= store ? cache_store(&cpu.cache, addr, bytes, false)
                              : cache_load(&cpu.cache, addr, bytes) == CACHE_BUS;
  }
}

void count_ranges(Vcpu& cpu, uint64_t ranges, uintptr_t note) {
  for (; ranges; ranges &= ranges - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctzll(ranges));
    cpu.pages[i]++;
    if (note & kNoteSeveral) cpu.tried_pages[i]++;
  }
}

// Any access; the fast path leaves to this what is not plain.
template <uint32_t kWhat>
__attribute__((noinline)) void access(unsigned vcpu, uint32_t info, uint64_t vaddr, bool store,
                                      uintptr_t note) {
  Vcpu& cpu = g.cpus[vcpu];
  const unsigned bytes = bytes_of(info);
  const unsigned in_page = static_cast<unsigned>(kPageMask + 1 - (vaddr & kPageMask));
  Found found;
  look<kWhat>(cpu, info, vaddr, std::min(bytes, in_page), store, found);
  if (bytes > in_page) look<kWhat>(cpu, info, vaddr + in_page, bytes - in_page, store, found);
  if (found.cache_miss) slot(vcpu, EventKind::kDcacheMisses)++;
  if (found.tlb_miss) slot(vcpu, EventKind::kTlbMisses)++;
  count_ranges(cpu, found.ranges, note);
  // What ends an iteration cannot be taken back with it.
  if ((note & kNoteRepeats) && (store || (note & kNoteHalves && !cpu.halfway)))
    std::fill_n(cpu.tried_pages, g.range_count.load(std::memory_order_relaxed), 0u);
}

template <uint32_t kWhat, bool kStore>
void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g.cpus[vcpu];
  const PbTlbEntry& entry = entry_of(cpu.view, info, vaddr);
  const auto offset = static_cast<uint64_t>(host_of(entry, vaddr) - g.ram.host);
  const auto beside = [&] {  // all ranges
    return offset + 15 < g.lowest.load(std::memory_order_relaxed) ||
           offset > g.highest.load(std::memory_order_relaxed);
  };
  const auto cached = [&] {
    return kStore ? cache_store_hits(&cpu.cache, offset, bytes_of(info))
                  : cache_load_hits(&cpu.cache, offset, bytes_of(info));
  };
  constexpr bool kPlaces = (kWhat & (kCache | kPages)) != 0;
  const uint64_t page = vaddr >> PB_PAGE_BITS;
  if (udata || !plain(kStore ? entry.addr_write : entry.addr_read, vaddr) ||
      ((kWhat & kTlb) && cpu.tlb->entry[page % TLB_SETS][0] != page + 1) ||
      (kPlaces && offset >= g.ram.below_4g) || ((kWhat & kPages) && !beside()) ||
      ((kWhat & kCache) && !cached()))
    access<kWhat>(vcpu, info, vaddr, kStore, note_of(udata));
}

using MemCallback = qemu_plugin_vcpu_mem_cb_t;
using Access = void (*)(unsigned, uint32_t, uint64_t, bool, uintptr_t);

// For each combination of what is wanted.
template <uint32_t kWhat>
struct ForKinds {
  static constexpr MemCallback load = on_access<kWhat, false>, store = on_access<kWhat, true>;
  static constexpr Access any = access<kWhat>;
};

struct Callbacks {
  MemCallback load, store;
  Access any;
};

template <uint32_t kWhat>
constexpr Callbacks callbacks_for() {
  return {ForKinds<kWhat>::load, ForKinds<kWhat>::store, ForKinds<kWhat>::any};
}

Callbacks callbacks_of(uint32_t kinds) {
  switch (kinds & kByCallback) {
    case kCache:
      return callbacks_for<kCache>();
    case kTlb:
      return callbacks_for<kTlb>();
    case kPages:
      return callbacks_for<kPages>();
    case kCache | kTlb:
      return callbacks_for<kCache | kTlb>();
    case kCache | kPages:
      return callbacks_for<kCache | kPages>();
    case kTlb | kPages:
      return callbacks_for<kTlb | kPages>();
    case kCache | kTlb | kPages:
      return callbacks_for<kCache | kTlb | kPages>();
    default:
      return {nullptr, nullptr, nullptr};
  }
}

// --- instructions that need a look ------------------------------------------------------------------

void on_begin(unsigned vcpu, void*) {
  Vcpu& cpu = g.cpus[vcpu];
  cpu.halfway = false;
  std::fill_n(cpu.tried_pages, g.range_count.load(std::memory_order_relaxed), 0u);
}

// INS: TCG stores a zero first, so that a fault comes before the port is read; then what it has read.
void on_ins_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g.cpus[vcpu];
  cpu.halfway = !cpu.halfway;
  if (cpu.halfway) return;
  const uint32_t kinds = g.active.load(std::memory_order_relaxed);
  if (kinds & kStores) slot(vcpu, EventKind::kStores)++;
  if ((kinds & kInstructions) && (note_of(udata) & kNoteRepeats)) slot(vcpu, EventKind::kInstructions)++;
  if (const Access any = callbacks_of(kinds).any) any(vcpu, info, vaddr, true, 0);
}

// CMPS: each second load ends an iteration.
void on_cmps_load(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t, void* udata) {
  Vcpu& cpu = g.cpus[vcpu];
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
  Vcpu& cpu = g.cpus[vcpu];
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

// The class, kept for as long as the process lives: code may be translated again and again.
const InsnClass* kept(const InsnClass& c) {
  static std::mutex lock;
  static std::deque<InsnClass> all;
  const std::lock_guard guard(lock);
  const auto found = std::find(all.begin(), all.end(), c);
  return found != all.end() ? &*found : &all.emplace_back(c);
}

// --- translation ---------------------------------------------------------------------------------

void add_at_start(qemu_plugin_insn* insn, EventKind kind, uint64_t n) {
  qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, entry(kind), n);
}

void add_at_access(qemu_plugin_insn* insn, qemu_plugin_mem_rw rw, qemu_plugin_u64 where) {
  qemu_plugin_register_vcpu_mem_inline_per_vcpu(insn, rw, QEMU_PLUGIN_INLINE_ADD_U64, where, 1);
}

void add_at_access(qemu_plugin_insn* insn, qemu_plugin_mem_rw rw, EventKind kind) {
  add_at_access(insn, rw, entry(kind));
}

// Accesses of an attempt, for abandoned().
void track_attempt(qemu_plugin_insn* insn) {
  const qemu_plugin_u64 loads = {g.slots, offsetof(Slots, tried_loads)};
  const qemu_plugin_u64 stores = {g.slots, offsetof(Slots, tried_stores)};
  qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64, loads, 0);
  qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64, stores, 0);
  add_at_access(insn, QEMU_PLUGIN_MEM_R, loads);
  add_at_access(insn, QEMU_PLUGIN_MEM_W, stores);
}

// In a block that makes many iterations, each counts with the access that ends it.
void count_iterations(qemu_plugin_insn* insn, const InsnClass& c) {
  switch (c.string) {
    case InsnClass::kMovs:
    case InsnClass::kStos:
      return add_at_access(insn, QEMU_PLUGIN_MEM_W, EventKind::kInstructions);
    case InsnClass::kLods:
    case InsnClass::kScas:
    case InsnClass::kOuts:
      return add_at_access(insn, QEMU_PLUGIN_MEM_R, EventKind::kInstructions);
    default:
      return;  // INS and CMPS: callbacks
  }
}

// Whether an attempt can end after an access that must be taken back.
bool several(const InsnClass& c, bool loops) {
  return c.several && c.string != InsnClass::kIns &&
         (!loops || c.string == InsnClass::kMovs || c.string == InsnClass::kCmps);
}

void instrument(qemu_plugin_insn* insn, const InsnClass& c, bool loops, uint32_t kinds) {
  const bool ins = c.string == InsnClass::kIns;
  const bool cmps = c.string == InsnClass::kCmps && loops;
  const uintptr_t note = !several(c, loops) || !(kinds & kPages)
                             ? 0
                             : kNoteSeveral | (loops ? kNoteRepeats : 0) | (cmps ? kNoteHalves : 0);
  if (c.branch && (kinds & kBranches)) add_at_start(insn, EventKind::kBranches, 1);
  if (loops && (kinds & kInstructions)) count_iterations(insn, c);
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
  if (kinds & kLoads) add_at_access(insn, QEMU_PLUGIN_MEM_R, EventKind::kLoads);
  if (call.load)
    qemu_plugin_register_vcpu_mem_cb(insn, call.load, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, pack(note));
  if (ins) {
    qemu_plugin_register_vcpu_mem_cb(insn, on_ins_store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
                                     pack(loops ? kNoteRepeats : 0));
    return;
  }
  if (several(c, loops) && (kinds & (kLoads | kStores))) track_attempt(insn);
  if (kinds & kStores) add_at_access(insn, QEMU_PLUGIN_MEM_W, EventKind::kStores);
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

// Takes back what an attempt has counted of accesses; of a block that loops, those of the unfinished
// iteration.
void take_back_accesses(unsigned vcpu, const InsnClass& c, bool loops, uint32_t kinds) {
  Slots& s = slots_of(vcpu);
  Vcpu& cpu = g.cpus[vcpu];
  uint64_t loads = s.tried_loads, stores = s.tried_stores;
  if (loops) {
    loads = c.string == InsnClass::kMovs ? loads - stores : loads & 1;
    stores = 0;
  }
  s.tried_loads = s.tried_stores = 0;
  if (kinds & kLoads) slot(vcpu, EventKind::kLoads) -= loads;
  if (kinds & kStores) slot(vcpu, EventKind::kStores) -= stores;
  if (kinds & kPages) {
    for (unsigned i = 0; i < g.range_count.load(std::memory_order_relaxed); ++i) {
      cpu.pages[i] -= cpu.tried_pages[i];
      cpu.tried_pages[i] = 0;
    }
  }
  if (c.string == InsnClass::kCmps) cpu.halfway = false;
}

// The instruction that begins at eip was counted at its start and has not come to its end.
void abandoned(unsigned vcpu, PbAbandoned why) {
  const uint32_t kinds = g.active.load(std::memory_order_relaxed);
  const bool counted = why != PB_AGAIN_COUNTED;
  const bool accesses = why != PB_FAULTS && (kinds & (kLoads | kStores | kPages));
  if ((kinds & kInstructions) && counted) slot(vcpu, EventKind::kInstructions)--;
  if (!accesses && !(counted && (kinds & kBranches))) return;
  PbX86State s;
  void* const cpu = g.cpus[vcpu].view.cpu;
  if (!pb_x86_state(cpu, &s)) return;
  uint8_t code[15];
  const size_t n = pb_peek(cpu, s.cs_base + s.eip, code, sizeof code);
  const InsnClass c = classify(code, n, s.code_bits);
  if (c.branch && counted && (kinds & kBranches)) slot(vcpu, EventKind::kBranches)--;
  const bool loops = c.repeated && !s.single_string;
  if (accesses && several(c, loops)) take_back_accesses(vcpu, c, loops, kinds);
}

// A fault of which QEMU knew when it translated the instruction was not unwound. One that it met in
// translation (a page that is not there) has no instruction, as those of breakpoints.
void excepted(unsigned vcpu, unsigned vector, bool is_int, bool unwound) {
  if (!is_int && !unwound && vector != PB_VECTOR_PAGE && vector != PB_VECTOR_DEBUG)
    abandoned(vcpu, PB_FAULTS);
}

void exception(unsigned vcpu) { slot(vcpu, EventKind::kExceptions)++; }
void interrupt(unsigned vcpu) { slot(vcpu, EventKind::kInterrupts)++; }

constexpr PbCpuEvents kCpuEvents = {abandoned, excepted, exception, interrupt};

}  // namespace

void events_install(unsigned max_vcpus) {
  g.cpus = new Vcpu[max_vcpus];  // for as long as the process lives
  g.cpu_count = max_vcpus;
}

void events_vcpu_started(unsigned vcpu) {
  if (vcpu < g.cpu_count) pb_cpu_view(vcpu, &g.cpus[vcpu].view);
}

void events_translate(qemu_plugin_tb* tb) {
  const uint32_t kinds = g.wanted.load(std::memory_order_acquire);
  if (g.active.load(std::memory_order_relaxed) != kinds) g.active.store(kinds, std::memory_order_relaxed);
  PbX86State s;
  if (kinds == 0 || !pb_running_state(&s)) return;
  const size_t n = qemu_plugin_tb_n_insns(tb);
  // Instructions that run to their end whatever happens count with the next that may not.
  uint64_t begun = 0;
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const InsnClass c = class_of(insn, s.code_bits);
    ++begun;
    if ((kinds & kInstructions) && (!c.quiet || i == n - 1)) {
      add_at_start(insn, EventKind::kInstructions, begun);
      begun = 0;
    }
    instrument(insn, c, c.repeated && !s.single_string, kinds);
  }
}

bool events_prepare() {
  if (!g.slots) {
    g.ram = pb_machine_ram();
    g.slots = qemu_plugin_scoreboard_new(sizeof(Slots));
  }
  return pb_cpu_hook(&kCpuEvents, g.cpu_count);
}

void events_want(uint32_t kinds) {
  kinds &= kInstrumented;
  if (g.wanted.exchange(kinds, std::memory_order_acq_rel) != kinds) pb_retranslate();
}

int events_range(uint64_t low, uint64_t high) {
  const unsigned n = g.range_count.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < n; ++i)
    if (g.ranges[i].low == low && g.ranges[i].high == high) return static_cast<int>(i);
  if (n == kMostRanges) return -1;
  g.ranges[n] = {low, high};
  g.lowest.store(std::min(g.lowest.load(), low));
  g.highest.store(std::max(g.highest.load(), high));
  g.range_count.store(n + 1, std::memory_order_release);
  return static_cast<int>(n);
}

uint64_t events_count(EventKind kind, int range, unsigned vcpu) {
  if (vcpu >= g.cpu_count) return 0;
  return kind == EventKind::kPages ? g.cpus[vcpu].pages[range] : slot(vcpu, kind);
}

size_t events_model_bytes(unsigned vcpus) {
  return vcpus * (cache_state_bytes(&kGeometry) + sizeof(TlbState));
}

void events_use_models(void* memory, unsigned vcpus) {
  auto* at = static_cast<uint8_t*>(memory);
  for (unsigned i = 0; i < vcpus && i < g.cpu_count; ++i) {
    cache_attach(&g.cpus[i].cache, &kGeometry, at);
    at += cache_state_bytes(&kGeometry);
    g.cpus[i].tlb = reinterpret_cast<TlbState*>(at);
    at += sizeof(TlbState);
  }
}

}  // namespace perfboard
