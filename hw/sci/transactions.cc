// SPDX-License-Identifier: GPL-2.0-or-later
//
// A transaction's packets: when they are on which B-Link, and what is in them.
#include <algorithm>

#include "hw/sci/lines.h"
#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

constexpr Count kSent[] = {kReads, kWrites, kLocks, kUnlocks};  // by sci_what

constexpr uint8_t kPlainWords = 2, kPieceWords = 3, kLineWords = 2 + SCI_LINE_BYTES / 8;

constexpr uint64_t bd1(unsigned source, unsigned dest, unsigned command, unsigned trans) {
  return uint64_t{source} << SCI_BD1_SOURCE_SHIFT | uint64_t{command} << SCI_BD1_COMMAND_SHIFT |
         uint64_t{dest} << SCI_BD1_DEST_SHIFT | uint64_t{trans} << SCI_BD1_TRANS_SHIFT;
}

// Page and word of the window's offset are its bits, as they are BD2's.
constexpr uint64_t bd2(uint64_t offset, uint8_t enables) {
  return (offset & ~uint64_t{3}) | uint64_t{enables} << SCI_BD2_ENABLES_SHIFT;
}
static_assert(SCI_BD2_OFFSET_SHIFT == 2 && SCI_BD2_PAGE_SHIFT == 12 && SCI_MOST_SIZE == uint64_t{1} << 28);

constexpr uint8_t request_words(const Transaction& t) {
  return is_answered(t.what) ? kPlainWords : t.line ? kLineWords : kPieceWords;
}
constexpr Size request_size(const Transaction& t) {
  return is_answered(t.what) ? Size::kPlain : t.line ? Size::k64 : Size::k16;
}

// The first edge of the B-Link's clock at or after ns.
constexpr uint64_t edge(uint64_t ns) { return (ns + kBlink - 1) / kBlink * kBlink; }

void fill(SciPacket& p, const Transaction& t) {
  const uint32_t first = t.offset % 8, end = t.line ? SCI_LINE_BYTES : 8;
  std::fill(std::begin(p.payload), std::end(p.payload), 0);
  for (uint32_t i = first; i < end; ++i)
    if (t.line || t.enables >> i & 1) p.payload[i / 8] |= uint64_t{t.data[i - first]} << 8 * (i % 8);
}

// The packets of one transaction, in order.
class Sender {
 public:
  Sender(SciAdapter* a, const Transaction& t) : a_(a) {
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
    // latency=off: the processors do not wait for the B-Link, so its time must not depend on how much it has
    // carried.
    n.blink_ns = earliest_ = p_.ns + (a_->config.latency ? words * kBlink : 0);
    a_->config.packet(a_->config.opaque, &p_);
  }

 private:
  SciAdapter* a_;
  uint64_t earliest_ = 0;  // not before the packet that it follows from
  SciPacket p_;
};

}  // namespace

Schedule schedule(SciAdapter* a, const Transaction& t, uint64_t now, uint64_t begin) {
  const auto on_blink = [&](uint8_t node, uint64_t ns, uint8_t words) {
    if (!a->config.latency) return edge(ns);
    return take_line(a->state.line[SCI_LINKS + node], now, ns, words * kBlink / kSymbol, kBlink / kSymbol);
  };
  // From one B-Link to the other, and there.
  const auto pass = [&](uint8_t from, uint8_t to, Size size, uint8_t words, uint64_t ns) {
    Passage p = a->fabric->send(a, from, to, size, now, ns + words * kBlink + kLink);
    p.arrived = on_blink(to, p.arrived + kLink, words);
    return p;
  };
  Schedule s{};
  const uint8_t words = request_words(t);
  s.at[0] = on_blink(t.from, begin + kRequest, words);
  const Passage request = pass(t.from, t.to, request_size(t), words, s.at[0]);
  s.at[1] = request.arrived;
  s.ends = std::max(request.echoed, request.arrived);
  if (!is_answered(t.what)) return s;
  s.at[2] = on_blink(t.to, s.at[1] + words * kBlink + kHome, kPieceWords);
  s.at[3] = pass(t.to, t.from, Size::k16, kPieceWords, s.at[2]).arrived;
  s.ends = s.at[3] + kPieceWords * kBlink + kResponse;
  return s;
}

void emit(SciAdapter* a, const Transaction& t, const uint64_t (&at)[SCI_PASSES]) {
  SciNode& from = a->state.node[t.from];
  const unsigned trans = from.trans, command = t.what | (t.line ? SCI_COMMAND_64 : 0);
  const uint64_t request = bd1(t.from, t.to, command, trans);
  Sender sender(a, t);

  from.trans = (trans + 1) % kTransIds;
  ++from.count[kSent[t.what]];
  ++a->state.node[t.to].count[kReceived];
  sender.put(t.from, at[0], request, request_words(t));
  sender.put(t.to, at[1], request, request_words(t));
  if (!is_answered(t.what)) return;
  const uint64_t response = bd1(t.to, t.from, command | SCI_COMMAND_RESPONSE, trans);
  sender.put(t.to, at[2], response, kPieceWords);
  sender.put(t.from, at[3], response, kPieceWords);
}

}  // namespace perfboard::sci

namespace {

using namespace perfboard::sci;

Passage send(SciAdapter* a, uint8_t from, uint8_t to, Size size, uint64_t now, uint64_t ns) {
  if (!a->config.latency) return {ns + a->derived.unloaded[from][to][static_cast<int>(size)], 0};
  const auto take = [&](uint32_t link, uint64_t t, uint64_t symbols) {
    return take_line(a->state.line[link], now, t, symbols);
  };
  return Topology(a->config.nodes, a->config.ringlet).pass(take, from, to, symbols_of(size), ns);
}

}  // namespace

const SciFabric kSciRing = {"ring", send};
