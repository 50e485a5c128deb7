// SPDX-License-Identifier: GPL-2.0-or-later
//
// SHOW and HELP - the two texts that the paper prints (TR-596-99, B.2.1).
//
// The layout is the sample's, character for character: two blanks before every field of FCCR, one
// in all other lines, TECR and WCDR also in decimal as "( 519.)". INFERRED, as the sample shows one
// value of each: IEMR names its bits as ISCR does, both with the highest bit first; a decimal is as
// wide as its number; a field has as many hex digits as its bits need; EMPTY and FULL are --- while
// HTCR.FRS holds the FIFO in reset, as their port does not turn then.
#pragma once

#include <string>
#include <string_view>

#include "guest/surfboard/cmd/board.h"

namespace perfboard::prompt {

// Reads every register; ACDR and the FIFO's offsets are left as they were, the FIFO is not read.
std::string show(Board& board);

// What stands behind a register's value: " SENDID 1 CATMUX 0 ...".
struct RegisterInfo;
std::string show_fields(const RegisterInfo& reg, uint32_t value);

extern const std::string_view kHelp;

}  // namespace perfboard::prompt
