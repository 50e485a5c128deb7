// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/isa/x86/x87.h"

#include "hw/processor/insn.h"

namespace perfboard {
namespace {

enum Use : uint8_t {
  kReads0 = 1,
  kReadsI = 2,
  kWrites0 = 4,
  kWritesI = 8,
  kReadsFlags = 16,
  kWritesFlags = 32,
  kReadsStatus = 64,
  kWritesStatus = 128,
};
constexpr uint8_t kBoth = kReads0 | kReadsI, kOwn = kReads0 | kWrites0;

void apply(unsigned use, unsigned i, Operands& o) {
  if (use & kReads0) o.read(kFloat0);
  if (use & kReadsI) o.read(kFloat0 + i);
  if (use & kReadsFlags) o.read(kCondition0);
  if (use & kReadsStatus) o.read(kFloatStatus);
  if (use & kWrites0) o.write(kFloat0);
  if (use & kWritesI) o.write(kFloat0 + i);
  if (use & kWritesFlags) o.write(kCondition0);
  if (use & kWritesStatus) o.write(kFloatStatus);
}

// With memory: by the opcode's last three bits and the ModRM byte's middle ones.
constexpr uint8_t kLoads = kWrites0, kStores = kReads0, kArithmetic = kOwn,
                  kCompares = kReads0 | kWritesStatus;
constexpr uint8_t kWithMemory[8][8] = {
    {kArithmetic, kArithmetic, kCompares, kCompares, kArithmetic, kArithmetic, kArithmetic, kArithmetic},
    {kLoads, 0, kStores, kStores, kWritesStatus, kWritesStatus, kReadsStatus,
     kReadsStatus},  // fld fst fldenv fldcw
    {kArithmetic, kArithmetic, kCompares, kCompares, kArithmetic, kArithmetic, kArithmetic, kArithmetic},
    {kLoads, kStores, kStores, kStores, 0, kLoads, 0, kStores},  // fild fisttp fist fistp fld fstp
    {kArithmetic, kArithmetic, kCompares, kCompares, kArithmetic, kArithmetic, kArithmetic, kArithmetic},
    {kLoads, kStores, kStores, kStores, kWritesStatus, 0, kReadsStatus,
     kReadsStatus},  // frstor fnsave fnstsw
    {kArithmetic, kArithmetic, kCompares, kCompares, kArithmetic, kArithmetic, kArithmetic, kArithmetic},
    {kLoads, kStores, kStores, kStores, kLoads, kLoads, kStores, kStores},  // fild fist fbld fild fbstp fistp
};

// D9 E0 to D9 FF, one instruction each. ST1 is the register i of all of these.
constexpr uint8_t kWithStack[32] = {
    kOwn,  // fchs
    kOwn,  // fabs
    0,
    0,
    kCompares,  // ftst
    kCompares,  // fxam
    0,
    0,
    kWrites0,  // fld1
    kWrites0,  // fldl2t
    kWrites0,  // fldl2e
    kWrites0,  // fldpi
    kWrites0,  // fldlg2
    kWrites0,  // fldln2
    kWrites0,  // fldz
    0,
    kOwn,              // f2xm1
    kBoth | kWritesI,  // fyl2x
    kOwn,              // fptan
    kBoth | kWritesI,  // fpatan
    kOwn,              // fxtract
    kBoth | kWrites0,  // fprem1
    0,                 // fdecstp
    0,                 // fincstp
    kBoth | kWrites0,  // fprem
    kBoth | kWritesI,  // fyl2xp1
    kOwn,              // fsqrt
    kOwn,              // fsincos
    kOwn,              // frndint
    kBoth | kWrites0,  // fscale
    kOwn,              // fsin
    kOwn,              // fcos
};

unsigned with_registers(uint8_t opcode, unsigned middle) {
  constexpr unsigned kCompareFlags = kBoth | kWritesFlags;
  switch (opcode) {
    case 0xd8:  // fadd fmul fcom fcomp fsub ...
      return middle == 2 || middle == 3 ? kBoth | kWritesStatus : kBoth | kWrites0;
    case 0xd9:  // fld fxch
      return middle == 0 ? kReadsI | kWrites0 : middle == 1 ? kBoth | kWrites0 | kWritesI : 0;
    case 0xda:  // fcmov, fucompp
      return middle < 4 ? kBoth | kReadsFlags | kWrites0 : middle == 5 ? kBoth | kWritesStatus : 0;
    case 0xdb:  // fcmovn, fnclex fninit, fucomi fcomi
      return middle < 4    ? kBoth | kReadsFlags | kWrites0
             : middle == 4 ? unsigned{kWritesStatus}
             : middle < 7  ? kCompareFlags
                           : 0;
    case 0xdc:  // the result to ST(i)
      return kBoth | kWritesI;
    case 0xdd:  // ffree, fst fstp, fucom fucomp
      return middle == 2 || middle == 3   ? kReads0 | kWritesI
             : middle == 4 || middle == 5 ? kBoth | kWritesStatus
                                          : 0;
    case 0xde:  // faddp fmulp, fcompp, ...
      return middle == 3 ? kBoth | kWritesStatus : kBoth | kWritesI;
    default:  // fucomip fcomip
      return middle == 5 || middle == 6 ? kCompareFlags : 0;
  }
}

}  // namespace

X87Memory x87_operands(uint8_t opcode, uint8_t modrm, Operands& o) {
  const unsigned middle = modrm >> 3 & 7, i = modrm & 7;
  if (modrm < 0xc0) {
    const unsigned use = kWithMemory[opcode & 7][middle];
    apply(use, 0, o);
    const bool stores = use == kStores || use == kReadsStatus;
    return stores ? X87Memory::kWritten : X87Memory::kRead;
  }
  if (opcode == 0xd9 && modrm >= 0xe0) {
    apply(kWithStack[modrm - 0xe0], 1, o);
  } else if (opcode == 0xdf && modrm == 0xe0) {  // fnstsw ax
    o.read(kFloatStatus);
    o.write(kGeneral0);
  } else {
    apply(with_registers(opcode, middle), i, o);
  }
  return X87Memory::kNone;
}

}  // namespace perfboard
