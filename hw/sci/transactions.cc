// SPDX-License-Identifier: GPL-2.0-or-later
//
// A transaction: its counts, and its packets with latency=off.
#include <algorithm>

#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

constexpr Count kSent[] = {kReads, kWrites, kLocks, kUnlocks};  // by sci_what

// latency=off: all packets at once, in order.
void emit(SciAdapter* a, const Transaction& t, uint64_t now, const uint64_t (&at)[SCI_PASSES], Fate fate) {
  SciNode& from = a->state.node[t.from];
  const unsigned trans = from.trans, command = t.what | (t.line ? SCI_COMMAND_64 : 0);
  // As the home takes it off the ring.
  const unsigned taken = fate == Fate::kDamaged ? damaged(trans) : trans;
  const uint64_t later = fate == Fate::kLate ? kLateBy : 0;
  uint64_t earliest = 0;  // not before the packet that it follows from
  SciPacket p;
  const auto put = [&](uint8_t node, uint64_t ns, uint64_t first, Size size) {
    SciNode& n = a->state.node[node];
    ++n.count[kPackets];
    p.ns = n.blink_ns = earliest = std::max({ns, n.blink_ns, earliest});
    if (!is_wanted(a, node)) return;
    p.bd1 = first;
    p.words = words_of(size);
    p.node = node;
    a->config.packet(a->config.opaque, &p);
  };

  p.known = now;
  p.bd2 = second_word(t.offset, t.line ? 0xff : t.enables);
  if (a->derived.payload) fill_payload(p.payload, t);
  from.trans = (trans + 1) % kTransIds;
  put(t.from, at[0], first_word(t.from, t.to, command, trans), size_of(t));
  if (fate == Fate::kLost) return;
  put(t.to, at[1] + later, first_word(t.from, t.to, command, taken), size_of(t));
  if (!is_answered(t.what)) return;
  const uint64_t response = first_word(t.to, t.from, command | SCI_COMMAND_RESPONSE, taken);
  put(t.to, at[2] + later, response, Size::k16);
  put(t.from, at[3] + later, response, Size::k16);
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

void count_sent(SciAdapter* a, const Transaction& t, Fate fate) {
  ++a->state.node[t.from].count[kSent[t.what]];
  tell_effect(a, effect("request"), uint64_t{t.what} << 16 | t.to << 8 | t.from);
  if (fate != Fate::kPasses)
    tell_effect(a, effect("packet-lost") + static_cast<unsigned>(fate) - static_cast<unsigned>(Fate::kLost),
                t.from);
}

Sent send(SciAdapter* a, const Transaction& t, uint64_t now, uint64_t begin) {
  const Sent sent = {schedule(a, t, now, begin), next_fate(a)};
  const Fate fate = sent.fate;
  count_sent(a, t, fate);
  if (fate != Fate::kLost) ++a->state.node[t.to].count[kReceived];
  if (a->config.latency) {
    count_packets(a, t, fate);
    fly(a, t, now, sent.times.at, fate);
  } else {
    emit(a, t, now, sent.times.at, fate);
  }
  return sent;
}

}  // namespace perfboard::sci
