// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the count of special numbers (special.h) is told by instrument.cc and events_count.cc.
#ifndef PERFBOARD_PLUGINS_SPECIAL_HOOKS_H
#define PERFBOARD_PLUGINS_SPECIAL_HOOKS_H

#include "plugins/cpu_hooks.h"

struct qemu_plugin_tb;

namespace perfboard {

bool special_wanted();  // whether there is anything for special_translate() to do
void special_translate(qemu_plugin_tb* tb, const PbCpuState& state);
void special_flushed();  // no block is left, and no vCPU runs

}  // namespace perfboard
#endif
