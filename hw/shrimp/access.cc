// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers and page tables: what software reads and writes.
#include <algorithm>

#include "hw/core/bank.h"
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {
namespace {

constexpr uint32_t kIdle = 0xffffffff;  // the bus when nobody answers
constexpr uint32_t kClkl = at(kRegisters, "CLKL").offset;

uint32_t idle(uint32_t size) { return size >= 4 ? kIdle : (1u << (8 * size)) - 1; }

// The member that holds the register's value. Null: the value is computed.
uint32_t* stored(SniState& s, uint32_t offset) {
  switch (offset) {
    case 0x00:
      return &s.scr;
    case 0x08:
      return &s.sisr;
    case 0x0c:
      return &s.sier;
    case 0x20:
      return &s.fhwm;
    case 0x24:
      return &s.flwm;
    case 0x28:
      return &s.ctor;
    case 0x34:
      return &s.clkh;
    case 0x38:
      return &s.rxpg;
    case 0x3c:
      return &s.rxep;
    case 0x40:
      return &s.dusa;
    case 0x44:
      return &s.duda;
    case 0x48:
      return &s.dudn;
    case 0x4c:
      return &s.duwc;
    default:
      return nullptr;
  }
}

uint32_t status(const SniBoard& b) {
  const SniState& s = b.state;
  return s.open | (s.fifo_count >= b.config.fifo_words) << 1 | above_high_water(s) << 2 |
         (s.fifo_count <= s.flwm) << 3 | (s.fifo_count == 0) << 4 | s.du_busy << 5 |
         (s.granted != s.popped) << 6;
}

uint32_t peek_register(const SniBoard& b, uint64_t now, uint32_t offset) {
  const SniState& s = b.state;
  const SniConfig& c = b.config;
  switch (offset) {
    case 0x04:
      return status(b);
    case 0x08:
      return s.sisr | uint32_t{s.irq} << 31;
    case 0x10:
      return uint32_t{c.node} << 16 | coordinate(c, c.node);
    case 0x14:
      return uint32_t{c.nodes} << 16 | uint32_t(c.nodes + c.mesh_width - 1) / c.mesh_width << 8 |
             c.mesh_width;
    case 0x18:
      return c.fifo_words;
    case 0x1c:
      return s.fifo_count;
    case kClkl:
      return uint32_t(sni_clock(&b, now));
    default:
      return *stored(const_cast<SniState&>(s), offset);
  }
}

// A 64-bit value, half by half: reading the low half latches the high one.
uint32_t peek_half(const SniState& s, uint32_t offset, uint64_t value) {
  const uint32_t low = offset & ~7u;
  if (offset == low) return uint32_t(value);
  return s.latch_offset == low ? s.latch : uint32_t(value >> 32);
}

// The 64-bit value whose low word is at an offset; none: null.
const uint64_t* wide_at(const SniState& s, uint32_t low) {
  if (low >= kCounters && low < kCountersEnd) {
    const uint32_t index = (low - kCounters) / 8;
    return index == kNoCounter ? nullptr : &s.counter[index];
  }
  if (low >= kTerms && low < kTermsEnd && low % 16 == 0) return &s.latency[(low - kTerms) / 16].sum;
  return nullptr;
}

// What reading a word does besides.
void latch(SniBoard& b, uint32_t offset) {
  SniState& s = b.state;
  const uint32_t low = offset & ~7u;
  if (offset == kClkl) {
    s.clkh = uint32_t(sni_clock(&b, s.now) >> 32);
  } else if (const uint64_t* wide = wide_at(s, low)) {
    if (offset != low) {
      if (s.latch_offset != low)
        log_mistake(&b, kHighFirst, "read of register 0x%05x: its low word was not read before", offset);
      return;
    }
    s.latch_offset = low;
    s.latch = uint32_t(*wide >> 32);
  }
}

// SBCR or SCR changed what the board does.
void mode_changed(SniBoard& b, bool was_active, bool was_snooping) {
  SniState& s = b.state;
  refresh_snooping(b);
  if (was_snooping && !s.snooping) close_packet(b, ENDF, s.now);
  if (!was_active && active(s)) s.link_free = std::max(s.link_free, s.now);
  s.next_event = 0;
  if (was_snooping != bool(s.snooping) && b.config.observe) b.config.observe(b.config.opaque, 0, SNI_PAGES);
}

void write_scr(SniBoard& b, const Register& r, Lanes lanes, uint32_t value) {
  SniState& s = b.state;
  const bool was_active = active(s), was_snooping = s.snooping;
  const uint32_t fresh = bank_write(r, s.scr, lanes, value);
  s.scr = fresh & r.mask(Access::rw);
  mode_changed(b, was_active, was_snooping);
  if (fresh & bit::kFlush) close_packet(b, ENDF, s.now);
  if (fresh & bit::kGrst) global_reset(b, s.now);
  if (fresh & bit::kCrst) {
    for (uint64_t& c : s.counter) c = 0;
    for (SniLatency& l : s.latency) l = {0, UINT32_MAX, 0};
    s.latch_offset = 0;
    tell_effect(&b, kCountersCleared);
  }
}

void write_register(SniBoard& b, const Register& r, Lanes lanes, uint32_t value) {
  SniState& s = b.state;
  const bool was_high = above_high_water(s);
  uint32_t* const reg = stored(s, r.offset);
  if (r.offset == 0x00) return write_scr(b, r, lanes, value);
  constexpr Access writable[] = {Access::rw, Access::wo, Access::w1c};
  if (std::ranges::none_of(writable, [&](Access a) { return r.mask(a) != 0; }))
    log_mistake(&b, kReadOnly, "write of %.*s, which is read only", int(r.name.size()), r.name.data());
  if (!reg) return;  // read only
  if (lanes.bytes < r.min_write_bytes)
    log_mistake(&b, kNarrowWrite, "%.*s ignores %u-byte writes", int(r.name.size()), r.name.data(),
                lanes.bytes);
  *reg = bank_write(r, *reg, lanes, value);
  switch (r.offset) {
    case 0x0c:
      if (s.sier && kIrqOfLevel[s.sbcr >> 8 & 7] == 0)
        log_mistake(&b, kNoLine, "SIER: an interrupt enabled while SBCR.IRLEV names no line");
      break;
    case 0x20:
      watch_high_water(b, was_high);
      break;
    case 0x24:
      watch_low_water(b);
      break;
    case 0x28:
      if (timeout_at(s) < s.now) close_packet(b, ENDT, s.now);
      break;
    case 0x4c:
      if (lanes.bytes >= r.min_write_bytes) start_deliberate(b, s.now);
      break;
    default:
      break;
  }
}

void write_outgoing(SniBoard& b, uint32_t offset, Lanes lanes, uint32_t value) {
  SniState& s = b.state;
  const uint32_t page = (offset - kOutTable) / 8, word = offset >> 2 & 1;
  uint32_t& entry = s.out_table[page][word];
  const uint32_t old = entry, fresh = bank_write(kTableEntries[word], old, lanes, value);
  if (fresh == old) return;
  if (word == 0 && fresh & bit::kAu && !node_exists(b, fresh >> 16 & 0xfff))
    log_mistake(&b, kNoNode, "OPT0: page %u is mapped to %03x, where no node is", page, fresh >> 16 & 0xfff);
  if (word == 1 && (fresh >> 1 & 7) > 4)
    log_mistake(&b, kReservedBoundary, "OPT1: page %u: BOUND %u acts as 4", page, fresh >> 1 & 7);
  const SniWants wanted = sni_wants(&b);
  const bool au = s.out_table[page][0] & bit::kAu, comb = s.out_table[page][1] & bit::kComb;
  if (s.open && (s.open_next - 4) >> 12 == page) close_packet(b, ENDF, s.now);
  entry = fresh;
  const bool au_now = s.out_table[page][0] & bit::kAu, comb_now = s.out_table[page][1] & bit::kComb;
  if (au != au_now) tell_effect(&b, au_now ? kPageMapped : kPageUnmapped, page);
  s.mapped_pages += au_now - au;
  s.combining_pages += (au_now && comb_now) - (au && comb);
  if ((au != au_now || wanted != sni_wants(&b)) && b.config.observe)
    b.config.observe(b.config.opaque, page, 1);
}

}  // namespace

std::optional<uint32_t> peek_word(const SniBoard& b, uint64_t now, uint32_t offset) {
  const SniState& s = b.state;
  if (offset >= kTerms && offset < kTermsEnd && offset & 8) {
    const SniLatency& l = s.latency[(offset - kTerms) / 16];
    return offset & 4 ? l.max : l.min;
  }
  if (const uint64_t* wide = wide_at(s, offset & ~7u)) return peek_half(s, offset, *wide);
  if (offset >= kOutTable && offset < kInTable) return s.out_table[(offset - kOutTable) / 8][offset >> 2 & 1];
  if (offset >= kInTable && offset < kInTableEnd)
    return s.in_table[(offset - kInTable) / 4] | 0x100u;  // COLOR01
  if (find(kRegisters, offset)) return peek_register(b, now, offset);
  return std::nullopt;
}

}  // namespace perfboard::sni

