// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses to BAR 0.
#include "hw/core/bank.h"
#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

constexpr uint32_t kIdle = 0xffffffff;  // the bus where nothing answers

uint32_t read_statistics(SciAdapter* a, const Place& p, uint32_t offset, uint32_t vcpu) {
  SciState& s = a->state;
  const uint32_t reader = is_node(a, vcpu) ? vcpu : SCI_READERS - 1;
  const uint32_t low = offset & ~7u;
  const uint64_t value =
      statistic(a, static_cast<uint32_t>(p.unit), p.reg->offset / 8, a->host.now(a->host.opaque));
  if (offset == low) {
    s.latch[reader] = static_cast<uint32_t>(value >> 32);
    s.latched[reader] = low + 1;
    tell_effect(a, kLatched, offset);
    return static_cast<uint32_t>(value);
  }
  return s.latched[reader] == low + 1 ? s.latch[reader] : static_cast<uint32_t>(value >> 32);
}

}  // namespace

Place place_at(const SciConfig& c, uint64_t word) {
  Place p;
  if (word >= SCI_REGISTER_BYTES) return p;
  const auto offset = static_cast<uint32_t>(word);
  if (offset >= kAtt && (offset - kAtt) / 4 < pages(c)) {
    p.reg = &kTable[0];
    p.index = static_cast<int>((offset - kAtt) / 4);
  } else if (offset >= kStatisticsBase && offset < kStatisticsBase + kStatisticsStep * c.nodes) {
    p.reg = find(kStatistics, offset % kStatisticsStep);
    if (p.reg) p.unit = static_cast<int>((offset - kStatisticsBase) / kStatisticsStep);
  } else {
    p.reg = find(kRegisters, offset);
  }
  return p;
}

uint64_t statistic(const SciAdapter* a, uint32_t node, uint32_t index, uint64_t now) {
  const SciNode& n = a->state.node[node];
  return index == kOutstanding ? outstanding(n, now) : n.count[index];
}

uint32_t read_register(const SciAdapter* a, uint32_t offset, uint32_t vcpu) {
  switch (offset) {
    case kId:
      return kIdValue;
    case kVersion:
      return 1;
    case kNodes:
      return a->config.nodes;
    case kPages:
      return pages(a->config);
    case kNode:
      return is_node(a, vcpu) ? vcpu : UINT32_MAX;
    case kCtrl:
      return a->state.enabled;
    default:  // STATUS
      return at(kRegisters, "STATUS").field("LATENCY").set(0, a->config.latency);
  }
}

namespace {

uint32_t read_word(SciAdapter* a, uint32_t offset, uint32_t vcpu) {
  const Place p = place_at(a->config, offset);
  if (p.unit >= 0) return read_statistics(a, p, offset, vcpu);
  if (p.index >= 0) return a->state.home[p.index];
  if (p.reg) return read_register(a, offset, vcpu);
  log_mistake(a, kNoRegister, "read of offset 0x%x: no register is there", offset);
  return kIdle;
}

// What the processors' buffers hold still goes, and what is on its way arrives; an access that waits is then
// made to plain memory.
void stop(SciAdapter* a) {
  for (uint32_t n = 0; n < a->config.nodes; ++n) {
    drain(a, static_cast<uint8_t>(n), a->host.now(a->host.opaque));
    for (SciHeld& h : a->state.node[n].held) h = {};
  }
}

void write_ctrl(SciAdapter* a, uint32_t value) {
  const Register& r = at(kRegisters, "CTRL");
  SciState& s = a->state;
  const bool on = value & r.field("ENABLE").mask();
  if (value & r.field("CLEAR").mask()) {
    for (SciNode& node : s.node)
      for (uint64_t& count : node.count) count = 0;
    tell_effect(a, kCleared);
  }
  if (s.enabled && !on) stop(a);
  if (s.enabled != on) tell_effect(a, kSwitched, on);
  s.enabled = on;
}

void write_entry(SciAdapter* a, uint32_t page, uint32_t value) {
  const uint32_t home = value & kEntryFields[0].mask();
  if (home < a->config.nodes)
    a->state.home[page] = static_cast<uint8_t>(home);
  else
    log_mistake(a, kBadHome, "ATT[%u]: home %u is no node: legal are 0 to %u; ignored", page, home,
                a->config.nodes - 1);
}

void write_word(SciAdapter* a, uint32_t offset, uint32_t value) {
  const Place p = place_at(a->config, offset);
  if (p.index >= 0) return write_entry(a, static_cast<uint32_t>(p.index), value);
  if (offset == kCtrl) return write_ctrl(a, value);
  if (p.reg)
    log_mistake(a, kReadOnly, "write to %s (offset 0x%x): read only", p.reg->name.data(), offset);
  else
    log_mistake(a, kNoRegister, "write to offset 0x%x: no register is there", offset);
}

}  // namespace
}  // namespace perfboard::sci

using namespace perfboard;
using namespace perfboard::sci;

uint64_t sci_register_read(SciAdapter* a, uint32_t offset, uint32_t size, uint32_t vcpu) {
  const uint32_t word = offset & ~3u;
  if (size == 8) {
    const uint32_t low = read_word(a, word, vcpu);
    return low | uint64_t{read_word(a, word + 4, vcpu)} << 32;
  }
  const Lanes lanes = Lanes::of(offset & 3, size);
  return (read_word(a, word, vcpu) & lanes.mask) >> lanes.shift;
}

void sci_register_write(SciAdapter* a, uint32_t offset, uint64_t value, uint32_t size, uint32_t vcpu) {
  sci_drain(a, a->host.now(a->host.opaque), vcpu);
  if (size < 4) {
    log_mistake(a, kNarrowWrite, "%u-bit write to offset 0x%x: registers take 32 bits; ignored", 8 * size,
                offset);
    return;
  }
  write_word(a, offset, static_cast<uint32_t>(value));
  if (size == 8) write_word(a, offset + 4, static_cast<uint32_t>(value >> 32));
}
