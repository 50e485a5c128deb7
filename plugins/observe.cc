// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/observe.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

extern "C" {
#include <qemu-plugin.h>
}

#include "plugins/cpu_view.h"

namespace {

constexpr uint64_t kPageMask = (uint64_t{1} << PB_PAGE_BITS) - 1;

// What a callback gets to know of its instruction, packed into the user data pointer.
struct InsnTag {
  uint32_t insns_left;  // in the block, after this one
  bool stores_twice;    // TCG stores a probe first (INS), where the processor stores once
  bool pushes_all;      // TCG stores in ascending order (PUSHA), the processor in descending

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

// What the stores of an instruction under way have shown so far, where one store alone does not
// tell what the processor does.
struct Unfinished {
  uint64_t probed = UINT64_MAX;  // where INS has stored its probe
  uint64_t pushed = 0;           // lowest address of PUSHA
  unsigned pushes = 0;
};

struct Observer {
  PbBusObserver bus{};
  bool attached = false;
  std::atomic<PbObserveLevel> level{PB_OBSERVE_NOTHING};
  PbRam ram{};
  std::unique_ptr<std::atomic<uint8_t>[]> marked;  // one for each page of ram
  std::vector<PbCpuView> cpus;                     // by vCPU index; sized once, before vCPUs run
  std::vector<Unfinished> unfinished;              // by vCPU index
};

Observer g_observer;

// Where an access that lies within one page went.
struct Place {
  uint64_t ram_offset;  // into the machine's RAM; >= ram.bytes if elsewhere
  const uint8_t* host;  // nullptr if not memory that can be read back
};

// The vCPU's TLB holds the page: the callback comes right after the access that used or filled the
// entry, and the two pages of an access that crosses never share one.
inline Place place_of(const PbCpuView& cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, bool store) {
  const PbTlbFast& fast = cpu.tlb[info & (PB_MMU_MODES - 1)];
  const auto& entry = *reinterpret_cast<const PbTlbEntry*>(
      reinterpret_cast<uintptr_t>(fast.table) + ((vaddr >> (PB_PAGE_BITS - PB_TLB_ENTRY_BITS)) & fast.mask));
  const uint64_t tag = store ? entry.addr_write : entry.addr_read;
  if (__builtin_expect((tag & (~kPageMask | PB_TLB_INVALID | PB_TLB_MMIO)) == (vaddr & ~kPageMask), 1)) {
    const auto* host = reinterpret_cast<const uint8_t*>(vaddr + entry.addend);
    return {static_cast<uint64_t>(host - g_observer.ram.host), host};
  }
  return {UINT64_MAX, nullptr};
}

uint64_t address_of(uint64_t ram_offset) {
  const PbRam& ram = g_observer.ram;
  return ram_offset < ram.below_4g ? ram_offset : ram_offset - ram.below_4g + (uint64_t{4} << 30);
}

uint64_t time_of(const PbCpuView& cpu, void* udata) {
  return pb_event_time(&cpu, InsnTag::unpack(udata).insns_left);
}

// Not guest RAM: a device's registers or memory. On the bus it is uncached traffic.
__attribute__((noinline)) void elsewhere(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                         bool store, void* udata) {
  if (g_observer.level.load(std::memory_order_relaxed) != PB_OBSERVE_ALL) return;
  PbTarget target;
  if (!pb_target(info, vaddr, &target) || target.in_processor) return;
  const uint64_t now = time_of(g_observer.cpus[vcpu], udata);
  if (store)
    g_observer.bus.write(g_observer.bus.opaque, now, target.addr, nullptr, 1);
  else
    g_observer.bus.read(g_observer.bus.opaque, now, target.addr);
}

// The bytes are handed over where they are, in guest RAM, where the store has just put them: the
// observer reads them under its own lock, so of two vCPUs that store to one word the last to be
// observed has the word's last value; and what a locked operation or a failed cmpxchg has stored
// needs no account of its own.
void mapped_store(unsigned vcpu, void* udata, Place place, unsigned bytes) {
  const uint64_t addr = address_of(place.ram_offset);
  if (g_observer.bus.caches) cache_store(g_observer.bus.caches[vcpu], addr, bytes, true);
  g_observer.bus.write(g_observer.bus.opaque, time_of(g_observer.cpus[vcpu], udata), addr, place.host, bytes);
}

template <bool kAll>
inline void store_in_page(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, unsigned bytes,
                          void* udata) {
  const Place place = place_of(g_observer.cpus[vcpu], info, vaddr, true);
  if (__builtin_expect(place.ram_offset >= g_observer.ram.bytes, 0)) {
    elsewhere(vcpu, info, vaddr, true, udata);
    return;
  }
  if (__builtin_expect(g_observer.marked[place.ram_offset >> PB_PAGE_BITS].load(std::memory_order_relaxed),
                       0)) {
    mapped_store(vcpu, udata, place, bytes);
    return;
  }
  if constexpr (kAll) {
    const uint64_t addr = address_of(place.ram_offset);
    if (!g_observer.bus.caches || cache_store(g_observer.bus.caches[vcpu], addr, bytes, false))
      g_observer.bus.write(g_observer.bus.opaque, time_of(g_observer.cpus[vcpu], udata), addr, nullptr,
                           bytes);
  }
}

template <bool kAll>
inline void store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  const unsigned bytes = 1u << ((info >> 4) & 7);
  const unsigned in_page = static_cast<unsigned>((kPageMask + 1) - (vaddr & kPageMask));
  if (__builtin_expect(bytes > in_page, 0)) {
    store_in_page<kAll>(vcpu, info, vaddr, in_page, udata);
    store_in_page<kAll>(vcpu, info, vaddr + in_page, bytes - in_page, udata);
    return;
  }
  store_in_page<kAll>(vcpu, info, vaddr, bytes, udata);
}

// INS and PUSHA as the processor stores, not as TCG does. A fault in the middle leaves a state
// that the restart, which begins at the first address again, puts right.
template <bool kAll>
__attribute__((noinline)) void peculiar_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                              void* udata) {
  constexpr unsigned kPushes = 8;
  Unfinished& u = g_observer.unfinished[vcpu];
  if (InsnTag::unpack(udata).stores_twice) {
    const bool probe = u.probed != vaddr;
    u.probed = probe ? vaddr : UINT64_MAX;
    if (!probe) store<kAll>(vcpu, info, vaddr, udata);
    return;
  }
  const unsigned bytes = 1u << ((info >> 4) & 7);
  if (u.pushes == 0 || vaddr != u.pushed + u.pushes * bytes) {
    u.pushed = vaddr;
    u.pushes = 0;
  }
  if (++u.pushes < kPushes) return;
  while (u.pushes > 0) store<kAll>(vcpu, info, u.pushed + --u.pushes * bytes, udata);
}

