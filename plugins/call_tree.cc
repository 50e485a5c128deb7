// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/call_tree.h"

#include <algorithm>

namespace perfboard {

namespace {
// INFERRED: stack pointers so far from each other are of different stacks. Linux's own are of 16 or 32 KB,
// and a program's of 8 MB.
constexpr uint64_t kFar[2] = {8u << 20, 64u << 10};
constexpr uint64_t kSlot = 8;             // what a call of x86 pushes
constexpr uint64_t kBottom = UINT64_MAX;  // of what has no caller

bool is_far(uint64_t a, uint64_t b, bool kernel) { return (a > b ? a - b : b - a) >= kFar[kernel]; }
}  // namespace

uint32_t CallTree::child(uint32_t parent, uint32_t program, Kind kind, Where where) {
  const Key key{kind == kFunction ? where.address : program, parent, where.image, kind};
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  if (nodes_.size() >= kMostNodes && parent) {
    full_ = true;
    return parent;
  }
  nodes_.push_back({parent, program, kind, where});
  return numbers_[key] = static_cast<uint32_t>(nodes_.size() - 1);
}

// A function that never was at an instruction that calls or returns is its caller's, as one for which there
// was no room.
void CallTree::pop(Stack& s, uint64_t now) {
  const Frame& f = s.frames.back();
  if (f.node && (s.frames.size() < 2 || f.node != s.frames[s.frames.size() - 2].node)) {
    nodes_[f.node].calls++;
    nodes_[f.node].insns += now - f.start;
  }
  s.frames.pop_back();
}

// The bottom of a stack. A program's first function is known later.
void CallTree::begin(Task& t, bool privileged) {
  Stack& s = t.stack[privileged];
  s.frames.push_back({kBottom, s.since, child(0, t.program, privileged ? s.kind : kUser, {})});
  if (!privileged) s.frames.push_back({kBottom, s.since, 0});
}

void CallTree::clear(Task& t, bool privileged, uint64_t now) {
  Stack& s = t.stack[privileged];
  if (s.frames.empty() && now != s.since) begin(t, privileged);
  while (!s.frames.empty()) pop(s, now);
  s.since = now;
  s.kind = kKernel;
}

// The stack of the present task, with what has begun it. What is a program's own ends the kernel's work for
// it.
CallTree::Stack& CallTree::stack(unsigned vcpu, bool privileged, const Counts& counts) {
  Task& t = task(vcpu);
  if (!privileged) clear(t, true, time(vcpu, true, counts));
  if (t.stack[privileged].frames.empty()) begin(t, privileged);
  return t.stack[privileged];
}

// Of the function at the top, which is at this instruction.
uint32_t CallTree::node(Stack& s, Where at) {
  Frame& f = s.frames.back();
  if (!f.node) f.node = child(s.frames[s.frames.size() - 2].node, 0, kFunction, at);
  return f.node;
}

// What is below this place on the stack has gone. A frame of another stack has, too, if beneath it there is
// one of this.
void CallTree::drop(Stack& s, uint64_t sp, uint64_t below, uint64_t now, bool kernel) {
  for (; s.frames.back().sp != kBottom; pop(s, now)) {
    const uint64_t top = s.frames.back().sp;
    if (!is_far(top, sp, kernel)) {
      if (top >= below) return;
    } else if (std::none_of(s.frames.rbegin(), s.frames.rend(),
                            [&](const Frame& f) { return f.sp != kBottom && !is_far(f.sp, sp, kernel); })) {
      return;
    }
  }
}

void CallTree::works_for(unsigned vcpu, uint64_t task_now, uint32_t program, const Counts& counts) {
  Cpu& cpu = cpus_[vcpu];
  Task& before = task(vcpu);
  for (const bool p : {false, true}) before.count[p] = time(vcpu, p, counts);
  cpu = {task_now, counts};
  if (tasks_.size() >= kMostTasks && !tasks_.contains(task_now)) forget();
  Task& t = tasks_[task_now];
  if (t.program != program)
    for (const bool p : {false, true}) clear(t, p, t.count[p]);
  t.program = program;
}

void CallTree::call(unsigned vcpu, Where at, uint64_t sp, const Counts& counts) {
  const uint64_t now = time(vcpu, at.kernel, counts);
  Stack& s = stack(vcpu, at.kernel, counts);
  drop(s, sp, power_ ? sp + 1 : sp, now, at.kernel);
  node(s, at);
  if (s.frames.size() < kMostDeep) s.frames.push_back({power_ ? sp : sp - kSlot, now, 0});
}

void CallTree::ret(unsigned vcpu, Where at, uint64_t sp, const Counts& counts) {
  const uint64_t now = time(vcpu, at.kernel, counts);
  Stack& s = stack(vcpu, at.kernel, counts);
  drop(s, sp, sp, now, at.kernel);
  node(s, at);
  if (s.frames.back().sp == sp) pop(s, now);
}

void CallTree::enters(unsigned vcpu, Kind kind, Where from, uint64_t sp, const Counts& counts) {
  const uint64_t now = time(vcpu, true, counts);
  if (!from.kernel) {
    clear(task(vcpu), true, now);
    task(vcpu).stack[1].kind = kind;
    return;
  }
  Stack& s = stack(vcpu, true, counts);
  const uint32_t above = node(s, from);
  if (s.frames.size() < kMostDeep) s.frames.push_back({sp, now, child(above, 0, kind, {})});
}

void CallTree::leaves(unsigned vcpu, uint64_t sp, const Counts& counts, bool to_user) {
  const uint64_t now = time(vcpu, true, counts);
  if (to_user)
    clear(task(vcpu), true, now);
  else
    drop(stack(vcpu, true, counts), sp, sp + 1, now, true);
}

void CallTree::forget() {
  for (auto& [_, t] : tasks_)
    for (const bool p : {false, true}) clear(t, p, t.count[p]);
  tasks_.clear();
}

void CallTree::end(const std::function<Counts(unsigned vcpu)>& counts) {
  for (unsigned i = 0; i < cpus_.size(); ++i) works_for(i, 0, 0, counts(i));
  tasks_.erase(0);
  forget();
}

}  // namespace perfboard
