// SPDX-License-Identifier: GPL-2.0-or-later
//
// BlockCount - what one vCPU has executed, by context: how often it went through each block, with which
// pipeline.
//
//   BlockCount c(book, slots, vcpu, matches, runs);
//   c.begin(slot);                      a block begins otherwise than its slot expects; c.plain(slot): in any case
//   c.left(privileged, address, done);  a block of this privilege was left at this instruction, which was executed or not
//   c.set_mark(true);
//   c.read(PB_USER, own, totals);       own: in the vCPU's own thread, or no vCPU runs; else without the block under way
//   c.rebase(own);                      totals may fall now, to what was executed; whether they will
//   c.tell(told); c.set_owner(n, own);  told of all that is added up from now on, and that it is this owner's: blocks that end
//                                       from now on
//   c.add_up(own); c.at(privileged, 2); the instruction in the block under way that 2 more follow
//
// There are two pipelines: what is privileged does not move that of what is not. So a program's counts do not
// depend on the interrupts that came meanwhile.
//
// The vCPU's thread begins and leaves blocks; others may read meanwhile. A slot's `count` is worth what it is
// armed with (Passage): that is added up when somebody reads. To know what has counted since, the own thread
// disarms what it has read.
#ifndef PERFBOARD_PLUGINS_BLOCK_COUNT_H
#define PERFBOARD_PLUGINS_BLOCK_COUNT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "plugins/block_book.h"
#include "plugins/block_slots.h"
#include "plugins/events_text.h"

namespace perfboard {

// A way of this vCPU through a block: with this pipeline and mark.
struct Passage {
  const BlockStep* step;
  PbBlockSlot* slot;
  uint32_t number;       // the slot's
  uint32_t entry, exit;  // states, with the mark
  Passage* next;         // of this slot, in a ring
  Passage* then;         // that this slot was armed with after it, the last time
  uint64_t before = 0;   // how often it was taken, when the slot was not armed with it as it is now
  uint64_t added = 0;    // how many of these are in the totals
  uint32_t pattern = 0, matching = 0;  // its instructions that match it
  bool listed = false;
};

class BlockCount {
 public:
  using Matches = bool (*)(const ModelInsn&, uint32_t pattern);
  // Of another thread: whether the vCPU may be in a block, and in which privilege it is then.
  using Runs = bool (*)(unsigned vcpu, bool* privileged);

  BlockCount(BlockBook& book, const PbBlockSlots& slots, unsigned vcpu, Matches matches, Runs runs);

  void begin(uint32_t number);
  void plain(uint32_t number);
  // In a block that makes many iterations: one more.
  void iteration(uint32_t number) { add(slot(number), 1); }
  // The address of the instruction at hand. done: it was executed, and is not executed again.
  void left(bool privileged, uint64_t address, bool done);
  void set_mark(bool marked);
  bool marked() const { return __atomic_load_n(&first_->word[0].state, __ATOMIC_RELAXED) & 1; }
  void set_pattern(uint32_t pattern, bool own);

  // totals: as many as the book's counts, and behind them the instructions that match the pattern.
  void read(unsigned contexts, bool own, uint64_t* totals);
  bool rebase(bool own);

  // Instructions [from, to) of the step's block were executed so many times, or so many times less (modulo
  // 2^64). iteration: the step is one more iteration of its last one. marked: the context, as its block's
  // privilege.
  using Told = void (*)(unsigned vcpu, uint32_t owner, bool marked, const BlockStep& step, bool iteration,
                        size_t from, size_t to, uint64_t times);
  void tell(Told told, bool own);  // nullptr: no more
  void set_owner(uint32_t owner, bool own);
  void add_up(bool own);
  const ModelInsn* at(bool privileged, uint32_t insns_left, const CountedBlock** block) const;  // own thread

  void save(bool privileged, void* state);
  void load(bool privileged, const void* state);
  void empty();        // the pipelines
  void drop_blocks();  // all blocks: book.clear() and load() follow

  bool halfway = false;  // between the two accesses of an iteration; of callbacks, in the own thread

 private:
  // A state's number with the mark in its lowest bit; all have bit 1 set, so that none is 0.
  static uint32_t with_mark(uint32_t state, bool marked) { return state << 2 | 2 | marked; }
  static uint32_t without_mark(uint32_t state) { return state >> 2; }
  // Behind the word of the block: under_way().
  static void add(PbBlockSlot& s, uint64_t n) {
    __atomic_store_n(&s.count, __atomic_load_n(&s.count, __ATOMIC_RELAXED) + n, __ATOMIC_RELEASE);
  }

  PbBlockSlot& slot(uint32_t number) const { return *pb_block_slot(&slots_, vcpu_, number); }
  void put_word(bool privileged, PbBlockWord word);
  void moved() {
    for (const bool privileged : {false, true}) {
      const PbBlockWord word = first_->word[privileged];
      put_word(privileged, {word.state, word.slot | PB_BLOCK_MOVED});
    }
  }
  uint32_t last_slot(bool privileged) const {
    return __atomic_load_n(&first_->word[privileged].slot, __ATOMIC_RELAXED) & ~PB_BLOCK_MOVED;
  }
  Passage* find(PbBlockSlot& s, uint32_t number, uint32_t entry);
  Passage*& found(uint32_t number, uint32_t entry) {
    return found_[(number * 37 + entry * 2654435761u / 4096) % kFound];
  }
  Passage* make(uint32_t number, const BlockStep* step, uint32_t entry, uint32_t exit);
  void arm(PbBlockSlot& s, Passage* p);
  void add(const Passage& p, uint64_t times);
  void add(const BlockStep& step, unsigned context, const uint32_t* counts, size_t from, size_t to,
           bool less);
  static uint64_t times(const Passage& p);
  void settle(bool own, bool begun = false);
  const Passage* under_way() const;
  uint32_t matching(const BlockStep& step, size_t from, size_t to) const;
  static unsigned context_of(const Passage& p) {
    return context_index(p.step->block->privileged, p.entry & 1);
  }

  BlockBook& book_;
  const PbBlockSlots& slots_;
  const unsigned vcpu_;
  const Matches matches_;
  const Runs runs_;
  PbBlockFirst* first_;
  std::mutex lock_;
  std::deque<Passage> passages_;
  // The last ones of some slots and states, as a short cut.
  static constexpr size_t kFound = 4096;
  std::vector<Passage*> found_ = std::vector<Passage*>(kFound);
  std::vector<Passage*> list_;  // of those that may have been taken since they were added up
  // By privilege: the block that was left early, and how many of its instructions were executed.
  Passage* part_[2] = {};
  size_t part_insns_[2] = {};
  uint32_t pattern_ = 0;
  std::array<std::vector<uint64_t>, kContexts> totals_, told_;
  std::vector<uint32_t> counts_;  // for run()
  Told told_to_ = nullptr;
  uint32_t owner_ = 0;
};

}  // namespace perfboard
#endif
