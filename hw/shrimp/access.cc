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

uint32_t read_register(SniBoard& b, uint32_t offset) {
  SniState& s = b.state;
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
    case 0x30: {
      const uint64_t clock = sni_clock(&b, s.now);
      s.clkh = uint32_t(clock >> 32);
      return uint32_t(clock);
    }
    default:
      return *stored(s, offset);
  }
}

// A 64-bit value, half by half: the low half latches the high one.
uint32_t read_half(SniState& s, uint32_t offset, uint64_t value) {
  const uint32_t low = offset & ~7u;
  if (offset == low) {
    s.latch_offset = low;
    s.latch = uint32_t(value >> 32);
    return uint32_t(value);
  }
  return s.latch_offset == low ? s.latch : uint32_t(value >> 32);
}

// False: nothing is there.
bool read_word(SniBoard& b, uint32_t offset, uint32_t* value) {
  SniState& s = b.state;
  if (offset >= kCounters && offset < kCountersEnd) {
    const uint32_t index = (offset - kCounters) / 8;
    if (index == kNoCounter) return false;
    *value = read_half(s, offset, s.counter[index]);
  } else if (offset >= kTerms && offset < kTermsEnd) {
    const SniLatency& l = s.latency[(offset - kTerms) / 16];
    switch (offset & 12) {
      case 8:
        *value = l.min;
        break;
      case 12:
        *value = l.max;
        break;
      default:
        *value = read_half(s, offset, l.sum);
    }
  } else if (offset >= kOutTable && offset < kInTable) {
    *value = s.out_table[(offset - kOutTable) / 8][offset >> 2 & 1];
  } else if (offset >= kInTable && offset < kInTableEnd) {
    *value = s.in_table[(offset - kInTable) / 4] | 0x100;  // COLOR01
  } else if (find(kRegisters, offset)) {
    *value = read_register(b, offset);
  } else {
    return false;
  }
  return true;
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
  }
}

void write_register(SniBoard& b, const Register& r, Lanes lanes, uint32_t value) {
  SniState& s = b.state;
  const bool was_high = above_high_water(s);
  uint32_t* const reg = stored(s, r.offset);
  if (r.offset == 0x00) return write_scr(b, r, lanes, value);
  if (!reg) return;  // read only
  *reg = bank_write(r, *reg, lanes, value);
  switch (r.offset) {
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
  const SniWants wanted = sni_wants(&b);
  const bool au = s.out_table[page][0] & bit::kAu, comb = s.out_table[page][1] & bit::kComb;
  if (s.open && (s.open_next - 4) >> 12 == page) close_packet(b, ENDF, s.now);
  entry = fresh;
  const bool au_now = s.out_table[page][0] & bit::kAu, comb_now = s.out_table[page][1] & bit::kComb;
  s.mapped_pages += au_now - au;
  s.combining_pages += (au_now && comb_now) - (au && comb);
  if ((au != au_now || wanted != sni_wants(&b)) && b.config.observe)
    b.config.observe(b.config.opaque, page, 1);
}

}  // namespace
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
  log_guest_error(&b, "access of %u bytes at 0x%05x crosses a register", size, offset);
  return true;
}

}  // namespace

uint32_t sni_io_read(SniBoard* b, uint32_t offset, uint32_t size) {
  if (crosses(*b, offset, size)) return idle(size);
  const Register* r = find(kIoRegisters, offset & ~3u);
  if (!r) {
    log_guest_error(b, "read of slot register 0x%03x: nothing is there", offset);
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
  if (!r) return log_guest_error(&b, "write of slot register 0x%03x: nothing is there", offset);
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
  uint32_t value = 0;
  const uint32_t word = offset & ~3u;
  const bool there = read_word(b, word, &value);
  leave(b);
  if (!there) {
    log_guest_error(&b, "read of register 0x%05x: nothing is there", offset);
    return idle(size);
  }
  const Lanes lanes = Lanes::of(offset & 3, size);
  const Register* r = find(kRegisters, word);
  return r ? bank_read(*r, value, lanes) : (value & lanes.mask) >> lanes.shift;
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
  } else if (uint32_t there; !read_word(b, word, &there)) {
    log_guest_error(&b, "write of register 0x%05x: nothing is there", offset);
  } else {
    log_guest_error(&b, "write of register 0x%05x: counters are read only", offset);
  }
  b.state.next_event = 0;
  leave(b);
}
