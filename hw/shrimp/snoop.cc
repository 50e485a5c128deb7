// SPDX-License-Identifier: GPL-2.0-or-later
//
// From the memory bus to the outgoing FIFO: the paper's combining (2.2.1).
//
// A write comes as bus cycles of a 64-bit bus with byte enables. A whole 32-bit word can be
// combined; a partial word cannot, because only a one-word packet carries byte enables.
#include <algorithm>
#include <cstring>

#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {
namespace {

struct Page {
  uint32_t to;   // OPT0
  uint32_t how;  // OPT1
};

uint32_t tail(const SniBoard& b) { return ring(b, b.state.fifo_head + b.state.fifo_count); }

bool room(const SniBoard& b, uint32_t words) { return b.state.fifo_count + words <= b.config.fifo_words; }

void take(SniBoard& b, uint32_t words) {
  const bool was_high = above_high_water(b.state);
  b.state.fifo_count += words;
  watch_high_water(b, was_high);
}

// A new packet with its first word. False: no room, nothing happened.
bool begin(SniBoard& b, uint64_t now, uint64_t addr, uint32_t word, Page page, uint32_t byte_enables) {
  SniState& s = b.state;
  const bool stamped = s.scr & bit::kTse;
  const uint32_t words = 2u + stamped;
  if (!room(b, words)) return false;
  const uint32_t at = tail(b);
  const Header h{1,
                 byte_enables,
                 stamped,
                 false,
                 uint16_t(page.to >> 16 & 0xfff),
                 (page.to & 0x7fff) << 12 | uint32_t(addr & 0xffc),
                 key_of(page.how)};
  s.fifo[at] = h.pack();
  s.fifo_time[at] = now;
  if (stamped) s.fifo[ring(b, at + 1)] = sni_clock(&b, now);
  s.fifo[ring(b, at + 1 + stamped)] = word;
  s.open = 1;
  s.open_timed = (page.how & bit::kToe) != 0;
  s.open_at = at;
  s.open_words = 1;
  s.open_last = now;
  s.open_next = addr + 4;
  const uint64_t bytes = boundary_bytes(page.how);
  s.open_limit = (addr & ~(bytes - 1)) + bytes;
  if (s.open_timed) s.next_event = 0;
  take(b, words);
  return true;
}

// The next word of the open packet. False: no room, nothing happened.
bool append(SniBoard& b, uint64_t now, uint32_t word) {
  SniState& s = b.state;
  const uint32_t stamped = Header::of(s.fifo[s.open_at]).stamped;
  const uint32_t at = ring(b, s.open_at + 1 + stamped + s.open_words / 2);
  if (s.open_words & 1) {
    s.fifo[at] |= uint64_t{word} << 32;
  } else {
    if (!room(b, 1)) return false;
    s.fifo[at] = word;
    take(b, 1);
  }
  s.open_words++;
  s.open_next += 4;
  s.open_last = now;
  return true;
}

bool combine(SniBoard& b, uint64_t now, uint64_t addr, uint32_t word, Page page) {
  SniState& s = b.state;
  if (s.open && addr != s.open_next) close_packet(b, ENDN, now);
  if (s.open ? !append(b, now, word) : !begin(b, now, addr, word, page, 15)) return false;
  if (s.open_next == s.open_limit) close_packet(b, ENDB, now);
  return true;
}

bool partial(SniBoard& b, uint64_t now, uint64_t addr, uint32_t word, Page page, uint32_t byte_enables) {
  SniState& s = b.state;
  close_packet(b, s.open_next == addr ? ENDP : ENDN, now);
  if (!begin(b, now, addr, word, page, byte_enables)) return false;
  close_packet(b, ENDP, now);
  return true;
}

// Whole words of one cycle to a page without combining: one packet.
bool alone(SniBoard& b, uint64_t now, uint64_t addr, const uint32_t* word, uint32_t words, Page page) {
  close_packet(b, ENDN, now);
  if (!begin(b, now, addr, word[0], page, 15)) return false;
  if (words == 2) append(b, now, word[1]);  // the upper half of the FIFO word that begin() took
  close_packet(b, ENDD, now);
  return true;
}

// A store for which there was no room.
void lose(SniBoard& b) {
  b.state.counter[OVFC]++;
  raise(b, bit::kOvf);
  tell_effect(&b, effect("store-lost"));
}

// One bus cycle: the 8-byte lane at addr, with byte enables.
void cycle(SniBoard& b, uint64_t now, uint64_t addr, const uint8_t* lane, uint32_t enables, Page page) {
  SniState& s = b.state;
  uint32_t word[2];
  for (int i = 0; i < 2; i++)
    word[i] = uint32_t{lane[4 * i]} | uint32_t{lane[4 * i + 1]} << 8 | uint32_t{lane[4 * i + 2]} << 16 |
              uint32_t{lane[4 * i + 3]} << 24;
  s.counter[AUS]++;
  uint32_t lost = 0;
  if (inject_once(b, s.injected.fifo_overflow, injection("inject-fifo-overflow"))) return lose(b);
  const auto done = [&](bool stored, uint32_t words) {
    if (stored)
      s.counter[AUW] += words;
    else
      lost += words;
  };
  const bool comb = page.how & bit::kComb;
  if (!comb && enables == 0xff) {
    done(alone(b, now, addr, word, 2, page), 2);
  } else {
    for (uint32_t i = 0; i < 2; i++) {
      const uint32_t be = enables >> (4 * i) & 15;
      const uint64_t at = addr + 4 * i;
      if (be == 0) continue;
      if (be != 15)
        done(partial(b, now, at, word[i], page, be), 1);
      else if (comb)
        done(combine(b, now, at, word[i], page), 1);
      else
        done(alone(b, now, at, &word[i], 1, page), 1);
    }
  }
  if (lost) lose(b);
}

// A bus cycle at addr, which is no store to a mapped page, has ended combining.
void end_by(SniBoard& b, uint32_t cause, uint64_t now, uint64_t addr) {
  close_packet(b, cause, now);
  tell_effect(&b, effect("combining-ended"), addr);
  rearm(b);
}

}  // namespace

