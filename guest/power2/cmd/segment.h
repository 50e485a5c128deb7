// SPDX-License-Identifier: GPL-2.0-or-later
//
// Segments of a program's code, as p2run --segment has them: counting is enabled at an instruction, and ends
// at each of the exits, or when the function returns.
//
//   multiply                      a function of the command's file
//   FILE:ENTRY:EXIT[:EXIT...]     offsets in a file, of instructions; hexadecimal after 0x
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace perfboard::p2 {

struct Segment {
  std::string file;
  uint64_t entry = 0;
  std::vector<uint64_t> exits;  // offsets in the file, as entry; none: it ends with the return
};

// command: what is run, for functions of it. Misuse: there is no such function.
Segment parse_segment(const std::string& text, const std::string& command);

// A function of an ELF file's bytes (64-bit, little-endian).
Segment find_function(std::span<const uint8_t> elf, const std::string& file, const std::string& name);

// The file that execvp() would take; "": none.
std::string find_program(const std::string& command);

}  // namespace perfboard::p2
