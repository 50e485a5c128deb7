// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose: what comes over the cable, and parts that fail. They are the world's, so no reset of the
// board ends one.
#include <algorithm>

#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr uint64_t kWrapNs = (kTimeMask + 1) * kTickNs;
constexpr uint64_t kStampMask = (uint64_t{1} << 45) - 1;

}  // namespace

bool inject_once(SurfBoard* b, uint32_t& left, unsigned which) {
  if (left == 0) return false;
  --left;
  tell_effect(b, effect("injected-here"), which);
  return true;
}

bool inject_packet(SurfBoard* b, ShrimpPacket& p) {
  SurfState& s = b->state;
  SurfInjected& i = s.injected;
  if (inject_once(b, i.drop, injection("inject-drop"))) return false;
  if (inject_once(b, i.overrun, injection("inject-overrun"))) {
    s.iscr |= bits("ISCR.PV");
    tell_effect(b, effect("packet-dropped"));
    return false;
  }
  p.timestamp -= std::min(p.timestamp, i.late_ns / kTickNs);
  p.timestamp = (p.timestamp + i.skew_ticks) & kStampMask;
  if (inject_once(b, i.damage, injection("inject-damage"))) {
    p.timestamp ^= kTimeMask;
    p.sender ^= 0xfff;
  }
  if (inject_once(b, i.no_end, injection("inject-no-eod"))) p.eod = false;
  return true;
}

bool simm_broken(const SurfState& s) {
  return s.injected.trace_simm != SURF_SIMM_WHOLE || s.injected.hist_simm != SURF_SIMM_WHOLE;
}

}  // namespace perfboard::surf

using namespace perfboard::surf;

void surf_inject(SurfBoard* b, unsigned which, uint32_t value) {
  SurfState& s = b->state;
  const uint64_t now = present(b);
  if (!inject_in(&s.injected, kInjections[which], value))  // inject-clock-wrap
    s.clock_base_ns = static_cast<int64_t>(now + value) - static_cast<int64_t>(kWrapNs);
  advance(b, now);  // a clock that wraps at once
  settle(b, now);
}

uint32_t surf_injected(SurfBoard* b, unsigned which) {
  SurfState& s = b->state;
  if (const auto left = injected_in(&s.injected, kInjections[which])) return static_cast<uint32_t>(*left);
  const int64_t now = static_cast<int64_t>(b->host.now(b->host.opaque));
  const int64_t left = s.clock_base_ns + static_cast<int64_t>(kWrapNs) - now;
  return left > 0 && left <= UINT32_MAX ? static_cast<uint32_t>(left) : 0;
}

uint32_t surf_memory_bytes(const SurfBoard* b, enum surf_memory which) {
  const SurfInjected& i = b->state.injected;
  const uint32_t bytes = which == SURF_MEM_TRACE ? b->config.trace_bytes : b->config.hist_bytes;
  switch (which == SURF_MEM_TRACE ? i.trace_simm : i.hist_simm) {
    case SURF_SIMM_ABSENT:
      return 0;
    case SURF_SIMM_HALF:
      return bytes / 2;
    default:
      return bytes;
  }
}
