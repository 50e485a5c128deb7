// SPDX-License-Identifier: GPL-2.0-or-later
//
// A monitor's entry points (power2.h).
#include "hw/power2/power2.h"

#include <cstdio>

#include "hw/core/behaviour.h"
#include "hw/core/state_check.h"
#include "hw/power2/model.h"

using namespace perfboard::p2;
using perfboard::log_mistake;
using perfboard::Register;
using perfboard::tell_effect;

namespace {

constexpr uint32_t kMmcrBits = at(kRegisters, "MMCR").mask(rw);

// --- what a register holds, whoever looks; counter: which one it is, of a counter ------------------------

template <auto kMember>
uint32_t kept(const P2Monitor* m, unsigned) {
  return m->state.*kMember;
}

uint32_t nothing(const P2Monitor*, unsigned) { return 0; }

uint32_t counter_now(const P2Monitor* m, unsigned counter) {
  return static_cast<uint32_t>(total_of(m, counter));
}

uint32_t marked(const P2Monitor* m, unsigned) {
  return (present_context(m) & (P2_USER_MARKED | P2_KERNEL_MARKED)) != 0;
}

uint32_t state_register(const P2Monitor* m, unsigned) {
  const unsigned now = present_context(m);
  return (now & (P2_USER | P2_USER_MARKED) ? bits("STATE.PR") : 0) |
         (now & (P2_USER_MARKED | P2_KERNEL_MARKED) ? bits("STATE.PM") : 0) |
         (now & counting(m->state.mmcr) ? bits("STATE.COUNTS") : 0);
}

// --- what a read does besides, and a write ---------------------------------------------------------------

// A counter that has rolled over is settled, so that this is told once.
uint32_t read_counter(P2Monitor* m, unsigned counter) {
  const uint64_t total = total_of(m, counter);
  if (total > UINT32_MAX) settle(m);
  return static_cast<uint32_t>(total);
}

// Bits that a register lacks are ignored.
uint32_t known_bits(P2Monitor* m, unsigned mistake, const char* name, uint32_t value, uint32_t known) {
  if (value & ~known) log_mistake(m, mistake, "%s: bits 0x%x are reserved: ignored", name, value & ~known);
  return value & known;
}

void write_mmcr(P2Monitor* m, unsigned, uint32_t value) {
  uint32_t& mmcr = m->state.mmcr;
  settle(m);
  const unsigned counted = counting(mmcr);
  mmcr = known_bits(m, mistake("reserved-bits"), "MMCR", value, kMmcrBits);
  follow(m);
  if (counting(mmcr) != counted) tell_effect(m, effect("counting"), counting(mmcr));
}

void write_nothing(P2Monitor*, unsigned, uint32_t) {}

void write_imr(P2Monitor* m, unsigned, uint32_t value) {
  settle(m);
  m->state.imr = value;
  m->config.match(m->config.opaque, value);
  follow(m);
  tell_effect(m, effect("matching"), value);
}

void write_spe(P2Monitor* m, unsigned, uint32_t value) {
  settle(m);
  m->state.spe = known_bits(m, mistake("no-such-bits"), "SPE", value, bits("SPE.SPE")) != 0;
  follow(m);
}

void write_mark(P2Monitor* m, unsigned, uint32_t value) {
  if (!m->config.own_mark) {
    log_mistake(m, mistake("mark-read-only"),
                "write to MARK: read only on POWER, where MSR(PM) is the process mark; ignored");
    return;
  }
  m->state.mark = known_bits(m, mistake("no-such-bits"), "MARK", value, bits("MARK.PM")) != 0;
  m->config.mark(m->config.opaque, m->state.mark);
  tell_effect(m, effect("marked"), m->state.mark);
}

struct Row {
  std::string_view name;
  uint32_t (*value)(const P2Monitor*, unsigned counter);
  void (*write)(P2Monitor*, unsigned counter, uint32_t value) = nullptr;  // nullptr: read only
  uint32_t (*read)(P2Monitor*, unsigned counter) = nullptr;               // instead of `value`
};
constexpr Row kRows[] = {
    {"MMCR", kept<&P2State::mmcr>, write_mmcr},
    {"FPU0..ERRORS", counter_now, settle_one, read_counter},
    {"PAD", nothing, write_nothing},
    {"IMR", kept<&P2State::imr>, write_imr},
    {"SPE", kept<&P2State::spe>, write_spe},
    {"MARK", marked, write_mark},
    {"STATE", state_register},
};

const Row& row_of(const Register* reg) { return perfboard::kByRegister<kRegisters, kRows>[reg - kRegisters]; }

unsigned counter_of(const Register* reg) { return (reg->offset - kCounter) / 4; }

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
  clear_undercount(m);
  tell(m);
  follow(m);
}

