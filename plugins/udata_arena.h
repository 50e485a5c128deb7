// SPDX-License-Identifier: GPL-2.0-or-later
//
// UdataArena - what callbacks in blocks point to, kept until all blocks are thrown away: a limit to what a
// guest can make of it.
//
//   UdataArena<Code, 4096> codes;
//   void* udata = codes.add(code, full);     a place of its own; same(): that of an equal one, if there is one
//   if (full) pb_machine.retranslate();      once: all blocks are to be thrown away
//   codes.clear();                           no block is left
//
// A guest that changes its code has blocks translated again and again, and nobody hears when a single block
// goes. Any thread.
#ifndef PERFBOARD_PLUGINS_UDATA_ARENA_H
#define PERFBOARD_PLUGINS_UDATA_ARENA_H

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>

namespace perfboard {

template <typename T, size_t kMost>
class UdataArena {
 public:
  T* add(const T& value, bool& full) {
    const std::lock_guard guard(lock_);
    return place(value, full);
  }
  T* same(const T& value, bool& full) {
    const std::lock_guard guard(lock_);
    const auto found = std::find(all_.begin(), all_.end(), value);
    if (found == all_.end()) return place(value, full);
    full = false;
    return &*found;
  }
  void clear() {
    const std::lock_guard guard(lock_);
    all_ = {};
  }
  size_t size() const { return all_.size(); }

 private:
  T* place(const T& value, bool& full) {
    all_.push_back(value);
    full = all_.size() == kMost;
    return &all_.back();
  }

  std::mutex lock_;
  std::deque<T> all_;
};

}  // namespace perfboard
#endif
