// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose. Each is done where its matter is; here is what is heard of the B-Link, and how they are
// set.

#include "hw/smile/daughter.h"
#include "hw/smile/model.h"
#include "hw/smile/ring.h"

namespace perfboard::smile {
namespace {

// INFERRED: which bit of the trans_ID. Another one each time: a request and its response with the same damage
// would be a pair again.
constexpr uint64_t damaged_bit(uint32_t left) {
  return uint64_t{1} << (SCI_BD1_TRANS_SHIFT + left % SCI_BD1_TRANS_BITS);
}

uint32_t trans_of(const SciPacket& p) { return p.bd1 >> SCI_BD1_TRANS_SHIFT & (SMILE_TRANSACTIONS - 1); }

}  // namespace

bool heard(SmileHwm* m, SciPacket& p) {
  SmileInject& i = m->state.inject;
  if (i.drop) {
    --i.drop;
    tell_effect(m, effect("packet-missed"), trans_of(p));
    return false;
  }
  --i.damage;
  tell_effect(m, effect("packet-damaged"), trans_of(p));
  p.bd1 ^= damaged_bit(i.damage);
  return true;
}

}  // namespace perfboard::smile

using namespace perfboard::smile;

uint64_t smile_injected(const SmileHwm* m, unsigned which) {
  return injected_in(&m->state.inject, kInjections[which]).value_or(m->state.daughter.loaded);
}

void smile_inject(SmileHwm* m, unsigned which, uint64_t value) {
  run_timer(m, m->host.now(m->host.opaque));
  if (!inject_in(&m->state.inject, kInjections[which], value))
    xchecker_begin(m, static_cast<enum smile_design>(value));
  set_read_pointer(m, m->state.target.rdp);  // there may be room now
  settle(m);
}
