// SPDX-License-Identifier: GPL-2.0-or-later
//
// MULTIKRON from outside (hw/core/view.h): what log, coverage and patterns call its registers, mistakes and
// effects.
//
//   log_mistake(m, kNarrowWrite, ...)     numbers of mistakes and effects, for the model
//   mk_view()                             the board; its model is a MultiKron
//
// The card has no interrupt, so the view has no conditions: what happens is read from CSR, WAIT and OVERRUN.
#pragma once

#include "hw/core/view.h"

namespace perfboard::mk {

// In the order of view.cc's list.
enum Mistakes : unsigned {
  kUnaligned,
  kNarrowWrite,
  kUpperHalf,
  kNoRegister,
  kReservedAddress,
  kWriteOnly,
  kSampleRead,
  kReadOnly,
  kTestModeOnly,
  kNoCardWord,
  kCardReadOnly,
  kSetAndClear,
  kNotSoftware,
  kNoCpuLine,
  kCannotWait,
  kTestNoFunction,
  kSetAndIncrement,
  kShiftCutsOff,
  kLoadIntoFull,
  kShadowKept,
  kCanHold,
  kHeld,
};

// In the order of view.cc's list.
enum Effects : unsigned {
  kTraceSample,
  kResourceSample,
  kDiscarded,
  kOverran,
  kDelayed,
  kDelayOver,
  kSampleSent,
  kShadowFreed,
  kCountersCopied,
  kWrongRead,
  kCounted,
  kCounterFull,
  kWasReset,
  kTestLoaded,
  kTestShifted,
  kDamaged,
};

const BoardView& mk_view();

}  // namespace perfboard::mk
