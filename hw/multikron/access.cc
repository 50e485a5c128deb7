// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses: from a window of the card to an address of the chip (Table 1), and what reading and writing each
// address does (Table A-1).
#include <array>
#include <iterator>
#include <utility>

#include "hw/model/behaviour.h"
#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kHigh = uint64_t{0xffffffff} << 32;
constexpr uint64_t kNoFunction = uint64_t{bits("TEST_H.NOTHING")} << 32;
constexpr uint64_t kWrong = uint64_t{bits("RC0_H.WRONG")} << 32;

// Of an address, all 64 bits of it.
struct Asked {
  struct {
    unsigned index;  // which of several; those begin at a multiple of 16
  } place;
  const Moment& t;
  LanesOf<uint64_t> lanes = {};
  const MkAccess* access = nullptr;  // null: somebody looks
  mk_result* result = nullptr;
};

// --- what is held ----------------------------------------------------------------------------------------

uint64_t csr(const MultiKron* m, const Asked&) {
  const MkState& s = m->state;
  return s.csr | field("CSR.WS").set(0, m->config.wait_states) | (fifo_full(m) ? bits("CSR.FFULL") : 0) |
         (s.shadow_busy ? bits("CSR.SHFULL") : 0) | (s.fifo_overrun ? bits("CSR.FOV") : 0) |
         (s.shadow_overrun ? bits("CSR.SHOV") : 0) |
         (s.count && s.fifo[s.head].resource ? bits("CSR.BIT128") : 0);
}

uint64_t timestamp_now(const MultiKron* m, const Asked& a) { return timestamp(m->state, a.t); }

// And whether its data would be wrong now.
uint64_t counter_now(const MultiKron* m, const Asked& a) {
  return counter_at(m->state, a.place.index, a.t) | (m->state.shadow_busy ? kWrong : 0);
}

uint64_t fifo(const MultiKron* m, const Asked&) { return fifo_output(m->state); }

// --- what a read does besides ----------------------------------------------------------------------------

// Of a counter in two halves bit 63 belongs to the access that had the lower half; the chip may be free, or
// busy, when the upper half is asked for. So the card remembers how the lower half was.
uint64_t read_counter(MultiKron* m, const Asked& asked) {
  MkState& s = m->state;
  const MkAccess& a = *asked.access;
  const unsigned i = asked.place.index;
  uint8_t& right = s.right_half[a.line < 0 ? MK_SOURCES : a.line];
  const auto this_one = static_cast<uint8_t>(i + 1);
  if (asked.lanes.shift >= 32) return std::exchange(right, uint8_t{0}) == this_one ? 0 : kWrong;
  const bool wrong = s.shadow_busy;
  if (wrong && s.csr & bits("CSR.RWAIT") && a.can_wait) {
    *asked.result = delay(m, asked.t, false, true);
    return 0;
  }
  if (!wrong) {
    count(m, asked.t);
    copy_to_shadow(s);
  }
  tell_effect(m, wrong ? effect("wrong-data") : effect("counters-copied"), i);
  if (a.size <= 4) right = a.size == 4 && !wrong ? this_one : uint8_t{0};
  return s.shadow[i] | (wrong ? kWrong : 0);
}

// --- what a write does -----------------------------------------------------------------------------------

template <auto kMember>
void clear(MultiKron* m, const Asked&, uint64_t) {
  m->state.*kMember = 0;
}

void reset(MultiKron* m, const Asked& a, uint64_t) { software_reset(m, a.t); }

void write_csr(MultiKron* m, const Asked& a, uint64_t fresh) {
  MkState& s = m->state;
  const auto value = static_cast<uint32_t>(fresh);
  if (const uint32_t both = value & value >> 1 & kCsrSets)
    log_mistake(m, mistake("set-and-clear"), "CSR: bits 0x%x are set and cleared at once: cleared", both);
  count(m, a.t);  // the slow clock may change
  const bool could_hold = can_hold_for_ever(s);
  s.csr = (s.csr | (value & kCsrSets)) & ~(value >> 1 & kCsrSets);
  warn_of_hold(m, could_hold);
}

void write_test(MultiKron* m, const Asked& a, uint64_t fresh) {
  MkState& s = m->state;
  const bool could_hold = can_hold_for_ever(s);
  s.test = fresh;
  if (!(a.lanes.mask & kHigh)) return;
  if (fresh & kNoFunction)
    log_mistake(m, mistake("test-no-function"), "TEST: bits 41-47 have no function: stored only");
  warn_of_hold(m, could_hold);
  execute_test(m, a.t);
  restart_output(m, a.t);  // NETOFF may have gone; while elements leave it changes nothing
}

// A write that changes what counts.
template <void (*kChange)(MkState&, uint64_t)>
void counting(MultiKron* m, const Asked& a, uint64_t fresh) {
  count(m, a.t);
  kChange(m->state, fresh);
  update_watch(m);
}

void select(MkState& s, uint64_t fresh) { s.mux_sel = fresh; }

void enable(MkState& s, uint64_t fresh) { s.enable |= static_cast<uint16_t>(fresh); }

