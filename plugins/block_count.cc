// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/block_count.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "plugins/port.h"

namespace perfboard {

BlockCount::BlockCount(BlockBook& book, const PbBlockSlots& slots, unsigned vcpu, Matches matches, Runs runs)
    : book_(book),
      slots_(slots),
      vcpu_(vcpu),
      matches_(matches),
      runs_(runs),
      first_(reinterpret_cast<PbBlockFirst*>(&slot(0))),
      counts_(book.counts()) {
  for (auto* sums : {&totals_, &told_})
    for (auto& of : *sums) of.resize(book.counts() + 1);
  first_->vcpu = this;
  for (const bool privileged : {false, true}) put_word(privileged, {with_mark(0, false), 0});
}

void BlockCount::put_word(bool privileged, PbBlockWord word) {
  __atomic_store_n(&first_->word[privileged].slot, word.slot, __ATOMIC_RELAXED);
  __atomic_store_n(&first_->word[privileged].state, word.state, __ATOMIC_RELAXED);
}

// --- blocks that begin -------------------------------------------------------------------------------

Passage* BlockCount::find(PbBlockSlot& s, uint32_t number, uint32_t entry) {
  auto* const armed = static_cast<Passage*>(s.armed);
  if (!armed) return nullptr;
  if (armed->then->entry == entry) return armed->then;
  Passage*& last = found(number, entry);
  if (last && last->number == number && last->entry == entry) return last;
  Passage* p = armed;
  do {
    if (p->entry == entry) return last = p;
    p = p->next;
  } while (p != armed);
  return nullptr;
}

Passage* BlockCount::make(uint32_t number, const BlockStep* step, uint32_t entry, uint32_t exit) {
  PbBlockSlot& s = slot(number);
  Passage* const p = &passages_.emplace_back(Passage{step, &s, number, entry, exit, nullptr, nullptr});
  auto* const armed = static_cast<Passage*>(s.armed);
  p->then = p;
  p->next = armed ? armed->next : p;
  if (armed) armed->next = p;
  return p;
}

void BlockCount::arm(PbBlockSlot& s, Passage* p) {
  if (auto* const old = static_cast<Passage*>(s.armed)) {
    old->before += s.count;
    old->then = p;
  }
  __atomic_store_n(&s.count, 0, __ATOMIC_RELAXED);
  s.armed = p;
  s.exit = {p->exit, p->number | (p->exit == p->entry ? 0 : PB_BLOCK_MOVED)};
  s.expected = p->entry;
  if (!p->listed) list_.push_back(p);
  p->listed = true;
}

void BlockCount::begin(uint32_t number) {
  const std::lock_guard guard(lock_);
  PbBlockSlot& s = slot(number);
  const CountedBlock& block = *book_.block_of(number);
  const uint32_t entry = first_->word[block.privileged].state, mark = entry & 1;
  Passage* p = find(s, number, entry);
  if (!p) {
    const BlockStep* const step = book_.step(block, without_mark(entry));
    p = make(number, step, entry, with_mark(step->exit, mark));
  }
  arm(s, p);
  add(s, 1);
  put_word(block.privileged, s.exit);
  if (!block.iterations) return;
  PbBlockSlot& more = slot(block.iterations);
  const uint32_t any = with_mark(0, mark);
  Passage* const q = find(more, block.iterations, any);
  arm(more, q ? q : make(block.iterations, book_.iteration(block), any, any));
}

void BlockCount::plain(uint32_t number) {
  PbBlockSlot& s = slot(number);
  const bool privileged = book_.block_of(number)->privileged;
  const PbBlockWord word = first_->word[privileged];
  if (word.slot == number) return add(s, 1);
  if (word.state != s.expected) return begin(number);
  put_word(privileged, s.exit);
  add(s, 1);
}

// --- blocks that are left ----------------------------------------------------------------------------

void BlockCount::left(bool privileged, uint64_t address, bool done) {
  const std::lock_guard guard(lock_);
  const uint32_t last = last_slot(privileged);
  Passage* const p = last ? static_cast<Passage*>(slot(last).armed) : part_[privileged];
  if (!p) return;
  const CountedBlock& block = *p->step->block;
  const auto& insns = block.insns;
  // A block begins in one page, and ends with an instruction that begins there. It may be mapped elsewhere
  // now.
  constexpr uint64_t kInPage = (uint64_t{1} << PB_PAGE_BITS) - 1;
  const auto at = std::find_if(insns.begin(), insns.end(),
                               [&](const ModelInsn& i) { return ((i.address ^ address) & kInPage) == 0; });
  const size_t counted = last ? insns.size() : part_insns_[privileged];
  const auto n = static_cast<size_t>(at - insns.begin()) + done;
  if (n >= counted) return;
  const unsigned context = context_of(*p);
  const uint32_t entry = without_mark(p->entry);
  if (last) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (const BlockWorth& w : p->step->worth) counts_[w.what] = w.times;
    add(*p->step, context, counts_.data(), n, counted, true);
  } else {
    book_.run(block, counted, entry, counts_.data());
    add(*p->step, context, counts_.data(), n, counted, true);
  }
  const uint32_t exit = book_.run(block, n, entry, counts_.data());
  add(*p->step, context, counts_.data(), 0, 0, false);
  part_[privileged] = p;
  part_insns_[privileged] = n;
  put_word(privileged, {with_mark(exit, marked()), 0});
}