void close_packet(SniBoard& b, uint32_t cause, uint64_t t) {
  SniState& s = b.state;
  if (!s.open) return;
  Header h = Header::of(s.fifo[s.open_at]);
  h.words = s.open_words;
  s.fifo[s.open_at] = h.pack();
  s.fifo_time[ring(b, s.open_at + 1)] = t;
  s.fifo_packets++;
  s.open = 0;
  s.counter[cause]++;
  tell_effect(&b, effect("packet-closed"), cause);
  s.next_event = 0;  // the FIFO may have a packet to send now
}

// The timeout counts ticks of the 10 MHz clock, from the tick in which the last word came.
uint64_t timeout_at(const SniState& s) {
  if (!s.open || !s.open_timed) return PB_NEVER;
  const uint64_t since = s.open_last - s.clock_base;
  const uint64_t edge = s.clock_base + (since / kTick + s.ctor) * kTick;
  return std::max(edge, s.open_last);
}

void watch_high_water(SniBoard& b, bool was_high) {
  if (was_high || !above_high_water(b.state)) return;
  b.state.fifo_was_high = 1;
  raise(b, bit::kHw);
  tell_effect(&b, effect("high-water"), b.state.fifo_count);
}

void watch_low_water(SniBoard& b) {
  if (!b.state.fifo_was_high || b.state.fifo_count > b.state.flwm) return;
  b.state.fifo_was_high = 0;
  raise(b, bit::kLw);
  tell_effect(&b, effect("low-water"), b.state.fifo_count);
}

void recount_pages(SniState& s) {
  s.mapped_pages = s.combining_pages = 0;
  for (const auto& e : s.out_table) {
    if (!(e[0] & bit::kAu)) continue;
    s.mapped_pages++;
    s.combining_pages += e[1] & bit::kComb;
  }
}

void refresh_snooping(SniBoard& b) { b.state.snooping = active(b.state) && (b.state.scr & bit::kAue); }

}  // namespace perfboard::sni

using namespace perfboard::sni;

SniWants sni_wants(const SniBoard* b) {
  if (!b->state.snooping || b->state.mapped_pages == 0) return SNI_WANTS_NOTHING;
  return b->state.combining_pages ? SNI_WANTS_LOADS_TOO : SNI_WANTS_STORES;
}

bool sni_page_mapped(const SniBoard* b, uint64_t addr) { return sni_page_mapped_fast(b, addr); }

void sni_bus_write(SniBoard* board, uint64_t now, uint64_t addr, const uint8_t* data, uint32_t bytes) {
  SniBoard& b = *board;
  SniState& s = b.state;
  if (!s.snooping || bytes == 0) return;
  now = std::max(now, s.now);
  s.now = now;
  if (now >= s.next_event) advance(b, now);

  if (!data || !sni_page_mapped_fast(board, addr)) {
    s.counter[BWR]++;
    if (s.open) end_by(b, ENDN, now, addr);
    return;
  }
  const Page page{s.out_table[addr >> 12][0], s.out_table[addr >> 12][1]};
  if (!b.config.contention) s.cpu_from = s.cpu_until = now;
  while (bytes) {
    const uint32_t skip = addr & 7, n = std::min(8 - skip, bytes);
    uint8_t lane[8] = {};
    std::memcpy(lane + skip, data, n);
    if (!b.config.contention) s.cpu_until += kCpuBus;
    cycle(b, now, addr & ~7ull, lane, ((1u << n) - 1) << skip, page);
    addr += n;
    data += n;
    bytes -= n;
  }
  if (s.next_event == 0 || s.sisr != 0) rearm(b);
}

void sni_bus_read(SniBoard* board, uint64_t now, uint64_t addr) {
  SniBoard& b = *board;
  SniState& s = b.state;
  if (!s.snooping) return;
  now = std::max(now, s.now);
  s.now = now;
  if (now >= s.next_event) advance(b, now);
  s.counter[BRD]++;
  if (s.open) end_by(b, ENDR, now, addr);
}

void sni_bus_counted(SniBoard* b, uint64_t reads, uint64_t writes) {
  if (!b->state.snooping) return;
  b->state.counter[BRD] += reads;
  b->state.counter[BWR] += writes;
}
