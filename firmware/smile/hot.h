// SPDX-License-Identifier: GPL-2.0-or-later
//
// Configuration images of the SMiLE monitor's FPGAs: from a description and back (README.md has the
// language).
//
//   smile::Image image = parse_description(text, "static.hot");   // DescriptionError: file:line:column: message
//   std::vector<uint8_t> bits = assemble(image);
//   smile::Image again = disassemble(bits);                       // xc4000::StreamError: bit N: place: message
//   std::string text = describe(image);                           // parse_description(describe(image)) is image
//
// disassemble() takes exactly what assemble() writes, with any number of ones behind that.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/fpga/stream.h"
#include "hw/smile/image.h"

namespace perfboard::hot {

struct DescriptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

smile::Image parse_description(std::string_view text, std::string_view file);
std::string describe(const smile::Image& image);
std::vector<uint8_t> assemble(const smile::Image& image);
smile::Image disassemble(const std::vector<uint8_t>& bytes);
const xc4000::Device& device_of(const smile::Image& image);

}  // namespace perfboard::hot
