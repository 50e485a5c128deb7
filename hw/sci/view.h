// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters' BoardView (hw/core/view.h): BAR 0 by name, what a driver can do wrong, and what accesses and
// errors on purpose cause.
//
//   sci_view()                                  the view
//   log_mistake(a, kReadOnly, "write to ...")   in the model: a row of `mistakes`
//   tell_effect(a, kRequestSent, ...)               in the model: a row of `effects`
#pragma once

#include "hw/core/view.h"

namespace perfboard::sci {

// In the order of the view's lists.
enum SciMistake : unsigned { kStrangeVcpu, kNoRegister, kBadHome, kReadOnly, kNarrowWrite, kMistakes };

enum SciEffect : unsigned {
  kRequestSent,
  kBuffersLeft,
  kAllOutstanding,
  kLatched,
  kCleared,
  kSwitched,
  kPacketLost,
  kPacketLate,
  kPacketDamaged,
  kEffects
};

const BoardView& sci_view();

}  // namespace perfboard::sci
