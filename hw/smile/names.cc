// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers' names, for log lines.
#include <cstdio>

#include "hw/smile/model.h"

namespace perfboard::smile {

Name name_of(uint32_t offset) {
  Name out = {"no register"};
  const Row row = row_of(offset);
  if (!row.reg) return out;
  const std::string_view name = row.reg->name;
  const size_t zero = name.find('0');  // stands for the entry's number
  if (zero == name.npos)
    std::snprintf(out.text, sizeof out.text, "%.*s", int(name.size()), name.data());
  else
    std::snprintf(out.text, sizeof out.text, "%.*s%u%.*s", int(zero), name.data(), row.index,
                  int(name.size() - zero - 1), name.data() + zero + 1);
  return out;
}

}  // namespace perfboard::smile
