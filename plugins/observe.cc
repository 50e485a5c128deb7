// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/observe.h"

#include <algorithm>
#include <atomic>

extern "C" {
#include <qemu-plugin.h>
}

#include "plugins/access.h"
#include "plugins/cpu_hooks.h"
#include "plugins/events_count.h"
#include "plugins/isa/isa.h"

using namespace perfboard;

namespace {

// What a callback gets to know of its instruction, packed into the user data pointer.
struct InsnTag {
  uint32_t insns_left;  // in the block, after this one
  bool stores_twice;    // StoreOrder::kProbesFirst
  bool pushes_all;      // StoreOrder::kDescending

  bool peculiar() const { return stores_twice || pushes_all; }
  void* pack() const {
    return reinterpret_cast<void*>(uintptr_t{insns_left} << 2 | uintptr_t{pushes_all} << 1 |
                                   uintptr_t{stores_twice});
  }
  static InsnTag unpack(void* p) {
    const auto bits = reinterpret_cast<uintptr_t>(p);
    return {static_cast<uint32_t>(bits >> 2), (bits & 1) != 0, (bits & 2) != 0};
  }
};

// Of an INS or PUSHA under way: what its stores have shown so far. One store alone does not tell what the
// processor stores.
struct Unfinished {
  uint64_t probed = UINT64_MAX;  // where INS has stored its probe
  uint64_t pushed = 0;           // lowest address of PUSHA
  unsigned pushes = 0;
};

// One vCPU's, on cache lines of its own.
struct alignas(64) Vcpu {
  PbCpuView view{};
  CacheNode* cache = nullptr;
  // Bus cycles that were only counted (PbBusObserver::awaits), ever; its own thread adds.
  std::atomic<uint64_t> reads{0}, writes{0};
  Unfinished unfinished;
};

// What is observed; a block is translated for one of them.
enum class Path {
  kStores,  // stores to marked pages
  kAll,     // every load and store, each on the bus
  kCached,  // every load and store, through the caches
};

// Plain arrays: the fast paths run some hundred million times a second.
struct Observer {
  Vcpu* cpus = nullptr;  // by vCPU index; made once, before vCPUs run
  unsigned cpu_count = 0;
  const Isa* isa = nullptr;
  PbBusObserver bus{};
  PbRam ram{};
  std::atomic<uint8_t>* marked = nullptr;  // one for each page of ram
  std::atomic<PbObserveLevel> level{PB_OBSERVE_NOTHING};
  uint64_t reads_taken = 0, writes_taken = 0;
};

Observer g_observer;

// For the fast paths: how many marked pages share the low 16 bits of their page number in the host. 0: the
// page is not marked; more: it may be. There is no size to look up, and there are no bounds to check.
std::atomic<uint16_t> g_maybe_marked[1 << 16];

inline std::atomic<uint16_t>& maybe_marked(const uint8_t* host) {
  return g_maybe_marked[static_cast<uint16_t>(reinterpret_cast<uintptr_t>(host) >> PB_PAGE_BITS)];
}

uint64_t time_of(const Vcpu& cpu, void* udata) {
  return pb_event_time(&cpu.view, InsnTag::unpack(udata).insns_left);
}

inline bool awaited() {
  return __builtin_expect(__atomic_load_n(g_observer.bus.awaits, __ATOMIC_RELAXED), 0);
}

inline void count(std::atomic<uint64_t>& n) {
  n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void bus_read(Vcpu& cpu, uint64_t addr, void* udata) {
  if (awaited())
    g_observer.bus.read(g_observer.bus.opaque, time_of(cpu, udata), addr);
  else
    count(cpu.reads);
}

void bus_write(Vcpu& cpu, uint64_t addr, unsigned bytes, void* udata) {
  if (awaited())
    g_observer.bus.write(g_observer.bus.opaque, time_of(cpu, udata), addr, nullptr, bytes);
  else
    count(cpu.writes);
}

// Not guest RAM: a device's registers or memory. On the bus it is uncached traffic.
template <Path kPath>
void elsewhere(Vcpu& cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, bool store, void* udata) {
  if (kPath == Path::kStores) return;
  PbTarget target;
  if (!pb_target(info, vaddr, &target) || target.in_processor) return;
  if (store)
    bus_write(cpu, target.addr, 1, udata);
  else
    bus_read(cpu, target.addr, udata);
}

// The observer gets the place in guest RAM where the store has just put the bytes, and reads them there under
// its own lock. So if two vCPUs store to one word, the store that is observed last shows the word's last
// value. What a locked operation or a failed cmpxchg has stored is read in the same way.
void mapped_store(Vcpu& cpu, void* udata, Place place, unsigned bytes) {
  const uint64_t addr = address_of(g_observer.ram, place.ram_offset);
  if (cpu.cache) cache_store(cpu.cache, addr, bytes, true);
  g_observer.bus.write(g_observer.bus.opaque, time_of(cpu, udata), addr, place.host, bytes);
}

template <Path kPath>
void store_in_page(Vcpu& cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, unsigned bytes, void* udata) {
  const Place place = place_of(cpu.view, g_observer.ram, info, vaddr, true);
  if (place.ram_offset >= g_observer.ram.bytes) return elsewhere<kPath>(cpu, info, vaddr, true, udata);
  if (g_observer.marked[place.ram_offset >> PB_PAGE_BITS].load(std::memory_order_relaxed)) {
    mapped_store(cpu, udata, place, bytes);
    return;
  }
  if constexpr (kPath != Path::kStores) {
    const uint64_t addr = address_of(g_observer.ram, place.ram_offset);
    if (kPath == Path::kAll || cache_store(cpu.cache, addr, bytes, false)) bus_write(cpu, addr, bytes, udata);
  }
}

template <Path kPath>
void load_in_page(Vcpu& cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, unsigned bytes, void* udata) {
  const Place place = place_of(cpu.view, g_observer.ram, info, vaddr, false);
  if (place.ram_offset >= g_observer.ram.bytes) return elsewhere<kPath>(cpu, info, vaddr, false, udata);
  const uint64_t addr = address_of(g_observer.ram, place.ram_offset);
  if (kPath == Path::kAll || cache_load(cpu.cache, addr, bytes) == CACHE_BUS) bus_read(cpu, addr, udata);
}

// store() and load() take any access. The fast paths leave to them what is not plain.
template <Path kPath>
__attribute__((noinline)) void store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g_observer.cpus[vcpu];
  const unsigned bytes = bytes_of(info);
  const unsigned in_page = static_cast<unsigned>((kPageMask + 1) - (vaddr & kPageMask));
  store_in_page<kPath>(cpu, info, vaddr, std::min(bytes, in_page), udata);
  if (bytes > in_page) store_in_page<kPath>(cpu, info, vaddr + in_page, bytes - in_page, udata);
}

template <Path kPath>
__attribute__((noinline)) void load(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g_observer.cpus[vcpu];
  const unsigned bytes = bytes_of(info);
  const unsigned in_page = static_cast<unsigned>((kPageMask + 1) - (vaddr & kPageMask));
  load_in_page<kPath>(cpu, info, vaddr, std::min(bytes, in_page), udata);
  if (bytes > in_page) load_in_page<kPath>(cpu, info, vaddr + in_page, bytes - in_page, udata);
}

// What StoreOrder tells of (x86's INS and PUSHA) as the processor stores, not as TCG does. After a fault in
// the middle the instruction restarts at its first address, and that puts `unfinished` right.
template <Path kPath>
void on_peculiar_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Unfinished& u = g_observer.cpus[vcpu].unfinished;
  if (InsnTag::unpack(udata).stores_twice) {
    const bool probe = u.probed != vaddr;
    u.probed = probe ? vaddr : UINT64_MAX;
    if (!probe) store<kPath>(vcpu, info, vaddr, udata);
    return;
  }
  const unsigned bytes = bytes_of(info);
  if (u.pushes == 0 || vaddr != u.pushed + u.pushes * bytes) {
    u.pushed = vaddr;
    u.pushes = 0;
  }
  if (++u.pushes < kDescendingStores) return;
  while (u.pushes > 0) store<kPath>(vcpu, info, u.pushed + --u.pushes * bytes, udata);
}

