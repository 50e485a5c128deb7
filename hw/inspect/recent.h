// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recent - the last n accesses and lone events, kept whole.
//
//   recent.keep(access);   recent.each([](const Access& a) { ... }, [](const Event& e) { ... });   oldest first
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "hw/inspect/access.h"

namespace perfboard::inspect {

class Recent {
 public:
  void resize(size_t n) {
    most_ = n;
    trim();
  }
  size_t most() const { return most_; }

  void keep(const Access& access) {
    if (most_) put(access.events).put(access);
    trim();
  }
  void keep(const Event& event) {
    if (most_) put({&event, 1});
    trim();
  }

  template <typename OnAccess, typename OnEvent>
  void each(OnAccess&& on_access, OnEvent&& on_event) const {
    for (const Kept& k : kept_) {
      if (!k.is_access) {
        on_event(k.events[0]);
        continue;
      }
      Access access = k.access;
      access.parts = k.parts;
      access.events = k.events;
      on_access(access);
    }
  }

 private:
  struct Kept {
    bool is_access = false;
    Access access;
    std::vector<Part> parts;
    std::vector<Event> events;
    std::vector<std::string> lines;  // the events' own

    void put(const Access& from) {
      is_access = true;
      access = from;
      parts.assign(from.parts.begin(), from.parts.end());
    }
  };

  Kept& put(std::span<const Event> events) {
    Kept& k = kept_.emplace_back();
    k.events.assign(events.begin(), events.end());
    k.lines.reserve(events.size());
    for (Event& e : k.events) e.line = k.lines.emplace_back(e.line);
    return k;
  }
  void trim() {
    while (kept_.size() > most_) kept_.pop_front();
  }

  size_t most_ = 0;
  std::deque<Kept> kept_;
};

}  // namespace perfboard::inspect
