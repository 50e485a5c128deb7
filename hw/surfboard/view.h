// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SurfBoard's BoardView (hw/core/view.h): what a driver can do to the board, and what it causes.
//
//   surf_view()                                 the view
//   log_mistake(b, kFifoEmpty, "HFDR ...")      in the model: a row of `mistakes`
//   tell_effect(b, kRecorded, index)            in the model: a row of `effects`
#pragma once

#include "hw/core/view.h"

namespace perfboard::surf {

// In the order of the view's list.
enum SurfMistake : unsigned {
  kDisabled,
  kUnusedOffset,
  kNarrowWrite,
  kNarrowFifoWrite,
  kFifoHeld,
  kFifoEmpty,
  kFifoFull,
  kBadSendId,
  kBadLatS,
  kBadLatN,
  kReservedMode,
  kTraceTooLarge,
  kShiftWhileCollecting,
  kNoSelector,
  kBitLost,
  kCauseLasts,
  kNoLine,
  kOscillates,
  kMistakes
};

enum SurfEffect : unsigned {
  kPacket,
  kPacketDropped,
  kPacketJoined,
  kLatencyOver,
  kLatencyUnder,
  kWordsWrapped,
  kBinCounted,
  kBinOverflow,
  kAddressPushed,
  kFifoOverflow,
  kFifoPushed,
  kFifoPopped,
  kFifoReset,
  kOffsetMoved,
  kTriggered,
  kRecorded,
  kTraceComplete,
  kShifted,
  kSelectorCleared,
  kSelectorConfigured,
  kSelectorError,
  kExternalTrue,
  kWireDriven,
  kClockReset,
  kReceiveWrapped,
  kInjectedHere,
  kEffects
};

const BoardView& surf_view();

}  // namespace perfboard::surf
