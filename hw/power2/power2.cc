// SPDX-License-Identifier: GPL-2.0-or-later
//
// A monitor's entry points (power2.h).
#include "hw/power2/power2.h"

#include <cstdio>

#include "hw/power2/model.h"

using namespace perfboard::p2;
using perfboard::log_mistake;
using perfboard::tell_effect;

namespace {

constexpr uint32_t kMmcrBits = at(kRegisters, "MMCR").mask(rw);
constexpr uint32_t kIdle = 0xffffffff;  // what a bus reads where nothing answers

bool is_counter(uint32_t offset) { return offset >= kCounter && offset < kCounter + 4 * kCounters; }

bool marked(const P2Monitor* m) { return present_context(m) & (P2_USER_MARKED | P2_KERNEL_MARKED); }

uint32_t state_register(const P2Monitor* m) {
  const unsigned now = present_context(m);
  return (now & (P2_USER | P2_USER_MARKED) ? bits("STATE.PR") : 0) |
         (now & (P2_USER_MARKED | P2_KERNEL_MARKED) ? bits("STATE.PM") : 0) |
         (now & counting(m->state.mmcr) ? bits("STATE.COUNTS") : 0);
}

// Bits that a register lacks are ignored.
uint32_t known_bits(P2Monitor* m, unsigned mistake, const char* name, uint32_t value, uint32_t known) {
  if (value & ~known) log_mistake(m, mistake, "%s: bits 0x%x are reserved: ignored", name, value & ~known);
  return value & known;
}

void write_mark(P2Monitor* m, uint32_t value) {
  if (!m->config.own_mark) {
    log_mistake(m, kMarkReadOnly,
                "write to MARK: read only on POWER, where MSR(PM) is the process mark; ignored");
    return;
  }
  m->state.mark = known_bits(m, kNoSuchBits, "MARK", value, bits("MARK.PM")) != 0;
  m->config.mark(m->config.opaque, m->state.mark);
  tell_effect(m, kMarked, m->state.mark);
}

// A counter that has rolled over is settled, so that this is told once.
uint32_t read_counter(P2Monitor* m, unsigned counter) {
  const uint64_t total = total_of(m, counter);
  const auto value = static_cast<uint32_t>(total);
  if (total > UINT32_MAX) {
    settle_one(m, counter, value);
    tell_effect(m, kRolledOver, counter);
  }
  return value;
}

// What stands outside of the monitor, as the state says.
void tell(P2Monitor* m) {
  if (m->config.own_mark) m->config.mark(m->config.opaque, m->state.mark);
  m->config.match(m->config.opaque, m->state.imr);
}

}  // namespace

void p2_init(P2Monitor* m, const P2Config* config, const PbHost* host) {
  *m = {};
  m->config = *config;
  m->host = *host;
}

void p2_reset(P2Monitor* m) {
  const P2State& old = m->state;
  const P2State fresh = {
      .silent = old.silent,
      .errors_due = old.errors_due,
      .roll_over_due = old.roll_over_due,
  };
  m->state = fresh;
  tell(m);
  follow(m);
}

void p2_wake(P2Monitor* m) {
  if (m->state.awake) return;
  m->state.awake = 1;
  follow(m);
  inject_due(m);
}

std::optional<uint32_t> perfboard::p2::peek_register(const P2Monitor* m, uint32_t offset) {
  const P2State& s = m->state;
  if (is_counter(offset) && offset % 4 == 0)
    return static_cast<uint32_t>(total_of(m, (offset - kCounter) / 4));
  switch (offset) {
    case kMmcr:
      return s.mmcr;
    case kPad:
      return 0;
    case kImr:
      return s.imr;
    case kSpe:
      return s.spe;
    case kMark:
      return marked(m);
    case kState:
      return state_register(m);
    default:
      return {};
  }
}

uint32_t p2_read(P2Monitor* m, uint32_t offset) {
  if (is_counter(offset) && offset % 4 == 0) return read_counter(m, (offset - kCounter) / 4);
  if (const std::optional<uint32_t> value = peek_register(m, offset)) return *value;
  log_mistake(m, kNoRegister, "read of offset 0x%x of a monitor: no register", offset);
  return kIdle;
}

void p2_write(P2Monitor* m, uint32_t offset, uint32_t value) {
  P2State& s = m->state;
  unsigned counted = 0;
  if (is_counter(offset) && offset % 4 == 0) {
    settle_one(m, (offset - kCounter) / 4, value);
    return;
  }
  switch (offset) {
    case kMmcr:
      settle(m);
      counted = counting(s.mmcr);
      s.mmcr = known_bits(m, kReservedBits, "MMCR", value, kMmcrBits);
      follow(m);
      if (counting(s.mmcr) != counted) tell_effect(m, kCounting, counting(s.mmcr));
      break;
    case kPad:
      break;
    case kImr:
      settle(m);
      s.imr = value;
      m->config.match(m->config.opaque, value);
      follow(m);
      tell_effect(m, kMatching, value);
      break;
    case kSpe:
      settle(m);
      s.spe = known_bits(m, kNoSuchBits, "SPE", value, bits("SPE.SPE")) != 0;
      follow(m);
      break;
    case kMark:
      write_mark(m, value);
      break;
    default:
      log_mistake(m, offset == kState ? kReadOnly : kNoRegister,
                  "write to offset 0x%x of a monitor (%s): ignored", offset, name_of(offset));
  }
}

void p2_correctable_errors(P2Monitor* m, uint32_t n) {
  if (!m->state.awake || !(present_context(m) & counting(m->state.mmcr))) return;
  uint32_t& errors = m->state.counter[kErrors];
  errors += n;
  tell_effect(m, kErrorsCounted, n);
  if (errors < n) tell_effect(m, kRolledOver, kErrors);
}

void p2_pre_save(P2Monitor* m) { settle(m); }

bool p2_load(P2Monitor* m, const P2State* image, char* why, uint32_t why_size) {
  const bool ok = p2_state_ok(m, image, why, why_size);
  m->state = ok ? *image : P2State{};
  tell(m);
  follow(m);
  return ok;
}

void p2_config_default(P2Config* c, enum P2Node node) {
  *c = {
      .clock_hz = P2_DEFAULT_CLOCK,
      .power = true,
      .stalls = true,
      .geometry = *p2_node_geometry(node),
      .penalty = *p2_node_penalties(node),
  };
}

bool p2_config_ok(const P2Config* c, char* why, size_t size) {
  constexpr uint32_t kLeast = 1'000'000, kMost = 1'000'000'000;
  const struct {
    const char* name;
    uint32_t value;
  } penalties[] = {
      {"dcache-penalty", c->penalty.dcache},
      {"tlb-penalty", c->penalty.tlb},
      {"icache-penalty", c->penalty.icache},
  };
  if (c->clock_hz < kLeast || c->clock_hz > kMost) {
    std::snprintf(why, size, "clock=%u: legal are %u to %u Hz", c->clock_hz, kLeast, kMost);
    return false;
  }
  for (const auto& p : penalties)
    if (p.value > P2_MOST_PENALTY) {
      std::snprintf(why, size, "%s=%u: legal are 0 to %u cycles", p.name, p.value, P2_MOST_PENALTY);
      return false;
    }
  return p2_geometry_ok(&c->geometry, why, size);
}
