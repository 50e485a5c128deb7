// SPDX-License-Identifier: GPL-2.0-or-later
//
// External connector: one open-collector, active-low wire that is input and output (3.3, TTCR).
#include <algorithm>
#include <iterator>

#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

// With MEI, and EIP and EOP such that the output is the inverse of the input, the board inverts its own
// wire for ever. It is stopped after this many changes.
constexpr int kMaxSwings = 4;

bool output(const SurfState& s) {
  return (s.ttcr & bits("TTCR.MEOD") && s.ecdr & bits("ECDR.DATA")) ||
         (s.ttcr & bits("TTCR.MEI") && ext_input(s)) ||
         (s.ttcr & bits("TTCR.MBV") && s.iscr & bits("ISCR.BV"));
}

bool drives_low(const SurfState& s) { return enabled(s) && output(s) != ((s.ttcr & bits("TTCR.EOP")) != 0); }

// While the board is disabled its registers keep their values (p. 50), so a transition then is not latched.
template <typename Change>
void with_transition(SurfBoard* b, uint64_t now, Change change) {
  SurfState& s = b->state;
  const bool before = ext_input(s);
  change();
  if (ext_input(s) == before) return;
  if (!before && enabled(s)) {
    s.iscr |= bits("ISCR.EXT");
    tell_effect(b, effect("external-true"));
  }
  std::copy_backward(s.ext_changed_ns, std::end(s.ext_changed_ns) - 1, std::end(s.ext_changed_ns));
  // A snapshot's last change may be a moment ahead (state_ok.cc).
  s.ext_changed_ns[0] = std::max(now, s.ext_changed_ns[1]);
}

}  // namespace

bool ext_input(const SurfState& s) { return (s.ext_high != 0) == ((s.ttcr & bits("TTCR.EIP")) != 0); }

bool ext_input_at(const SurfState& s, uint64_t t) {
  bool input = ext_input(s);
  for (const uint64_t changed : s.ext_changed_ns) {
    if (changed <= t) break;
    input = !input;
  }
  return input;
}

void ext_write_ttcr(SurfBoard* b, uint32_t value, uint64_t now) {
  with_transition(b, now, [&] { b->state.ttcr = value; });
}

void ext_drive(SurfBoard* b) {
  SurfState& s = b->state;
  s.lines.ext_low = drives_low(s);
  tell_effect(b, effect("wire-driven"), s.lines.ext_low);
  s.lines.ext_busy = 1;
  b->config.ext_drive(b->config.opaque, s.lines.ext_low);
  s.lines.ext_busy = 0;
}

// The snapshot's level of the wire is the truth: another board on the wire may not be loaded yet. A board
// that sees the wire high does not pull it, even if the equation says so: such a board inverts its own
// wire, and was saved in the middle of a swing.
void ext_restore(SurfBoard* b) {
  SurfState& s = b->state;
  s.lines.ext_low = drives_low(s) && !s.ext_high;
  const SurfState loaded = s;
  s.lines.ext_busy = 1;
  b->config.ext_drive(b->config.opaque, s.lines.ext_low);
  s = loaded;
}

void ext_settle(SurfBoard* b) {
  SurfState& s = b->state;
  for (int swings = 0; drives_low(s) != (s.lines.ext_low != 0); ++swings) {
    if (swings == kMaxSwings) {
      log_mistake(b, mistake("oscillates"), "TTCR: the external output inverts its own input and oscillates");
      return;
    }
    ext_drive(b);
  }
}

}  // namespace perfboard::surf

using namespace perfboard::surf;

// The board is on its own wire, so the call may come from inside ext_drive(). Then the level is noted, and
// ext_settle(), which called ext_drive(), goes on with it.
void surf_ext_input(SurfBoard* b, bool level_high) {
  SurfState& s = b->state;
  if (s.lines.ext_busy) {
    with_transition(b, b->host.now(b->host.opaque), [&] { s.ext_high = level_high; });
    return;
  }
  const uint64_t now = present(b);
  with_transition(b, now, [&] { s.ext_high = level_high; });
  settle(b, now);
}
