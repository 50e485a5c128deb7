// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine of hw/power2/MACHINE.md a second time: slow, one cycle after the other, with queues that
// instructions stand in.
//
//   const Counts c = reference(program);     what the statistics of all of it add up to, from an empty
//   pipeline
//
// Written from the manual, not from the model: it has tables of its own, knows no time before it has come,
// and attributes a wait when it ends.
#ifndef PERFBOARD_TESTS_POWER2_REFERENCE_H
#define PERFBOARD_TESTS_POWER2_REFERENCE_H

#include <array>
#include <span>

#include "hw/power2/machine.h"

namespace perfboard::p2 {

using Counts = std::array<uint32_t, kStats>;

Counts reference(std::span<const ModelInsn> program);

}  // namespace perfboard::p2
#endif
