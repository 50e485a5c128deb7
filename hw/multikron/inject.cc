// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose (view.cc lists them). They are the world's, not the chip's: a reset ends none of them.
#include "hw/multikron/model.h"

using namespace perfboard::mk;

void mk_inject(MultiKron* m, unsigned which, uint64_t value) {
  MkState& s = m->state;
  const Moment t = moment(m);
  advance(m, t);
  if (inject_in(&s, kInjections[which], value)) {
    if (which == injection("inject-net-stop")) restart_output(m, t);
  } else {
    count(m, t);
    if (which == injection("inject-flip"))
      s.counter[value / 32 % MK_COUNTERS] ^= uint32_t{1} << value % 32;
    else  // inject-saturate
      for (unsigned i = 0; i < MK_COUNTERS; ++i)
        if (value >> i & 1) add(m, i, UINT32_MAX);
  }
  settle(m, t);
}

uint64_t mk_injected(const MultiKron* m, unsigned which) {
  return injected_in(&m->state, kInjections[which]).value_or(0);
}
