// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pass - the one pass over an access: by a callback on each load and store of an instruction, where the
// access went, what the models make of it, which taps hear of it, which ranges it touches.
//
//   pass_taken_back(vcpu, privileged);  the instruction under way did not come to its end: its accesses do not count in ranges
#ifndef PERFBOARD_PLUGINS_PASS_H
#define PERFBOARD_PLUGINS_PASS_H

#include <cstddef>
#include <cstdint>

namespace perfboard {

// What a callback gets to know of its instruction, packed into the user data pointer.
struct PassTag {
  uint32_t insns_left = 0;  // in the block, after this one
  bool privileged = false;  // the block
  bool locked = false;      // Quirks'
  // StoreOrder (isa.h).
  bool probes = false, reverses = false;
  // For ranges, which must take back what an instruction did that does not come to its end.
  bool several = false;  // it may make several accesses, and be given up in between
  // it makes many iterations in one block: what one has done is not taken back any more
  bool repeats = false;
  bool halves = false;  // each second load ends an iteration
  bool pieces = false;  // Quirks'

  bool peculiar() const { return probes || reverses || several || pieces; }
  void* pack() const {
    return reinterpret_cast<void*>(uintptr_t{insns_left} << 8 | uintptr_t{pieces} << 7 |
                                   uintptr_t{locked} << 6 | uintptr_t{privileged} << 5 |
                                   uintptr_t{halves} << 4 | uintptr_t{repeats} << 3 |
                                   uintptr_t{several} << 2 | uintptr_t{reverses} << 1 | uintptr_t{probes});
  }
  static bool is_privileged(void* p) { return (reinterpret_cast<uintptr_t>(p) >> 5 & 1) != 0; }
  static PassTag unpack(void* p) {
    const auto bits = reinterpret_cast<uintptr_t>(p);
    const auto bit = [&](unsigned n) { return (bits >> n & 1) != 0; };
    return {static_cast<uint32_t>(bits >> 8), bit(5), bit(6), bit(0), bit(1), bit(2), bit(3), bit(4), bit(7)};
  }
};

// Who hears of each miss of a model, if there is somebody; that changes while no vCPU runs. of: the vCPU's
// part of the model (Modelled). insns_left: as in PassTag.
enum class Missed : uint8_t { kDcacheLoads, kDcacheStores, kDtlb, kIcache, kItlb };
using OnMiss = void (*)(Missed what, const void* of, unsigned vcpu, bool privileged, uint32_t insns_left);
extern OnMiss g_on_miss;
// Of a fetch of these bytes, whose address is as far into a page as the virtual one.
using OnFetchMiss = void (*)(Missed what, const void* of, unsigned vcpu, bool privileged, uint64_t begin,
                             uint64_t bytes);
extern OnFetchMiss g_on_fetch_miss;

// A callback as the plugin API has it.
using AccessCallback = void (*)(unsigned vcpu, uint32_t info, uint64_t vaddr, void* udata);
// Those for these features (layer.h); nullptr: none is needed. peculiar: for an instruction whose tag says
// so.
AccessCallback pass_store_callback(uint32_t features, bool peculiar);
AccessCallback pass_load_callback(uint32_t features, bool peculiar);
// An instruction with a peculiar tag begins. udata: its Pieces, or nullptr.
void pass_begin(unsigned vcpu, void* udata);
// A block's instructions are fetched from these bytes of the machine's memory. They lie in one page.
void pass_fetch(unsigned vcpu, uint64_t addr, unsigned bytes, bool privileged);
// The same for the instruction TLB; page: virtual.
void pass_fetch_page(unsigned vcpu, uint64_t page, bool privileged);
void pass_taken_back(unsigned vcpu, bool privileged);
void pass_torn(unsigned vcpu, bool privileged);  // the access of the newest piece faults
// A processor's own accesses while it delivers an exception or interrupt (PbMachine::cpu_own_accesses()):
// taps hear of them at their pages. Counts, models and ranges are of instructions.
void pass_own_load(unsigned vcpu, uint32_t info, uint64_t vaddr, void* udata);
void pass_own_store(unsigned vcpu, uint32_t info, uint64_t vaddr, void* udata);
// Before what empties write-combining buffers. insns_left: as in PassTag.
void pass_drain(unsigned vcpu, uint32_t insns_left);

}  // namespace perfboard
#endif