void disable(MkState& s, uint64_t fresh) { s.enable &= static_cast<uint16_t>(~fresh); }

void clear_counters(MultiKron* m, const Asked& a, uint64_t fresh) {
  const auto which = static_cast<uint16_t>(fresh);
  count(m, a.t);
  for (unsigned i = 0; i < MK_COUNTERS; ++i)
    if (which >> i & 1) m->state.counter[i] = 0;
  rebase(m, which);
}

// To count with a disabled counter is no mistake: so a program that counts events runs without being
// measured.
void software_count(MultiKron* m, const Asked& a, uint64_t) {
  MkState& s = m->state;
  const unsigned i = a.place.index;
  if (input_of(s, i) != Input::kSoftware) {
    log_mistake(m, mistake("not-software"),
                "RC%u written, but MUX SEL does not select the Software Signal: ignored", i);
  } else if (s.enable >> i & 1 && !s.test_mode) {
    add(m, i, 1);
    tell_effect(m, effect("counted"), i);
  }
}

// --- all addresses ---------------------------------------------------------------------------------------

using Row = Behaviour<MultiKron, MkState, Asked, uint64_t>;
constexpr Row kRows[] = {
    {"RESET", {}, nullptr, reset},
    {"CSR", csr, nullptr, write_csr},
    {"TIMESTAMP..TIMESTAMP_H", timestamp_now},
    {"FILTER", kept<&MkState::filter>},
    {"WAIT", shown<&MkState::wait_count>, nullptr, clear<&MkState::wait_count>},
    {"OVERRUN", shown<&MkState::overrun_count>, nullptr, clear<&MkState::overrun_count>},
    {"A7"},
    {"MUXSEL..MUXSEL_H", shown<&MkState::mux_sel>, nullptr, counting<select>},
    {"RRESET", {}, nullptr, clear_counters},
    {"ENABLE", shown<&MkState::enable>, nullptr, counting<enable>},
    {"DISABLE", {}, nullptr, counting<disable>},
    {"FIFO", fifo},
    {"TEST..TEST_H", shown<&MkState::test>, nullptr, write_test},
    {"SRC0..SRC7", kept<&MkState::source>},
    {"A24..A31"},
    {"RC0..RC15", counter_now, read_counter, software_count},
    {"RC16..A95"},
    {"TRACE0..RSRC15"},  // write() asks no row for a sample: there may be millions of them a second
};

// Behind the last one nothing is assigned, nor is by itself the address of an upper half.
constexpr auto kByAddress = [] {
  std::array<Row, kAddresses + 1> all{};
  for (unsigned address = 0; address < kAddresses; ++address) {
    all[address] = kByRegister<kRegisters, kRows>[address];
    if (has_upper_half(address)) all[address].bits.add(kRegisters[address + 1], 32);
    if (address && has_upper_half(address - 1)) all[address] = {};
  }
  for (const Register& upper : kUpper) all[upper.offset / 8].bits.add(upper, 32);
  return all;
}();

const Row& row_of(unsigned address) { return kByAddress[address < kAddresses ? address : kAddresses]; }

struct Refusal {
  unsigned mistake;
  const char* why;  // in its line
};
constexpr Refusal kNotAssigned = {mistake("no-register"), "not assigned"};
constexpr Refusal kNoRead = {mistake("write-only"), "write only"};
constexpr Refusal kNoWrite = {mistake("read-only"), "read only"};
constexpr Refusal kNoSampleRead = {mistake("sample-read"), "a sample address is write only"};
constexpr Refusal kForCounters = {mistake("reserved-address"), "reserved for more resource counters"};
constexpr Refusal kNotInTestMode = {mistake("test-mode-only"), "in test mode only"};

// nullptr: nothing stands against it.
const Refusal* refusal(const MultiKron* m, unsigned address, bool writes) {
  const Bits<uint64_t>& bits = row_of(address).bits;
  if ((address == kFifoOutput || address == kTest) && !m->state.test_mode) return &kNotInTestMode;
  if (writes ? bits.taken : bits.readable) return nullptr;
  if (bits.readable) return &kNoWrite;
  if (bits.taken) return address < kSamples ? &kNoRead : &kNoSampleRead;
  return address >= kReserved && address < kSamples ? &kForCounters : &kNotAssigned;
}

// --- accesses --------------------------------------------------------------------------------------------

bool aligned(MultiKron* m, const MkAccess& a, const char* what) {
  if (a.offset % a.size == 0) return true;
  log_mistake(m, mistake("unaligned"), "%s of %u bytes at offset 0x%x: not aligned; ignored", what, a.size,
              a.offset);
  return false;
}

// While RDY is delayed for one processor the others do not get the bus.
bool bus_is_taken(const MultiKron* m, const MkAccess& a) { return m->state.waiting && a.can_wait; }

const char* name_of(unsigned address) {  // names end with a 0
  return address < kAddresses ? kRegisters[address].name.data() : "an unassigned address";
}

