// SPDX-License-Identifier: GPL-2.0-or-later
//
// The network output: ten-bit elements at half the node clock, and the External FIFO Free handshake
// (Network Output). Elements are computed when somebody looks, for all edges that have passed.
#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kNetworkPeriod = 2;   // node clocks
constexpr unsigned kFirstUserByte = 10;  // first byte of a sample's user data (Table 6)
constexpr uint64_t edge_after(uint64_t cycle) { return (cycle | 1) + 1; }

unsigned bytes_of(const MkSample& sample) { return sample.resource ? MK_RESOURCE_BYTES : MK_TRACE_BYTES; }

const MkSample& last_level(const MkState& s) { return s.fifo[s.head]; }

bool output_on(const MultiKron* m) {
  return !test_bit(m->state, field("TEST_H.NETOFF")) && !m->state.net_stopped &&
         (m->config.free != MK_FREE_PIN || m->state.external_free);
}

// The external FIFO (MK_FREE_FIFO), followed from element to element. A byte is drained at each tick of the
// drain clock. External FIFO Free must be stable 16 ns before an edge. So a byte that is drained in the last
// cycle before an edge frees its place for the next edge.
struct ExternalFifo {
  uint32_t count;
  uint64_t cycle;  // that of count
  uint32_t size, drain_hz, node_hz;

  static ExternalFifo of(const MultiKron* m) {
    return {m->state.external_count, m->state.external_cycle, m->config.free_bytes, m->config.drain_hz,
            m->config.node_hz};
  }
  uint64_t drained(uint64_t at) const {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(at) * drain_hz / node_hz);
  }
  // The first edge, from this one on, at which it has room; kNever.
  uint64_t room_from(uint64_t edge) {
    const uint64_t seen = edge - 1;
    const uint64_t out = drained(seen) - drained(cycle);
    count -= static_cast<uint32_t>(std::min<uint64_t>(count, out));
    cycle = seen;
    if (count < size) return edge;
    if (drain_hz == 0) return kNever;
    const auto next = (static_cast<unsigned __int128>(drained(seen) + 1) * node_hz + drain_hz - 1) / drain_hz;
    count -= 1;
    cycle = static_cast<uint64_t>(next);
    return edge_after(cycle);
  }
};

// Eight bytes of a sample, the first in the upper bits.
uint64_t eight_bytes(const MkState& s, unsigned i) {
  const MkSample& sample = last_level(s);
  if (i == 0) return sample.high;
  if (i == 1) return sample.low;
  return uint64_t{s.shadow[2 * i - 4]} << 32 | s.shadow[2 * i - 3];
}

// Four bytes, the first in the lower bits, as the lower bytes of four 16-bit words.
constexpr uint64_t spread(uint64_t four) {
  four = (four | four << 16) & 0x0000ffff0000ffff;
  return (four | four << 8) & 0x00ff00ff00ff00ff;
}

// Eight elements at once. A guest takes up to 1.5 million samples a second, a benchmark 20 million
// (tests/bench/multikron.cc): made bit by bit, elements would take most of the time.
void make_elements(uint64_t bytes, uint16_t* out) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t data = __builtin_bswap64(bytes);
  uint64_t odd = data ^ data >> 4;  // parity of each byte, in its lowest bit
  odd ^= odd >> 2;
  odd ^= odd >> 1;
  const uint64_t parity = ~odd & kOnes;
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned shift = 32 * half;
    const uint64_t words = spread(data >> shift & UINT32_MAX) | spread(parity >> shift & UINT32_MAX) << 8;
    if constexpr (std::endian::native == std::endian::little)
      std::memcpy(out + 4 * half, &words, sizeof words);
    else
      for (unsigned i = 0; i < 4; ++i) out[4 * half + i] = static_cast<uint16_t>(words >> 16 * i);
  }
}

