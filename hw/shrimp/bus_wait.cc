// SPDX-License-Identifier: GPL-2.0-or-later
//
// A processor that waits for its bus, in a node in step: between two instructions (README.md, Contention). A
// store's cycle is kept here until the wait is over, and what else its instruction has on the bus comes
// behind it. An instruction that accesses a register is given up, and begun again.
#include <algorithm>
#include <cstring>

#include "hw/shrimp/pipeline.h"

using namespace perfboard::sni;

namespace {

void make(SniBoard& b, uint64_t now, const SniCycle& c) {
  if (c.bytes)
    sni_bus_write(&b, now, c.addr, c.seen ? c.data : nullptr, c.bytes);
  else
    sni_bus_read(&b, now, c.addr);
}

// When the cycle is on the bus. The processor loses what it waits, behind its instruction.
uint64_t waits_for_bus(SniBoard& b, uint64_t now, const SniCycle& c) {
  const uint64_t at = c.seen ? sni_store_at(&b, now, c.addr, c.bytes) : now;
  b.state.stands_until += at - now;
  return at;
}

}  // namespace

void sni_cycle(SniBoard* board, uint64_t now, uint64_t ends, uint64_t addr, const uint8_t* data,
               uint32_t bytes) {
  SniBoard& b = *board;
  SniState& s = b.state;
  SniCycle c = {.addr = addr, .bytes = bytes, .seen = data && bytes, .spare = {}, .data = {}};
  if (c.seen) std::memcpy(c.data, data, std::min<uint32_t>(bytes, SNI_CYCLE_BYTES));
  // No instruction has so many. If one had, its last ones would not be on the bus.
  if (s.cycles == SNI_CYCLES) return;
  if (!s.cycles) {
    now = sni_told(board, now);
    if (s.stands_until < ends) s.stands_until = ends;
    const uint64_t at = waits_for_bus(b, now, c);
    if (s.stands_until == ends) s.stands_until = 0;
    if (at <= ends) return make(b, at, c);
    s.cycle_at = at;
  }
  s.cycle[s.cycles++] = c;
}

bool sni_access_waits(SniBoard* board, uint64_t now, uint64_t takes, bool late) {
  SniState& s = board->state;
  const bool again = sni_begins_again(board, now);
  s.access_at = 0;
  if (again) return false;
  const uint64_t ends = sni_access_ends(board, now);
  if (late || s.cycles) {
    s.stands_until = std::max(s.stands_until, now) + (ends - now);
    return false;
  }
  s.access_at = ends;
  s.stands_until = ends - takes;
  return true;
}

bool sni_begins_again(const SniBoard* b, uint64_t now) { return b->state.access_at == now; }

uint64_t sni_bus_waits_until(const SniBoard* b) {
  return b->state.cycles ? b->state.cycle_at : b->state.stands_until;
}

bool sni_bus_waited(SniBoard* board, uint64_t now) {
  SniBoard& b = *board;
  SniState& s = b.state;
  while (s.cycles && s.cycle_at <= now) {
    make(b, s.cycle_at, s.cycle[0]);
    s.cycles--;
    std::copy(s.cycle + 1, s.cycle + 1 + s.cycles, s.cycle);
    s.cycle_at = s.cycles ? waits_for_bus(b, s.cycle_at, s.cycle[0]) : 0;
  }
  if (s.cycles || s.stands_until > now) return false;
  s.stands_until = 0;
  return s.access_at > now;
}
