// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SNI's BoardView (hw/core/view.h): what a driver can do to the board, and what it causes.
//
//   sni_view()                                  the view
//   log_mistake(&b, kBusy, "DUWC ...")          in the model: a row of `mistakes`
//   tell_effect(&b, kSent, words)               in the model: a row of `effects`
//
// Counters and latency terms are registers with an index: TXP[0] is the low word and TXP[1] the high one;
// COMB[0] and COMB[1] are a term's sum, COMB[2] its least value, COMB[3] its largest. OPT0, OPT1 and IPT have
// the page as index.
#pragma once

#include "hw/core/view.h"

namespace perfboard::sni {

// In the order of the view's list.
enum SniMistake : unsigned {
  kCrosses,
  kUnusedOffset,
  kReadOnly,
  kNarrowWrite,
  kHighFirst,
  kBusy,
  kNotEnabled,
  kBadLength,
  kCrossesPage,
  kNoSource,
  kUserRefused,
  kNoNode,
  kReservedBoundary,
  kNoLine,
  kMistakes
};

enum SniEffect : unsigned {
  kClosed,
  kEnded,
  kSent,
  kDelivered,
  kDropped,
  kUnsendable,
  kStoreLost,
  kHighWater,
  kLowWater,
  kDeliberateStarted,
  kDeliberateDone,
  kPageMapped,
  kPageUnmapped,
  kClockReset,
  kClockWrapped,
  kCountersCleared,
  kInjectedHere,
  kEffects
};

const BoardView& sni_view();

}  // namespace perfboard::sni
