// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile timeline: all layers on the guest's clock (Fig. 12). Everything goes through one buffer of the
// kernel's trace, so its order is what happened:
//
//   hardware  smile itself: after each readout of the monitors a value for each curve
//   driver    smile.ko's trace events
//   library   smilelib's calls of the drivers
//   program   its phases (smile_begin(), smile_end())
#pragma once

#include <string>

#include "guest/common/input.h"
#include "guest/common/output.h"

namespace perfboard::smile {

// What curves of the monitors are called in the trace.
inline constexpr char kCurve[] = "requests ";
// A readout, as smile itself has it as a phase.
inline constexpr char kReadout[] = "readout";

struct TimelineCounts {
  unsigned hardware = 0, driver = 0, library = 0, program = 0;  // values; events; calls; phases and values
};
// The text of the kernel's trace becomes the trace event format of Perfetto and Chrome.
TimelineCounts timeline_json(Input& trace, Output& out);

}  // namespace perfboard::smile
