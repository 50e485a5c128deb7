// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/observe.h"

#include <algorithm>
#include <atomic>
#include <cstring>
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
  uint32_t insns_left;   // in the block, after this one
  bool value_in_memory;  // what is stored is not what the access reports: read it back
  bool stores_twice;     // TCG stores a probe first (INS), where the processor stores once
  bool pushes_all;       // TCG stores in ascending order (PUSHA), the processor in descending

  bool peculiar() const { return stores_twice || pushes_all; }
  void* pack() const {
    return reinterpret_cast<void*>(uintptr_t{insns_left} << 3 | uintptr_t{pushes_all} << 2 |
                                   uintptr_t{stores_twice} << 1 | uintptr_t{value_in_memory});
  }
  static InsnTag unpack(void* p) {
    const auto bits = reinterpret_cast<uintptr_t>(p);
    return {static_cast<uint32_t>(bits >> 3), (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
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

// The vCPU's TLB holds the page: the access has just used it. An entry that a colliding page
// has replaced since (a helper with many accesses) is found by the API instead.
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

// A page that the fast path does not know: a device's, or memory of a device, or guest RAM whose
// TLB entry is gone. Returns the offset if it was guest RAM after all.
__attribute__((noinline)) uint64_t elsewhere(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                             bool store, void* udata) {
  bool on_bus = false;
  const uint64_t addr = pb_device_address(info, vaddr, &on_bus);
  const PbRam& ram = g_observer.ram;
  qemu_plugin_hwaddr* hw = qemu_plugin_get_hwaddr(info, vaddr);
  if (hw && !qemu_plugin_hwaddr_is_io(hw)) {
    const uint64_t offset = addr < ram.below_4g           ? addr
                            : addr >= (uint64_t{4} << 30) ? addr - (uint64_t{4} << 30) + ram.below_4g
                                                          : UINT64_MAX;
    if (offset < ram.bytes) return offset;
  }
  if (!on_bus || g_observer.level.load(std::memory_order_relaxed) != PB_OBSERVE_ALL) return UINT64_MAX;
  const PbCpuView& cpu = g_observer.cpus[vcpu];
  const uint8_t nothing[1] = {0};
  if (store)
    g_observer.bus.write(g_observer.bus.opaque, time_of(cpu, udata), addr, nothing, 1);
  else
    g_observer.bus.read(g_observer.bus.opaque, time_of(cpu, udata), addr);
  return UINT64_MAX;
}

// The bytes that went to memory, in memory order. Each callback is one access of 1..16 bytes.
void stored_bytes(const PbCpuView& cpu, qemu_plugin_meminfo_t info, unsigned bytes, uint8_t* out) {
  std::memcpy(out, cpu.value, bytes);
  if (qemu_plugin_mem_is_big_endian(info)) std::reverse(out, out + bytes);
}

void mapped_store(unsigned vcpu, qemu_plugin_meminfo_t info, void* udata, Place place, unsigned first,
                  unsigned bytes, unsigned whole) {
  const PbCpuView& cpu = g_observer.cpus[vcpu];
  uint8_t data[16];
  if (InsnTag::unpack(udata).value_in_memory && place.host) {
    std::memcpy(data, place.host, bytes);
  } else {
    stored_bytes(cpu, info, whole, data);
    std::memmove(data, data + first, bytes);
  }
  const uint64_t addr = address_of(place.ram_offset);
  if (g_observer.bus.caches) cache_store(g_observer.bus.caches[vcpu], addr, bytes, true);
  g_observer.bus.write(g_observer.bus.opaque, time_of(cpu, udata), addr, data, bytes);
}

template <bool kAll>
inline void store_in_page(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata,
                          unsigned first, unsigned bytes, unsigned whole) {
  Place place = place_of(g_observer.cpus[vcpu], info, vaddr, true);
  if (__builtin_expect(place.ram_offset >= g_observer.ram.bytes, 0)) {
    place = {elsewhere(vcpu, info, vaddr, true, udata), nullptr};
    if (place.ram_offset == UINT64_MAX) return;
    place.host = g_observer.ram.host + place.ram_offset;
  }
  if (__builtin_expect(g_observer.marked[place.ram_offset >> PB_PAGE_BITS].load(std::memory_order_relaxed),
                       0)) {
    mapped_store(vcpu, info, udata, place, first, bytes, whole);
    return;
  }
  if constexpr (kAll) {
    const uint64_t addr = address_of(place.ram_offset);
    if (!g_observer.bus.caches || cache_store(g_observer.bus.caches[vcpu], addr, bytes, false)) {
      const uint8_t nothing[1] = {0};  // an unmapped page: only that there was a write matters
      g_observer.bus.write(g_observer.bus.opaque, time_of(g_observer.cpus[vcpu], udata), addr, nothing, 1);
    }
  }
}

template <bool kAll>
inline void store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  const unsigned bytes = 1u << ((info >> 4) & 7);
  const unsigned in_page = static_cast<unsigned>((kPageMask + 1) - (vaddr & kPageMask));
  if (__builtin_expect(bytes > in_page, 0)) {
    store_in_page<kAll>(vcpu, info, vaddr, udata, 0, in_page, bytes);
    store_in_page<kAll>(vcpu, info, vaddr + in_page, udata, in_page, bytes - in_page, bytes);
    return;
  }
  store_in_page<kAll>(vcpu, info, vaddr, udata, 0, bytes, bytes);
}

// INS and PUSHA as the processor stores, not as TCG does. A fault in the middle leaves a state
// that the restart, which begins at the first address again, puts right.
template <bool kAll>
__attribute__((noinline)) void peculiar_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                              void* udata) {
  constexpr unsigned kPushes = 8;
  Unfinished& u = g_observer.unfinished[vcpu];
  InsnTag tag = InsnTag::unpack(udata);
  if (tag.stores_twice) {
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
  tag.value_in_memory = true;  // all eight are there by now; the last access reports its own only
  while (u.pushes > 0) store<kAll>(vcpu, info, u.pushed + --u.pushes * bytes, tag.pack());
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
  Place place = place_of(g_observer.cpus[vcpu], info, vaddr, false);
  if (__builtin_expect(place.ram_offset >= g_observer.ram.bytes, 0)) {
    place.ram_offset = elsewhere(vcpu, info, vaddr, false, udata);
    if (place.ram_offset == UINT64_MAX) return;
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

struct Opcode {
  uint8_t first = 0, second = 0;  // after the prefixes
  bool lock = false;
};

Opcode opcode_of(const qemu_plugin_insn* insn) {
  uint8_t code[15];
  const size_t n = qemu_plugin_insn_data(insn, code, sizeof code);
  const auto prefix = [](uint8_t b) {
    return b == 0xf0 || b == 0xf2 || b == 0xf3 || b == 0x66 || b == 0x67 || b == 0x2e || b == 0x36 ||
           b == 0x3e || b == 0x26 || b == 0x64 || b == 0x65;
  };
  Opcode op;
  size_t i = 0;
  for (; i < n && prefix(code[i]); ++i) op.lock |= code[i] == 0xf0;
  if (i + 1 < n && (code[i] & 0xf0) == 0x40) ++i;  // REX; in 32-bit code INC or DEC, one byte alone
  if (i < n) op.first = code[i];
  if (i + 1 < n) op.second = code[i + 1];
  return op;
}

// Operations that TCG hands to the host as one atomic operation when vCPUs run in parallel: the
// access then reports the operand, not what is in memory afterwards. And the cmpxchg family: a
// comparison that fails writes the old value back.
bool reads_back(Opcode op) {
  const bool xchg = op.first == 0x86 || op.first == 0x87;
  const bool cmpxchg = op.first == 0x0f && (op.second == 0xb0 || op.second == 0xb1 || op.second == 0xc7);
  return op.lock || xchg || cmpxchg;
}

// INS: TCG stores a zero first, so that a fault comes before the port is read.
bool is_ins(Opcode op) { return op.first == 0x6c || op.first == 0x6d; }

bool is_pusha(Opcode op) { return op.first == 0x60; }  // no instruction of 64-bit code

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  const PbObserveLevel level = g_observer.level.load(std::memory_order_acquire);
  if (level == PB_OBSERVE_NOTHING) return;
  const size_t n = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i < n; ++i) {
    qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const Opcode op = opcode_of(insn);
    void* tag = InsnTag{static_cast<uint32_t>(n - 1 - i), reads_back(op), is_ins(op), is_pusha(op)}.pack();
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
