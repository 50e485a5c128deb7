// SPDX-License-Identifier: GPL-2.0-or-later
//
// OwnedAccess - an access, or a lone event, that outlives the listener's call: with parts, events and
// mistakes' lines of its own.
//
//   OwnedAccess kept(access);   kept.tell([](const Access& a) { ... }, [](const Event& e) { ... });
//   kept.same_as(other)                      alike in all but the time
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "hw/inspect/access.h"

namespace perfboard::inspect {

class OwnedAccess {
 public:
  explicit OwnedAccess(const Access& access) : OwnedAccess(access.events) {
    is_access_ = true;
    access_ = access;
    parts_.assign(access.parts.begin(), access.parts.end());
  }
  explicit OwnedAccess(const Event& event) : OwnedAccess(std::span(&event, 1)) {}

  uint64_t ns() const { return is_access_ ? access_.ns : events_[0].ns; }
  void set_ns(uint64_t ns) {
    access_.ns = ns;
    for (Event& e : events_) e.ns = ns;
  }

  template <typename OnAccess, typename OnEvent>
  void tell(OnAccess&& on_access, OnEvent&& on_event) const {
    std::vector<Event> events = events_;
    for (size_t i = 0; i < events.size(); ++i) events[i].line = lines_[i];
    if (!is_access_) {
      on_event(events[0]);
      return;
    }
    Access access = access_;
    access.parts = parts_;
    access.events = events;
    on_access(access);
  }

  bool same_as(const OwnedAccess& other) const {
    const Access &a = access_, &b = other.access_;
    const auto same_event = [](const Event& one, const Event& two) {
      return one.what == two.what && one.number == two.number && one.value == two.value;
    };
    return is_access_ == other.is_access_ && a.pc == b.pc && a.value == b.value && a.vcpu == b.vcpu &&
           a.window == b.window && a.offset == b.offset && a.bytes == b.bytes && a.write == b.write &&
           parts_ == other.parts_ && std::ranges::equal(events_, other.events_, same_event) &&
           lines_ == other.lines_;
  }

 private:
  explicit OwnedAccess(std::span<const Event> events) : events_(events.begin(), events.end()) {
    for (const Event& e : events) lines_.emplace_back(e.line);
  }

  bool is_access_ = false;
  Access access_;  // its parts and events are those below
  std::vector<Part> parts_;
  std::vector<Event> events_;
  std::vector<std::string> lines_;  // the events'
};

// Recent - the last n accesses and lone events, kept whole.
//
//   recent.keep(access);   recent.each([](const Access& a) { ... }, [](const Event& e) { ... });   oldest first

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
