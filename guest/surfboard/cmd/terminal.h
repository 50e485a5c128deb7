// SPDX-License-Identifier: GPL-2.0-or-later
//
// The surf prompt on a terminal: line editing, history, and completion of commands, registers,
// fields, memory types and file names (GNU readline).
#pragma once

#include "guest/surfboard/cmd/session.h"

namespace perfboard::prompt {

// Until QUIT or end of input. An error ends only its own command.
void run_terminal(Session& session);

}  // namespace perfboard::prompt
