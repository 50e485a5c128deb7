// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/show.h"

#include <fmt/format.h>

#include <iterator>

#include "guest/surfboard/cmd/port.h"
#include "guest/surfboard/cmd/registers.h"
#include "guest/surfboard/regs.h"

namespace perfboard::prompt {

const std::string_view kHelp = R"(Available Commands:
  QUIT          - Quit Program
  EXIT          - Quit Program
  HELP          - Show this message
  SHOW          - Display Registers
  DO <filename> - Execute Commands in file
  CLEAR <memtype> - Clear Memory
  FPGA <filename> - Load FPGA configuration
  LOAD <memtype> <filename> - Load Memory from file
  SAVE <memtype> <filename> - Save Memory to file
  <register> = <value> - Modify Register

Where:
  <memtype> - TRACE, HISTOGRAM, or FIFO
  <register> - A register or register.field
  <value>    - An unsigned integer. Hex by default.
              End with decimal point to specify decimal.

)";

std::string show_fields(const RegisterInfo& reg, uint32_t value) {
  std::string text;
  const auto end = std::back_inserter(text);
  switch (reg.offset) {
    case SURF_ISCR:
    case SURF_IEMR:
      for (const FieldInfo& field : reg.fields)
        if (value & field.mask) fmt::format_to(end, " {}", field.name);
      break;
    case SURF_TECR:
    case SURF_WCDR:
      fmt::format_to(end, " ( {}.)", value);
      break;
    case SURF_TPIR:
    case SURF_TICR:
      break;
    default: {
      const char* gap = reg.offset == SURF_FCCR ? "  " : " ";
      for (const FieldInfo& field : reg.fields)
        if (field.shown)
          fmt::format_to(end, "{}{} {:0{}X}", gap, field.name, field.get(value), field.hex_digits());
    }
  }
  return text;
}

std::string show(Board& board) {
  std::string text;
  const auto end = std::back_inserter(text);
  for (const RegisterInfo& reg : all_registers()) {
    if (!reg.shown()) continue;
    if (reg.kind == RegisterKind::fifo_offset && board.get(SURF_HTCR) & SURF_HTCR_FRS) {
      fmt::format_to(end, "{} ----- EMPTY --- FULL ---\n", reg.name);
      continue;
    }
    const uint32_t value = read_register(board, reg);
    if (reg.kind == RegisterKind::fifo_offset)
      fmt::format_to(end, "{} -----", reg.name);
    else
      fmt::format_to(end, "{} {:08X}", reg.name, value);
    text += show_fields(reg, value);
    text += '\n';
  }
  return text;
}

}  // namespace perfboard::prompt
