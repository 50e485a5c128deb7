// SPDX-License-Identifier: GPL-2.0-or-later
//
// has_phase - where HasState.phase stands in the loading of a bitstream.
#pragma once

#include <cstdint>

namespace perfboard::xc4000 {

enum has_phase : uint8_t {
  kSeekPreamble,
  kLength,
  kFill,
  kFrameData,
  kWrite,    // the last frame goes to the memory
  kFull,     // waits for the length count
  kStartup,  // C1, C2, ...; stays here
};

}  // namespace perfboard::xc4000