template <bool kAll>
void on_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  if (__builtin_expect(InsnTag::unpack(udata).peculiar(), 0))
    peculiar_store<kAll>(vcpu, info, vaddr, udata);
  else
    store<kAll>(vcpu, info, vaddr, udata);
}

inline void load_in_page(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, unsigned bytes,
                         void* udata) {
  const Place place = place_of(g_observer.cpus[vcpu], info, vaddr, false);
  if (__builtin_expect(place.ram_offset >= g_observer.ram.bytes, 0)) {
    elsewhere(vcpu, info, vaddr, false, udata);
    return;
  }
  const uint64_t addr = address_of(place.ram_offset);
  if (!g_observer.bus.caches || cache_load(g_observer.bus.caches[vcpu], addr, bytes) == CACHE_BUS)
    g_observer.bus.read(g_observer.bus.opaque, time_of(g_observer.cpus[vcpu], udata), addr);
}

void on_load(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  const unsigned bytes = 1u << ((info >> 4) & 7);
  const unsigned in_page = static_cast<unsigned>((kPageMask + 1) - (vaddr & kPageMask));
  if (__builtin_expect(bytes > in_page, 0)) {
    load_in_page(vcpu, info, vaddr, in_page, udata);
    load_in_page(vcpu, info, vaddr + in_page, bytes - in_page, udata);
    return;
  }
  load_in_page(vcpu, info, vaddr, bytes, udata);
}

// The first byte of the opcode.
uint8_t opcode_of(const qemu_plugin_insn* insn) {
  uint8_t code[15];
  const size_t n = qemu_plugin_insn_data(insn, code, sizeof code);
  const auto prefix = [](uint8_t b) {
    return b == 0xf0 || b == 0xf2 || b == 0xf3 || b == 0x66 || b == 0x67 || b == 0x2e || b == 0x36 ||
           b == 0x3e || b == 0x26 || b == 0x64 || b == 0x65;
  };
  size_t i = 0;
  while (i < n && prefix(code[i])) ++i;
  if (i + 1 < n && (code[i] & 0xf0) == 0x40) ++i;  // REX; in 32-bit code INC or DEC, one byte alone
  return i < n ? code[i] : uint8_t{0};
}

// INS: TCG stores a zero first, so that a fault comes before the port is read.
bool is_ins(uint8_t opcode) { return opcode == 0x6c || opcode == 0x6d; }
bool is_pusha(uint8_t opcode) { return opcode == 0x60; }  // no instruction of 64-bit code

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  const PbObserveLevel level = g_observer.level.load(std::memory_order_acquire);
  if (level == PB_OBSERVE_NOTHING) return;
  const size_t n = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const uint8_t opcode = opcode_of(insn);
    void* tag = InsnTag{static_cast<uint32_t>(n - 1 - i), is_ins(opcode), is_pusha(opcode)}.pack();
    if (level == PB_OBSERVE_ALL) {
      qemu_plugin_register_vcpu_mem_cb(insn, on_load, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, tag);
      qemu_plugin_register_vcpu_mem_cb(insn, on_store<true>, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, tag);
    } else {
      qemu_plugin_register_vcpu_mem_cb(insn, on_store<false>, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, tag);
    }
  }
}

void on_vcpu_start(qemu_plugin_id_t, unsigned vcpu) {
  pb_prepare_vcpu(vcpu);
  if (vcpu < g_observer.cpus.size()) pb_cpu_view(vcpu, &g_observer.cpus[vcpu]);
}

}  // namespace

void pb_observe_attach(const PbBusObserver* observer) {
  g_observer.ram = pb_machine_ram();
  const uint64_t pages = (g_observer.ram.bytes + kPageMask) >> PB_PAGE_BITS;
  g_observer.marked = std::make_unique<std::atomic<uint8_t>[]>(pages);
  g_observer.bus = *observer;
  g_observer.attached = true;
}

void pb_observe_level(PbObserveLevel level) {
  if (g_observer.level.exchange(level, std::memory_order_acq_rel) != level) pb_retranslate();
}

void pb_observe_page(uint64_t page, bool marked) {
  if (page < pb_observe_pages()) g_observer.marked[page].store(marked, std::memory_order_relaxed);
}

uint64_t pb_observe_pages(void) {
  return std::min(g_observer.ram.bytes, g_observer.ram.below_4g) >> PB_PAGE_BITS;
}

void pb_observe_install(uint64_t plugin_id, unsigned max_vcpus) {
  g_observer.cpus.resize(max_vcpus);
  g_observer.unfinished.resize(max_vcpus);
  qemu_plugin_register_vcpu_init_cb(plugin_id, on_vcpu_start);
  qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, on_translation);
}
