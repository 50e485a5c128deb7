// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of instructions, for IMR. On POWER IMR takes an instruction's word, of which the opcode and the
// extended opcode count; on x86 map << 8 | opcode. What has the same opcode cannot be told apart: ld and ldu,
// say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perfboard::p2 {

struct Opcode {
  const char* name;
  uint32_t imr;
};

std::vector<Opcode> opcodes(bool power);  // the usual ones

struct NamedOpcode {
  std::string name;
  uint32_t imr;
};
// Names and numbers with commas between them, or all.
std::vector<NamedOpcode> parse_opcodes(const std::string& option, const std::string& text, bool power);

}  // namespace perfboard::p2
