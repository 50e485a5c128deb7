// SPDX-License-Identifier: GPL-2.0-or-later
//
// What events_count.cc (the processor's doings, counts) and events_block.cc (translation) share.
#ifndef PERFBOARD_PLUGINS_EVENTS_STATE_H
#define PERFBOARD_PLUGINS_EVENTS_STATE_H

#include <atomic>
#include <cstddef>
#include <cstdint>

extern "C" {
#include <qemu-plugin.h>
}

#include "plugins/events_count.h"
#include "plugins/isa/isa.h"
#include "plugins/layer.h"
#include "plugins/mark_split.h"
#include "plugins/models_state.h"
#include "plugins/port.h"

namespace perfboard {

constexpr uint32_t bit(EventKind kind) { return 1u << static_cast<unsigned>(kind); }

inline constexpr uint32_t kInstructions = bit(EventKind::kInstructions), kLoads = bit(EventKind::kLoads),
                          kStores = bit(EventKind::kStores), kBranches = bit(EventKind::kBranches),
                          kExceptions = bit(EventKind::kExceptions),
                          kInterrupts = bit(EventKind::kInterrupts), kTlb = bit(EventKind::kTlbMisses),
                          kPages = bit(EventKind::kPages), kFetchTlb = bit(EventKind::kItlbMisses),
                          kDma = bit(EventKind::kDmaReads) | bit(EventKind::kDmaWrites),
                          kElsewhere = kExceptions | kInterrupts | kDma;  // not counted by blocks
inline constexpr uint32_t kMarks = 1u << 31;  // no kind: instructions that change the mark are instrumented
inline constexpr uint32_t kInstrumented = ((1u << kEventKinds) - 1) & ~kElsewhere;

// What translated code adds to, one for each vCPU. Whether a block is privileged is known when it is
// translated, so each privilege has counts of its own.
struct Slots {
  uint64_t count[2][kEventKinds];  // [privileged]
  // Accesses of an instruction that can make several, since it began.
  uint64_t tried_loads, tried_stores;
};

// Of one privilege: Slots::count, behind them the counts of the ranges, and the misses of each kind of model.
inline constexpr size_t kSplitRanges = kEventKinds, kSplitModels = kSplitRanges + kMostRanges,
                        kSplitOfPrivilege = kSplitModels + kModelCounts;

// One vCPU's, on cache lines of its own; its own thread uses it.
struct alignas(64) EventVcpu {
  bool halfway = false;  // between the two accesses of an iteration: a probe and its store, or two loads
  Pieced pieced;
  MarkSplit<2 * kSplitOfPrivilege> marks;
  Slots own{};
  Slots* slots = &own;  // or where translated code reaches them
};

struct Counters {
  const Isa* isa = nullptr;
  EventVcpu* cpus = nullptr;  // by vCPU index, as many as g_layer has; made once, before vCPUs run
  // Kinds that are to be counted; and those that each block which can run now counts. The second becomes the
  // first when all blocks are thrown away. While a vCPU can run both old and new blocks nobody could tell
  // whether an instruction that is taken back was counted.
  std::atomic<uint32_t> wanted{0}, active{0};
};

extern Counters g_events;

inline Slots& slots_of(unsigned vcpu) { return *g_events.cpus[vcpu].slots; }

inline uint64_t& slot(unsigned vcpu, bool privileged, EventKind kind) {
  return slots_of(vcpu).count[privileged][static_cast<unsigned>(kind)];
}

// What a callback gets to know of its instruction, packed into the user data pointer.
inline constexpr uintptr_t kNoteRepeats = 1;     // it makes many iterations in one block
inline constexpr uintptr_t kNotePrivileged = 2;  // the context
inline uintptr_t note_of(void* p) { return reinterpret_cast<uintptr_t>(p); }
inline void* pack(uintptr_t note) { return reinterpret_cast<void*>(note); }
inline bool privileged_of(uintptr_t note) { return (note & kNotePrivileged) != 0; }

// No block is left that has a callback with the bytes of its instruction.
void codes_flushed();

// In the vCPU's own thread. page: PB_ALL_PAGES empties the models of its TLB.
void translations_changed(unsigned vcpu, uint64_t page);

// In the vCPU's own thread. storing: the instruction under way is a store that will be counted when the mark
// has changed; it belongs to the context in which it began.
void set_mark(unsigned vcpu, bool mark, bool storing = false);

}  // namespace perfboard
#endif
