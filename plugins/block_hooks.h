// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the counts of blocks (blocks.h) are told by instrument.cc and events_count.cc.
#ifndef PERFBOARD_PLUGINS_BLOCK_HOOKS_H
#define PERFBOARD_PLUGINS_BLOCK_HOOKS_H

#include "plugins/block_book.h"
#include "plugins/machine.h"

struct qemu_plugin_tb;

namespace perfboard {

bool blocks_wanted();  // whether there is, or will be, anything for blocks_translate() to do
void blocks_translate(qemu_plugin_tb* tb, const PbCpuState& state);
void blocks_vcpu_gone(unsigned vcpu);  // another one may get its index
void blocks_flushed();                 // no block is left, and no vCPU runs
// In the vCPU's own thread, or while it does not run.
void blocks_mark(unsigned vcpu, bool mark);

// For profile.cc: it is told of all that is added up (BlockCount::Told), and of what code is mapped from.
void blocks_profile(bool on);
void blocks_owner(unsigned vcpu, uint32_t owner);  // of what ends from now on
void blocks_add_up();
BlockBook& blocks_book();
bool blocks_marked(unsigned vcpu);  // in the vCPU's thread
// In the vCPU's thread: BlockCount::at().
const ModelInsn* blocks_at(unsigned vcpu, bool privileged, uint32_t insns_left, const CountedBlock** block);

}  // namespace perfboard

// What the count of special numbers (special.h) is told by instrument.cc and events_count.cc.

struct qemu_plugin_tb;

namespace perfboard {

bool special_wanted();  // whether there is anything for special_translate() to do
void special_translate(qemu_plugin_tb* tb, const PbCpuState& state);
void special_flushed();  // no block is left, and no vCPU runs

}  // namespace perfboard
#endif
