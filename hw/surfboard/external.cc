// SPDX-License-Identifier: GPL-2.0-or-later
//
// External connector: one open-collector, active-low wire that is input and output (3.3, TTCR).
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

// With EIP, EOP and MEI set against each other the board inverts its own wire: an oscillator.
constexpr int kMaxSwings = 4;

bool output(const SurfState& s) {
  return (s.ttcr & bits("TTCR.MEOD") && s.ecdr & bits("ECDR.DATA")) ||
         (s.ttcr & bits("TTCR.MEI") && ext_input(s)) ||
         (s.ttcr & bits("TTCR.MBV") && s.iscr & bits("ISCR.BV"));
}

bool drives_low(const SurfState& s) { return enabled(s) && output(s) != ((s.ttcr & bits("TTCR.EOP")) != 0); }

template <typename Change>
void with_transition(SurfState& s, Change change) {
  const bool before = ext_input(s);
  change();
  if (!before && ext_input(s)) s.iscr |= bits("ISCR.EXT");
}

}  // namespace

bool ext_input(const SurfState& s) { return (s.ext_high != 0) == ((s.ttcr & bits("TTCR.EIP")) != 0); }

void ext_write_ttcr(SurfState& s, uint32_t value) {
  with_transition(s, [&] { s.ttcr = value; });
}

void ext_drive(SurfBoard* b) {
  SurfState& s = b->state;
  s.lines.ext_low = drives_low(s);
  s.lines.ext_busy = 1;
  b->config.ext_drive(b->config.opaque, s.lines.ext_low);
  s.lines.ext_busy = 0;
}

void ext_settle(SurfBoard* b) {
  SurfState& s = b->state;
  for (int swings = 0; drives_low(s) != (s.lines.ext_low != 0); ++swings) {
    if (swings == kMaxSwings) {
      log_guest_error(b, "TTCR: the external output inverts its own input and oscillates");
      return;
    }
    ext_drive(b);
  }
}

}  // namespace perfboard::surf

using namespace perfboard::surf;

// The wire may answer from inside ext_drive(); ext_settle() then goes on with the new level.
void surf_ext_input(SurfBoard* b, bool level_high) {
  SurfState& s = b->state;
  if (s.lines.ext_busy) {
    with_transition(s, [&] { s.ext_high = level_high; });
    return;
  }
  const uint64_t now = present(b);
  with_transition(s, [&] { s.ext_high = level_high; });
  settle(b, now);
}
