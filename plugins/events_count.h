// SPDX-License-Identifier: GPL-2.0-or-later
//
// The counters behind the event sources: what is instrumented, and the raw counts of each vCPU. A raw count
// falls when an instruction that was counted at its start does not come to its end. events.cc makes sources
// of them.
#ifndef PERFBOARD_PLUGINS_EVENTS_COUNT_H
#define PERFBOARD_PLUGINS_EVENTS_COUNT_H

#include <cstddef>
#include <cstdint>

#include "plugins/event_set.h"
#include "plugins/machine.h"
#include "plugins/pass.h"

struct qemu_plugin_tb;

namespace perfboard {

// For instrument.cc, which has the plugin's callbacks.
void events_install(uint64_t plugin_id);
// Adds what is counted to a block that is being translated; says in `tags`, one for each instruction, what a
// tap's or model's callback must know of them.
void events_translate(qemu_plugin_tb* tb, const PbCpuState& state, PassTag* tags);

// When all callbacks are registered: what only counts is no callback any more.
void events_inline(qemu_plugin_tb* tb);

// Whether there is, or will be, anything for events_translate() to do.
bool events_wanted();

// For events.cc. Big lock held.
bool events_prepare();             // before the first source; false: an unknown architecture
void events_want(uint32_t kinds);  // the kinds (bits 1 << kind) that are to be counted from the next block on
void events_want_marks(bool on);   // blocks.h counts: the mark is to be known
ContextCounts events_count(const EventPlace& place, unsigned vcpu);
void events_mark(unsigned vcpu, bool mark, bool storing);  // in the vCPU's thread

// The event sources "dma-reads" and "dma-writes": lines of memory that devices read and write. Big lock held.
void dma_open();        // before the first use, while devices are made
void dma_use(bool on);  // from now on they count; as many users as have said so

}  // namespace perfboard
#endif
