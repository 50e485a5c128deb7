// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose (view.cc lists them). They are the world's, not the chip's: a reset ends none of them.
#include "hw/multikron/model.h"

using namespace perfboard::mk;

void mk_inject(MultiKron* m, enum mk_injection which, uint64_t value) {
  MkState& s = m->state;
  const auto samples = static_cast<uint32_t>(value);
  const Moment t = moment(m);
  advance(m, t);
  switch (which) {
    case MK_INJECT_NET_STOP:
      s.net_stopped = value != 0;
      restart_output(m, t);
      break;
    case MK_INJECT_OVERRUN:
      s.to_lose = samples;
      break;
    case MK_INJECT_DAMAGE:
      s.to_damage = samples;
      break;
    case MK_INJECT_NO_END:
      s.to_leave_open = samples;
      break;
    case MK_INJECT_SATURATE:
      count(m, t);
      for (unsigned i = 0; i < MK_COUNTERS; ++i)
        if (value >> i & 1) add(m, i, UINT32_MAX);
      break;
    case MK_INJECT_FLIP:
      count(m, t);
      s.counter[value / 32 % MK_COUNTERS] ^= uint32_t{1} << value % 32;
      break;
  }
  settle(m, t);
}

uint64_t mk_injected(const MultiKron* m, enum mk_injection which) {
  const MkState& s = m->state;
  switch (which) {
    case MK_INJECT_NET_STOP:
      return s.net_stopped;
    case MK_INJECT_OVERRUN:
      return s.to_lose;
    case MK_INJECT_DAMAGE:
      return s.to_damage;
    case MK_INJECT_NO_END:
      return s.to_leave_open;
    case MK_INJECT_SATURATE:
    case MK_INJECT_FLIP:
      break;  // done at once
  }
  return 0;
}
