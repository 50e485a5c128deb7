// SPDX-License-Identifier: GPL-2.0-or-later
//
// Access - where the access of a memory callback went, by the vCPU's own softmmu TLB (cpu_view.h).
//
// For the callbacks of observe.cc and events_count.cc, which run some hundred million times a second.
#ifndef PERFBOARD_PLUGINS_ACCESS_H
#define PERFBOARD_PLUGINS_ACCESS_H

#include <cstdint>

#include "plugins/cpu_view.h"

namespace perfboard {

inline constexpr uint64_t kPageMask = (uint64_t{1} << PB_PAGE_BITS) - 1;

// The entry is the page's: the callback comes right after the access that used or filled it. The two pages of an access
// that crosses pages never share an entry.
inline const PbTlbEntry& entry_of(const PbCpuView& view, uint32_t info, uint64_t vaddr) {
  const PbTlbFast& fast = view.tlb[info & (PB_MMU_MODES - 1)];
  return *reinterpret_cast<const PbTlbEntry*>(reinterpret_cast<uintptr_t>(fast.table) +
                                              ((vaddr >> (PB_PAGE_BITS - PB_TLB_ENTRY_BITS)) & fast.mask));
}

// True of most accesses, which the fast paths take: the page's tag carries no flag, and the access cannot cross the
// page's end, since none has more than 16 bytes.
inline bool plain(uint64_t tag, uint64_t vaddr) {
  return __builtin_expect(((vaddr + 15) & ~kPageMask) == tag, 1);
}

inline const uint8_t* host_of(const PbTlbEntry& entry, uint64_t vaddr) {
  return reinterpret_cast<const uint8_t*>(vaddr + entry.addend);
}

inline unsigned bytes_of(uint32_t info) { return 1u << ((info >> 4) & 7); }

// Where an access that lies within one page went.
struct Place {
  uint64_t ram_offset;  // into the machine's RAM; >= ram.bytes if elsewhere
  const uint8_t* host;  // nullptr if not memory that can be read back
};

inline Place place_of(const PbCpuView& view, const PbRam& ram, uint32_t info, uint64_t vaddr, bool store) {
  const PbTlbEntry& entry = entry_of(view, info, vaddr);
  const uint64_t tag = store ? entry.addr_write : entry.addr_read;
  if ((tag & (~kPageMask | PB_TLB_INVALID | PB_TLB_MMIO)) == (vaddr & ~kPageMask)) {
    const uint8_t* host = host_of(entry, vaddr);
    return {static_cast<uint64_t>(host - ram.host), host};
  }
  return {UINT64_MAX, nullptr};
}

inline uint64_t address_of(const PbRam& ram, uint64_t ram_offset) {
  return ram_offset < ram.below_4g ? ram_offset : ram_offset - ram.below_4g + (uint64_t{4} << 30);
}

}  // namespace perfboard
#endif
