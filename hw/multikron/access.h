// SPDX-License-Identifier: GPL-2.0-or-later
//
// access.cc and names.cc as multikron.cc sees them.
#pragma once

#include "hw/multikron/model.h"

namespace perfboard::mk {

struct Target {
  unsigned address;  // of the chip; kAddresses: nothing is there
  unsigned byte;     // of its 64 bits, where the access begins
};
Target target_of(const MkAccess& a);
bool is_card(const MkAccess& a);
bool has_upper_half(unsigned address);  // 64 bits that are registers, with a row for each half
uint32_t csr_now(const MultiKron* m);
uint32_t card_word(const MultiKron* m, uint32_t offset);  // from MK_CARD_BASE on
uint64_t read_card(MultiKron* m, const MkAccess& a);
mk_result read(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t* value);
mk_result write(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t value);

void software_reset(MultiKron* m, const Moment& t);

// names.cc: for log lines
unsigned mistake_of(const MultiKron* m, unsigned address, bool write);  // which one it is to read or write it
const char* name_of(unsigned address);                                  // "CSR"; "an unassigned address"
const char* why_not(const MultiKron* m, unsigned address);              // why it cannot be read or written

}  // namespace perfboard::mk
