// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses: from a window of the card to an address of the chip (Table 1), and what reading and writing each
// address does (Table A-1).
#include "hw/multikron/access.h"

#include <iterator>
#include <utility>

#include "hw/core/behaviour.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kLow = 0xffffffffu, kHigh = kLow << 32, kAll = ~uint64_t{0};
constexpr uint64_t kNoFunction = uint64_t{bits("TEST_H.NOTHING")} << 32;
constexpr uint64_t kWrong = uint64_t{bits("RC0_H.WRONG")} << 32;

// What is done at an address; those of which there are several begin at a multiple of 16.
struct Work {
  const Moment& t;
  const MkAccess& a;
  unsigned byte;   // where the access begins
  unsigned i;      // which of several
  uint64_t mask;   // the bits that are written
  uint64_t value;  // all 64 bits, to read or to write
  mk_result result = MK_DONE;
};
constexpr unsigned index_of(unsigned address) { return address % 16; }

// --- what is held ----------------------------------------------------------------------------------------

template <auto kMember>
uint64_t kept(const MultiKron* m, const Moment&, unsigned i) {
  if constexpr (requires { (m->state.*kMember)[0]; })
    return (m->state.*kMember)[i];
  else
    return m->state.*kMember;
}

uint64_t csr(const MultiKron* m, const Moment&, unsigned) {
  const MkState& s = m->state;
  return s.csr | field("CSR.WS").set(0, m->config.wait_states) | (fifo_full(m) ? bits("CSR.FFULL") : 0) |
         (s.shadow_busy ? bits("CSR.SHFULL") : 0) | (s.fifo_overrun ? bits("CSR.FOV") : 0) |
         (s.shadow_overrun ? bits("CSR.SHOV") : 0) |
         (s.count && s.fifo[s.head].resource ? bits("CSR.BIT128") : 0);
}

uint64_t timestamp_now(const MultiKron* m, const Moment& t, unsigned) { return timestamp(m->state, t); }

// And whether its data would be wrong now.
uint64_t counter_now(const MultiKron* m, const Moment& t, unsigned i) {
  return counter_at(m->state, i, t) | (m->state.shadow_busy ? kWrong : 0);
}

uint64_t fifo(const MultiKron* m, const Moment&, unsigned) { return fifo_output(m->state); }

// --- what a read does besides ----------------------------------------------------------------------------

// Of a counter in two halves bit 63 belongs to the access that had the lower half; the chip may be free, or
// busy, when the upper half is asked for. So the card remembers how the lower half was.
void read_counter(MultiKron* m, Work& w) {
  MkState& s = m->state;
  uint8_t& right = s.right_half[w.a.line < 0 ? MK_SOURCES : w.a.line];
  const auto this_one = static_cast<uint8_t>(w.i + 1);
  if (w.byte >= 4) {
    w.value = std::exchange(right, uint8_t{0}) == this_one ? 0 : kWrong;
    return;
  }
  const bool wrong = s.shadow_busy;
  if (wrong && s.csr & bits("CSR.RWAIT") && w.a.can_wait) {
    w.result = delay(m, w.t, false, true);
    return;
  }
  if (!wrong) {
    count(m, w.t);
    copy_to_shadow(s);
  }
  tell_effect(m, wrong ? effect("wrong-data") : effect("counters-copied"), w.i);
  w.value = s.shadow[w.i] | (wrong ? kWrong : 0);
  if (w.a.size <= 4) right = w.a.size == 4 && !wrong ? this_one : uint8_t{0};
}

// --- what a write does -----------------------------------------------------------------------------------

template <auto kMember>
void clear(MultiKron* m, Work&) {
  m->state.*kMember = 0;
}

void reset(MultiKron* m, Work& w) { software_reset(m, w.t); }

void write_csr(MultiKron* m, Work& w) {
  MkState& s = m->state;
  const auto value = static_cast<uint32_t>(w.value);
  if (const uint32_t both = value & value >> 1 & kCsrSets)
    log_mistake(m, mistake("set-and-clear"), "CSR: bits 0x%x are set and cleared at once: cleared", both);
  count(m, w.t);  // the slow clock may change
  const bool could_hold = can_hold_for_ever(s);
  s.csr = (s.csr | (value & kCsrSets)) & ~(value >> 1 & kCsrSets);
  warn_of_hold(m, could_hold);
}

