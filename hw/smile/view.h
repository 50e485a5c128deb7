// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SMiLE monitor's BoardView (hw/core/view.h): its two BARs by name, what a driver can do wrong, and what
// packets and accesses cause.
//
//   smile_view()                                the view
//   log_mistake(m, kReadOnly, "write to ...")   in the model: a row of `mistakes`
//   tell_effect(m, kRecordStored, word)         in the model: a row of `effects`
#pragma once

#include "hw/core/view.h"

namespace perfboard::smile {

// In the order of the view's lists.
enum SmileMistake : unsigned {
  kNowhere,
  kNoRegister,
  kOtherDesign,
  kReadOnly,
  kNarrowWrite,
  kTimersEvent,
  kReadPointer,
  kBadImage,
  kLoadUnderWay,
  kNoSource,
  kMistakes
};

enum SmileEffect : unsigned {
  kRecordStored,
  kRecordQueued,
  kRecordLost,
  kQueueMoved,
  kRegionFilled,
  kRegionReplaced,
  kCounterOverflow,
  kSwappedOut,
  kOrphan,
  kClash,
  kMonitorReset,
  kLoadBegun,
  kLoadFailed,
  kDesignLoaded,
  kDaughterCleared,
  kDaughterFailed,
  kDaughterLoaded,
  kLatchSet,
  kLatchCleared,
  kPacketMissed,
  kPacketDamaged,
  kCounterStuck,
  kEffects
};

const BoardView& smile_view();

}  // namespace perfboard::smile
