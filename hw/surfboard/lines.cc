// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the board shows outside: the interrupt line and the LEDs; and the timer, without which an interrupt
// would be late.
#include <algorithm>

#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr int kIrqs[8] = {-1, -1, 5, 9, 10, 12, 14, 15};  // by IRLEV (p. 50)

int irq_number(const SurfState& s) {
  constexpr const Field& irlev = field("EBCR.IRLEV");
  return kIrqs[irlev.get(s.ebcr)];
}

// A packet needs a timer only if its end shows on a wire. Whoever looks at a register or, while packets
// can reach it, at a memory, has the packets that are done carried out first.
bool somebody_waits(const SurfState& s) {
  if (!enabled(s)) return false;
  if (s.ttcr & bits("TTCR.MBV") && !(s.iscr & bits("ISCR.BV"))) return true;
  return s.iemr && irq_number(s) >= 0 && !s.lines.irq;
}

void arm(SurfBoard* b) {
  SurfState& s = b->state;
  uint64_t deadline = memory_deadline(s);
  if (s.pipe_count && somebody_waits(s)) deadline = std::min(deadline, s.pipe[0].done_ns);
  if (s.iemr & bits("IEMR.RTV") && !(s.iscr & bits("ISCR.RTV"))) {
    const uint64_t wrap = static_cast<uint64_t>(s.clock_base_ns) + (kTimeMask + 1) * kTickNs;
    deadline = std::min(deadline, wrap);
  }
  // A timer that is armed although nothing is due any more does no harm: surf_timer() finds nothing.
  if (s.lines.armed == deadline || deadline == PB_NEVER) return;
  s.lines.armed = deadline;
  b->host.arm(b->host.opaque, deadline);
}

}  // namespace

bool enabled(const SurfState& s) { return s.ebcr & bits("EBCR.ENABLE"); }

uint32_t iscr_conditions(const SurfState& s) { return s.iscr | fifo_conditions(s.fifo); }

bool irq_wanted(const SurfState& s) {
  return enabled(s) && irq_number(s) >= 0 && (iscr_conditions(s) & s.iemr) != 0;
}

void irq_release(SurfBoard* b) {
  if (!b->state.lines.irq) return;
  b->state.lines.irq = 0;
  b->host.set_irq(b->host.opaque, false);
}

void settle(SurfBoard* b, uint64_t now) {
  ext_settle(b);
  settle_machine(b, now);
}

void settle_machine(SurfBoard* b, uint64_t now) {
  SurfState& s = b->state;
  const bool irq = irq_wanted(s);
  if (irq != (s.lines.irq != 0)) {
    s.lines.irq = irq;
    b->host.set_irq(b->host.opaque, irq);
  }
  memory_settle(b, now);
  arm(b);
}

uint64_t present(SurfBoard* b) {
  const uint64_t now = b->host.now(b->host.opaque);
  advance(b, now);
  settle(b, now);
  return now;
}

}  // namespace perfboard::surf

using namespace perfboard::surf;

int surf_irq_number(const SurfBoard* b) { return irq_number(b->state); }

uint32_t surf_leds(SurfBoard* b) {
  SurfState& s = b->state;
  const uint64_t now = present(b);
  const bool in_stage1 = s.open_valid || now < s.led_stage1_until_ns;
  const bool on[10] = {
      s.ext_high == 0,
      now < s.led_reset_until_ns,
      (s.htcr & bits("HTCR.TRG")) != 0,
      s.fifo.count != 0,
      (s.htcr & bits("HTCR.TEN")) != 0,
      now < s.led_access_until_ns,
      s.lines.irq != 0,
      now < s.led_stage2_until_ns,
      in_stage1,
      (s.pclr & bits("PCLR.LED")) != 0,
  };
  uint32_t leds = 0;
  for (int i = 0; i < 10; ++i) leds |= uint32_t{on[i]} << i;
  return leds;
}