void write_filter(MultiKron* m, Work& w) { m->state.filter = w.value & bits("FILTER.LEVEL"); }

void write_source(MultiKron* m, Work& w) { m->state.source[w.i] = static_cast<uint32_t>(w.value); }

void write_test(MultiKron* m, Work& w) {
  MkState& s = m->state;
  const bool could_hold = can_hold_for_ever(s);
  s.test = (s.test & ~w.mask) | (w.value & w.mask & kTestBits);
  if (!(w.mask & kHigh)) return;
  if (w.value & kNoFunction)
    log_mistake(m, mistake("test-no-function"), "TEST: bits 41-47 have no function: stored only");
  warn_of_hold(m, could_hold);
  execute_test(m, w.t);
  restart_output(m, w.t);  // NETOFF may have gone; while elements leave it changes nothing
}

// A write that changes what counts.
template <void (*kChange)(MkState&, const Work&)>
void counting(MultiKron* m, Work& w) {
  count(m, w.t);
  kChange(m->state, w);
  update_watch(m);
}

void select(MkState& s, const Work& w) { s.mux_sel = (s.mux_sel & ~w.mask) | (w.value & w.mask & kMuxBits); }

void enable(MkState& s, const Work& w) { s.enable |= static_cast<uint16_t>(w.value); }

void disable(MkState& s, const Work& w) { s.enable &= static_cast<uint16_t>(~w.value); }

void clear_counters(MultiKron* m, Work& w) {
  const auto which = static_cast<uint16_t>(w.value);
  count(m, w.t);
  for (unsigned i = 0; i < MK_COUNTERS; ++i)
    if (which >> i & 1) m->state.counter[i] = 0;
  rebase(m, which);
}

// To count with a disabled counter is no mistake: so a program that counts events runs without being
// measured.
void software_count(MultiKron* m, Work& w) {
  MkState& s = m->state;
  if (input_of(s, w.i) != Input::kSoftware) {
    log_mistake(m, mistake("not-software"),
                "RC%u written, but MUX SEL does not select the Software Signal: ignored", w.i);
  } else if (s.enable >> w.i & 1 && !s.test_mode) {
    add(m, w.i, 1);
    tell_effect(m, effect("counted"), w.i);
  }
}

// --- all addresses ---------------------------------------------------------------------------------------

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

// Of an address, all 64 bits of it.
struct Row {
  std::string_view name;  // "CSR", "SRC0..SRC7"
  uint64_t (*value)(const MultiKron*, const Moment&, unsigned i) = nullptr;
  void (*write)(MultiKron*, Work&) = nullptr;
  Refusal refusal = kNotAssigned;  // of a read, if it holds nothing, and of a write that does nothing
  void (*read)(MultiKron*, Work&) = nullptr;  // instead of what it holds
  bool test_mode = false;                     // it is there in test mode only
};
constexpr bool kInTestMode = true;

constexpr Row kRows[] = {
    {"RESET", nullptr, reset, kNoRead},
    {"CSR", csr, write_csr},
    {"TIMESTAMP", timestamp_now, nullptr, kNoWrite},
    {"TIMESTAMP_H"},
    {"FILTER", kept<&MkState::filter>, write_filter},
    {"WAIT", kept<&MkState::wait_count>, clear<&MkState::wait_count>},
    {"OVERRUN", kept<&MkState::overrun_count>, clear<&MkState::overrun_count>},
    {"A7"},
    {"MUXSEL", kept<&MkState::mux_sel>, counting<select>},
    {"MUXSEL_H"},
    {"RRESET", nullptr, clear_counters, kNoRead},
    {"ENABLE", kept<&MkState::enable>, counting<enable>},
    {"DISABLE", nullptr, counting<disable>, kNoRead},
    {"FIFO", fifo, nullptr, kNoWrite, nullptr, kInTestMode},
    {"TEST", kept<&MkState::test>, write_test, kNotAssigned, nullptr, kInTestMode},
    {"TEST_H"},
    {"SRC0..SRC7", kept<&MkState::source>, write_source},
    {"A24..A31"},
    {"RC0..RC15", counter_now, software_count, kNotAssigned, read_counter},
    {"RC16..RC31", nullptr, nullptr, kForCounters},
    {"A64..A95"},
    // A write triggers a sample. write() asks no row for that: there may be millions of them a second.
    {"TRACE0..TRACE15", nullptr, nullptr, kNoSampleRead},
    {"RSRC0..RSRC15", nullptr, nullptr, kNoSampleRead},
};

