// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bitstream files for the FPGA command; which kind one is, its contents tell.
//
//   .rbt  text: lines of 0 and 1, after header lines with words ("Xilinx ASCII Bitstream", ...)
//   .bit  binary with Xilinx' header (00 09 0F F0 ...): its part 'e' is the bits
//   else  the bits as they are, first bit in bit 7 of the first byte
//
// INFERRED: the last byte of an .rbt that does not fill it is filled with ones, which the part
// takes as clocks after the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perfboard::prompt {

// FileError if the file cannot be read or is none of these.
std::vector<uint8_t> read_bitstream(const std::string& file);
std::vector<uint8_t> parse_bitstream(const std::string& name, const std::vector<uint8_t>& bytes);

}  // namespace perfboard::prompt