// Elements from..from+n-1 of the sample in the last level.
void push_elements(MultiKron* m, unsigned from, unsigned n) {
  const MkState& s = m->state;
  if (m->pending_count + n > MK_PENDING_WORDS) hand_over(m);
  uint16_t* out = m->pending + m->pending_count;
  for (unsigned i = from; i < from + n;) {
    if (i % 8 == 0 && from + n - i >= 8) {
      make_elements(eight_bytes(s, i / 8), out);
      out += 8;
      i += 8;
      continue;
    }
    uint16_t eight[8];
    make_elements(eight_bytes(s, i / 8), eight);
    const unsigned end = std::min(from + n, (i | 7) + 1);
    out = std::copy(eight + i % 8, eight + (end - 1) % 8 + 1, out);
    i = end;
  }
  const MkSample& sample = last_level(s);
  if (sample.damage & MK_DAMAGE_BIT && kFirstUserByte >= from && kFirstUserByte < from + n)
    out[static_cast<int>(kFirstUserByte) - static_cast<int>(from + n)] ^= 1;
  if (from + n == bytes_of(sample) && !(sample.damage & MK_DAMAGE_OPEN)) out[-1] |= MK_STREAM_END;
  m->pending_count += n;
}

void pop(MultiKron* m) {
  MkState& s = m->state;
  tell_effect(m, effect("sample-sent"), bytes_of(last_level(s)));
  if (last_level(s).resource) {
    s.shadow_busy = 0;
    tell_effect(m, effect("shadow-freed"));
  }
  s.head = (s.head + 1) % MK_FIFO_MAX;
  --s.count;
  s.sent = 0;
  hand_over_whole(m, ns_of_cycle(m, s.next_edge - kNetworkPeriod));
}

void send(MultiKron* m, unsigned n) {
  MkState& s = m->state;
  push_elements(m, s.sent, n);
  s.sent += n;
  if (s.sent == bytes_of(last_level(s))) pop(m);
}

}  // namespace

void advance(MultiKron* m, const Moment& t) {
  MkState& s = m->state;
  if (output_on(m)) {
    while (s.count && s.next_edge <= t.cycle) {
      if (m->config.free != MK_FREE_FIFO) {
        const unsigned left = bytes_of(last_level(s)) - s.sent;
        const auto n =
            static_cast<unsigned>(std::min<uint64_t>(left, (t.cycle - s.next_edge) / kNetworkPeriod + 1));
        s.next_edge += kNetworkPeriod * n;
        send(m, n);
        continue;
      }
      ExternalFifo fifo = ExternalFifo::of(m);
      const uint64_t edge = fifo.room_from(s.next_edge);
      if (edge > t.cycle) break;
      s.external_count = fifo.count + 1;
      s.external_cycle = fifo.cycle;
      s.next_edge = edge + kNetworkPeriod;
      send(m, 1);
    }
  }
  tally(m, t);
}

void restart_output(MultiKron* m, const Moment& t) {
  m->state.next_edge = std::max(m->state.next_edge, edge_after(t.cycle));
}

void advance_free(MultiKron* m, const Moment& t, bool high) {
  advance(m, t);
  m->state.external_free = high;
  restart_output(m, t);
}

bool output_moves(const MultiKron* m) {
  return m->state.count && output_on(m) && (m->config.free != MK_FREE_FIFO || m->config.drain_hz);
}

uint64_t done_cycle(const MultiKron* m, unsigned samples) {
  const MkState& s = m->state;
  uint64_t elements = 0;
  if (samples == 0 || samples > s.count || !output_on(m)) return kNever;
  for (unsigned i = 0; i < samples; ++i) elements += bytes_of(s.fifo[(s.head + i) % MK_FIFO_MAX]);
  elements -= s.sent;
  if (m->config.free != MK_FREE_FIFO) return s.next_edge + kNetworkPeriod * (elements - 1);
  ExternalFifo fifo = ExternalFifo::of(m);
  uint64_t edge = s.next_edge - kNetworkPeriod;
  for (; elements; --elements) {
    edge = fifo.room_from(edge + kNetworkPeriod);
    if (edge == kNever) return kNever;
    ++fifo.count;
  }
  return edge;
}

void push_event(MultiKron* m, uint16_t event) {
  if (m->pending_count == MK_PENDING_WORDS) hand_over(m);
  m->pending[m->pending_count++] = MK_STREAM_EVENT | event;
  hand_over_whole(m, m->host.now(m->host.opaque));
}

void hand_over(MultiKron* m) {
  if (m->pending_count && m->config.network)
    m->config.network(m->config.opaque, m->pending, m->pending_count);
  m->pending_count = 0;
}

void hand_over_whole(MultiKron* m, uint64_t ns) {
  if (!m->config.whole) return;
  hand_over(m);
  m->config.whole(m->config.opaque, ns);
}

}  // namespace perfboard::mk
