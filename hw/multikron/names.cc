// SPDX-License-Identifier: GPL-2.0-or-later
//
// What log lines call an address.
#include "hw/multikron/access.h"

namespace perfboard::mk {

const char* name_of(unsigned address) {
  const Register* r = address < kAddresses ? find(kRegisters, 4 * address) : nullptr;
  return r ? r->name.data() : "an unassigned address";  // names are literals: they end with a 0
}

const char* why_not(const MultiKron* m, unsigned address) {
  switch (address) {
    case kReset:
    case kResourceReset:
    case kDisable:
      return "write only";
    case kTimestamp:
      return "read only";
    case kFifoOutput:
      return m->state.test_mode ? "read only" : "in test mode only";
    case kTest:
      return "in test mode only";
    default:
      if (address >= kReserved && address < kSamples) return "reserved for more resource counters";
      return address >= kTrace && address < kAddresses ? "a sample address is write only" : "not assigned";
  }
}

unsigned mistake_of(const MultiKron* m, unsigned address, bool write) {
  switch (address) {
    case kReset:
    case kResourceReset:
    case kDisable:
      return kWriteOnly;
    case kTimestamp:
      return kReadOnly;
    case kFifoOutput:
      return write && m->state.test_mode ? kReadOnly : kTestModeOnly;
    case kTest:
      return kTestModeOnly;
    default:
      if (address >= kReserved && address < kSamples) return kReservedAddress;
      return address >= kTrace && address < kAddresses ? kSampleRead : kNoRegister;
  }
}

}  // namespace perfboard::mk
