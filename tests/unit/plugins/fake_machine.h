// SPDX-License-Identifier: GPL-2.0-or-later
//
// FakeMachine - what the observation layer sees of QEMU (plugins/machine.h), made of arrays: memory in
// several pieces, vCPUs with softmmu TLBs, accesses that call what translated code would call.
//
//   FakeMachine& m = fake_machine();          one for the process, as the layer is
//   m.access(vcpu, vaddr, bytes, true);       the store is made, then the callback comes
//   m.place(piece, addr);                     the piece lies elsewhere in guest-physical space
//
// Virtual addresses are guest-physical ones plus kOffset, in every MMU mode.
#ifndef PERFBOARD_TESTS_FAKE_MACHINE_H
#define PERFBOARD_TESTS_FAKE_MACHINE_H

#include <cstdint>
#include <memory>
#include <vector>

#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/pass.h"

namespace perfboard {

class FakeMachine {
 public:
  static constexpr unsigned kVcpus = 4;
  static constexpr uint64_t kOffset = 0x7f0000000000;
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kOwnPage = 0xfee00000;  // of the processor
  enum Piece { kNode0, kNode1, kBar, kPieces };

  FakeMachine();
  FakeMachine(const FakeMachine&) = delete;

  uint64_t addr(Piece piece) const { return map_->piece[piece].addr; }
  void place(Piece piece, uint64_t addr);
  // Of a callback that translated code would hold: the features of now. itself: the processor makes it, and
  // no instruction.
  void access(unsigned vcpu, uint64_t addr, unsigned bytes, bool store, PassTag tag = {},
              bool itself = false);
  // As translated code at the beginning of a block in this virtual page.
  void fetch(unsigned vcpu, uint64_t page, bool privileged);
  uint8_t* host(uint64_t addr);
  // The guest maps the first piece's pages otherwise: page n to page n ^ swap. Its TLBs are empty then.
  void remap(uint64_t swap);
  void flush();

  const PbRamMap* map() const { return map_; }
  uint64_t phys(const PbCpuView* view, uintptr_t entry) const;

  // A page's memory type: its number, below the types that there are.
  static uint8_t type_of(uint64_t addr) { return addr / kPage % (PB_MEMORY_WRITE_COMBINING + 1); }

  void (*moved)() = nullptr;
  bool (*typed)(uint64_t page) = nullptr;                           // PbMachine::memory_types()
  bool (*watched)(const PbFilledPage* page, bool store) = nullptr;  // PbMachine::watch()
  const PbDensity* density = nullptr;
  const PbCpuEvents* events = nullptr;  // PbMachine::cpu_hook()
  PbAccessCallback own[2] = {};         // PbMachine::cpu_own_accesses(): load, store
  unsigned retranslations = 0;
  bool paging = false, devices_alone = true;
  uint64_t space = 0, time = 0;
  unsigned mode = 0;             // 0: the vCPU's number + 1. What accesses say that their MMU mode is
  bool filters = false;          // translated code has a hit filter
  unsigned hit_filter_bits = 0;  // PbMachine::hit_filter_lines()
  uint64_t left_out = 0;         // accesses without a callback
  uint64_t not_looked_up = 0;    // fetches
  uint64_t released = 0;         // by PbMachine::release_later()
  PbFetched fetched[kVcpus] = {};
  PbHitFilter* hit_filter_table(unsigned vcpu);

 private:
  static constexpr unsigned kEntries = 64;
  struct Cpu {
    PbTlbEntry table[kEntries];
    PbTlbFast fast[PB_MMU_MODES];
    uint64_t phys[kEntries];
    unsigned mode[kEntries];  // whose the entry is: all modes share the table
  };
  uint64_t mapped(uint64_t addr) const;
  void fill(unsigned vcpu, unsigned mmu_mode, uint64_t vaddr);
  bool is_hit(unsigned vcpu, unsigned mmu_mode, uint64_t vaddr, unsigned bytes, bool store);

  std::unique_ptr<uint8_t[]> memory_[kPieces];
  std::unique_ptr<char[]> map_bytes_;
  PbRamMap* map_;
  std::vector<Cpu> cpus_;
  std::vector<PbHitFilter> hit_filter_;  // of all vCPUs
  uint64_t swap_ = 0;
};

FakeMachine& fake_machine();

}  // namespace perfboard
#endif
