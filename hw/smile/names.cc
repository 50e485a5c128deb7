// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers' names, for log lines.
#include <cstdio>

#include "hw/smile/model.h"

namespace perfboard::smile {

Name name_of(const Place& place) {
  Name out;
  const std::string_view name = place.reg->name;
  const size_t zero = name.find('0');  // stands for the entry's number
  if (place.index < 0)
    std::snprintf(out.text, sizeof out.text, "%.*s", int(name.size()), name.data());
  else
    std::snprintf(out.text, sizeof out.text, "%.*s%d%.*s", int(zero), name.data(), place.index,
                  int(name.size() - zero - 1), name.data() + zero + 1);
  return out;
}

}  // namespace perfboard::smile
