// SPDX-License-Identifier: GPL-2.0-or-later
//
// JSON with samples' times:
//
//   SampleJson json(out);
//   json.ticks("time_us", options, sample.time);       // microseconds with three decimals
#pragma once

#include <string>
#include <string_view>

#include "guest/common/json.h"
#include "guest/multikron/host/mk_options.h"

namespace perfboard::mk {

// For JSON, with its quotes. UTF-8 stays. A byte that is no UTF-8 becomes the character of its number.
std::string json_text(std::string_view text);

class SampleJson : public Json {
 public:
  using Json::Json;
  void ticks(Plain name, const Options& options, int64_t value) {
    number_by(name, [&](Output& out) { options.put_us(out, value); });
  }
};

}  // namespace perfboard::mk