void BlockCount::set_mark(bool marked) {
  for (PbBlockWord& word : first_->word)
    __atomic_store_n(&word.state, (word.state & ~1u) | marked, __ATOMIC_RELAXED);
  moved();
}

// --- totals ------------------------------------------------------------------------------------------

uint32_t BlockCount::matching(const BlockStep& step, size_t from, size_t to) const {
  const auto& insns = step.block->insns;
  if (!pattern_) return 0;
  return static_cast<uint32_t>(std::count_if(insns.begin() + static_cast<ptrdiff_t>(from),
                                             insns.begin() + static_cast<ptrdiff_t>(to),
                                             [&](const ModelInsn& i) { return matches_(i, pattern_); }));
}

void BlockCount::add(const Passage& p, uint64_t times) {
  std::vector<uint64_t>& to = totals_[context_of(p)];
  for (const BlockWorth& w : p.step->worth) to[w.what] += times * w.times;
  to[counts_.size()] += times * p.matching;
  if (!told_to_) return;
  const CountedBlock& block = *p.step->block;
  const size_t insns = block.insns.size();
  const bool iteration = p.number == block.iterations;
  told_to_(vcpu_, owner_, p.entry & 1, *p.step, iteration, iteration ? insns - 1 : 0, insns, times);
}

// Counts of one run; of its instructions from `from` to `to` it is asked whether they match.
void BlockCount::add(const BlockStep& step, unsigned context, const uint32_t* counts, size_t from, size_t to,
                     bool less) {
  std::vector<uint64_t>& sums = totals_[context];
  const uint64_t sign = less ? UINT64_MAX : 1;
  for (size_t i = 0; i < counts_.size(); ++i) sums[i] += sign * counts[i];
  sums[counts_.size()] += sign * matching(step, from, to);
  if (told_to_) told_to_(vcpu_, owner_, context >= 2, step, false, from, to, sign);
}

// How often it was taken so far.
uint64_t BlockCount::times(const Passage& p) {
  return p.before + (p.slot->armed == &p ? __atomic_load_n(&p.slot->count, __ATOMIC_RELAXED) : 0);
}

// begun: without the block under way, which may yet be left: who is told of it then is to be told of the
// whole of it.
void BlockCount::settle(bool own, bool begun) {
  std::vector<Passage*> stay;
  std::vector<uint64_t> seen;
  for (const Passage* const p : list_) seen.push_back(times(*p));
  const Passage* const left_out = begun ? under_way() : nullptr;
  for (size_t i = 0; i < list_.size(); ++i) {
    Passage* const p = list_[i];
    PbBlockSlot& s = *p->slot;
    const bool armed = s.armed == p;
    const CountedBlock& block = *p->step->block;
    const bool iterates = p->number == block.iterations;
    if (p->pattern != pattern_) {
      p->pattern = pattern_;
      p->matching = iterates ? matching(*p->step, block.insns.size() - 1, block.insns.size())
                             : matching(*p->step, 0, block.insns.size());
    }
    const uint64_t n = seen[i] - (p == left_out && seen[i] != p->added);
    if (n != p->added) add(*p, n - p->added);
    p->added = n;
    if (!own) continue;
    if (armed && iterates && block.slot == last_slot(block.privileged)) {
      stay.push_back(p);  // it may be in the midst of its iterations
      continue;
    }
    p->before = p->added = 0;
    p->listed = false;
    if (armed) s.count = s.expected = 0;
  }
  if (!own) return;
  list_ = std::move(stay);
  moved();
}

// Translated code stores a block's word before its count, and says no more. What has been read of counts is
// to be found in what is read of words from now on: x86 keeps the order of stores. Elsewhere the host is
// asked to have all threads of the process show their stores, so that translated code needs no barrier in
// each block.
static void words_behind_counts() {
#if !defined __x86_64__ && !defined __i386__
  static const bool can = !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  if (can) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
#endif
  std::atomic_thread_fence(std::memory_order_acquire);
}