uint64_t read_card(MultiKron* m, const MkAccess& a) {
  if (!aligned(m, a, "read")) return 0;
  if (!find(kCard, a.offset & ~3u))
    log_mistake(m, mistake("no-card-word"), "read of offset 0x%x: the card's information has no such word",
                a.offset);
  const uint32_t pair = a.offset & ~7u;
  const uint64_t low = card_word(m, find(kCard, pair)), high = card_word(m, find(kCard, pair + 4));
  const auto lanes = LanesOf<uint64_t>::of(a.offset % 8, a.size);
  return ((low | high << 32) & lanes.mask) >> lanes.shift;
}

mk_result read(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t* value) {
  mk_result result = MK_DONE;
  uint64_t data = 0;
  if (aligned(m, a, "read")) {
    if (const Refusal* r = refusal(m, at.address, false))
      log_mistake(m, r->mistake, "read of address %u (offset 0x%x): %s", at.address, a.offset, r->why);
    else
      data = read_of(row_of(at.address), m, m->state,
                     Asked{{at.address % 16}, t, LanesOf<uint64_t>::of(at.byte, a.size), &a, &result});
  }
  if (result == MK_DONE) *value = data;
  return result;
}

mk_result write(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t value) {
  if (!aligned(m, a, "write")) return MK_DONE;
  if (a.size < 4) {
    log_mistake(m, mistake("narrow-write"),
                "%u-bit write to %s (offset 0x%x): the chip takes 32 and 64 bits; ignored", 8 * a.size,
                name_of(at.address), a.offset);
    return MK_DONE;
  }
  if (at.byte && !has_upper_half(at.address)) {
    log_mistake(m, mistake("upper-half"), "write to the upper half of %s (offset 0x%x): ignored",
                name_of(at.address), a.offset);
    return MK_DONE;
  }
  if (at.address >= kTrace && at.address < kAddresses)
    return trigger(m, t, a, at.address >= kResource, at.address % 16,
                   a.size == 8 ? value : static_cast<uint32_t>(value));
  if (const Refusal* r = refusal(m, at.address, true)) {
    log_mistake(m, r->mistake, "write to address %u (offset 0x%x): %s", at.address, a.offset, r->why);
    return MK_DONE;
  }
  const Asked asked = {{at.address % 16}, t, LanesOf<uint64_t>::of(at.byte, a.size)};
  write_of(row_of(at.address), m, m->state, asked, value);
  return MK_DONE;
}

}  // namespace

Target target_of(unsigned window, uint64_t offset, uint64_t first, uint32_t bytes) {
  const auto at = static_cast<unsigned>(offset);
  const unsigned eighth = at / 8;
  const auto byte = static_cast<uint8_t>(at % 8);
  if (window == MK_WINDOW_4) {
    const bool whole = bytes == 8 && first % 8 == 0;
    if (byte >= 4 && (whole || has_upper_half(2 * eighth))) return {2 * eighth, byte};
    return {at / 4, static_cast<uint8_t>(at % 4)};
  }
  if (at >= MK_CARD_BASE) return {kAddresses, 0, window == MK_WINDOW_8};
  if (window == MK_WINDOW_SAMPLE && eighth < kSamples) return {kAddresses, byte};
  return {eighth, byte};
}

uint32_t card_word(const MultiKron* m, const Register* reg) {
  const MkConfig& c = m->config;
  const uint32_t fixed[] = {MK_CARD_MAGIC, MK_CARD_VERSION, c.node_hz, c.timestamp_hz, c.fifo_depth, c.lines};
  static_assert(std::size(kCard) == std::size(fixed) + std::size(MkConfig{}.line_cpu));
  if (!reg) return 0;
  const auto row = static_cast<size_t>(reg - kCard.data());
  if (row < std::size(fixed)) return fixed[row];
  const size_t line = row - std::size(fixed);
  return line < c.lines ? c.line_cpu[line] : 0xffffffffu;
}

std::optional<uint64_t> value_at(const MultiKron* m, const Moment& t, unsigned address) {
  const Row& row = row_of(address);
  if (!row.bits.readable) return std::nullopt;
  return value_of(row, m, m->state, Asked{{address % 16}, t});
}

}  // namespace perfboard::mk

using namespace perfboard::mk;
using perfboard::log_mistake;

mk_result mk_read(MultiKron* m, const MkAccess* a, uint64_t* value) {
  const Moment t = present(m);
  const Target at = target_of(a->window, a->offset, a->offset, a->size);
  mk_result result = MK_DONE;
  if (at.card)
    *value = read_card(m, *a);
  else
    result = bus_is_taken(m, *a) ? MK_WAIT : read(m, t, *a, at, value);
  settle(m, t);
  return result;
}

mk_result mk_write(MultiKron* m, const MkAccess* a, uint64_t value) {
  const Moment t = present(m);
  const Target at = target_of(a->window, a->offset, a->offset, a->size);
  mk_result result = MK_DONE;
  if (at.card)
    log_mistake(m, mistake("card-read-only"), "write to the card's information (offset 0x%x): read only",
                a->offset);
  else
    result = bus_is_taken(m, *a) ? MK_WAIT : write(m, t, *a, at, value);
  settle(m, t);
  return result;
}
