// SPDX-License-Identifier: GPL-2.0-or-later
//
// The PCI_Target's registers (registers.h): what each reads, and what a write does.
#include <algorithm>

#include "hw/core/bank.h"
#include "hw/smile/ring.h"

namespace perfboard::smile {
namespace {

enum Part { kAnyPart = SMILE_NONE, kStaticPart = SMILE_STATIC, kDynamicPart = SMILE_DYNAMIC };

Part part_of(uint32_t offset) {
  if (offset >= at(kRegisters, "RANGE0").offset) return kDynamicPart;
  if (offset >= at(kRegisters, "PAGE0").offset) return kStaticPart;
  switch (offset) {
    case at(kRegisters, "MAXR").offset:
    case at(kRegisters, "MASK").offset:
      return kDynamicPart;
    case at(kRegisters, "CRST").offset:
    case at(kRegisters, "GEVENT").offset:
    case at(kRegisters, "TIMER").offset:
    case at(kRegisters, "OVF").offset:
      return kStaticPart;
    default:
      return kAnyPart;
  }
}

// The dynamic part's parameters are in PCI_Target (Sec. V.A), and so not on a daughter board.
bool is_parameter(uint32_t offset) {
  return offset == at(kRegisters, "MAXR").offset || offset == at(kRegisters, "MASK").offset;
}

// nullptr, and a line: nothing answers at this offset.
const Register* answering(SmileHwm* m, uint32_t offset, const char* what, Row& row) {
  const uint8_t design = m->state.target.design;
  row = row_of(offset);
  if (!row.reg || (row.reg->name.starts_with("RANGE") && row.index >= m->config.entries)) {
    log_mistake(m, kNoRegister, "%s offset 0x%x: the PCI_Target has no register there", what,
                SMILE_TARGET_BASE + offset);
    return nullptr;
  }
  const Part part = m->config.two && is_parameter(row.reg->offset) ? kAnyPart : part_of(row.reg->offset);
  if (design != SMILE_NONE && (part == kAnyPart || part == design)) return row.reg;
  static constexpr const char* kDesigns[] = {"no design", "the static part", "the dynamic part",
                                             "PCI_Target without a daughter board's design"};
  log_mistake(m, kOtherDesign, "%s %s (offset 0x%x): %s is loaded", what, name_of(offset).text,
              SMILE_TARGET_BASE + offset, kDesigns[design]);
  return nullptr;
}

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

uint32_t status(const SmileHwm* m, uint64_t now) {
  const SmileTarget& t = m->state.target;
  uint32_t v = states(t, now) | (t.design == SMILE_TARGET ? uint32_t{SMILE_NONE} : t.design);
  v = field("MSR.EXCHANGED").set(v, t.exchanged);
  v = field("MSR.FULL").set(v, ring_full(t));
  v = field("MSR.LOST").set(v, t.lost_flag);
  v = field("MSR.DONE").set(v, t.done);
  return field("MSR.ENTRIES").set(v, m->config.entries);
}

// All 32 bits of a register of a table (registers.h, kArrays).
uint32_t table_word(const SmileTarget& t, uint32_t offset, uint32_t i) {
  switch (offset) {
    case at(kRegisters, "PAGE0").offset:
      return t.page[i];
    case at(kRegisters, "EVENT0").offset:
      return t.event[i];
    case at(kRegisters, "EVENT0_RANGE").offset:
      return t.event_range[i];
    case at(kRegisters, "COUNTER0_VALUE").offset:
      return field("COUNTER0_VALUE.ACTIVE").set(t.value[i], t.active >> i & 1);
    case at(kRegisters, "RANGE0").offset:
      return t.pair[i];
    case at(kRegisters, "RANGE0_ADDRESS").offset:
      return t.address[i];
    case at(kRegisters, "RANGE0_COUNT").offset:
      return t.count[i];
    case at(kRegisters, "RANGE0_USED").offset:
      return t.used >> i & 1;
    default:
      return t.counter_event[i][(offset - at(kRegisters, "COUNTER0_START").offset) / 4];
  }
}

uint32_t cable(const SmileHwm* m) { return field("CABLE.PLUGGED").set(m->config.node, m->cable); }

}  // namespace

uint32_t target_word(const SmileHwm* m, uint64_t now, const Row& row) {
  const SmileTarget& t = m->state.target;
  switch (row.reg->offset) {
    case at(kRegisters, "MCR").offset:
      return t.mcr;
    case at(kRegisters, "MSR").offset:
      return status(m, now);
    case at(kRegisters, "NODE").offset:
      return t.node;
    case at(kRegisters, "MAXR").offset:
      return t.maxr;
    case at(kRegisters, "MASK").offset:
      return t.mask;
    case at(kRegisters, "RDP").offset:
      return t.rdp;
    case at(kRegisters, "WRP").offset:
      return t.wrp;
    case at(kRegisters, "AUX").offset:
      return field("AUX.AUX").set(0, t.wrp + 1u);
    case at(kRegisters, "LOSTN").offset:
      return t.lost;
    case at(kRegisters, "QUEUE").offset:
      return t.queue_count;
    case at(kRegisters, "PACKETS").offset:
      return t.packets;
    case at(kRegisters, "ORPHANS").offset:
      return t.orphans;
    case at(kRegisters, "CLASHES").offset:
      return t.clashes;
    case at(kRegisters, "CRST").offset:
    case at(kRegisters, "GEVENT").offset:
      return 0;
    case at(kRegisters, "TIMER").offset:
      return t.timer;
    case at(kRegisters, "OVF").offset:
      return t.overflow;
    case at(kRegisters, "CABLE").offset:
      return cable(m);
    default:
      return table_word(t, row.reg->offset, row.index);
  }
}

namespace {

void swap_out(SmileHwm* m, uint64_t now) {
  SmileTarget& t = m->state.target;
  uint16_t records = 0;  // INFERRED: without an F.R.L. there is nothing to store, and it is done at once
  if (t.design == SMILE_DYNAMIC) records = swap_all(m);
  if (t.design == SMILE_STATIC) records = store_counters(m);
  remember(t, now, {SMILE_SWAP_ALL, SMILE_NO_ENTRY, records});
  t.done = 1;
  tell_effect(m, kSwappedOut, records);
  if (!m->config.wave) return;
  const SmileWave w = {.ns = now, .last = SMILE_SWAP_ALL, .entry = SMILE_NO_ENTRY, .records = records};
  m->config.wave(m->config.opaque, nullptr, &w);
}

void write_mcr(SmileHwm* m, uint64_t now, uint32_t value) {
  SmileTarget& t = m->state.target;
  if (value & bits("MCR.RESET")) {
    monitor_reset(m);
    tell_effect(m, kMonitorReset);
  }
  const bool ran = t.mcr & kRun;
  t.mcr = value & (kRun | bits("MCR.IEF") | bits("MCR.IED"));
  if (ran != bool(t.mcr & kRun)) start_timer(m, now);
  if (value & bits("MCR.SWAP")) swap_out(m, now);
}

void write_value(SmileTarget& t, uint32_t i, uint32_t value) {
  t.value[i] = static_cast<uint16_t>(value);
  t.active = static_cast<uint16_t>(t.active & ~(1u << i));
  if (value & bits("COUNTER0_VALUE.ACTIVE")) t.active |= static_cast<uint16_t>(1u << i);
}

void write_table(SmileHwm* m, const Row& row, uint32_t value) {
  SmileTarget& t = m->state.target;
  switch (row.reg->offset) {
    case at(kRegisters, "PAGE0").offset:
      t.page[row.index] = value;
      return;
    case at(kRegisters, "EVENT0").offset:
      t.event[row.index] = value;
      return;
    case at(kRegisters, "EVENT0_RANGE").offset:
      t.event_range[row.index] = value;
      return;
    case at(kRegisters, "COUNTER0_VALUE").offset:
      write_value(t, row.index, value);
      return;
    default:
      t.counter_event[row.index][(row.reg->offset - at(kRegisters, "COUNTER0_START").offset) / 4] = value;
      m->wires = wires_of(t);
  }
}

void reset_counters(SmileTarget& t, uint32_t which) {
  for (uint32_t i = 0; i < SMILE_STATIC_COUNTERS; ++i)
    if (which >> i & 1) t.value[i] = 0;
}

void check_read_pointer(const SmileHwm* m, uint32_t rdp) {
  const SmileTarget& t = m->state.target;
  const uint32_t step = (rdp - t.rdp) & kPointer;
  if (step > ((uint32_t{t.wrp} - t.rdp) & kPointer) || step % kRecordWords)
    log_mistake(m, kReadPointer, "RDP: 0x%x is no end of a record between 0x%x and WRP, 0x%x", rdp, t.rdp,
                t.wrp);
}

// Only bits that can be written are set in value; of the status those that are to be cleared.
void write_register(SmileHwm* m, uint64_t now, const Row& row, uint32_t value) {
  SmileTarget& t = m->state.target;
  switch (row.reg->offset) {
    case at(kRegisters, "MCR").offset:
      return write_mcr(m, now, value);
    case at(kRegisters, "MSR").offset:
      if (value & bits("MSR.LOST")) t.lost_flag = 0;
      if (value & bits("MSR.DONE")) t.done = 0;
      if (value & bits("MSR.EXCHANGED")) t.exchanged = 0;
      return;
    case at(kRegisters, "NODE").offset:
      t.node = value;
      return;
    case at(kRegisters, "MAXR").offset:
      t.maxr = value;
      return;
    case at(kRegisters, "MASK").offset:
      t.mask = value;
      return;
    case at(kRegisters, "RDP").offset:
      check_read_pointer(m, value);
      return set_read_pointer(m, value);
    case at(kRegisters, "CRST").offset:
      return reset_counters(t, value);
    case at(kRegisters, "GEVENT").offset:
      if (value == 0)
        log_mistake(m, kTimersEvent, "GEVENT: 0 is the timer's event; ignored");
      else if (t.mcr & kRun)
        count_event(m, kTimerEvent + value);
      return;
    case at(kRegisters, "TIMER").offset:
      t.timer = value;
      return start_timer(m, now);
    default:
      return write_table(m, row, value);
  }
}

}  // namespace

uint32_t target_read(SmileHwm* m, uint64_t now, uint32_t offset, uint32_t size) {
  const Lanes lanes = Lanes::of(offset & 3, size);
  Row row;
  const Register* reg = answering(m, offset, "read of", row);
  return reg ? bank_read(*reg, target_word(m, now, row), lanes) : lanes.mask >> lanes.shift;
}

void target_write(SmileHwm* m, uint64_t now, uint32_t offset, uint32_t size, uint32_t value) {
  Row row;
  const Register* reg = answering(m, offset, "write to", row);
  if (!reg) return;
  const uint32_t writable = reg->mask(rw) | reg->mask(wo) | reg->mask(w1c);
  if (!writable)
    log_mistake(m, kReadOnly, "write to %s: read only", name_of(offset).text);
  else if (size < reg->min_write_bytes)
    log_mistake(m, kNarrowWrite, "%u-bit write to %s: the registers take 32 bits; ignored", 8 * size,
                name_of(offset).text);
  else
    write_register(m, now, row, value & writable);
}

}  // namespace perfboard::smile
