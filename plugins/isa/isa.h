// SPDX-License-Identifier: GPL-2.0-or-later
//
// Isa - what the counters must know of an architecture, as a table of functions. One folder for each: x86,
// ppc.
//
//   const Isa* isa = isa_named("ppc");                        nullptr: there is none of that name
//   Insn i = isa->decode(code, size, state.mode);             from its bytes, at translation
//   isa->tlb_change(code, size, mode, address, registers)     if i.translations, before it is executed
//   isa->mark_after(code, size, mode, registers)              if i.marks, before it is executed
//   ModelInsn m = isa->model(code, size, mode, address);      what a model of a processor must know, at translation
//
// This half needs no QEMU. The other half, in hw/qemu/tcg/<isa>, reads a vCPU (plugins/machine.h): its mode,
// its context, its registers, the exceptions and interrupts that are delivered to it. `mode` and the numbers
// of the registers are agreed on by these two halves alone (isa/<isa>/cpu.h).
#ifndef PERFBOARD_PLUGINS_ISA_ISA_H
#define PERFBOARD_PLUGINS_ISA_ISA_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hw/processor/insn.h"
#include "plugins/isa/floats.h"
#include "plugins/isa/pieces.h"

namespace perfboard {

// What TCG's repetition of one instruction within a block shows of its iterations: each one ends with ...
enum class Iterates : uint8_t { kNot, kByStore, kByLoad, kBySecondLoad, kBySecondStore };

struct Insn {
  Op op = Op::kUnknown;
  uint8_t bytes = 0;  // 0: not known
  // It changes where execution goes on, taken or not. Not what raises an exception.
  bool branch = false;
  // It runs to its end whatever happens: accesses no memory, cannot fault, leaves no block.
  bool quiet = false;
  // It may access memory more than once. So an attempt may be given up when one access has been made.
  bool several = true;
  // Its accesses are one transaction: if it faults, none was made. TCG may have made the load.
  bool atomic = false;
  // Each second store is the instruction's; the one before it is TCG's, to find a fault early.
  bool probes = false;
  // TCG loads, or stores, where the architecture does not.
  bool hides_loads = false, hides_stores = false;
  bool translations = false;  // it may change which translations the processor's TLB holds
  bool relative = false;      // what it does to them depends on its own address
  bool marks = false;         // it may change the process mark
  Iterates iterates = Iterates::kNot;
  Pieces pieces = {};  // TCG's accesses put together

  bool operator==(const Insn&) const = default;
};

struct TlbChange {
  enum What : uint8_t { kNothing, kDropsPage, kEmpties } what = kNothing;
  uint64_t address = 0;     // kDropsPage: in the page
  bool everywhere = false;  // in the TLBs of all processors
  bool operator==(const TlbChange&) const = default;
};

// How TCG's stores of an instruction differ from the processor's, for whoever must see them one by one and in
// order.
enum class StoreOrder : uint8_t {
  kAsSeen,
  kProbesFirst,  // each second one is the processor's
  // kDescendingStores of one size: TCG makes them in ascending order, the processor in descending
  kDescending,
};
inline constexpr unsigned kDescendingStores = 8;

// What TCG's accesses are not the processor's in.
struct Quirks {
  StoreOrder stores = StoreOrder::kAsSeen;
  bool hides_loads = false, hides_stores = false;  // Insn's
  // False: the instruction makes none. For those for which QEMU calls a helper: it cannot tell.
  bool accesses = true;
  // It locks the bus: the load is the first half of one transaction, the store its second.
  bool locked = false;
  // It empties the processor's write-combining buffers: fences, serialising instructions, I/O, locked ones.
  bool drains = false;
  Pieces pieces = {};  // Insn's

  bool operator==(const Quirks&) const = default;
};

struct Isa {
  std::string_view name;
  unsigned longest;  // instruction, bytes
  // code: size bytes from the instruction's first.
  Insn (*decode)(const uint8_t* code, size_t size, uint32_t mode);
  // Cheap: no disassembler. Bytes behind the instruction do no harm.
  Quirks (*quirks)(const uint8_t* code, size_t size, uint32_t mode);
  // registers: PB_REGISTERS of them, as isa/<isa>/cpu.h numbers them.
  TlbChange (*tlb_change)(const uint8_t* code, size_t size, uint32_t mode, uint64_t address,
                          const uint64_t* registers);
  // nullptr: instructions do not change the mark; a board does (pb_event_mark).
  bool (*mark_after)(const uint8_t* code, size_t size, uint32_t mode, const uint64_t* registers);
  // As a model of a processor sees it; `op`, `bytes` and `branch` are decode()'s. address: its virtual one.
  ModelInsn (*model)(const uint8_t* code, size_t size, uint32_t mode, uint64_t address);
  Floats (*floats)(const uint8_t* code, size_t size, uint32_t mode, uint64_t address);
};

extern const Isa kX86;  // 16, 32 and 64-bit code; it has no process mark: a board sets that
extern const Isa kPpc;  // POWER (64-bit, server), big- and little-endian code; the process mark is MSR[PMM]

inline const Isa* isa_named(std::string_view name) {
  for (const Isa* isa : {&kX86, &kPpc})
    if (isa->name == name) return isa;
  return nullptr;
}

}  // namespace perfboard
#endif
