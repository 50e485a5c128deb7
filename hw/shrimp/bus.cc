// SPDX-License-Identifier: GPL-2.0-or-later
//
// The node's bus: the board, which writes what arrives into memory, and the processor share it.
//
// Without contention the processor has the bus whenever it stores, and only one grant comes later for it
// (pipeline.cc). With contention (paper 4.4.2) there is one master at a time:
//
//   the board asks     -> the processor is off the bus; 3 to 4 BCLK later it is the board's, until DMA ends
//   the processor asks -> who asked first is first. Behind DMA it has the bus back after as long an acquisition,
//                         and then keeps it for its turn: CPU_TURN
//   nobody asks        -> the bus goes back to the processor
//
// A processor that waits stands still (hw/qemu/shrimp). So its wait is known when it asks.
#include <algorithm>

#include "hw/shrimp/pipeline.h"

namespace perfboard::sni {
namespace {

const SniFlight& waits_first(const SniState& s) { return s.flight[s.granted % SNI_FLIGHTS]; }

// When the receiver asks for the bus: late enough that DMA of the packet before has ended, and that the two
// packets have the least distance or more.
uint64_t asks_at(const SniBoard& b) {
  const SniState& s = b.state;
  const uint64_t ready = std::max(waits_first(s).arrive + kReceive, s.last_landed);
  if (!s.any_before) return ready;
  const uint64_t spaced = std::max(s.last_start + kMinPeriod, s.last_end + kMinGap);
  return std::max(ready, bclk_edge(spaced - kSStart) - b.config.acquire_ns);
}

// When the processor has the bus that it asks for, `now` or later, for so long.
uint64_t take(SniBoard& b, uint64_t now, uint64_t ns) {
  SniState& s = b.state;
  now = s.now = std::max(s.now, now);
  if (now >= s.next_event) advance(b, now);
  uint64_t from = std::max(now, s.cpu_from);
  const bool in_turn = s.cpu_from && now < s.cpu_from + kCpuTurn;
  if (!in_turn) {
    if (s.done != s.granted) {
      from = acquire(b, s.flight[s.done % SNI_FLIGHTS].landed);
    } else if (s.granted != s.arrived && asks_at(b) <= now) {
      s.grant_late = grant_at(b);  // what the processor asks for from now on does not delay it
      from = acquire(b, passage(waits_first(s), s.grant_late).landed);
    } else if (s.any_before) {
      from = std::max(now, acquire(b, s.last_landed));
    }
    if (from > now) {
      s.cpu_from = from;
      s.cpu_until = from + kCpuTurn;
    }
  }
  s.cpu_until = std::max(s.cpu_until, from + ns);
  s.next_event = 0;
  rearm(b);
  return from;
}

}  // namespace

uint64_t grant_at(const SniBoard& b) {
  const SniState& s = b.state;
  if (s.grant_late) return s.grant_late;
  const uint64_t asks = asks_at(b);
  return acquire(b, b.config.contention ? std::max(asks, s.cpu_until) : asks);
}

Passage passage(const SniFlight& f, uint64_t granted) {
  const Header h = Header::of(f.header);
  Passage p;
  p.start = granted + kSStart;
  const uint64_t data = p.start + 2 * kSCycle;  // header, timestamp; then words in step with EISA
  const uint32_t last = (h.words - 1) & ~1u;    // index of the first 32-bit word in the last 64-bit word
  p.end = last == 0 ? p.start + kSCycle * (1 + h.stamped) : data + eisa_time(h.address, last + 1) - kEisaWord;
  // DMA does not end before the last word has come. A deliberate update's packet arrives while the
  // sender still reads its words, no faster than EISA.
  p.landed = std::max(data + eisa_time(h.address, h.words), f.tail + kReceive + kEisaWord);
  return p;
}

}  // namespace perfboard::sni

using namespace perfboard::sni;

uint64_t sni_store_at(SniBoard* b, uint64_t now, uint64_t addr, uint32_t bytes) {
  if (!b->config.contention || !bytes || !sni_page_mapped_fast(b, addr)) return now;
  const uint64_t cycles = (addr + bytes - 1) / 8 - addr / 8 + 1;
  return take(*b, now, cycles * kCpuBus);
}

uint64_t sni_access_ends(SniBoard* b, uint64_t now) {
  if (!b->config.contention) return now;
  return take(*b, now, kCpuEisa) + kCpuEisa;
}
