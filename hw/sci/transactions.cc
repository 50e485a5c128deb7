// SPDX-License-Identifier: GPL-2.0-or-later
//
// A transaction: its counts, and its packets with latency=off.
#include <algorithm>

#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

constexpr Count kSent[] = {kReads, kWrites, kLocks, kUnlocks};  // by sci_what

// The packets of one transaction, in order.
class Sender {
 public:
  Sender(SciAdapter* a, const Transaction& t, uint64_t now) : a_(a) {
    p_.known = now;
    p_.bd2 = second_word(t.offset, t.line ? 0xff : t.enables);
    if (a->derived.payload) fill_payload(p_.payload, t);
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

// latency=off: all at once.
void emit(SciAdapter* a, const Transaction& t, uint64_t now, const uint64_t (&at)[SCI_PASSES], Fate fate) {
  SciNode& from = a->state.node[t.from];
  const unsigned trans = from.trans, command = t.what | (t.line ? SCI_COMMAND_64 : 0);
  // As the home takes it off the ring.
  const unsigned taken = fate == Fate::kDamaged ? damaged(trans) : trans;
  const uint64_t later = fate == Fate::kLate ? kLateBy : 0;
  Sender sender(a, t, now);

  from.trans = (trans + 1) % kTransIds;
  sender.put(t.from, at[0], first_word(t.from, t.to, command, trans), words_of(size_of(t)));
  if (fate == Fate::kLost) return;
  sender.put(t.to, at[1] + later, first_word(t.from, t.to, command, taken), words_of(size_of(t)));
  if (!is_answered(t.what)) return;
  const uint64_t response = first_word(t.to, t.from, command | SCI_COMMAND_RESPONSE, taken);
  sender.put(t.to, at[2] + later, response, words_of(Size::k16));
  sender.put(t.from, at[3] + later, response, words_of(Size::k16));
}

// latency=on: those of packets that are still to come, too.
void count_packets(SciAdapter* a, const Transaction& t, Fate fate) {
  const unsigned passes = is_answered(t.what) ? 2 : 1;
  if (fate == Fate::kLost) {
    ++a->state.node[t.from].count[kPackets];
    return;
  }
  a->state.node[t.from].count[kPackets] += passes;
  a->state.node[t.to].count[kPackets] += passes;
}

}  // namespace

void fill_payload(uint64_t (&payload)[SCI_LINE_BYTES / 8], const Transaction& t) {
  const uint32_t first = t.offset % 8, end = t.line ? SCI_LINE_BYTES : 8;
  std::fill(std::begin(payload), std::end(payload), 0);
  for (uint32_t i = first; i < end; ++i)
    if (t.line || t.enables >> i & 1) payload[i / 8] |= uint64_t{t.data[i - first]} << 8 * (i % 8);
}

void send(SciAdapter* a, const Transaction& t, uint64_t now, const uint64_t (&at)[SCI_PASSES], Fate fate) {
  ++a->state.node[t.from].count[kSent[t.what]];
  tell_effect(a, kRequestSent, uint64_t{t.what} << 16 | t.to << 8 | t.from);
  if (fate != Fate::kPasses)
    tell_effect(a, kPacketLost + static_cast<unsigned>(fate) - static_cast<unsigned>(Fate::kLost), t.from);
  if (fate != Fate::kLost) ++a->state.node[t.to].count[kReceived];
  if (!a->config.latency) return emit(a, t, now, at, fate);
  count_packets(a, t, fate);
  fly(a, t, now, at, fate);
}

}  // namespace perfboard::sci
