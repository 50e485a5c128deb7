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

// Null: it is no member.
uint32_t* member(SurfInjected& i, SurfInjection what) {
  switch (what) {
    case SURF_INJECT_DROP:
      return &i.drop;
    case SURF_INJECT_LATE:
      return &i.late_ns;
    case SURF_INJECT_DAMAGE:
      return &i.damage;
    case SURF_INJECT_NO_END:
      return &i.no_end;
    case SURF_INJECT_OVERRUN:
      return &i.overrun;
    case SURF_INJECT_SKEW:
      return &i.skew_ticks;
    case SURF_INJECT_FIFO_OVERFLOW:
      return &i.fifo_overflow;
    default:
      return nullptr;
  }
}

uint8_t* part(SurfInjected& i, SurfInjection what) {
  switch (what) {
    case SURF_INJECT_SELECTOR:
      return &i.selector;
    case SURF_INJECT_TRACE_SIMM:
      return &i.trace_simm;
    case SURF_INJECT_HIST_SIMM:
      return &i.hist_simm;
    default:
      return nullptr;
  }
}

}  // namespace

bool inject_once(SurfBoard* b, uint32_t& left, SurfInjection what) {
  if (left == 0) return false;
  --left;
  tell_effect(b, effect("injected-here"), what);
  return true;
}

bool inject_packet(SurfBoard* b, ShrimpPacket& p) {
  SurfState& s = b->state;
  SurfInjected& i = s.injected;
  if (inject_once(b, i.drop, SURF_INJECT_DROP)) return false;
  if (inject_once(b, i.overrun, SURF_INJECT_OVERRUN)) {
    s.iscr |= bits("ISCR.PV");
    tell_effect(b, effect("packet-dropped"));
    return false;
  }
  p.timestamp -= std::min(p.timestamp, i.late_ns / kTickNs);
  p.timestamp = (p.timestamp + i.skew_ticks) & kStampMask;
  if (inject_once(b, i.damage, SURF_INJECT_DAMAGE)) {
    p.timestamp ^= kTimeMask;
    p.sender ^= 0xfff;
  }
  if (inject_once(b, i.no_end, SURF_INJECT_NO_END)) p.eod = false;
  return true;
}

bool simm_broken(const SurfState& s) {
  return s.injected.trace_simm != SURF_SIMM_WHOLE || s.injected.hist_simm != SURF_SIMM_WHOLE;
}

}  // namespace perfboard::surf

using namespace perfboard::surf;

void surf_inject(SurfBoard* b, SurfInjection what, uint32_t value) {
  SurfState& s = b->state;
  const uint64_t now = present(b);
  if (uint32_t* count = member(s.injected, what))
    *count = value;
  else if (uint8_t* fault = part(s.injected, what))
    *fault = static_cast<uint8_t>(value);
  else
    s.clock_base_ns = static_cast<int64_t>(now + value) - static_cast<int64_t>(kWrapNs);
  advance(b, now);  // a clock that wraps at once
  settle(b, now);
}

uint32_t surf_injected(SurfBoard* b, SurfInjection what) {
  SurfState& s = b->state;
  if (const uint32_t* count = member(s.injected, what)) return *count;
  if (const uint8_t* fault = part(s.injected, what)) return *fault;
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
