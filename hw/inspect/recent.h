// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recent - the last n accesses and lone events, kept whole.
//
//   recent.keep(access);   recent.each([](const Access& a) { ... }, [](const Event& e) { ... });   oldest first
#pragma once

#include <cstddef>
#include <deque>

#include "hw/inspect/owned_access.h"

namespace perfboard::inspect {

class Recent {
 public:
  void resize(size_t n) {
    most_ = n;
    trim();
  }
  size_t most() const { return most_; }

  template <typename Told>
  void keep(const Told& told) {
    if (most_) kept_.emplace_back(told);
    trim();
  }

  template <typename OnAccess, typename OnEvent>
  void each(OnAccess&& on_access, OnEvent&& on_event) const {
    for (const OwnedAccess& k : kept_) k.tell(on_access, on_event);
  }

 private:
  void trim() {
    while (kept_.size() > most_) kept_.pop_front();
  }

  size_t most_ = 0;
  std::deque<OwnedAccess> kept_;
};

}  // namespace perfboard::inspect
