// SPDX-License-Identifier: GPL-2.0-or-later
//
// BAR 0: what is where, what each register does, and accesses.
#include <algorithm>

#include "hw/model/behaviour.h"
#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

constexpr uint32_t kIdle = 0xffffffff;  // the bus where nothing answers
constexpr uint32_t kOthers = SCI_READERS - 1, kNobody = SCI_READERS;

struct RegisterAccess {
  Place place;
  Lanes lanes;
  uint32_t offset;  // in BAR 0
  uint32_t reader;  // a node, kOthers, or kNobody: somebody who looks and reads nothing
  uint64_t now;
};

uint32_t nodes(const SciAdapter* a, const RegisterAccess&) { return a->config.nodes; }
uint32_t pages_of_window(const SciAdapter* a, const RegisterAccess&) { return pages(a->config); }
uint32_t own_node(const SciAdapter* a, const RegisterAccess& asked) {
  return is_node(a, asked.reader) ? asked.reader : UINT32_MAX;
}
uint32_t status(const SciAdapter* a, const RegisterAccess&) {
  const Register& r = at(kRegisters, "STATUS");
  return (a->config.latency ? r.field("LATENCY").mask() : 0) |
         (a->config.cluster ? r.field("CLUSTER").mask() : 0);
}

uint64_t statistic(const SciAdapter* a, const RegisterAccess& asked) {
  const SciNode& n = a->state.node[asked.place.unit];
  const uint32_t index = asked.place.reg->offset / 8;
  return index == kOutstanding ? outstanding(n, asked.now) : n.count[index];
}

// A half: the upper one as who reads has latched it.
uint32_t half(const SciAdapter* a, const RegisterAccess& asked) {
  const SciState& s = a->state;
  const uint64_t value = statistic(a, asked);
  if (asked.place.reg->offset % 8 == 0) return static_cast<uint32_t>(value);
  const bool latched = asked.reader != kNobody && s.latched[asked.reader] == (asked.offset & ~7u) + 1;
  return latched ? s.latch[asked.reader] : static_cast<uint32_t>(value >> 32);
}

uint32_t latch(SciAdapter* a, const RegisterAccess& asked) {
  if (asked.place.reg->offset % 8) return half(a, asked);
  const uint64_t value = statistic(a, asked);
  a->state.latch[asked.reader] = static_cast<uint32_t>(value >> 32);
  a->state.latched[asked.reader] = asked.offset + 1;
  tell_effect(a, effect("latched"), asked.offset);
  return static_cast<uint32_t>(value);
}

// What the processors' buffers hold still goes, and what is on its way arrives; an access that waits is then
// made to plain memory.
void stop(SciAdapter* a) {
  for (uint32_t n = 0; n < a->config.nodes; ++n) {
    drain(a, static_cast<uint8_t>(n), a->host.now(a->host.opaque));
    for (SciHeld& h : a->state.node[n].held) h = {};
  }
}

void write_ctrl(SciAdapter* a, const RegisterAccess&, uint32_t value) {
  const Register& r = at(kRegisters, "CTRL");
  SciState& s = a->state;
  const bool on = value & r.field("ENABLE").mask();
  if (value & r.field("CLEAR").mask()) {
    for (SciNode& node : s.node)
      for (uint64_t& count : node.count) count = 0;
    tell_effect(a, effect("cleared"));
  }
  if (s.enabled && !on) stop(a);
  if (s.enabled != on) tell_effect(a, effect("switched"), on);
  s.enabled = on;
}

void write_entry(SciAdapter* a, const RegisterAccess& asked, uint32_t home) {
  if (home < a->config.nodes)
    a->state.home[asked.place.index] = static_cast<uint8_t>(home);
  else
    log_mistake(a, mistake("bad-home"), "ATT[%d]: home %u is no node: legal are 0 to %u; ignored",
                asked.place.index, home, a->config.nodes - 1);
}

