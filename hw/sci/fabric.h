// SPDX-License-Identifier: GPL-2.0-or-later
//
// SciFabric - the network port: what stands behind the adapters' link chips.
//
//   Passage p = a->fabric->send(a, from, to, size, now, ns);
//
// The packet is at node `from`'s link at ns; it is `now` that somebody asks. The fabric carries it to node
// `to`, and tells when it is wholly there, and when its echo is back. Requests and responses go the same way:
// an adapter asks for a passage for each. With latency=off nobody asks: times are those of an empty ring.
//
// The fabric of one machine is kSciRing: it knows the state of every link, so it can tell at once. Nodes that
// are machines of their own ask it, too, each with links of its own; what it tells goes with a message
// (remote.cc). A fabric has no state but SciState.line.
#pragma once

#include "hw/sci/ring.h"
#include "hw/sci/sci.h"

namespace perfboard::sci {

enum class Size : uint8_t { kPlain, k16, k64 };  // what data a packet has

// Words on a B-Link.
constexpr uint8_t words_of(Size size) {
  return size == Size::kPlain ? 2 : size == Size::k16 ? 3 : 2 + SCI_LINE_BYTES / 8;
}
constexpr uint64_t symbols_of(Size size) {
  return kHeader + (size == Size::kPlain ? 0 : size == Size::k16 ? kData16 : kData64);
}

}  // namespace perfboard::sci

struct SciFabric {
  const char* name;
  perfboard::sci::Passage (*send)(SciAdapter* a, uint8_t from, uint8_t to, perfboard::sci::Size size,
                                  uint64_t now, uint64_t ns);
};

extern const SciFabric kSciRing;