using namespace perfboard;
using namespace perfboard::sni;

namespace {

// An access sees the board as it is at the access's time.
void enter(SniBoard& b) {
  b.state.now = std::max(b.state.now, b.host.now(b.host.opaque));
  advance(b, b.state.now);
  drive_irq(b);
}

void leave(SniBoard& b) {
  drive_irq(b);
  rearm(b);
}

bool crosses(SniBoard& b, uint32_t offset, uint32_t size) {
  if (size != 0 && (offset & 3) + size <= 4) return false;
  log_mistake(&b, kCrosses, "access of %u bytes at 0x%05x crosses a register", size, offset);
  return true;
}

}  // namespace

uint32_t sni_io_read(SniBoard* b, uint32_t offset, uint32_t size) {
  if (crosses(*b, offset, size)) return idle(size);
  const Register* r = find(kIoRegisters, offset & ~3u);
  if (!r) {
    log_mistake(b, kUnusedOffset, "read of slot register 0x%03x: nothing is there", offset);
    return idle(size);
  }
  return bank_read(*r, r->offset == kIoBase ? b->config.product_id : b->state.sbcr,
                   Lanes::of(offset & 3, size));
}

void sni_io_write(SniBoard* board, uint32_t offset, uint32_t value, uint32_t size) {
  SniBoard& b = *board;
  SniState& s = b.state;
  if (crosses(b, offset, size)) return;
  const Register* r = find(kIoRegisters, offset & ~3u);
  if (!r) return log_mistake(&b, kUnusedOffset, "write of slot register 0x%03x: nothing is there", offset);
  if (r->offset == kIoBase) return;  // some systems write to the ID before they read it
  enter(b);
  const uint32_t old = s.sbcr;
  const bool was_active = active(s), was_snooping = s.snooping;
  if (s.irq && (old ^ bank_write(*r, old, Lanes::of(offset & 3, size), value)) & 0x700) {
    s.irq = 0;  // the old line goes down before IRLEV names another
    b.host.set_irq(b.host.opaque, false);
  }
  s.sbcr = bank_write(*r, old, Lanes::of(offset & 3, size), value);
  mode_changed(b, was_active, was_snooping);
  if (old != s.sbcr && b.config.remap) b.config.remap(b.config.opaque);
  leave(b);
}

