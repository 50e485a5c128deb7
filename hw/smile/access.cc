// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses: what is where (registers.h, bridge.h, ccm.h), and what reading and writing the PCI_Target's
// registers does.
#include <algorithm>
#include <array>

#include "hw/smile/bridge.h"
#include "hw/smile/ccm.h"
#include "hw/smile/ring.h"

namespace perfboard::smile {
namespace {

// --- what a register holds -------------------------------------------------------------------------------

// The last packet, or demanded SWAP_OUT, that has begun by now and may be under way; -1: none.
int last_step(const SmileTarget& t, uint64_t now) {
  constexpr uint64_t kLongest = SMILE_CLOCK_SWAP + SMILE_CLOCKS_PER_RECORD * SMILE_MAX_ENTRIES;
  static_assert(kLongest < SMILE_STEPS);
  const uint64_t present = now / SCI_BLINK_CLOCK_NS;
  for (uint64_t ago = 0; ago <= std::min(present, kLongest); ++ago) {
    const uint64_t clock = present - ago;
    const uint32_t i = clock % SMILE_STEPS;
    if (t.frl_seen[i] && t.frl_ns[i] / SCI_BLINK_CLOCK_NS == clock && t.frl_ns[i] <= now)
      return static_cast<int>(i);
  }
  return -1;
}

// Which of Fig. 3's and Fig. 9's states it has reached.
uint32_t states(const SmileTarget& t, uint64_t now) {
  const int i = last_step(t, now);
  if (i < 0) return 0;
  const uint64_t clock = (now - t.frl_ns[i]) / SCI_BLINK_CLOCK_NS;
  const uint64_t swapped = uint64_t{SMILE_CLOCKS_PER_RECORD} * t.frl_records[i];
  uint32_t decode = SMILE_DECODE_IDLE, frl = SMILE_IDLE;
  if (t.frl_last[i] == SMILE_SWAP_ALL) {
    if (clock < swapped) frl = SMILE_SWAP_ALL;
  } else {
    if (clock < SMILE_CLOCK_FORWARD) decode = clock < SMILE_CLOCK_BD2 ? SMILE_DECODE_BD1 : SMILE_DECODE_BD2;
    if (clock == SMILE_CLOCK_FORWARD && t.frl_last[i] >= SMILE_FORWARD) frl = SMILE_FORWARD;
    if (clock == SMILE_CLOCK_BUSY && t.frl_last[i] >= SMILE_BUSY) frl = SMILE_BUSY;
    if (clock >= SMILE_CLOCK_SWAP && clock < SMILE_CLOCK_SWAP + swapped) frl = SMILE_SWAP;
  }
  return field("MSR.DECODE").set(field("MSR.STATE").set(0, frl), decode);
}

uint32_t status(const SmileHwm* m, const RegisterAccess& asked) {
  const SmileTarget& t = m->state.target;
  uint32_t v = states(t, asked.now) | (t.design == SMILE_TARGET ? uint32_t{SMILE_NONE} : t.design);
  v = field("MSR.EXCHANGED").set(v, t.exchanged);
  v = field("MSR.FULL").set(v, ring_full(t));
  v = field("MSR.LOST").set(v, t.lost_flag);
  v = field("MSR.DONE").set(v, t.done);
  return field("MSR.ENTRIES").set(v, m->config.entries);
}

uint32_t auxiliary_pointer(const SmileHwm* m, const RegisterAccess&) {
  return field("AUX.AUX").set(0, m->state.target.wrp + 1u);
}

uint32_t cable(const SmileHwm* m, const RegisterAccess&) {
  return field("CABLE.PLUGGED").set(m->config.node, m->cable);
}

// START, STOP or COUNT.
uint32_t role_of(const RegisterAccess& asked) {
  return (asked.place.reg->offset - at(kRegisters, "COUNTER0_START").offset) / 4;
}

uint32_t counter_event(const SmileHwm* m, const RegisterAccess& asked) {
  return m->state.target.counter_event[asked.place.index][role_of(asked)];
}

uint32_t counter_value(const SmileHwm* m, const RegisterAccess& asked) {
  const SmileTarget& t = m->state.target;
  return field("COUNTER0_VALUE.ACTIVE").set(t.value[asked.place.index], t.active >> asked.place.index & 1);
}

uint32_t used(const SmileHwm* m, const RegisterAccess& asked) {
  return m->state.target.used >> asked.place.index & 1;
}

// --- what a write does -----------------------------------------------------------------------------------

void swap_out(SmileHwm* m, uint64_t now) {
  SmileTarget& t = m->state.target;
  uint16_t records = 0;  // INFERRED: without an F.R.L. there is nothing to store, and it is done at once
  if (t.design == SMILE_DYNAMIC) records = swap_all(m);
  if (t.design == SMILE_STATIC) records = store_counters(m);
  remember(t, now, {SMILE_SWAP_ALL, SMILE_NO_ENTRY, records});
  t.done = 1;
  tell_effect(m, effect("swapped-out"), records);
  if (!m->config.wave) return;
  const SmileWave w = {.ns = now, .last = SMILE_SWAP_ALL, .entry = SMILE_NO_ENTRY, .records = records};
  m->config.wave(m->config.opaque, nullptr, &w);
}

void write_mcr(SmileHwm* m, const RegisterAccess& asked, uint32_t value) {
  SmileTarget& t = m->state.target;
  if (value & bits("MCR.RESET")) {
    monitor_reset(m);
    tell_effect(m, effect("monitor-reset"));
  }
  const bool ran = t.mcr & kRun;
  t.mcr = value & (kRun | bits("MCR.IEF") | bits("MCR.IED"));
  if (ran != bool(t.mcr & kRun)) start_timer(m, asked.now);
  if (value & bits("MCR.SWAP")) swap_out(m, asked.now);
}

// Only bits that are to be cleared are set in value.
void write_msr(SmileHwm* m, const RegisterAccess&, uint32_t value) {
  SmileTarget& t = m->state.target;
  if (value & bits("MSR.LOST")) t.lost_flag = 0;
  if (value & bits("MSR.DONE")) t.done = 0;
  if (value & bits("MSR.EXCHANGED")) t.exchanged = 0;
}

void write_read_pointer(SmileHwm* m, const RegisterAccess&, uint32_t rdp) {
  const SmileTarget& t = m->state.target;
  const uint32_t step = (rdp - t.rdp) & kPointer;
  if (step > ((uint32_t{t.wrp} - t.rdp) & kPointer) || step % kRecordWords)
    log_mistake(m, mistake("read-pointer"), "RDP: 0x%x is no end of a record between 0x%x and WRP, 0x%x", rdp,
                t.rdp, t.wrp);
  set_read_pointer(m, rdp);
}

void reset_counters(SmileHwm* m, const RegisterAccess&, uint32_t which) {
  for (uint32_t i = 0; i < SMILE_STATIC_COUNTERS; ++i)
    if (which >> i & 1) m->state.target.value[i] = 0;
}

void global_event(SmileHwm* m, const RegisterAccess&, uint32_t value) {
  if (value == 0)
    log_mistake(m, mistake("timers-event"), "GEVENT: 0 is the timer's event; ignored");
  else if (m->state.target.mcr & kRun)
    count_event(m, kTimerEvent + value);
}

void timer_written(SmileHwm* m, const RegisterAccess& asked, uint32_t) { start_timer(m, asked.now); }

void write_counter_event(SmileHwm* m, const RegisterAccess& asked, uint32_t value) {
  m->state.target.counter_event[asked.place.index][role_of(asked)] = value;
  m->wires = wires_of(m->state.target);
}

void write_counter_value(SmileHwm* m, const RegisterAccess& asked, uint32_t value) {
  SmileTarget& t = m->state.target;
  const auto active = static_cast<uint16_t>(1u << asked.place.index);
  t.value[asked.place.index] = static_cast<uint16_t>(value);
  t.active = static_cast<uint16_t>(t.active & ~active);
  if (value & bits("COUNTER0_VALUE.ACTIVE")) t.active |= active;
}

// --- all registers ---------------------------------------------------------------------------------------

constexpr Row kRows[] = {
    {"MCR", shown<&SmileTarget::mcr>, nullptr, write_mcr},
    {"MSR", status, nullptr, write_msr},
    {"NODE", kept<&SmileTarget::node>},
    {"MAXR", kept<&SmileTarget::maxr>},
    {"MASK", kept<&SmileTarget::mask>},
    {"RDP", shown<&SmileTarget::rdp>, nullptr, write_read_pointer},
    {"WRP", kept<&SmileTarget::wrp>},
    {"AUX", auxiliary_pointer},
    {"LOSTN", kept<&SmileTarget::lost>},
    {"QUEUE", kept<&SmileTarget::queue_count>},
    {"PACKETS", kept<&SmileTarget::packets>},
    {"ORPHANS", kept<&SmileTarget::orphans>},
    {"CLASHES", kept<&SmileTarget::clashes>},
    {"CRST", {}, nullptr, reset_counters},
    {"GEVENT", {}, nullptr, global_event},
    {"TIMER", kept<&SmileTarget::timer>, nullptr, timer_written},
    {"OVF", kept<&SmileTarget::overflow>},
    {"CABLE", cable},
    {"PAGE0", kept<&SmileTarget::page>},
    {"EVENT0", kept<&SmileTarget::event>},
    {"EVENT0_RANGE", kept<&SmileTarget::event_range>},
    {"COUNTER0_START..COUNTER0_COUNT", counter_event, nullptr, write_counter_event},
    {"COUNTER0_VALUE", counter_value, nullptr, write_counter_value},
    {"RANGE0", kept<&SmileTarget::pair>},
    {"RANGE0_ADDRESS", kept<&SmileTarget::address>},
    {"RANGE0_COUNT", kept<&SmileTarget::count>},
    {"RANGE0_USED", used},
};

std::array<Behaviours<Row>, 3> all_rows() {
  return {behaviours<kRegisters, kRows>, kBridgeBehaviours, kCcmBehaviours};
}

enum Part { kAnyPart = SMILE_NONE, kStaticPart = SMILE_STATIC, kDynamicPart = SMILE_DYNAMIC };

Part part_of(const SmileHwm* m, const Register& reg) {
  // The dynamic part's parameters are in PCI_Target (Sec. V.A), and so not on a daughter board.
  if (reg.name == "MAXR" || reg.name == "MASK") return m->config.two ? kAnyPart : kDynamicPart;
  if (reg.offset >= at(kRegisters, "RANGE0").offset) return kDynamicPart;
  const bool is_static = reg.offset >= at(kRegisters, "CRST").offset && reg.name != "CABLE";
  return is_static ? kStaticPart : kAnyPart;
}

struct Range {
  uint32_t base, bytes;
  std::span<const Register> table;
  const char* name;
};
constexpr Range kRanges[] = {
    {SMILE_BRIDGE_BASE, SMILE_BRIDGE_BYTES, kBridgeRegisters, "bridge"},
    {SMILE_TARGET_BASE, SMILE_TARGET_BYTES, kRegisters, "PCI_Target"},
    {SMILE_CCM_BASE, SMILE_CCM_BYTES, kCcmRegisters, "CCM"},
};

const Range* range_of(uint64_t offset) {
  for (const Range& r : kRanges)
    if (offset >= r.base && offset < r.base + r.bytes) return &r;
  return nullptr;
}

// False, and a line: nothing answers.
bool answers(SmileHwm* m, const RegisterAccess& asked, const char* what) {
  const Register* const reg = asked.place.reg;
  if (!reg) {
    if (const Range* const r = range_of(asked.offset))
      log_mistake(m, mistake("no-register"), "%s offset 0x%x: the %s has no register there", what,
                  asked.offset, r->name);
    else
      log_mistake(m, mistake("nowhere"), "%s offset 0x%x: nothing is there", what, asked.offset);
    return false;
  }
  if (!among(kRegisters, reg)) return true;
  const uint8_t design = m->state.target.design;
  const Part part = part_of(m, *reg);
  if (design != SMILE_NONE && (part == kAnyPart || part == design)) return true;
  static constexpr const char* kDesigns[] = {"no design", "the static part", "the dynamic part",
                                             "PCI_Target without a daughter board's design"};
  log_mistake(m, mistake("other-design"), "%s %s (offset 0x%x): %s is loaded", what,
              name_of(asked.place).text, asked.offset, kDesigns[design]);
  return false;
}

RegisterAccess asked_of(const SmileHwm* m, uint64_t now, uint32_t offset, uint32_t size) {
  return {place_at(m->config, offset), now, offset, Lanes::of(offset & 3, size)};
}

}  // namespace

Place place_at(const SmileConfig& c, uint64_t offset) {
  Place p = {.byte = static_cast<uint32_t>(offset & 3)};
  const Range* const r = range_of(offset);
  if (!r) return p;
  uint32_t word = static_cast<uint32_t>(offset - p.byte) - r->base;
  for (const Array& a : kArrays) {
    const uint32_t count = a.base == kRangeTable ? c.entries : a.count;
    if (r->base != SMILE_TARGET_BASE || word < a.base || word >= a.base + a.stride * count) continue;
    p.index = static_cast<int>((word - a.base) / a.stride);
    word = a.base + (word - a.base) % a.stride;
  }
  p.reg = find(r->table, word);
  return p;
}

uint32_t word_at(const SmileHwm* m, const Place& place, uint64_t now) {
  return value_at(all_rows(), m, m->state.target, RegisterAccess{place, now, 0, {}});
}

uint32_t read(SmileHwm* m, uint64_t now, uint32_t offset, uint32_t size) {
  const RegisterAccess asked = asked_of(m, now, offset, size);
  if (!answers(m, asked, "read of")) return asked.lanes.mask >> asked.lanes.shift;
  return read_at(all_rows(), m, m->state.target, asked);
}

void write(SmileHwm* m, uint64_t now, uint32_t offset, uint32_t size, uint32_t value) {
  const RegisterAccess asked = asked_of(m, now, offset, size);
  if (!answers(m, asked, "write to")) return;
  const Register& reg = *asked.place.reg;
  const auto rows = all_rows();
  const Row& row = behaviour_of(rows, &reg);
  if (!row.bits.taken && !row.write)
    log_mistake(m, mistake("read-only"), "write to %s: read only", name_of(asked.place).text);
  else if (size < reg.min_write_bytes)
    log_mistake(m, mistake("narrow-write"), "%u-bit write to %s: the registers take 32 bits; ignored",
                8 * size, name_of(asked.place).text);
  else
    keep_of(row, m, m->state.target, asked, value << asked.lanes.shift & asked.lanes.mask & row.bits.taken);
}

}  // namespace perfboard::smile
