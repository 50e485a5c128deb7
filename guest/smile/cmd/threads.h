// SPDX-License-Identifier: GPL-2.0-or-later
//
// Threads of a process and of all that it has started, as /proc has them; and on which node each is.
//
// A node is a processor. A thread is on a node if that is the only processor on which it may run. Any other
// thread is the scheduler's, and is not in the lists.
#pragma once

#include <sys/types.h>

#include "guest/smile/cmd/thread_placement.h"

namespace perfboard::smile {

// Of the process itself, too, unless it is the caller.
ThreadPlacement::Threads threads_on_nodes(pid_t process, unsigned nodes);
// False: it has ended.
bool move_thread(pid_t thread, unsigned node);
// What it calls itself; empty: it has ended.
std::string thread_name(pid_t thread);

}  // namespace perfboard::smile
