// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the adapters' model, as they see each other.
#pragma once

#include "hw/core/log.h"
#include "hw/sci/registers.h"
#include "hw/sci/sci.h"

namespace perfboard::sci {

inline constexpr unsigned kTransIds = 1u << SCI_BD1_TRANS_BITS;

inline uint32_t pages(const SciConfig& c) { return static_cast<uint32_t>(c.size / SCI_PAGE_BYTES); }
inline bool is_node(const SciAdapter* a, uint32_t vcpu) { return vcpu < a->config.nodes; }

// The first edge of the B-Link clock at or after ns.
constexpr uint64_t blink_edge(uint64_t ns) {
  return (ns + SCI_BLINK_CLOCK_NS - 1) / SCI_BLINK_CLOCK_NS * SCI_BLINK_CLOCK_NS;
}

// One request and what follows from it.
struct Transaction {
  uint64_t ns;
  uint64_t offset;  // in the window
  sci_what what;
  uint8_t from, to;
  uint8_t enables;  // of the aligned 8 bytes that hold the offset
};
void transact(SciAdapter* a, const Transaction& t);

}  // namespace perfboard::sci
