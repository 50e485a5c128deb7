// SPDX-License-Identifier: GPL-2.0-or-later
//
// surf save and surf load: the whole board in one file (3.7), but for the bitstream.
//
// Saving stops the collection, copies everything, lets it go on, and writes. What arrives meanwhile is not
// counted. Loading reads the whole file first, so that a damaged one changes nothing; then the board is
// stopped, gets everything, and collects if it did when it was saved. The pipeline's reset (HTCR.PRS) keeps
// packets out until all is there.
//
// ISCR: LU, LV, PV, WCV, BV, FV and EXT follow from events that no register brings about. A load leaves those
// that the board has and the file has, too; what it cannot set it tells to `note`. Errors are FileError or
// BoardError.
#pragma once

#include <string>

#include "guest/surfboard/cmd/memory.h"

namespace perfboard::prompt {

void save_state(Board& board, const std::string& file, const Progress& progress);
void load_state(Board& board, const std::string& file, const Note& note, const Progress& progress);

}  // namespace perfboard::prompt
