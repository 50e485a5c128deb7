// SPDX-License-Identifier: GPL-2.0-or-later
//
// From an access to packets on B-Links.
#include <algorithm>

#include "hw/sci/model.h"
#include "hw/sci/pieces.h"

namespace perfboard::sci {
namespace {

constexpr Count kSent[] = {kReads, kWrites, kLocks, kUnlocks};  // by sci_what

constexpr uint64_t bd1(unsigned source, unsigned dest, unsigned command, unsigned trans) {
  return uint64_t{source} << SCI_BD1_SOURCE_SHIFT | uint64_t{command} << SCI_BD1_COMMAND_SHIFT |
         uint64_t{dest} << SCI_BD1_DEST_SHIFT | uint64_t{trans} << SCI_BD1_TRANS_SHIFT;
}

// Page and word of the window's offset are its bits, as they are BD2's.
constexpr uint64_t bd2(uint64_t offset, uint8_t enables) {
  return (offset & ~uint64_t{3}) | uint64_t{enables} << SCI_BD2_ENABLES_SHIFT;
}
static_assert(SCI_BD2_OFFSET_SHIFT == 2 && SCI_BD2_PAGE_SHIFT == 12 && SCI_MOST_SIZE == uint64_t{1} << 28);

void put(SciAdapter* a, SciPacket& p, uint8_t node, uint64_t ns, uint64_t first, uint8_t words) {
  SciNode& n = a->state.node[node];
  n.blink_ns = std::max(n.blink_ns, ns);
  ++n.count[kPackets];
  p.ns = n.blink_ns;
  p.bd1 = first;
  p.words = words;
  p.node = node;
  a->config.packet(a->config.opaque, &p);
}

}  // namespace

void transact(SciAdapter* a, const Transaction& t) {
  SciNode& from = a->state.node[t.from];
  const bool answered = t.what == SCI_READ || t.what == SCI_LOCK;
  const uint8_t with_data = 3, without = 2;
  const uint64_t ns = blink_edge(t.ns);
  const uint64_t request = bd1(t.from, t.to, t.what, from.trans);
  const uint8_t words = answered ? without : with_data;
  SciPacket p;

  ++from.count[kSent[t.what]];
  p.bd2 = bd2(t.offset, t.enables);
  put(a, p, t.from, ns, request, words);
  ++a->state.node[t.to].count[kReceived];
  put(a, p, t.to, ns, request, words);
  if (answered) {
    const uint64_t response = bd1(t.to, t.from, t.what | SCI_COMMAND_RESPONSE, from.trans);
    put(a, p, t.to, ns, response, with_data);
    put(a, p, t.from, ns, response, with_data);
  }
  from.trans = (from.trans + 1) % kTransIds;
}

}  // namespace perfboard::sci

using namespace perfboard::sci;

void sci_access(SciAdapter* a, const SciAccess* access) {
  if (!a->state.enabled) return;
  if (!is_node(a, access->vcpu)) {
    if (!a->strange_vcpu)
      perfboard::log_guest_error(
          a, "vCPU %u accesses the window and is no node (0 to %u): its accesses stay local", access->vcpu,
          a->config.nodes - 1);
    a->strange_vcpu = true;
    return;
  }
  const auto from = static_cast<uint8_t>(access->vcpu);
  const uint8_t home = a->state.home[access->offset / SCI_PAGE_BYTES];
  if (home == from) return;
  const sci_what what =
      access->locked ? (access->store ? SCI_UNLOCK : SCI_LOCK) : (access->store ? SCI_WRITE : SCI_READ);
  each_piece(access->offset, access->bytes, access->store, [&](uint64_t offset, uint32_t bytes) {
    transact(a, {access->ns, offset, what, from, home, enables_of(offset, bytes)});
  });
}
