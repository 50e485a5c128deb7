// SPDX-License-Identifier: GPL-2.0-or-later
//
// Access - where the access of a memory callback went, by the vCPU's own softmmu TLB (port.h).
//
// For the callbacks of pass.cc, which run some hundred million times a second.
#ifndef PERFBOARD_PLUGINS_ACCESS_H
#define PERFBOARD_PLUGINS_ACCESS_H

#include <cstdint>

#include "plugins/isa/pieces.h"
#include "plugins/machine.h"

namespace perfboard {

inline constexpr uint64_t kPageMask = (uint64_t{1} << PB_PAGE_BITS) - 1;

inline unsigned mmu_mode_of(uint32_t info) { return info & ((1u << PB_INFO_MODE_BITS) - 1); }
inline unsigned bytes_of(uint32_t info) { return 1u << ((info >> PB_INFO_MODE_BITS) & 7); }

inline const PbTlbFast& table_of(const PbCpuView& view, unsigned mode) {
  return view.tlb[PB_TLB_TABLE(mode)];
}

inline uint32_t with_size(uint32_t info, unsigned log2_bytes) {
  return (info & ~(7u << PB_INFO_MODE_BITS)) | log2_bytes << PB_INFO_MODE_BITS;
}

// The entry is the page's: the callback comes right after the access that used or filled it. The two pages of
// an access that crosses pages never share an entry.
inline const PbTlbEntry& entry_of(const PbCpuView& view, uint32_t info, uint64_t vaddr) {
  const PbTlbFast& fast = table_of(view, mmu_mode_of(info));
  return *reinterpret_cast<const PbTlbEntry*>(reinterpret_cast<uintptr_t>(fast.table) +
                                              ((vaddr >> (PB_PAGE_BITS - PB_TLB_ENTRY_BITS)) & fast.mask));
}

// True of most accesses, which the fast paths take: the page's tag carries no flag, and the access cannot
// cross the page's end, since none has more than 16 bytes.
inline bool plain(uint64_t tag, uint64_t vaddr) {
  return __builtin_expect(((vaddr + 15) & ~kPageMask) == tag, 1);
}

inline const uint8_t* host_of(const PbTlbEntry& entry, uint64_t vaddr) {
  return reinterpret_cast<const uint8_t*>(vaddr + entry.addend);
}

inline bool is_device(const PbCpuView& view, unsigned mode, const PbTlbEntry& entry, bool store) {
  return PB_TLB_IS_DEVICE(
      store ? entry.addr_write : entry.addr_read,
      pb_machine.tlb_slow_flags(&view, mode, static_cast<uintptr_t>(&entry - table_of(view, mode).table),
                                store));
}

// Where an access that lies within one page went.
struct Place {
  uint64_t addr;        // guest-physical
  const uint8_t* host;  // nullptr: not memory that can be read back, a device
  uintptr_t entry;      // its index in the table of the MMU mode
};

// False: the TLB does not know the page, as when a translation is good for one access only.
inline bool place_of(const PbCpuView& view, uint32_t info, uint64_t vaddr, bool store, Place& place) {
  const PbTlbFast& fast = table_of(view, mmu_mode_of(info));
  const PbTlbEntry& entry = entry_of(view, info, vaddr);
  const uint64_t tag = store ? entry.addr_write : entry.addr_read;
  if ((tag & (~kPageMask | PB_TLB_INVALID)) != (vaddr & ~kPageMask)) return false;
  place.entry = static_cast<uintptr_t>(&entry - fast.table);
  place.addr = pb_machine.tlb_phys(&view, mmu_mode_of(info), place.entry) | (vaddr & kPageMask);
  place.host = is_device(view, mmu_mode_of(info), entry, store) ? nullptr : host_of(entry, vaddr);
  return true;
}

// An instruction with Pieces begins. packed: them.
inline void begin_pieces(Pieced& pieced, void* cpu, void* packed) {
  constexpr unsigned kXmm0 = 32;  // of cpu_float()
  const Pieces pieces = Pieces::unpack(packed);
  uint64_t mask[4] = {};
  if (pieces.halves) pb_machine.cpu_float(cpu, kXmm0 + pieces.mask, mask);
  pieced.begin(pieces, mask);
}

// The piece that holds a host address, or nullptr.
inline const PbRamPiece* piece_of_host(const PbRamMap& map, const uint8_t* host) {
  for (uint32_t i = 0; i < map.count; ++i)
    if (static_cast<uint64_t>(host - map.piece[i].host) < map.piece[i].bytes) return &map.piece[i];
  return nullptr;
}

// The piece that holds a guest-physical address, or nullptr.
inline const PbRamPiece* piece_of_addr(const PbRamMap& map, uint64_t addr) {
  const PbRamPiece* found = nullptr;
  for (uint32_t i = 0; i < map.count; ++i) {
    const PbRamPiece& p = map.piece[i];
    if (addr - p.addr < p.bytes && (!found || p.bytes < found->bytes)) found = &p;
  }
  return found;
}

}  // namespace perfboard
#endif