// Whether an access to the RAM at host hits level 1; false if it is not RAM below 4 GiB.
template <bool (*kHits)(CacheNode*, uint64_t, uint32_t)>
inline bool hits(const Vcpu& cpu, const uint8_t* host, qemu_plugin_meminfo_t info) {
  const auto offset = static_cast<uint64_t>(host - g_observer.ram.host);
  return offset < g_observer.ram.below_4g && kHits(cpu.cache, offset, bytes_of(info));
}

template <Path kPath>
void on_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g_observer.cpus[vcpu];
  const PbTlbEntry& entry = entry_of(cpu.view, info, vaddr);
  const uint8_t* host = host_of(entry, vaddr);
  if (!plain(entry.addr_write, vaddr) ||
      __builtin_expect(maybe_marked(host).load(std::memory_order_relaxed), 0) ||
      (kPath == Path::kAll && awaited()) ||
      (kPath == Path::kCached && !hits<cache_store_hits>(cpu, host, info)))
    return store<kPath>(vcpu, info, vaddr, udata);
  if constexpr (kPath == Path::kAll) count(cpu.writes);
}

template <Path kPath>
void on_load(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g_observer.cpus[vcpu];
  const PbTlbEntry& entry = entry_of(cpu.view, info, vaddr);
  if (!plain(entry.addr_read, vaddr) || (kPath == Path::kAll && awaited()) ||
      (kPath == Path::kCached && !hits<cache_load_hits>(cpu, host_of(entry, vaddr), info)))
    return load<kPath>(vcpu, info, vaddr, udata);
  if constexpr (kPath == Path::kAll) count(cpu.reads);
}

