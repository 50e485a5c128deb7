// SPDX-License-Identifier: GPL-2.0-or-later
//
// The POWER2 monitors from outside (hw/core/view.h): what log, coverage and patterns call their registers,
// mistakes and effects.
//
//   log_mistake(m, kReservedBits, ...)    numbers of mistakes and effects, for the model
//   p2_view()                             the card; its model is a P2Card. A place's unit is the processor whose monitor it is
//
// A monitor cannot interrupt, so the view has no conditions: software reads the counters before they roll
// over.
#pragma once

#include "hw/core/view.h"

namespace perfboard::p2 {

// In the order of view.cc's list.
enum Mistakes : unsigned {
  kBadSize,
  kNotOwn,
  kNoMonitor,
  kNoRegister,
  kReadOnly,
  kMarkReadOnly,
  kReservedBits,
  kNoSuchBits,
  kNoCardWord,
  kCardReadOnly,
};

// In the order of view.cc's list.
enum Effects : unsigned {
  kAwake,
  kCounting,
  kRolledOver,
  kMarked,
  kMatching,
  kErrorsCounted,
  kUnanswered,
};

const BoardView& p2_view();

}  // namespace perfboard::p2
