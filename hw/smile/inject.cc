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

uint32_t* number(SmileInject& i, unsigned which) {
  switch (which) {
    case SMILE_INJECT_DROP:
      return &i.drop;
    case SMILE_INJECT_DAMAGE:
      return &i.damage;
    case SMILE_INJECT_IMAGE:
      return &i.image;
    case SMILE_INJECT_RING:
      return &i.ring;
    default:
      return nullptr;
  }
}

uint8_t& flag(SmileInject& i, unsigned which) { return which == SMILE_INJECT_QUEUE ? i.queue : i.saturate; }

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
  if (which == SMILE_INJECT_DAUGHTER) return m->state.daughter.loaded;
  SmileInject i = m->state.inject;
  const uint32_t* const n = number(i, which);
  return n ? *n : flag(i, which);
}

void smile_inject(SmileHwm* m, unsigned which, uint64_t value) {
  run_timer(m, m->host.now(m->host.opaque));
  if (which == SMILE_INJECT_DAUGHTER)
    xchecker_begin(m, static_cast<enum smile_design>(value));
  else if (uint32_t* const n = number(m->state.inject, which))
    *n = static_cast<uint32_t>(value);
  else
    flag(m->state.inject, which) = value != 0;
  set_read_pointer(m, m->state.target.rdp);  // there may be room now
  settle(m);
}
