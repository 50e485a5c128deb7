// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses to the chip's addresses.
//
//   target_of(...)     the only place where an offset is decoded: for an access, and for a view
//   read(), write()    an access of any size, with what is wrong with it
//   value_at()         all 64 bits of an address, whoever looks; no side effects. Nothing: it holds nothing
#pragma once

#include <optional>

#include "hw/multikron/model.h"

namespace perfboard::mk {

struct Target {
  unsigned address;   // of the chip; kAddresses and more: nothing is there
  uint8_t byte;       // of its 64 bits
  bool card = false;  // none, but the card's information
};
// Of the byte at `offset`, which is part of an access of so many bytes that begins at `first`.
Target target_of(unsigned window, uint64_t offset, uint64_t first, uint32_t bytes);
inline Target target_of(const MkAccess& a) { return target_of(a.window, a.offset, a.offset, a.size); }

uint32_t card_word(const MultiKron* m, const Register* reg);  // reg: one of kCard, or none
uint64_t read_card(MultiKron* m, const MkAccess& a);
std::optional<uint64_t> value_at(const MultiKron* m, const Moment& t, unsigned address);
mk_result read(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t* value);
mk_result write(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t value);

void software_reset(MultiKron* m, const Moment& t);

}  // namespace perfboard::mk
