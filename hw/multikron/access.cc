// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses: from a window of the card to an address of the chip (Table 1), and what each address
// does (Table A-1).
#include "hw/multikron/access.h"

#include <iterator>
#include <utility>

namespace perfboard::mk {
namespace {

constexpr uint64_t kLow = 0xffffffffu, kHigh = kLow << 32, kAll = ~uint64_t{0};
constexpr uint64_t kMuxBits = uint64_t{bits("MUXSEL_H.MSB")} << 32 | bits("MUXSEL.LSB");
constexpr uint64_t kTestBits = uint64_t{at(kRegisters, "TEST_H").mask(rw)} << 32 | kLow;
constexpr uint64_t kNoFunction = uint64_t{bits("TEST_H.NOTHING")} << 32;
constexpr uint64_t kWrong = uint64_t{1} << 63;
// CSR: above each of these bits, which set, stands the bit that clears (Table 2).
constexpr uint32_t kCsrSets = bits("CSR.SE") | bits("CSR.WWAIT") | bits("CSR.RWAIT") | bits("CSR.SLOW10");

bool in(unsigned address, unsigned first, unsigned n) { return address >= first && address < first + n; }

void write_csr(MultiKron* m, const Moment& t, uint32_t value) {
  MkState& s = m->state;
  if (const uint32_t both = value & value >> 1 & kCsrSets)
    log_mistake(m, kSetAndClear, "CSR: bits 0x%x are set and cleared at once: cleared", both);
  count(m, t);  // the slow clock may change
  const bool could_hold = can_hold_for_ever(s);
  s.csr = (s.csr | (value & kCsrSets)) & ~(value >> 1 & kCsrSets);
  warn_of_hold(m, could_hold);
}

mk_result read_counter(MultiKron* m, const Moment& t, const MkAccess& a, unsigned counter, uint64_t* value) {
  MkState& s = m->state;
  *value = 0;
  if (s.shadow_busy) {
    if (s.csr & bits("CSR.RWAIT") && a.can_wait) return delay(m, t, false, true);
    *value = kWrong;
    tell_effect(m, kWrongRead, counter);
  } else {
    count(m, t);
    copy_to_shadow(s);
    tell_effect(m, kCountersCopied, counter);
  }
  *value |= s.shadow[counter];
  return MK_DONE;
}

// A counter in two halves. Bit 63 belongs to the access that had the lower half; the chip may be free, or
// busy, when the upper half is asked for. So the card remembers how the lower half was.
uint8_t& right_half(MkState& s, const MkAccess& a) { return s.right_half[a.line < 0 ? MK_SOURCES : a.line]; }

void remember_lower_half(MkState& s, const MkAccess& a, unsigned counter, uint64_t value) {
  right_half(s, a) = a.size == 4 && !(value & kWrong) ? static_cast<uint8_t>(counter + 1) : 0;
}

uint64_t upper_half_of_counter(MkState& s, const MkAccess& a, unsigned counter) {
  const bool right = std::exchange(right_half(s, a), uint8_t{0}) == counter + 1;
  return right ? 0 : kWrong;
}

// All 64 bits. False: the address cannot be read.
bool read_register(const MultiKron* m, const Moment& t, unsigned address, uint64_t* value) {
  const MkState& s = m->state;
  switch (address) {
    case kCsr:
      *value = csr_now(m);
      return true;
    case kTimestamp:
      *value = timestamp(s, t);
      return true;
    case kFilter:
      *value = s.filter;
      return true;
    case kWaitCounter:
      *value = s.wait_count;
      return true;
    case kOverrunCounter:
      *value = s.overrun_count;
      return true;
    case kMuxSel:
      *value = s.mux_sel;
      return true;
    case kEnable:
      *value = s.enable;
      return true;
    case kFifoOutput:
      *value = fifo_output(s);
      return s.test_mode;
    case kTest:
      *value = s.test;
      return s.test_mode;
    default:
      *value = in(address, kSource, MK_SOURCES) ? s.source[address - kSource] : 0;
      return in(address, kSource, MK_SOURCES);
  }
}

void write_test(MultiKron* m, const Moment& t, uint64_t value, uint64_t mask) {
  MkState& s = m->state;
  const bool could_hold = can_hold_for_ever(s);
  s.test = (s.test & ~mask) | (value & mask & kTestBits);
  if (!(mask & kHigh)) return;
  if (value & kNoFunction) log_mistake(m, kTestNoFunction, "TEST: bits 41-47 have no function: stored only");
  warn_of_hold(m, could_hold);
  execute_test(m, t);
  restart_output(m, t);  // NETOFF may have gone; while elements leave it changes nothing
}

void write_counting(MultiKron* m, const Moment& t, unsigned address, uint64_t value, uint64_t mask) {
  MkState& s = m->state;
  const auto low = static_cast<uint16_t>(value);
  count(m, t);
  if (address == kMuxSel) s.mux_sel = (s.mux_sel & ~mask) | (value & mask & kMuxBits);
  if (address == kEnable) s.enable |= low;
  if (address == kDisable) s.enable &= static_cast<uint16_t>(~low);
  if (address == kResourceReset)
    for (unsigned i = 0; i < MK_COUNTERS; ++i)
      if (low >> i & 1) s.counter[i] = 0;
  update_watch(m);
}

// To count with a disabled counter is no mistake: so a program that counts events runs without being
// measured.
void software_count(MultiKron* m, unsigned counter) {
  MkState& s = m->state;
  if (input_of(s, counter) != Input::kSoftware) {
    log_mistake(m, kNotSoftware, "RC%u written, but MUX SEL does not select the Software Signal: ignored",
                counter);
  } else if (s.enable >> counter & 1 && !s.test_mode) {
    add(m, counter, 1);
    tell_effect(m, kCounted, counter);
  }
}

// False: no such address for writing.
bool write_register(MultiKron* m, const Moment& t, unsigned address, uint64_t value, uint64_t mask) {
  MkState& s = m->state;
  switch (address) {
    case kReset:
      software_reset(m, t);
      return true;
    case kCsr:
      write_csr(m, t, static_cast<uint32_t>(value));
      return true;
    case kFilter:
      s.filter = value & bits("FILTER.LEVEL");
      return true;
    case kWaitCounter:
      s.wait_count = 0;
      return true;
    case kOverrunCounter:
      s.overrun_count = 0;
      return true;
    case kMuxSel:
    case kResourceReset:
    case kEnable:
    case kDisable:
      write_counting(m, t, address, value, mask);
      return true;
    case kTest:
      if (s.test_mode) write_test(m, t, value, mask);
      return s.test_mode;
    default:
      if (in(address, kSource, MK_SOURCES))
        s.source[address - kSource] = static_cast<uint32_t>(value);
      else if (in(address, kCounter, MK_COUNTERS))
        software_count(m, address - kCounter);
      else
        return false;
      return true;
  }
}

bool aligned(MultiKron* m, const MkAccess& a, const char* what) {
  if (a.offset % a.size == 0) return true;
  log_mistake(m, kUnaligned, "%s of %u bytes at offset 0x%x: not aligned; ignored", what, a.size, a.offset);
  return false;
}

uint64_t cut(uint64_t value, uint32_t bytes) {
  return bytes == 8 ? value : value & ((uint64_t{1} << 8 * bytes) - 1);
}

}  // namespace

uint32_t csr_now(const MultiKron* m) {
  const MkState& s = m->state;
  return s.csr | field("CSR.WS").set(0, m->config.wait_states) | (fifo_full(m) ? bits("CSR.FFULL") : 0) |
         (s.shadow_busy ? bits("CSR.SHFULL") : 0) | (s.fifo_overrun ? bits("CSR.FOV") : 0) |
         (s.shadow_overrun ? bits("CSR.SHOV") : 0) |
         (s.count && s.fifo[s.head].resource ? bits("CSR.BIT128") : 0);
}

bool has_upper_half(unsigned address) {
  return address == kTimestamp || address == kMuxSel || address == kTest;
}

// Offset 0 is MK_CARD_BASE; words that kCard lacks are 0.
uint32_t card_word(const MultiKron* m, uint32_t offset) {
  const MkConfig& c = m->config;
  const uint32_t fixed[] = {MK_CARD_MAGIC, MK_CARD_VERSION, c.node_hz, c.timestamp_hz, c.fifo_depth, c.lines};
  const uint32_t word = offset / 4;
  if (word < std::size(fixed)) return fixed[word];
  if (word >= 8 && word < 16) return word - 8 < c.lines ? c.line_cpu[word - 8] : 0xffffffffu;
  return 0;
}

Target target_of(const MkAccess& a) {
  Target at{.address = kAddresses, .byte = 0};
  if (a.window == MK_WINDOW_4) {
    at.address = a.offset / 4;
    at.byte = a.offset % 4;
    if (a.size < 8 && at.address % 2 && at.address < kSource && has_upper_half(at.address - 1)) {
      --at.address;
      at.byte += 4;
    }
  } else if (a.offset < MK_CARD_BASE) {
    at.address = a.offset / 8;
    at.byte = a.offset % 8;
    if (a.window == MK_WINDOW_SAMPLE && at.address < kSamples) at.address = kAddresses;
  }
  return at;
}

bool is_card(const MkAccess& a) { return a.window == MK_WINDOW_8 && a.offset >= MK_CARD_BASE; }

uint64_t read_card(MultiKron* m, const MkAccess& a) {
  if (!aligned(m, a, "read")) return 0;
  const uint32_t offset = a.offset - MK_CARD_BASE, pair = offset & ~7u;
  if (!find(kCard, a.offset & ~3u))
    log_mistake(m, kNoCardWord, "read of offset 0x%x: the card's information has no such word", a.offset);
  const uint64_t words = card_word(m, pair) | uint64_t{card_word(m, pair + 4)} << 32;
  return cut(words >> 8 * (a.offset % 8), a.size);
}

mk_result read(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t* value) {
  uint64_t word = 0;
  if (!aligned(m, a, "read")) {
    *value = 0;
    return MK_DONE;
  }
  if (in(at.address, kCounter, MK_COUNTERS)) {
    const unsigned counter = at.address - kCounter;
    if (at.byte >= 4) {
      word = upper_half_of_counter(m->state, a, counter);
    } else {
      if (read_counter(m, t, a, counter, &word) == MK_WAIT) return MK_WAIT;
      if (a.size <= 4) remember_lower_half(m->state, a, counter, word);
    }
  } else if (!read_register(m, t, at.address, &word)) {
    word = 0;
    log_mistake(m, mistake_of(m, at.address, false), "read of address %u (offset 0x%x): %s", at.address,
                a.offset, why_not(m, at.address));
  }
  *value = cut(word >> 8 * at.byte, a.size);
  return MK_DONE;
}

mk_result write(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t value) {
  const uint64_t mask = a.size == 8 ? kAll : at.byte ? kHigh : kLow;
  if (!aligned(m, a, "write")) return MK_DONE;
  if (a.size < 4) {
    log_mistake(m, kNarrowWrite, "%u-bit write to %s (offset 0x%x): the chip takes 32 and 64 bits; ignored",
                8 * a.size, name_of(at.address), a.offset);
    return MK_DONE;
  }
  value = mask == kHigh ? value << 32 : value & mask;
  if (mask == kHigh && !has_upper_half(at.address)) {
    log_mistake(m, kUpperHalf, "write to the upper half of %s (offset 0x%x): ignored", name_of(at.address),
                a.offset);
    return MK_DONE;
  }
  if (at.address >= kTrace && at.address < kAddresses) return trigger(m, t, a, at.address, value);
  if (!write_register(m, t, at.address, value, mask))
    log_mistake(m, mistake_of(m, at.address, true), "write to address %u (offset 0x%x): %s", at.address,
                a.offset, why_not(m, at.address));
  return MK_DONE;
}

}  // namespace perfboard::mk
