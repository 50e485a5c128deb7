// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/isa/isa.h"

namespace perfboard {

const Isa* isa_named(std::string_view name) {
  for (const Isa* isa : {&kX86, &kPpc})
    if (isa->name == name) return isa;
  return nullptr;
}

}  // namespace perfboard
