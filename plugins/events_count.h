// SPDX-License-Identifier: GPL-2.0-or-later
//
// The counters behind the event sources: what is instrumented, and the raw counts of each vCPU. A raw count falls when an
// instruction that was counted at its start does not come to its end. events.cc makes sources of them.
#ifndef PERFBOARD_PLUGINS_EVENTS_COUNT_H
#define PERFBOARD_PLUGINS_EVENTS_COUNT_H

#include <cstddef>
#include <cstdint>

#include "plugins/event_set.h"

struct qemu_plugin_tb;

namespace perfboard {

inline constexpr unsigned kMostRanges = 64;  // of all sources

// For observe.cc, which has the plugin's callbacks.
void events_install(uint64_t plugin_id, unsigned max_vcpus);
void events_vcpu_started(unsigned vcpu);
void events_translate(qemu_plugin_tb* tb);

// For events.cc. Big lock held.
bool events_prepare();             // before the first source; false: an unknown architecture
void events_want(uint32_t kinds);  // the kinds (bits 1 << kind) that are to be counted from the next block on
int events_range(uint64_t low, uint64_t high);  // its number; -1: there are too many
ContextCounts events_count(EventKind kind, int range, unsigned vcpu);
void events_mark(unsigned vcpu, bool mark, bool storing);  // in the vCPU's thread
void events_use_models(void* memory, unsigned vcpus);
size_t events_model_bytes(unsigned vcpus);
void events_reset_models();
bool events_models_ok(const void* image, char* why, size_t why_size);  // as many as events_use_models() was told

}  // namespace perfboard
#endif
