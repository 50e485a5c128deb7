// SPDX-License-Identifier: GPL-2.0-or-later
//
// Io - the event sources "io-loads" and "io-stores": loads and stores that devices answer.
//
//   io_use(true);                            from now on they count (big lock held); as many users as have said so
//   uint64_t n = io_count(vcpu, privileged, store);
#ifndef PERFBOARD_PLUGINS_IO_H
#define PERFBOARD_PLUGINS_IO_H

#include "plugins/layer.h"

namespace perfboard {

void io_use(bool on);
bool io_used();
uint64_t io_count(unsigned vcpu, bool privileged, bool store);

}  // namespace perfboard
#endif