const Row& row_of(unsigned address) {
  static constexpr Row kNothing = {};
  return address < kAddresses ? kByRegister<kRegisters, kRows>[address] : kNothing;
}

// nullptr: nothing stands against it.
const Refusal* refusal(const MultiKron* m, const Row& row, bool writes) {
  if (row.test_mode && !m->state.test_mode) return &kNotInTestMode;
  return (writes ? row.write != nullptr : row.value != nullptr) ? nullptr : &row.refusal;
}

// --- accesses --------------------------------------------------------------------------------------------

bool aligned(MultiKron* m, const MkAccess& a, const char* what) {
  if (a.offset % a.size == 0) return true;
  log_mistake(m, mistake("unaligned"), "%s of %u bytes at offset 0x%x: not aligned; ignored", what, a.size,
              a.offset);
  return false;
}

uint64_t cut(uint64_t value, uint32_t bytes) {
  return bytes == 8 ? value : value & ((uint64_t{1} << 8 * bytes) - 1);
}

const char* name_of(unsigned address) {  // names are literals: they end with a 0
  return address < kAddresses ? kRegisters[address].name.data() : "an unassigned address";
}

}  // namespace

bool has_upper_half(unsigned address) {
  return address == kTimestamp || address == kMuxSel || address == kTest;
}

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
  const auto row = static_cast<size_t>(reg - kCard);
  if (row < std::size(fixed)) return fixed[row];
  const size_t line = row - std::size(fixed);
  return line < c.lines ? c.line_cpu[line] : 0xffffffffu;
}

uint64_t read_card(MultiKron* m, const MkAccess& a) {
  if (!aligned(m, a, "read")) return 0;
  if (!find(kCard, a.offset & ~3u))
    log_mistake(m, mistake("no-card-word"), "read of offset 0x%x: the card's information has no such word",
                a.offset);
  const uint32_t pair = a.offset & ~7u;
  const uint64_t low = card_word(m, find(kCard, pair)), high = card_word(m, find(kCard, pair + 4));
  return cut((low | high << 32) >> 8 * (a.offset % 8), a.size);
}

std::optional<uint64_t> value_at(const MultiKron* m, const Moment& t, unsigned address) {
  const Row& row = row_of(address);
  if (!row.value) return std::nullopt;
  return row.value(m, t, index_of(address));
}

mk_result read(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t* value) {
  Work w = {t, a, at.byte, index_of(at.address), kAll, 0};
  if (aligned(m, a, "read")) {
    const Row& row = row_of(at.address);
    if (const Refusal* r = refusal(m, row, false))
      log_mistake(m, r->mistake, "read of address %u (offset 0x%x): %s", at.address, a.offset, r->why);
    else if (row.read)
      row.read(m, w);
    else
      w.value = row.value(m, t, w.i);
  }
  if (w.result == MK_DONE) *value = cut(w.value >> 8 * at.byte, a.size);
  return w.result;
}

mk_result write(MultiKron* m, const Moment& t, const MkAccess& a, Target at, uint64_t value) {
  const uint64_t mask = a.size == 8 ? kAll : at.byte ? kHigh : kLow;
  if (!aligned(m, a, "write")) return MK_DONE;
  if (a.size < 4) {
    log_mistake(m, mistake("narrow-write"),
                "%u-bit write to %s (offset 0x%x): the chip takes 32 and 64 bits; ignored", 8 * a.size,
                name_of(at.address), a.offset);
    return MK_DONE;
  }
  if (mask == kHigh && !has_upper_half(at.address)) {
    log_mistake(m, mistake("upper-half"), "write to the upper half of %s (offset 0x%x): ignored",
                name_of(at.address), a.offset);
    return MK_DONE;
  }
  value = mask == kHigh ? value << 32 : value & mask;
  if (at.address >= kTrace && at.address < kAddresses)
    return trigger(m, t, a, at.address >= kResource, index_of(at.address), value);
  const Row& row = row_of(at.address);
  Work w = {t, a, at.byte, index_of(at.address), mask, value};
  if (const Refusal* r = refusal(m, row, true))
    log_mistake(m, r->mistake, "write to address %u (offset 0x%x): %s", at.address, a.offset, r->why);
  else
    row.write(m, w);
  return MK_DONE;
}

}  // namespace perfboard::mk