// The last block of the privilege in which the vCPU is now; others have come to their end. It may yet be
// left: that waits for lock_. A block that began before the mark changed has ended, too.
const Passage* BlockCount::under_way() const {
  bool privileged;
  words_behind_counts();
  if (!runs_(vcpu_, &privileged)) return nullptr;
  const uint32_t last = last_slot(privileged);
  const auto* const p = last ? static_cast<const Passage*>(slot(last).armed) : nullptr;
  return p && (p->entry & 1) == marked() ? p : nullptr;
}

void BlockCount::read(unsigned contexts, bool own, uint64_t* totals) {
  const std::lock_guard guard(lock_);
  const size_t n = counts_.size() + 1;
  settle(own);
  std::fill_n(totals, n, 0);
  // Were another thread told of a block that is then left, the vCPU's own next events would be missing.
  const Passage* const begun = own ? nullptr : under_way();
  std::vector<uint64_t> less;
  if (begun) {
    less.resize(n);
    for (const BlockWorth& w : begun->step->worth) less[w.what] = w.times;
    less.back() = matching(*begun->step, 0, begun->step->block->insns.size());
  }
  for (unsigned c = 0; c < kContexts; ++c) {
    if (!(contexts >> c & 1)) continue;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t now = totals_[c][i] - (begun && context_of(*begun) == c ? less[i] : 0);
      // What is taken back may have been told.
      if (static_cast<int64_t>(now - told_[c][i]) > 0) told_[c][i] = now;
      totals[i] += told_[c][i];
    }
  }
}

bool BlockCount::rebase(bool own) {
  const std::lock_guard guard(lock_);
  settle(own);
  bool fell = false;
  for (unsigned c = 0; c < kContexts; ++c) {
    for (size_t i = 0; i < told_[c].size(); ++i) {
      if (static_cast<int64_t>(told_[c][i] - totals_[c][i]) <= 0) continue;
      told_[c][i] = totals_[c][i];
      fell = true;
    }
  }
  return fell;
}

void BlockCount::add_up(bool own) {
  const std::lock_guard guard(lock_);
  settle(own);
}

void BlockCount::tell(Told told, bool own) {
  const std::lock_guard guard(lock_);
  settle(own);  // what nobody has asked for
  told_to_ = told;
}

void BlockCount::set_owner(uint32_t owner, bool own) {
  const std::lock_guard guard(lock_);
  settle(own, !own);
  owner_ = owner;
}

// Where a block was left, QEMU executes its next instruction again, and the plugin sees accesses alone: in a
// block that has nothing before it.
const ModelInsn* BlockCount::at(bool privileged, uint32_t insns_left, const CountedBlock** block) const {
  const uint32_t last = last_slot(privileged);
  const auto* const p = last ? static_cast<const Passage*>(slot(last).armed) : part_[privileged];
  if (!p) return nullptr;
  *block = p->step->block;
  const auto& insns = p->step->block->insns;
  const size_t end = last ? insns.size() : std::max<size_t>(part_insns_[privileged], 1);
  return insns_left < end ? &insns[end - 1 - insns_left] : nullptr;
}

void BlockCount::set_pattern(uint32_t pattern, bool own) {
  const std::lock_guard guard(lock_);
  if (pattern == pattern_) return;
  settle(own);
  pattern_ = pattern;
}

// --- the pipelines -----------------------------------------------------------------------------------

void BlockCount::save(bool privileged, void* state) {
  const std::lock_guard guard(lock_);
  book_.bytes_of(without_mark(first_->word[privileged].state), state);
}

void BlockCount::load(bool privileged, const void* state) {
  const std::lock_guard guard(lock_);
  part_[privileged] = nullptr;
  put_word(privileged, {with_mark(book_.state(state), marked()), 0});
}

void BlockCount::empty() {
  const std::lock_guard guard(lock_);
  for (const bool privileged : {false, true}) {
    part_[privileged] = nullptr;
    put_word(privileged, {with_mark(0, marked()), 0});
  }
}

void BlockCount::drop_blocks() {
  const std::lock_guard guard(lock_);
  settle(true);
  list_.clear();
  passages_.clear();
  found_.assign(kFound, nullptr);
  part_[0] = part_[1] = nullptr;
  for (uint32_t i = 1; i < book_.slots(); ++i) slot(i) = {};
}

}  // namespace perfboard