uint32_t sni_reg_read(SniBoard* board, uint32_t offset, uint32_t size) {
  SniBoard& b = *board;
  if (crosses(b, offset, size)) return idle(size);
  enter(b);
  const uint32_t word = offset & ~3u;
  const std::optional<uint32_t> value = peek_word(b, b.state.now, word);
  if (value) latch(b, word);
  leave(b);
  if (!value) {
    log_mistake(&b, kUnusedOffset, "read of register 0x%05x: nothing is there", offset);
    return idle(size);
  }
  const Lanes lanes = Lanes::of(offset & 3, size);
  const Register* r = find(kRegisters, word);
  return r ? bank_read(*r, *value, lanes) : (*value & lanes.mask) >> lanes.shift;
}

void sni_reg_write(SniBoard* board, uint32_t offset, uint32_t value, uint32_t size) {
  SniBoard& b = *board;
  if (crosses(b, offset, size)) return;
  const Lanes lanes = Lanes::of(offset & 3, size);
  const uint32_t word = offset & ~3u;
  enter(b);
  if (const Register* r = find(kRegisters, word)) {
    write_register(b, *r, lanes, value);
  } else if (word >= kOutTable && word < kInTable) {
    write_outgoing(b, word, lanes, value);
  } else if (word >= kInTable && word < kInTableEnd) {
    uint16_t& entry = b.state.in_table[(word - kInTable) / 4];
    entry = uint16_t(bank_write(kTableEntries[2], entry, lanes, value));
  } else if (!peek_word(b, b.state.now, word)) {
    log_mistake(&b, kUnusedOffset, "write of register 0x%05x: nothing is there", offset);
  } else {
    log_mistake(&b, kReadOnly, "write of register 0x%05x: counters are read only", offset);
  }
  b.state.next_event = 0;
  leave(b);
}
