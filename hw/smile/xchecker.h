// SPDX-License-Identifier: GPL-2.0-or-later
//
// The serial cable to the daughter board (Sec. V.C: "loaded and verified over a serial cable (Xchecker)").
//
// INFERRED: its protocol, which is not public; this one is ours. The host sends a command and gets its
// answer, then the next:
//
//   P                  PROG* goes low for a moment: the FPGA is unconfigured, its memory clear     answer: status
//   D n, n + 1 bytes   a part of the bitstream: bit 7 of each byte first, one CCLK a bit           answer: status
//   S                  nothing                                                                     answer: status
//   R high low         reads the configuration memory back                                         answer: block 256 high + low
//   anything else                                                                                  answer: ?
//
//   status   1 0 0 0 0 0 INIT DONE, the two pins, with 40 added: '@' INIT* is low, a frame was wrong; 'B' takes bits; 'C' configured
//   block    256 bytes of the frames as they were loaded, start bits and check bits with them; ones behind the last one. Before DONE
//            it is ones
//
// Time: a byte of either direction takes ten bits at xchecker-rate= (a start and a stop bit). What a command
// does happens when its answer comes. No reset of machine or bus reaches cable and FPGA.
#pragma once

#include "hw/smile/smile.h"

namespace perfboard::smile {

inline constexpr uint8_t kXcheckerProg = 'P', kXcheckerData = 'D', kXcheckerStatus = 'S', kXcheckerRead = 'R';
inline constexpr uint8_t kXcheckerUnknown = '?';
inline constexpr uint8_t kXcheckerBase = 0x40, kXcheckerInit = 2, kXcheckerDone = 1;
inline constexpr uint32_t kXcheckerBlock = 256;
inline constexpr uint32_t kXcheckerByteBits = 10;
static_assert(2 + kXcheckerBlock == SMILE_XCHECKER_COMMAND && kXcheckerBlock == SMILE_XCHECKER_ANSWER);

// ns that so many bytes take.
uint64_t xchecker_ns(const SmileHwm* m, uint64_t bytes);

}  // namespace perfboard::smile
