// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/block_book.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace perfboard {

BlockBook::BlockBook(const PbBlockModel& model, uint32_t most_slots)
    : model_(model),
      most_slots_(most_slots),
      by_slot_(new std::atomic<CountedBlock*>[most_slots] {}),
      counts_(model.counts) {
  number_of(std::string(model.state_bytes, '\0'));
}

uint32_t BlockBook::number_of(std::string bytes) {
  const auto [at, is_new] = numbers_.try_emplace(std::move(bytes), static_cast<uint32_t>(states_.size()));
  if (is_new) states_.push_back(&at->first);
  look_for_room();
  return at->second;
}

uint32_t BlockBook::state(const void* bytes) {
  const std::lock_guard guard(lock_);
  return number_of(std::string(static_cast<const char*>(bytes), model_.state_bytes));
}

void BlockBook::bytes_of(uint32_t state, void* bytes) {
  const std::lock_guard guard(lock_);
  std::memcpy(bytes, states_[state]->data(), model_.state_bytes);
}

const CountedBlock* BlockBook::block(const std::string& key, bool privileged, bool iterates,
                                     const std::vector<ModelInsn>& insns, uint32_t image) {
  const std::lock_guard guard(lock_);
  const auto found = blocks_.find(key);
  if (found != blocks_.end()) return found->second;
  const uint32_t slot = slots_.load(std::memory_order_relaxed), slots = 1 + iterates;
  if (most_slots_ - slot < slots) return nullptr;
  CountedBlock& b =
      all_blocks_.emplace_back(CountedBlock{slot, iterates ? slot + 1 : 0, privileged, image, insns, {}});
  for (uint32_t i = slot; i < slot + slots; ++i) by_slot_[i].store(&b, std::memory_order_release);
  slots_.store(slot + slots, std::memory_order_relaxed);
  insns_ += insns.size();
  look_for_room();
  return blocks_[key] = &b;
}

const BlockStep* BlockBook::run_step(const CountedBlock& block, const ModelInsn* insns, size_t n,
                                     uint32_t state) {
  std::string bytes = *states_[state];
  model_.run(insns, n, bytes.data(), counts_.data());
  BlockStep& step = steps_.emplace_back(BlockStep{&block, state, 0, {}});
  step.worth.reserve(counts_.size() - static_cast<size_t>(std::count(counts_.begin(), counts_.end(), 0u)));
  for (uint32_t i = 0; i < model_.counts; ++i)
    if (counts_[i]) step.worth.push_back({i, counts_[i]});
  worths_ += step.worth.size();
  step.exit = number_of(std::move(bytes));
  return &step;
}

const BlockStep* BlockBook::step(const CountedBlock& block, uint32_t state) {
  const std::lock_guard guard(lock_);
  const BlockStep*& step = by_slot_[block.slot].load(std::memory_order_relaxed)->steps[state];
  if (!step) step = run_step(block, block.insns.data(), block.insns.size(), state);
  return step;
}

const BlockStep* BlockBook::iteration(const CountedBlock& block) {
  const std::lock_guard guard(lock_);
  constexpr uint32_t kNoState = UINT32_MAX;
  const BlockStep*& step = by_slot_[block.slot].load(std::memory_order_relaxed)->steps[kNoState];
  if (!step) step = run_step(block, &block.insns.back(), 1, 0);
  return step;
}

uint32_t BlockBook::run(const CountedBlock& block, size_t n, uint32_t state, uint32_t* counts) {
  const std::lock_guard guard(lock_);
  std::string bytes = *states_[state];
  model_.run(block.insns.data(), n, bytes.data(), counts);
  return number_of(std::move(bytes));
}

void BlockBook::look_for_room() {
  if (slots_ > most_slots_ - most_slots_ / 8 || states_.size() > kMostStates || steps_.size() > kMostSteps ||
      worths_ > kMostWorths || insns_ > kMostInsns)
    crowded_.store(true, std::memory_order_relaxed);
}

void BlockBook::clear() {
  const std::lock_guard guard(lock_);
  for (uint32_t i = 0; i < slots_; ++i) by_slot_[i].store(nullptr, std::memory_order_relaxed);
  slots_ = 1;
  blocks_.clear();
  all_blocks_.clear();
  steps_.clear();
  states_.clear();
  numbers_.clear();
  worths_ = insns_ = 0;
  crowded_.store(false, std::memory_order_relaxed);
  number_of(std::string(model_.state_bytes, '\0'));
}

}  // namespace perfboard
