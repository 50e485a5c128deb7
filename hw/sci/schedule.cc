// SPDX-License-Identifier: GPL-2.0-or-later
//
// When a transaction's packets are on which B-Link.
#include <algorithm>

#include "hw/sci/fabric.h"
#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

// A packet of two words has an idle clock behind it: the decoder of Fig. 3 does not look at bframe then.
constexpr uint64_t kLeastWords = 3;

// request: its size; a plain one is answered.
// on_blink(node, ns, words): the first time from ns on at which the node's B-Link takes the packet
// send(from, to, size, ns): how it comes through the ring
template <typename OnBlink, typename Send>
Schedule work_out(uint8_t from, uint8_t to, Size request, uint64_t begin, OnBlink&& on_blink, Send&& send) {
  const auto pass = [&](uint8_t source, uint8_t target, Size size, uint64_t ns) {
    Passage p = send(source, target, size, ns + words_of(size) * kBlink + kLink);
    p.arrived = on_blink(target, p.arrived + kLink, words_of(size));
    return p;
  };
  Schedule s{};
  s.at[0] = on_blink(from, begin + kRequest, words_of(request));
  const Passage there = pass(from, to, request, s.at[0]);
  s.at[1] = there.arrived;
  s.ends = std::max(there.echoed, there.arrived);
  if (request != Size::kPlain) return s;
  s.at[2] = on_blink(to, s.at[1] + words_of(request) * kBlink + kHome, words_of(Size::k16));
  s.at[3] = pass(to, from, Size::k16, s.at[2]).arrived;
  s.ends = s.at[3] + words_of(Size::k16) * kBlink + kResponse;
  return s;
}

Passage send_in_ring(SciAdapter* a, uint8_t from, uint8_t to, Size size, uint64_t now, uint64_t ns) {
  const auto take = [&](uint32_t link, uint64_t t, uint64_t symbols) {
    return take_line(a->state.line[link], now, t, symbols);
  };
  return Topology(a->config.nodes, a->config.ringlet).pass(take, from, to, symbols_of(size), ns);
}

}  // namespace

uint64_t edge(uint64_t ns) { return (ns + kBlink - 1) / kBlink * kBlink; }

uint64_t take_blink(SciAdapter* a, uint8_t node, uint64_t now, uint64_t ns, uint64_t words) {
  return take_line(a->state.line[SCI_LINKS + node], now, ns, std::max(words, kLeastWords) * kBlink / kSymbol,
                   kBlink / kSymbol);
}

Schedule schedule(SciAdapter* a, const Transaction& t, uint64_t now, uint64_t begin) {
  const Size request = size_of(t);
  if (!a->config.latency) {
    const auto& behind = a->derived.behind[t.from][t.to][static_cast<int>(request)];
    const uint64_t out = edge(begin + kRequest);
    return {{out, out + behind[0], out + behind[1], out + behind[2]}, 0};
  }
  const auto on_blink = [&](uint8_t node, uint64_t ns, uint64_t words) {
    return take_blink(a, node, now, ns, words);
  };
  const auto send = [&](uint8_t from, uint8_t to, Size size, uint64_t ns) {
    return a->fabric->send(a, from, to, size, now, ns);
  };
  // A node's requests leave in the order in which they were made.
  const uint64_t out = a->state.node[t.from].out_ns;
  return work_out(t.from, t.to, request, std::max(begin, out - std::min(out, kRequest)), on_blink, send);
}

void work_out_empty_ring(SciAdapter* a) {
  const Topology ring(a->config.nodes, a->config.ringlet);
  const auto on_blink = [](uint8_t, uint64_t ns, uint64_t) { return edge(ns); };
  const auto send = [&](uint8_t from, uint8_t to, Size size, uint64_t ns) {
    Passage p = ring.unloaded(from, to, symbols_of(size));
    p.arrived += ns;
    return p;
  };
  for (uint8_t from = 0; from < a->config.nodes; ++from)
    for (uint8_t to = 0; to < a->config.nodes; ++to)
      for (Size size : {Size::kPlain, Size::k16, Size::k64}) {
        if (from == to) continue;
        const Schedule s = work_out(from, to, size, 0, on_blink, send);
        for (int i = 1; i < SCI_PASSES; ++i)
          a->derived.behind[from][to][static_cast<int>(size)][i - 1] =
              static_cast<uint32_t>(s.at[i] - s.at[0]);
      }
}

// Requests of a node that are on their way: 64 times at which one is not outstanding any more, in no order.
// A time that is over is a place for another request.
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

const SciFabric kSciRing = {"ring", perfboard::sci::send_in_ring};