StoreOrder store_order(const qemu_plugin_insn* insn) {
  uint8_t code[15];
  const size_t n = qemu_plugin_insn_data(insn, code, sizeof code);
  return g_observer.isa->store_order(code, n);
}

template <Path kPath>
void instrument(qemu_plugin_insn* insn, InsnTag tag) {
  qemu_plugin_register_vcpu_mem_cb(insn, tag.peculiar() ? on_peculiar_store<kPath> : on_store<kPath>,
                                   QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, tag.pack());
  if constexpr (kPath != Path::kStores)
    qemu_plugin_register_vcpu_mem_cb(insn, on_load<kPath>, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R,
                                     tag.pack());
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  events_translate(tb);
  const PbObserveLevel level = g_observer.level.load(std::memory_order_acquire);
  if (level == PB_OBSERVE_NOTHING) return;
  const size_t n = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const StoreOrder order = store_order(insn);
    const InsnTag tag{static_cast<uint32_t>(n - 1 - i), order == StoreOrder::kProbesFirst,
                      order == StoreOrder::kDescending};
    if (level == PB_OBSERVE_STORES)
      instrument<Path::kStores>(insn, tag);
    else if (g_observer.bus.caches)
      instrument<Path::kCached>(insn, tag);
    else
      instrument<Path::kAll>(insn, tag);
  }
}

void on_vcpu_start(qemu_plugin_id_t, unsigned vcpu) {
  pb_prepare_vcpu(vcpu);
  events_vcpu_started(vcpu);
  if (vcpu < g_observer.cpu_count) pb_cpu_view(vcpu, &g_observer.cpus[vcpu].view);
}

}  // namespace

void pb_observe_attach(const PbBusObserver* observer) {
  g_observer.isa = isa_named(pb_cpu_isa());
  g_observer.ram = pb_machine_ram();
  const uint64_t pages = (g_observer.ram.bytes + kPageMask) >> PB_PAGE_BITS;
  g_observer.marked = new std::atomic<uint8_t>[pages]();  // for as long as the process lives
  g_observer.bus = *observer;
  for (unsigned i = 0; observer->caches && i < observer->cpus && i < g_observer.cpu_count; ++i)
    g_observer.cpus[i].cache = observer->caches[i];
}

void pb_observe_level(PbObserveLevel level) {
  if (g_observer.level.exchange(level, std::memory_order_acq_rel) != level) pb_retranslate();
}

void pb_observe_page(uint64_t page, bool marked) {
  if (page >= pb_observe_pages()) return;
  const bool before = g_observer.marked[page].exchange(marked, std::memory_order_relaxed);
  if (marked == before) return;
  std::atomic<uint16_t>& maybe = maybe_marked(g_observer.ram.host + (page << PB_PAGE_BITS));
  maybe.fetch_add(static_cast<uint16_t>(marked ? 1 : -1), std::memory_order_relaxed);
}

uint64_t pb_observe_pages(void) {
  return std::min(g_observer.ram.bytes, g_observer.ram.below_4g) >> PB_PAGE_BITS;
}

PbBusCounts pb_observe_take_counts(void) {
  uint64_t reads = 0, writes = 0;
  for (unsigned i = 0; i < g_observer.cpu_count; ++i) {
    reads += g_observer.cpus[i].reads.load(std::memory_order_relaxed);
    writes += g_observer.cpus[i].writes.load(std::memory_order_relaxed);
  }
  const PbBusCounts fresh = {reads - g_observer.reads_taken, writes - g_observer.writes_taken};
  g_observer.reads_taken = reads;
  g_observer.writes_taken = writes;
  return fresh;
}

void pb_observe_install(uint64_t plugin_id, unsigned max_vcpus) {
  g_observer.cpus = new Vcpu[max_vcpus];  // for as long as the process lives
  g_observer.cpu_count = max_vcpus;
  events_install(plugin_id, max_vcpus);
  qemu_plugin_register_vcpu_init_cb(plugin_id, on_vcpu_start);
  qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, on_translation);
}
