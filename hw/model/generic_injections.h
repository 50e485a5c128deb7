// SPDX-License-Identifier: GPL-2.0-or-later
//
// The errors on purpose that every board has, as rows of its list (view.h); hw/qemu/core makes them.
//
//   constexpr Injection kInjections[] = {
//       {"inject-drop", ...},
//       PB_GENERIC_INJECTIONS("surfboard"),     PB_INJECTION_GONE("multikron") if it has no interrupt line
//   };
#pragma once

#include "hw/model/view.h"

namespace perfboard {
// hw/qemu/core/faults/fault.c
inline constexpr const char* kIrqWords[] = {"none", "stuck-high", "stuck-low", "pulse", nullptr};
}  // namespace perfboard

#define PB_INJECTION_GONE(board)                                                                         \
  {"inject-gone",                                                                                        \
   ::perfboard::kOffOrOn,                                                                                \
   "the board is not on its bus, and reads all ones",                                                    \
   "the board has gone from its bus: every read gives all ones, writes are lost, its interrupt line is " \
   "down",                                                                                               \
   "every register reads FFFFFFFF; the driver finds no board",                                           \
   "1ms " board " inject-gone on"}
#define PB_GENERIC_INJECTIONS(board)                                                                        \
  PB_INJECTION_GONE(board), {"inject-irq",                                                                  \
                             ::perfboard::one_of(::perfboard::kIrqWords),                                   \
                             "its interrupt line, whatever the board wants",                                \
                             "the interrupt line does not follow the board: it is up or down for good, or " \
                             "goes up once for a moment",                                                   \
                             "interrupts whose status register names no cause, or none at all",             \
                             "1ms " board " inject-irq stuck-high"}