void p2_wake(P2Monitor* m) {
  if (m->state.awake) return;
  m->state.awake = 1;
  follow(m);
  inject_due(m);
}

uint32_t perfboard::p2::value_of(const P2Monitor* m, const Register* reg) {
  return row_of(reg).value(m, counter_of(reg));
}

uint32_t p2_read(P2Monitor* m, uint32_t offset) {
  if (const Register* const reg = register_at(kRegisters, offset)) {
    const Row& row = row_of(reg);
    return row.read ? row.read(m, counter_of(reg)) : row.value(m, counter_of(reg));
  }
  log_mistake(m, mistake("no-register"), "read of offset 0x%x of a monitor: no register", offset);
  return static_cast<uint32_t>(kIdle);
}

void p2_write(P2Monitor* m, uint32_t offset, uint32_t value) {
  const Register* const reg = register_at(kRegisters, offset);
  if (reg && row_of(reg).write) return row_of(reg).write(m, counter_of(reg), value);
  log_mistake(m, reg ? mistake("read-only") : mistake("no-register"),
              "write to offset 0x%x of a monitor (%s): ignored", offset,
              reg ? reg->name.data() : "no register");
}

void p2_correctable_errors(P2Monitor* m, uint32_t n) {
  if (!m->state.awake || !(present_context(m) & counting(m->state.mmcr))) return;
  uint32_t& errors = m->state.counter[kErrors];
  errors += n;
  tell_effect(m, effect("errors-counted"), n);
  if (errors < n) tell_effect(m, effect("rolled-over"), kErrors);
}

void p2_pre_save(P2Monitor* m) { settle(m); }

bool p2_load(P2Monitor* m, const P2State* image, char* why, uint32_t why_size) {
  const bool ok = p2_state_ok(m, image, why, why_size);
  m->state = ok ? *image : P2State{};
  clear_undercount(m);
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

// Whether a snapshot's P2State is one that a monitor can be in.

namespace perfboard::p2 {
#define STATE_LIST "hw/power2/state.def"
#include "hw/core/state_legal.h"
}  // namespace perfboard::p2

using namespace perfboard::p2;

bool p2_state_ok(const P2Monitor* m, const P2State* image, char* why, uint32_t why_size) {
  const P2State& s = *image;
  perfboard::StateCheck check(why, why_size);
  members_ok(check, s);
  const uint32_t most = s.awake ? UINT32_MAX : 0;  // asleep: all is 0
  check.in("spe", s.spe, 0, s.awake ? 1 : 0);
  check.in("mark", s.mark, 0, s.awake && m->config.own_mark ? 1 : 0);
  check.bits("mmcr", s.mmcr, at(kRegisters, "MMCR").mask(rw) & most);
  check.in("imr", s.imr, 0, most);
  check.member("counter", s.counter, perfboard::legal::up_to(most));
  const uint32_t due = s.awake ? 0 : UINT32_MAX;  // awake: it has happened
  check.in("errors_due", s.errors_due, 0, due);
  check.in("roll_over_due", s.roll_over_due, 0, due);
  return check.ok();
}
