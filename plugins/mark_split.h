// SPDX-License-Identifier: GPL-2.0-or-later
//
// MarkSplit - which part of a vCPU's counts was made while its process mark was set.
//
//   MarkSplit<N> s;
//   s.set(true, n, [&](size_t i) { return count[i]; });        the vCPU's own thread, when the mark changes
//   auto [marked, unmarked] = s.of(i, [&] { return count[i]; });  any thread, at any time
//
// The mark is no part of what translated code knows, so code counts without it. The counts at each change of
// the mark tell the parts: a part that is under way is what the count has gained since. A count may fall (an
// instruction is taken back): that falls in the part that is under way.
#ifndef PERFBOARD_PLUGINS_MARK_SPLIT_H
#define PERFBOARD_PLUGINS_MARK_SPLIT_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace perfboard {

template <size_t kCounts>
class MarkSplit {
 public:
  struct Parts {
    uint64_t marked, unmarked;
  };

  bool marked() const { return marked_.load(std::memory_order_relaxed); }

  // count(i) for i below n; the other counts are 0 so far.
  template <typename Count>
  void set(bool mark, size_t n, Count&& count) {
    if (mark == marked()) return;
    // A reader that comes in between looks again.
    const uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (size_t i = 0; i < n; ++i) {
      const uint64_t before = offset_[i].load(std::memory_order_relaxed);
      offset_[i].store(mark ? before - count(i) : before + count(i), std::memory_order_relaxed);
    }
    marked_.store(mark, std::memory_order_relaxed);
    version_.store(version + 2, std::memory_order_release);
  }

  template <typename Count>
  Parts of(size_t i, Count&& count) const {
    for (;;) {
      const uint32_t version = version_.load(std::memory_order_acquire);
      const uint64_t offset = offset_[i].load(std::memory_order_relaxed);
      const bool mark = marked();
      const uint64_t now = count();
      std::atomic_thread_fence(std::memory_order_acquire);
      if (version % 2 == 0 && version_.load(std::memory_order_relaxed) == version) {
        const uint64_t part = mark ? offset + now : offset;
        return {part, now - part};
      }
    }
  }

 private:
  std::atomic<uint32_t> version_{0};  // odd: a change is under way
  std::atomic<bool> marked_{false};
  // The marked part; while the mark is set, less the count as it was when the mark was set.
  std::atomic<uint64_t> offset_[kCounts] = {};
};

}  // namespace perfboard
#endif
