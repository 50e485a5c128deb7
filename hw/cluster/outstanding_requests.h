// SPDX-License-Identifier: GPL-2.0-or-later
//
// OutstandingRequests - those of a node's that have not been answered: few, as credits bound what is under
// way.
//
//   requests.ask(whom, at);                   it arrives then
//   if (!requests.answered(who, at)) ...      nobody has asked, or it would be too soon
//   requests.look(segment);                   before rings are emptied: what was sent before these promises is in them
//   ... rings are emptied ...
//   requests.hold(until, who);                for whose answer one waits longest, if that is before `until`
//
// Any thread.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "hw/cluster/segment.h"
#include "hw/model/host.h"

namespace perfboard::cluster {

struct Request {
  uint32_t node;
  uint64_t at;           // when it arrives
  uint64_t answers = 0;  // that node's promise, as it was looked at last
};

class OutstandingRequests {
 public:
  // An answer comes so long after its question, or later, ns. The least one counts.
  void answers_after(uint64_t ns) { after_ = std::min(after_, ns); }
  uint64_t after() const { return after_; }

  void ask(uint32_t whom, uint64_t at) {
    const std::lock_guard lock(mutex_);
    asked_.push_back({whom, at});
    count_++;
  }
  bool answered(uint32_t who, uint64_t at) {
    const std::lock_guard lock(mutex_);
    auto first = asked_.end();
    for (auto q = asked_.begin(); q != asked_.end(); ++q)
      if (q->node == who && (first == asked_.end() || q->at < first->at)) first = q;
    if (first == asked_.end() || at < first->at + after_) return false;
    asked_.erase(first);
    count_--;
    return true;
  }
  void look(const Segment& segment) {
    if (!count_) return;
    const std::lock_guard lock(mutex_);
    for (Request& q : asked_) q.answers = segment.node(q.node).answers.load(std::memory_order_acquire);
  }
  bool hold(uint64_t& until, uint32_t& who) {
    if (!count_) return false;
    const std::lock_guard lock(mutex_);
    bool held = false;
    for (const Request& q : asked_) {
      const uint64_t at = std::max(q.at + after_, q.answers);
      if (at >= until) continue;
      until = at;
      who = q.node;
      held = true;
    }
    return held;
  }
  // By node and time.
  std::vector<Request> all() {
    const std::lock_guard lock(mutex_);
    std::vector<Request> sorted = asked_;
    std::sort(sorted.begin(), sorted.end(), [](const Request& a, const Request& b) {
      return a.node != b.node ? a.node < b.node : a.at < b.at;
    });
    return sorted;
  }

 private:
  std::mutex mutex_;
  std::vector<Request> asked_;
  std::atomic<uint32_t> count_ = 0;
  uint64_t after_ = PB_NEVER / 4;
};

}  // namespace perfboard::cluster
