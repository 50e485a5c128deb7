// SPDX-License-Identifier: GPL-2.0-or-later
//
// A SurfBoard on a bench gets its selector's bitstream as a driver sends it.
#pragma once

#include "tests/unit/surfboard/fixture.h"
#include "tests/unit/surfboard/has_fixture.h"

namespace perfboard::surf {

inline void configure(SurfBench& b, const has::Bits& stream) {
  b.write("FCCR", 1);
  b.write("FCCR", 0);
  for (const bool bit : stream) b.write("FCDR", bit);
}
inline has::Bits good_stream() { return has::stream({}); }
inline has::Bits bad_stream() {
  has::Bits bits = good_stream();
  bits[has::kFrame0 + 3].flip();
  return bits;
}

}  // namespace perfboard::surf