using Row = Behaviour<SciAdapter, SciState, RegisterAccess>;
constexpr Row kRows[] = {
    {"ID"},
    {"VERSION"},
    {"NODES", nodes},
    {"PAGES", pages_of_window},
    {"NODE", own_node},
    {"CTRL", shown<&SciState::enabled>, nullptr, write_ctrl},
    {"STATUS", status},
};
constexpr Row kStatisticRows[] = {{"READS..PACKETSH", half, latch}};
constexpr Row kTableRows[] = {{"ATT", shown<&SciState::home>, nullptr, write_entry}};
constexpr Behaviours<Row> kBehaviours[] = {
    behaviours<kRegisters, kRows>, behaviours<kStatistics, kStatisticRows>, behaviours<kTable, kTableRows>};

RegisterAccess asked_of(const SciAdapter* a, uint32_t offset, uint32_t size, uint32_t vcpu) {
  const Place place = place_at(a->config, offset);
  const uint32_t reader = is_node(a, vcpu) ? vcpu : kOthers;
  return {place, Lanes::of(place.byte, size), offset - place.byte, reader, a->host.now(a->host.opaque)};
}

uint32_t read_word(SciAdapter* a, uint32_t offset, uint32_t size, uint32_t vcpu) {
  const RegisterAccess asked = asked_of(a, offset, size, vcpu);
  if (asked.place.reg) return read_at(kBehaviours, a, a->state, asked);
  log_mistake(a, mistake("no-register"), "read of offset 0x%x: no register is there", asked.offset);
  return kIdle & asked.lanes.mask >> asked.lanes.shift;
}

void write_word(SciAdapter* a, uint32_t offset, uint32_t vcpu, uint32_t value) {
  const RegisterAccess asked = asked_of(a, offset, 4, vcpu);
  const Register* const r = asked.place.reg;
  if (!r) return log_mistake(a, mistake("no-register"), "write to offset 0x%x: no register is there", offset);
  const Row& row = behaviour_of(kBehaviours, r);
  if (!row.bits.taken)
    return log_mistake(a, mistake("read-only"), "write to %s (offset 0x%x): read only", r->name.data(),
                       offset);
  write_of(row, a, a->state, asked, value);
}

}  // namespace

Place place_at(const SciConfig& c, uint64_t offset) {
  const auto word = static_cast<uint32_t>(offset & ~uint64_t{3});
  Place p = {.byte = static_cast<uint32_t>(offset & 3)};
  if (offset >= SCI_REGISTER_BYTES) return p;
  if (word >= kAtt && (word - kAtt) / 4 < pages(c)) {
    p.reg = &kTable[0];
    p.index = static_cast<int>((word - kAtt) / 4);
  } else if (word >= kStatisticsBase && word < kStatisticsBase + kStatisticsStep * c.nodes) {
    p.reg = find(kStatistics, word % kStatisticsStep);
    if (p.reg) p.unit = static_cast<int>((word - kStatisticsBase) / kStatisticsStep);
  } else {
    p.reg = find(kRegisters, word);
  }
  return p;
}

uint32_t peek_at(const SciAdapter* a, const Place& place, uint64_t now) {
  return value_at(kBehaviours, a, a->state, RegisterAccess{place, {}, 0, kNobody, now});
}

}  // namespace perfboard::sci

using namespace perfboard;
using namespace perfboard::sci;

uint64_t sci_register_read(SciAdapter* a, uint32_t offset, uint32_t size, uint32_t vcpu) {
  const uint32_t low = read_word(a, offset, std::min(size, 4u), vcpu);
  return size == 8 ? low | uint64_t{read_word(a, offset + 4, 4, vcpu)} << 32 : low;
}

void sci_register_write(SciAdapter* a, uint32_t offset, uint64_t value, uint32_t size, uint32_t vcpu) {
  sci_drain(a, a->host.now(a->host.opaque), vcpu);
  if (size < 4) {
    log_mistake(a, mistake("narrow-write"), "%u-bit write to offset 0x%x: registers take 32 bits; ignored",
                8 * size, offset);
    return;
  }
  write_word(a, offset, vcpu, static_cast<uint32_t>(value));
  if (size == 8) write_word(a, offset + 4, vcpu, static_cast<uint32_t>(value >> 32));
}
