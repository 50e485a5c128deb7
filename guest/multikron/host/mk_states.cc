// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_states.h"

#include <algorithm>

#include "guest/multikron/host/mk_event.h"

namespace perfboard::mk {

void StateTracker::add(const Sample& s) {
  last_ = s.time;
  const Event event(s.data);
  if (event.kind != Kind::kEnter && event.kind != Kind::kExit) return;
  const uint64_t source = by_ == By::kCpu ? 0 : s.source;
  const uint64_t cpu = by_ == By::kSource ? 0 : s.cpu();
  Stack& stack = stacks_[source << 8 | cpu];
  const auto same = [&](const Open& open) { return open.visit.state == event.id; };
  if (event.kind == Kind::kEnter) {
    if (stack.size() == kDepth) {
      Open& outermost = stack.front();
      outermost.visit.end = s.time;
      outermost.visit.lost = true;
      listener_.left(outermost.visit);
      stack.erase(stack.begin());
    }
    Visit visit;
    visit.state = event.id;
    visit.cpu = static_cast<uint8_t>(s.cpu());
    visit.source = s.source;
    visit.argument = event.argument;
    visit.run = s.run;
    visit.start = visit.end = s.time;
    visit.depth = static_cast<unsigned>(stack.size());
    visit.recursive = std::any_of(stack.begin(), stack.end(), same);
    stack.push_back({visit, losses_});
    listener_.entered(visit);
    return;
  }
  if (std::none_of(stack.begin(), stack.end(), same)) return listener_.stray_exit(s);
  while (!same(stack.back())) leave(stack, s.time, false);
  leave(stack, s.time, true);
}

void StateTracker::leave(Stack& stack, int64_t time, bool exited) {
  Open open = stack.back();
  stack.pop_back();
  open.visit.end = time;
  open.visit.exited = exited;
  open.visit.lost = open.losses != losses_;
  // The outer visit's own time leaves out its inner visits. Nobody knows how long a visit without an exit
  // was: of that one only the visits within it, which have exits, are left out.
  if (!stack.empty()) stack.back().visit.inner += exited ? open.visit.total() : open.visit.inner;
  listener_.left(open.visit);
}

void StateTracker::give_up() {
  for (auto& [key, stack] : stacks_)
    while (!stack.empty()) leave(stack, last_, false);
}

}  // namespace perfboard::mk
