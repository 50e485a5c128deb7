// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware/surfboard/bitstream.h"

#include <fmt/format.h>

namespace perfboard::has {
namespace {

// Whether switch i is closed when an address bit shows this source.
bool closes(uint8_t source, uint32_t i) { return source == kOne ? i == kVcc : source == i && i < HAS_INPUTS; }

std::string switch_name(uint32_t i) { return i == kVcc ? std::string("VCC") : fmt::format("input {}", i); }

// What a frame's switches connect to the address bit of the same number. Frames behind those of the address
// bits have no switches: kZero.
uint8_t source_of(uint32_t frame, size_t at_bit, const std::vector<bool>& data) {
  std::vector<uint32_t> closed;
  for (uint32_t i = 0; i < data.size(); ++i)
    if (data[i]) closed.push_back(i);
  const auto fail = [&](uint32_t i, const std::string& why) {
    throw StreamError(at_bit + i,
                      fmt::format("data bit {} of frame {}: expected 0, found 1: {}", i, frame, why));
  };
  for (const uint32_t i : closed)
    if (frame >= HAS_OUTPUTS || i >= kSwitches) fail(i, "no switch is there");
  if (closed.size() > 1)
    fail(closed[1], fmt::format("address[{}] shows {} already", frame, switch_name(closed[0])));
  if (closed.empty()) return kZero;
  return closed[0] == kVcc ? kOne : static_cast<uint8_t>(closed[0]);
}

}  // namespace

std::vector<uint8_t> assemble(const Mapping& mapping) {
  return xc4000::write_stream(
      kDevice, [&](uint32_t frame, uint32_t i) { return frame < HAS_OUTPUTS && closes(mapping[frame], i); });
}

Mapping disassemble(const std::vector<uint8_t>& bytes) {
  Mapping mapping = all_zero();
  xc4000::read_stream(kDevice, bytes, [&](uint32_t frame, size_t at_bit, const std::vector<bool>& data) {
    const uint8_t source = source_of(frame, at_bit, data);
    if (frame < HAS_OUTPUTS) mapping[frame] = source;
  });
  return mapping;
}

}  // namespace perfboard::has
