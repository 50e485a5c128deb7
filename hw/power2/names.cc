// SPDX-License-Identifier: GPL-2.0-or-later
//
// What log lines call a register.
#include "hw/power2/model.h"

namespace perfboard::p2 {

const char* name_of(uint32_t offset) {
  const Register* r = find(kRegisters, offset);
  return r ? r->name.data() : "no register";  // names are literals: they end with a 0
}

}  // namespace perfboard::p2
