// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bitstreams of XC4000 parts, whatever their design (hw/fpga/xc4000.h).
//
//   std::vector<uint8_t> bytes = write_stream(kXc4003, [&](uint32_t frame, uint32_t i) { return ...; });
//   read_stream(kXc4003, bytes, [&](uint32_t frame, size_t at_bit, const std::vector<bool>& data) { ... });
//
// The first bit is bit 7 of byte 0; the last byte is padded with ones. read_stream() takes exactly what
// write_stream() writes, with any number of ones behind that. It also complains of wrong bits that the part
// does not look at. It calls the function once for each frame, in order, with its data bits, the first of
// which is bit at_bit of the stream. A StreamError says "bit N: place: what was expected and found".
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/fpga/xc4000.h"

namespace perfboard::xc4000 {

struct StreamError : std::runtime_error {
  StreamError(size_t at_bit, const std::string& message);
  size_t bit;  // from 0
};

using DataBit = std::function<bool(uint32_t frame, uint32_t i)>;
using TakeFrame = std::function<void(uint32_t frame, size_t at_bit, const std::vector<bool>& data)>;

std::vector<uint8_t> write_stream(const Device& device, const DataBit& data);
void read_stream(const Device& device, const std::vector<uint8_t>& bytes, const TakeFrame& take);

}  // namespace perfboard::xc4000
