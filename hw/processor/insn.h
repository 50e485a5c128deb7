// SPDX-License-Identifier: GPL-2.0-or-later
//
// An instruction as a model of a processor sees it: what it is for, which registers make it wait, what it
// does to memory.
//
//   ModelInsn i = ...;                      plugins/isa makes it of the instruction's bytes, when a block is translated
//   for (uint8_t r : i.read_registers()) wait_for(r);
#ifndef PERFBOARD_PROCESSOR_INSN_H
#define PERFBOARD_PROCESSOR_INSN_H

#include <cstdint>
#include <span>

namespace perfboard {

// What an instruction is for: the class by which a monitor may count it. One that accesses memory and
// computes is a load or a store. New classes go before kOps.
enum class Op : uint8_t {
  kUnknown,        // the decoder does not know it
  kInteger,        // arithmetic, logic, shifts, compares and moves of general registers
  kMultiply,       // integer
  kDivide,         // integer
  kCondition,      // works on condition registers alone
  kSpecial,        // moves between general and special registers
  kLoad,           // to general registers
  kStore,          // from general registers
  kLoadStore,      // both: arithmetic in memory, atomic operations
  kFloatLoad,      //
  kFloatStore,     //
  kFloatAdd,       // subtractions too
  kFloatMultiply,  //
  kFloatMultiplyAdd,
  kFloatDivide,
  kFloatRoot,     // square root
  kFloatCompare,  //
  kFloatConvert,  // between formats, and rounding
  kFloatMove,     // moves, signs, status, estimates, and what has no class of its own
  kVector,        // SIMD arithmetic and moves
  kVectorLoad,
  kVectorStore,
  kBranch,      // jumps, calls, returns, from interrupts too
  kTrap,        // raises an exception, or may: tw, UD2, BOUND
  kSystemCall,  // sc, SYSCALL, INT
  kCache,       // cache control and hints
  kSync,        // barriers
  kSystem,      // all else that an operating system is made of
  kOps,
};

// Registers, by number, that one instruction's result and another's operand have in common. The MSR, hidden
// ones and what never delays is none.
enum ModelRegister : uint8_t {
  kGeneral0 = 0,     // 32: GPR0-31; x86: RAX, RCX ... in the order of their encoding
  kFloat0 = 32,      // 64: FPR0-31, VSR32-63 behind them; x86: ST0-7 at kFloat0, XMM/YMM0-15 at kFloat0 + 32
  kCondition0 = 96,  // 8: CR0-7; x86: the flags are the first
  kLink = 104,       // LR
  kCount = 105,      // CTR
  kException = 106,  // XER's carry and overflow
  kFloatStatus = 107,  // FPSCR; x86: FPSW, MXCSR
  kOtherSpecial = 108,
  kModelRegisters = 109,
};

// What a branch takes to be known. x86: JCXZ tests its register as a condition; LOOP counts (and writes
// kCount, to say so); a return needs the link, a jump or call to where a register or memory says the count.
enum BranchNeeds : uint8_t { kNeedsNothing = 0, kNeedsCondition = 1, kNeedsLink = 2, kNeedsCount = 4 };

struct ModelInsn {
  static constexpr unsigned kMostReads = 8, kMostWrites = 6;

  uint64_t address = 0;  // virtual
  // POWER: the word; x86: map << 8 | opcode byte, map 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A (hw/power2: IMR)
  uint32_t opcode = 0;
  uint8_t bytes = 0;
  Op op = Op::kUnknown;
  uint8_t reads = 0, writes = 0;  // how many of the arrays below
  // the first of `read`: the address is made of them; the others are data
  uint8_t address_reads = 0;
  uint8_t read[kMostReads] = {};  // ModelRegister; each once. More than fit: the first ones
  uint8_t write[kMostWrites] = {};
  // accesses to memory of a multiple, string or usual instruction; 255: 255 or more, or not known
  uint8_t loads = 0, stores = 0;
  uint8_t needs = kNeedsNothing;  // of a branch: BranchNeeds
  bool branch = false;            // Insn::branch
  bool conditional = false;       // a branch that may go either way
  bool link = false;              // a call: writes a return address
  bool returns = false;           // from an interrupt or system call
  bool update = false;            // a load or store that also writes its address register
  bool record = false;            // also sets CR0 or CR1 (Rc = 1)
  bool float_data = false;        // a load or store of a floating-point or vector register
  bool single = false;            // floating-point single precision
  // nothing behind it is dispatched before it and all before it is done (isync, mtmsr, sc, rfid)
  bool serializes = false;
  bool repeats = false;  // x86: REP; as often as the register says

  std::span<const uint8_t> read_registers() const { return {read, reads}; }
  std::span<const uint8_t> write_registers() const { return {write, writes}; }
  bool operator==(const ModelInsn&) const = default;
};

}  // namespace perfboard
#endif
