// SPDX-License-Identifier: GPL-2.0-or-later
//
// BlockBook - what blocks are worth, for all vCPUs: a model is run once for each block and state of the
// pipeline.
//
//   BlockBook book(model, most_slots);
//   const CountedBlock* b = book.block(key, privileged, insns);   equal keys are one block; nullptr: no slot is left
//   const BlockStep* s = book.step(*b, state);                    from one state to the next, and the counts
//   book.run(*b, n, state, counts);                               of its first n instructions alone
//   if (book.crowded()) ...                                       it wants to be emptied, when nobody uses it
//
// States have numbers; 0 is the empty pipeline. Any thread.
#ifndef PERFBOARD_PLUGINS_BLOCK_BOOK_H
#define PERFBOARD_PLUGINS_BLOCK_BOOK_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/processor/insn.h"
#include "plugins/blocks.h"

namespace perfboard {

struct CountedBlock;

// A count that is not 0: which, and how much.
struct BlockWorth {
  uint32_t what, times;
};

struct BlockStep {
  const CountedBlock* block;
  uint32_t entry, exit;
  std::vector<BlockWorth> worth;
};

struct CountedBlock {
  uint32_t slot;
  // Of a block that ends with an instruction which QEMU repeats in it: the slot of its iterations; else 0.
  uint32_t iterations = 0;
  bool privileged;
  uint32_t image;  // what it is mapped from (guest_linux.h)
  std::vector<ModelInsn> insns;
  std::unordered_map<uint32_t, const BlockStep*> steps;  // by state; the book's
};

class BlockBook {
 public:
  BlockBook(const PbBlockModel& model, uint32_t most_slots);

  unsigned counts() const { return model_.counts; }
  const PbBlockModel& model() const { return model_; }
  size_t state_bytes() const { return model_.state_bytes; }

  uint32_t state(const void* bytes);  // its number
  void bytes_of(uint32_t state, void* bytes);

  const CountedBlock* block(const std::string& key, bool privileged, bool iterates,
                            const std::vector<ModelInsn>& insns, uint32_t image = 0);
  // Any slot that was given out, without a lock. An `iterations` slot has its own block's.
  const CountedBlock* block_of(uint32_t slot) const { return by_slot_[slot].load(std::memory_order_acquire); }
  const BlockStep* step(const CountedBlock& block, uint32_t state);
  // What one more iteration of the last instruction is worth.
  const BlockStep* iteration(const CountedBlock& block);
  // counts: as many as counts(). The state behind them.
  uint32_t run(const CountedBlock& block, size_t n, uint32_t state, uint32_t* counts);

  uint32_t slots() const { return slots_; }  // numbers below it may be given out
  bool crowded() const { return crowded_.load(std::memory_order_relaxed); }
  void clear();  // blocks and steps; states too, but the empty one

 private:
  // What a guest can make it hold, until it is emptied: some 200 MB with all four, and 21 MB for each vCPU's
  // ways (Passage; twice that if it goes them marked and unmarked). Linux and its programs: 50,000 blocks of
  // 5 instructions.
  static constexpr size_t kMostStates = 1u << 16, kMostSteps = 1u << 18, kMostWorths = 1u << 23,
                          kMostInsns = 1u << 20;

  uint32_t number_of(std::string bytes);
  void look_for_room();
  const BlockStep* run_step(const CountedBlock& block, const ModelInsn* insns, size_t n, uint32_t state);

  const PbBlockModel model_;
  const uint32_t most_slots_;
  mutable std::mutex lock_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::deque<const std::string*> states_;  // keys of numbers_
  std::unordered_map<std::string, CountedBlock*> blocks_;
  std::deque<CountedBlock> all_blocks_;
  std::deque<BlockStep> steps_;
  std::unique_ptr<std::atomic<CountedBlock*>[]> by_slot_;
  std::atomic<uint32_t> slots_{1};
  size_t worths_ = 0, insns_ = 0;
  std::vector<uint32_t> counts_;  // of run_step()
  std::atomic<bool> crowded_{false};
};

}  // namespace perfboard
#endif
