// SPDX-License-Identifier: GPL-2.0-or-later
//
// A monitor's entry points (power2.h).
#include "hw/power2/power2.h"

#include <cstdio>

#include "hw/model/behaviour.h"
#include "hw/model/state_check.h"
#include "hw/power2/model.h"

using namespace perfboard::p2;
using namespace perfboard;

namespace {

struct Asked {
  const Register* reg;
  static constexpr Lanes lanes = Lanes::of(0, 4);
};

unsigned counter_of(const Asked& a) { return (a.reg->offset - kCounter) / 4; }

// --- what a register holds, whoever looks ----------------------------------------------------------------

uint32_t counter_now(const P2Monitor* m, const Asked& a) {
  return static_cast<uint32_t>(total_of(m, counter_of(a)));
}

uint32_t marked(const P2Monitor* m, const Asked&) {
  return (present_context(m) & (P2_USER_MARKED | P2_KERNEL_MARKED)) != 0;
}

uint32_t state_register(const P2Monitor* m, const Asked&) {
  const unsigned now = present_context(m);
  return (now & (P2_USER | P2_USER_MARKED) ? bits("STATE.PR") : 0) |
         (now & (P2_USER_MARKED | P2_KERNEL_MARKED) ? bits("STATE.PM") : 0) |
         (now & counting(m->state.mmcr) ? bits("STATE.COUNTS") : 0);
}

// --- what a read does besides, and a write ---------------------------------------------------------------

// A counter that has rolled over is settled, so that this is told once.
uint32_t read_counter(P2Monitor* m, const Asked& a) {
  const uint64_t total = total_of(m, counter_of(a));
  if (total > UINT32_MAX) settle(m);
  return static_cast<uint32_t>(total);
}

void write_counter(P2Monitor* m, const Asked& a, uint32_t value) { settle_one(m, counter_of(a), value); }

void write_mmcr(P2Monitor* m, const Asked&, uint32_t fresh) {
  const unsigned counted = counting(m->state.mmcr);
  m->state.mmcr = fresh;
  if (counting(fresh) != counted) tell_effect(m, effect("counting"), counting(fresh));
}

void imr_written(P2Monitor* m, const Asked&, uint32_t imr) {
  m->config.match(m->config.opaque, imr);
  tell_effect(m, effect("matching"), imr);
}

void write_mark(P2Monitor* m, const Asked&, uint32_t mark) {
  m->state.mark = mark != 0;
  m->config.mark(m->config.opaque, mark);
  tell_effect(m, effect("marked"), mark);
}

using Row = Behaviour<P2Monitor, P2State, Asked>;
constexpr Row kRows[] = {
    {"MMCR", shown<&P2State::mmcr>, nullptr, write_mmcr},
    {"FPU0..ERRORS", counter_now, read_counter, write_counter},
    {"PAD"},
    {"IMR", kept<&P2State::imr>, nullptr, imr_written},
    {"SPE", kept<&P2State::spe>},
    {"MARK", marked, nullptr, write_mark},
    {"STATE", state_register},
};

const Row& row_of(const Register* reg) {
  return kByRegister<kRegisters, kRows>[static_cast<size_t>(reg - kRegisters.data())];
}

// What counts depends on it.
bool says_what_counts(uint32_t offset) { return offset == kMmcr || offset == kImr || offset == kSpe; }

// Nothing stands against a write; or a line says what does.
bool takes(const P2Monitor* m, uint32_t offset, const Register* reg) {
  if (!reg || (row_of(reg).bits.readable && !row_of(reg).bits.taken))
    log_mistake(m, reg ? mistake("read-only") : mistake("no-register"),
                "write to offset 0x%x of a monitor (%s): ignored", offset,
                reg ? reg->name.data() : "no register");
  else if (offset == kMark && !m->config.own_mark)
    log_mistake(m, mistake("mark-read-only"),
                "write to MARK: read only on POWER, where MSR(PM) is the process mark; ignored");
  else
    return true;
  return false;
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
  return perfboard::value_of(row_of(reg), m, m->state, Asked{reg});
}

uint32_t p2_read(P2Monitor* m, uint32_t offset) {
  if (const Register* const reg = register_at(kRegisters, offset))
    return read_of(row_of(reg), m, m->state, Asked{reg});
  log_mistake(m, mistake("no-register"), "read of offset 0x%x of a monitor: no register", offset);
  return static_cast<uint32_t>(kIdle);
}

void p2_write(P2Monitor* m, uint32_t offset, uint32_t value) {
  const Register* const reg = register_at(kRegisters, offset);
  if (!takes(m, offset, reg)) return;
  const Row& row = row_of(reg);
  if (says_what_counts(offset)) settle(m);
  if (const uint32_t unknown = row.bits.taken ? value & ~row.bits.taken : 0)
    log_mistake(m, reg->mask(reserved) ? mistake("reserved-bits") : mistake("no-such-bits"),
                "%s: bits 0x%x are reserved: ignored", reg->name.data(), unknown);
  const Asked asked = {reg};
  write_of(row, m, m->state, asked, value);
  if (says_what_counts(offset)) follow(m);
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
#include "hw/model/state_legal.h"
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
