// SPDX-License-Identifier: GPL-2.0-or-later
//
// A transaction's packets: what is in them.
#include <algorithm>

#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

constexpr Count kSent[] = {kReads, kWrites, kLocks, kUnlocks};  // by sci_what

constexpr unsigned kDamagedTrans = kTransIds / 2;  // INFERRED: which bit of the trans_ID

constexpr uint64_t bd1(unsigned source, unsigned dest, unsigned command, unsigned trans) {
  return uint64_t{source} << SCI_BD1_SOURCE_SHIFT | uint64_t{command} << SCI_BD1_COMMAND_SHIFT |
         uint64_t{dest} << SCI_BD1_DEST_SHIFT | uint64_t{trans} << SCI_BD1_TRANS_SHIFT;
}

// Page and word of the window's offset are its bits, as they are BD2's.
constexpr uint64_t bd2(uint64_t offset, uint8_t enables) {
  return (offset & ~uint64_t{3}) | uint64_t{enables} << SCI_BD2_ENABLES_SHIFT;
}
static_assert(SCI_BD2_OFFSET_SHIFT == 2 && SCI_BD2_PAGE_SHIFT == 12 && SCI_MOST_SIZE == uint64_t{1} << 28);

void fill(SciPacket& p, const Transaction& t) {
  const uint32_t first = t.offset % 8, end = t.line ? SCI_LINE_BYTES : 8;
  std::fill(std::begin(p.payload), std::end(p.payload), 0);
  for (uint32_t i = first; i < end; ++i)
    if (t.line || t.enables >> i & 1) p.payload[i / 8] |= uint64_t{t.data[i - first]} << 8 * (i % 8);
}

// The packets of one transaction, in order.
class Sender {
 public:
  Sender(SciAdapter* a, const Transaction& t, uint64_t now) : a_(a) {
    p_.known = now;
    p_.bd2 = bd2(t.offset, t.line ? 0xff : t.enables);
    if (a->derived.payload) fill(p_, t);
  }
  void put(uint8_t node, uint64_t ns, uint64_t first, uint8_t words) {
    SciNode& n = a_->state.node[node];
    ++n.count[kPackets];
    p_.ns = std::max({ns, n.blink_ns, earliest_});
    p_.bd1 = first;
    p_.words = words;
    p_.node = node;
    n.blink_ns = earliest_ = p_.ns;
    a_->config.packet(a_->config.opaque, &p_);
  }

 private:
  SciAdapter* a_;
  uint64_t earliest_ = 0;  // not before the packet that it follows from
  SciPacket p_;
};

}  // namespace

void emit(SciAdapter* a, const Transaction& t, uint64_t now, const uint64_t (&at)[SCI_PASSES], Fate fate) {
  SciNode& from = a->state.node[t.from];
  const unsigned trans = from.trans, command = t.what | (t.line ? SCI_COMMAND_64 : 0);
  // As the home takes it off the ring.
  const unsigned taken = fate == Fate::kDamaged ? trans ^ kDamagedTrans : trans;
  const uint64_t later = fate == Fate::kLate ? kLateBy : 0;
  Sender sender(a, t, now);

  from.trans = (trans + 1) % kTransIds;
  ++from.count[kSent[t.what]];
  tell_effect(a, kRequestSent, uint64_t{t.what} << 16 | t.to << 8 | t.from);
  sender.put(t.from, at[0], bd1(t.from, t.to, command, trans), words_of(size_of(t)));
  if (fate != Fate::kPasses)
    tell_effect(a, kPacketLost + static_cast<unsigned>(fate) - static_cast<unsigned>(Fate::kLost), t.from);
  if (fate == Fate::kLost) return;
  ++a->state.node[t.to].count[kReceived];
  sender.put(t.to, at[1] + later, bd1(t.from, t.to, command, taken), words_of(size_of(t)));
  if (!is_answered(t.what)) return;
  const uint64_t response = bd1(t.to, t.from, command | SCI_COMMAND_RESPONSE, taken);
  sender.put(t.to, at[2] + later, response, words_of(Size::k16));
  sender.put(t.from, at[3] + later, response, words_of(Size::k16));
}

}  // namespace perfboard::sci
