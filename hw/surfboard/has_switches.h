// SPDX-License-Identifier: GPL-2.0-or-later
//
// has_switches - which device the HAS is, and what our design keeps in the frames of its bitstream. The
// container is hw/fpga/xc4000.h.
//
// Device: XC4003 (10 x 10 CLBs, 80 IOBs). INFERRED: the paper does not name the device; this is
// the smallest of the plain family whose pins suffice for 50 inputs and 24 outputs.
//
// Data (INFERRED; the real layout is not public, this one is ours): frame k, for k < 24, holds the switches
// of address bit k. In a frame, data bit i, for i < 50, closes the switch from input i, and data bit 50
// the one from VCC. All other data bits are zeros that do nothing. An output with no switch closed is
// low. An output with several switches closed is low if one of their inputs is.
//
// The two flips that the CRC does not find are those of data bits 8 and 9 of frame 426, which mean nothing.
#pragma once

#include <cstdint>

#include "hw/fpga/xc4000.h"
#include "hw/surfboard/has.h"

namespace perfboard::has {

inline constexpr const xc4000::Device& kDevice = xc4000::kXc4003;
inline constexpr uint32_t kSwitches = HAS_INPUTS + 1;
inline constexpr uint32_t kVcc = HAS_INPUTS;  // data bit of the switch from VCC

}  // namespace perfboard::has
