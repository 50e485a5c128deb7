// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "plugins/access.h"
#include "plugins/cpu_hooks.h"
#include "plugins/events_state.h"

namespace perfboard {
namespace {

// With translation off there are no misses. Where no instruction told that the address space has changed
// (x86's task switch), that is noticed at the next miss.
bool misses_tlb(Vcpu& cpu, uint64_t page) {
  if (!tlb_has(cpu.tlb, page)) {
    uint64_t space;
    if (!pb_address_space(cpu.view.cpu, &space)) return false;
    if (space != cpu.tlb->cr3) {
      tlb_reset(cpu.tlb);
      cpu.tlb->cr3 = space;
    }
  }
  return !tlb_use(cpu.tlb, page);
}

// Which ranges the bytes touch, a bit for each.
uint64_t touched(uint64_t addr, unsigned bytes) {
  uint64_t mask = 0;
  const unsigned n = g_events.range_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < n; ++i)
    if (addr <= g_events.ranges[i].high && addr + bytes - 1 >= g_events.ranges[i].low)
      mask |= uint64_t{1} << i;
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
  const Place place = place_of(cpu.view, g_events.ram, info, vaddr, store);
  const bool in_ram = place.ram_offset < g_events.ram.bytes;
  uint64_t addr = 0;
  if (in_ram) {
    addr = address_of(g_events.ram, place.ram_offset);
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
    cpu.pages[privileged_of(note)][i]++;
    if (note & kNoteSeveral) cpu.tried_pages[i]++;
  }
}

// Any access. on_access(), the fast path, leaves to it what is not plain.
template <uint32_t kWhat>
__attribute__((noinline)) void access(unsigned vcpu, uint32_t info, uint64_t vaddr, bool store,
                                      uintptr_t note) {
  Vcpu& cpu = g_events.cpus[vcpu];
  const unsigned bytes = bytes_of(info);
  const unsigned in_page = static_cast<unsigned>(kPageMask + 1 - (vaddr & kPageMask));
  Found found;
  look<kWhat>(cpu, info, vaddr, std::min(bytes, in_page), store, found);
  if (bytes > in_page) look<kWhat>(cpu, info, vaddr + in_page, bytes - in_page, store, found);
  if (found.cache_miss) slot(vcpu, privileged_of(note), EventKind::kDcacheMisses)++;
  if (found.tlb_miss) slot(vcpu, privileged_of(note), EventKind::kTlbMisses)++;
  count_ranges(cpu, found.ranges, note);
  // This access ends an iteration, which is not taken back any more.
  if ((note & kNoteRepeats) && (store || (note & kNoteHalves && !cpu.halfway)))
    std::fill_n(cpu.tried_pages, g_events.range_count.load(std::memory_order_relaxed), 0u);
}

template <uint32_t kWhat, bool kStore>
void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g_events.cpus[vcpu];
  const PbTlbEntry& entry = entry_of(cpu.view, info, vaddr);
  const auto offset = static_cast<uint64_t>(host_of(entry, vaddr) - g_events.ram.host);
  const auto beside = [&] {  // all ranges
    return offset + 15 < g_events.lowest.load(std::memory_order_relaxed) ||
           offset > g_events.highest.load(std::memory_order_relaxed);
  };
  const auto cached = [&] {
    return kStore ? cache_store_hits(&cpu.cache, offset, bytes_of(info))
                  : cache_load_hits(&cpu.cache, offset, bytes_of(info));
  };
  constexpr bool kPlaces = (kWhat & (kCache | kPages)) != 0;
  const uint64_t page = vaddr >> PB_PAGE_BITS;
  if ((note_of(udata) & kNoteLongWay) || !plain(kStore ? entry.addr_write : entry.addr_read, vaddr) ||
      ((kWhat & kTlb) && cpu.tlb->entry[page % TLB_SETS][0] != page + 1) ||
      (kPlaces && offset >= g_events.ram.below_4g) || ((kWhat & kPages) && !beside()) ||
      ((kWhat & kCache) && !cached()))
    access<kWhat>(vcpu, info, vaddr, kStore, note_of(udata));
}

template <uint32_t kWhat>
constexpr Callbacks callbacks_for() {
  return {on_access<kWhat, false>, on_access<kWhat, true>, access<kWhat>};
}

}  // namespace

// A function for each combination, so that none looks for what is not wanted.
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

}  // namespace perfboard
