// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests of a node that are on their way (latency=on): 64 times at which one is not outstanding any more,
// in no order. A time that is over is a place for another request.
#include <algorithm>

#include "hw/sci/model.h"

namespace perfboard::sci {

uint64_t next_end(const SciNode& n) { return *std::min_element(std::begin(n.ends), std::end(n.ends)); }

bool all_outstanding(const SciNode& n, uint64_t ns) { return next_end(n) > ns; }

void put_outstanding(SciNode& n, uint64_t ends) {
  *std::min_element(std::begin(n.ends), std::end(n.ends)) = ends;
}

// A read or lock whose processor waits has no place among them. In a cluster no processor that waits reads
// this.
uint32_t outstanding(const SciNode& n, uint64_t ns) {
  const auto on_their_way =
      std::count_if(std::begin(n.ends), std::end(n.ends), [&](uint64_t e) { return e > ns; });
  const auto held = std::count_if(std::begin(n.held), std::end(n.held), [&](const SciHeld& h) {
    return h.waits == SCI_HELD_WAITS && is_answered(h.what) && h.until > ns;
  });
  return std::min<uint32_t>(static_cast<uint32_t>(on_their_way + held), SCI_OUTSTANDING);
}

}  // namespace perfboard::sci
