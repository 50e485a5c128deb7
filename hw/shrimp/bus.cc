// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine's bus: the boards, which write what arrives into memory, and the processor share it.
//
// Without contention the processor has the bus whenever it stores, and only one grant comes later for it
// (pipeline.cc). With contention there is one master at a time: README.md, Contention. A processor that waits
// stands still (hw/qemu/shrimp). So its wait is known when it asks.
//
// The bus has no state of its own. Each board remembers its own DMA (last_landed) and, as all boards on the
// bus see it, what the processor did (cpu_from, cpu_until). What holds is the latest that any of them knows:
// one that was reset knows nothing.
#include <algorithm>
#include <array>

#include "hw/shrimp/pipeline.h"

namespace perfboard::sni {
namespace {

const SniFlight& waits_first(const SniState& s) { return s.flight[s.granted % SNI_FLIGHTS]; }

bool waits(const SniState& s) { return s.done == s.granted && s.granted != s.arrived; }

// When the receiver asks for the bus: late enough that DMA of the packet before has ended, and that the two
// packets have the least distance or more.
uint64_t asks_at(const SniBoard& b) {
  const SniState& s = b.state;
  const uint64_t ready = std::max(waits_first(s).arrive + kReceive, s.last_landed);
  if (!s.any_before) return ready;
  const uint64_t spaced = std::max(s.last_start + kMinPeriod, s.last_end + kMinGap);
  return std::max(ready, bclk_edge(spaced - kSStart) - b.config.acquire_ns);
}

// The bus as its boards know it.
struct Known {
  uint64_t cpu_from = 0, cpu_until = 0;
  uint64_t landed = 0;  // of the last DMA that was granted
  bool any = false;     // there was one
  bool dma = false;     // it is under way

  void hears(const SniState& s) {
    cpu_from = std::max(cpu_from, s.cpu_from);
    cpu_until = std::max(cpu_until, s.cpu_until);
    landed = std::max(landed, s.last_landed);
    any |= s.any_before;
    dma |= s.done != s.granted;
  }
};

Known known(const SniBoard& b) {
  Known k;
  each_on_bus(b, [&](const SniBoard& other) { k.hears(other.state); });
  return k;
}

// The boards that have asked for the bus by now, and do not have it. Each gets its grant: what the processor
// asks for from now on does not delay it. When the last one's DMA has ended; 0: there is none.
uint64_t grant_before(SniBoard& b, uint64_t now) {
  std::array<SniBoard*, EISA_LAST_SLOT> asked;
  size_t n = 0;
  const auto look = [&](SniBoard& other) {
    if (!waits(other.state) || asks_at(other) > now) return;
    size_t i = n++;
    for (; i && asked_before(other, *asked[i - 1]); i--) asked[i] = asked[i - 1];
    asked[i] = &other;
  };
  each_on_bus(b, look);
  uint64_t landed = 0;
  for (size_t i = 0; i < n; i++) {
    SniState& s = asked[i]->state;
    s.grant_late = std::max(grant_at(*asked[i]), landed ? acquire(b, landed) : 0);
    landed = passage(waits_first(s), s.grant_late).landed;
  }
  return landed;
}

// All boards on the bus see when the processor has it.
void processor_has(SniBoard& b, uint64_t from, uint64_t until) {
  each_on_bus(b, [&](SniBoard& other) {
    other.state.cpu_from = from;
    other.state.cpu_until = until;
    other.state.next_event = 0;
    rearm(other);
  });
}

// When the processor has the bus that it asks for, `now` or later, for so long.
uint64_t take(SniBoard& b, uint64_t now, uint64_t ns) {
  SniState& s = b.state;
  now = s.now = sni_told(&b, now);
  if (now >= s.next_event || !is_alone(b)) advance(b, now);
  Known k = known(b);
  uint64_t from = std::max(now, k.cpu_from);
  const bool in_turn = k.cpu_from && now < k.cpu_from + kCpuTurn;
  if (!in_turn) {
    if (const uint64_t last = std::max(grant_before(b, now), k.dma ? k.landed : 0)) {
      from = acquire(b, last);
    } else if (k.any) {
      from = std::max(now, acquire(b, k.landed));
    }
    if (from > now) {
      k.cpu_from = from;
      k.cpu_until = from + kCpuTurn;
    }
  }
  processor_has(b, k.cpu_from, std::max(k.cpu_until, from + ns));
  return from;
}

bool any_maps(const SniBoard& b, uint64_t addr) {
  bool maps = false;
  each_on_bus(b, [&](const SniBoard& other) { maps |= sni_page_mapped_fast(&other, addr); });
  return maps;
}

}  // namespace

bool asked_before(const SniBoard& b, const SniBoard& other) { return asks_at(b) < asks_at(other); }

uint64_t grant_at(const SniBoard& b) {
  const SniState& s = b.state;
  if (s.grant_late) return s.grant_late;
  const uint64_t asks = asks_at(b);
  if (!b.config.contention) return acquire(b, asks);
  const Known k = known(b);
  return acquire(b, std::max({asks, k.cpu_until, k.landed}));
}

void bus_changed(SniBoard& b) {
  each_on_bus(b, [&](SniBoard& other) {
    if (&other == &b) return;
    other.state.next_event = 0;
    rearm(other);
  });
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
  if (!b->config.contention || !bytes || !any_maps(*b, addr)) return now;
  const uint64_t cycles = (addr + bytes - 1) / 8 - addr / 8 + 1;
  return take(*b, now, cycles * kCpuBus);
}

uint64_t sni_told(const SniBoard* b, uint64_t now) {
  each_on_bus(*b, [&](const SniBoard& other) { now = std::max(now, other.state.now); });
  return now;
}

uint64_t sni_access_ends(SniBoard* b, uint64_t now) {
  if (!b->config.contention) return now;
  return take(*b, now, kCpuEisa) + kCpuEisa;
}
